"""``GET /v1/events`` and ``GET /v1/frame``: what pages show."""

from __future__ import annotations

from collections.abc import AsyncIterator

from riparian.serve.http import Problem, Reply, Request
from riparian.serve.serving import Serving

__all__ = ["events", "frame"]


async def frame(serving: Serving, request: Request) -> Reply:
    """Answer with the last frame."""
    return Reply(body=serving.frames.text)


async def events(serving: Serving, request: Request) -> Reply:
    """Answer with server-sent events, those since ``Last-Event-ID`` first."""
    if serving.traffic.event_clients >= serving.limits.event_clients:
        raise Problem(429, "busy", "too many pages listen", retry_after=10)
    since = (request.header(b"last-event-id") or "").strip()
    known = int(since) if since.isascii() and since.isdecimal() and len(since) < 18 else None
    return Reply(
        content_type=b"text/event-stream",
        headers=[(b"cache-control", b"no-store"), (b"x-accel-buffering", b"no")],
        stream=_listening(serving, known),
    )


async def _listening(serving: Serving, since: int | None) -> AsyncIterator[bytes]:
    serving.traffic.event_clients += 1
    try:
        async for part in serving.frames.listen(since):
            yield part
    finally:
        serving.traffic.event_clients -= 1
