"""Which features the members of a forest see."""

from __future__ import annotations

import numpy as np
import pytest

from riparian import StreamingRandomPatches
from tests.reference.forest import dealt_features


def rows(d):
    rng = np.random.default_rng(d)
    return rng.normal(size=(5, d)), [0, 1, 0, 1, 1]


@pytest.mark.parametrize(("d", "size"), [(4, 2), (5, 3), (7, 1), (10, 6), (24, 14), (3, 3)])
@pytest.mark.parametrize("seed", [0, 3])
def test_each_feature_is_dealt_to_as_many_members(d, size, seed):
    X, y = rows(d)
    forest = StreamingRandomPatches(n_estimators=11, features=size, random_state=seed).fit(X, y)
    hands = [features.tolist() for features in forest.estimator_features_]
    assert hands == [dealt_features(seed, m, d, size) for m in range(11)]
    assert all(len(set(hand)) == size for hand in hands)
    seen = np.bincount(np.concatenate(hands), minlength=d)
    assert seen.max() - seen.min() <= 1


def test_another_seed_deals_otherwise():
    X, y = rows(10)
    deals = {
        str(StreamingRandomPatches(random_state=seed).fit(X, y).estimator_features_)
        for seed in range(5)
    }
    assert len(deals) == 5


def test_a_feature_without_a_value_is_drawn_when_it_comes():
    X, y = rows(6)
    X[:, 2] = np.nan
    forest = StreamingRandomPatches(n_estimators=10, features=0.6, random_state=1).fit(X, y)
    # Three of the five that had values, and the sixth with the same probability.
    with_it = [2 in features for features in forest.estimator_features_]
    assert {len(f) - has for f, has in zip(forest.estimator_features_, with_it, strict=True)} == {3}
    assert 0 < sum(with_it) < 10
