"""How SIGINT, which is Ctrl-C, and SIGTERM end a command.

Before a command has begun its work, and after it, a signal ends the program at once: an exception
in the middle of an import or of Python's own ending would be printed or lost. In between the first
signal raises `Stopped`. The second is ignored, because some programs, such as ``timeout``, send
each signal to the process and again to its group. The third ends the program at once.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
from collections.abc import Iterator
from types import FrameType

__all__ = [
    "Stopped",
    "begin_work",
    "catch_signals",
    "end_work",
    "finishing",
    "status_of",
]


class Stopped(KeyboardInterrupt):
    """A signal asked the command to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


# Counts the signals. It counts in one step: a handler may be interrupted by the next signal.
_places = itertools.count(1)
# Whether the first signal raises, whether it has to wait, and the number of the one that waits.
_working = False
_finishing = False
_waiting: int | None = None


def catch_signals() -> None:
    """Let SIGINT and SIGTERM end commands in order. Signals that are ignored stay ignored."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _stop)


def begin_work() -> None:
    """From here on a signal raises `Stopped`, so that what is half done is completed or undone."""
    global _working
    _working = True


def end_work() -> None:
    """From here on a signal ends the program at once."""
    global _working
    _working = False


@contextlib.contextmanager
def finishing() -> Iterator[None]:
    """Let the first signal wait until the block is done."""
    global _finishing
    _finishing = True
    try:
        yield
    finally:
        _finishing = False
    if _waiting is not None:
        raise Stopped(_waiting)


def status_of(error: KeyboardInterrupt) -> int:
    """The exit status of a command that was stopped: 130 after SIGINT, 143 after SIGTERM."""
    return 128 + (error.number if isinstance(error, Stopped) else signal.SIGINT)


def _stop(number: int, frame: FrameType | None) -> None:
    global _waiting
    place = next(_places)
    if not _working or place > 2:
        if place == 1:
            with contextlib.suppress(OSError):
                # Printing could meet a print that was itself interrupted.
                os.write(2, b"riparian: interrupted\n")
        os._exit(128 + number)
    if place == 1 and _finishing:
        _waiting = number
    elif place == 1:
        raise Stopped(number)
