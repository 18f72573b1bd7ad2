"""EFDT with bets in plain Python: a doubted test stays until an alternate has won against it."""

from collections.abc import Sequence
from typing import Any

from .decision import Evidence
from .duel import DuellingReference
from .efdt import ReevaluationReference
from .nodes import Split

__all__ = ["BettingReevaluationReference"]


class BettingReevaluationReference(DuellingReference, ReevaluationReference):
    """Where EFDT would change a test, a subtree with the new one grows next to the node."""

    def __init__(self, kinds: Sequence[str], **parameters: Any) -> None:
        super().__init__(kinds, **parameters)
        self.alternates: dict[int, int] = {}  # the alternate of a node
        self.former: list[tuple[int, Split]] = []  # splits that went, with the row

    def learn(self, row: Sequence[float | int], y: int, w: float = 1.0) -> None:
        """Learn one example in the tree and in every alternate on its way."""
        if w == 0.0:
            return
        values = self._read(row)
        self.seen += 1
        passes: list[tuple[int, int | None, bool]] = [(self.root, None, False)]
        for top, owner, node_wrong in passes:
            leaf = self._route(values, True, top)
            wrong = self._class_by(self._predictor(leaf), leaf, values) != y
            self._observe(leaf, values, y, min(w, 1.0))
            self.classes.add(y)
            if owner is not None:
                self._bet(top, float(node_wrong), float(wrong))
            path = [leaf]
            while path[-1] != top:
                path.append(self.nodes[path[-1]].parent)
            for at in reversed(path[1:]):
                self._update(at, values, y, w)
                node, alternate = self.nodes[at], self.alternates.get(at)
                due = node.weight - node.checked >= self.every and len(node.observed) >= 2
                if owner is None and due:
                    self._reconsider(at)
                if alternate is not None and self.alternates.get(at) == alternate:
                    passes.append((alternate, at, wrong))
            self._take(leaf, values, y, w)
        for top, owner, _ in passes[1:]:
            if owner is not None and self._is_part(owner):
                self._settle(owner, top)

    def _is_part(self, at: int) -> bool:
        """Whether a node is part of the tree that predicts."""
        while at != self.root:
            above = self.nodes[at].parent
            if self.nodes[above].children.get(self.nodes[at].branch) != at:
                return False
            at = above
        return True

    def _drop(self, node: int, other: int) -> None:
        del self.alternates[node]
        self.nodes[node].checked = self.nodes[node].weight

    def _replace(self, node: int, other: int) -> None:
        gone = [node]
        for i in gone:
            gone.extend(self.nodes[i].children.values())
        self.former += [(self.seen, s) for s in self.splits if s.node in gone]
        self.splits = [s for s in self.splits if s.node not in gone]
        self._take_place(node, other)

    # What EFDT would do at once

    def _become_leaf(self, at: int, now: float, bound: float) -> bool:
        self._start(at, None)
        return False

    def _get_test(self, at: int, against: Evidence, n: float, reason: str, bound: float) -> bool:
        alternate = self._start(at, against.best)
        if alternate is not None:
            self._split(alternate, self.parameters.impurity, against, n, reason)
        return False

    def _start(self, at: int, test: Any) -> int | None:
        old = self.alternates.get(at)
        if old is not None:
            cut, duel = self.nodes[old].cut, self.duels.get(old)
            same = getattr(cut, "feature", None) == getattr(test, "feature", None)
            if same or (duel is not None and sum(a - b for a, b in duel.pairs) > 0):
                return None
            self.counts["dropped"] += 1
        self.alternates[at] = fresh = self._begin(at)
        return fresh

    def _certify(self, at: int, evidence: Evidence, n: float, reason: str) -> None:
        self.former += [(self.seen, s) for s in self.splits if s.node == at]
        super()._certify(at, evidence, n, reason)

    @property
    def present(self) -> list[Split]:
        """The splits of the tree that predicts."""
        return [s for s in self.splits if self._is_part(s.node)]
