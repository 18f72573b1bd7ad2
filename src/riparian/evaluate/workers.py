"""Run a function on several processes."""

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
        Number of processes. With 1 all calls are made in this process.
    ordered : bool
        Whether the results are in the order of the calls, or in the order in which they finish.

    Returns
    -------
    results : iterator
        The results.
    """
    from joblib import Parallel, delayed

    kind = "generator" if ordered else "generator_unordered"
    parallel = Parallel(n_jobs=n_jobs, return_as=kind)
    with _ctrl_c_blocked():
        found: Iterator[R] = parallel(delayed(do)(*arguments) for arguments in calls)
    return found


@contextmanager
def _ctrl_c_blocked() -> Iterator[None]:
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
