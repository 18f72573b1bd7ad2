"""A tree with alternates in plain Python: subtrees are linked, never copied or renumbered."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .drift import ADWIN
from .duel import Duel
from .tree import ReferenceTree

__all__ = ["AlternatesReference", "Replacement"]


@dataclass(frozen=True)
class Replacement:
    """A subtree that took the place of another."""

    seen: int
    depth: int
    leaves_before: int
    leaves_after: int
    error_before: float
    error_after: float
    bound: float


class AlternatesReference(ReferenceTree):
    """Bifet and Gavaldà (2009): ADWIN at every node, alternates where errors rise."""

    def __init__(
        self,
        kinds: Sequence[str],
        *,
        drift_delta: float = 0.002,
        switch_delta: float = 0.05,
        switch_after: float = 300,
        replace_by: str = "interval",
        **parameters: Any,
    ) -> None:
        super().__init__(kinds, **parameters)
        self.drift_delta, self.switch_delta = drift_delta, switch_delta
        self.switch_after = switch_after
        self.replace_by = replace_by
        self.duels: dict[int, Duel] = {}
        self.detectors: dict[int, ADWIN] = {}
        self.beside: dict[int, int] = {}
        self.counts = {"started": 0, "dropped": 0, "replaced": 0}
        self.replacements: list[Replacement] = []

    def learn(self, row: Sequence[float | int], y: int, w: float = 1.0) -> None:
        """Learn one example in the tree and in every alternate on its way."""
        if w == 0.0:
            return
        values = self._read(row)
        self.seen += 1
        self._pass(self.root, values, y, w)

    def _pass(
        self, top: int, values: list[Any], y: int, w: float, of_node: float | None = None
    ) -> None:
        leaf = self._route(values, True, top)
        wrong = float(self._class_by(self._predictor(leaf), leaf, values) != y)
        if of_node is not None and self.replace_by == "betting":
            self.duels.setdefault(top, Duel(self.switch_after)).bet(of_node, wrong)
        path = [leaf]
        while path[-1] != top:
            path.append(self.nodes[path[-1]].parent)
        others = []
        for node in reversed(path[1:]):
            self._hear(node, wrong)
            fresh = self._judge(node)
            if fresh is not None:
                leaf = self._route(values, True, fresh)
                break
            if node in self.beside:
                others.append(self.beside[node])
        else:
            self._hear(leaf, wrong)
        self._learn_at(leaf, values, y, w)
        for other in others:
            self._pass(other, values, y, w, wrong)

    def _hear(self, node: int, wrong: float) -> None:
        detector = self.detectors.setdefault(node, ADWIN(self.drift_delta))
        self.signal = detector.update(wrong)

    def _judge(self, node: int) -> int | None:
        """The root of what took the place of a node, if anything did."""
        ours = self.detectors[node]
        if self.signal == 2 and ours.shift > 0.0:
            old = self.beside.get(node)
            if old is not None:
                if old not in self.detectors or self.detectors[old].estimate < ours.estimate:
                    return None
                self.counts["dropped"] += 1
            self.beside[node] = self._begin(node)
            self.counts["started"] += 1
            return None
        other = self.beside.get(node)
        theirs = self.detectors.get(other) if other is not None else None
        if other is not None and self.replace_by == "betting":
            return self._judge_bets(node, other)
        if other is None or theirs is None:
            return None
        if min(ours.width, theirs.width) <= self.switch_after:
            return None
        e, f = ours.estimate, theirs.estimate
        both = 1.0 / theirs.width + 1.0 / ours.width
        bound = math.sqrt(2.0 * e * (1.0 - e) * math.log(2.0 / self.switch_delta) * both)
        if e - f > bound:
            self.counts["replaced"] += 1
            depth, leaves = self.nodes[node].depth, (self.leaves(node), self.leaves(other))
            self.replacements.append(Replacement(self.seen, depth, *leaves, e, f, bound))
            self._link(node, other)
            return other
        if f - e > bound:
            del self.beside[node]
            self.counts["dropped"] += 1
        return None

    def _judge_bets(self, node: int, other: int) -> int | None:
        duel = self.duels.get(other)
        if duel is not None and duel.ahead >= 1 / self.switch_delta:
            self.counts["replaced"] += 1
            depth, leaves = self.nodes[node].depth, (self.leaves(node), self.leaves(other))
            self.replacements.append(Replacement(self.seen, depth, *leaves, *duel.errors, 0.0))
            self._link(node, other)
            return other
        if duel is not None and duel.behind >= 1 / self.switch_delta:
            del self.beside[node]
            self.counts["dropped"] += 1
        return None

    def _begin(self, owner: int) -> int:
        above = self.nodes[owner]
        fresh = self._add_leaf(parent=-1, branch=above.branch, inherited={})
        leaf = self.nodes[fresh]
        leaf.parent, leaf.depth, leaf.multiway_used = owner, above.depth, above.multiway_used
        return fresh

    def _link(self, old: int, new: int) -> None:
        parent = self.nodes[old].parent
        self.nodes[new].parent = parent
        if old == self.root:
            self.root = new
        elif self.beside.get(parent) == old:
            self.beside[parent] = new
        else:
            above = self.nodes[parent]
            above.children[self.nodes[old].branch] = new
            if above.heavy == old:
                above.heavy = new

    def leaves(self, top: int) -> int:
        """How many leaves a subtree has, without what grows beside its nodes."""
        node = self.nodes[top]
        return 1 if node.cut is None else sum(self.leaves(c) for c in node.children.values())

    def cuts(self, top: int | None = None) -> list[tuple[Any, ...]]:
        """Every cut of the tree that answers, from the root down."""
        node = self.nodes[self.root if top is None else top]
        if node.cut is None:
            return []
        here = [(node.depth, node.cut.feature, node.cut.test, node.cut.value)]
        return here + [t for _, c in sorted(node.children.items()) for t in self.cuts(c)]
