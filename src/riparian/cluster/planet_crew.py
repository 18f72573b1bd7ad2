"""Who counts for PLANET: the workers of a pool, or the partitions of a Spark DataFrame."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from riparian.cluster.batch_rows import Facts, pieces_of
from riparian.cluster.crew import PoolCrew
from riparian.cluster.planet_worker import PlanetWorker
from riparian.cluster.pool import Pool
from riparian.cluster.spark_crew import SparkCrew
from riparian.cluster.spark_frames import is_spark_frame
from riparian.cluster.thread_pool import threads

__all__ = ["Crew", "Tables", "crew_of"]

Tables = NDArray[np.uint64]


class Crew(Protocol):
    """Workers of PLANET: those of a pool, or the partitions of a Spark DataFrame."""

    workers: int

    def load(self) -> list[list[Facts]]:
        """Read the rows; return what is to be known about the pieces of each worker."""

    def prepare(self, method: str, messages: Sequence[bytes]) -> list[bytes]:
        """Call every worker with its message; what it then keeps outlives it."""

    def each(self, method: str, messages: Sequence[bytes]) -> list[bytes]:
        """Call every worker with its message."""

    def total(self, method: str, message: bytes) -> Tables:
        """Call every worker with one message; return the sum of the numbers that they give."""

    def some(self, method: str, messages: Sequence[bytes]) -> list[bytes]:
        """Deal messages over the workers."""


@contextmanager
def crew_of(data: Any, target: Any, pool: Pool | None) -> Iterator[Crew]:
    """Give the crew for some rows; None makes a pool of threads."""
    if is_spark_frame(data):
        if pool is not None:
            raise ValueError("the executors of Spark read a Spark DataFrame: leave out pool")
        with SparkCrew(data, target) as of_spark:
            yield of_spark
        return
    pieces = pieces_of(data, target)
    with threads() if pool is None else nullcontext(pool) as used:
        yield _Loading(used, pieces)


class _Loading(PoolCrew):
    """The workers of a pool, and the pieces that they read."""

    def __init__(self, pool: Pool, pieces: Sequence[Any]) -> None:
        super().__init__(pool, PlanetWorker)
        self._pieces = pieces

    def load(self) -> list[list[Facts]]:
        # Each worker has pieces that follow each other.
        edges = np.linspace(0, len(self._pieces), self.workers + 1).astype(int)
        shares = [list(self._pieces[a:b]) for a, b in itertools.pairwise(edges)]
        answers = self.prepare("load", [pickle.dumps(share) for share in shares])
        return [pickle.loads(answer) for answer in answers]

    def total(self, method: str, message: bytes) -> Tables:
        found: Tables | None = None
        for answer in self.each(method, [message] * self.workers):
            own = np.frombuffer(answer, np.uint64)
            found = own if found is None else found + own
        assert found is not None
        return found
