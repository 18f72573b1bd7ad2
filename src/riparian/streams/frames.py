"""Streams of frames of pandas, polars or pyarrow."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from riparian.data.columns import Codes, Numbers
from riparian.data.table import read_table
from riparian.data.times import Times, kind_text
from riparian.streams.readers.blocks import BlockStream, PlacedBlock
from riparian.streams.readers.columns import Column, Columns, Kind, Selection, check_finite, objects
from riparian.streams.readers.faults import Faults

__all__ = ["from_frames"]


def from_frames(
    frames: Any,
    *,
    target: str | None = None,
    categorical: Collection[str] = (),
    drop: Collection[str] = (),
    n_rows: int | None = None,
    skip_bad_rows: bool = False,
) -> BlockStream:
    """Return a stream of frames, such as ``pandas.read_csv(path, chunksize=10_000)`` yields.

    Parameters
    ----------
    frames : frame or iterable of frames
        Frames of pandas, polars or pyarrow. Later frames may add or omit columns.
    target : str, optional
        The class column. By default the rows have no labels.
    categorical : collection of str, default=()
        Columns to read as text, whatever their type.
    drop : collection of str, default=()
        Columns to ignore.
    n_rows : int, optional
        Total number of rows, for the progress bar. Not needed for a single frame.
    skip_bad_rows : bool, default=False
        As for `open_stream`.

    Returns
    -------
    stream : BlockStream
        The stream.

    Examples
    --------
    >>> import pandas as pd
    >>> chunks = [pd.DataFrame({"age": [31, None], "happy": ["yes", "no"]})] * 3
    >>> [len(y) for X, y in from_frames(chunks, target="happy").blocks(100)]
    [2, 2, 2]
    """
    selection = Selection(target, frozenset(categorical), drop=frozenset(drop))
    stream = FrameStream(frames, selection, Faults(skip_bad_rows))
    if n_rows is not None:
        stream.n_rows = n_rows
    return stream


class FrameStream(BlockStream):
    """A stream of frames; see `from_frames`."""

    def __init__(self, frames: Any, selection: Selection, faults: Faults) -> None:
        super().__init__(f"{type(frames).__name__} of frames", selection, faults)
        if _is_frame(frames):
            self.name = type(frames).__name__
            self.n_rows = len(frames)
            frames = [frames]
        if not isinstance(frames, Iterable) or isinstance(frames, str | bytes | dict):
            raise TypeError(f"frames must be a frame or an iterable of them, got {frames!r:.60}")
        self._kinds: dict[str, Kind] = {}
        self._frames = iter(frames)
        first = next(self._frames, None)
        if first is not None:
            names = _names(first, 1)
            selection.check(names)
            self.names = selection.features(names)
            self._frames = chain([first], self._frames)

    def _blocks(self, size: int) -> Iterator[PlacedBlock]:
        for frame in self._frames:
            _names(frame, self._next_row)
            for start in range(0, len(frame), size):
                pandas = hasattr(frame, "iloc")
                stop = start + size
                yield self._block(frame.iloc[start:stop] if pandas else frame.slice(start, size))

    def _block(self, frame: Any) -> PlacedBlock:
        places = range(self._next_row, self._next_row + len(frame))
        names = _names(frame, places[0])
        if self.target is not None and self.target not in names:
            raise ValueError(f"row {places[0]}: the frame has no column {self.target!r}")
        known = set(self.names)
        self.names += [name for name in self._selection.features(names) if name not in known]
        table = read_table(_without(frame, [n for n in names if not self._selection.has(n)]))
        found = dict(zip(map(str, table.names or ()), table.columns, strict=True))
        X: Columns = {}
        for name in self._selection.features(names):
            X[name] = self._column(name, found[name], places)
        if self.target is None:
            return X, None, places
        return X, self._targets(frame, places), places

    def _column(self, name: str, column: Any, places: Sequence[int]) -> Any:
        if not isinstance(column, Codes) and column.uncertain:
            looks: Kind = "numeric" if isinstance(column, Numbers) else "categorical"
            self._kind(name, looks, places[0])
            known = list(column.values)
            return objects([column.uncertain.get(row, x) for row, x in enumerate(known)])
        if isinstance(column, Numbers) and column.times is not None:
            return self._times(name, column.times)
        if isinstance(column, Numbers):
            if column.first is None:
                return objects([None] * len(places))
            values = np.asarray(column.values, dtype=np.float64)
            check_finite(name, values, places, self._faults)
            if self._kind(name, "numeric", places[0]) == "numeric":
                return values
            return objects([_text(value) for value in values.tolist()])
        self._kind(name, "categorical", places[0])
        if isinstance(column, Codes):
            return objects([*map(str, column.values), None])[column.codes]
        return objects([_text(value) for value in column.values])

    def _times(self, name: str, times: Times) -> Times:
        if name in self._selection.categorical:
            raise ValueError(
                f"column {name!r}: {kind_text(times.kind)} cannot be categories; convert them to "
                f"text, or remove the column from categorical"
            )
        return times

    def _kind(self, name: str, looks: Kind, row: int) -> Kind:
        """Return the kind of a column, which its first values determine."""
        known = self._kinds.setdefault(name, self._selection.forced(name) or looks)
        if (known, looks) == ("numeric", "categorical"):
            raise ValueError(
                f"column {name!r}, row {row} or later: text in a column that was numeric; "
                f"to read the column as text, add it to categorical"
            )
        return known

    def _targets(self, frame: Any, places: Sequence[int]) -> Column:
        column = frame[self.target]
        # Not all libraries convert their columns implicitly.
        packed = hasattr(column, "to_pylist")
        values = np.asarray(column.to_pylist() if packed else column.to_numpy())
        if values.dtype.kind in "iub":
            return values
        labels = values.tolist()
        for i, label in enumerate(labels):
            if _is_missing(label):
                problem = "the label is missing; drop rows without a label"
                self._faults.add(places[i], f"column {self.target!r}, row {places[i]}: {problem}")
                labels[i] = 0 if values.dtype.kind == "f" else ""
        return np.array(labels) if values.dtype.kind == "f" else objects(labels)


def _is_missing(value: Any) -> bool:
    # pandas.NA cannot be compared; it is recognised by its type.
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def _text(value: Any) -> str | None:
    if _is_missing(value):
        return None
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _is_frame(value: Any) -> bool:
    return hasattr(value, "columns") and (hasattr(value, "iloc") or hasattr(value, "slice"))


def _names(frame: Any, row: int) -> list[str]:
    if not _is_frame(frame):
        raise TypeError(
            f"row {row}: frames must be of pandas, polars or pyarrow, got {type(frame).__name__}"
        )
    names = list(getattr(frame, "column_names", None) or frame.columns)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"row {row}: column names must be strings, got {name!r}")
    return names


def _without(frame: Any, names: list[str]) -> Any:
    if hasattr(frame, "iloc"):
        return frame.drop(columns=names)
    return frame.drop_columns(names) if hasattr(frame, "drop_columns") else frame.drop(names)
