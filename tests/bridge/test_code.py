"""Generated programs are run, and answer as the model does: class, probabilities, every bit."""

from __future__ import annotations

import ctypes
import itertools
import shutil
import sqlite3
import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import riparian as rp

CUTS = ["multiway", "one-against-rest", "both"]
NOT_FITTED = [rp.VFDT(), rp.HoeffdingTree()]


# -- running it -------------------------------------------------------------------------------


def run_python(code, frame, model):
    space = {}
    exec(compile(code, "tree.py", "exec"), space)
    examples = frame.to_dict("records")
    labels = [space["predict_one"](x) for x in examples]
    shares = [space["predict_proba_one"](x) for x in examples]
    assert all(list(s) == model.classes_.tolist() for s in shares[:1])
    return np.array(labels, dtype=object), np.array([list(s.values()) for s in shares])


def run_sql(code, frame, model, table="examples"):
    base = sqlite3.connect(":memory:")
    quoted = [name.replace('"', '""') for name in frame.columns]
    columns = ", ".join(f'"{name}"' for name in quoted)
    base.execute(f'CREATE TABLE "{table}" (row INTEGER, {columns})')
    values = [
        (i, *(None if v is None or v != v else v for v in row))
        for i, row in enumerate(frame.itertuples(index=False, name=None))
    ]
    marks = ", ".join("?" * (len(quoted) + 1))
    base.executemany(f'INSERT INTO "{table}" VALUES ({marks})', values)
    found = base.execute(code)
    names = [d[0] for d in found.description]
    rows = sorted(found.fetchall(), key=lambda row: row[0])
    assert [row[0] for row in rows] == list(range(len(frame)))
    first = names.index("prediction")
    return (
        np.array([row[first] for row in rows], dtype=object),
        np.array([row[first + 1 :] for row in rows]),
    )


numbers = itertools.count()


def run_c(code, frame, model, folder, name="tree"):
    place = folder / f"tree{next(numbers)}"
    source = place.with_suffix(".c")
    source.write_text(code, encoding="utf-8")
    flags = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-shared", "-fPIC"]
    library = place.with_suffix(".so")
    subprocess.run(["gcc", *flags, str(source), "-o", str(library)], check=True)
    made = ctypes.CDLL(str(library))
    predict, proba = made[f"{name}_predict"], made[f"{name}_probabilities"]
    doubles = ctypes.POINTER(ctypes.c_double)
    predict.argtypes, proba.argtypes, proba.restype = [doubles], [doubles], doubles
    x = np.empty(frame.shape)
    for i, column in enumerate(frame.columns):
        values = frame[column]
        if values.dtype.kind in "fi":
            x[:, i] = values
            continue
        code_of = made[f"{name}_code"]
        code_of.restype = ctypes.c_double
        known = {v: code_of(i, ctypes.c_char_p(v.encode())) for v in values.dropna().unique()}
        x[:, i] = [np.nan if v is None or v != v else known[v] for v in values]
    pointers = [row.ctypes.data_as(doubles) for row in x]
    classes = np.array([predict(p) for p in pointers])
    k = len(model.classes_)
    shares = np.array([np.ctypeslib.as_array(proba(p), (k,)).copy() for p in pointers])
    names = (ctypes.c_char_p * k).in_dll(made, f"{name}_classes")
    assert [n.decode() for n in names] == [str(c) for c in model.classes_]
    return model.classes_[classes], shares


@pytest.fixture
def run(tmp_path):
    def run(language, model, frame, **options):
        code = model.to_code(language, **options)
        if language == "c":
            if shutil.which("gcc") is None:
                pytest.skip("gcc is not here")
            return run_c(code, frame, model, tmp_path)
        return {"python": run_python, "sql": run_sql}[language](code, frame, model)

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
def test_thresholds_are_exact(run, language):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20_000, 1)) * 10.0 ** rng.uniform(-12, 12, (20_000, 1))
    y = (np.floor(np.log10(np.abs(X[:, 0]))) % 2).astype(int)
    model = rp.HoeffdingTree(
        statistics="exhaustive", leaf="majority", grace_period=50, delta=0.3, tau=0.5
    ).fit(X, y)
    nodes = model._engine.nodes()
    t = nodes["threshold"][nodes["test"] == 1]
    assert len(t) > 50
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
    with pytest.raises(ValueError, match="name must be letters"):
        model.to_code("c", name="x; int main")
    with pytest.raises(TypeError, match="table"):
        model.to_code("c", table="t")
    for unfitted in NOT_FITTED:
        with pytest.raises(NotFittedError):
            unfitted.to_code("sql")
    bayes = rp.HoeffdingTree().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match=r"answer by 'adaptive'.*to_code\(leaf='majority'\)"):
        bayes.to_code("python")
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
    with pytest.raises(ValueError, match="neither all text nor all numbers, and C has one type"):
        mixed.to_code("c")
