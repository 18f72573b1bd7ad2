"""The bounds of C-Tree: for a fixed test, for a whole tree, and the practical rule."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian import _core
from riparian.policies.arguments import broadcast, positive, probabilities, served
from riparian.policies.widths import SERVES, computed_width

__all__ = ["confidence", "confidence_interval", "confidence_practical"]


def confidence(
    n: ArrayLike,
    *,
    delta: ArrayLike,
    impurity: str,
    seen: ArrayLike,
    features: ArrayLike,
    depth: ArrayLike = 0,
) -> NDArray[np.float64]:
    r"""Return the half-width of C-Tree's interval around a gain, valid for a whole tree.

    It is the interval of :func:`confidence_interval` with a share of :math:`\delta` for each
    test, time and depth. Its unit is that of the gain: bits for entropy.

    .. math:: \varepsilon = \varepsilon(m, \delta'), \qquad
       \delta' = \frac{\delta}{(h+1)(h+2)\, t\, d\, m}

    It bounds the distance from the true value, including the bias, at every check. With
    ``epsilons=2`` the probability that an example passes a split which is worse than the best
    by more than `tau` is at most :math:`\delta`. This is proven for two classes and tests with
    two branches. For more classes or branches it is a heuristic.

    Parameters
    ----------
    n : array-like
        :math:`m`: weight of the examples that each leaf has seen.
    delta : float or array-like
        Accepted probability of a wrong decision in the whole tree.
    impurity : {"entropy", "gini", "kearns-mansour"}
        The impurity of the gain.
    seen : int or array-like
        :math:`t`: number of examples that the tree has learned.
    features : int or array-like
        :math:`d`: number of features of the tree.
    depth : int or array-like, default=0
        :math:`h`: depth of the leaf. The root has depth 0.

    Returns
    -------
    epsilon : ndarray
        The half-width for each leaf.

    References
    ----------
    .. [1] R. De Rosa, N. Cesa-Bianchi. Splitting with confidence in decision trees with
       application to stream mining. IJCNN 2015, eq. 7 and theorem 4.

    Examples
    --------
    >>> confidence([1000], delta=0.05, impurity="gini", seen=1000, features=5).round(8)
    array([0.52455618])
    >>> bits = confidence([1000], delta=0.05, impurity="entropy", seen=1000, features=5)
    >>> (bits * np.log(2) / 2).round(8)  # the half-nats of the paper
    array([1.40071801])
    """
    return computed_width(
        "confidence", impurity, n, delta=delta, depth=depth, seen=seen, features=features
    )


def confidence_interval(m: ArrayLike, *, delta: ArrayLike, impurity: str) -> NDArray[np.float64]:
    r"""Return the half-width of C-Tree's interval for one fixed test, in the paper's units.

    .. math:: \varepsilon_\text{entropy} &=
              (\ln m) \sqrt{\tfrac2m \ln\tfrac4\delta} + \tfrac2m \\
       \varepsilon_\text{Gini} &= \sqrt{\tfrac8m \ln\tfrac2\delta} + 4\sqrt{\tfrac1m} \\
       \varepsilon_\text{KM} &= 4\sqrt{\tfrac1m \ln\tfrac8\delta}

    The intervals hold with probability :math:`1-\delta` for the weighted impurity of the
    branches, for two classes and two branches, at one fixed :math:`m`. Entropy is in
    half-nats: a bit is :math:`\frac{\ln 2}2` of them. With at most one example the interval
    of entropy is infinite.

    Parameters
    ----------
    m : array-like
        Number of independent examples.
    delta : float or array-like
        Probability that the true value is outside the interval.
    impurity : {"entropy", "gini", "kearns-mansour"}
        The impurity.

    Returns
    -------
    epsilon : ndarray
        The half-width for each element of `m`.

    References
    ----------
    .. [1] R. De Rosa, N. Cesa-Bianchi. Splitting with confidence in decision trees with
       application to stream mining. IJCNN 2015, theorems 1 to 3.

    Examples
    --------
    >>> confidence_interval([100, 10_000], delta=0.05, impurity="entropy").round(8)
    array([1.3833212 , 0.27286424])
    >>> confidence_interval([100, 10_000], delta=0.05, impurity="kearns-mansour").round(8)
    array([0.90112586, 0.09011259])
    """
    served("confidence", impurity, SERVES["confidence"])
    examples, chances = broadcast(m=positive("m", m), delta=probabilities("delta", delta))
    widths = _core.confidence_interval(impurity, examples.ravel(), chances.ravel())
    return widths.reshape(examples.shape)


def confidence_practical(
    n: ArrayLike,
    *,
    impurity: str,
    seen: ArrayLike,
    features: ArrayLike,
    depth: ArrayLike = 0,
    c: float = 1.0,
    form: str = "printed",
) -> NDArray[np.float64]:
    r"""Return the half-width of C-Tree's practical rule: a constant replaces :math:`\delta`.

    .. math:: \varepsilon_\text{printed} = c \sqrt{\tfrac1m \ln(m^2 h^2 t d)}, \qquad
       \varepsilon_\text{derived} = c \sqrt{\tfrac1m \ln((h+1)(h+2)\, d\, m\, t^2)}

    times :math:`\ln m` for entropy. In the printed form the root has :math:`h=1` and
    :math:`d` includes the class, as in the released code. The literal form is the same with
    :math:`d` as the paper defines it: the number of features. The derived form is
    :func:`confidence` with :math:`\delta = 1/t`, where the root has :math:`h=0`. The rule has
    no guarantee, because `c` is tuned. The result is infinite where the logarithm is not
    positive.

    Parameters
    ----------
    n : array-like
        :math:`m`: weight of the examples that each leaf has seen.
    impurity : {"entropy", "gini", "kearns-mansour"}
        The impurity of the gain.
    seen : int or array-like
        :math:`t`: number of examples that the tree has learned.
    features : int or array-like
        Number of features of the tree, without the class.
    depth : int or array-like, default=0
        Depth of the leaf. The root has depth 0 in every form.
    c : float, default=1.0
        Factor of the interval. Smaller values split sooner.
    form : {"printed", "derived", "literal"}, default="printed"
        The logarithm: as printed in the paper, with `d` of the released code; as it follows from
        eq. 7; or with `d` of the paper.

    Returns
    -------
    epsilon : ndarray
        The half-width for each leaf.

    References
    ----------
    .. [1] R. De Rosa, N. Cesa-Bianchi. Splitting with confidence in decision trees with
       application to stream mining. IJCNN 2015, eq. 8.

    Examples
    --------
    >>> float(confidence_practical(1000, impurity="gini", seen=1000, features=4).round(9))
    0.149441305
    >>> confidence_practical(
    ...     [1000, 2000], impurity="gini", seen=100_000, features=7, depth=2, c=0.5
    ... ).round(6)
    array([0.086031, 0.062241])
    """
    return computed_width(
        "confidence-practical",
        impurity,
        n,
        delta=0.5,  # not used
        depth=depth,
        seen=seen,
        features=features,
        c=float(positive("c", c)),
        form=form,
    )
