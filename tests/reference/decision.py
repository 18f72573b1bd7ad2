"""When the evidence of a leaf is enough to split it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from . import bounds
from .cuts import Cut, branch_of
from .impurities import gain_range
from .leaves import Value
from .parameters import SERVES, Parameters

__all__ = [
    "Evidence",
    "Pair",
    "Situation",
    "delta_method_width",
    "examples_needed",
    "gap_variance",
    "half_width",
    "leaders",
    "verdict",
]


@dataclass(frozen=True)
class Evidence:
    """The two best cuts of a leaf; the null cut (None) stands in for a runner-up without gain."""

    best: Cut | None
    gain: float
    runner_up: Cut | None
    runner_up_gain: float
    epsilon: float


@dataclass(frozen=True)
class Situation:
    """What a leaf knows when it asks how far a gain may be off."""

    n: float
    delta: float
    n_classes: int
    depth: int
    seen: int
    n_features: int


class Pair:
    """Running mean and variance of phi_1 - phi_2 for two leading features.

    The cuts and their phi stay as they were when the features became the leaders. Whatever phi is
    not known for then, a missing value, a new category or a new class, has 0.
    """

    def __init__(self, criterion: str, cuts: Sequence[Cut | None]) -> None:
        self.features = leaders(cuts)
        self.cuts = [cut for cut in cuts if cut is not None]
        signs = [sign for sign, cut in zip((1.0, -1.0), cuts, strict=True) if cut is not None]
        self.phi = [
            sign * bounds.influence(cut.table, criterion)
            for sign, cut in zip(signs, self.cuts, strict=True)
        ]
        self.weight = 0.0
        self.mean = 0.0
        self.m2 = 0.0

    def learn(self, values: Sequence[Value], y: int, w: float) -> None:
        """Add the difference that one example makes."""
        difference = 0.0
        for cut, phi in zip(self.cuts, self.phi, strict=True):
            x = values[cut.feature]
            branch = None if x is None else branch_of(cut, x)
            if branch is not None and y < phi.shape[1]:
                difference += float(phi[branch, y])
        self.weight += w
        delta = difference - self.mean
        self.mean += w / self.weight * delta
        self.m2 += w * delta * (difference - self.mean)

    @property
    def variance(self) -> float:
        """M2 / W."""
        return max(self.m2, 0.0) / self.weight


def leaders(cuts: Sequence[Cut | None]) -> list[int]:
    """The features of two cuts in the order of the columns; -1 is no split."""
    return sorted(-1 if cut is None else cut.feature for cut in cuts)


def half_width(
    parameters: Parameters,
    criterion: str | Callable[[Any], Any],
    situation: Situation,
    variance: float = math.nan,
) -> float:
    """epsilon of every bound but the delta method; ``variance`` is that of the gap."""
    p, s = parameters, situation
    r = gain_range(criterion, s.n_classes)
    if s.n <= 0.0:
        return math.inf
    if callable(p.bound):
        # A function gets arrays, so that it can be plotted too; a leaf asks with one element.
        told = {
            "n": s.n,
            "gain_range": r,
            "delta": s.delta,
            "classes": s.n_classes,
            "depth": s.depth,
            "seen": s.seen,
            "features": s.n_features,
            "variance": variance,
        }
        asked = SimpleNamespace(**{name: np.array([float(x)]) for name, x in told.items()})
        return float(np.squeeze(p.bound(asked)))
    if p.bound == "none":
        return 0.0
    if p.bound == "empirical-bernstein":
        if math.isnan(variance) or s.n <= 1.0:
            return math.inf
        return bounds.empirical_bernstein(s.n, s.delta, variance, r)
    if p.bound == "normal":
        return bounds.normal(s.n, s.delta, str(criterion), s.n_classes)
    if p.bound == "confidence":
        return bounds.confidence(s.n, s.delta, str(criterion), s.depth, s.seen, s.n_features)
    if p.bound == "confidence-practical":
        c, form = p.confidence_c, p.confidence_form
        return bounds.confidence_practical(
            s.n, str(criterion), s.depth, s.seen, s.n_features, c, form
        )
    # Hybrid asks McDiarmid's about Gini only.
    if p.bound == "mcdiarmid" and criterion != "misclassification":
        return bounds.mcdiarmid(s.n, s.delta, str(criterion), s.n_classes)
    return float(bounds.hoeffding(s.n, s.delta, r))


def delta_method_width(
    parameters: Parameters,
    criterion: str,
    situation: Situation,
    cuts: Sequence[Cut | None],
    weight: float,
    pair: Pair | None,
) -> float:
    """epsilon of the delta method for the two best cuts of a leaf that has seen ``weight``."""
    real = [cut for cut in cuts if cut is not None]
    if not real or not all(bounds.enough_examples(cut.table, situation.n) for cut in real):
        return math.inf
    if parameters.pairing == "paired":
        if pair is None or pair.features != leaders(cuts) or pair.weight < 100.0:
            return math.inf
        variances = (pair.variance, 0.0)
    else:
        first, second = (
            0.0 if cut is None else bounds.phi_variance(cut.table, criterion, weight)
            for cut in cuts
        )
        variances = (first, second)
    return bounds.delta_method(situation.n, situation.delta, variances, parameters.pairing)


def gap_variance(
    criterion: str | Callable[[Any], Any], cuts: Sequence[Cut | None], weight: float
) -> float:
    """sigma_1^2 + sigma_2^2 of the delta method, for a user's own bound; NaN if unknown."""
    real = [cut for cut in cuts if cut is not None]
    served = criterion in SERVES["delta-method"]
    # However many examples there are: that is for the bound to judge.
    if not served or not all(bounds.enough_examples(cut.table, math.inf) for cut in real):
        return math.nan
    return sum(bounds.phi_variance(cut.table, str(criterion), weight) for cut in real)


def verdict(parameters: Parameters, evidence: Evidence, n_leaves: int) -> tuple[bool, str]:
    """Whether to split, and the rule that says so."""
    p = parameters
    if evidence.best is None:
        return False, "no cut"
    if not evidence.gain > (0.0 if p.legacy_gain else p.min_gain):
        return False, "min_gain"
    if n_leaves - 1 + len(evidence.best.table) > p.max_leaves:
        return False, "max_leaves"
    if p.bound == "none":
        return True, "round"
    if evidence.gain - evidence.runner_up_gain > p.epsilons * evidence.epsilon:
        # Nothing to be ahead of: no bound was met, however large the gap.
        return True, "forced" if evidence.runner_up_gain == -math.inf else "bound"
    if evidence.epsilon < p.tau:
        return True, "tie"
    return False, "bound"


def examples_needed(width_at: Callable[[float], float], n: float, width: float) -> float:
    """Further weight until a bound is down to a width, if all else stays; by bisection."""
    if n <= 0.0 or width <= 0.0:
        return math.inf
    if width_at(n) <= width:
        return 0.0
    low, high = n, 2.0 * n
    while width_at(high) > width:
        low, high = high, 2.0 * high
        if high > 1e30:
            return math.inf
    while (middle := 0.5 * (low + high)) not in (low, high):
        low, high = (middle, high) if width_at(middle) > width else (low, middle)
    return high - n
