r"""Cuts: the candidate tests of numeric features at a leaf.

A numeric cut is a threshold `t` with the two branches ``x <= t`` and ``x > t``. A tree
accepts a rule by its name, ``HoeffdingTree(cuts="bins")``, or as an object with parameters,
``HoeffdingTree(cuts=rp.cuts.Bins(count=20))``.

``"bins"``
    Equally spaced thresholds, ``Bins(count=10)``: :func:`bins`. A column of two values is split in
    the middle (docs/policies.md).
``"intersections"``
    The points where the weighted normal densities of two classes intersect,
    ``Intersections(equal_variance="linear")``: :func:`intersections`. A feature without
    intersections has no candidate.
``"combined"``
    Bins and intersections: :func:`combined`.
``"delayed"``
    Bins at every check. When the leaf splits, the intersections of the winning feature are
    compared with the winning bin, and the best threshold is used; ties go to the bin. So
    intersections are computed once per split, not at every check.
``"qda"``
    One threshold: the root of quadratic discriminant analysis that is closer to the means,
    :func:`qda`.

With ``statistics="exhaustive"`` and ``"intervals"`` the observed values are the candidates, with
``"histogram"`` points between parts of equal weight, and ``cuts`` must be ``"bins"``. The cuts of
categorical features are set by ``categorical_cuts=``: ``"multiway"``, ``"one-against-rest"`` or
``"both"``. ``min_branch_fraction=`` excludes cuts with a branch that has too little weight.

For misclassification the best of all thresholds is an intersection, provided that some cut
has a gain above 0, that the class weights of the branches come from the whole normal
distributions (``clip_to_range=False``), and that the intersection is within the range of the
values.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian import _core
from riparian.errors import one_of
from riparian.policies import Policy, publish
from riparian.policies.arguments import not_negative

__all__ = ["bins", "combined", "intersections", "qda"]

Doubles = NDArray[np.float64]


def bins(low: float, high: float, n_cuts: int = 10) -> Doubles:
    r"""Return equally spaced thresholds within the range of the values at a leaf.

    .. math:: t_i = \mathit{low} + (\mathit{high} - \mathit{low}) \frac{i}{b + 1},
       \quad i = 1, \dots, b

    Parameters
    ----------
    low, high : float
        The smallest and the largest value seen at the leaf.
    n_cuts : int, default=10
        :math:`b`, the number of thresholds.

    Returns
    -------
    thresholds : ndarray
        The thresholds strictly between `low` and `high`. Empty if the two are equal.

    References
    ----------
    .. [1] M. Mirkhan, M. Amir Haeri, M. R. Meybodi. Analytical split value
       calculation for numerical attributes in Hoeffding trees with
       misclassification-based impurity, section 3.3.

    Examples
    --------
    >>> bins(0.0, 1.1, 10).round(3)
    array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1. ])
    >>> bins(2.0, 2.0)
    array([], dtype=float64)
    """
    share = np.arange(1, n_cuts + 1) / (n_cuts + 1)
    thresholds = low + (high - low) * share
    return thresholds[(low < thresholds) & (thresholds < high)]


def intersections(
    weights: ArrayLike,
    means: ArrayLike,
    deviations: ArrayLike,
    low: float = -np.inf,
    high: float = np.inf,
    equal_variance: str = "linear",
) -> Doubles:
    r"""Return the intersections of the weighted normal densities of all pairs of classes.

    .. math:: n_1\, \phi(x; \mu_1, \sigma_1) = n_2\, \phi(x; \mu_2, \sigma_2)

    A pair has no root if one density is above the other everywhere. It has one root if the
    standard deviations are equal,

    .. math:: x = \frac{\mu_1 + \mu_2}2 + \frac{\sigma^2}{\mu_2 - \mu_1}
       \ln\frac{n_1}{n_2},

    and otherwise two. A class without spread has no density. In its place the points just
    below and at its mean are used; for two such classes, the middle between them.

    Parameters
    ----------
    weights, means, deviations : array-like of shape (n_classes,)
        Weight, mean and standard deviation of each class at the leaf. A class without weight
        has no density.
    low, high : float, default=-inf, inf
        The smallest and the largest value seen at the leaf.
    equal_variance : {"linear", "skip"}, default="linear"
        What to do with a pair of equal deviations: use its one root, or no threshold, as the
        released code of mDT does.

    Returns
    -------
    thresholds : ndarray
        The distinct thresholds strictly between `low` and `high`, in ascending order.

    References
    ----------
    .. [1] M. Mirkhan, M. Amir Haeri, M. R. Meybodi. Analytical split value
       calculation for numerical attributes in Hoeffding trees with
       misclassification-based impurity. Annals of Data Science 8(3), 2021, theorem 1
       and eq. 34-35.

    Examples
    --------
    >>> intersections([60, 40], [0, 2], [1, 1]).round(9)
    array([1.20273255])
    >>> intersections([50, 50], [0, 2], [1, 2]).round(8)
    array([-2.57091724,  1.23758391])
    >>> intersections([50, 50], [0, 2], [1, 2], low=-1, high=5).round(8)
    array([1.23758391])
    """
    skip = one_of("equal_variance", equal_variance, ["linear", "skip"]) == "skip"
    classes = _classes(weights, means, deviations)
    roots = [root for a, b in combinations(classes, 2) for root in _crossings(a, b, skip)]
    return _inside(roots, low, high)


def combined(
    weights: ArrayLike,
    means: ArrayLike,
    deviations: ArrayLike,
    low: float,
    high: float,
    n_cuts: int = 10,
    equal_variance: str = "linear",
) -> Doubles:
    """Return the thresholds of :func:`bins` and of :func:`intersections` together.

    Parameters
    ----------
    weights, means, deviations : array-like of shape (n_classes,)
        Weight, mean and standard deviation of each class at the leaf.
    low, high : float
        The smallest and the largest value seen at the leaf.
    n_cuts : int, default=10
        Number of bins.
    equal_variance : {"linear", "skip"}, default="linear"
        As for :func:`intersections`.

    Returns
    -------
    thresholds : ndarray
        The distinct thresholds, in ascending order.

    References
    ----------
    .. [1] M. Mirkhan, M. Amir Haeri, M. R. Meybodi. Analytical split value
       calculation for numerical attributes in Hoeffding trees with
       misclassification-based impurity. Annals of Data Science 8(3), 2021, section 3.3.

    Examples
    --------
    >>> combined([60, 40], [0, 2], [1, 1], low=-3, high=5, n_cuts=3).round(6)
    array([-1.      ,  1.      ,  1.202733,  3.      ])
    """
    roots = intersections(weights, means, deviations, low, high, equal_variance)
    return np.unique(np.concatenate([bins(low, high, n_cuts), roots]))


def qda(
    weights: ArrayLike,
    means: ArrayLike,
    deviations: ArrayLike,
    low: float = -np.inf,
    high: float = np.inf,
    equal_variance: str = "linear",
) -> Doubles:
    r"""Return the root of quadratic discriminant analysis that is closer to the class means.

    .. math:: \arg\min_d\ |d - \mu_1| + |d - \mu_2|

    over the :func:`intersections` of two classes. Of two roots at the same distance, the one
    between the means is used, then the smaller one. With more than two classes, the two with
    the largest weights are used; ties go to the lower codes. The source only says "closer";
    the distance is a choice of this package.

    Parameters
    ----------
    weights, means, deviations : array-like of shape (n_classes,)
        Weight, mean and standard deviation of each class at the leaf.
    low, high : float, default=-inf, inf
        The smallest and the largest value seen at the leaf.
    equal_variance : {"linear", "skip"}, default="linear"
        As for :func:`intersections`.

    Returns
    -------
    thresholds : ndarray
        One threshold. Empty if there is no root, or if the chosen root is not strictly between
        `low` and `high`.

    References
    ----------
    .. [1] J. Gama, P. Rodrigues. Learning in dynamic environments: decision trees for
       data streams. The splitting criteria.

    Examples
    --------
    >>> qda([50, 50], [0, 2], [1, 2]).round(9)
    array([1.23758391])
    >>> qda([2, 99], [0, 0], [1, 1.1])  # one density is above the other everywhere
    array([], dtype=float64)
    """
    skip = one_of("equal_variance", equal_variance, ["linear", "skip"]) == "skip"
    classes = _classes(weights, means, deviations)
    if len(classes) < 2:
        return np.empty(0)
    # The sort is stable: equal weights keep the order of the codes.
    heaviest = sorted(range(len(classes)), key=lambda k: -classes[k][0])[:2]
    a, b = (classes[k] for k in sorted(heaviest))
    near, far = sorted((a[1], b[1]))
    roots = sorted(
        _crossings(a, b, skip),
        key=lambda d: (abs(d - near) + abs(d - far), not near <= d <= far, d),
    )
    return _inside(roots[:1], low, high)


Moments = tuple[float, float, float]


def _classes(weights: ArrayLike, means: ArrayLike, deviations: ArrayLike) -> list[Moments]:
    """Return weight, mean and variance of each class."""
    weight = not_negative("weights", weights)
    mean = np.asarray(means, dtype=np.float64)
    deviation = not_negative("deviations", deviations)
    if not weight.shape == mean.shape == deviation.shape or weight.ndim != 1:
        raise ValueError(
            "weights, means and deviations must have one entry per class, got the shapes "
            f"{weight.shape}, {mean.shape} and {deviation.shape}"
        )
    if not np.isfinite(mean).all():
        raise ValueError(f"means must be finite, got {means!r}")
    return list(zip(weight.tolist(), mean.tolist(), (deviation**2).tolist(), strict=True))


def _crossings(a: Moments, b: Moments, skip: bool) -> list[float]:
    return _core.crossings(*a, *b, skip)


def _inside(roots: list[float], low: float, high: float) -> Doubles:
    thresholds = np.unique(np.array(roots, dtype=np.float64))
    return thresholds[(low < thresholds) & (thresholds < high)]


def __getattr__(name: str) -> type[Policy]:  # for type checkers, which cannot see the classes
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


publish("cuts", globals())
