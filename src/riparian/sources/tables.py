"""Sources whose messages are rows of record batches: Parquet, Arrow and generated streams."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from riparian.sources.line_file import head_digest
from riparian.sources.source import Chunk, EndOfSource, GapError, Lag, Position, Start
from riparian.streams.names import open_named
from riparian.streams.stream import CHUNK_ROWS

__all__ = ["TARGET", "GeneratedSource", "TableSource"]

#: The column of the classes of a generated stream.
TARGET = "class"


class _RowSource:
    """Record batches of one partition, whose position is the number of rows before it."""

    replayable = True

    def __init__(self, name: str) -> None:
        self.name = name
        self.identity: Mapping[str, str] = {}
        self._row = 0
        self._batch: Any = None
        self._batches: Iterator[Any] | None = None

    def _from_row(self, row: int) -> Iterator[Any]:
        """Give the record batches from a row on."""
        raise NotImplementedError(f"{type(self).__name__} must define _from_row")

    def _n_rows(self) -> int | None:
        """Return the number of rows; None if there is no end."""
        raise NotImplementedError(f"{type(self).__name__} must define _n_rows")

    def open(self, positions: Mapping[str, Position], start: Start) -> None:
        if start != "beginning":
            raise ValueError(f"{self.name} can only be read from its beginning, got {start!r}")
        self.seek(self.name, positions.get(self.name, {"row": 0}))

    def seek(self, partition: str, position: Position) -> None:
        row, n = int(position["row"]), self._n_rows()
        if n is not None and n < row:
            raise GapError(
                f"{self.name} was read up to row {row:,} and has only {n:,} rows now",
                partition=self.name,
                resume={"row": n},
            )
        self._row, self._batch, self._batches = row, None, self._from_row(row)

    def poll(self, most: int, timeout: float) -> Chunk | None:
        if self._batches is None:
            raise ValueError("the source is not open")
        while self._batch is None or not self._batch.num_rows:
            self._batch = next(self._batches, None)
            if self._batch is None:
                raise EndOfSource
        first, found = self._row, self._batch.slice(0, most)
        self._batch = self._batch.slice(found.num_rows)
        self._row += found.num_rows
        places = range(first + 1, self._row + 1)
        return Chunk(self.name, {"row": first}, {"row": self._row}, found, places=places)

    def behind(self) -> Mapping[str, Lag]:
        n = self._n_rows()
        return {} if n is None else {self.name: Lag(messages=n - self._row)}

    def committed(self, positions: Mapping[str, Position]) -> None:
        """Do nothing: the rows stay."""

    def close(self) -> None:
        self._batches = self._batch = None


class TableSource(_RowSource):
    """The rows of a Parquet or Arrow file.

    Parameters
    ----------
    path : str
        The file.
    form : {'parquet', 'arrow'}
        Its format.
    """

    def __init__(self, path: str, form: str) -> None:
        super().__init__(os.path.abspath(path))
        self._form = form
        self._count: int | None = None

    def open(self, positions: Mapping[str, Position], start: Start) -> None:
        size = os.path.getsize(self.name)
        # The rows before a position must not change. These formats are written once, as a whole.
        self.identity = {"head": head_digest(self.name, size)}
        super().open(positions, start)

    def _n_rows(self) -> int | None:
        if self._form == "parquet" and self._count is None:
            self._count = pyarrow.parquet.ParquetFile(self.name).metadata.num_rows
        return self._count

    def _from_row(self, row: int) -> Iterator[Any]:
        batches = self._parquet() if self._form == "parquet" else self._arrow()
        for batch in batches:
            if row >= batch.num_rows:
                row -= batch.num_rows
                continue
            yield batch.slice(row)
            row = 0
        if row:
            raise GapError(
                f"{self.name} has {row:,} rows fewer than were read from it",
                partition=self.name,
                resume={"row": self._row - row},
            )

    def _parquet(self) -> Iterator[Any]:
        yield from pyarrow.parquet.ParquetFile(self.name, pre_buffer=False).iter_batches(
            batch_size=10_000, use_threads=False
        )

    def _arrow(self) -> Iterator[Any]:
        with open(self.name, "rb") as file:
            if file.peek(6)[:6] == b"ARROW1":
                whole = pa.ipc.open_file(file)
                for number in range(whole.num_record_batches):
                    yield whole.get_batch(number)
            else:
                yield from pa.ipc.open_stream(file)


class GeneratedSource(_RowSource):
    """The rows of a generator such as ``synth:sea?seed=3``; the column ``class`` has the classes.

    Parameters
    ----------
    address : str
        The name of the stream, as for `riparian run`.
    """

    def __init__(self, address: str) -> None:
        super().__init__(address)
        self._stream = open_named(address)
        self.identity = {"stream": hashlib.sha256(repr(self._stream).encode()).hexdigest()[:32]}

    def _n_rows(self) -> int | None:
        return self._stream.n_rows

    def _from_row(self, row: int) -> Iterator[Any]:
        number, skip = divmod(row, CHUNK_ROWS)
        while True:
            X, y = self._stream.chunk(number)
            if not len(y):
                return
            yield self._batch_of(X[skip:], y[skip:])
            number, skip = number + 1, 0

    def _batch_of(self, X: Any, y: Any) -> Any:
        stream = self._stream
        columns = {}
        for i, name in enumerate(stream.names):
            values = np.ascontiguousarray(X[:, i])
            if name in stream.categories:
                missing = np.isnan(values)
                codes = pa.array(np.where(missing, 0, values).astype(np.int32), mask=missing)
                words = pa.array(stream.categories[name])
                columns[name] = pa.DictionaryArray.from_arrays(codes, words)
            else:
                columns[name] = pa.array(values)
        columns[TARGET] = pa.array(stream.classes).take(pa.array(y))
        return pa.RecordBatch.from_pydict(columns)
