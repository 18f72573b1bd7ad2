"""How many names a model keeps: the limits of its features, categories and memory.

Names are admitted in the order of their first appearance, row by row. So the rules depend on the
names seen so far and on nothing else.
"""

from __future__ import annotations

import heapq
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.data.identifiers import Verdict, Watch, verdicts_of
from riparian.data.values import OTHER, Name

__all__ = ["Coded", "Limits", "admit", "memory_of", "size_of_categories", "size_of_feature"]

#: What a name costs at most in addition to its own object: its entries in the tables of the schema.
_OF_FEATURE = 512
_OF_CATEGORY = 144


class Limits(NamedTuple):
    """The limits of the names of a model.

    Attributes
    ----------
    max_categories : int
        Largest number of categories of a feature that have names of their own.
    max_features : int
        Largest number of features, apart from those of the first row.
    max_bytes : int or None
        The memory limit of the model.
    watches : bool
        Whether trees do not cut a feature that may be an identifier.
    parts : int
        One of this many parts of `max_bytes` is for the names of features, and one for those of
        categories.
    """

    max_categories: int = _core.MAX_CATEGORIES
    max_features: int = _core.MAX_FEATURES
    max_bytes: int | None = None
    watches: bool = True
    parts: int = 8

    @property
    def share(self) -> int | None:
        """Bytes for the names of features, and as many for those of categories."""
        return None if self.max_bytes is None else self.max_bytes // self.parts


@dataclass(slots=True)
class Coded:
    """A categorical column as codes, and the names that it adds.

    Attributes
    ----------
    codes : ndarray of shape (n_rows,)
        The codes of the rows, -1 for a missing value or a distribution.
    added : list
        New categories by their codes, from `known` on. The last one may be OTHER.
    known : int
        The number of codes before the batch.
    cells : ndarray
        The codes of the points of distributions, row by row.
    cell_rows : ndarray
        The rows of these points.
    other : int
        The code of OTHER before the batch, or -1.
    watch, after : Watch or None
        What is known about a possible identifier, before the batch and after it.
    verdicts : list of Verdict
        What the batch settles about it.
    """

    codes: NDArray[np.int32]
    added: list[Hashable]
    known: int
    cells: NDArray[np.int32]
    cell_rows: NDArray[np.intp]
    other: int = -1
    watch: Watch | None = None
    verdicts: list[Verdict] = field(default_factory=list)
    after: Watch | None = None

    def first_rows(self) -> NDArray[np.intp]:
        """Return the row in which each new category first appears."""
        codes = np.concatenate([self.codes, self.cells])
        rows = np.concatenate([np.arange(len(self.codes)), self.cell_rows])
        found = np.full(len(self.added), len(self.codes), dtype=np.intp)
        new = codes >= self.known
        np.minimum.at(found, codes[new] - self.known, rows[new])
        return found

    def close(self, at: int) -> None:
        """Let all new categories from the one at this place on be OTHER."""
        for codes in (self.codes, self.cells):
            np.minimum(codes, self.known + at, out=codes)
        self.added = [*self.added[:at], OTHER]

    def judge(self) -> None:
        """Find out whether the feature is an identifier."""
        if self.watch is None:
            return
        other = self.other_code
        if not len(self.cell_rows):
            self.verdicts, self.after = verdicts_of(self.watch, self.codes, self.known, other)
            return
        # A feature with distributions is no identifier.
        row = int(self.cell_rows[0])
        self.verdicts, self.after = verdicts_of(self.watch, self.codes[:row], self.known, other)
        if self.leaves is None and self.after is not None:
            self.verdicts.append(Verdict(row, None))
            self.after = None

    def drop_from(self, row: int) -> None:
        """Let all values from a row on be missing."""
        self.codes[row:] = -1
        kept = self.cell_rows < row
        self.cells, self.cell_rows = self.cells[kept], self.cell_rows[kept]

    @property
    def other_code(self) -> int:
        """The code of OTHER, or -1."""
        brings = self.added and self.added[-1] is OTHER
        return self.known + len(self.added) - 1 if brings else self.other

    @property
    def leaves(self) -> int | None:
        """The row from which on an identifier is left out; None if it is none."""
        found = self.after is not None and self.after.left_out and self.verdicts
        return self.verdicts[-1].row if found else None

    def finish(self) -> None:
        """Leave an identifier out: its later values are missing and add no names."""
        row = self.leaves
        if row is None:
            return
        self.drop_from(row)
        del self.added[max(0, int(self.codes[:row].max(initial=-1)) + 1 - self.known) :]


def memory_of(value: object) -> int:
    """Return the memory of a Python object, rounded up to 16 bytes as the allocators do.

    Small integers and booleans are shared and count as 0.
    """
    if isinstance(value, int) and -5 <= value <= 256:
        return 0
    size = sys.getsizeof(value)
    return (size + (8 if size > 512 else 0) + 15) // 16 * 16


def size_of_feature(name: Name) -> int:
    """Return the bytes that the name of a feature needs at most."""
    return _OF_FEATURE + memory_of(name)


def size_of_categories(values: Iterable[Hashable]) -> int:
    """Return the bytes that the names of categories need at most."""
    return sum(_OF_CATEGORY + memory_of(value) for value in values if value is not OTHER)


def admit(
    columns: Mapping[int, Coded], sizes: Callable[[], dict[int, int]], limits: Limits
) -> None:
    """Decide which new categories of a batch get names, and which features are identifiers.

    Parameters
    ----------
    columns : mapping
        The categorical columns by the positions of their features. They are changed.
    sizes : callable
        Returns the bytes of the categories of all features before the batch, by position; see
        `size_of_categories`.
    limits : Limits
        The limits of the model.
    """
    for column in columns.values():
        column.judge()
    if limits.share is not None and any(column.added for column in columns.values()):
        _fit(columns, sizes(), limits.share)
    for column in columns.values():
        column.finish()


def _fit(columns: Mapping[int, Coded], sizes: dict[int, int], share: int) -> None:
    """Admit new categories, row by row, while their names fit into `share` bytes."""
    total = sum(sizes.values())
    # Row, 0 where an identifier leaves or 1 for a name, position, place among the new names.
    events = [
        (row, 1, place, i)
        for place, column in columns.items()
        for i, row in enumerate(column.first_rows().tolist())
    ]
    events += [(c.leaves, 0, place, 0) for place, c in columns.items() if c.leaves is not None]
    heapq.heapify(events)
    while events:
        row, is_name, place, i = heapq.heappop(events)
        column = columns[place]
        leaves = column.leaves
        if not is_name:
            if leaves == row and column.after is not None and not column.after.cut:
                total -= sizes.pop(place, 0)
            continue
        if i >= len(column.added) or column.added[i] is OTHER:
            continue
        if leaves is not None and row >= leaves:
            continue
        size = size_of_categories([column.added[i]])
        if total + size <= share:
            sizes[place] = sizes.get(place, 0) + size
            total += size
            continue
        column.close(i)
        column.judge()
        if column.leaves is not None:
            heapq.heappush(events, (column.leaves, 0, place, 0))
