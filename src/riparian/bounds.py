r"""Bounds: the error of an estimated gain.

A bound is the half-width :math:`\varepsilon` of the confidence interval of
a gain. A leaf splits when the gap between its two best gains exceeds one or two
:math:`\varepsilon` (``epsilons=``). A tree accepts a bound by its name,
``HoeffdingTree(bound="hoeffding")``, or as an object with parameters,
``HoeffdingTree(bound=rp.bounds.ConfidencePractical(c=0.05))``.

``"hoeffding"``
    For means of independent terms: :func:`hoeffding`.
``"mcdiarmid"``
    For entropy and Gini; very wide: :func:`mcdiarmid`.
``"confidence"``
    Holds for all cuts, times and depths of a tree: :func:`confidence`.
``"confidence-practical"``
    The same form with a factor instead of `delta`: :func:`confidence_practical`. Parameters:
    ``ConfidencePractical(c=1.0, form="printed")``.
``"normal"``
    The normal approximation with the largest variance: :func:`normal`.
``"delta-method"``
    The normal approximation with an estimated variance: :func:`delta_method`. Parameter:
    ``DeltaMethod(pairing="independent")``.
``"empirical-bernstein"``
    Narrow if the gap between the two best gains varies little from example to example. Use
    :func:`half_width`, which computes any bound by its name.
``"betting"``
    No half-width but evidence that holds at every moment: :func:`betting`. For Gini and accuracy.
    ``tau=`` is then a tolerance that is certified, and ``delta=`` covers all checks. Parameter:
    ``Betting(budget="path")``. The proofs are in docs/certainty.md.
``"none"``
    No bound, a half-width of 0: every check that finds a gain splits, as in SPDT.

``delta=`` is the accepted probability of a wrong decision at one check. ``spend_delta=True``
divides it among the checks of a leaf (:func:`spent_delta`). ``tau=`` splits ties: a leaf
splits once epsilon is below it. A callable gets an :class:`Evidence` and returns epsilon.

All functions broadcast over their arguments. :data:`SERVES` lists the impurities that each
bound supports. :func:`hoeffding` supports all of them, because it depends on the range of the
gain only. ``"mcdiarmid"`` and ``"normal"`` also support ``impurity="hybrid"``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian.policies import Policy, publish, resolve
from riparian.policies.arguments import at_least, probabilities
from riparian.policies.betting import betting
from riparian.policies.callables import Evidence
from riparian.policies.confidence import confidence, confidence_interval, confidence_practical
from riparian.policies.influence import gap_variance, influence
from riparian.policies.literals import BoundChoice
from riparian.policies.normal import delta_method, normal, upper_quantile
from riparian.policies.widths import SERVES, computed_width

__all__ = [
    "SERVES",
    "Evidence",
    "betting",
    "confidence",
    "confidence_interval",
    "confidence_practical",
    "delta_method",
    "gap_variance",
    "half_width",
    "hoeffding",
    "influence",
    "mcdiarmid",
    "normal",
    "spent_delta",
    "upper_quantile",
]


def hoeffding(
    n: ArrayLike, *, delta: ArrayLike, gain_range: ArrayLike = 1.0
) -> NDArray[np.float64]:
    r"""Return the half-width of Hoeffding's interval around a gain, as VFDT uses it.

    .. math:: \varepsilon = R \sqrt{\frac{\ln(1/\delta)}{2n}}

    The interval holds for the mean of `n` independent observations. Information gain and
    Gini gain are not such means, so for them it is a heuristic. It also holds for one fixed
    `n`, but a tree applies it at every check (see :func:`spent_delta`).

    Parameters
    ----------
    n : array-like of shape (n_leaves,)
        Weight of the examples that each leaf has seen.
    delta : float or array-like
        Accepted probability of a wrong decision. Smaller values wait longer.
    gain_range : float or array-like, default=1.0
        :math:`R`: :math:`\log_2 k` for the entropy of :math:`k` classes, 1 for Gini.

    Returns
    -------
    epsilon : ndarray
        The half-width for each leaf.

    References
    ----------
    .. [1] P. Domingos, G. Hulten. Mining high-speed data streams. KDD 2000,
       pp. 71-80, section 2.

    Examples
    --------
    >>> hoeffding([200, 800], delta=1e-7).round(5)
    array([0.20074, 0.10037])
    """
    return computed_width("hoeffding", "entropy", n, gain_range=gain_range, delta=delta)


def mcdiarmid(
    n: ArrayLike, *, delta: ArrayLike, impurity: str = "entropy", classes: ArrayLike = 2
) -> NDArray[np.float64]:
    r"""Return the half-width of McDiarmid's interval around an information or Gini gain.

    .. math:: \varepsilon = C \sqrt{\frac{\ln(1/\delta)}{2n}}, \qquad
       C_\text{entropy} = 6\,(K \log_2(e n) + \log_2(2n)) + 2 \log_2 K, \quad
       C_\text{Gini} = 8

    The gain need not be a mean; it is enough that one example changes it little. The bound
    is on the distance of a gain from its own expectation, not from the true gain. It is so
    wide that trees hardly split.

    Parameters
    ----------
    n : array-like
        Weight of the examples that each leaf has seen.
    delta : float or array-like
        Accepted probability of a wrong decision.
    impurity : {"entropy", "gini"}, default="entropy"
        The impurity of the gain.
    classes : int or array-like, default=2
        :math:`K`, the number of classes; fewer than 2 count as 2. Gini does not use it.

    Returns
    -------
    epsilon : ndarray
        The half-width for each leaf.

    References
    ----------
    .. [1] L. Rutkowski, L. Pietruczuk, P. Duda, M. Jaworski. Decision trees for mining
       data streams based on the McDiarmid's bound. IEEE Transactions on Knowledge and
       Data Engineering 25(6), 2013, pp. 1272-1279.

    Examples
    --------
    >>> mcdiarmid([1000, 1_000_000], delta=0.05).round(6)
    array([7.922219, 0.470066])
    >>> mcdiarmid([1000], delta=0.05, impurity="gini").round(8)
    array([0.3096182])
    """
    return computed_width("mcdiarmid", impurity, n, delta=delta, classes=classes)


def spent_delta(delta: ArrayLike, check: ArrayLike) -> NDArray[np.float64]:
    r"""Return the share of `delta` for the j-th check of a leaf (``spend_delta=True``).

    .. math:: \delta_j = \frac{\delta}{j (j + 1)}, \qquad \sum_j \delta_j = \delta

    A bound holds for one fixed `n`, but a leaf makes many checks. If the j-th check is wrong
    with probability at most :math:`\delta_j`, any of them is wrong with probability at most
    `delta`. This rule is not from a paper.

    Parameters
    ----------
    delta : float or array-like
        Accepted probability of a wrong decision.
    check : int or array-like
        :math:`j`, the number of the check, starting at 1.

    Returns
    -------
    delta_j : ndarray
        The share of each check.

    Examples
    --------
    >>> spent_delta(0.06, [1, 2, 3])
    array([0.03 , 0.01 , 0.005])
    >>> hoeffding(200, delta=spent_delta(0.05, [1, 10])).round(4)
    array([0.096 , 0.1387])
    """
    chances = probabilities("delta", delta)
    checks = at_least("check", check, 1.0)
    return np.asarray(chances / (checks * (checks + 1.0)))


def half_width(
    bound: BoundChoice,
    n: ArrayLike,
    *,
    delta: ArrayLike,
    impurity: str = "entropy",
    gain_range: ArrayLike = 1.0,
    classes: ArrayLike = 2,
    depth: ArrayLike = 0,
    seen: ArrayLike = 1,
    features: ArrayLike = 1,
    variance: ArrayLike = np.nan,
) -> NDArray[np.float64]:
    """Return the half-width of the interval around a gain, for any bound.

    Parameters
    ----------
    bound : str or policy
        The name of a bound, or a policy of this module.
    n : array-like
        Weight of the examples that each leaf has seen.
    delta, gain_range, classes, depth, seen, features, variance : array-like
        The other fields of :class:`Evidence`. A bound uses some of them.
    impurity : str, default="entropy"
        The impurity of the gain.

    Returns
    -------
    epsilon : ndarray
        The half-width for each leaf.

    Examples
    --------
    >>> half_width("hoeffding", [200, 800], delta=1e-7).round(5)
    array([0.20074, 0.10037])
    >>> half_width("empirical-bernstein", [200, 800], delta=0.05, variance=0.1).round(5)
    array([0.14724, 0.05191])
    """
    policy = resolve("bound", bound)
    if not isinstance(policy, Policy):
        raise TypeError("bound must be a name or a policy; call your own function directly")
    if policy.name == "betting":
        raise ValueError(
            "bound 'betting' has no half-width; riparian.bounds.betting computes its evidence"
        )
    return computed_width(
        policy.name,
        impurity,
        n,
        delta=delta,
        gain_range=gain_range,
        classes=classes,
        depth=depth,
        seen=seen,
        features=features,
        variance=variance,
        **policy.get_params(),
    )


def __getattr__(name: str) -> type[Policy]:  # for type checkers, which cannot see the classes
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


publish("bound", globals())
