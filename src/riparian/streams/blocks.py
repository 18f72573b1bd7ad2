"""What a stream that is read once is: blocks of columns and labels, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Self, TypeAlias

import numpy as np

from riparian.streams.columns import Column, Columns, Selection
from riparian.streams.faults import DamagedFileError, Faults
from riparian.streams.source import Source
from riparian.uncertain_pairs import join_pairs, pair_ends

__all__ = ["BlockStream", "FileStream", "PlacedBlock"]

#: The columns and labels of a block, and the number of each of its rows in the stream, from 1.
PlacedBlock: TypeAlias = tuple[Columns, Column | None, Sequence[int]]


class BlockStream:
    """Labelled rows in blocks, each read once and then forgotten.

    Attributes
    ----------
    name : str
        What messages call the stream.
    names : list of str
        The features' names, in their order. Some formats may add some on the way.
    target : str or None
        The column of the labels; None if the rows have none.
    n_rows : int or None
        Length of the stream, if it is known.
    n_bytes : int or None
        Size of the file, if it is one.
    row : int
        How many rows have been handed out.
    declared_categories : dict of str to list of str
        The categories that are declared for a feature; only ARFF files declare some.
    declared_classes : list of str or None
        The classes, where they are declared.
    places : sequence of int
        The numbers, from 1, of the rows of the last block; some are lacking where rows were
        skipped.
    """

    def __init__(self, name: str, selection: Selection, faults: Faults) -> None:
        self.name = name
        self.names: list[str] = []
        self.target = selection.target
        self.n_rows: int | None = None
        self.n_bytes: int | None = None
        self.row = 0
        self.declared_categories: dict[str, list[str]] = {}
        self.declared_classes: list[str] | None = None
        self.places: Sequence[int] = ()
        self._selection = selection
        self._faults = faults

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {len(self.names)} features)"

    @property
    def skipped(self) -> int:
        """How many rows could not be read and were left out."""
        return self._faults.n

    @property
    def first_fault(self) -> str | None:
        """What was wrong with the first row that was left out."""
        return self._faults.first

    def blocks(self, size: int = 10_000) -> Iterator[tuple[Columns, Column | None]]:
        """Read on, a block at a time.

        Parameters
        ----------
        size : int, default=10_000
            The most rows a block has.

        Yields
        ------
        X : dict of str to 1-D arrays
            float64 with NaN for a missing number, or str with None for a missing category.
        y : 1-D array or None
            The labels: int64 or str; None if the stream has no target.
        """
        if size < 1:
            raise ValueError(f"size must be at least 1, got {size}")
        for X, y, places in self._blocks(size):
            if self._selection.uncertain:
                X = self._joined(X, places)
            kept = self._faults.kept(places)
            if kept is not None:
                X = {name: column[kept] for name, column in X.items()}
                y = None if y is None else y[kept]
                places = np.asarray(places)[kept].tolist()
            self._faults.settle()
            self.places = places
            if len(places):
                self.row += len(places)
                yield X, y

    def _joined(self, X: Columns, places: Sequence[int]) -> Columns:
        """Give the columns with those of each uncertain feature joined."""
        feature_of: dict[str, str] = {}
        joined: Columns = {}
        for feature in self._selection.uncertain:
            ends = pair_ends(feature, X, "uncertain")
            parts = [f"{feature}.{end}" for end in ends]
            feature_of |= dict.fromkeys(parts, feature)
            joined[feature] = self._distributions_of(
                feature, ends, [X[name] for name in parts], places
            )
        found: Columns = {}
        for name, column in X.items():
            if name in feature_of:
                feature = feature_of[name]
                found.setdefault(feature, joined[feature])
            else:
                found[name] = column
        return found

    def _distributions_of(
        self, feature: str, ends: Sequence[str], columns: Sequence[Column], places: Sequence[int]
    ) -> Column:
        """Give the distributions that the columns of one feature make."""
        for end, column in zip(ends, columns, strict=True):
            if column.dtype != np.float64:
                name = f"{feature}.{end}"
                raise ValueError(f"column {name!r} must hold numbers, to be part of {feature!r}")

        def wrong(row: int, message: str) -> None:
            where = places[row]
            self._faults.add(where, f"column {feature!r}, row {where}: {message}")

        return join_pairs(ends, columns, wrong)

    @property
    def _next_row(self) -> int:
        """The number of the next row that is read."""
        return self.row + self._faults.n + 1

    def _blocks(self, size: int) -> Iterator[PlacedBlock]:
        raise NotImplementedError


class FileStream(BlockStream):
    """Labelled rows of a file; close it, or use it in a ``with`` statement."""

    def __init__(self, source: Source, selection: Selection, faults: Faults) -> None:
        super().__init__(source.name, selection, faults)
        self.n_bytes = source.n_bytes
        self._source = source

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._source.close()

    @property
    def bytes_read(self) -> int:
        """How much of `n_bytes` has been read."""
        return self._source.bytes_read

    def _refuse_damage(self, damage: DamagedFileError | None) -> None:
        """Say, after the last row that could be read, that the file goes no further."""
        if damage is not None:
            raise DamagedFileError(f"row {self._next_row}: {damage}")
