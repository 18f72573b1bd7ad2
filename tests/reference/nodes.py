"""The nodes of a reference tree, and its records of what was decided."""

from dataclasses import dataclass, field
from typing import Any

from .cuts import Cut
from .decision import Evidence, Pair
from .idbd import Units
from .quality import Quality
from .statistics import Statistic

__all__ = ["Node", "Split", "Waiting"]


@dataclass
class Node:
    """A leaf, or an inner node once it has a cut.

    ``inherited`` are the class weights that the parent's cut predicted: they answer; in the n of
    a bound they count only as ``counted``. ``children`` are keyed by branch: 0 and 1, or the
    category code.
    """

    parent: int
    branch: int
    depth: int
    inherited: dict[int, float]
    statistics: list[Statistic]
    densities: list[Statistic]  # what naive Bayes reads: Gaussians, even where values are kept
    multiway_used: frozenset[int] = frozenset()
    observed: dict[int, float] = field(default_factory=dict)
    weight: float = 0.0
    counted: float = 0.0
    checked: float = 0.0
    delay: float = 0.0
    recalled: float = 0.0
    dropped: set[int] = field(default_factory=set)
    right: dict[str, float] = field(default_factory=dict)  # by predictor, where one is chosen
    units: Units | None = None
    cut: Cut | None = None
    children: dict[int, int] = field(default_factory=dict)
    heavy: int = -1
    checks: int = 0
    last: "Waiting | None" = None  # the check that was last, of a leaf that waits
    quality: Quality | None = None
    pairs: dict[str, Pair] = field(default_factory=dict)


@dataclass(frozen=True)
class Split(Evidence):
    """The record of a split: what was chosen, and why.

    ``best`` and ``gain`` are what was decided on; with delayed cuts ``value`` and ``table`` may
    be those of a better threshold of the same feature.
    """

    node: int
    feature: int
    test: str  # "threshold", "one-against-rest" or "multiway"
    value: float | int | None  # the threshold, the category, or None
    categories: tuple[int, ...]  # of the branches of a multiway test
    n: float
    seen: int
    reason: str  # "bound", "tie" or "forced"
    criterion: str  # the impurity that decided, of a hybrid one of the two
    table: Any  # the class weights, one row a branch
    children: tuple[int, ...]


@dataclass(frozen=True)
class Waiting(Evidence):
    """What a leaf decides on, now or at its last check, and what keeps it from splitting."""

    leaf: int
    depth: int
    n: float
    examples_needed: float  # further weight until the rule passes if the gains stay as they are
    reason: str  # "max_depth", "pure", "no cut", "min_gain", "max_leaves", "bound", "grace_period"
