"""Forests as ONNX, Python, C and SQL: the exports answer as the forest does."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import riparian as rp
from riparian.data.costs import cost_matrix
from tests.programs import columns, run_code, session

LANGUAGES = ["python", "c", "sql"]
COSTS = {(0, 1): 3.0, (1, 0): 0.5, (2, 3): 7.0, (3, 0): 2.0}
MEMBER = rp.HoeffdingTree(
    leaf="majority", categorical_cuts="both", grace_period=50, delta=0.2, tau=0.3
)
FORESTS = {
    "bagging": (rp.OnlineBagging, {"estimator": MEMBER, "n_estimators": 4}),
    "leveraging": (rp.LeveragingBagging, {"estimator": MEMBER, "n_estimators": 3}),
    "adaptive": (rp.AdaptiveRandomForest, {"estimator": MEMBER, "n_estimators": 5}),
    "patches": (
        rp.StreamingRandomPatches,
        {"estimator": MEMBER, "n_estimators": 5, "drift": 0.2, "warning": 0.3},
    ),
    "chunks": (rp.AccuracyWeightedEnsemble, {"estimator": MEMBER, "chunk_size": 1000}),
    "pairs": (rp.UFFT, {"leaf": "majority", "n_min": "fixed", "grace_period": 100}),
}


@pytest.fixture(scope="module")
def forest(made):
    found = {}

    def forest(name, costs=None):
        if (name, costs is not None) not in found:
            cls, parameters = FORESTS[name]
            frame, y = made.rows(5_000, seed=1)
            model = cls(**parameters, costs=costs, categorical_features=made.NAMES[3:])
            found[name, costs is not None] = model.fit(frame, y % 4)
        return found[name, costs is not None]

    return forest


@pytest.mark.parametrize("costs", [None, COSTS])
@pytest.mark.parametrize("name", FORESTS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_programs_answer_with_the_same_bits(made, forest, tmp_path, language, name, costs):
    model = forest(name, costs)
    assert model.n_leaves_ > 20
    frame = made.asked[: 600 if language == "sql" else 3000]
    labels, shares = run_code(language, model, frame, tmp_path)
    np.testing.assert_array_equal(labels, model.predict(frame).astype(object))
    np.testing.assert_array_equal(shares, model.predict_proba(frame))


@pytest.mark.parametrize("costs", [None, COSTS])
@pytest.mark.parametrize("name", FORESTS)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_onnx_answers_the_same(made, forest, name, costs, dtype):
    model = forest(name, costs)
    numbers = {name: dtype for name in made.NAMES if name != made.NAMES[3]}
    frame = made.asked.astype(numbers)
    labels, shares = session(model, dtype=dtype).run(None, columns(frame, made.NAMES, dtype))
    wanted = model.predict_proba(frame)
    np.testing.assert_allclose(shares, wanted, rtol=0, atol=1.2e-7 if dtype == "float64" else 6e-7)
    other = labels != model.predict(frame)
    if costs is not None:
        # Sums are compared as float32, so that of two that cost the same either may be answered.
        expected = wanted @ cost_matrix(costs, model.classes_.tolist()).T
        other &= expected[np.arange(len(labels)), labels] > expected.min(axis=1) + 1e-6
    assert not other.any()


def test_members_that_were_just_replaced_vote_as_in_the_forest(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(6000, 4))
    y = ((X[:, 0] > 0) ^ (np.arange(6000) >= 3000)).astype(int)
    model = rp.StreamingRandomPatches(
        estimator=rp.VFDT(grace_period=50, tau=0.3), n_estimators=6, drift=0.3, warning=0.4
    )
    met = 0
    for first in range(0, 6000, 500):
        before = model.n_drifts_ if first else 0
        model.partial_fit(X[first : first + 500], y[first : first + 500])
        met += model.n_drifts_ > before
        for language in ("python", "sql"):
            names = [i if language == "python" else f"x{i}" for i in range(4)]
            frame = pd.DataFrame(X[:200], columns=names)
            labels, shares = run_code(language, model, frame, tmp_path)
            np.testing.assert_array_equal(labels, model.predict(X[:200]).astype(object))
            np.testing.assert_array_equal(shares, model.predict_proba(X[:200]))
    assert met > 0


def test_a_chunk_that_is_not_full_yet_and_chunks_that_do_not_beat_chance(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 2))
    noise = rng.integers(0, 2, 900)
    model = rp.AccuracyWeightedEnsemble(estimator=rp.VFDT(grace_period=50), chunk_size=200)
    for first in range(0, 900, 150):
        model.partial_fit(X[first : first + 150], noise[first : first + 150])
        frame = pd.DataFrame(X[:50], columns=[0, 1])
        labels, shares = run_code("python", model, frame, tmp_path)
        np.testing.assert_array_equal(labels, model.predict(X[:50]).astype(object))
        np.testing.assert_array_equal(shares, model.predict_proba(X[:50]))


@pytest.mark.parametrize("labels", [["only"], ["it's", "b"], [True, False]])
def test_labels_of_any_kind_and_number(tmp_path, labels):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 2))
    y = np.array(labels, dtype=object)[(X[:, 0] > 0).astype(int) % len(labels)]
    model = rp.OnlineBagging(estimator=rp.VFDT(grace_period=50), n_estimators=3).fit(X, y)
    for language in LANGUAGES:
        names = [0, 1] if language == "python" else ["x0", "x1"]
        frame = pd.DataFrame(X[:100], columns=names)
        found, shares = run_code(language, model, frame, tmp_path)
        np.testing.assert_array_equal(found, model.predict(X[:100]).astype(object))
        np.testing.assert_array_equal(shares, model.predict_proba(X[:100]))
    found, shares = session(model).run(None, {"X": X[:100]})
    np.testing.assert_array_equal(found.astype(object), model.predict(X[:100]).astype(object))
    assert shares.shape == (100, len(labels))


def test_sql_takes_sixty_trees_and_many_classes(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2))
    member = rp.VFDT(grace_period=50, tau=0.3)
    trees = rp.OnlineBagging(estimator=member, n_estimators=60).fit(X, (X[:, 0] > 0).astype(int))
    costs = {(0, 1): 3.0}
    classes = rp.OnlineBagging(estimator=member, n_estimators=2, costs=costs)
    for model in (trees, classes.fit(X, np.arange(3000) % 100)):
        frame = pd.DataFrame(X[:20], columns=["x0", "x1"])
        labels, shares = run_code("sql", model, frame, tmp_path)
        np.testing.assert_array_equal(labels, model.predict(X[:20]).astype(object))
        np.testing.assert_array_equal(shares, model.predict_proba(X[:20]))


def test_what_cannot_be_said_is_told_with_the_rule():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 2))
    y = (X[:, 0] > 0).astype(int)
    options = rp.OnlineBagging(estimator=rp.HoeffdingOptionTree(), n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match="to_onnx cannot express a tree with options"):
        options.to_onnx(leaf="majority")
    with pytest.raises(ValueError, match="learned only one class"):
        rp.UFFT(leaf="majority").fit(X, y * 0).to_code("c")
    many = rp.OnlineBagging(n_estimators=61).fit(X, y)
    with pytest.raises(ValueError, match="SQL supports forests of at most 60 trees"):
        many.to_code("sql", leaf="majority")
    assert "void tree_probabilities" in many.to_code("c", leaf="majority")


@pytest.mark.parametrize("language", LANGUAGES)
def test_forests_read_majority_leaves_of_any_members(tmp_path, language):
    """The sum over members of what their trees say with majority leaves."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = rp.OnlineBagging(n_estimators=3).fit(X, y)
    names = [0, 1] if language == "python" else ["x0", "x1"]
    frame = pd.DataFrame(X[:500], columns=names)
    _, shares = run_code(language, model, frame, tmp_path, leaf="majority")
    trees = [
        run_code(language, tree, frame, tmp_path, leaf="majority")[1] for tree in model.estimators_
    ]
    np.testing.assert_allclose(shares, np.mean(trees, axis=0), rtol=1e-15)
