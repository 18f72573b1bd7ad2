"""A vertical Hoeffding tree whose coordinator waits for all owners is the sequential tree."""

from __future__ import annotations

import numpy as np
import pytest

from tests.reference.tree import ReferenceTree
from tests.reference.vertical import Vertical

KINDS = ["numeric", "categorical", "numeric", "categorical", "numeric"]
PARAMETERS = {
    "leaf": "majority",
    "grace_period": 50,
    "delta": 0.05,
    "tau": 0.1,
    "categorical_cuts": "multiway",
}


@pytest.mark.parametrize("n_owners", [1, 2, 3, 5])
@pytest.mark.parametrize("statistics", ["gaussian", "exhaustive"])
def test_a_coordinator_that_waits_grows_the_sequential_tree(n_owners, statistics):
    parameters = {**PARAMETERS, "statistics": statistics}
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
