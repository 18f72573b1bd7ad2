"""How a learner runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Settings"]


@dataclass(frozen=True)
class Settings:
    """How a learner runs. None of this changes what is learned.

    Parameters
    ----------
    every_seconds, every_rows : float, int
        Time and number of rows after which a checkpoint is written; None if it does not count.
    block : int
        The most messages that are learned at once.
    rows : int or None
        Stop after this many rows.
    on_gap : {'error', 'skip'}
        Whether lost messages end the learner or are counted.
    on_bad : {'skip', 'stop'}
        Whether a refused message is counted and kept as a dead letter, or ends the learner.
    max_bad : float
        The greatest share of refused messages among the last 1,000.
    """

    every_seconds: float | None = 30.0
    every_rows: int | None = None
    block: int = 10_000
    rows: int | None = None
    on_gap: Literal["error", "skip"] = "error"
    on_bad: Literal["skip", "stop"] = "skip"
    max_bad: float = 0.1
