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

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian import _core
from riparian.policies import Policy, publish, resolve
from riparian.policies import classes as policy_classes
from riparian.policies.arguments import at_least, broadcast, positive, probabilities, served
from riparian.policies.callables import Evidence
from riparian.policies.influence import gap_variance, influence
from riparian.policies.literals import BoundChoice

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

#: The impurities that each bound supports. ``"hoeffding"`` is not listed: it supports all.
SERVES: dict[str, tuple[str, ...]] = {
    name: tuple(impurity for impurity in cls.declared["serves"] if impurity != "hybrid")
    for name, cls in policy_classes("bound").items()
    if cls.declared["serves"]
}


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
    return _bound("hoeffding", "entropy", n, gain_range=gain_range, delta=delta)


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
    return _bound("mcdiarmid", impurity, n, delta=delta, classes=classes)


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
    return _bound("confidence", impurity, n, delta=delta, depth=depth, seen=seen, features=features)


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
    return _bound(
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
    return _bound("normal", impurity, n, delta=delta, classes=classes)


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
    >>> s2 = gap_variance([[30, 10], [5, 55]], None, "entropy")
    >>> round(s2, 9), round((s2 / 100) ** 0.5, 9)
    (0.771820622, 0.087853322)
    >>> delta_method([100, 10_000], delta=0.05, variance=s2).round(6)
    array([0.144506, 0.014451])
    """
    variances = np.asarray(variance, dtype=np.float64)
    at_least("variance", variances[~np.isnan(variances)], 0.0)
    return _bound("delta-method", "entropy", n, delta=delta, variance=variances)


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
    return _bound(
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


def _bound(
    name: str,
    impurity: str,
    n: ArrayLike,
    *,
    delta: ArrayLike,
    gain_range: ArrayLike = 1.0,
    classes: ArrayLike = 2,
    depth: ArrayLike = 0,
    seen: ArrayLike = 1,
    features: ArrayLike = 1,
    variance: ArrayLike = np.nan,
    **parameters: Any,
) -> NDArray[np.float64]:
    """Compute the bound for each element of the broadcast arrays."""
    if name in SERVES:
        served(name, impurity, SERVES[name])
    arrays = broadcast(
        n=positive("n", n, "the interval of a leaf without examples is not defined"),
        gain_range=at_least("gain_range", gain_range, 0.0),
        delta=probabilities("delta", delta),
        classes=at_least("classes", classes, 0.0),
        depth=at_least("depth", depth, 0.0),
        seen=positive("seen", seen),
        features=at_least("features", features, 1.0),
        variance=np.asarray(variance, dtype=np.float64),
    )
    weight, r, chance, k, h, t, d, s2 = (a.ravel() for a in arrays)
    bound = policy_classes("bound")[name](**parameters).checked("bound")
    widths = _core.half_width(bound, impurity, weight, r, chance, k, h, t, d, s2)
    return widths.reshape(arrays[0].shape)


def __getattr__(name: str) -> type[Policy]:  # for type checkers, which cannot see the classes
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


publish("bound", globals())
