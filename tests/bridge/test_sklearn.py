"""A model as scikit-learn's tree: all its tools work, and it answers the same."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, export_graphviz, export_text, plot_tree

import riparian as rp
from riparian.storage.modelfile import to_bytes


def data(n=20_000, missing=0.0, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).astype(np.float32)
    y = (X[:, 0] > 0.1).astype(int) + 2 * (X[:, 1] * X[:, 2] > 0)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def grown(X, y, **parameters):
    return rp.VFDT(grace_period=50, delta=0.2, tau=0.3, **parameters).fit(X, y)


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_answers_and_leaves_are_the_same(missing):
    X, y = data(missing=missing)
    model = grown(X, y)
    tree = model.to_sklearn()
    assert isinstance(tree, DecisionTreeClassifier)
    assert model.n_leaves_ > 100
    assert (tree.get_n_leaves(), tree.get_depth()) == (model.n_leaves_, model.depth_)
    X, _ = data(10_000, missing=missing, seed=1)
    np.testing.assert_array_equal(tree.predict(X), model.predict(X))
    np.testing.assert_array_equal(tree.predict_proba(X), model.predict_proba(X))
    ids = [step.node for step in model.explain_one(dict(enumerate(X[0].tolist())))]
    assert tree.apply(X[:1])[0] == ids[-1]
    assert tree.decision_path(X[:1]).indices.tolist() == ids
    assert tree.score(X, model.predict(X)) == 1.0


def test_thresholds_are_kept_to_the_bit_for_single_precision():
    X, y = data()
    model = grown(X, y)
    tree = model.to_sklearn()
    t = tree.tree_.threshold[tree.tree_.feature >= 0]
    singles = t.astype(np.float32)
    near = [singles, np.nextafter(singles, np.float32(9)), np.nextafter(singles, np.float32(-9))]
    tried = np.random.default_rng(0).choice(np.concatenate(near), (10_000, 4))
    np.testing.assert_array_equal(tree.predict_proba(tried), model.predict_proba(tried))


def test_there_and_back_again():
    X, y = data()
    model = grown(X, y)
    again = rp.VFDT.from_sklearn(model.to_sklearn())
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    batch = DecisionTreeClassifier(random_state=0).fit(X[:3000], y[:3000])
    back = rp.VFDT.from_sklearn(batch).to_sklearn()
    rng = np.random.default_rng(0)
    tried = rng.normal(size=(10_000, 4))  # float64: also between two float32
    np.testing.assert_array_equal(back.predict_proba(tried), batch.predict_proba(tried))


def test_the_tools_of_scikit_learn_take_it():
    X, y = data()
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = grown(frame, np.array(["p", "q", "r", "s"])[y], max_depth=3)
    tree = model.to_sklearn()
    assert tree.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    text = export_text(tree, feature_names=list(tree.feature_names_in_))
    assert text.startswith("|--- ")
    assert text.count("class:") == model.n_leaves_
    assert "digraph" in export_graphviz(tree)
    mpl.use("Agg")
    assert len(plot_tree(tree)) >= model.n_nodes_
    assert tree.predict(frame[:5]).tolist() == model.predict(frame[:5]).tolist()
    assert tree.feature_importances_.sum() == pytest.approx(1.0)
    assert clone(tree).get_params() == tree.get_params()


def test_it_is_a_copy():
    X, y = data()
    model = grown(X[:5000], y[:5000])
    tree = model.to_sklearn()
    before = tree.predict_proba(X)
    model.partial_fit(X[5000:], y[5000:])
    np.testing.assert_array_equal(tree.predict_proba(X), before)


def test_a_single_leaf_a_single_class_and_many_classes():
    X = np.arange(60.0).reshape(-1, 1)
    for y in (np.zeros(60, dtype=int), np.arange(60), np.array(["one"] * 60)):
        model = rp.VFDT().fit(X, y)
        tree = model.to_sklearn()
        np.testing.assert_array_equal(tree.predict(X), model.predict(X))
        np.testing.assert_array_equal(tree.predict_proba(X), model.predict_proba(X))


def test_two_weights_that_are_one_share_keep_their_leader():
    model = rp.VFDT().fit([[0.0]], [0])
    w = 2.0**52 + 0.5
    model.partial_fit([[0.0], [0.0]], [1, 0], sample_weight=[np.nextafter(w, 2e16), w - 1.0])
    assert model.predict([[0.0]]).tolist() == [1]
    assert model.to_sklearn().predict([[0.0]]).tolist() == [1]


def test_freshly_seeded_trees_keep_their_sizes():
    X, y = data()
    batch = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    tree = rp.VFDT.from_sklearn(batch).to_sklearn()
    assert sorted(tree.tree_.n_node_samples) == sorted(batch.tree_.n_node_samples)


@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_the_weight_of_a_parent_is_the_sum_over_its_children(missing):
    X, y = data(missing=missing)
    tree = grown(X, y).to_sklearn().tree_
    inner = np.flatnonzero(tree.children_left >= 0)
    left, right = tree.children_left[inner], tree.children_right[inner]
    for weights in (tree.weighted_n_node_samples, tree.n_node_samples):
        np.testing.assert_array_equal(weights[inner], weights[left] + weights[right])
        assert (weights > 0).all()


def test_children_that_have_seen_nothing_share_the_weight_of_their_parent():
    X, y = data(2000)
    model = rp.HoeffdingTree(leaf="majority", grace_period=50, inherit_counts="none")
    sizes = []
    for first in range(0, 2000, 10):
        rows = slice(first, first + 10)
        tree = model.partial_fit(X[rows], y[rows]).to_sklearn().tree_
        inner = np.flatnonzero(tree.children_left >= 0)
        left, right = tree.children_left[inner], tree.children_right[inner]
        weights = tree.weighted_n_node_samples
        np.testing.assert_allclose(weights[inner], weights[left] + weights[right])
        assert (weights[inner] > 0).all()
        sizes.append(tree.node_count)
    assert sizes[-1] > 1


def test_shap_values_add_up_to_the_prediction():
    shap = pytest.importorskip("shap")
    X, y = data()
    tree = grown(X, y).to_sklearn()
    explainer = shap.TreeExplainer(tree)
    values = explainer.shap_values(X[:300], check_additivity=True)
    total = values.sum(axis=1) + explainer.expected_value
    np.testing.assert_allclose(total, tree.predict_proba(X[:300]), rtol=0, atol=1e-9)


def test_what_scikit_learn_cannot_say_is_refused(made):
    with pytest.raises(NotFittedError):
        rp.VFDT().to_sklearn()
    with pytest.raises(ValueError, match=r"tests the categories of .* test only numbers"):
        made.model("multiway").to_sklearn()
    X, y = data(2000)
    bayes = rp.HoeffdingTree(leaf="naive-bayes").fit(X, y)
    with pytest.raises(ValueError, match=r"'naive-bayes'.*to_sklearn\(leaf='majority'\)"):
        bayes.to_sklearn()
    before = to_bytes(bayes)
    assert bayes.to_sklearn(leaf="majority").get_n_leaves() == bayes.n_leaves_
    assert to_bytes(bayes) == before
