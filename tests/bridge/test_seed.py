"""Streaming trees that begin as a batch tree: same answers, then learning as ever."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import riparian as rp
from riparian.impurities import Accuracy, gain
from riparian.models.registry import RECIPES
from riparian.models.seed import threshold_of_doubles
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside


def data(n=4000, classes=3, missing=0.0, seed=0):
    X, y = make_classification(
        n, 6, n_informative=4, n_classes=classes, flip_y=0.1, random_state=seed
    )
    X[np.random.default_rng(seed).random(X.shape) < missing] = np.nan
    return X, y


def batch_tree(X, y, **parameters):
    return DecisionTreeClassifier(random_state=0, **parameters).fit(X, y)


def near_thresholds(tree, n_features, seed=0):
    """Rows of numbers just around the thresholds, where float32 and float64 disagree."""
    used = tree.tree_.threshold[tree.tree_.feature >= 0]
    rng = np.random.default_rng(seed)
    X = rng.choice(used, (5000, n_features))
    return X + rng.integers(-40, 41, X.shape) * np.spacing(np.abs(X).astype(np.float32)) / 16


@pytest.mark.parametrize("missing", [0.0, 0.15])
@pytest.mark.parametrize("classes", [2, 3, 8])
def test_a_seeded_tree_answers_as_the_batch_tree_does(classes, missing):
    X, y = data(classes=classes, missing=missing)
    batch = batch_tree(X[:2000], y[:2000])
    model = rp.VFDT.from_sklearn(batch)
    tried = np.concatenate([X, near_thresholds(batch, X.shape[1])])
    np.testing.assert_array_equal(model.predict(tried), batch.predict(tried))
    np.testing.assert_array_equal(model.predict_proba(tried), batch.predict_proba(tried))
    assert model.n_leaves_ == batch.get_n_leaves()
    assert model.depth_ == batch.get_depth()
    assert model.n_seen_ == 0


def test_rows_with_missing_values_go_where_scikit_learn_sends_them():
    # Whether the value is missing says everything: the threshold is infinite.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    y = np.arange(400) % 2
    X[y == 1, 0] = np.nan
    batch = batch_tree(X, y)
    assert np.isinf(batch.tree_.threshold).any()
    model = rp.VFDT.from_sklearn(batch)
    tried = np.array([[np.nan, 0.0], [1e30, 0.0], [-1e30, np.nan]])
    np.testing.assert_array_equal(model.predict(tried), batch.predict(tried))


def test_thresholds_are_those_of_rounding_to_float32():
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2**32, 20_000, dtype=np.uint64).astype(np.uint32)
    singles = bits.view(np.float32)
    singles = singles[np.isfinite(singles)].astype(np.float64)
    t = np.concatenate([singles, rng.normal(size=5000), [0.0, -0.0, 1e-45, -1e-45]])
    found = threshold_of_doubles(t)
    for x in (found, np.nextafter(found, np.inf), np.nextafter(found, -np.inf)):
        inside = np.abs(x) < np.finfo(np.float32).max
        with np.errstate(over="ignore"):
            rounded = x.astype(np.float32)
        np.testing.assert_array_equal((x <= found)[inside], (rounded <= t)[inside])


def test_seeded_splits_say_so_and_pretend_no_bound():
    X, y = data()
    batch = batch_tree(X, y, max_depth=3)
    model = rp.HoeffdingTree.from_sklearn(batch, impurity="gini")
    splits = model.splits()
    assert len(splits) == batch.tree_.node_count - batch.get_n_leaves()
    first = splits[0]
    assert (first.reason, first.bound, first.epsilon, first.delta) == ("seeded", "none", 0.0, 0.0)
    assert first.n == 4000
    assert first.seen == 0
    children = batch.tree_.children_left[0], batch.tree_.children_right[0]
    table = [batch.tree_.value[c, 0] * batch.tree_.weighted_n_node_samples[c] for c in children]
    assert first.gain == pytest.approx(float(gain(np.rint(table), "gini")), rel=1e-12)
    assert "no bound" in str(first)
    assert "came with the batch tree" in model.guarantee()
    assert model.feature_importances_.sum() == pytest.approx(1.0)


def test_leaves_begin_empty_and_answer_with_the_counts_of_the_batch():
    X, y = data()
    batch = batch_tree(X, y, max_depth=2)
    model = rp.VFDT.from_sklearn(batch)
    nodes = inside.nodes(model)
    leaves = nodes["test"] == 0
    assert not nodes["counts"].any()
    assert nodes["inherited"][leaves].sum() == 4000
    assert [p.n for p in model.pending()] == [0.0] * 4
    counted = rp.HoeffdingTree.from_sklearn(batch, inherit_counts="count")
    assert inside.snapshot(counted)["inherited_weight"].sum() == 4000


def test_inner_nodes_stay_and_leaves_go_on_learning():
    X, y = data(n=30_000)
    batch = batch_tree(X[:1000], y[:1000], max_depth=2)
    model = rp.VFDT.from_sklearn(batch)
    before = inside.nodes(model)
    model.partial_fit(X[1000:], y[1000:])
    after = inside.nodes(model)
    inner = np.flatnonzero(before["test"])
    assert model.n_nodes_ > len(before["test"])
    for name in ("feature", "threshold", "heavy", "parent"):
        np.testing.assert_array_equal(after[name][inner], before[name][inner])
    reasons = [s.reason for s in model.splits()]
    assert reasons[: len(inner)] == ["seeded"] * len(inner)
    assert "seeded" not in reasons[len(inner) :]


@pytest.mark.parametrize("recipe", sorted(RECIPES))
def test_every_recipe_can_be_seeded_saved_and_fed_in_any_batches(recipe):
    X, y = data(n=3000, classes=2)
    batch = batch_tree(X[:500], y[:500], max_depth=3)
    whole = RECIPES[recipe].from_sklearn(batch)
    assert type(whole) is RECIPES[recipe]
    parts, ones = (RECIPES[recipe].from_sklearn(batch) for _ in range(2))
    whole.partial_fit(X[500:], y[500:])
    for first in range(500, 3000, 7):
        parts.partial_fit(X[first : first + 7], y[first : first + 7])
        if first == 1200:
            parts = from_bytes(to_bytes(parts))
    for row, label in zip(X[500:], y[500:], strict=True):
        ones.learn_one(dict(enumerate(row.tolist())), int(label))
    assert to_bytes(parts) == to_bytes(whole) == to_bytes(ones)


def test_names_and_labels_are_carried_over():
    X, y = data(classes=2)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    labels = np.array(["no", "yes"])[y]
    model = rp.VFDT.from_sklearn(batch_tree(frame, labels, max_depth=2))
    assert model.feature_names_in_.tolist() == list("abcdef")
    assert model.classes_.tolist() == ["no", "yes"]
    assert (
        model.predict(frame).tolist()
        == batch_tree(frame, labels, max_depth=2).predict(frame).tolist()
    )
    assert model.predict_one(dict(frame.iloc[0])) in ("no", "yes")
    with pytest.warns(UserWarning, match="does not have feature names"):
        model.predict(X)


def test_rows_give_the_priors_where_they_are_given():
    X, y = data(classes=2)
    batch = batch_tree(X[:1000], y[:1000], max_depth=3, class_weight={0: 5.0, 1: 1.0})
    model = rp.VFDT.from_sklearn(batch, X[1000:], y[1000:])
    leaf = batch.apply(X[1000:])
    for row in range(1000, 1100):
        same = y[1000:][leaf == batch.apply(X[row : row + 1])[0]]
        shares = np.bincount(same, minlength=2) / len(same)
        np.testing.assert_array_equal(model.predict_proba(X[row : row + 1])[0], shares)
    assert model.n_seen_ == 0


def test_rows_may_bring_new_classes_and_leave_leaves_out():
    X, y = data(classes=2)
    batch = batch_tree(X, y, max_depth=4)
    model = rp.VFDT.from_sklearn(batch, X[:3], ["new"] * 3)
    assert model.classes_.tolist() == [0, 1, "new"]
    assert model.predict(X[:3]).tolist() == ["new"] * 3
    far = batch.apply(X) != batch.apply(X[:1])[0]
    far &= batch.apply(X) != batch.apply(X[1:2])[0]
    far &= batch.apply(X) != batch.apply(X[2:3])[0]
    assert model.predict(X[far]).tolist() == batch.predict(X[far]).tolist()


def test_a_tree_of_its_own_is_fitted_pruned_and_left_to_learn_the_rest():
    X, y = data(n=6000, classes=2)
    model = rp.VFDT.from_sklearn(None, X, y, seed_size=2000)
    seeded = sum(s.reason == "seeded" for s in model.splits())
    full = batch_tree(X[:2000], y[:2000], criterion="entropy")
    assert 0 < seeded < full.get_n_leaves() / 5
    assert model.n_seen_ == 4000
    assert np.mean(model.predict(X[2000:]) == y[2000:]) > 0.75
    whole = rp.VFDT.from_sklearn(None, X[:2000], y[:2000])
    assert whole.n_seen_ == 0
    whole.partial_fit(X[2000:], y[2000:])
    assert to_bytes(whole) == to_bytes(model)


def test_a_chunk_of_noise_gives_a_single_leaf():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(900, 3)), rng.integers(0, 2, 900)
    assert rp.VFDT.from_sklearn(None, X, y).n_leaves_ <= 3
    assert rp.VFDT.from_sklearn(None, X, np.zeros(900, dtype=int)).n_leaves_ == 1
    assert rp.VFDT.from_sklearn(None, X[:1], y[:1]).predict(X[:1]).tolist() == [y[0]]


def test_fit_forgets_the_seed():
    X, y = data(classes=2)
    model = rp.VFDT.from_sklearn(batch_tree(X, y)).fit(X, y)
    assert to_bytes(model) == to_bytes(rp.VFDT().fit(X, y))


def my_impurity(counts):
    shares = counts / counts.sum(axis=-1, keepdims=True)
    return 1.0 - (shares**2).sum(axis=-1)


@pytest.mark.parametrize(
    "parameters",
    [
        {"impurity": my_impurity},
        {"impurity": "loss", "costs": {(0, 1): 5.0}},
        {"impurity": "hybrid"},
        {"statistics": "exhaustive"},
        {"impurity": Accuracy(evaluator="holdout")},
    ],
)
def test_any_composition_can_be_seeded(parameters):
    X, y = data(classes=2)
    batch = batch_tree(X[:500], y[:500], max_depth=2)
    model = rp.HoeffdingTree.from_sklearn(batch, **parameters)
    assert all(s.gain >= 0.0 for s in model.splits())
    assert model.partial_fit(X[500:], y[500:]).n_seen_ == 3500


def test_what_cannot_be_a_seed_is_refused():
    X, y = data(classes=2)
    batch = batch_tree(X, y, max_depth=4)
    with pytest.raises(TypeError, match="must be a DecisionTreeClassifier"):
        rp.VFDT.from_sklearn(DecisionTreeRegressor().fit(X, y))
    with pytest.raises(NotFittedError):
        rp.VFDT.from_sklearn(DecisionTreeClassifier())
    with pytest.raises(ValueError, match="one output"):
        rp.VFDT.from_sklearn(batch_tree(X, np.stack([y, y], axis=1)))
    with pytest.raises(ValueError, match="max_depth is 2, but the batch tree has 4"):
        rp.VFDT.from_sklearn(batch, max_depth=2)
    with pytest.raises(ValueError, match="max_leaves is 3"):
        rp.VFDT.from_sklearn(batch, max_leaves=3)
    with pytest.raises(ValueError, match="delta must be"):
        rp.VFDT.from_sklearn(batch, delta=2)
    with pytest.raises(ValueError, match="categorical_features must not name"):
        rp.VFDT.from_sklearn(batch, categorical_features=[0])
    with pytest.raises(ValueError, match="X and y belong together"):
        rp.VFDT.from_sklearn(batch, X)
    with pytest.raises(ValueError, match="tree=None needs X and y"):
        rp.VFDT.from_sklearn(None)
    with pytest.raises(ValueError, match="seed_size needs tree=None"):
        rp.VFDT.from_sklearn(batch, X, y, seed_size=10)
    with pytest.raises(ValueError, match="seed_size must be a whole number from 1 to 4,000"):
        rp.VFDT.from_sklearn(None, X, y, seed_size=0)
    with pytest.raises(ValueError, match="X has 5 features, but the tree was fitted with 6"):
        rp.VFDT.from_sklearn(batch, X[:, :5], y)
    with pytest.raises(ValueError, match="column 'x0' holds categories"):
        rp.VFDT.from_sklearn(None, np.array([["a"], ["b"]]), [0, 1])
    with pytest.raises(ValueError, match="column 'x1', row 0: 1e\\+39 is too large"):
        rp.VFDT.from_sklearn(None, [[0.0, 1e39]], [0])
