"""Leaves that compute: every export predicts what naive Bayes, linear and softmax leaves do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import riparian as rp
from riparian.export.allowed import Allowed
from riparian.export.plain import read_nodes
from tests import inside
from tests.programs import columns, run_code, session

TARGETS = ["python", "c", "sql", "onnx"]
LEAVES = {
    "bayes": ("naive-bayes", 4),
    "adaptive": ("adaptive", 4),
    "one unit": ("linear-units", 2),
    "units": ("linear-units", 4),
    "softmax": ("softmax", 4),
    "best": (("majority", "naive-bayes", "linear-units", "softmax"), 2),
}
COSTS = {(0, 1): 3.0, (1, 0): 0.5, (2, 3): 7.0, (3, 0): 2.0}
MEMBER = rp.HoeffdingTree(leaf="adaptive", categorical_cuts="both", grace_period=50, tau=0.3)
FORESTS = {
    "features drawn at leaves": rp.AdaptiveRandomForest(estimator=MEMBER, n_estimators=3),
    "features drawn for trees": rp.StreamingRandomPatches(estimator=MEMBER, n_estimators=3),
    "pairs of classes": rp.UFFT(),
    "chunks": rp.AccuracyWeightedEnsemble(estimator=rp.StreamTree(), chunk_size=500),
    "costs": rp.OnlineBagging(estimator=MEMBER, n_estimators=2, costs=COSTS),
    "costs of a tree": rp.StreamTree(grace_period=50, costs=COSTS),
    # With 30,000 not all names fit, and C and ONNX refuse numbers as categories with "other".
    "limited": rp.HoeffdingTree(leaf="naive-bayes", grace_period=50, tau=0.3, max_bytes=34_000),
}


def ask(target, model, rows, folder):
    """The labels and probabilities of an export, for a frame or for a matrix of numbers."""
    matrix = isinstance(rows, np.ndarray)
    if target == "onnx":
        given = {"X": rows} if matrix else columns(rows, list(rows), "float64")
        return session(model).run(None, given)
    if matrix:
        names = [i if target == "python" else f"x{i}" for i in range(rows.shape[1])]
        rows = pd.DataFrame(rows, columns=names)
    return run_code(target, model, rows, folder)


def check(found, model, rows, atol=1e-9):
    """The labels and probabilities of an export are those of the model."""
    labels, shares = found
    wanted = model.predict_proba(rows)
    np.testing.assert_allclose(shares.astype(float), wanted, rtol=0, atol=atol)
    np.testing.assert_array_equal(labels.astype(object), model.predict(rows).astype(object))


@pytest.fixture(scope="module")
def grown(made):
    """Models by name, each fitted once."""
    found = {}

    def grown(name):
        if name not in found:
            frame, y = made.rows(6000, seed=1)
            if name in LEAVES:
                leaf, k = LEAVES[name]
                model = rp.HoeffdingTree(
                    leaf=leaf, categorical_cuts="both", grace_period=100, delta=0.2, tau=0.3
                )
            else:
                model, k = FORESTS[name], 4
                frame, y = frame[:2500], y[:2500]
            model.set_params(categorical_features=made.NAMES[3:])
            found[name] = model.fit(frame, y % k)
        return found[name]

    return grown


@pytest.mark.parametrize("target", TARGETS)
def test_ten_thousand_rows_of_the_default_tree(made, tmp_path, target):
    frame, y = made.rows(20_000, seed=1)
    model = rp.StreamTree(categorical_features=made.NAMES[3:], delta=0.1).fit(frame, y % 4)
    assert len(inside.plain(model).formulas) > 2
    check(ask(target, model, made.asked, tmp_path), model, made.asked)


@pytest.mark.parametrize("target", TARGETS)
def test_ten_thousand_rows_of_the_default_forest(made, tmp_path, target):
    frame, y = made.rows(2500, seed=1)
    model = rp.StreamForest(categorical_features=made.NAMES[3:]).fit(frame, y % 4)
    plain = inside.plain(model)
    assert 50 < len(plain.formulas) < plain.predicts.sum()
    rows = made.asked[:2000] if target == "python" else made.asked
    check(ask(target, model, rows, tmp_path), model, rows)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", LEAVES)
def test_each_leaf_predictor(made, grown, tmp_path, name, target):
    model = grown(name)
    assert model.n_leaves_ > 2
    assert inside.plain(model).formulas
    check(ask(target, model, made.asked[:1500], tmp_path), model, made.asked[:1500])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", FORESTS)
def test_forests_vote_and_costs_choose_as_in_the_model(made, grown, tmp_path, name, target):
    model = grown(name)
    assert inside.plain(model).formulas
    check(ask(target, model, made.asked[100:700], tmp_path), model, made.asked[100:700])


def test_leaves_that_became_inactive_predict_their_class_weights(grown):
    plain = inside.plain(grown("limited"))
    leaves = np.flatnonzero(plain.test == 0)
    assert 0 < len(plain.formulas) < len(leaves)


@pytest.mark.parametrize("name", ["bayes", "units", "features drawn at leaves"])
def test_onnx_computes_in_doubles_for_single_precision_too(made, grown, name):
    model = grown(name)
    numbers = {name: "float32" for name in made.NAMES if name != made.NAMES[3]}
    frame = made.asked.astype(numbers)
    made_session = session(model, dtype="float32")
    labels, shares = made_session.run(None, columns(frame, made.NAMES, "float32"))
    assert shares.dtype == np.float32
    np.testing.assert_allclose(shares, model.predict_proba(frame), rtol=0, atol=1e-5)
    np.testing.assert_array_equal(labels, model.predict(frame))


@pytest.mark.parametrize("leaf", ["naive-bayes", "linear-units", "softmax"])
def test_huge_and_tiny_values(tmp_path, leaf):
    """Scores overflow to -inf for all classes, values are clipped, and nothing is NaN."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 5)) * [1e300, 1e-160, 0.0, 1.0, 1e-3]
    X[:, 2] = rng.integers(0, 9, 2000) * 5e-324
    X[:, 4] += 1e9
    y = rng.integers(0, 2, 2000) + (X[:, 3] > 0.5)
    X[:, 1] += y * 1e-160
    model = rp.HoeffdingTree(leaf=leaf).fit(X, y)
    rows = X[:400].copy()
    tried = [1e308, -1e308, 0.0, 5e-324, -5e-324, np.nan, 1e-300, 2.0**451]
    for i in range(5):
        rows[40 * i : 40 * i + 40, i] = rng.choice(tried, 40)
    rows[200:300] = rng.choice(tried, (100, 5))
    assert np.isfinite(model.predict_proba(rows)).all()
    for target in TARGETS:
        check(ask(target, model, rows, tmp_path), model, rows)


