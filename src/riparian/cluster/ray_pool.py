"""Workers that are actors of a Ray cluster."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from typing import Any

from riparian.cluster.lane import Args, LanePool, Remote
from riparian.cluster.pool import Handle, Make, Pool, WorkerDied

__all__ = ["ray"]


def ray(
    workers: int | None = None,
    *,
    address: str | None = None,
    resources: Mapping[str, float] | None = None,
) -> Pool:
    """Return a pool of actors of a Ray cluster. Needs ``pip install 'riparian[ray]'``.

    Parameters
    ----------
    workers : int, default=None
        Number of actors; None for one for each CPU of the cluster.
    address : str, default=None
        The cluster: "auto", or its address. None starts one on this machine unless Ray is already
        running in this process.
    resources : mapping, default=None
        Further resources that each actor needs.

    Returns
    -------
    pool : Pool
        The pool. Each actor has one CPU. riparian must be installed on all machines. A cluster that
        was started here ends with the process.
    """
    try:
        import ray as engine
    except ImportError:
        raise ImportError("Ray is not installed: pip install 'riparian[ray]'") from None
    if not engine.is_initialized():
        engine.init(address=address, log_to_driver=False, include_dashboard=False)
    if workers is None:
        workers = max(1, int(engine.cluster_resources().get("CPU", 1)))
    return _RayPool(engine, workers, dict(resources or {}))


class _RayPool(LanePool):
    kind = "ray"

    def __init__(self, engine: Any, workers: int, resources: dict[str, float]) -> None:
        super().__init__(workers)
        self._engine = engine
        self._resources = resources

    def begin(self, make: Make, worker: int) -> Remote:
        return _Actor(self._engine, make, worker, self._resources)

    def put(self, data: bytes) -> Handle:
        return _Stored(data, self._engine.put(data))


class _Stored(Handle):
    """Bytes in the object store: a machine reads them once for all of its actors."""

    __slots__ = ("reference",)

    def __init__(self, data: bytes, reference: Any) -> None:
        super().__init__(data)
        self.reference = reference


class _Actor:
    """A worker in an actor."""

    def __init__(
        self, engine: Any, make: Make, worker: int, resources: Mapping[str, float]
    ) -> None:
        self._engine = engine
        self._number = worker
        # The coordinator replaces dead workers itself, so that it counts them.
        kind = engine.remote(num_cpus=1, max_restarts=0, resources=dict(resources) or None)(
            _Serving
        )
        self._actor = kind.remote(make, worker)

    def call(self, method: str, args: Args) -> bytes:
        sent = [a.reference if isinstance(a, _Stored) else _bytes(a) for a in args]
        try:
            answer: bytes = self._engine.get(self._actor.call.remote(method, *sent))
        except self._engine.exceptions.RayTaskError as error:
            raise error.as_instanceof_cause() from None
        except self._engine.exceptions.RayError as error:
            raise WorkerDied(f"worker {self._number} died: {str(error)[:500]}") from None
        return answer

    def end(self) -> None:
        with contextlib.suppress(Exception):
            self._engine.kill(self._actor)


def _bytes(arg: bytes | Handle) -> bytes:
    return arg.data if isinstance(arg, Handle) else arg


class _Serving:
    """What an actor is."""

    def __init__(self, make: Make, number: int) -> None:
        self._worker = make(number)

    def call(self, method: str, *args: bytes) -> bytes:
        answer: bytes = getattr(self._worker, method)(*args)
        return answer
