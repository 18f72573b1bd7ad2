"""ONNX models, run by onnxruntime and by the reference of onnx, answer as the model does."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import riparian as rp
from tests.programs import columns, session

pytest.importorskip("onnxruntime")


def check(answer, model, X):
    labels, shares = answer
    np.testing.assert_array_equal(
        np.asarray(labels).astype(object), model.predict(X).astype(object)
    )
    assert shares.dtype == np.float32
    np.testing.assert_allclose(shares, model.predict_proba(X), rtol=0, atol=6e-8)


@pytest.mark.parametrize("cuts", ["multiway", "one-against-rest", "both"])
@pytest.mark.parametrize("n_classes", [1, 2, 4])
def test_ten_thousand_rows_with_text_and_gaps(made, cuts, n_classes):
    model = made.model(cuts, n_classes=n_classes)
    frame = made.asked
    check(session(model).run(None, columns(frame, made.NAMES, np.float64)), model, frame)
    single = frame.astype({name: np.float32 for name in made.NAMES if name != made.NAMES[3]})
    given = columns(single, made.NAMES, np.float32)
    check(session(model, dtype="float32").run(None, given), model, single)


def test_the_reference_implementation_agrees(made):
    from onnx.reference import ReferenceEvaluator

    model = made.model("both")
    frame = made.asked[:300]
    frame = frame.astype({name: np.float32 for name in made.NAMES if name != made.NAMES[3]})
    evaluator = ReferenceEvaluator(model.to_onnx(dtype="float32"))  # it reads no double thresholds
    labels, shares = evaluator.run(None, columns(frame, made.NAMES, np.float32))
    check((labels, np.asarray(shares, dtype=np.float32)), model, frame)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("labels", [None, ["it's", "ü\n"], [7, -3], [False, True]])
def test_columns_of_numbers_are_one_matrix(dtype, labels):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 3)).astype(dtype)
    X[:, 2] = rng.integers(0, 9, len(X))
    y = ((X[:, 0] > 0) ^ (X[:, 2] % 3 == 0)).astype(int)
    if labels is not None:
        y = np.asarray(labels, dtype=object)[y]
    X[rng.random(X.shape) < 0.05] = np.nan
    model = rp.HoeffdingTree(
        leaf="majority", categorical_features=[2], grace_period=50, delta=0.2, tau=0.3
    ).fit(X, y)
    assert model.n_leaves_ > 50
    runtime = session(model, dtype=dtype)
    assert [i.name for i in runtime.get_inputs()] == ["X"]
    rows = X[:10_000].copy()
    rows[:50, 2] = 55.0
    check(runtime.run(None, {"X": rows}), model, rows)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_thresholds_are_exact(dtype, many_thresholds):
    model, thresholds = many_thresholds
    t = thresholds.astype(dtype)
    x = np.concatenate([t, np.nextafter(t, dtype(np.inf)), np.nextafter(t, dtype(-np.inf))])
    x = x.reshape(-1, 1)
    check(session(model, dtype=np.dtype(dtype).name).run(None, {"X": x}), model, x)


def test_many_classes_deep_trees_and_single_leaves(made):
    X = np.arange(600.0).reshape(-1, 1)
    flat = rp.VFDT(grace_period=1e9).fit(X, np.arange(600) % 300)
    check(session(flat).run(None, {"X": X}), flat, X)
    deep = made.chain(1500)
    x = np.concatenate([np.arange(-1.0, 302.0, 0.5), [np.nan]]).reshape(-1, 1)
    check(session(deep).run(None, {"X": x}), deep, x)


def test_shares_that_float32_cannot_tell_apart_keep_their_leader():
    w = 2.0**40
    model = rp.VFDT().fit([[0.0]] * 3, [0, 1, 2], sample_weight=[w, w + 1.0, w])
    labels, _ = session(model).run(None, {"X": np.zeros((2, 1))})
    assert labels.tolist() == model.predict([[0.0]] * 2).tolist() == [1, 1]


def test_an_empty_text_may_be_a_category():
    X = np.array([[""], ["a"]] * 200, dtype=object)
    model = rp.HoeffdingTree(leaf="majority", grace_period=50).fit(X, [0, 1] * 200)
    given = np.array([["", "a", "b"]], dtype=object).T
    check(session(model).run(None, {"x0": given}), model, given)


def test_what_onnx_cannot_say_is_refused(monkeypatch):
    with pytest.raises(NotFittedError):
        rp.VFDT().to_onnx()
    model = rp.VFDT().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="dtype must be one of 'float64', 'float32'"):
        model.to_onnx(dtype="int8")
    mixed = rp.VFDT().fit([[0.0], [1.0]], np.array(["a", 1], dtype=object))
    with pytest.raises(ValueError, match="labels must be all text or all whole numbers"):
        mixed.to_onnx()
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"pip install 'riparian\[onnx\]'"):
        model.to_onnx()


def test_a_category_must_be_a_number_of_the_type():
    X = np.array([[0.1], [0.2]] * 200)
    model = rp.HoeffdingTree(leaf="majority", grace_period=50, categorical_features=[0])
    model.fit(X, [0, 1] * 200)
    assert model.n_leaves_ == 2
    check(session(model).run(None, {"X": X}), model, X)
    with pytest.raises(ValueError, match=r"the category 0\.1 of 'x0' is not exact as float32"):
        model.to_onnx(dtype="float32")
