"""How SIGINT (Ctrl-C) and SIGTERM end a command.

Before a command begins its work and after it has ended, a signal ends the program at once, because
an exception during an import or during Python's shutdown would be printed or lost. While the
command works, the first signal raises `Stopped`; if the command reads a pipe, the pipe ends there
instead, and its stream raises `Stopped` after all that has arrived. The second signal is ignored,
because some programs, such as ``timeout``, send each signal to the process and again to its group.
The third ends the program at once.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
from collections.abc import Callable, Iterator
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
    """Raised when a signal asks the command to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


# Counts the signals. `next` is atomic, and the next signal may interrupt the handler.
_signals = itertools.count(1)
# Whether the first signal raises `Stopped`, unless the function ends what the command reads.
_working = False
_end_input: Callable[[Stopped], bool] | None = None
# Whether the first signal is deferred, and the number of the deferred signal.
_finishing = False
_deferred: int | None = None


def catch_signals() -> None:
    """Install the handlers of SIGINT and SIGTERM. Ignored signals stay ignored."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _stop)


def begin_work(end_input: Callable[[Stopped], bool] | None = None) -> None:
    """Let the first signal raise `Stopped` from now on, so that the command can clean up.

    Parameters
    ----------
    end_input : callable, optional
        Called in the signal handler. If it returns True, it has ended what the command reads, and
        nothing is raised there.
    """
    global _working, _end_input
    _working, _end_input = True, end_input


def end_work() -> None:
    """Let a signal end the program at once from now on."""
    global _working
    _working = False


@contextlib.contextmanager
def finishing() -> Iterator[None]:
    """Defer the first signal until the block has ended."""
    global _finishing
    _finishing = True
    try:
        yield
    finally:
        _finishing = False
    if _deferred is not None:
        raise Stopped(_deferred)


def status_of(error: KeyboardInterrupt) -> int:
    """Return the exit status of a stopped command: 130 after SIGINT, 143 after SIGTERM."""
    return 128 + (error.number if isinstance(error, Stopped) else signal.SIGINT)


def _stop(number: int, frame: FrameType | None) -> None:
    global _deferred
    count = next(_signals)
    if not _working or count > 2:
        if count == 1:
            with contextlib.suppress(OSError):
                # Not print: the signal may have interrupted another print.
                os.write(2, b"riparian: interrupted\n")
        os._exit(128 + number)
    if count == 1 and _finishing:
        _deferred = number
    elif count == 1:
        stopped = Stopped(number)
        if _end_input is None or not _end_input(stopped):
            raise stopped
