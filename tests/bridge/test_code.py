"""Generated programs are run, and answer as the model does: class, probabilities, every bit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import riparian as rp
from tests.programs import run_code, run_sql

CUTS = ["multiway", "one-against-rest", "both"]
NOT_FITTED = [rp.VFDT(), rp.HoeffdingTree()]


@pytest.fixture
def run(tmp_path):
    def run(language, model, frame, **options):
        return run_code(language, model, frame, tmp_path, **options)

    return run


def check(run, language, model, frame, X=None):
    labels, shares = run(language, model, frame)
    X = frame if X is None else X
    np.testing.assert_array_equal(labels, model.predict(X).astype(object))
    np.testing.assert_array_equal(shares, model.predict_proba(X))


# -- agreement --------------------------------------------------------------------------------


@pytest.mark.parametrize("cuts", CUTS)
@pytest.mark.parametrize("language", ["python", "sql", "c"])
def test_ten_thousand_rows_with_gaps_and_hostile_text(made, run, language, cuts):
    model = made.model(cuts)
    assert model.n_leaves_ > 100
    check(run, language, model, made.asked)


@pytest.mark.parametrize("labels", [["no"], ["it's", 'a"\n?'], list("abc"), [True, False]])
@pytest.mark.parametrize("language", ["python", "sql", "c"])
def test_labels_of_any_kind_and_number(made, run, language, labels):
    model = made.model("both", n_classes=len(labels), labels=labels)
    check(run, language, model, made.asked[:500])


@pytest.mark.parametrize("language", ["python", "sql", "c"])
def test_many_classes_and_a_single_leaf(run, language):
    X = np.arange(600.0).reshape(-1, 1)
    model = rp.VFDT(grace_period=1e9).fit(X, np.arange(600) % 300)
    assert model.n_leaves_ == 1
    check(run, language, model, pd.DataFrame({"x0": [1.0, np.nan]}), [[1.0], [np.nan]])


@pytest.mark.parametrize("language", ["python", "sql", "c"])
def test_a_tree_far_deeper_than_any_stack(made, run, language):
    model = made.chain(1500)
    assert model.depth_ == 1500
    x = np.concatenate([np.arange(-1.0, 302.0, 0.5), [np.nan]])
    name = 0 if language == "python" else "x0"
    check(run, language, model, pd.DataFrame({name: x}), x.reshape(-1, 1))


@pytest.mark.parametrize("language", ["python", "sql", "c"])
def test_thresholds_are_exact(run, language, many_thresholds):
    model, t = many_thresholds
    x = np.concatenate([t, np.nextafter(t, np.inf), np.nextafter(t, -np.inf)])
    name = 0 if language == "python" else "x0"
    check(run, language, model, pd.DataFrame({name: x}), x.reshape(-1, 1))


def test_python_takes_sequences_and_single_precision():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 3)).astype(np.float32)
    model = rp.VFDT(grace_period=50, tau=0.3).fit(X, (X[:, 0] > 0.1).astype(int))
    space = {}
    exec(model.to_code("python"), space)
    got = [space["predict_one"](row) for row in X]
    assert got == model.predict(X).tolist()
    assert space["predict_one"]([]) in (0, 1)


def test_sql_reads_the_table_that_is_named(made):
    model = made.model("both")
    frame = made.asked[:50]
    strange = 'my "table'
    labels, shares = run_sql(
        model.to_code("sql", table=strange, proba=False), frame, model, strange.replace('"', '""')
    )
    np.testing.assert_array_equal(labels, model.predict(frame).astype(object))
    assert shares.shape == (50, 0)
    assert 'FROM "db"."t" AS' in model.to_code("sql", table="db.t")


def test_seeded_models_and_models_without_inherited_counts(made, run):
    from sklearn.tree import DecisionTreeClassifier

    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    model = rp.VFDT.from_sklearn(DecisionTreeClassifier(max_depth=6).fit(X, y))
    for language in ("python", "sql", "c"):
        frame = pd.DataFrame(X, columns=[0, 1] if language == "python" else ["x0", "x1"])
        check(run, language, model, frame, X)
    empty = made.learned("multiway", inherit_counts="none")
    check(run, "python", empty, made.asked[:2000])


# -- refusals ---------------------------------------------------------------------------------


def test_what_cannot_be_code_is_refused(made):
    model = made.model("both")
    with pytest.raises(ValueError, match="language must be one of 'sql', 'python', 'c'"):
        model.to_code("cobol")
    with pytest.raises(ValueError, match="name must consist of letters"):
        model.to_code("c", name="x; int main")
    with pytest.raises(ValueError, match="table needs language='sql', got 'c'"):
        model.to_code("c", table="t")
    for unfitted in NOT_FITTED:
        with pytest.raises(NotFittedError):
            unfitted.to_code("sql")
    bayes = rp.HoeffdingTree().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="leaf must be None or 'majority'"):
        bayes.to_code("python", leaf="adaptive")
    assert "def predict_one" in bayes.to_code("python", leaf="majority")


def test_text_that_a_language_cannot_hold_is_refused():
    X = np.array([["a\0b"], ["c"]] * 200, dtype=object)
    model = rp.HoeffdingTree(leaf="majority", grace_period=50).fit(X, [0, 1] * 200)
    assert model.n_leaves_ == 2
    space = {}
    exec(model.to_code("python"), space)
    assert space["predict_one"](["a\0b"]) == 0
    for language in ("c", "sql"):
        with pytest.raises(ValueError, match="NUL"):
            model.to_code(language)
    X = np.array([["1"], [1]] * 200, dtype=object)
    mixed = rp.HoeffdingTree(leaf="majority").fit(X, [0, 1] * 200)
    with pytest.raises(ValueError, match="must be all text or all numbers: C has one type"):
        mixed.to_code("c")
