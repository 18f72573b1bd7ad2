"""Work that is shared among processes."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

__all__ = ["on_processes"]

R = TypeVar("R")


def on_processes(
    do: Callable[..., R], calls: Iterable[tuple[Any, ...]], n_jobs: int, *, ordered: bool
) -> Iterator[R]:
    """Call a function many times, on several processes.

    Parameters
    ----------
    do : callable
        The function.
    calls : iterable of tuples
        The arguments of each call.
    n_jobs : int
        Processes; with 1 all calls are made in this one.
    ordered : bool
        Whether the results come in the order of the calls, or as soon as they are there.

    Returns
    -------
    results : iterator
    """
    from joblib import Parallel, delayed

    kind = "generator" if ordered else "generator_unordered"
    parallel = Parallel(n_jobs=n_jobs, return_as=kind)
    with _ctrl_c_blocked():
        found: Iterator[R] = parallel(delayed(do)(*arguments) for arguments in calls)
    return found


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
    """Processes that are started here do not get SIGINT; for this one it waits.

    A terminal sends Ctrl-C to all processes of a command. The first one ends the others; they
    would print a traceback each.
    """
    if sys.platform == "win32":
        yield
        return
    from multiprocessing import resource_tracker

    # It is started with the first worker otherwise, and Python 3.11 lifts the block in doing so.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
