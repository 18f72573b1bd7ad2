"""The guard of bodies: no larger, no slower and no other than what the server takes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from riparian.serve.http import Problem
from riparian.serve.limits import Limits

__all__ = ["ARROW", "CSV", "NDJSON", "Receive", "content_type_of", "read_body"]

Receive = Callable[[], Awaitable[Any]]

ARROW = "application/vnd.apache.arrow.stream"
NDJSON = "application/x-ndjson"
CSV = "text/csv"


def content_type_of(headers: Mapping[bytes, bytes]) -> str:
    """Return the content type without its parameters, in small letters."""
    return headers.get(b"content-type", b"").partition(b";")[0].strip().lower().decode("latin-1")


async def read_body(
    receive: Receive, headers: Mapping[bytes, bytes], limits: Limits, most: int
) -> bytes:
    """Return the body of a request.

    Raises
    ------
    Problem
        413 if it is larger than `most` bytes, 408 if it takes too long, 415 if it is encoded, 400
        if it is not as long as it says or the client has gone.
    """
    if headers.get(b"content-encoding", b"identity").lower() != b"identity":
        raise Problem(415, "encoding", "a body must not be compressed")
    length = headers.get(b"content-length")
    said = None
    if length is not None:
        if not length.isdigit() or len(length) > 18:
            raise Problem(400, "bad_length", "the content length is no number")
        said = int(length)
        if said > most:
            raise _too_large(most)
    try:
        async with asyncio.timeout(limits.body_seconds):
            body = await _all(receive, most)
    except TimeoutError:
        raise Problem(
            408,
            "slow_body",
            f"the body did not come within {limits.body_seconds:g} seconds",
            headers=((b"connection", b"close"),),
        ) from None
    if said is not None and said != len(body):
        raise Problem(400, "bad_length", "the body is not as long as its content length")
    return body


async def _all(receive: Receive, most: int) -> bytes:
    message = await receive()
    if message["type"] != "http.request":
        raise Problem(400, "gone", "the client has gone")
    first: bytes = message.get("body", b"")
    if len(first) > most:
        raise _too_large(most)
    if not message.get("more_body"):
        return first
    parts, size = [first], len(first)
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise Problem(400, "gone", "the client has gone")
        part = message.get("body", b"")
        size += len(part)
        if size > most:
            raise _too_large(most)
        parts.append(part)
        if not message.get("more_body"):
            return b"".join(parts)


def _too_large(most: int) -> Problem:
    return Problem(
        413,
        "too_large",
        f"the body has more than {most:,} bytes",
        headers=((b"connection", b"close"),),
    )
