"""What a leaf answers: its majority, naive Bayes, or whichever of the two was right more often."""

import math
from collections.abc import Callable, Mapping, Sequence

from .statistics import CategoryCounts, Gaussian, Statistic
from .values import Values

__all__ = [
    "LEAVES",
    "ORDER",
    "Floor",
    "Value",
    "best_class",
    "best_of",
    "cheapest_class",
    "floored_variance",
    "log_density",
    "naive_bayes",
    "pooled_variance",
    "probabilities_of_scores",
    "probabilities_of_weights",
]

LEAVES = ("majority", "naive-bayes", "adaptive", "idbd")

# Of predictors that were right equally often the first one answers.
ORDER = ("idbd", "naive-bayes", "majority")

# A value as it was read: a number, a category code, or None where it is missing.
Value = float | int | None

# From a variance, the weight behind it and the range of the feature at the leaf to the
# variance that is used.
Floor = Callable[[float, float, float], float]


def floored_variance(variance: float, weight: float, leaf_range: float) -> float:
    """sigma >= 1e-3 of the feature's range at the leaf, and a variance that has a logarithm.

    And at least the variance that one more value, uniform over the range,
    would add among ``weight`` of them. A few values that agree do not prove that all will.
    """
    return max(variance, leaf_range**2 / (12.0 * weight), (1e-3 * leaf_range) ** 2, 1e-280)


def best_class(weights: Mapping[int, float]) -> int | None:
    """The class with the largest weight or score, ties to the lowest code; None without any."""
    best = None
    for k in sorted(weights):
        if best is None or weights[k] > weights[best]:
            best = k
    return best


def probabilities_of_weights(weights: Mapping[int, float], n_classes: int) -> list[float]:
    """Weights over their sum; no weight at all knows nothing and says so evenly."""
    total = sum(weights[k] for k in sorted(weights))
    if total <= 0.0:
        return [1.0 / n_classes] * n_classes
    return [weights.get(k, 0.0) / total for k in range(n_classes)]


def probabilities_of_scores(scores: Mapping[int, float], n_classes: int) -> list[float]:
    """exp(score) over their sum, the largest taken out first; no score, no probability."""
    top = max(scores.values())
    total = sum(math.exp(scores[k] - top) for k in sorted(scores))
    return [math.exp(scores[k] - top) / total if k in scores else 0.0 for k in range(n_classes)]


def pooled_variance(gaussians: Mapping[int, Gaussian]) -> float:
    """The within-class variance: sum M2 / sum (W - 1) over the classes with W > 1."""
    spread = [gaussians[k] for k in sorted(gaussians) if gaussians[k].weight > 1.0]
    freedom = sum(gaussian.weight - 1.0 for gaussian in spread)
    if freedom <= 0.0:
        return 0.0
    return max(sum(gaussian.m2 for gaussian in spread), 0.0) / freedom


def log_density(x: float, mean: float, variance: float) -> float:
    """ln of the normal density at x."""
    return -0.5 * math.log(2.0 * math.pi * variance) - (x - mean) ** 2 / (2.0 * variance)


def naive_bayes(
    row: Sequence[Value],
    observed: Mapping[int, float],
    statistics: Sequence[Statistic],
    n_categories: Sequence[int],
    floor: Floor = floored_variance,
) -> dict[int, float]:
    """ln n_k + sum of ln P(x_f | k), for every class with observed weight.

    A missing value is skipped, and so is a numeric feature of which some class has no known
    value here, or that was constant here.
    ``n_categories`` counts, for each feature, the categories that the whole tree has seen.
    """
    scores = {k: math.log(weight) for k, weight in sorted(observed.items()) if weight > 0.0}
    for x, statistic, v in zip(row, statistics, n_categories, strict=True):
        if x is None:
            continue
        if isinstance(statistic, CategoryCounts):
            if v == 0:  # nobody has seen a category of it yet
                continue
            for k in scores:
                total = statistic.class_weight(k)
                scores[k] += math.log((statistic.weight(int(x), k) + 1.0) / (total + v))
            continue
        assert not isinstance(statistic, Values), "naive Bayes reads Gaussians"
        if all(k in statistic for k in scores):
            lo = min((gaussian.low for gaussian in statistic.values()), default=0.0)
            hi = max((gaussian.high for gaussian in statistic.values()), default=0.0)
            if hi <= lo:
                continue
            pooled = pooled_variance(statistic)
            for k in scores:
                gaussian = statistic[k]
                variance = gaussian.variance if gaussian.weight > 1.0 else pooled
                scores[k] += log_density(
                    x, gaussian.mean, floor(variance, gaussian.weight, hi - lo)
                )
    return scores


def best_of(right: Mapping[str, float]) -> str:
    """The predictor with most weight to its credit; equal credit goes to the first in ORDER."""
    return max((name for name in ORDER if name in right), key=lambda name: right[name])


def cheapest_class(
    probabilities: Sequence[float], costs: Sequence[Sequence[float]], n_classes: int
) -> int:
    """The answer of least expected cost among the classes known; ties to the lowest code."""
    expected = [
        sum(probabilities[k] * costs[a][k] for k in range(n_classes)) for a in range(n_classes)
    ]
    return expected.index(min(expected))
