"""The last picture of a model, and the events since: what pages listen to."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import AsyncIterator
from typing import Any

from riparian.evidence.structure import Structure
from riparian.serve.http import encode_json

__all__ = ["Frames"]

#: How many events are kept for a page that was away for a moment.
_KEPT = 1000
#: Seconds after which a silent connection gets a line that says nothing.
_KEEP_ALIVE = 15.0


class Frames:
    """Frames and events. The learner's thread publishes, the event loop reads.

    An object that was published never changes. Ids grow also across restarts, as long as a server
    has less than a thousand events per second.
    """

    def __init__(self) -> None:
        #: The last frame, as an object and as JSON.
        self.last: dict[str, Any] = {}
        self.text = b"{}"
        #: The tree of the last frame, and the sentence of each of its splits.
        self.structure: tuple[Structure, dict[int, str]] | None = None
        #: The last splits and changes, with those before the server began.
        self._remembered: dict[str, deque[dict[str, Any]]] = {
            "split": deque(maxlen=_KEPT),
            "change": deque(maxlen=_KEPT),
        }
        self._id = int(time.time() * 1000)
        self._frame_id = self._id
        self._kept: deque[tuple[int, bytes]] = deque(maxlen=_KEPT)
        self._lock = threading.Lock()
        self._listeners: dict[asyncio.Event, asyncio.AbstractEventLoop] = {}
        self.closed = False

    def publish(
        self, frame: dict[str, Any], structure: tuple[Structure, dict[int, str]] | None = None
    ) -> None:
        """Make a frame the last one; `structure` is the tree that it shows the top of."""
        text = encode_json(frame)
        with self._lock:
            self.structure = structure
            self._id += 1
            self.last, self.text, self._frame_id = frame, text, self._id
        self._wake()

    def event(self, name: str, data: dict[str, Any]) -> None:
        """Add an event."""
        text = encode_json(data)
        with self._lock:
            self._id += 1
            self._kept.append((self._id, _event(self._id, name, text)))
            if name in self._remembered:
                self._remembered[name].append(data)
        self._wake()

    def remember(self, kind: str, data: dict[str, Any]) -> None:
        """Keep a split or a change without an event: it was there before the server."""
        with self._lock:
            self._remembered[kind].append(data)

    def remembered(self, kind: str) -> list[dict[str, Any]]:
        """Return the last splits or changes, the oldest first."""
        with self._lock:
            return list(self._remembered[kind])

    def forget(self) -> None:
        """Forget splits and changes: another model is served."""
        with self._lock:
            for kept in self._remembered.values():
                kept.clear()

    def close(self) -> None:
        """End all streams of events."""
        self.closed = True
        self._wake()

    def _wake(self) -> None:
        for event, loop in list(self._listeners.items()):
            if not loop.is_closed():
                loop.call_soon_threadsafe(event.set)

    async def listen(self, since: int | None) -> AsyncIterator[bytes]:
        """Give events as lines of server-sent events; `since` is the last id that was seen."""
        woken = asyncio.Event()
        self._listeners[woken] = asyncio.get_running_loop()
        seen = since
        try:
            yield b"retry: 1000\n\n"
            while not self.closed:
                woken.clear()
                parts, seen = self._after(seen)
                if parts:
                    yield b"".join(parts)
                try:
                    async with asyncio.timeout(_KEEP_ALIVE):
                        await woken.wait()
                except TimeoutError:
                    yield b": \n\n"
        finally:
            self._listeners.pop(woken, None)

    def _after(self, seen: int | None) -> tuple[list[bytes], int]:
        """Return the events after an id, and the last id; a new page gets the last frame only."""
        with self._lock:
            if seen is None or seen > self._id:
                seen = self._frame_id - 1
            parts = [(number, text) for number, text in self._kept if number > seen]
            if self._frame_id > seen and self.last:
                parts.append((self._frame_id, _event(self._frame_id, "frame", self.text)))
            parts.sort(key=lambda pair: pair[0])
            return [text for _, text in parts], self._id


def _event(number: int, name: str, data: bytes) -> bytes:
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (number, name.encode(), data)
