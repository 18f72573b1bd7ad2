"""A tree that looks at its inner nodes again, in plain Python; given up nodes stay in the list."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .cuts import Cut, threshold_table
from .decision import Evidence, verdict
from .impurities import criterion_gain
from .nodes import Split
from .statistics import known_weight
from .tree import ReferenceTree
from .values import Values

__all__ = ["Change", "ReevaluationReference"]


@dataclass(frozen=True)
class Change:
    """What became of an inner node."""

    seen: int
    kind: str
    depth: int
    leaves_before: int
    leaves_after: int
    gain_before: float
    gain_after: float
    bound: float


class ReevaluationReference(ReferenceTree):
    """Manapragada, Webb and Salehi (2018), algorithms 2 and 3."""

    def __init__(
        self, kinds: Sequence[str], *, reevaluate_every: float = 2000, **parameters: Any
    ) -> None:
        super().__init__(kinds, **parameters)
        self.every = reevaluate_every
        self.changes: list[Change] = []

    @property
    def n_leaves(self) -> int:
        return self.leaves(self.root)

    def learn(self, row: Sequence[float | int], y: int, w: float = 1.0) -> None:
        """Learn one example at every node of its path."""
        if w == 0.0:
            return
        values = self._read(row)
        self.seen += 1
        leaf = self._route(values, learning=True)
        self._observe(leaf, values, y, min(w, 1.0))
        self.classes.add(y)
        path = [self.nodes[leaf].parent]
        while path[-1] >= 0:
            path.append(self.nodes[path[-1]].parent)
        for at in reversed(path[:-1]):
            self._update(at, values, y, w)
            node = self.nodes[at]
            due = node.weight - node.checked >= self.every and len(node.observed) >= 2
            if due and self._reconsider(at):
                return
        self._take(leaf, values, y, w)

    def _reconsider(self, at: int) -> bool:
        """Look at an inner node; true if its children are new, or gone."""
        p = self.parameters
        node = self.nodes[at]
        assert node.cut is not None
        node.checked = node.weight
        node.checks += 1
        evidence, situation = self._evidence(at, p.impurity, node.checks)
        found = self._candidates(at, p.impurity)
        if evidence.best is None:
            return False
        depth, leaves, bound = node.depth, self.leaves(at), p.epsilons * evidence.epsilon
        now = self._gain_now(at, node.cut, found)
        if not evidence.gain > p.min_gain:
            return self._become_leaf(at, now, bound)
        same = evidence.best.feature == node.cut.feature
        if same and evidence.best.test == node.cut.test == "threshold":
            cut = self._executed(at, p.impurity, evidence.best, evidence.gain)
            splits, reason = verdict(p, evidence, 0)
            if splits and self._gain_now(at, cut, found) > now + p.min_gain:
                node.cut = cut
                self._certify(at, evidence, situation.n, reason)
                change = Change(
                    self.seen, "moved", depth, leaves, leaves, now, evidence.gain, bound
                )
                self.changes.append(change)
            return False
        if self._key(evidence.best) == self._key(node.cut):
            return False
        own = [(gain, cut) for gain, cut in found if cut.feature == node.cut.feature]
        rival: tuple[float, Cut | None] = (0.0, None)
        if same:
            rival = (now, node.cut)
        elif own:
            rival = max(own, key=lambda one: one[0])
        if not rival[0] > 0.0:
            rival = (0.0, None)
        lead = evidence.gain - rival[0]
        if lead > bound:
            reason = "bound"
        elif evidence.epsilon < p.tau and lead >= p.tau / 2:
            reason = "tie"
        else:
            return False
        against = Evidence(evidence.best, evidence.gain, rival[1], rival[0], evidence.epsilon)
        return self._get_test(at, against, situation.n, reason, bound)

    def _become_leaf(self, at: int, now: float, bound: float) -> bool:
        """No cut gains anything; true if the children are gone."""
        depth, leaves = self.nodes[at].depth, self.leaves(at)
        self._prune(at)
        self.changes.append(Change(self.seen, "pruned", depth, leaves, 1, now, 0.0, bound))
        return True

    def _get_test(self, at: int, against: Evidence, n: float, reason: str, bound: float) -> bool:
        """Another test is better; true if the children are new."""
        p = self.parameters
        node, leaves = self.nodes[at], self.leaves(at)
        assert against.best is not None
        self._prune(at)
        if self.n_leaves - 1 + len(against.best.table) <= p.max_leaves:
            self._split(at, p.impurity, against, n, reason)
        kind = "pruned" if node.cut is None else "resplit"
        gains = against.runner_up_gain, against.gain
        self.changes.append(
            Change(self.seen, kind, node.depth, leaves, self.leaves(at), *gains, bound)
        )
        return True

    def _gain_now(self, at: int, cut: Cut, found: Sequence[tuple[float, Cut]]) -> float:
        """The gain of a test with the statistics of now."""
        p = self.parameters
        node = self.nodes[at]
        if cut.test != "threshold":
            like = [g for g, c in found if (c.feature, c.test, c.value) == self._key(cut)]
            return like[0] if like else 0.0
        statistic = node.statistics[cut.feature]
        assert cut.value is not None
        table = np.zeros((2, self._width()))
        if isinstance(statistic, Values):
            for x, cells in statistic.cells.items():
                for k, weight in cells.items():
                    table[0 if x <= cut.value else 1, k] += weight
        else:
            assert isinstance(statistic, dict)
            table = threshold_table(
                statistic, cut.value, self._width(), p.clip_to_range, p.variance
            )
        known = known_weight(statistic)
        return known / node.weight * criterion_gain(p.impurity, table, p.costs, p.legacy_gain)

    @staticmethod
    def _key(cut: Cut) -> tuple[Any, ...]:
        return cut.feature, cut.test, cut.value

    def _split(self, leaf: int, *rest: Any) -> None:
        """As any leaf, but its statistics stay."""
        node = self.nodes[leaf]
        statistics, densities = node.statistics, node.densities
        super()._split(leaf, *rest)
        node.statistics, node.densities = statistics, densities

    def _prune(self, at: int) -> None:
        node = self.nodes[at]
        below = [at]
        for i in below:
            below.extend(self.nodes[i].children.values())
        self.splits = [s for s in self.splits if s.node not in below]
        node.cut, node.children, node.heavy = None, {}, -1

    def _certify(self, at: int, evidence: Evidence, n: float, reason: str) -> None:
        node = self.nodes[at]
        assert node.cut is not None
        self.splits = [s for s in self.splits if s.node != at]
        self.splits.append(
            Split(
                **vars(evidence),
                node=at,
                feature=node.cut.feature,
                test=node.cut.test,
                value=node.cut.value,
                categories=node.cut.categories,
                n=n,
                seen=self.seen,
                reason=reason,
                criterion=str(self.parameters.impurity),
                table=node.cut.table,
                children=tuple(node.children.values()),
            )
        )
