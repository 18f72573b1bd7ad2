"""Rows in memory that are learned in rounds: arrays, frames and tables of Arrow."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from riparian.cluster.batch_rows import table_and_labels
from riparian.cluster.dealing import check_workers
from riparian.cluster.evaluation import steps
from riparian.cluster.pool import Pool
from riparian.cluster.shards import check_shards
from riparian.data.labels import read_labels
from riparian.evaluate.learners import n_rows_of, rows_of
from riparian.evaluate.results import Result
from riparian.models.base import StreamClassifier
from riparian.sources.status import Status

__all__ = ["TableLearner"]


class _Table:
    """Rows and labels as a stream."""

    def __init__(self, X: Any, y: Any) -> None:
        self.n_rows = n_rows_of(X)
        self._X, self._y = X, read_labels(y, self.n_rows)

    def blocks(self, size: int) -> Iterator[tuple[Any, Any]]:
        """Iterate over blocks of rows."""
        for start in range(0, self.n_rows, size):
            stop = min(self.n_rows, start + size)
            yield rows_of(self._X, start, stop), self._y[start:stop]


class TableLearner:
    """Learns rows that are in memory, without a checkpoint.

    Parameters
    ----------
    model : StreamClassifier
        The model, which learns.
    data, target
        The rows; and their labels, or the name of the column that has them.
    pool : Pool
        The workers.
    shards, alone, block : int
        The number of shards, how many first rows are learned alone, and how many rows are taken at
        once.
    rows : int or None
        Stop after this many rows.
    """

    def __init__(
        self,
        model: StreamClassifier[Any],
        data: Any,
        target: Any,
        pool: Pool,
        *,
        shards: int,
        alone: int,
        block: int,
        rows: int | None,
    ) -> None:
        check_workers(model)
        self.model = model
        self.result = Result()
        self.status = Status()
        table = _Table(*table_and_labels(data, target))
        self._steps = steps(
            *(model, table, self.result, pool),
            shards=check_shards(shards),
            alone=alone,
            block=block,
            rows=rows,
        )
        self._stopped = threading.Event()

    @property
    def rows(self) -> int:
        """How many rows were learned."""
        return self.result.n

    def stop(self) -> None:
        """Ask for an end after the round."""
        self._stopped.set()

    def run(self) -> None:
        """Learn all rows."""
        for _ in self._steps:
            self.status.counters |= {"messages": self.rows, "learned": self.rows}
            if self._stopped.is_set():
                return
