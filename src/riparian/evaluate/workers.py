"""Run a function on several processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from riparian.ctrl_c import ctrl_c_blocked

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
    with ctrl_c_blocked():
        found: Iterator[R] = parallel(delayed(do)(*arguments) for arguments in calls)
    return found
