"""Streams that are read once: blocks of columns and labels, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from riparian.data.block import Block
from riparian.data.times import Times
from riparian.data.uncertain_pairs import join_pairs, pair_ends
from riparian.streams.readers.columns import Column, Columns, Selection
from riparian.streams.readers.faults import Faults

__all__ = ["BlockStream", "PlacedBlock", "joined_pairs"]

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
        self.places: Sequence[int] | NDArray[np.int64] = ()
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

    def blocks(self, size: int = 10_000) -> Iterator[tuple[Mapping[str, Column], Column | None]]:
        """Read on, a block at a time.

        Parameters
        ----------
        size : int, default=10_000
            The most rows a block has.

        Yields
        ------
        X : dict of str to 1-D arrays
            float64 with NaN for a missing number, or str with None for a missing category. Dates
            and times are float64 too: their seconds.
        y : 1-D array or None
            The labels: int64 or str; None if the stream has no target.
        """
        if size < 1:
            raise ValueError(f"size must be at least 1, got {size}")
        for X, y, places in self._blocks(size):
            if self._selection.uncertain:
                X = joined_pairs(X, self._selection.uncertain, places, self._faults)
            kept = self._faults.kept(places)
            if kept is not None:
                X = {name: column[kept] for name, column in X.items()}
                y = None if y is None else y[kept]
                places = np.asarray(places)[kept].tolist()
            self._faults.settle()
            self.places = places
            if len(places):
                self.row += len(places)
                dated = any(isinstance(column, Times) for column in X.values())
                yield Block(dict(X), len(places)) if dated else X, y

    @property
    def _next_row(self) -> int:
        """The number of the next row that is read."""
        return self.row + self._faults.n + 1

    def _blocks(self, size: int) -> Iterator[PlacedBlock]:
        raise NotImplementedError(f"{type(self).__name__} must define _blocks")


def joined_pairs(
    X: Mapping[str, Column], uncertain: Sequence[str], places: Sequence[int], faults: Faults
) -> Columns:
    """Give the columns with those of each uncertain feature joined."""
    feature_of: dict[str, str] = {}
    joined: Columns = {}
    for feature in uncertain:
        ends = pair_ends(feature, X, "uncertain")
        parts = [f"{feature}.{end}" for end in ends]
        feature_of |= dict.fromkeys(parts, feature)
        joined[feature] = _distributions(feature, ends, [X[n] for n in parts], places, faults)
    found: Columns = {}
    for name, column in X.items():
        feature = feature_of.get(name, name)
        found.setdefault(feature, joined.get(feature, column))
    return found


def _distributions(
    feature: str,
    ends: Sequence[str],
    columns: Sequence[Column],
    places: Sequence[int],
    faults: Faults,
) -> Column:
    """Give the distributions that the columns of one feature make."""
    for end, column in zip(ends, columns, strict=True):
        if column.dtype != np.float64:
            name = f"{feature}.{end}"
            raise ValueError(f"column {name!r} must hold numbers, to be part of {feature!r}")

    def wrong(row: int, message: str) -> None:
        where = places[row]
        faults.add(where, f"column {feature!r}, row {where}: {message}")

    return join_pairs(ends, columns, wrong)
