"""A block of a stream: named columns in which categories stay codes until someone looks at them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from riparian.data.times import Times

__all__ = ["Block", "Coded", "Stored", "joined"]


@dataclass(frozen=True)
class Coded:
    """Categories as codes into a list of values; -1 is missing. A value may be listed twice."""

    codes: NDArray[np.int32]
    values: list[Any]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> Coded:
        return Coded(self.codes[rows], self.values)

    def objects(self) -> NDArray[Any]:
        """Give each row its value; None is missing."""
        values = np.empty(len(self.values) + 1, dtype=object)
        values[:-1] = self.values
        return values[self.codes]  # code -1 reads the last entry: missing


#: A column as it is kept: numbers, or objects, or codes, or dates and times.
Stored: TypeAlias = NDArray[Any] | Coded | Times


class Block(Mapping[str, NDArray[Any]]):
    """Columns by name, as arrays: float64, or objects for categories. Dates are seconds.

    A model reads `stored`, in which categories are codes and dates are known as such. An array of
    objects is only made when a column is looked up.
    """

    def __init__(self, stored: dict[str, Stored], n_rows: int) -> None:
        self.stored = stored
        self.n_rows = n_rows

    def __getitem__(self, name: str) -> NDArray[Any]:
        return _array(self.stored[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self.stored)

    def __len__(self) -> int:
        return len(self.stored)

    def __repr__(self) -> str:
        return repr(dict(self))

    def rows(self, which: Any) -> Block:
        """Give the rows of a slice or of a mask."""
        stored: dict[str, Stored] = {name: c[which] for name, c in self.stored.items()}
        n = len(range(self.n_rows)[which]) if isinstance(which, slice) else int(which.sum())
        return Block(stored, n)


def _array(column: Stored) -> NDArray[Any]:
    if isinstance(column, Coded):
        return column.objects()
    return column.seconds if isinstance(column, Times) else column


def joined(blocks: Sequence[Block]) -> Block:
    """Give blocks as one; a column that some of them lack is missing in their rows."""
    if len(blocks) == 1:
        return blocks[0]
    names = dict.fromkeys(name for block in blocks for name in block)
    stored = {name: _joined([block.stored.get(name) for block in blocks], blocks) for name in names}
    return Block(stored, sum(block.n_rows for block in blocks))


def _joined(columns: Sequence[Stored | None], blocks: Sequence[Block]) -> Stored:
    known = [column for column in columns if column is not None]
    if all(isinstance(column, Coded) for column in known):
        values: list[Any] = []
        parts: list[NDArray[np.int32]] = []
        for column, block in zip(columns, blocks, strict=True):
            if not isinstance(column, Coded):
                parts.append(np.full(block.n_rows, -1, dtype=np.int32))
                continue
            parts.append(np.where(column.codes < 0, -1, column.codes + len(values)))
            values += column.values
        return Coded(np.concatenate(parts).astype(np.int32, copy=False), values)
    if any(isinstance(column, Times) for column in known):
        return _joined_times(columns, blocks)
    numeric = all(not isinstance(c, Coded) and _array(c).dtype == np.float64 for c in known)
    arrays: list[NDArray[Any]] = []
    for column, block in zip(columns, blocks, strict=True):
        if column is None:
            lacking = np.full(block.n_rows, np.nan if numeric else None)
            arrays.append(lacking if numeric else lacking.astype(object))
        else:
            arrays.append(_array(column))
    return np.concatenate(arrays)


def _joined_times(columns: Sequence[Stored | None], blocks: Sequence[Block]) -> Times:
    """Join dates and times, all of one kind; where they are absent, they are missing."""
    times = [column for column in columns if isinstance(column, Times)]
    seconds = [
        column.seconds if isinstance(column, Times) else np.full(block.n_rows, np.nan)
        for column, block in zip(columns, blocks, strict=True)
    ]
    local = None
    if any(column.local is not None for column in times):
        local = np.concatenate(
            [
                column.clock if isinstance(column, Times) else absent
                for column, absent in zip(columns, seconds, strict=True)
            ]
        )
    return Times(np.concatenate(seconds), times[0].kind, local)
