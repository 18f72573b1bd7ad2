"""A tree with alternates in plain Python: subtrees are linked, never copied or renumbered."""

import math
from collections.abc import Sequence
from typing import Any

from .drift import ADWIN
from .duel import DuellingReference

__all__ = ["AlternatesReference"]


class AlternatesReference(DuellingReference):
    """Bifet and Gavaldà (2009): ADWIN at every node, alternates where errors rise."""

    def __init__(
        self,
        kinds: Sequence[str],
        *,
        drift_delta: float = 0.002,
        replace_by: str = "interval",
        **parameters: Any,
    ) -> None:
        super().__init__(kinds, **parameters)
        self.drift_delta, self.replace_by = drift_delta, replace_by
        self.detectors: dict[int, ADWIN] = {}
        self.alternates: dict[int, int] = {}

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
            self._bet(top, of_node, wrong)
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
            if node in self.alternates:
                others.append(self.alternates[node])
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
            old = self.alternates.get(node)
            if old is not None:
                if old not in self.detectors or self.detectors[old].estimate < ours.estimate:
                    return None
                self.counts["dropped"] += 1
            self.alternates[node] = self._begin(node)
            return None
        other = self.alternates.get(node)
        theirs = self.detectors.get(other) if other is not None else None
        if other is not None and self.replace_by == "betting":
            return other if self._settle(node, other) else None
        if other is None or theirs is None:
            return None
        if min(ours.width, theirs.width) <= self.switch_after:
            return None
        e, f = ours.estimate, theirs.estimate
        both = 1.0 / theirs.width + 1.0 / ours.width
        bound = math.sqrt(2.0 * e * (1.0 - e) * math.log(2.0 / self.switch_delta) * both)
        if e - f > bound:
            self._record_replacement(node, other, e, f, bound)
            self._replace(node, other)
            return other
        if f - e > bound:
            self.counts["dropped"] += 1
            self._drop(node, other)
        return None

    def _drop(self, node: int, other: int) -> None:
        del self.alternates[node]

    def _replace(self, node: int, other: int) -> None:
        parent = self.nodes[node].parent
        if self.alternates.get(parent) == node:  # an alternate of an alternate
            self.nodes[other].parent = parent
            self.alternates[parent] = other
        else:
            self._take_place(node, other)

    def cuts(self, top: int | None = None) -> list[tuple[Any, ...]]:
        """Every cut of the tree that answers, from the root down."""
        node = self.nodes[self.root if top is None else top]
        if node.cut is None:
            return []
        here = [(node.depth, node.cut.feature, node.cut.test, node.cut.value)]
        return here + [t for _, c in sorted(node.children.items()) for t in self.cuts(c)]
