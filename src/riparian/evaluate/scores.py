"""Log loss and area under the ROC curve of predicted probabilities, in constant memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["SCORE_STEPS", "Scores"]

#: Number of steps to which probabilities are rounded for the area under the curve.
SCORE_STEPS = 10_000

# Probabilities are clipped to this, as scikit-learn does.
_LEAST = 2.0**-52


class Scores:
    """Accumulates the scores of predicted probabilities."""

    def __init__(self) -> None:
        self.n = 0
        self._loss = 0.0
        self._steps: NDArray[np.int64] | None = np.zeros((2, SCORE_STEPS + 1), dtype=np.int64)

    def update(self, true: NDArray[np.intp], probabilities: NDArray[np.float64]) -> None:
        """Add rows.

        Parameters
        ----------
        true : intp array of shape (n_rows,)
            Class codes, in order of appearance.
        probabilities : float64 array of shape (n_rows, n_classes)
            Predicted probabilities; 0 for an unknown class. A row of zeros is no prediction and is
            ignored.
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
        """Mean of -ln of the predicted probability of the true class."""
        return self._loss / self.n if self.n else float("nan")

    @property
    def auc(self) -> float:
        """Area under the ROC curve; NaN unless there are two classes."""
        if self._steps is None or not self._steps.any(axis=1).all():
            return float("nan")
        first, second = self._steps.astype(np.float64)
        below = np.cumsum(first) - first / 2
        return float(second @ below) / float(first.sum() * second.sum())
