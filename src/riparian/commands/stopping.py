"""How SIGINT, which is Ctrl-C, and SIGTERM end a command.

Before a command has begun its work, and after it, a signal ends the program at once: an exception
in the middle of an import or of Python's own ending would be printed or lost. In between the first
signal raises `Stopped`. The second is ignored, because some programs, such as ``timeout``, send
each signal to the process and again to its group. The third ends the program at once.
"""

from __future__ import annotations

import contextlib
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


#: The numbers of the signals that came, in their order.
_received: list[int] = []
# Whether the first signal raises, and whether it has to wait.
_working = False
_finishing = False


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
    before = len(_received)
    _finishing = True
    try:
        yield
    finally:
        _finishing = False
    if _received and not before:
        raise Stopped(_received[0])


def status_of(error: KeyboardInterrupt) -> int:
    """The exit status of a command that was stopped: 130 after SIGINT, 143 after SIGTERM."""
    return 128 + (error.number if isinstance(error, Stopped) else signal.SIGINT)


def _stop(number: int, frame: FrameType | None) -> None:
    _received.append(number)
    if _working and len(_received) <= 2:
        if len(_received) == 1 and not _finishing:
            raise Stopped(number)
        return
    if len(_received) == 1:
        with contextlib.suppress(OSError):
            # Printing could meet a print that was itself interrupted.
            os.write(2, b"riparian: interrupted\n")
    os._exit(128 + number)
