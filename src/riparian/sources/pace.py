"""How many rows are learned at once while others wait for the model."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Pace"]

#: Seconds that a block may take while somebody predicts.
_BLOCK_SECONDS = 0.002
#: The part of a new measurement in the estimate.
_NEW = 0.3


class Pace:
    """Limits blocks by time while somebody waits. The sizes of blocks change no model.

    Parameters
    ----------
    busy : callable
        Whether somebody predicts, or did a moment ago.
    """

    def __init__(self, busy: Callable[[], bool]) -> None:
        self._busy = busy
        self._seconds = 1e-5  # for a row

    def rows(self, most: int) -> int:
        """Return how many rows to learn at once, `most` if nobody waits."""
        if not self._busy():
            return most
        return max(1, min(most, int(_BLOCK_SECONDS / self._seconds)))

    def took(self, n: int, seconds: float) -> None:
        """Take in how long `n` rows took."""
        if n:
            self._seconds += _NEW * (max(seconds / n, 1e-9) - self._seconds)
