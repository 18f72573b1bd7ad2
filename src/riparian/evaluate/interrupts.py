"""Signals that wait until a batch is learned."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

__all__ = ["uninterrupted"]


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Defer Ctrl-C, and SIGTERM if the program handles it, until the batch is learned."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    holding = True
    handlers: dict[int, Callable[[int, FrameType | None], Any]] = {}

    def hold(number: int, frame: FrameType | None) -> None:
        # A signal may arrive while the handlers are restored, and raise before all of them are.
        if holding:
            held.append(number)
        else:
            handlers[number](number, frame)

    for number in (signal.SIGINT, signal.SIGTERM):
        handler = signal.getsignal(number)
        if callable(handler):
            handlers[number] = handler
            signal.signal(number, hold)
    try:
        yield
    finally:
        holding = False
        for handled, handler in handlers.items():
            signal.signal(handled, handler)
    if held:
        signal.raise_signal(held[0])
