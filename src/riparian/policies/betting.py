"""Evidence by betting that one test is better than its rivals."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian import _core
from riparian.policies.arguments import at_least, served
from riparian.policies.widths import SERVES

__all__ = ["betting"]


def betting(
    leader: ArrayLike,
    rivals: ArrayLike,
    y: ArrayLike,
    *,
    impurity: str = "gini",
    tau: float = 0.0,
) -> NDArray[np.float64]:
    r"""Return the evidence, after each row, that one test is better than its rivals.

    The leader predicts every row before it counts it, and bets that it loses less than any
    constant forecasts in the branches of a rival would. The evidence is a lower bound of the
    smallest logarithm of the wealth over these forecasts, and over the rivals, of which "do not
    split" is always one. If a rival is at least as good, it reaches :math:`\ln(1/\alpha)` at any
    time with probability at most :math:`\alpha`.

    Parameters
    ----------
    leader : array-like of int of shape (n_rows,)
        Branch of each row in the test that leads.
    rivals : array-like of int of shape (n_rows,) or (n_rows, n_rivals)
        Branches in the other tests.
    y : array-like of int of shape (n_rows,)
        Classes, as numbers from 0.
    impurity : {"gini", "accuracy"}, default="gini"
        The impurity of the gain.
    tau : float, default=0.0
        Tolerance on the scale of the gain: evidence that no rival is better by `tau` or more. Not
        splitting gets no tolerance.

    Returns
    -------
    evidence : ndarray of shape (n_rows,)
        Natural logarithms. It can fall again; only its highest value counts.

    References
    ----------
    .. [1] I. Waudby-Smith, A. Ramdas. Estimating means of bounded random variables by betting.
       Journal of the Royal Statistical Society B 86(1), 2024, pp. 1-27.
    .. [2] J. Ville. Etude critique de la notion de collectif. Gauthier-Villars, 1939.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(2, size=300)
    >>> good = np.where(rng.random(300) < 0.2, 1 - y, y)
    >>> evidence = betting(good, rng.integers(2, size=300), y)
    >>> int(np.argmax(evidence > np.log(1 / 0.05)))  # rows until a split at alpha = 0.05
    112
    >>> bool(betting(rng.integers(2, size=300), good, y).max() > np.log(1 / 0.05))
    False
    """
    served("betting", impurity, SERVES["betting"])
    first = _branches("leader", leader, 1)
    others = _branches("rivals", rivals, 2)
    labels = _branches("y", y, 1)
    if not len(first) == len(others) == len(labels):
        raise ValueError(
            f"leader, rivals and y must have one entry per row, got {len(first)}, {len(others)} "
            f"and {len(labels)}"
        )
    tolerance = float(at_least("tau", tau, 0.0)) * (0.5 if impurity == "gini" else 1.0)
    codes = np.ascontiguousarray(np.column_stack([first, others]))
    classes = max(2, int(labels.max(initial=0)) + 1)
    return _core.race_evidence(codes, labels, classes, tolerance, impurity == "accuracy", 0.0)[0]


def _branches(name: str, values: ArrayLike, dimensions: int) -> NDArray[np.int32]:
    given = np.asarray(values)
    if given.ndim not in (1, dimensions) or not np.issubdtype(given.dtype, np.integer):
        shape = "(n_rows,)" if dimensions == 1 else "(n_rows,) or (n_rows, n_rivals)"
        raise ValueError(f"{name} must be whole numbers of shape {shape}")
    at_least(name, given, 0.0)
    return np.ascontiguousarray(given, dtype=np.int32)
