"""Rows that cannot be read: an error at once, or counted and left out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["DamagedFileError", "Faults", "place"]


class DamagedFileError(ValueError):
    """A compressed file is damaged or ends too early: nothing after that place can be read."""


class Faults:
    """What happens to a row that cannot be read.

    Parameters
    ----------
    skip : bool
        Whether it is counted and left out; otherwise it is an error.

    Attributes
    ----------
    n : int
        Rows left out in the blocks that are done.
    first : str or None
        What was wrong with the first of them.
    """

    def __init__(self, skip: bool) -> None:
        self.skip = skip
        self.n = 0
        self.first: str | None = None
        self._open: dict[int, str] = {}

    def add(self, row: int, message: str) -> None:
        """Take in a row that is wrong, whose number begins the message or follows its column."""
        if not self.skip:
            raise ValueError(message)
        self._open.setdefault(row, message)

    def count(self, message: str) -> None:
        """Count a row that was left out, with what was wrong with it."""
        if self.first is None:
            self.first = message
        self.n += 1

    @property
    def messages(self) -> dict[int, str]:
        """What is wrong with each row of the block that is not done, by its number."""
        return self._open

    def kept(self, places: Sequence[int]) -> NDArray[np.bool_] | None:
        """Say which of the rows at these places are right; None is all of them."""
        if not self._open:
            return None
        return np.array([row not in self._open for row in places], dtype=bool)

    def settle(self) -> None:
        """Count the rows of a block that is done."""
        if self._open:
            if self.first is None:
                self.first = self._open[min(self._open)]
            self.n += len(self._open)
            self._open.clear()

    def __bool__(self) -> bool:
        return bool(self._open)


def place(row: int) -> str:
    """Name a row; row 0 is the header."""
    return f"row {row}" if row else "the first line"
