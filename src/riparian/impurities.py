r"""Impurities: how mixed a class distribution is, and how much a cut lowers it.

An impurity is 0 for a single class. Without costs it is largest if all classes are equally
frequent. A tree accepts an impurity by its name, ``HoeffdingTree(impurity="gini")``, or as an
object with parameters.

``"entropy"``, ``"gini"``, ``"kearns-mansour"``
    Strictly concave: any difference between the branches gives a gain above 0.
``"misclassification"``
    The error rate of the majority class. The gain is 0 until two branches have different
    majorities; from then on it decides quickly.
``"accuracy"``, ``"loss"``
    The quality gain: how much the accuracy rises, or the cost falls, if the branches predict
    instead of the leaf. There are three evaluators, see :func:`quality_gain`:
    ``Accuracy(evaluator="prequential", holdout_examples=30)``. ``"loss"`` needs ``costs=``.
    With ``evaluator="resubstitution"`` accuracy is the same as misclassification.
``"hybrid"``
    Misclassification and Gini, each with its own threshold of the bound. Misclassification is
    checked first. The first one that passes decides, with its own feature and cut.
    Misclassification decides quickly where majorities differ, and Gini has a gain everywhere
    else (Jaworski, Duda and Rutkowski, New splitting criteria for decision trees in stationary
    data streams, 2018). It is not a single impurity: call :func:`gain` with either.

A callable gets class weights of shape (candidates, branches, classes) and returns impurities of
shape (candidates, branches). ``min_gain=`` is the smallest gain of a split.
``Misclassification(legacy_gain=True)`` rounds as the released code of mDT does; any gain above 0
then counts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian import _core
from riparian.data.costs import cost_matrix_of_all
from riparian.errors import one_of
from riparian.policies import Policy, names, publish
from riparian.policies.arguments import at_least, not_negative
from riparian.policies.quality import accuracy_gain, error_gain, loss_gain, quality_gain

__all__ = [
    "accuracy_gain",
    "entropy",
    "gain",
    "gain_range",
    "gini",
    "kearns_mansour",
    "loss",
    "loss_gain",
    "misclassification",
    "quality_gain",
]


def entropy(counts: ArrayLike) -> NDArray[np.float64]:
    r"""Return the entropy of class counts, in bits.

    .. math:: g = -\sum_k p_k \log_2 p_k

    Parameters
    ----------
    counts : array-like of shape (..., n_classes)
        Class weights, at least 0.

    Returns
    -------
    impurity : ndarray of shape (...)
        The impurity of each distribution.

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
    r"""Return the Gini index of class counts.

    .. math:: g = 1 - \sum_k p_k^2

    Parameters
    ----------
    counts : array-like of shape (..., n_classes)
        Class weights, at least 0.

    Returns
    -------
    impurity : ndarray of shape (...)
        The impurity of each distribution.

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


def kearns_mansour(counts: ArrayLike) -> NDArray[np.float64]:
    r"""Return the index of Kearns and Mansour of class counts.

    .. math:: g = \frac12 \sum_k \sqrt{p_k (1 - p_k)}

    For two classes it is :math:`\sqrt{p (1 - p)}`, as published; the sum over more
    classes is an extension of this package.

    Parameters
    ----------
    counts : array-like of shape (..., n_classes)
        Class weights, at least 0.

    Returns
    -------
    impurity : ndarray of shape (...)
        The impurity of each distribution.

    References
    ----------
    .. [1] M. Kearns, Y. Mansour. On the boosting ability of top-down decision tree
       learning algorithms. STOC 1996, pp. 459-468.

    Examples
    --------
    >>> kearns_mansour([[5, 5], [10, 0], [35, 65]]).round(6)
    array([0.5    , 0.     , 0.47697])
    """
    return _impurity("kearns-mansour", counts)


def misclassification(counts: ArrayLike) -> NDArray[np.float64]:
    r"""Return the share of the examples outside the majority class.

    .. math:: g = 1 - \max_k p_k

    Parameters
    ----------
    counts : array-like of shape (..., n_classes)
        Class weights, at least 0.

    Returns
    -------
    impurity : ndarray of shape (...)
        The impurity of each distribution.

    References
    ----------
    .. [1] L. Rutkowski, M. Jaworski, L. Pietruczuk, P. Duda. A new method for data
       stream mining based on the misclassification error. IEEE Transactions on Neural
       Networks and Learning Systems 26(5), 2015, pp. 1048-1059.

    Examples
    --------
    >>> misclassification([[5, 5], [10, 0], [35, 65]])
    array([0.5 , 0.  , 0.35])
    """
    return _impurity("misclassification", counts)


def loss(counts: ArrayLike, costs: ArrayLike) -> NDArray[np.float64]:
    r"""Return the mean cost of the cheapest label, in units of the largest cost.

    .. math:: g = \min_l \sum_k p_k \frac{\mathrm{cost}(l, k)}{\max \mathrm{cost}}

    Parameters
    ----------
    counts : array-like of shape (..., n_classes)
        Class weights, at least 0.
    costs : array-like of shape (n_classes, n_classes)
        Cost of predicting the class of the row if the class of the column is true.
        Not negative, and not all 0.

    Returns
    -------
    impurity : ndarray of shape (...)
        The mean cost, from 0 to 1.

    References
    ----------
    .. [1] P. Matuszyk, G. Krempl, M. Spiliopoulou. Correcting the usage of the
       Hoeffding inequality in stream mining. IDA 2013, pp. 298-309, eq. 8.

    Examples
    --------
    Missing class 1 costs 10, a false alarm costs 0.1. At 90 to 10 the cheapest label is 1:

    >>> loss([[90, 10], [100, 0]], costs=[[0, 10], [0.1, 0]])
    array([0.009, 0.   ])
    """
    return _impurity("loss", counts, costs)


def gain(
    table: ArrayLike, impurity: str = "entropy", costs: ArrayLike | None = None
) -> NDArray[np.float64]:
    r"""Return how much a cut lowers the impurity.

    .. math:: G = g\Big(\sum_b T_b\Big) - \sum_b \frac{N_b}{N} g(T_b)

    The gains of misclassification, accuracy and loss are computed as differences of counts or
    costs. A cut that changes no label then gains exactly 0, without rounding noise on which a
    tree could split.

    Parameters
    ----------
    table : array-like of shape (..., n_branches, n_classes)
        Class weights in each branch of each cut.
    impurity : str, default="entropy"
        Name of the impurity: "entropy", "gini", "kearns-mansour", "misclassification", "accuracy"
        or "loss".
    costs : array-like of shape (n_classes, n_classes), default=None
        The costs of :func:`loss`. Only for ``"loss"``.

    Returns
    -------
    gain : ndarray of shape (...)
        The gain of each cut.

    Examples
    --------
    >>> table = [[30, 10], [5, 55]]
    >>> float(gain(table).round(9))
    0.361266695
    >>> float(gain(table, "gini").round(9)), float(gain(table, "kearns-mansour").round(9))
    (0.213333333, 0.13793328)
    >>> float(gain(table, "misclassification"))
    0.2
    """
    _check_name(impurity)
    if impurity == "loss":
        if costs is None:
            raise ValueError("costs must be given with impurity='loss', got None")
        return loss_gain(table, costs)
    if costs is not None:
        raise ValueError(f"costs must be None with impurity={impurity!r}; only 'loss' uses them")
    if impurity in ("misclassification", "accuracy"):
        return error_gain(table)
    branches = not_negative("table", table)
    if branches.ndim < 2:
        raise ValueError(
            f"table must have the shape (..., n_branches, n_classes), got {branches.shape}"
        )
    weights = branches.sum(axis=-1)
    total = weights.sum(axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(total[..., None] > 0, weights / total[..., None], 0.0)
    children = (shares * _impurity(impurity, branches)).sum(axis=-1)
    return np.asarray(_impurity(impurity, branches.sum(axis=-2)) - children)


def gain_range(impurity: str, n_classes: int) -> float:
    r"""Return the range of the gains of an impurity: :math:`R` in a bound.

    It is :math:`\log_2 K` for entropy and :math:`\sqrt{K-1}/2` for the index of Kearns and
    Mansour, with :math:`K` at least 2, and 1 for the others.

    Parameters
    ----------
    impurity : str
        Name of the impurity. Both impurities of ``"hybrid"`` have range 1.
    n_classes : int
        Number of classes.

    Examples
    --------
    >>> gain_range("entropy", 4), gain_range("gini", 4)
    (2.0, 1.0)
    >>> gain_range("kearns-mansour", 2), gain_range("hybrid", 2)
    (0.5, 1.0)
    """
    classes = int(at_least("n_classes", n_classes, 0.0))
    if impurity == "hybrid":
        return 1.0
    one_of("impurity", impurity, names("impurity"))
    return _core.gain_range(impurity, classes)


def _impurity(name: str, counts: ArrayLike, costs: ArrayLike | None = None) -> NDArray[np.float64]:
    values = not_negative("counts", counts)
    if values.ndim == 0 or values.shape[-1] == 0:
        raise ValueError(f"counts must have the shape (..., n_classes), got {values.shape}")
    scaled = None if costs is None else cost_matrix_of_all(costs, range(values.shape[-1]))
    rows = np.ascontiguousarray(values).reshape(-1, values.shape[-1])
    return _core.impurity(name, rows, scaled).reshape(values.shape[:-1])


def _check_name(impurity: str) -> None:
    if impurity == "hybrid":
        raise ValueError(
            "impurity must not be 'hybrid', which has two gains; use 'misclassification' or 'gini'"
        )
    one_of("impurity", impurity, [name for name in names("impurity") if name != "hybrid"])


def __getattr__(name: str) -> type[Policy]:  # for type checkers, which cannot see the classes
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


publish("impurity", globals())
