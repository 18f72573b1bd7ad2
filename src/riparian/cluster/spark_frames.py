"""Rows of a Spark DataFrame as Arrow, partition by partition."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.ipc

__all__ = ["RESULT", "batches_in_order", "is_spark_frame", "partition_results", "query_of"]

#: The columns of what a partition gives: its number, and bytes.
RESULT = "part int, data binary"


def is_spark_frame(data: Any) -> bool:
    """Return whether data are a DataFrame of Spark, without importing Spark."""
    return any(
        base.__name__ == "DataFrame" and base.__module__.startswith("pyspark.sql")
        for base in type(data).__mro__
    )


def query_of(frame: Any) -> str:
    """Return the identity of the streaming query that a batch is from; "" if it is not known.

    It stays the same while the query keeps its checkpoint. Spark Connect does not tell it.
    """
    context = getattr(frame.sparkSession, "_sc", None)
    found = None if context is None else context.getLocalProperty("sql.streaming.queryId")
    return found or ""


def partition_results(frame: Any, work: Callable[[int, list[Any]], bytes | None]) -> Any:
    """Return a DataFrame with what a function makes of the rows of each partition.

    Parameters
    ----------
    frame : DataFrame
        The rows.
    work : callable
        Called on the executors with the number of a partition and its record batches; returns
        bytes, or None for no row. Partitions without rows are left out.
    """

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        part = _partition()
        found = [batch for batch in batches if batch.num_rows]
        data = work(part, found) if found else None
        if data is not None:
            yield _result(part, data)

    return frame.mapInArrow(run, RESULT)


def batches_in_order(frame: Any) -> Iterator[tuple[int, Any]]:
    """Give the record batches of a DataFrame with their partition, one partition after the other.

    Spark computes a partition when the one before it has been taken.
    """

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        part = _partition()
        for batch in batches:
            sink = pa.BufferOutputStream()
            with pa.ipc.new_stream(sink, batch.schema) as writer:
                writer.write_batch(batch)
            yield _result(part, sink.getvalue().to_pybytes())

    for row in frame.mapInArrow(run, RESULT).toLocalIterator():
        with pa.ipc.open_stream(bytes(row.data)) as reader:
            for batch in reader:
                yield row.part, batch


def _partition() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    return int(context.partitionId())


def _result(part: int, data: bytes) -> Any:
    columns = {"part": pa.array([part], pa.int32()), "data": pa.array([data], pa.binary())}
    return pa.RecordBatch.from_pydict(columns)
