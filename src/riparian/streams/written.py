"""Streams to files: CSV, or Parquet with pyarrow."""

from __future__ import annotations

import csv
import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np

from riparian.outputs import open_output
from riparian.streams.stream import Stream

__all__ = ["TARGET", "write_stream"]

#: The column of the classes.
TARGET = "target"

_BLOCK = 10_000


def write_stream(stream: Stream, out: str | os.PathLike[str], *, rows: int | None = None) -> None:
    """Write a stream to a file, which appears when it is whole, or to a device or a FIFO.

    Parameters
    ----------
    stream : Stream
        Its names are the columns' names; the classes are the column ``target``, the last one.
    out : path
        By its ending ``.csv`` or ``.parquet``; ``-`` is CSV on standard output. Numbers are written
        so that reading them gives the same numbers. A missing value is an empty field, or a null.
    rows : int, optional
        By default all; needed where a stream is endless.

    Examples
    --------
    >>> from riparian.streams import stagger
    >>> write_stream(stagger(seed=1), "-", rows=2)
    size,color,shape,target
    large,red,triangular,0
    large,green,triangular,0
    """
    if rows is None and stream.n_rows is None:
        raise ValueError("the stream is endless: give rows")
    if TARGET in stream.names:
        raise ValueError(f"a feature is called {TARGET!r}, which is the column of the classes")
    text = os.fspath(out)
    ending = os.path.splitext(text)[1].lower()
    if text == "-" or ending == ".csv":
        with nullcontext(sys.stdout) if text == "-" else open_output(out, "w") as file:
            lines = csv.writer(file, lineterminator="\n")
            lines.writerow([*stream.names, TARGET])
            for columns in _columns(stream, rows):
                lines.writerows(zip(*map(_texts, columns.values()), strict=True))
    elif ending in (".parquet", ".pq"):
        _write_parquet(stream, text, rows)
    else:
        raise ValueError(f"out must end in .csv or .parquet, or be '-', got {text!r}")


def _columns(stream: Stream, rows: int | None) -> Iterator[dict[str, Any]]:
    """Blocks of columns, categories and classes by their names."""
    classes = _words(stream.classes)
    left = stream.n_rows if rows is None else rows
    assert left is not None
    for X, y in stream.blocks(min(_BLOCK, left)):
        n = min(len(y), left)
        columns: dict[str, Any] = {name: X[:n, i] for i, name in enumerate(stream.names)}
        for name, listed in stream.categories.items():
            # One more word, at -1, for a missing category.
            codes = np.where(np.isnan(columns[name]), -1, columns[name]).astype(np.intp)
            columns[name] = _words([*listed, None])[codes]
        columns[TARGET] = classes[y[:n]]
        yield columns
        left -= n
        if not left:
            return


def _words(values: Any) -> Any:
    words = np.empty(len(values), dtype=object)
    words[:] = values
    return words


def _texts(column: Any) -> list[Any]:
    """Values as CSV holds them; whole numbers without a point."""
    values: list[Any] = column.tolist()
    if column.dtype == object:
        return values
    return [
        "" if v != v else int(v) if v.is_integer() and abs(v) < 2**53 else repr(v) for v in values
    ]


def _write_parquet(stream: Stream, out: str, rows: int | None) -> None:
    try:
        pa = importlib.import_module("pyarrow")
        parquet = importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise ImportError("a Parquet file needs pyarrow: pip install 'riparian[arrow]'") from None
    writer = None
    with open_output(out, "wb") as file:
        for columns in _columns(stream, rows):
            table = pa.table({name: _arrow(pa, column) for name, column in columns.items()})
            if writer is None:
                writer = parquet.ParquetWriter(file, table.schema)
            writer.write_table(table)
        if writer is None:
            raise ValueError("the stream has no rows")
        writer.close()


def _arrow(pa: Any, column: Any) -> Any:
    return pa.array(column, from_pandas=True, type=None if column.dtype == object else pa.float64())
