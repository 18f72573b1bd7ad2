"""B4: bodies that are too large, lie, or are hostile are answered with 4xx and leave no memory."""

from __future__ import annotations

import gc
import random
import resource
import socket
import time
from pathlib import Path

import pytest

from riparian.serve.app import make_app
from riparian.serve.limits import Limits
from riparian.serve.serving import Served, Serving
from tests.serve.asgi import client_of
from tests.serve.serving import rows_of, serving, tree
from tests.serve.test_security import fitted

JSON = {"content-type": "application/json"}
HOSTILE = [
    b"",
    b"{",
    b"null",
    b"[]",
    b'"text"',
    b"[" * 100_000,
    b'{"features":' * 50_000,
    b'{"features": {"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}}",
    b'{"features": {"x": 1e400}}',
    b'{"features": {"x": ' + b"9" * 400 + b"}}",
    b'{"features": {"x": NaN}}',
    b'{"features": {"x": "\\ud800"}}',
    b'{"features": {"\\udfff": 1}}',
    b'{"features": {"x": "\xff\xfe"}}',
    b'{"features": {"x": {"y": 1}}}',
    b'{"rows": [{"x": 1}, 3]}',
    b'{"rows": {"x": 1}}',
    b'{"features": [], "label": 1}',
    b'{"features": {"x": 1}, "label": null}',
    b'{"features": {"x": 1}, "label": 1.5}',
    b'{"features": {"x": 1}, "label": {}}',
    b'[{"id": 3, "label": "yes"}]',
    b'[{"id": "", "label": "yes"}]',
    b'[{"id": "' + b"i" * 300 + b'", "label": "yes"}]',
    b'{"inputs": [{"name": "x", "shape": [-1], "datatype": "FP64", "data": []}]}',
    b'{"inputs": [{"name": "x", "shape": [99999999999], "datatype": "FP64", "data": [1]}]}',
]
PATHS = ("/v1/predict", "/v1/explain", "/v1/learn", "/v1/labels", "/v2/models/model/infer")


DEEP = b'{"features": {"x": 1}, "label": "yes", "more": %s}'


