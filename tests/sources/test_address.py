"""Addresses of brokers, and what is said where a client is not installed."""

from __future__ import annotations

import sys

import pytest

from riparian import sources
from riparian.sources.address import Address


def test_an_address_is_taken_apart():
    address = Address.parse("nats://me:pass%40word@a:1,b:2/STREAM")
    assert address == Address("nats", "a:1,b:2", "STREAM", "me", "pass@word")
    assert address.name == "nats://a:1,b:2/STREAM"


@pytest.mark.parametrize(
    "text",
    [
        "redis://me:secret@host",
        "redis://me:secret@host/",
        "redis://me:secret@host/key?x=1",
        "kafka:",
    ],
)
def test_a_wrong_address_is_refused_without_its_secret(text):
    with pytest.raises(ValueError, match="expected") as caught:
        Address.parse(text)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("scheme", "module", "package"),
    [
        ("kafka", "confluent_kafka", "confluent-kafka"),
        ("redis", "redis", "redis"),
        ("nats", "nats", "nats-py"),
    ],
)
def test_an_absent_client_is_named_with_its_extra(monkeypatch, scheme, module, package):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"{package}; .*'riparian\[{scheme}\]'"):
        sources.open(f"{scheme}://host/name")
