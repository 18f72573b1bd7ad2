"""Which features the members of a forest see."""

from __future__ import annotations

import numpy as np
import pytest

from riparian import StreamingRandomPatches
from riparian.storage.modelfile import to_bytes
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


@pytest.mark.parametrize("dtype", [np.float64, object])
def test_a_member_takes_the_columns_of_its_features(dtype):
    X = np.random.default_rng(0).normal(size=(600, 7))
    y = X[:, 4] > 0
    forest = StreamingRandomPatches(n_estimators=5, features=3, random_state=2).fit(X, y)
    votes = [forest.explain_one(dict(enumerate(x))) for x in X[:20].tolist()]
    for m, (features, tree) in enumerate(
        zip(forest.estimator_features_, forest.estimators_, strict=True)
    ):
        told = [list(of_row[m].probabilities.values()) for of_row in votes]
        np.testing.assert_array_equal(tree.predict_proba(X[:20, features].astype(dtype)), told)
        by_key = tree.predict_proba({int(f): X[:20, f] for f in features[::-1]})
        np.testing.assert_array_equal(by_key, told)
        with pytest.raises(ValueError, match=r"X has 7 features, but .* is expecting 3 features"):
            tree.predict(X)
        twin = forest.estimators_[m].partial_fit({int(f): X[:, f] for f in features}, y)
        assert to_bytes(tree.partial_fit(X[:, features].astype(dtype), y)) == to_bytes(twin)
    assert any(features.tolist() != [0, 1, 2] for features in forest.estimator_features_)


def test_members_draw_at_the_first_row_that_has_a_value():
    X = np.random.default_rng(0).normal(size=(400, 5))
    y = X[:, 0] > 0
    forest = StreamingRandomPatches(n_estimators=6, random_state=1).fit(X[1:], y[1:])
    blank = np.vstack([np.full((3, 5), np.nan), X[1:]])
    late = StreamingRandomPatches(n_estimators=6, random_state=1).fit(blank, np.r_[y[:3], y[1:]])
    hands = [features.tolist() for features in late.estimator_features_]
    assert hands == [features.tolist() for features in forest.estimator_features_]
    assert late.score(X, y) > 0.95
    one_by_one = StreamingRandomPatches(n_estimators=6, random_state=1)
    for x, label in zip(blank.tolist(), np.r_[y[:3], y[1:]], strict=True):
        one_by_one.learn_one(dict(enumerate(x)), bool(label))
    assert [features.tolist() for features in one_by_one.estimator_features_] == hands
    assert [tree.n_leaves_ for tree in one_by_one.estimators_] == [
        tree.n_leaves_ for tree in late.estimators_
    ]


@pytest.mark.parametrize(
    ("features", "least", "most"), [(2, 2, 2), (0.1, 3, 20), ("sqrt", 5, 18), (150, 100, 100)]
)
def test_features_that_come_late_are_drawn_as_rarely(features, least, most):
    X = np.random.default_rng(0).normal(size=(40, 100))
    y = X[:, 0] > 0
    early = X.copy()
    early[:20, 3:] = np.nan
    forest = StreamingRandomPatches(features=features, n_estimators=20, random_state=0).fit(
        early, y
    )
    sizes = [len(seen) for seen in forest.estimator_features_]
    assert least <= min(sizes)
    assert max(sizes) <= most
    by_dict = StreamingRandomPatches(features=features, n_estimators=20, random_state=0)
    for i, (x, label) in enumerate(zip(X.tolist(), y, strict=True)):
        by_dict.learn_one(dict(enumerate(x[: 3 if i < 20 else 100])), bool(label))
    for seen, by_row in zip(forest.estimator_features_, by_dict.estimator_features_, strict=True):
        np.testing.assert_array_equal(seen, by_row)
