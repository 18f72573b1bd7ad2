"""Two hosts with a bad link between them give the bytes of one thread."""

from __future__ import annotations

import pytest

from tests.cluster.network import missing, run

pytestmark = [pytest.mark.ray, pytest.mark.slow]


def test_the_same_bytes_over_a_link_that_loses_packets_and_is_cut():
    if why := missing():
        pytest.skip(why)
    found = run(rows=60_000, loss=5.0, cut=10.0)
    assert found["equal"]
    assert found["rounds"] > 5
    assert found["packets"] > 100
    assert found["seconds"] > 10
