"""A Hoeffding tree in plain Python, to compare the splits of the engine with, one by one."""

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from .bounds import spend
from .cuts import (
    Cut,
    best_two,
    categorical_cuts,
    has_two_branches,
    midpoint,
    numeric_cuts,
    threshold_table,
    value_cuts,
)
from .decision import (
    Evidence,
    Pair,
    Situation,
    delta_method_width,
    examples_needed,
    gap_variance,
    half_width,
    leaders,
    verdict,
)
from .histogram import Histograms
from .idbd import Units
from .impurities import criterion_gain
from .leaves import (
    Value,
    best_class,
    best_of,
    cheapest_class,
    naive_bayes,
    probabilities_of_scores,
    probabilities_of_weights,
)
from .nodes import Node, Split, Waiting
from .parameters import Parameters
from .quality import Quality
from .statistics import CategoryCounts, Gaussian, Statistic, known_weight
from .values import Values

__all__ = ["Node", "ReferenceTree", "Split", "Waiting"]

# An impurity: a name, or a user's own function of counts.
Criterion = str | Callable[[Any], Any]

# The values, the class and the weight of an example.
Example = tuple[Sequence[Value], int, float]

LARGEST = 2.0**450  # numbers beyond it are clamped, so that their squares stay finite


class ReferenceTree:
    """Learns rows of numbers (NaN is missing) and category codes (-1 is missing)."""

    def __init__(self, kinds: Sequence[str], **parameters: Any) -> None:
        for kind in kinds:
            if kind not in ("numeric", "categorical"):
                raise ValueError(f"kinds must be numeric or categorical, got {kind!r}")
        self.kinds = list(kinds)
        self.parameters = Parameters(**parameters)
        self.classes: set[int] = set()
        self.categories: list[set[int]] = [set() for _ in kinds]
        self.seen = 0
        self.root = 0
        self.splits: list[Split] = []
        self.nodes: list[Node] = []
        self.memory: deque[Example] = deque(maxlen=self.parameters.short_memory)
        self._add_leaf(parent=-1, branch=0, inherited={})

    @property
    def n_leaves(self) -> int:
        """The number of nodes without a cut."""
        return sum(node.cut is None for node in self.nodes)

    def leaves(self, top: int) -> int:
        """How many leaves a subtree has, without what grows next to its nodes."""
        node = self.nodes[top]
        return 1 if node.cut is None else sum(self.leaves(c) for c in node.children.values())

    # Learning

    def learn(self, row: Sequence[float | int], y: int, w: float = 1.0) -> None:
        """Learn one example; weight 0 leaves the tree as it was."""
        if not w >= 0.0:
            raise ValueError(f"w must be >= 0, got {w}")
        if w == 0.0:
            return
        values = self._read(row)
        self.seen += 1
        self._learn_at(self._route(values, learning=True), values, y, w)

    def _learn_at(self, leaf: int, values: Sequence[Value], y: int, w: float) -> None:
        """What a leaf does with an example: judge its predictors, learn, look for a cut."""
        self._observe(leaf, values, y, self._before(w))
        self._take(leaf, values, y, w)

    def _before(self, w: float) -> float:
        """Of a weight, what predictors are judged with before the example is learned."""
        return min(w, 1.0)

    def _take(self, leaf: int, values: Sequence[Value], y: int, w: float) -> None:
        node = self.nodes[leaf]
        self.classes.add(y)
        self._update(leaf, values, y, w)
        self.memory.append((values, y, w))
        p = self.parameters
        if (
            node.depth < p.max_depth
            and self.n_leaves < p.max_leaves
            and len(node.observed) >= 2
            and node.weight - node.checked >= node.delay
        ):
            node.checked = node.weight
            self._check(leaf)
        if w > self._before(w) and node.cut is None:
            self._observe(leaf, values, y, w - self._before(w))

    def _update(self, leaf: int, values: Sequence[Value], y: int, w: float) -> None:
        """What a leaf remembers of an example."""
        node = self.nodes[leaf]
        node.observed[y] = node.observed.get(y, 0.0) + w
        node.weight += w
        for f, x in enumerate(values):
            if x is not None and self.kinds[f] == "categorical":
                self.categories[f].add(int(x))
            if x is None or f in node.dropped:
                continue
            statistic = node.statistics[f]
            if isinstance(statistic, CategoryCounts):
                statistic.update(int(x), y, w)
                continue
            if isinstance(statistic, Values):
                statistic.update(x, y, w)
            density = node.densities[f]
            assert isinstance(density, dict)
            density.setdefault(y, Gaussian()).update(x, w)
        if node.units is not None:
            node.units.learn(values, y, w, self._width())
        for pair in node.pairs.values():
            pair.learn(values, y, w)
        if node.quality is not None:
            node.quality.n_classes = self._width()
            node.quality.learn(values, y, w)
            if node.quality.due:
                node.quality.fix(self._best_thresholds(leaf))

    def _observe(self, leaf: int, values: Sequence[Value], y: int, w: float) -> None:
        """Which predictor would be right now; a weight of 3 is one before learning, two after."""
        right = self.nodes[leaf].right
        for name in right:
            right[name] += w * (self._class_by(name, leaf, values) == y)

    def _read(self, row: Sequence[float | int]) -> list[Value]:
        """The values of a row, None where missing, numbers clamped."""
        values: list[Value] = []
        for kind, x in zip(self.kinds, row, strict=True):
            if kind == "categorical":
                values.append(None if x < 0 else int(x))
            else:
                values.append(None if math.isnan(x) else min(max(float(x), -LARGEST), LARGEST))
        return values

    def _route(self, values: Sequence[Value], learning: bool, at: int | None = None) -> int:
        """The node that a row ends at: a leaf, or the multiway node that lacks its category."""
        at = self.root if at is None else at
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
            elif self.n_leaves >= self.parameters.max_leaves:
                at = node.heavy
            else:
                at = self._add_leaf(parent=at, branch=int(x), inherited={})
        return at

    def _add_leaf(self, parent: int, branch: int, inherited: dict[int, float]) -> int:
        """Append a leaf without statistics; its id is the number of nodes before it."""
        p = self.parameters
        densities: list[Statistic] = [
            CategoryCounts() if kind == "categorical" else {} for kind in self.kinds
        ]
        statistics = list(densities)
        if p.statistics == "exhaustive":
            statistics = [Values() if isinstance(d, dict) else d for d in densities]
        elif p.statistics == "histogram":
            statistics = [Histograms(p.n_bins) if isinstance(d, dict) else d for d in densities]
        leaf = Node(parent, branch, 0, inherited, statistics, densities, delay=p.grace_period)
        if "idbd" in p.predictors:
            leaf.units = Units(self.kinds, p.idbd_theta, p.idbd_alpha)
        if len(p.predictors) > 1:
            leaf.right = dict.fromkeys(p.predictors, 0.0)
        if p.evaluator != "resubstitution":
            costs = p.costs if p.impurity == "loss" else None
            leaf.quality = Quality(self.kinds, p.evaluator, p.holdout_examples, costs)
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

    def _cuts(
        self, leaf: int, f: int, criterion: Criterion, cuts: str | None = None
    ) -> Iterator[tuple[float, Cut]]:
        """The cuts of a feature that are not rejected, with their gains by resubstitution.

        A gain is scaled by the known share of the weight.
        """
        p = self.parameters
        node = self.nodes[leaf]
        statistic = node.statistics[f]
        found: Iterator[Cut]
        if isinstance(statistic, CategoryCounts):
            used = f in node.multiway_used
            found = categorical_cuts(f, statistic, self._width(), p.categorical_cuts, used)
        elif isinstance(statistic, Values):
            found = value_cuts(f, statistic, self._width())
        else:
            found = numeric_cuts(
                f,
                statistic,
                self._width(),
                p.n_cuts,
                p.clip_to_range,
                cuts or p.cuts,
                p.equal_variance,
                p.variance,
            )
        known = known_weight(statistic)
        for cut in found:
            if has_two_branches(cut.table, known, p.min_branch_fraction):
                gain = criterion_gain(criterion, cut.table, p.costs, p.legacy_gain)
                yield known / node.weight * gain, cut

    def _candidates(self, leaf: int, criterion: Criterion) -> list[tuple[float, Cut]]:
        """Every cut with its gain, by feature and then by candidate."""
        node = self.nodes[leaf]
        if node.quality is None:
            features = [f for f in range(len(self.kinds)) if f not in node.dropped]
            return [found for f in features for found in self._cuts(leaf, f, criterion)]
        measured = [
            node.quality.candidate(f, self._width())
            for f in range(len(self.kinds))
            if f not in node.multiway_used
        ]
        fraction = self.parameters.min_branch_fraction
        return [
            (gain, cut)
            for gain, cut in filter(None, measured)
            if has_two_branches(cut.table, cut.table.sum(), fraction)
        ]

    def _best_thresholds(self, leaf: int) -> dict[int, Cut]:
        """The best cut of every numeric feature by resubstitution, the first of equals."""
        best = {}
        for f, kind in enumerate(self.kinds):
            if kind == "numeric":
                cuts = list(self._cuts(leaf, f, self.parameters.impurity))
                if cuts:
                    best[f] = max(cuts, key=lambda found: found[0])[1]
        return best

    def _situation(self, leaf: int, cuts: Sequence[Cut | None], check: int) -> Situation:
        """What the bound is asked with at the j-th check of a leaf."""
        node = self.nodes[leaf]
        p = self.parameters
        n = node.weight if node.quality is None else node.quality.averaged(*cuts)
        unbound = 0.0 if p.short_memory_in_bound else node.recalled
        return Situation(
            n=n - unbound + node.counted if n > 0.0 else 0.0,
            delta=spend(p.delta, check) if p.spend_delta else p.delta,
            n_classes=len(node.observed),
            depth=node.depth,
            seen=self.seen,
            n_features=len(self.kinds),
        )

    def _epsilon(
        self,
        leaf: int,
        criterion: Criterion,
        cuts: Sequence[Cut | None],
        situation: Situation,
    ) -> float:
        p = self.parameters
        if p.bound != "delta-method":
            variance = math.nan
            if callable(p.bound) or p.bound == "empirical-bernstein":
                variance = gap_variance(criterion, cuts, self.nodes[leaf].weight)
            return half_width(p, criterion, situation, variance)
        node = self.nodes[leaf]
        name = str(criterion)
        return delta_method_width(p, name, situation, cuts, node.weight, node.pairs.get(name))

    def _evidence(self, leaf: int, criterion: Criterion, check: int) -> tuple[Evidence, Situation]:
        """The best cut, its runner-up and epsilon."""
        p = self.parameters
        (best_gain, best), (second_gain, second) = best_two(
            self._candidates(leaf, criterion), p.runner_up, p.missing_second
        )
        situation = self._situation(leaf, (best, second), check)
        epsilon = self._epsilon(leaf, criterion, (best, second), situation)
        return Evidence(best, best_gain, second, second_gain, epsilon), situation

    def _check(self, leaf: int) -> None:
        """Ask the criteria one after the other; the first that is sure splits the leaf."""
        p = self.parameters
        node = self.nodes[leaf]
        node.checks += 1
        node.delay = p.grace_period
        waited, poor = math.inf, set(range(len(self.kinds)))
        last: Waiting | None = None
        for criterion in p.criteria:
            evidence, situation = self._evidence(leaf, criterion, node.checks)
            split, reason = verdict(p, evidence, self.n_leaves)
            if last is None:
                more = self._needed(leaf, criterion, evidence, situation)
                last = Waiting(
                    **vars(evidence),
                    leaf=leaf,
                    depth=node.depth,
                    n=situation.n,
                    examples_needed=more,
                    reason=reason,
                )
            if split:
                self._split(leaf, criterion, evidence, situation.n, reason)
                return
            if reason == "bound":
                more = self._needed(leaf, criterion, evidence, situation)
                if math.isfinite(more):
                    waited = min(waited, math.ceil(situation.n + more) - situation.n)
            poor &= self._poor(leaf, criterion, evidence)
            if p.bound == "delta-method" and p.pairing == "paired":
                self._follow(node, str(criterion), (evidence.best, evidence.runner_up))
        node.last = last
        if p.adaptive_grace:
            # At the latest after an eighth of the weight: gaps change.
            node.delay = max(p.grace_period, min(waited, node.weight / 8.0))
        if p.drop_poor_features:
            node.dropped |= poor

    def _poor(self, leaf: int, criterion: Criterion, evidence: Evidence) -> set[int]:
        """Features whose best gain is behind by more than epsilon, but for the best two."""
        if not self.parameters.drop_poor_features:
            return set()
        best: dict[int, float] = {}
        for gain, cut in self._candidates(leaf, criterion):
            best[cut.feature] = max(gain, best.get(cut.feature, -math.inf))
        ranked = sorted(best, key=lambda f: -best[f])  # the first of equals first
        behind = self.parameters.epsilons * evidence.epsilon
        return {f for f in ranked[2:] if evidence.gain - best[f] > behind}

    def _needed(
        self, leaf: int, criterion: Criterion, evidence: Evidence, situation: Situation
    ) -> float:
        """Further weight until the bound is met at this gap, or the tie."""
        p = self.parameters
        cuts = (evidence.best, evidence.runner_up)
        gap = evidence.gain - evidence.runner_up_gain
        return examples_needed(
            lambda n: self._epsilon(
                leaf,
                criterion,
                cuts,
                replace(situation, n=n, seen=situation.seen + n - situation.n),
            ),
            situation.n,
            max(gap / p.epsilons, p.tau),
        )

    def _follow(self, node: Node, criterion: str, cuts: Sequence[Cut | None]) -> None:
        """Start again with two leaders that are not the ones followed so far."""
        pair = node.pairs.get(criterion)
        if pair is None or pair.features != leaders(cuts):
            node.pairs[criterion] = Pair(criterion, cuts)

    def _executed(self, leaf: int, criterion: Criterion, decided: Cut, gain: float) -> Cut:
        """The cut that is made: with delayed cuts an intersection may be better than the bin.

        A threshold of a feature whose values are all known lies in the middle between two.
        """
        gaussians = self.nodes[leaf].statistics[decided.feature]
        if self.nodes[leaf].quality is not None or not isinstance(gaussians, dict):
            return decided
        best, best_gain = decided, gain
        if self.parameters.cuts == "delayed":
            for better, cut in self._cuts(leaf, decided.feature, criterion, "intersections"):
                if better > best_gain:
                    best, best_gain = cut, better
        t = midpoint(gaussians, best.value)
        if t is None:
            return best
        p = self.parameters
        table = threshold_table(gaussians, t, self._width(), p.clip_to_range, p.variance)
        return Cut(best.feature, "threshold", t, table)

    def _split(
        self, leaf: int, criterion: Criterion, evidence: Evidence, n: float, reason: str
    ) -> None:
        """Make an inner node of the leaf; its children start empty."""
        assert evidence.best is not None
        node = self.nodes[leaf]
        cut = self._executed(leaf, criterion, evidence.best, evidence.gain)
        node.cut = cut
        branches = cut.categories if cut.test == "multiway" else (0, 1)
        inherit = self.parameters.inherit_counts
        for branch, weights in zip(branches, cut.table, strict=True):
            inherited = {k: float(weight) for k, weight in enumerate(weights)}
            child = self._add_leaf(leaf, branch, {} if inherit == "none" else inherited)
            if node.units is not None:
                self.nodes[child].units = node.units.for_child()
            if inherit == "count":
                self.nodes[child].counted = float(weights.sum())
        heaviest = int(cut.table.sum(axis=1).argmax())
        node.heavy = node.children[branches[heaviest]]
        node.statistics = node.densities = []
        self._recall(leaf)
        self.splits.append(
            Split(
                **vars(evidence),
                node=leaf,
                feature=cut.feature,
                test=cut.test,
                value=cut.value,
                categories=cut.categories,
                n=n,
                seen=self.seen,
                reason=reason,
                criterion=str(getattr(criterion, "__name__", criterion)),
                table=cut.table,
                children=tuple(node.children[branch] for branch in branches),
            )
        )

    def _recall(self, split: int) -> None:
        """Route the short memory again: the children learn what reached their parent."""
        children = self.nodes[split].children.values()
        for values, y, w in self.memory:
            leaf = self._route(values, learning=False)
            if leaf in children:
                self._update(leaf, values, y, w)
        for child in map(self.nodes.__getitem__, children):
            child.recalled = child.checked = child.weight
            # The parent's estimate holds them too, and may be short of them by some.
            for k in child.inherited:
                child.inherited[k] = max(0.0, child.inherited[k] - child.observed.get(k, 0.0))
            if self.parameters.inherit_counts == "count":
                child.counted = sum(child.inherited.values())

    def pending(self) -> list[Waiting]:
        """For every leaf, in the order of the ids, why it is a leaf."""
        return [self._waiting(i) for i, node in enumerate(self.nodes) if node.cut is None]

    def _waiting(self, leaf: int) -> Waiting:
        """The evidence of the criterion that would split now, or else of the first one."""
        p = self.parameters
        node = self.nodes[leaf]
        asked = []
        for criterion in p.criteria:
            evidence, situation = self._evidence(leaf, criterion, node.checks + 1)
            asked.append((criterion, evidence, situation, *verdict(p, evidence, self.n_leaves)))
        passing = [of for of in asked if of[3]]
        criterion, evidence, situation, split, reason = (passing or asked)[0]
        needed = math.inf
        if node.depth >= p.max_depth:
            reason = "max_depth"
        elif len(node.observed) < 2:
            reason = "pure"
        elif split or reason == "bound":
            needed = self._needed(leaf, criterion, evidence, situation)
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
            values, node.observed, node.densities, n_categories, self.parameters.variance_floor
        )

    def _predictor(self, at: int) -> str:
        """Which of the predictors answers at a node."""
        node = self.nodes[at]
        if node.cut is not None:
            return "majority"
        return best_of(node.right) if node.right else self.parameters.predictors[0]

    def _class_by(self, name: str, at: int, values: Sequence[Value]) -> int | None:
        """The class that one predictor answers with."""
        if name == "majority":
            return best_class(self._answer(at))
        if name == "naive-bayes":
            return best_class(self._naive_bayes(at, values))
        units = self.nodes[at].units
        shares = units.probabilities(values, self._width()) if units is not None else None
        return best_class(dict(enumerate(shares)) if shares else self._answer(at))

    def _decided(self, row: Sequence[float | int]) -> int | None:
        """The class of least cost, once anything was learned."""
        if not self.seen:
            return None
        probabilities = self.probabilities(row, self._width())
        return cheapest_class(probabilities, self.parameters.costs, self._width())

    def predict(self, row: Sequence[float | int]) -> int | None:
        """The class code that the tree answers, or None before the first example."""
        if self.parameters.costs is not None:
            return self._decided(row)
        values = self._read(row)
        at = self._route(values, learning=False)
        return self._class_by(self._predictor(at), at, values)

    def probabilities(self, row: Sequence[float | int], n_classes: int) -> list[float]:
        """A probability for each of the first ``n_classes`` class codes."""
        values = self._read(row)
        return self._probabilities_at(self._route(values, learning=False), values, n_classes)

    def _probabilities_at(self, at: int, values: Sequence[Value], n_classes: int) -> list[float]:
        node = self.nodes[at]
        name = self._predictor(at)
        if name == "naive-bayes" and node.weight > 0.0:
            return probabilities_of_scores(self._naive_bayes(at, values), n_classes)
        if name == "idbd" and node.units is not None:
            known = min(n_classes, self._width())
            shares = node.units.probabilities(values, known)
            if shares is not None:
                return shares + [0.0] * (n_classes - known)
        return probabilities_of_weights(self._answer(at), n_classes)
