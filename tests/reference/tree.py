"""A Hoeffding tree in plain Python, to compare the splits of the engine with, one by one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from .bounds import hoeffding
from .cuts import Cut, best_two, categorical_cuts, has_two_branches, numeric_cuts
from .impurities import IMPURITIES, gain, gain_range
from .leaves import (
    LEAVES,
    Floor,
    Value,
    adaptive,
    best_class,
    floored_variance,
    naive_bayes,
    probabilities_of_scores,
    probabilities_of_weights,
)
from .statistics import CategoryCounts, Gaussian, Statistic, known_weight

__all__ = ["Node", "ReferenceTree", "Split", "Waiting"]

LARGEST = 2.0**450  # numbers beyond it are clamped, so that their squares stay finite


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
    multiway_used: frozenset[int] = frozenset()
    observed: dict[int, float] = field(default_factory=dict)
    weight: float = 0.0
    counted: float = 0.0
    checked: float = 0.0
    majority_right: float = 0.0
    naive_bayes_right: float = 0.0
    cut: Cut | None = None
    children: dict[int, int] = field(default_factory=dict)
    heavy: int = -1


@dataclass(frozen=True)
class Evidence:
    """The two best cuts of a leaf; the null cut (None) stands in for a runner-up without gain."""

    best: Cut | None
    gain: float
    runner_up: Cut | None
    runner_up_gain: float
    epsilon: float


@dataclass(frozen=True)
class Split(Evidence):
    """The record of a split: what was chosen, and why."""

    node: int
    feature: int
    test: str  # "threshold", "one-against-rest" or "multiway"
    value: float | int | None  # the threshold, the category, or None
    categories: tuple[int, ...]  # of the branches of a multiway test
    n: float
    seen: int
    reason: str  # "bound" or "tie"
    table: Any  # the class weights, one row a branch
    children: tuple[int, ...]


@dataclass(frozen=True)
class Waiting(Evidence):
    """What a leaf would decide on now, and what keeps it from splitting."""

    leaf: int
    depth: int
    n: float
    examples_needed: float  # further weight until the rule passes if the gains stay as they are
    reason: str  # "max_depth", "pure", "no cut", "min_gain", "max_leaves", "bound", "grace_period"


class ReferenceTree:
    """Learns rows of numbers (NaN is missing) and category codes (-1 is missing)."""

    def __init__(
        self,
        kinds: Sequence[str],
        *,
        impurity: str = "entropy",
        bound: str = "hoeffding",
        n_cuts: int = 10,
        categorical_cuts: str = "multiway",
        leaf: str = "adaptive",
        grace_period: float = 200,
        delta: float = 1e-7,
        tau: float = 0.05,
        epsilons: float = 1,
        runner_up: str = "attribute",
        inherit_counts: str = "predict",
        min_gain: float = 1e-9,
        min_branch_fraction: float = 0.01,
        clip_to_range: bool = True,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        variance_floor: Floor = floored_variance,
    ) -> None:
        leaf = leaf.replace("_", "-")
        for name, value, values in [
            ("impurity", impurity, tuple(IMPURITIES)),
            ("bound", bound, ("hoeffding",)),
            ("categorical_cuts", categorical_cuts, ("multiway", "one-against-rest", "both")),
            ("leaf", leaf, LEAVES),
            ("runner_up", runner_up, ("attribute", "cut")),
            ("inherit_counts", inherit_counts, ("none", "predict", "count")),
            *(("kinds", kind, ("numeric", "categorical")) for kind in kinds),
        ]:
            if value not in values:
                raise ValueError(f"{name} must be one of {values}, got {value!r}")
        self.kinds = list(kinds)
        self.impurity = impurity
        self.n_cuts = n_cuts
        self.categorical_cuts = categorical_cuts
        self.leaf = leaf
        self.grace_period = grace_period
        self.delta = delta
        self.tau = tau
        self.epsilons = epsilons
        self.runner_up = runner_up
        self.inherit_counts = inherit_counts
        self.min_gain = min_gain
        self.min_branch_fraction = min_branch_fraction
        self.clip_to_range = clip_to_range
        self.max_depth = math.inf if max_depth is None else max_depth
        self.max_leaves = math.inf if max_leaves is None else max_leaves
        self.variance_floor = variance_floor

        self.classes: set[int] = set()
        self.categories: list[set[int]] = [set() for _ in kinds]
        self.seen = 0
        self.splits: list[Split] = []
        self.nodes: list[Node] = []
        self._add_leaf(parent=-1, branch=0, inherited={})

    @property
    def n_leaves(self) -> int:
        """The number of nodes without a cut."""
        return sum(node.cut is None for node in self.nodes)

    # Learning

    def learn(self, row: Sequence[float | int], y: int, w: float = 1.0) -> None:
        """Learn one example; weight 0 leaves the tree as it was."""
        if not w >= 0.0:
            raise ValueError(f"w must be >= 0, got {w}")
        if w == 0.0:
            return
        values = self._read(row)
        self.seen += 1
        leaf = self._route(values, learning=True)
        node = self.nodes[leaf]

        self._observe(leaf, values, y, min(w, 1.0))
        self.classes.add(y)
        node.observed[y] = node.observed.get(y, 0.0) + w
        node.weight += w
        for f, x in enumerate(values):
            if x is None:
                continue
            statistic = node.statistics[f]
            if isinstance(statistic, CategoryCounts):
                self.categories[f].add(int(x))
                statistic.update(int(x), y, w)
            else:
                statistic.setdefault(y, Gaussian()).update(x, w)

        if (
            node.depth < self.max_depth
            and len(node.observed) >= 2
            and node.weight - node.checked >= self.grace_period
        ):
            node.checked = node.weight
            self._check(leaf)
        if w > 1.0 and node.cut is None:
            self._observe(leaf, values, y, w - 1.0)

    def _observe(self, leaf: int, values: Sequence[Value], y: int, w: float) -> None:
        """Which predictor would be right now; a weight of 3 is one before learning, two after."""
        if self.leaf == "adaptive":
            node = self.nodes[leaf]
            node.majority_right += w * (best_class(self._answer(leaf)) == y)
            node.naive_bayes_right += w * (best_class(self._naive_bayes(leaf, values)) == y)

    def _read(self, row: Sequence[float | int]) -> list[Value]:
        """The values of a row, None where missing, numbers clamped."""
        values: list[Value] = []
        for kind, x in zip(self.kinds, row, strict=True):
            if kind == "categorical":
                values.append(None if x < 0 else int(x))
            else:
                values.append(None if math.isnan(x) else min(max(float(x), -LARGEST), LARGEST))
        return values

    def _route(self, values: Sequence[Value], learning: bool) -> int:
        """The node that a row ends at: a leaf, or the multiway node that lacks its category."""
        at = 0
        while (cut := self.nodes[at].cut) is not None:
            node = self.nodes[at]
            x = values[cut.feature]
            if x is None:
                at = node.heavy
            elif cut.test == "threshold":
                assert cut.value is not None
                at = node.children[0 if x <= cut.value else 1]
            elif cut.test == "one-against-rest":
                at = node.children[0 if x == cut.value else 1]
            elif x in node.children:
                at = node.children[int(x)]
            elif not learning:
                return at
            elif self.n_leaves >= self.max_leaves:
                at = node.heavy
            else:
                at = self._add_leaf(parent=at, branch=int(x), inherited={})
        return at

    def _add_leaf(self, parent: int, branch: int, inherited: dict[int, float]) -> int:
        """Append a leaf without statistics; its id is the number of nodes before it."""
        statistics: list[Statistic] = [
            CategoryCounts() if kind == "categorical" else {} for kind in self.kinds
        ]
        leaf = Node(parent, branch, 0, inherited, statistics)
        if parent >= 0:
            above = self.nodes[parent]
            above.children[branch] = len(self.nodes)
            leaf.depth = above.depth + 1
            leaf.multiway_used = above.multiway_used
            if above.cut is not None and above.cut.test == "multiway":
                leaf.multiway_used = above.multiway_used | {above.cut.feature}
        self.nodes.append(leaf)
        return len(self.nodes) - 1

    # Deciding

    def _width(self) -> int:
        """The number of columns of a table: every class code seen so far has one."""
        return max(self.classes, default=-1) + 1

    def _candidates(self, leaf: int) -> list[tuple[float, Cut]]:
        """Every cut that is not rejected, with its gain, by feature and then by candidate."""
        node = self.nodes[leaf]
        impurity = IMPURITIES[self.impurity]
        found = []
        for f, statistic in enumerate(node.statistics):
            if isinstance(statistic, CategoryCounts):
                used = f in node.multiway_used
                cuts = categorical_cuts(f, statistic, self._width(), self.categorical_cuts, used)
            else:
                cuts = numeric_cuts(f, statistic, self._width(), self.n_cuts, self.clip_to_range)
            known = known_weight(statistic)
            for cut in cuts:
                if has_two_branches(cut.table, known, self.min_branch_fraction):
                    found.append((known / node.weight * gain(cut.table, impurity), cut))
        return found

    def _evidence(self, leaf: int) -> Evidence:
        """The best cut, its runner-up and epsilon."""
        node = self.nodes[leaf]
        epsilon = math.inf
        if node.weight > 0.0:
            r = gain_range(self.impurity, len(node.observed))
            epsilon = float(hoeffding(node.weight + node.counted, self.delta, r))
        (best_gain, best), (second_gain, second) = best_two(
            self._candidates(leaf), other_feature=self.runner_up == "attribute"
        )
        return Evidence(best, best_gain, second, second_gain, epsilon)

    def _verdict(self, evidence: Evidence) -> tuple[bool, str]:
        """Whether to split, and the rule that says so."""
        if evidence.best is None:
            return False, "no cut"
        if not evidence.gain > self.min_gain:
            return False, "min_gain"
        if self.n_leaves - 1 + len(evidence.best.table) > self.max_leaves:
            return False, "max_leaves"
        if evidence.gain - evidence.runner_up_gain > self.epsilons * evidence.epsilon:
            return True, "bound"
        if evidence.epsilon < self.tau:
            return True, "tie"
        return False, "bound"

    def _check(self, leaf: int) -> None:
        """Make an inner node of the leaf if the evidence is enough; its children start empty."""
        node = self.nodes[leaf]
        evidence = self._evidence(leaf)
        split, reason = self._verdict(evidence)
        cut = evidence.best
        if not split or cut is None:
            return
        node.cut = cut
        branches = cut.categories if cut.test == "multiway" else (0, 1)
        for branch, weights in zip(branches, cut.table, strict=True):
            inherited = {k: float(weight) for k, weight in enumerate(weights)}
            child = self._add_leaf(leaf, branch, {} if self.inherit_counts == "none" else inherited)
            if self.inherit_counts == "count":
                self.nodes[child].counted = float(weights.sum())
        heaviest = int(cut.table.sum(axis=1).argmax())
        node.heavy = node.children[branches[heaviest]]
        node.statistics = []
        self.splits.append(
            Split(
                **vars(evidence),
                node=leaf,
                feature=cut.feature,
                test=cut.test,
                value=cut.value,
                categories=cut.categories,
                n=node.weight + node.counted,
                seen=self.seen,
                reason=reason,
                table=cut.table,
                children=tuple(node.children[branch] for branch in branches),
            )
        )

    def pending(self) -> list[Waiting]:
        """For every leaf, in the order of the ids, why it is a leaf."""
        return [self._waiting(i) for i, node in enumerate(self.nodes) if node.cut is None]

    def _waiting(self, leaf: int) -> Waiting:
        node = self.nodes[leaf]
        evidence = self._evidence(leaf)
        split, reason = self._verdict(evidence)
        needed = math.inf
        if node.depth >= self.max_depth:
            reason = "max_depth"
        elif len(node.observed) < 2:
            reason = "pure"
        elif split or reason == "bound":
            gap = evidence.gain - evidence.runner_up_gain
            width = max(gap / self.epsilons, self.tau)
            r = gain_range(self.impurity, len(node.observed))
            if width > 0.0:
                n = r**2 * math.log(1.0 / self.delta) / (2.0 * width**2)
                needed = max(n - node.weight - node.counted, 0.0)
            reason = "grace_period" if split else "bound"
        return Waiting(
            **vars(evidence),
            leaf=leaf,
            depth=node.depth,
            n=node.weight,
            examples_needed=needed,
            reason=reason,
        )

    # Answering

    def _answer(self, at: int) -> dict[int, float]:
        """Inherited plus observed class weights; those of the nearest ancestor that has any."""
        while at >= 0:
            node = self.nodes[at]
            weights = dict(node.inherited)
            for k, weight in node.observed.items():
                weights[k] = weights.get(k, 0.0) + weight
            if sum(weights.values()) > 0.0:
                return weights
            at = node.parent
        return {}

    def _naive_bayes(self, at: int, values: Sequence[Value]) -> dict[int, float]:
        """Log scores, or the answer of the majority where nothing was observed."""
        node = self.nodes[at]
        if node.cut is not None or node.weight <= 0.0:
            return self._answer(at)
        n_categories = [len(seen) for seen in self.categories]
        return naive_bayes(
            values, node.observed, node.statistics, n_categories, self.variance_floor
        )

    def _predictor(self, at: int) -> str:
        """Which of the two predictors answers at a node."""
        node = self.nodes[at]
        if node.cut is not None or node.weight <= 0.0:
            return "majority"
        if self.leaf == "adaptive":
            return adaptive(node.majority_right, node.naive_bayes_right)
        return self.leaf

    def predict(self, row: Sequence[float | int]) -> int | None:
        """The class code that the tree answers, or None before the first example."""
        values = self._read(row)
        at = self._route(values, learning=False)
        if self._predictor(at) == "majority":
            return best_class(self._answer(at))
        return best_class(self._naive_bayes(at, values))

    def probabilities(self, row: Sequence[float | int], n_classes: int) -> list[float]:
        """A probability for each of the first ``n_classes`` class codes."""
        values = self._read(row)
        at = self._route(values, learning=False)
        if self._predictor(at) == "majority":
            return probabilities_of_weights(self._answer(at), n_classes)
        return probabilities_of_scores(self._naive_bayes(at, values), n_classes)
