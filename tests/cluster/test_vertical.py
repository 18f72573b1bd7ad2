"""The vertical Hoeffding tree, simulated: each owner has some features, and sees nothing else.

The coordinator routes a row, sends each value to the owner of its feature, and at a check asks all
owners for their two best cuts. If it waits for the answers, the tree is the sequential one (spec
95, section 2). The package does not build this: a value costs more to send than to learn.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.reference.cuts import best_two
from tests.reference.tree import ReferenceTree

KINDS = ["numeric", "categorical", "numeric", "categorical", "numeric"]


class Owner:
    """Keeps the statistics of its features at every leaf, and answers with its best cuts."""

    def __init__(self, features, parameters):
        self.features = features
        self.tree = ReferenceTree([KINDS[f] for f in features], **parameters)
        self.messages = 0

    def learn(self, leaf, values, y, w, width):
        """Values of the own features only; the leaf was found by the coordinator."""
        self.messages += len(values)
        self.tree.classes |= set(range(width))
        self.tree._update(leaf, values, y, w)

    def best(self, leaf, rule):
        """The two best cuts, each named by the feature of the whole tree."""
        found = [
            (gain, replace(cut, feature=self.features[cut.feature]))
            for gain, cut in self.tree._candidates(leaf, self.tree.parameters.impurity)
        ]
        best, second = best_two(found, rule)
        return [pair for pair in (best, second) if pair[1] is not None]


class Vertical(ReferenceTree):
    """The coordinator: it routes, keeps class counts, and decides by what owners answer."""

    def __init__(self, kinds, n_owners, **parameters):
        self.owners = []
        super().__init__(kinds, **parameters)
        self.owners = [
            Owner([f for f in range(len(kinds)) if f % n_owners == i], parameters)
            for i in range(n_owners)
        ]

    def _update(self, leaf, values, y, w):
        super()._update(leaf, [None] * len(values), y, w)
        for f, x in enumerate(values):
            if x is not None and self.kinds[f] == "categorical":
                self.categories[f].add(int(x))
        for owner in self.owners:
            own = [values[f] for f in owner.features]
            owner.learn(leaf, own, y, w, self._width())

    def _add_leaf(self, parent, branch, inherited):
        leaf = super()._add_leaf(parent, branch, inherited)
        for owner in self.owners:
            # An owner has the same nodes; the test of the parent tells which counts are used up.
            owner.tree.nodes.append(owner.tree.nodes[0].__class__(**vars(self.nodes[leaf])))
            mine = owner.tree.nodes[-1]
            fresh = ReferenceTree(owner.tree.kinds, **PARAMETERS).nodes[0]
            mine.statistics, mine.densities = fresh.statistics, fresh.densities
            mine.multiway_used = frozenset(
                owner.features.index(f) for f in mine.multiway_used if f in owner.features
            )
            mine.observed, mine.children = {}, {}
        return leaf

    def _executed(self, leaf, criterion, decided, gain):
        return decided

    def _candidates(self, leaf, criterion):
        rule = self.parameters.runner_up
        found = [pair for owner in self.owners for pair in owner.best(leaf, rule)]
        return sorted(found, key=lambda pair: pair[1].feature)  # ties go to the first feature


PARAMETERS = {
    "leaf": "majority",
    "grace_period": 50,
    "delta": 0.05,
    "tau": 0.1,
    "categorical_cuts": "multiway",
}


@pytest.mark.parametrize("n_owners", [1, 2, 3, 5])
@pytest.mark.parametrize("statistics", ["gaussian", "exhaustive"])
def test_a_coordinator_that_waits_grows_the_sequential_tree(n_owners, statistics, monkeypatch):
    parameters = {**PARAMETERS, "statistics": statistics}
    monkeypatch.setitem(globals(), "PARAMETERS", parameters)
    rng = np.random.default_rng(7)
    plain = ReferenceTree(KINDS, **parameters)
    vertical = Vertical(KINDS, n_owners, **parameters)
    for _ in range(1000):
        a, b, c = rng.normal(size=3).round(1)
        x = [a, int(rng.integers(3)), b, int(rng.integers(4)), c]
        y = int(x[0] + (x[1] == 1) + 0.5 * x[2] + rng.normal(scale=0.4) > 0.5)
        if rng.random() < 0.05:
            x[0] = np.nan
        for tree in (plain, vertical):
            tree.learn(x, y)
    assert len(plain.splits) >= 3
    assert {split.test for split in plain.splits} == {"threshold", "multiway"}
    for one, other in zip(plain.splits, vertical.splits, strict=True):
        assert (one.node, one.feature, one.value) == (other.node, other.feature, other.value)
        assert (one.gain, one.seen, one.reason) == (other.gain, other.seen, other.reason)
    assert sum(owner.messages for owner in vertical.owners) >= 5 * 1000
