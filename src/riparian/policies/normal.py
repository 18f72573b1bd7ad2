"""Bounds by the normal approximation."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian import _core
from riparian.policies.arguments import at_least, probabilities
from riparian.policies.widths import computed_width

__all__ = ["delta_method", "normal", "upper_quantile"]


def normal(
    n: ArrayLike,
    *,
    delta: ArrayLike,
    impurity: str = "misclassification",
    classes: ArrayLike = 2,
) -> NDArray[np.float64]:
    r"""Return the threshold for the gap between two gains by the normal approximation.

    .. math:: \varepsilon_\text{misclassification} = z_{1-\delta} \sqrt{\frac{1}{2n}},
       \qquad \varepsilon_\text{Gini} =
       z_{1-\delta} \sqrt{\frac{2\,(5K^2 - 8K + 4)}{n}}

    It uses the largest possible variances, so it does not depend on the counts. It relies on
    the normal distribution far into its tail. It holds for one fixed `n`, but a tree applies
    it at every check.

    Parameters
    ----------
    n : array-like
        Weight of the examples that each leaf has seen.
    delta : float or array-like
        Accepted probability of a wrong decision. From 1/2 on the threshold is not positive.
    impurity : {"misclassification", "accuracy", "gini"}, default="misclassification"
        The impurity of the gain.
    classes : int or array-like, default=2
        :math:`K`, the number of classes; fewer than 2 count as 2. Only Gini uses it.

    Returns
    -------
    epsilon : ndarray
        The threshold for each leaf.

    References
    ----------
    .. [1] L. Rutkowski, M. Jaworski, L. Pietruczuk, P. Duda. A new method for data
       stream mining based on the misclassification error. IEEE Transactions on Neural
       Networks and Learning Systems 26(5), 2015, pp. 1048-1059.
    .. [2] M. Mirkhan, M. Amir Haeri, M. R. Meybodi. Analytical split value calculation
       for numerical attributes in Hoeffding trees with misclassification-based
       impurity. Annals of Data Science 8(3), 2021, eq. 8.

    Examples
    --------
    >>> normal([500, 1000], delta=1e-7).round(9)
    array([0.16441749, 0.11626072])
    >>> normal([1000], delta=1e-7, impurity="gini").round(9)
    array([0.65766996])
    """
    return computed_width("normal", impurity, n, delta=delta, classes=classes)


def delta_method(n: ArrayLike, *, delta: ArrayLike, variance: ArrayLike) -> NDArray[np.float64]:
    r"""Return the threshold for the gap between two gains from its variance (NIP-N).

    .. math:: \varepsilon = z_{1-\delta} \sqrt{\frac{s^2}{n}}

    A gain is asymptotically normal, and :func:`gap_variance` estimates the :math:`s^2` of the
    gap. The approximation fails near a gain of 0, where the distribution is not normal. Below
    100 examples the threshold is infinite.

    Parameters
    ----------
    n : array-like
        Weight of the examples that each leaf has seen.
    delta : float or array-like
        Accepted probability of a wrong decision.
    variance : float or array-like
        :math:`s^2` per example. NaN is an unknown variance and gives infinity.

    Returns
    -------
    epsilon : ndarray
        The threshold for each leaf.

    References
    ----------
    .. [1] R. Jin, G. Agrawal. Efficient decision tree construction on streaming data.
       KDD 2003, pp. 571-576.

    Examples
    --------
    >>> from riparian.bounds import gap_variance
    >>> s2 = gap_variance([[30, 10], [5, 55]], None, "entropy")
    >>> round(s2, 9), round((s2 / 100) ** 0.5, 9)
    (0.771820622, 0.087853322)
    >>> delta_method([100, 10_000], delta=0.05, variance=s2).round(6)
    array([0.144506, 0.014451])
    """
    variances = np.asarray(variance, dtype=np.float64)
    at_least("variance", variances[~np.isnan(variances)], 0.0)
    return computed_width("delta-method", "entropy", n, delta=delta, variance=variances)


def upper_quantile(p: ArrayLike) -> NDArray[np.float64]:
    r"""Return the upper quantile :math:`z_{1-p}` of the standard normal distribution.

    A standard normal variable exceeds it with probability `p`. The result has the same bits on
    every machine.

    Parameters
    ----------
    p : float or array-like
        Probabilities between 0 and 1.

    Returns
    -------
    z : ndarray
        The quantiles.

    Examples
    --------
    >>> upper_quantile([1e-7, 0.05]).round(9)
    array([5.19933758, 1.64485363])
    """
    chances = probabilities("p", p)
    return _core.upper_quantile(chances.ravel()).reshape(chances.shape)
