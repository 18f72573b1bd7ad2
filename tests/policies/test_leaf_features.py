"""Leaves that draw the features which they track."""

import numpy as np
import pytest

from riparian import HoeffdingTree
from riparian.impurities import Accuracy
from riparian.streams import random_rbf
from tests import inside


def drawn(seed: int, number: int, met: list[int], features: int, size: int) -> set[int]:
    """The features of a draw from those that had a value, by NumPy's Philox."""
    bits = np.random.Philox(key=[seed, number])
    random = np.random.Generator(bits).random(features)
    order = sorted(met, key=lambda f: (random[f], f))
    return set(order[:size])


def tracked(tree: HoeffdingTree) -> list[set[int]]:
    labels = [f.label for f in inside.features(tree)]
    everything = set(range(len(labels)))
    return [everything - {labels.index(f) for f in leaf.dropped} for leaf in tree.pending()]


@pytest.fixture(scope="module")
def stream() -> tuple[np.ndarray, np.ndarray]:
    return random_rbf(seed=3, n_features=9, n_classes=3).take(20_000)


@pytest.mark.parametrize(
    ("leaf_features", "size"),
    [(4, 4), (0.6, 5), ("sqrt", 4), (50, 9), (1e-9, 1), (0.1, 2), (0.17, 2)],
)
def test_the_root_draws_as_many_as_asked(stream, leaf_features, size):
    X, y = stream
    tree = HoeffdingTree(leaf_features=leaf_features, random_state=7).partial_fit(X[:50], y[:50])
    # The draw number 0 was made before there was a feature.
    assert tracked(tree) == [drawn(7, 1, list(range(9)), 9, size)]


def test_leaves_draw_anew_and_split_by_what_they_track(stream):
    X, y = stream
    tree = HoeffdingTree(leaf_features=3, grace_period=50, delta=0.01).partial_fit(X, y)
    sets = tracked(tree)
    assert len(sets) > 5
    assert all(len(s) == 3 for s in sets)
    assert len({frozenset(s) for s in sets}) > 1
    candidates = [leaf for leaf in tree.pending() if leaf.feature is not None]
    assert candidates
    assert all(leaf.feature not in leaf.dropped for leaf in candidates)


def test_all_features_are_the_tree_without_it(stream):
    X, y = stream
    plain = HoeffdingTree(grace_period=50, delta=0.01)
    every = HoeffdingTree(grace_period=50, delta=0.01, leaf_features=1.0)
    np.testing.assert_array_equal(
        plain.prequential(X, y, proba=True)[1], every.prequential(X, y, proba=True)[1]
    )
    assert [str(s) for s in plain.splits()] == [str(s) for s in every.splits()]


def test_answers_come_from_the_tracked_features_alone(stream):
    X, y = stream
    tree = HoeffdingTree(leaf_features=3, grace_period=10**6, leaf="naive-bayes")
    tree.partial_fit(X[:3000], y[:3000])
    (kept,) = tracked(tree)
    other = X[3000:3100].copy()
    for f in set(range(9)) - kept:
        other[:, f] += 100.0
    np.testing.assert_array_equal(tree.predict_proba(X[3000:3100]), tree.predict_proba(other))
    small = HoeffdingTree(grace_period=10**6, leaf="naive-bayes")
    small.partial_fit(X[:3000][:, sorted(kept)], y[:3000])
    np.testing.assert_array_equal(
        tree.predict_proba(X[3000:3100]), small.predict_proba(X[3000:3100][:, sorted(kept)])
    )


def test_features_that_come_late_are_the_same_in_any_batches(tmp_path):
    rng = np.random.default_rng(5)
    rows = []
    for i in range(600):
        row = {f"n{j}": float(rng.normal()) for j in range(4)}
        if i > 100:
            row |= {f"late{j}": float(rng.normal()) for j in range(8)}
        rows.append((row, int(row["n0"] > 0)))
    one = HoeffdingTree(leaf_features=0.5, grace_period=20, tau=0.3)
    for row, label in rows:
        one.learn_one(row, label)
    names = list(rows[-1][0])
    X = {n: np.array([r.get(n, np.nan) for r, _ in rows]) for n in names}
    whole = HoeffdingTree(leaf_features=0.5, grace_period=20, tau=0.3)
    whole.partial_fit(X, [label for _, label in rows])
    assert one.n_leaves_ > 1
    assert tracked(one) == tracked(whole)
    late = [s & set(range(4, 12)) for s in tracked(one)]
    assert any(late)
    assert not all(len(s) == 8 for s in late)


@pytest.mark.parametrize("wrong", [0, -1, 1.5, 0.0, "root", True])
def test_a_wrong_number_is_refused(wrong):
    with pytest.raises(ValueError, match="leaf_features must be"):
        HoeffdingTree(leaf_features=wrong).partial_fit([[1.0]], [0])


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"leaf": "linear-units"}, "leaf='linear-units' needs leaf_features=None, got 2"),
        ({"adaptation": "window"}, "leaf_features=2 needs adaptation='none' or 'alternates'"),
        ({"adaptation": "options"}, "leaf_features=2 needs adaptation='none' or 'alternates'"),
        (
            {"drop_poor_features": True, "leaf": "majority"},
            "leaf_features=2 needs drop_poor_features=False",
        ),
        (
            {"impurity": Accuracy(evaluator="holdout")},
            "impurity__evaluator='holdout' needs leaf_features=None, got 2",
        ),
    ],
)
def test_what_needs_all_features_is_refused(other, message):
    with pytest.raises(ValueError, match=message):
        HoeffdingTree(leaf_features=2, **other).partial_fit([[1.0]], [0])


def test_a_leaf_draws_what_its_path_has_settled_last():
    rng = np.random.default_rng(0)
    X = np.c_[rng.integers(0, 2, size=(3000, 2)), rng.normal(size=(3000, 2))]
    y = 2 * X[:, 0] + X[:, 1]  # numbers tell nothing
    sizes = set()
    for seed in range(12):
        tree = HoeffdingTree(
            leaf_features=2,
            grace_period=50,
            tau=0.0,
            categorical_features=[0, 1],
            random_state=seed,
        ).partial_fit(X, y)
        settled = {["x0", "x1"].index(s.feature) for s in tree.splits()}
        sizes.add(tree.n_leaves_)
        if tree.n_leaves_ == 2:
            assert all(not leaf & settled for leaf in tracked(tree))
        if tree.n_leaves_ == 4:
            assert tracked(tree) == [{2, 3}] * 4
    assert sizes >= {2, 4}
