"""Write streams and predictions to CSV, TSV, JSON-lines, Parquet and Arrow files."""

from __future__ import annotations

import contextlib
import csv
import importlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np

from riparian.storage.outputs import open_output
from riparian.streams.stream import Stream

__all__ = ["TARGET", "TableWriter", "output_format", "write_stream"]

#: Name of the class column.
TARGET = "target"

_BLOCK = 10_000

_FORMATS = {
    "csv": (".csv", ""),
    "tsv": (".tsv", ".tab"),
    "jsonl": (".jsonl", ".ndjson"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".ipc", ".feather"),
    "arrows": (".arrows",),
}


def output_format(out: str) -> str:
    """Give the format of an output by its ending; without an ending it is CSV.

    Raises
    ------
    ValueError
        If the ending is not one of a format that can be written.

    Examples
    --------
    >>> output_format("loans.parquet"), output_format("-")
    ('parquet', 'csv')
    """
    ending = os.path.splitext(out)[1].lower()
    for form, endings in _FORMATS.items():
        if ending in endings:
            return form
    known = ", ".join(ending for endings in _FORMATS.values() for ending in endings if ending)
    raise ValueError(f"out must end in one of {known}, or be '-', got {out!r}")


class TableWriter:
    """Writes blocks of columns to a file, which appears when it is whole.

    Parameters
    ----------
    out : str
        The file; its ending names the format. ``-`` is CSV on standard output, where each block
        appears at once.
    types : mapping of str to type
        The columns and what they hold: float, int, bool or str. None and NaN are missing.
    """

    def __init__(self, out: str, types: Mapping[str, type]) -> None:
        self._form = output_format(out)
        self._out = out
        self._types = dict(types)
        self._file: Any = None
        self._writer: Any = None
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> Self:
        text = self._form in ("csv", "tsv", "jsonl")
        if self._out == "-":
            self._file = sys.stdout
        else:
            self._file = self._stack.enter_context(open_output(self._out, "w" if text else "wb"))
        if self._form in ("csv", "tsv"):
            delimiter = "\t" if self._form == "tsv" else ","
            self._writer = csv.writer(self._file, lineterminator="\n", delimiter=delimiter)
            self._writer.writerow(list(self._types))
        elif not text:
            self._writer = self._stack.enter_context(self._arrow_writer())
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.__exit__(*error)

    def write(self, columns: Mapping[str, Any]) -> None:
        """Write a block; its columns are arrays or lists in the order of the types."""
        if self._form in ("csv", "tsv"):
            texts = [_texts(columns[name], kind) for name, kind in self._types.items()]
            self._writer.writerows(zip(*texts, strict=True))
        elif self._form == "jsonl":
            values = [_values(columns[name], kind) for name, kind in self._types.items()]
            for row in zip(*values, strict=True):
                record = dict(zip(self._types, row, strict=True))
                self._file.write(json.dumps(record, ensure_ascii=False) + "\n")
        else:
            pa = importlib.import_module("pyarrow")
            arrays = [
                pa.array(_values(columns[name], kind), type=_arrow_type(pa, kind))
                for name, kind in self._types.items()
            ]
            self._writer.write_table(pa.Table.from_arrays(arrays, names=list(self._types)))
        if self._out == "-":
            self._file.flush()

    def _arrow_writer(self) -> Any:
        pa = importlib.import_module("pyarrow")
        schema = pa.schema([(name, _arrow_type(pa, kind)) for name, kind in self._types.items()])
        if self._form == "parquet":
            return importlib.import_module("pyarrow.parquet").ParquetWriter(self._file, schema)
        return (pa.ipc.new_file if self._form == "arrow" else pa.ipc.new_stream)(self._file, schema)


def write_stream(stream: Stream, out: str | os.PathLike[str], *, rows: int | None = None) -> None:
    """Write a stream to a file.

    The file is written atomically. Numbers are written so that reading them gives the same
    numbers. A missing value is an empty field, or a null.

    Parameters
    ----------
    stream : Stream
        The stream. The columns get the names of its features; the last column is the class,
        ``target``.
    out : path
        The ending names the format: CSV, TSV, JSON lines, Parquet or Arrow. ``-`` is CSV on
        standard output.
    rows : int, optional
        Number of rows to write. By default all rows; required if the stream is endless.

    Examples
    --------
    >>> from riparian.streams import stagger
    >>> write_stream(stagger(seed=1), "-", rows=2)
    size,color,shape,target
    large,red,triangular,0
    large,green,triangular,0
    """
    if rows is None and stream.n_rows is None:
        raise ValueError("rows must be given, because the stream is endless")
    if TARGET in stream.names:
        raise ValueError(f"a feature must not be named {TARGET!r}, which is the class column")
    types: dict[str, type] = {
        name: str if name in stream.categories else float for name in stream.names
    }
    kinds = set(map(type, stream.classes))
    types[TARGET] = kinds.pop() if len(kinds) == 1 else str
    with TableWriter(os.fspath(out), types) as writer:
        for columns in _columns(stream, rows):
            writer.write(columns)


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


def _values(column: Any, kind: type) -> list[Any]:
    """Values as Python has them; None is missing."""
    values: list[Any] = column.tolist() if isinstance(column, np.ndarray) else list(column)
    if kind is str:
        return [None if v is None else str(v) for v in values]
    return [None if v is None or v != v else v for v in values]


def _texts(column: Any, kind: type) -> list[Any]:
    """Values as CSV holds them; whole numbers without a point."""
    values = _values(column, kind)
    if kind is not float:
        return ["" if v is None else v for v in values]
    return [
        "" if v is None else int(v) if v.is_integer() and abs(v) < 2**53 else repr(v)
        for v in values
    ]


def _arrow_type(pa: Any, kind: type) -> Any:
    types = {float: pa.float64(), int: pa.int64(), bool: pa.bool_()}
    return types.get(kind, pa.string())
