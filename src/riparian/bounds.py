r"""How far an estimated gain may be off.

A bound is the half-width :math:`\varepsilon` of the confidence interval of
a gain. A leaf splits once its two best gains are more than one or two
:math:`\varepsilon` apart (``epsilons=``). A tree accepts a bound by its name:
``HoeffdingTree(bound="hoeffding")``.

``"hoeffding"``
    For means of independent terms: :func:`hoeffding`.
``"mcdiarmid"``
    For entropy and Gini, very wide: :func:`mcdiarmid`.
``"confidence"``
    For all cuts, times and depths of a tree: :func:`confidence`.
``"confidence-practical"``
    The same shape with a factor instead of `delta`: :func:`confidence_practical`. Parameters:
    ``ConfidencePractical(c=1.0, form="printed")``.
``"normal"``
    The normal approximation with the largest variance: :func:`normal`.
``"delta-method"``
    The normal approximation with an estimated variance: :func:`delta_method`. Parameter:
    ``DeltaMethod(pairing="independent")``.

``"empirical-bernstein"``
    Narrow where the gap of the two best gains varies little; :func:`half_width`, which also
    gives every other bound by its name.

``delta=`` is the accepted probability of error at one check; ``spend_delta=True`` shares
it among the checks of a leaf (:func:`spent_delta`), ``tau=`` ends the wait for epsilon. A
callable gets an :class:`Evidence` and gives epsilon.

All functions broadcast over their arguments. :data:`SERVES` lists the impurities that
a bound was derived for; :func:`hoeffding` is given a range instead and serves all. A tree
also takes ``impurity="hybrid"`` with ``"mcdiarmid"`` and ``"normal"``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian import _core
from riparian.arguments import at_least, broadcast, positive, probabilities, served
from riparian.callables import Evidence
from riparian.influence import gap_variance, influence
from riparian.policies import Choice, Policy, publish, resolve
from riparian.policies import classes as policy_classes

__all__ = [
    "SERVES",
    "Evidence",
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

#: The impurities that each bound serves, except ``"hoeffding"``, which serves all.
SERVES: dict[str, tuple[str, ...]] = {
    name: tuple(impurity for impurity in cls.declared["serves"] if impurity != "hybrid")
    for name, cls in policy_classes("bound").items()
    if cls.declared["serves"]
}


def hoeffding(
    n: ArrayLike, *, delta: ArrayLike, gain_range: ArrayLike = 1.0
) -> NDArray[np.float64]:
    r"""Half-width of Hoeffding's interval around a gain, as VFDT uses it.

    .. math:: \varepsilon = R \sqrt{\frac{\ln(1/\delta)}{2n}}

    It holds for the mean of `n` independent observations. Information gain and the
    Gini gain are no such means, so a tree that uses it promises nothing exactly;
    moreover it is applied at every check, although it holds for one fixed `n`
    (:func:`spent_delta`).

    Parameters
    ----------
    n : array-like of shape (n_leaves,)
        Weight of the examples that each leaf has seen.
    delta : float or array-like
        Accepted probability of a wrong decision. Smaller values wait longer.
    gain_range : float or array-like, default=1.0
        :math:`R`: :math:`\log_2 k` for the entropy of :math:`k` classes, 1 for Gini.

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
    r"""Half-width of McDiarmid's interval around an information gain or a Gini gain.

    .. math:: \varepsilon = C \sqrt{\frac{\ln(1/\delta)}{2n}}, \qquad
       C_\text{entropy} = 6\,(K \log_2(e n) + \log_2(2n)) + 2 \log_2 K, \quad
       C_\text{Gini} = 8

    It needs no mean, only that one example moves the gain little. It bounds the
    distance of a gain from its own expectation, not from the true gain, and it is so
    wide that such trees hardly split.

    Parameters
    ----------
    n : array-like
        Weight of the examples that each leaf has seen.
    delta : float or array-like
        Accepted probability of a wrong decision.
    impurity : {"entropy", "gini"}, default="entropy"
    classes : int or array-like, default=2
        :math:`K`; fewer than 2 count as 2. Gini does not use it.

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
    r"""Half-width of C-Tree's interval around a gain, for a whole tree.

    The interval of :func:`confidence_interval` with a share of :math:`\delta` for each
    test, time and depth, in the units of the gains: entropy in bits.

    .. math:: \varepsilon = \varepsilon(m, \delta'), \qquad
       \delta' = \frac{\delta}{(h+1)(h+2)\, t\, d\, m}

    It bounds the distance from the true value, bias included, at every check. With
    ``epsilons=2`` an example meets a split that is more than `tau` from the best with
    probability at most :math:`\delta`. Proven for two classes and tests with two
    branches; for more of either it is a rule of thumb.

    Parameters
    ----------
    n : array-like
        :math:`m`: weight of the examples that each leaf has seen.
    delta : float or array-like
        Accepted probability of a wrong decision, over the whole tree.
    impurity : {"entropy", "gini", "kearns-mansour"}
    seen : int or array-like
        :math:`t`: examples that the tree has learned.
    features : int or array-like
        :math:`d`: features that the tree knows.
    depth : int or array-like, default=0
        :math:`h`: depth of the leaf; the root has 0.

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
    r"""Half-width of C-Tree's interval for one fixed test, in the units of the paper.

    .. math:: \varepsilon_\text{entropy} &=
              (\ln m) \sqrt{\tfrac2m \ln\tfrac4\delta} + \tfrac2m \\
       \varepsilon_\text{Gini} &= \sqrt{\tfrac8m \ln\tfrac2\delta} + 4\sqrt{\tfrac1m} \\
       \varepsilon_\text{KM} &= 4\sqrt{\tfrac1m \ln\tfrac8\delta}

    They hold with probability :math:`1-\delta` for the weighted impurity of the
    branches, two classes and two branches, at one fixed :math:`m`. Entropy is in
    half-nats, :math:`\frac{\ln 2}2` of a bit; one example or less gives infinity there.

    Parameters
    ----------
    m : array-like
        Independent examples.
    delta : float or array-like
        Probability that the interval misses.
    impurity : {"entropy", "gini", "kearns-mansour"}

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
    r"""C-Tree's rule as its authors ran it: one constant instead of :math:`\delta`.

    .. math:: \varepsilon_\text{printed} = c \sqrt{\tfrac1m \ln(m^2 h^2 t d)}, \qquad
       \varepsilon_\text{derived} = c \sqrt{\tfrac1m \ln((h+1)(h+2)\, d\, m\, t^2)}

    times :math:`\ln m` for entropy. As printed the root has :math:`h=1` and :math:`d`
    counts the class too, as in the released code; the derived form is what
    :func:`confidence` gives for :math:`\delta = 1/t`, with the root at 0. It promises
    nothing: `c` is tuned. Infinite where the logarithm is not positive.

    Parameters
    ----------
    n : array-like
        :math:`m`: weight of the examples that each leaf has seen.
    impurity : {"entropy", "gini", "kearns-mansour"}
    seen : int or array-like
        :math:`t`: examples that the tree has learned.
    features : int or array-like
        Features that the tree knows, without the class.
    depth : int or array-like, default=0
        Depth of the leaf; the root has 0 in both forms.
    c : float, default=1.0
    form : {"printed", "derived"}, default="printed"

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
    r"""Threshold for the difference of two gains by the normal approximation.

    .. math:: \varepsilon_\text{misclassification} = z_{1-\delta} \sqrt{\frac{1}{2n}},
       \qquad \varepsilon_\text{Gini} =
       z_{1-\delta} \sqrt{\frac{2\,(5K^2 - 8K + 4)}{n}}

    The variances are the largest possible, so it needs no counts. It trusts the normal
    distribution far into its tail, and it is applied at every check, although it holds
    for one fixed `n`.

    Parameters
    ----------
    n : array-like
        Weight of the examples that each leaf has seen.
    delta : float or array-like
        Accepted probability of a wrong decision; from 1/2 on the threshold is not
        positive.
    impurity : {"misclassification", "accuracy", "gini"}, default="misclassification"
    classes : int or array-like, default=2
        :math:`K`; fewer than 2 count as 2. Only Gini uses it.

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
    r"""Threshold for the difference of two gains from its variance: the test of NIP-N.

    .. math:: \varepsilon = z_{1-\delta} \sqrt{\frac{s^2}{n}}

    A gain is asymptotically normal, and :func:`gap_variance` estimates the
    :math:`s^2` of a difference of two. Not to be trusted near a gain of 0, where the
    distribution is another one, nor below 100 examples: infinite there.

    Parameters
    ----------
    n : array-like
        Weight of the examples that each leaf has seen.
    delta : float or array-like
        Accepted probability of a wrong decision.
    variance : float or array-like
        :math:`s^2` an example; NaN if it is not known, which gives infinity.

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


def spent_delta(delta: ArrayLike, check: ArrayLike) -> NDArray[np.float64]:
    r"""What the j-th check of a leaf may use of `delta` (``spend_delta=True``).

    .. math:: \delta_j = \frac{\delta}{j (j + 1)}, \qquad \sum_j \delta_j = \delta

    A bound holds for one fixed `n`; a leaf makes many checks. So spent, all its
    checks together are wrong with probability at most `delta`, if one is with
    :math:`\delta_j`. A rule of this package, not of a paper.

    Parameters
    ----------
    delta : float or array-like
        Accepted probability of a wrong decision.
    check : int or array-like
        :math:`j`, from 1.

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
    r"""The :math:`z` that a standard normal variable exceeds with probability `p`.

    :math:`z_{1-\delta}` in :func:`normal` and :func:`delta_method`, with the same bits
    on every machine.

    Examples
    --------
    >>> upper_quantile([1e-7, 0.05]).round(9)
    array([5.19933758, 1.64485363])
    """
    chances = probabilities("p", p)
    return _core.upper_quantile(chances.ravel()).reshape(chances.shape)


def half_width(
    bound: Choice,
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
    """Half-width of the interval around a gain, by any bound.

    Parameters
    ----------
    bound : str or policy
        The bound: a name or a policy of this module.
    n : array-like
        Weight of the examples that each leaf has seen.
    delta, gain_range, classes, depth, seen, features, variance : array-like
        What else a leaf knows (:class:`Evidence`). Each bound uses some of it.
    impurity : str, default="entropy"
        The impurity whose gain it is.

    Examples
    --------
    >>> half_width("hoeffding", [200, 800], delta=1e-7).round(5)
    array([0.20074, 0.10037])
    >>> half_width("empirical-bernstein", [200, 800], delta=0.05, variance=0.1).round(5)
    array([0.14724, 0.05191])
    """
    policy = resolve("bound", bound)
    if not isinstance(policy, Policy):
        raise TypeError("bound must be a name or a policy; call a function of your own itself")
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
    """Asks the core for each element of the broadcast arrays."""
    if name in SERVES:
        served(name, impurity, SERVES[name])
    arrays = broadcast(
        n=positive("n", n, "a leaf without examples has no interval"),
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


def __getattr__(name: str) -> type[Policy]:  # for type checkers, who cannot see the classes
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


publish("bound", globals())