@pytest.mark.parametrize("target", TARGETS)
def test_ties_go_to_the_first_class(tmp_path, target):
    """Both classes have seen the same values, so their scores are equal."""
    X = np.repeat([[1.0], [2.0], [4.0]], 2, axis=0)
    model = rp.HoeffdingTree(leaf="naive-bayes").fit(X, ["b", "a"] * 3)
    rows = np.array([[0.0], [3.0], [np.nan], [1e300]])
    np.testing.assert_array_equal(model.predict_proba(rows), 0.5)
    assert inside.classes(model) == ["a", "b"]
    labels, shares = ask(target, model, rows, tmp_path)
    np.testing.assert_array_equal(shares, 0.5)
    assert labels.tolist() == model.predict(rows).tolist() == ["a"] * 4


@pytest.mark.parametrize("leaf", ["naive-bayes", "linear-units", "softmax"])
def test_classes_that_some_leaves_have_not_seen(tmp_path, leaf):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2))
    model = rp.HoeffdingTree(leaf=leaf, grace_period=50).fit(X, (X[:, 0] > 0).astype(int))
    few = X[X[:, 0] > 1][:9]
    model.partial_fit(few, np.full(len(few), 2))
    assert model.n_leaves_ > 1
    for target in TARGETS:
        check(ask(target, model, X[:300], tmp_path), model, X[:300])


def test_leaves_that_all_chose_the_majority_stay_the_small_export():
    """One class has nearly all rows, and a few rows far away mislead naive Bayes."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 1)), (np.arange(2000) % 40 == 0).astype(int)
    X[y == 1] *= 100.0
    model = rp.HoeffdingTree(leaf="adaptive").fit(X, rng.permutation(y))
    assert set(inside.nodes(model)["predicted_by"]) == {"majority"}
    for language in ("python", "c", "sql"):
        assert model.to_code(language) == model.to_code(language, leaf="majority")
    assert model.to_onnx() == model.to_onnx(leaf="majority")


@pytest.mark.parametrize("leaf", ["majority", "adaptive", "naive-bayes", "softmax"])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.filterwarnings("ignore:column 'id'")
def test_other_categories_and_identifiers(tmp_path, target, leaf):
    rng = np.random.default_rng(0)
    code = rng.integers(0, 12, 3000)
    frame = pd.DataFrame(
        {
            "id": [f"user {i}" for i in range(3000)],
            "number": rng.normal(size=3000),
            "job": [f"job {c}" for c in code],
        }
    )
    y = ((frame["number"] > 0) ^ (code % 2 == 1)).to_numpy().astype(int)
    model = rp.HoeffdingTree(leaf=leaf, max_categories=4, grace_period=100, tau=0.3)
    model.fit(frame, y)
    assert len(inside.features(model)[2].codes) == 5
    assert bool(inside.plain(model).formulas) == (leaf != "majority")
    rows = frame[:400].copy()
    rows.loc[::3, "job"] = "never seen"
    rows.loc[1::7, "job"] = None
    rows.loc[2::7, "id"] = "no user"
    # ONNX has the class weights of leaves in float32.
    check(ask(target, model, rows, tmp_path), model, rows, 1e-7 if leaf == "majority" else 1e-9)


def test_numbers_as_categories_with_others_are_refused_where_a_column_has_one_type():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 30, (500, 1)).astype(float), rng.integers(0, 2, 500)
    model = rp.HoeffdingTree(leaf="naive-bayes", max_categories=5, categorical_features=[0])
    model.fit(X, y)
    for export in (model.to_onnx, lambda: model.to_code("c")):
        with pytest.raises(ValueError, match="'x0' has numbers as categories, and more of them"):
            export()
    assert "def predict_one" in model.to_code("python")


def test_a_predictor_that_is_no_formula_is_refused_by_name():
    class Tree:
        def nodes(self, formulas):
            return {"formulas": [None, {"link": "unknown"}], "predicted_by": [None, "mine"]}

    with pytest.raises(ValueError, match=r"leaf 1 .* predicts with 'mine'.*to_onnx\(leaf='maj"):
        read_nodes(Tree(), Allowed(), "to_onnx")


def test_sql_has_a_limit_of_columns():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 80)), np.arange(300) % 10
    model = rp.HoeffdingTree(leaf="naive-bayes").fit(X, y)
    with pytest.raises(ValueError, match="SQL supports 1990 columns, and this model needs 2411"):
        model.to_code("sql")
    assert "def predict_one" in model.to_code("python")
