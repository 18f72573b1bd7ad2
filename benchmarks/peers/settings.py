"""The one setting that all sides run with, and what a run gives back."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DELTA", "GRACE_PERIOD", "LEAVES", "N_CUTS", "TAU", "Run"]

GRACE_PERIOD = 200
DELTA = 1e-7
TAU = 0.05
N_CUTS = 10

# What each task times: predicting each row before it is learned, or learning alone.
LEAVES = {"prequential": "adaptive", "learn": "majority"}


@dataclass(frozen=True)
class Run:
    """One run over a workload.

    `seconds` is CPU time of the thread that learns; a shared machine makes wall time useless.
    """

    seconds: float
    accuracy: float | None = None
    n_bytes: int | None = None
    n_leaves: int | None = None
