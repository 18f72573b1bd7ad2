"""What a pass over a stream gives, whichever library made it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from choosing_runs import LEAST, kappa
from choosing_streams import Data
from numpy.typing import NDArray

__all__ = ["Pass", "UnfinishedError"]


class UnfinishedError(Exception):
    """A run that was given up; its text says why."""


@dataclass(frozen=True)
class Pass:
    """Predictions that were made before each row was learned.

    Attributes
    ----------
    predicted : ndarray of shape (n_rows,)
        The predicted classes.
    of_truth : ndarray of shape (n_rows,)
        The probability that was predicted for the true class.
    seconds : float
        CPU seconds of predicting and learning.
    """

    predicted: NDArray[np.int64]
    of_truth: NDArray[np.float64]
    seconds: float

    def measures(self, data: Data) -> dict[str, float]:
        """Return the measures of the pass."""
        return {
            "accuracy": float(np.mean(self.predicted == data.y)),
            "kappa": kappa(self.predicted, data.y),
            "log_loss": float(-np.log(np.clip(self.of_truth, LEAST, 1.0)).mean()),
            "seconds": self.seconds,
        }
