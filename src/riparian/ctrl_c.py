"""Ctrl-C while other processes are started."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["ctrl_c_blocked"]


@contextmanager
def ctrl_c_blocked() -> Iterator[None]:
    """Block SIGINT for the processes that are started here, and defer it for this process.

    A terminal sends Ctrl-C to all processes of a command. This process ends the others, which
    would otherwise print a traceback each.
    """
    if sys.platform == "win32":
        yield
        return
    from multiprocessing import resource_tracker

    # Otherwise it starts with the first worker, and Python 3.11 then unblocks the signal.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
