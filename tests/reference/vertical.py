"""The vertical Hoeffding tree: each owner has some features, and sees nothing else (sheet 95).

The coordinator routes a row, sends each value to the owner of its feature, and at a check asks all
owners for their two best cuts. The package does not build this: a value costs more to send than to
learn.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .cuts import Cut, best_two
from .nodes import Node
from .tree import ReferenceTree

__all__ = ["Owner", "Vertical"]


class Owner:
    """Keeps the statistics of its features at every leaf, and answers with its best cuts."""

    def __init__(self, kinds: Sequence[str], features: list[int], parameters: Any) -> None:
        self.features = features
        self.tree = ReferenceTree([kinds[f] for f in features], **parameters)
        self.messages = 0

    def learn(self, leaf: int, values: Any, y: int, w: float, width: int) -> None:
        """Values of the own features only; the leaf was found by the coordinator."""
        self.messages += len(values)
        self.tree.classes |= set(range(width))
        self.tree._update(leaf, values, y, w)

    def best(self, leaf: int, rule: str) -> list[Any]:
        """The two best cuts, each named by the feature of the whole tree."""
        found = [
            (gain, replace(cut, feature=self.features[cut.feature]))
            for gain, cut in self.tree._candidates(leaf, self.tree.parameters.impurity)
        ]
        best, second = best_two(found, rule)
        return [pair for pair in (best, second) if pair[1] is not None]


class Vertical(ReferenceTree):
    """The coordinator: it routes, keeps class counts, and decides by what owners answer."""

    def __init__(self, kinds: Sequence[str], n_owners: int, **parameters: Any) -> None:
        self.owners: list[Owner] = []
        self.given = parameters
        super().__init__(kinds, **parameters)
        self.owners = [
            Owner(kinds, [f for f in range(len(kinds)) if f % n_owners == i], parameters)
            for i in range(n_owners)
        ]

    def _update(self, leaf: int, values: Any, y: int, w: float) -> None:
        super()._update(leaf, [None] * len(values), y, w)
        for f, x in enumerate(values):
            if x is not None and self.kinds[f] == "categorical":
                self.categories[f].add(int(x))
        for owner in self.owners:
            own = [values[f] for f in owner.features]
            owner.learn(leaf, own, y, w, self._width())

    def _add_leaf(self, parent: int, branch: int, inherited: Any) -> int:
        leaf = super()._add_leaf(parent, branch, inherited)
        for owner in self.owners:
            # An owner has the same nodes; the test of the parent determines which counts are used.
            owner.tree.nodes.append(Node(**vars(self.nodes[leaf])))
            mine = owner.tree.nodes[-1]
            fresh = ReferenceTree(owner.tree.kinds, **self.given).nodes[0]
            mine.statistics, mine.densities = fresh.statistics, fresh.densities
            mine.multiway_used = frozenset(
                owner.features.index(f) for f in mine.multiway_used if f in owner.features
            )
            mine.observed, mine.children = {}, {}
        return leaf

    def _executed(self, leaf: int, criterion: Any, decided: Cut, gain: float) -> Cut:
        return decided

    def _candidates(self, leaf: int, criterion: Any) -> list[Any]:
        rule = self.parameters.runner_up
        found = [pair for owner in self.owners for pair in owner.best(leaf, rule)]
        return sorted(found, key=lambda pair: pair[1].feature)  # ties go to the first feature