def resident() -> int:
    """The resident memory of this process in bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    limits = Limits(body=1 << 20, body_seconds=2.0)
    with serving(tmp_path_factory.mktemp("bodies") / "m", tree(), limits=limits) as found:
        found.learn(rows_of(200))
        found.wait_for(200)
        yield found


@pytest.mark.parametrize("path", PATHS)
def test_hostile_bodies_are_refused(running, path: str) -> None:
    learned = running.learner.rows
    for body in HOSTILE:
        reply = running.client.post(path, content=body, headers=JSON)
        # Unknown members are ignored, and a request without labels does nothing.
        harmless = body.startswith(b'{"features": {"x": 1}, "label"') or body == b"[]"
        harmless = harmless and path in ("/v1/predict", "/v1/explain", "/v1/labels")
        assert 400 <= reply.status_code < 500 or harmless, (path, body[:60], reply.text)
    assert running.learner.rows == learned


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"content-encoding": "gzip"}, 415),
        ({"content-encoding": "br"}, 415),
        ({"content-type": "application/xml"}, 415),
        ({"content-type": "multipart/form-data; boundary=x"}, 415),
    ],
)
def test_other_encodings_and_types_are_refused(running, headers, status) -> None:
    for path in PATHS:
        reply = running.client.post(path, content=b"{}", headers={**JSON, **headers})
        assert reply.status_code == status, path


def test_large_bodies_are_refused_before_they_are_read(running) -> None:
    most = running.serving.limits.body
    reply = running.client.post("/v1/predict", content=b" " * (most + 1), headers=JSON)
    assert reply.status_code == 413

    def parts():
        for _ in range(most // 65536 + 2):
            yield b" " * 65536

    reply = running.client.post("/v1/predict", content=parts(), headers=JSON)
    assert reply.status_code == 413


def ask(running, data: bytes, seconds: float = 30.0) -> bytes:
    """What the server answers to bytes."""
    host, port = running.served.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=seconds) as connection:
        connection.sendall(data)
        found = b""
        while part := connection.recv(65536):
            found += part
            if b"\r\n\r\n" in found and b'"error"' in found:
                break
        return found


def test_lying_and_slow_bodies_end(running) -> None:
    head = b"POST /v1/predict HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n"
    clock = time.monotonic()
    assert b" 408 " in ask(running, head + b"content-length: 100\r\n\r\n{}")
    assert time.monotonic() - clock < 20
    assert b" 400 " in ask(running, head + b"content-length: -5\r\n\r\n{}")
    assert b" 400 " in ask(running, head + b"content-length: 1e3\r\n\r\n{}")


def test_many_rows_are_refused(running) -> None:
    body = b'{"rows": [' + b",".join([b"{}"] * 100_001) + b"]}"
    assert running.client.post("/v1/predict", content=body, headers=JSON).status_code == 413


def test_thousands_of_bad_bodies_leave_no_memory() -> None:
    client = client_of(make_app(Serving("model", Served(fitted(), 0))))
    rng = random.Random(3)
    good = b'{"features": {"x": 0.5, "word": "a"}, "proba": true, "id": "k"}'
    before = 0
    for number in range(1200):
        body = bytearray(rng.choice(HOSTILE) if number % 3 == 0 else good)
        for _ in range(rng.randint(0, 4)):
            body[rng.randrange(len(body)) if body else 0 : 0] = bytes([rng.randrange(256)])
        reply = client.post(rng.choice(PATHS), content=bytes(body[:10_000]), headers=JSON)
        assert reply.status_code < 500, (bytes(body[:200]), reply.text)
        if number == 200:
            gc.collect()
            before = resident()
    gc.collect()
    assert resident() - before < 16 << 20


def test_values_of_rows_have_places() -> None:
    client = client_of(make_app(Serving("model", Served(fitted(), 0))))
    body = {"rows": [{"x": 1.0}, {"x": "many"}]}
    error = client.post("/v1/predict", json=body).json()["error"]
    assert (error["code"], error["row"], error["column"]) == ("bad_value", 1, "x")


def test_a_line_of_json_has_one_value() -> None:
    """Whether two are refused does not depend on what else is in the body."""
    client = client_of(make_app(Serving("model", Served(fitted(), 0))))
    one, head = b'{"features": {"x": 1}}', {"content-type": "application/x-ndjson"}
    for body in (
        one + one,
        one + one + b"\n",
        one + one + b"\n\n",
        one + one + b"\n" + one[:13] + b"\n" + one[13:],
    ):
        reply = client.post("/v1/predict", content=body, headers=head)
        error = reply.json()["error"]
        assert (reply.status_code, error["code"], error["row"]) == (400, "bad_json", 0), body
    for body in (one + b"\n" + one, one + b"\r\n" + one + b"\r\n", b"\n" + one + b"\n\n" + one):
        reply = client.post("/v1/predict", content=body, headers=head)
        assert (reply.status_code, reply.content.count(b"\n")) == (200, 2), body


@pytest.mark.parametrize("path", ["/v1/predict", "/v1/learn"])
@pytest.mark.parametrize("kind", ["application/json", "application/x-ndjson"])
def test_a_body_may_be_nested_eight_deep(running, path: str, kind: str) -> None:
    for depth, status in ((7, 200), (8, 400)):
        body = DEEP % (b"[" * depth + b'"]["' + b"]" * depth)
        reply = running.client.post(path, content=body, headers={"content-type": kind})
        assert reply.status_code == status, reply.text
    assert reply.json()["error"]["code"] == "too_deep"


def test_an_idle_connection_is_closed_after_the_time_for_a_header(tmp_path) -> None:
    with serving(tmp_path, tree(), limits=Limits(header_seconds=0.5)) as running:
        host, port = running.served.url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=30.0) as connection:
            connection.sendall(b"GET /health/live HTTP/1.1\r\nhost: x\r\n\r\n")
            assert connection.recv(65536).startswith(b"HTTP/1.1 200")
            clock = time.monotonic()
            assert connection.recv(65536) == b""
            assert time.monotonic() - clock > 0.3
