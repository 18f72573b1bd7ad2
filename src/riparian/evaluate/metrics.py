"""Metrics of a classifier from its confusion matrix or relative to a baseline."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian.data.costs import costs_among

__all__ = [
    "beyond",
    "cheapest_class_cost",
    "f1",
    "g_mean",
    "kappa",
    "macro_f1",
    "mean_cost",
    "priced",
]

Doubles = NDArray[np.float64]


def kappa(confusion: ArrayLike) -> float:
    r"""Return Cohen's kappa: 0 for random guesses by class frequency, 1 for no errors.

    .. math:: \kappa = \frac{p_0 - p_e}{1 - p_e}, \qquad p_e = \sum_k p_{k\cdot}\, p_{\cdot k}

    Parameters
    ----------
    confusion : array-like of shape (n_classes, n_classes)
        Number of rows by true class (rows) and predicted class (columns).

    Returns
    -------
    kappa : float
        The coefficient; NaN if it is not defined.

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
    r"""Return the accuracy relative to a baseline: 0 for the same accuracy, 1 for no errors.

    .. math:: \kappa_M = \frac{p_0 - p_m}{1 - p_m}

    If the baseline predicts the most frequent class so far, this is kappa-M. If it predicts the
    class of the previous row, it is the temporal kappa [1]_.

    Parameters
    ----------
    accuracy, baseline : float
        The accuracy of the model and of the baseline.

    Returns
    -------
    kappa : float
        The relative accuracy; NaN if the baseline makes no errors.

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
    """Return the F1 score of each class: the harmonic mean of precision and recall.

    Parameters
    ----------
    confusion : array-like of shape (n_classes, n_classes)
        Number of rows by true class (rows) and predicted class (columns).

    Returns
    -------
    f1 : ndarray of shape (n_classes,)
        The scores; 0 for a class that was never predicted correctly.

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
    """Return the mean F1 score of the classes.

    Parameters
    ----------
    confusion : array-like of shape (n_classes, n_classes)
        Number of rows by true class (rows) and predicted class (columns).

    Examples
    --------
    >>> round(macro_f1([[40, 10], [20, 30]]), 4)
    0.697
    """
    each = f1(confusion)
    return float(each.mean()) if len(each) else float("nan")


def g_mean(confusion: ArrayLike) -> float:
    """Return the geometric mean of the recalls of the classes that occurred.

    Parameters
    ----------
    confusion : array-like of shape (n_classes, n_classes)
        Number of rows by true class (rows) and predicted class (columns).

    Returns
    -------
    g_mean : float
        The mean; 0 if a class was never predicted correctly.

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


def priced(
    labels: Sequence[Any], counts: NDArray[np.int64], costs: Any, classes: Sequence[Hashable]
) -> tuple[NDArray[np.int64], Doubles]:
    """Return a confusion matrix and the cost of each of its cells, for classes with costs.

    Parameters
    ----------
    labels : sequence
        The labels of the confusion matrix.
    counts : ndarray of shape (n_labels, n_labels)
        The confusion matrix.
    costs : array-like or dict
        The costs, as for a model.
    classes : sequence
        The classes of the costs, in their order.

    Returns
    -------
    counts, costs : pair of ndarray
        The rows and columns of the classes that have costs: number of rows, and cost.
    """
    place = {label: i for i, label in enumerate(classes)}
    known = [i for i, label in enumerate(labels) if label in place]
    order = [place[labels[i]] for i in known]
    matrix = costs_among(costs, list(classes))
    return counts[np.ix_(known, known)], matrix[np.ix_(order, order)].T


def mean_cost(counts: NDArray[np.int64], costs: Doubles) -> float:
    """Return the mean cost of a prediction, from what `priced` returns."""
    return float((counts * costs).sum() / counts.sum())


def cheapest_class_cost(counts: NDArray[np.int64], costs: Doubles) -> float:
    """Return the mean cost of always predicting the cheapest class."""
    return float((counts.sum(axis=1) @ costs).min() / counts.sum())
