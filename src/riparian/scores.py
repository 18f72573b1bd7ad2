"""Log loss and area under the curve of predicted probabilities, in constant memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["SCORE_STEPS", "Scores"]

#: Probabilities are told apart by this many steps for the area under the curve.
SCORE_STEPS = 10_000

# As scikit-learn has it: what was held impossible and happened costs -ln of this.
_LEAST = 2.0**-52


class Scores:
    """What the probabilities of the rows so far were worth."""

    def __init__(self) -> None:
        self.n = 0
        self._loss = 0.0
        self._steps: NDArray[np.int64] | None = np.zeros((2, SCORE_STEPS + 1), dtype=np.int64)

    def update(self, true: NDArray[np.intp], probabilities: NDArray[np.float64]) -> None:
        """Take in rows: their classes, and the probability of each class, 0 where not known.

        Parameters
        ----------
        true : intp array of shape (n_rows,)
            Classes, numbered in the order in which they appeared.
        probabilities : float64 array of shape (n_rows, n_classes)
            A row of zeros had no prediction and does not count.
        """
        known = probabilities.any(axis=1)
        true, probabilities = true[known], probabilities[known]
        found = probabilities[np.arange(len(true)), true]
        self._loss -= float(np.log(np.clip(found, _LEAST, 1.0)).sum())
        self.n += len(true)
        if probabilities.shape[1] > 2:
            self._steps = None
        if self._steps is not None:
            second = probabilities[:, 1] if probabilities.shape[1] > 1 else np.zeros(len(true))
            step = np.rint(second * SCORE_STEPS).astype(np.intp)
            for k in (0, 1):
                self._steps[k] += np.bincount(step[true == k], minlength=SCORE_STEPS + 1)

    @property
    def log_loss(self) -> float:
        """Mean of -ln of the probability that the true class was given."""
        return self._loss / self.n if self.n else float("nan")

    @property
    def auc(self) -> float:
        """Probability that a row of one class ranks above one of the other; NaN unless two."""
        if self._steps is None or not self._steps.any(axis=1).all():
            return float("nan")
        first, second = self._steps.astype(np.float64)
        below = np.cumsum(first) - first / 2
        return float(second @ below) / float(first.sum() * second.sum())
