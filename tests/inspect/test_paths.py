"""Where rows go in trees and forests: leaves, paths and sizes, as scikit-learn returns them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import riparian as rp
from riparian.models.registry import MODELS, models_of
from riparian.models.tree_model import TreeModel

X, Y = rp.streams.sea(seed=1).take(4_000)
EAGER = {"grace_period": 50, "delta": 1e-3, "tau": 0.1}

TREES: dict[str, Callable[[], Any]] = {
    "VFDT": lambda: rp.VFDT(**EAGER).fit(X, Y),
    "HAT": lambda: rp.HAT(**EAGER).fit(X, Y),
    "EFDT": lambda: rp.EFDT(**EAGER).fit(X, Y),
    "options": lambda: rp.HoeffdingOptionTree(**EAGER).fit(X, Y),
    "ITI": lambda: rp.ITI().fit(X[:400], Y[:400]),
    "ID5R": lambda: rp.ID5R().fit(X[:300].round(), Y[:300]),
    "ID4": lambda: rp.ID4(alpha=0.5).fit(X[:300].round(), Y[:300]),
}
ROWS = {"ID5R": X[:300].round(), "ID4": X[:300].round()}


@pytest.mark.parametrize("name", TREES)
def test_apply_and_decision_path_are_the_path_that_explain_one_shows(name):
    tree, rows = TREES[name](), ROWS.get(name, X)[:300].copy()
    rows[::7, 1] = np.nan
    leaves, paths = tree.apply(rows), tree.decision_path(rows)
    assert paths.shape == (300, tree.n_nodes_)
    assert paths.data.tolist() == [1] * paths.nnz
    for i, row in enumerate(rows):
        wanted = [step.node for step in tree.explain_one(dict(enumerate(row.tolist())))]
        assert paths[i].indices.tolist() == sorted(wanted)
        assert leaves[i] == wanted[-1]


def test_the_leaves_are_those_of_a_batch_tree_with_the_same_tests():
    batch = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, Y)
    tree = rp.VFDT.from_sklearn(batch)
    mine, theirs = tree.apply(X), batch.apply(X)
    # The nodes have other numbers, but the rows are divided in the same way.
    pairs = set(zip(mine.tolist(), theirs.tolist(), strict=True))
    assert len(pairs) == len(set(mine.tolist())) == batch.get_n_leaves()
    lengths = np.diff(tree.decision_path(X).indptr)
    assert lengths.tolist() == np.diff(batch.decision_path(X).indptr).tolist()
    assert (tree.get_depth(), tree.get_n_leaves()) == (batch.get_depth(), batch.get_n_leaves())


@pytest.mark.parametrize("name", [n for n, m in MODELS.items() if issubclass(m, TreeModel)])
def test_every_tree_has_a_depth_and_leaves(name):
    model = MODELS[name]()
    model.fit(X[:200], Y[:200])
    assert (
        model.get_depth() == model.depth_ == np.diff(model.decision_path(X[:200]).indptr).max() - 1
    )
    assert model.get_n_leaves() == model.n_leaves_


FORESTS = {
    "StreamForest": {"n_estimators": 3},
    "StreamingRandomPatches": {"n_estimators": 3, "features": 2},
    "AdaptiveRandomForest": {"n_estimators": 3},
    "AccuracyWeightedEnsemble": {"n_estimators": 3, "chunk_size": 500},
    "UFFT": {},
}


@pytest.mark.parametrize("name", FORESTS)
def test_a_forest_returns_the_leaves_and_paths_of_its_members(name):
    forest = MODELS[name](**FORESTS[name]).fit(X, Y)
    rows = X[:200]
    leaves, (paths, first) = forest.apply(rows), forest.decision_path(rows)
    assert leaves.shape == (200, len(forest.estimators_))
    assert len(first) == len(forest.estimators_) + 1
    assert paths.shape == (200, forest.n_nodes_) == (200, first[-1])
    for m, (tree, features) in enumerate(
        zip(forest.estimators_, forest.estimator_features_, strict=True)
    ):
        own = tree.decision_path(rows[:, features])
        assert leaves[:, m].tolist() == tree.apply(rows[:, features]).tolist()
        assert (paths[:, first[m] : first[m + 1]] != own).nnz == 0


def test_members_of_every_forest_are_applied_to_categories_too():
    rng = np.random.default_rng(0)
    sky = rng.choice(["clear", "grey", "dark"], 3_000)
    rows = {"sky": sky, "wind": rng.normal(size=3_000), "warm": rng.normal(size=3_000)}
    labels = (sky == "dark") | (rows["wind"] > 1)
    for name in models_of("forests"):
        forest = MODELS[name]().fit(rows, labels)
        leaves = forest.apply({**rows, "sky": np.where(sky == "grey", "pink", sky)})
        assert leaves.shape == (3_000, len(forest.estimators_))
        assert leaves.max() > 0


@pytest.mark.parametrize("name", ["VFDT", "StreamForest", "OADT", "ITI"])
def test_the_logarithms_of_probabilities(name):
    model = MODELS[name]().fit(X[:300], Y[:300])
    with np.errstate(divide="ignore"):
        want = np.log(model.predict_proba(X))
    assert np.array_equal(model.predict_log_proba(X), want)


def test_one_class_has_the_probability_1_and_no_warning():
    model = rp.VFDT(leaf="majority").partial_fit([[1.0], [2.0]], ["a", "a"], classes=["a", "b"])
    assert model.predict_log_proba([[1.0]]).tolist() == [[0.0, -np.inf]]


@pytest.mark.parametrize("method", ["apply", "decision_path", "predict_log_proba"])
@pytest.mark.parametrize("cls", [rp.VFDT, rp.StreamForest])
def test_nothing_is_returned_before_anything_was_learned(cls, method):
    with pytest.raises(ValueError, match="is not fitted yet"):
        getattr(cls(), method)(X)


def test_uncertain_rows_have_no_single_path():
    model = rp.UCVFDT().fit(X, Y)
    rows = {0: [rp.Uncertain.normal(1.0, 2.0)], 1: [1.0], 2: [1.0]}
    with pytest.raises(ValueError, match="a single path"):
        model.apply(rows)
