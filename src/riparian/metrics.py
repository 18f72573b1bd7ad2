"""Figures of a classifier from its confusion matrix, and by comparison with a baseline."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["beyond", "f1", "g_mean", "kappa", "macro_f1"]

Doubles = NDArray[np.float64]


def kappa(confusion: ArrayLike) -> float:
    r"""Cohen's kappa: 0 for a guess by the class frequencies, 1 without fault.

    .. math:: \kappa = \frac{p_0 - p_e}{1 - p_e}, \qquad p_e = \sum_k p_{k\cdot}\, p_{\cdot k}

    Parameters
    ----------
    confusion : array-like of shape (n_classes, n_classes)
        Rows of each class (down) by what was predicted (across).

    References
    ----------
    .. [1] J. Cohen. A coefficient of agreement for nominal scales. Educational and Psychological
       Measurement 20(1), 1960.

    Examples
    --------
    >>> round(kappa([[40, 10], [20, 30]]), 4)
    0.4
    """
    counts = np.asarray(confusion, dtype=np.float64)
    n = float(counts.sum())
    if n == 0:
        return float("nan")
    chance = float(counts.sum(axis=1) @ counts.sum(axis=0)) / n**2
    right = float(np.trace(counts)) / n
    return (right - chance) / (1 - chance) if chance < 1 else float("nan")


def beyond(accuracy: float, baseline: float) -> float:
    r"""How much of what a baseline gets wrong is got right: 0 as good as it, 1 without fault.

    .. math:: \kappa_M = \frac{p_0 - p_m}{1 - p_m}

    With the most frequent class so far for a baseline it is kappa-M, with the class of the row
    before it is the temporal kappa [1]_.

    Parameters
    ----------
    accuracy, baseline : float

    References
    ----------
    .. [1] A. Bifet, G. de Francisci Morales, J. Read, G. Holmes, B. Pfahringer. Efficient online
       evaluation of big data stream classifiers. KDD 2015, section 4.

    Examples
    --------
    >>> beyond(0.75, 0.5)
    0.5
    """
    return (accuracy - baseline) / (1 - baseline) if baseline < 1 else float("nan")


def f1(confusion: ArrayLike) -> Doubles:
    """Harmonic mean of precision and recall of each class; 0 where a class was never right.

    Parameters
    ----------
    confusion : array-like of shape (n_classes, n_classes)

    Returns
    -------
    array of shape (n_classes,)

    Examples
    --------
    >>> f1([[40, 10], [20, 30]]).round(4)
    array([0.7273, 0.6667])
    """
    counts = np.asarray(confusion, dtype=np.float64)
    both = counts.sum(axis=0) + counts.sum(axis=1)
    out: Doubles = np.divide(2 * np.diag(counts), both, out=np.zeros(len(counts)), where=both > 0)
    return out


def macro_f1(confusion: ArrayLike) -> float:
    """Mean of the classes' F1.

    Parameters
    ----------
    confusion : array-like of shape (n_classes, n_classes)

    Examples
    --------
    >>> round(macro_f1([[40, 10], [20, 30]]), 4)
    0.697
    """
    each = f1(confusion)
    return float(each.mean()) if len(each) else float("nan")


def g_mean(confusion: ArrayLike) -> float:
    """Geometric mean of the recalls of the classes that occurred; 0 if one was never found.

    Parameters
    ----------
    confusion : array-like of shape (n_classes, n_classes)

    References
    ----------
    .. [1] M. Kubat, S. Matwin. Addressing the curse of imbalanced training sets. ICML 1997.

    Examples
    --------
    >>> round(g_mean([[40, 10], [20, 30]]), 4)
    0.6928
    """
    counts = np.asarray(confusion, dtype=np.float64)
    rows = counts.sum(axis=1)
    if not rows.any():
        return float("nan")
    recall = np.diag(counts)[rows > 0] / rows[rows > 0]
    return float(np.exp(np.log(recall).mean())) if recall.all() else 0.0
