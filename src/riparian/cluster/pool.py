"""What a pool of workers is: everything that an engine has to give to a coordinator.

A worker is any object whose methods take bytes and return bytes. It keeps nothing that matters: a
call is a function of its arguments, so it may be made twice, by two workers, or again after a
worker died. A pool moves the bytes and reports when a worker is dead. The coordinator alone decides
which worker is called, and which calls are made again.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Protocol, Self

__all__ = ["Handle", "Make", "Pool", "WorkerDied"]

#: Makes the worker of a number. With processes it must be importable: a function or a class of a
#: module, or a `functools.partial` of one.
Make = Callable[[int], object]


class WorkerDied(RuntimeError):  # noqa: N818 - it is an event that the coordinator expects
    """Set on a future whose worker died or was replaced before it answered."""


class Handle:
    """Bytes that several calls need: they travel to each worker once.

    A handle stands for its bytes among the arguments of `Pool.ask`. The pool forgets them, on the
    workers too, once nobody refers to the handle.
    """

    __slots__ = ("__weakref__", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data


class Pool(Protocol):
    """Workers that are asked for bytes.

    The workers have the numbers 0, 1, ..., `workers` - 1. Each answers its calls one after the
    other, in the order of `ask`. Methods of the pool may be called from any thread.
    """

    #: How many workers there are.
    workers: int
    #: Whether they live in this process. Then arguments and answers may be any objects.
    here: bool

    def start(self, make: Make) -> None:
        """Make the workers. A pool may be started again; open calls fail with `WorkerDied`."""

    def ask(self, worker: int, method: str, *args: bytes | Handle) -> Future[bytes]:
        """Call a method of a worker; a handle arrives there as its bytes.

        The future has the answer, or the error that the method raised, or `WorkerDied`: the worker
        died or was replaced. A dead worker stays dead, and all calls of it fail at once, until
        `replace`.
        """

    def put(self, data: bytes) -> Handle:
        """Return a handle of bytes that travel to each worker once."""

    def replace(self, worker: int) -> None:
        """End a worker, dead or alive, and make another one of its number.

        Calls that it has not answered fail with `WorkerDied`. A later answer is dropped.
        """

    def close(self) -> None:
        """End all workers; open calls fail with `WorkerDied`. May be called twice."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...
