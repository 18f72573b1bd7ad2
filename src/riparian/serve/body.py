"""The guard of bodies: no larger, no slower and no other than what the server takes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from riparian.serve.http import Problem
from riparian.serve.limits import Limits
from riparian.serve.patience import STEP, Patience

__all__ = ["ARROW", "CSV", "KNOWN", "NDJSON", "Receive", "content_type_of", "read_body"]

Receive = Callable[[], Awaitable[Any]]

ARROW = "application/vnd.apache.arrow.stream"
NDJSON = "application/x-ndjson"
CSV = "text/csv"

#: What most clients send.
KNOWN = {name.encode(): name for name in (ARROW, NDJSON, CSV, "application/json")}


def content_type_of(given: bytes) -> str:
    """Return a content type without its parameters, in small letters."""
    return given.partition(b";")[0].strip().lower().decode("latin-1")


async def read_body(
    receive: Receive, headers: Mapping[bytes, bytes], limits: Limits, most: int, patience: Patience
) -> bytes:
    """Return the body of a request.

    Raises
    ------
    Problem
        413 if it is larger than `most` bytes, 408 if it takes too long, 415 if it is encoded, 400
        if it is not as long as it says or the client has gone.
    """
    if b"content-encoding" in headers and headers[b"content-encoding"].lower() != b"identity":
        raise Problem(415, "encoding", "a body must not be compressed")
    length = headers.get(b"content-length")
    said = None
    if length is not None:
        if not length.isdigit() or len(length) > 18:
            raise Problem(400, "bad_length", "the content length is no number")
        said = int(length)
        if said > most:
            raise _too_large(most)
    loop = asyncio.get_running_loop()
    if patience.loop is not loop:
        patience.begin(loop)
    task: Any = asyncio.current_task(loop)
    patience.waiting[task] = patience.now + limits.body_seconds + STEP
    try:
        message = await receive()
        body: bytes = message.get("body", b"")
        if message["type"] != "http.request":
            raise _gone()
        # A server may ask for one more part after the last one, which costs as much as the rest.
        if len(body) != said and message.get("more_body"):
            body = await _rest(receive, body, said, most)
    except asyncio.CancelledError:
        if not patience.has_ended(task):
            raise
        text = f"the body did not come within {limits.body_seconds:g} seconds"
        raise Problem(408, "slow_body", text, headers=((b"connection", b"close"),)) from None
    finally:
        del patience.waiting[task]
    if said is not None and said != len(body):
        raise Problem(400, "bad_length", "the body is not as long as its content length")
    if len(body) > most:
        raise _too_large(most)
    return body


def _gone() -> Problem:
    return Problem(400, "gone", "the client has gone")


async def _rest(receive: Receive, first: bytes, said: int | None, most: int) -> bytes:
    parts, size, more = [first], len(first), True
    while more and size != said:
        if size > most:
            raise _too_large(most)
        message = await receive()
        if message["type"] != "http.request":
            raise _gone()
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        more = message.get("more_body", False)
    return b"".join(parts)


def _too_large(most: int) -> Problem:
    return Problem(
        413,
        "too_large",
        f"the body has more than {most:,} bytes",
        headers=((b"connection", b"close"),),
    )
