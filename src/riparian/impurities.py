r"""How mixed a class distribution is, and how much a cut lowers that.

Each impurity is 0 on a single class and largest when all classes are equally
frequent. A tree takes one by its name: ``HoeffdingTree(impurity="gini")``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian import _core
from riparian.errors import one_of

__all__ = ["entropy", "gain", "gain_range", "gini"]


def entropy(counts: ArrayLike) -> NDArray[np.float64]:
    r"""Entropy of class counts, in bits.

    .. math:: g = -\sum_k p_k \log_2 p_k

    Parameters
    ----------
    counts : array-like of shape (..., n_classes)
        Class weights, 0 or more.

    References
    ----------
    .. [1] J. R. Quinlan. Induction of decision trees. Machine Learning 1, 1986.

    Examples
    --------
    >>> entropy([[5, 5], [10, 0], [35, 65]]).round(6)
    array([1.      , 0.      , 0.934068])
    """
    return _impurity("entropy", counts)


def gini(counts: ArrayLike) -> NDArray[np.float64]:
    r"""Gini index of class counts.

    .. math:: g = 1 - \sum_k p_k^2

    Parameters
    ----------
    counts : array-like of shape (..., n_classes)
        Class weights, 0 or more.

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen, C. Stone. Classification and
       regression trees. Wadsworth, 1984.

    Examples
    --------
    >>> gini([[5, 5], [10, 0], [35, 65]])
    array([0.5  , 0.   , 0.455])
    """
    return _impurity("gini", counts)


def gain(table: ArrayLike, impurity: str = "entropy") -> NDArray[np.float64]:
    r"""How much a cut lowers the impurity.

    .. math:: G = g\Big(\sum_b T_b\Big) - \sum_b \frac{N_b}{N} g(T_b)

    Parameters
    ----------
    table : array-like of shape (..., n_branches, n_classes)
        Class weights in each branch of each cut.
    impurity : {"entropy", "gini"}, default="entropy"

    Examples
    --------
    >>> float(gain([[30, 10], [5, 55]]).round(9))
    0.361266695
    >>> float(gain([[30, 10], [5, 55]], "gini").round(9))
    0.213333333
    """
    branches = np.asarray(table, dtype=np.float64)
    if branches.ndim < 2:
        raise ValueError("table must have the shape (..., n_branches, n_classes)")
    weights = branches.sum(axis=-1)
    total = weights.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(total[..., None] > 0, weights / total[..., None], 0.0)
    children = (shares * _impurity(impurity, branches)).sum(axis=-1)
    return np.asarray(_impurity(impurity, branches.sum(axis=-2)) - children)


def gain_range(impurity: str, n_classes: int) -> float:
    """The largest minus the smallest gain possible: `R` in a bound.

    Examples
    --------
    >>> gain_range("entropy", 4), gain_range("gini", 4)
    (2.0, 1.0)
    """
    return _core.gain_range(one_of("impurity", impurity, _core.names("impurity")), n_classes)


def _impurity(name: str, counts: ArrayLike) -> NDArray[np.float64]:
    one_of("impurity", name, _core.names("impurity"))
    values = np.asarray(counts, dtype=np.float64)
    if values.ndim == 0:
        raise ValueError("counts must have the shape (..., n_classes)")
    if not (values >= 0.0).all() or not np.isfinite(values).all():
        raise ValueError("counts must be finite and not negative")
    rows = np.ascontiguousarray(values).reshape(-1, values.shape[-1])
    return _core.impurity(name, rows, None).reshape(values.shape[:-1])
