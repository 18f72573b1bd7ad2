"""The names that a tree's parameters accept, so that editors complete them.

The core declares these names; ``tests/policies/test_literals.py`` compares the two lists.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, TypeAlias

from riparian.policies.policy import Policy

__all__ = [
    "AdaptationChoice",
    "BoundChoice",
    "CategoricalCuts",
    "CutsChoice",
    "FeatureCount",
    "ImpurityChoice",
    "InheritCounts",
    "LeafChoice",
    "MissingSecond",
    "RunnerUp",
    "StatisticsChoice",
    "Variance",
]


class OwnLeafPredictor(Protocol):
    """A leaf predictor of a user (docs/policies.md)."""

    def learn(self, x: Any, y: int, w: float, /) -> Any: ...
    def predict_proba(self, x: Any, /) -> Any: ...


# -- the axes: a name, a policy, or a function where that is possible ------------------------------

StatisticsChoice: TypeAlias = Literal["gaussian", "exhaustive", "intervals", "histogram"] | Policy
CutsChoice: TypeAlias = Literal["bins", "intersections", "delayed", "combined", "qda"] | Policy
ImpurityChoice: TypeAlias = (
    Literal["entropy", "gini", "kearns-mansour", "misclassification", "accuracy", "loss", "hybrid"]
    | Policy
    | Callable[..., Any]
)
BoundChoice: TypeAlias = (
    Literal[
        "hoeffding",
        "mcdiarmid",
        "confidence",
        "confidence-practical",
        "normal",
        "delta-method",
        "empirical-bernstein",
        "betting",
        "none",
    ]
    | Policy
    | Callable[..., Any]
)
_Leaf: TypeAlias = (
    Literal["majority", "naive-bayes", "adaptive", "linear-units", "softmax"]
    | Policy
    | OwnLeafPredictor
)
LeafChoice: TypeAlias = _Leaf | Sequence[_Leaf]
AdaptationChoice: TypeAlias = (
    Literal["none", "alternates", "window", "reevaluation", "options"] | Policy
)

# -- parameters of the tree itself ---------------------------------------------------------------

Variance: TypeAlias = Literal["sample", "population"]
CategoricalCuts: TypeAlias = Literal["multiway", "one-against-rest", "both"]
RunnerUp: TypeAlias = Literal["feature", "cut", "none"]
MissingSecond: TypeAlias = Literal["zero", "-inf"]
InheritCounts: TypeAlias = Literal["none", "predict", "count"]

#: How many features to draw: a number, a share of them, the root, or all.
FeatureCount: TypeAlias = int | float | Literal["sqrt"] | None
