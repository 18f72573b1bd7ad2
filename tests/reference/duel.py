"""Bets between a node and its alternate (docs/certainty.md)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .tree import ReferenceTree

__all__ = ["Duel", "DuellingReference", "Replacement"]


class Duel:
    """Bets on the rows that a node and its alternate both predict; every difference is kept."""

    def __init__(self, wait: float) -> None:
        self.wait = wait
        self.pairs: list[tuple[float, float]] = []  # losses of the node and of the alternate
        self.ahead = self.behind = 1.0

    def bet(self, node: float, alternate: float) -> None:
        """Bet the mean of past differences over their mean square, at most 3/4."""
        if self.wait > 0:
            self.wait -= 1
            return
        past = [a - b for a, b in self.pairs]
        bet = min(0.75, abs(sum(past)) / (sum(d * d for d in past) + 8.0))
        if sum(past) > 0:
            self.ahead *= 1 + bet * (node - alternate)
        elif sum(past) < 0:
            self.behind *= 1 - bet * (node - alternate)
        self.pairs.append((node, alternate))

    @property
    def errors(self) -> tuple[float, float]:
        """The share of errors of both."""
        n = len(self.pairs)
        return sum(a for a, _ in self.pairs) / n, sum(b for _, b in self.pairs) / n


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


class DuellingReference(ReferenceTree):
    """A tree in which subtrees grow next to nodes and replace them, or are dropped.

    A derived class says in ``_replace`` and ``_drop`` how a subtree is linked and removed.
    """

    def __init__(
        self,
        kinds: Sequence[str],
        *,
        switch_delta: float = 0.05,
        switch_after: float = 300,
        **parameters: Any,
    ) -> None:
        super().__init__(kinds, **parameters)
        self.switch_delta, self.switch_after = switch_delta, switch_after
        self.duels: dict[int, Duel] = {}  # by the root of what grows next to a node
        self.counts = {"started": 0, "dropped": 0, "replaced": 0}
        self.replacements: list[Replacement] = []

    def _bet(self, other: int, node_wrong: float, other_wrong: float) -> None:
        self.duels.setdefault(other, Duel(self.switch_after)).bet(node_wrong, other_wrong)

    def _settle(self, node: int, other: int) -> bool:
        """Whether a subtree has won its duel and has replaced its node."""
        duel = self.duels.get(other)
        if duel is not None and duel.ahead >= 1 / self.switch_delta:
            self._record_replacement(node, other, *duel.errors, 0.0)
            self._replace(node, other)
            return True
        if duel is not None and duel.behind >= 1 / self.switch_delta:
            self.counts["dropped"] += 1
            self._drop(node, other)
        return False

    def _record_replacement(
        self, node: int, other: int, error_before: float, error_after: float, bound: float
    ) -> None:
        self.counts["replaced"] += 1
        leaves = self.leaves(node), self.leaves(other)
        depth = self.nodes[node].depth
        self.replacements.append(
            Replacement(self.seen, depth, *leaves, error_before, error_after, bound)
        )

    def _replace(self, node: int, other: int) -> None:
        raise NotImplementedError

    def _drop(self, node: int, other: int) -> None:
        raise NotImplementedError

    def _begin(self, owner: int) -> int:
        """An empty leaf that grows next to a node."""
        above = self.nodes[owner]
        fresh = self._add_leaf(parent=-1, branch=above.branch, inherited={})
        leaf = self.nodes[fresh]
        leaf.parent, leaf.depth, leaf.multiway_used = owner, above.depth, above.multiway_used
        self.counts["started"] += 1
        return fresh

    def _take_place(self, old: int, new: int) -> None:
        """Link a subtree in the place of a node."""
        parent = self.nodes[old].parent
        self.nodes[new].parent = parent
        if old == self.root:
            self.root = new
            return
        above = self.nodes[parent]
        above.children[self.nodes[old].branch] = new
        if above.heavy == old:
            above.heavy = new
