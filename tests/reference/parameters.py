"""The choices of a reference tree under the names that users write."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .impurities import IMPURITIES, scaled_costs
from .leaves import LEAVES, Floor, floored_variance

__all__ = ["SERVES", "Parameters"]

VALUES: dict[str, tuple[Any, ...]] = {
    "impurity": (*IMPURITIES, "accuracy", "loss", "hybrid"),
    "evaluator": ("resubstitution", "prequential", "holdout"),
    "cuts": ("bins", "intersections", "delayed", "combined", "qda"),
    "equal_variance": ("linear", "skip"),
    "missing_second": ("zero", "-inf"),
    "variance": ("sample", "population"),
    "bound": (
        "hoeffding",
        "mcdiarmid",
        "confidence",
        "confidence-practical",
        "normal",
        "delta-method",
        "empirical-bernstein",
        "betting",
        "none",
    ),
    "confidence_form": ("printed", "derived", "literal"),
    "pairing": ("independent", "conservative", "paired"),
    "statistics": ("gaussian", "exhaustive", "histogram"),
    "categorical_cuts": ("multiway", "one-against-rest", "both"),
    "runner_up": ("feature", "cut", "none"),
    "inherit_counts": ("none", "predict", "count"),
}

# The impurities that a bound was derived for; Hoeffding's serves every one.
SERVES = {
    "mcdiarmid": ("entropy", "gini", "hybrid"),
    "confidence": ("entropy", "gini", "kearns-mansour"),
    "confidence-practical": ("entropy", "gini", "kearns-mansour"),
    "normal": ("misclassification", "accuracy", "gini", "hybrid"),
    "delta-method": ("entropy", "gini", "misclassification", "accuracy"),
    "empirical-bernstein": ("entropy", "gini", "misclassification", "accuracy"),
    "betting": ("gini", "accuracy"),
}


@dataclass
class Parameters:
    """Checked when they are made; ``costs`` is a matrix [predicted][true] of class codes."""

    impurity: str | Callable[[Any], Any] = "entropy"
    evaluator: str = "resubstitution"
    holdout_examples: float = 30
    costs: Any | None = None
    cuts: str = "bins"
    n_cuts: int = 10
    categorical_cuts: str = "multiway"
    equal_variance: str = "linear"
    missing_second: str = "zero"
    variance: str = "sample"
    bound: str | Callable[..., Any] = "hoeffding"
    epsilons: float = 1
    delta: float = 1e-7
    spend_delta: bool = False
    confidence_c: float = 1.0
    confidence_form: str = "printed"
    pairing: str = "independent"
    tau: float = 0.05
    statistics: str = "gaussian"
    n_bins: int = 64
    legacy_gain: bool = False
    leaf: str | Sequence[str] = "adaptive"
    idbd_theta: float = 0.01
    idbd_alpha: float = 0.05
    grace_period: float = 200
    adaptive_grace: bool = False
    drop_poor_features: bool = False
    short_memory: int = 0
    short_memory_in_bound: bool = False
    runner_up: str = "feature"
    inherit_counts: str = "predict"
    min_gain: float = 1e-9
    min_branch_fraction: float = 0.01
    clip_to_range: bool = True
    max_depth: Any = None  # None: without limit
    max_leaves: Any = None
    max_bytes: Any = None  # the reference has no limit
    variance_floor: Floor = floored_variance

    def __post_init__(self) -> None:
        names = [self.leaf] if isinstance(self.leaf, str) else list(self.leaf)
        if not names or any(name not in LEAVES for name in names):
            raise ValueError(f"leaf must be one of {LEAVES} or several, got {self.leaf!r}")
        self.predictors = ["majority", "naive-bayes"] if names == ["adaptive"] else names
        for name, values in VALUES.items():
            value = getattr(self, name)
            if not callable(value) and value not in values:
                raise ValueError(f"{name} must be one of {values}, got {value!r}")
        if self.bound in SERVES and self.impurity not in SERVES[self.bound]:
            raise ValueError(f"bound={self.bound!r} supports the impurities {SERVES[self.bound]}")
        if self.evaluator != "resubstitution":
            if self.impurity not in ("accuracy", "loss"):
                raise ValueError(f"evaluator={self.evaluator!r} needs impurity accuracy or loss")
            if self.categorical_cuts != "multiway":
                raise ValueError(f"evaluator={self.evaluator!r} needs categorical_cuts='multiway'")
            if self.bound == "delta-method":
                raise ValueError("bound='delta-method' needs evaluator='resubstitution'")
            if self.drop_poor_features or self.short_memory:
                raise ValueError("drop_poor_features and short_memory need resubstitution")
        if self.drop_poor_features and self.leaf != "majority":
            raise ValueError("drop_poor_features needs leaf='majority'")
        if self.impurity == "loss" and self.costs is None:
            raise ValueError("impurity='loss' needs costs")
        if self.costs is not None:
            self.costs = scaled_costs(self.costs)
        self.max_depth = math.inf if self.max_depth is None else self.max_depth
        self.max_leaves = math.inf if self.max_leaves is None else self.max_leaves

    @property
    def criteria(self) -> tuple[str | Callable[[Any], Any], ...]:
        """The impurities that are asked, in this order: two for hybrid."""
        return ("misclassification", "gini") if self.impurity == "hybrid" else (self.impurity,)
