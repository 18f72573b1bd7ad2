"""The partitions of a Spark DataFrame as the crew of PLANET."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from riparian.cluster.batch_rows import Facts, piece_of
from riparian.cluster.planet_worker import PlanetWorker
from riparian.cluster.spark_frames import partition_results

__all__ = ["SparkCrew"]


class SparkCrew:
    """A worker for each partition that has rows, kept by Spark.

    A worker follows from the rows and from the messages that `prepare` was given, so Spark makes it
    again if it is lost. Sums are taken by ``treeAggregate``: whole numbers, in whatever order.

    Parameters
    ----------
    frame : DataFrame
        The rows.
    target : str
        The column of the classes.
    """

    def __init__(self, frame: Any, target: Any) -> None:
        if not isinstance(target, str):
            raise TypeError(f"target must name the column of the classes, got {target!r}")
        if target not in frame.columns:
            raise ValueError(f"the rows have no column {target!r}")
        if not hasattr(frame, "sparkSession") or not hasattr(frame.sparkSession, "_sc"):
            raise ValueError("Spark Connect has no treeAggregate: use a session of Spark itself")
        self.workers = 0
        self._context = frame.sparkSession.sparkContext
        self._numbers: list[int] = []

        def read(part: int, batches: list[Any]) -> bytes:
            return pickle.dumps([piece_of(pa.Table.from_batches(batches), target)])

        def load(row: Any) -> tuple[int, PlanetWorker, bytes]:
            worker = PlanetWorker(row.part)
            return row.part, worker, worker.load(bytes(row.data))

        self._rows: Any = partition_results(frame, read).rdd.map(load)
        self._kept: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._kept is not None:
            self._kept.unpersist()

    def load(self) -> list[list[Facts]]:
        """Read the rows."""
        self._keep(self._rows)
        found = sorted(self._kept.map(lambda own: (own[0], own[2])).collect())
        if not found:
            raise ValueError("a batch tree needs rows")
        self._numbers = [part for part, _ in found]
        self.workers = len(found)
        return [pickle.loads(facts) for _, facts in found]

    def prepare(self, method: str, messages: Sequence[bytes]) -> list[bytes]:
        """Call every worker, and keep the workers as they are then."""
        by_part = self._shared(messages)

        def call(own: tuple[int, PlanetWorker, bytes]) -> tuple[int, PlanetWorker, bytes]:
            part, worker, _ = own
            answer: bytes = getattr(worker, method)(by_part.value[part])
            return part, worker, answer

        before = self._kept
        self._keep(before.map(call))
        answers = sorted(self._kept.map(lambda own: (own[0], own[2])).collect())
        before.unpersist()
        return [answer for _, answer in answers]

    def each(self, method: str, messages: Sequence[bytes]) -> list[bytes]:
        """Call every worker with its message."""
        by_part = self._shared(messages)

        def call(own: tuple[int, PlanetWorker, bytes]) -> tuple[int, bytes]:
            return own[0], getattr(own[1], method)(by_part.value[own[0]])

        found = sorted(self._kept.map(call).collect())
        by_part.unpersist()
        return [answer for _, answer in found]

    def total(self, method: str, message: bytes) -> NDArray[np.uint64]:
        """Call every worker with one message, and add the numbers that they give."""
        sent = self._context.broadcast(message)

        def add(sum_: Any, own: tuple[int, PlanetWorker, bytes]) -> Any:
            return _added(sum_, np.frombuffer(getattr(own[1], method)(sent.value), np.uint64))

        found: NDArray[np.uint64] = self._kept.treeAggregate(None, add, _added)
        sent.unpersist()
        return found

    def some(self, method: str, messages: Sequence[bytes]) -> list[bytes]:
        """Call any workers, each message once."""

        def call(message: bytes) -> bytes:
            answer: bytes = getattr(PlanetWorker(0), method)(message)
            return answer

        if not messages:
            return []
        found: list[bytes] = self._context.parallelize(messages, len(messages)).map(call).collect()
        return found

    def _keep(self, workers: Any) -> None:
        from pyspark import StorageLevel

        self._kept = workers.persist(StorageLevel.MEMORY_AND_DISK)

    def _shared(self, messages: Sequence[bytes]) -> Any:
        return self._context.broadcast(dict(zip(self._numbers, messages, strict=True)))


def _added(a: Any, b: Any) -> Any:
    """Add two tables; None is none."""
    if a is None or b is None:
        return b if a is None else a
    return a + b
