"""OADT as ONNX, Python and C: the same planes, another exponential."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import riparian as rp
from tests.programs import columns, run_code, session

COSTS = {(0, 1): 9.0, (1, 0): 0.5, (2, 3): 7.0}


@pytest.fixture(scope="module")
def model(made):
    found = {}

    def model(n_classes, **parameters):
        key = n_classes, repr(sorted(parameters.items()))
        if key not in found:
            frame, y = made.rows(8_000, seed=1)
            fresh = rp.OADT(depth=4, categorical_features=made.NAMES[3:], **parameters)
            found[key] = fresh.fit(frame, y % n_classes)
        return found[key]

    return model


SETTINGS = [{}, {"standardise": False}, {"costs": COSTS}, {"slope": 40.0}]


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("parameters", SETTINGS)
@pytest.mark.parametrize("language", ["python", "c"])
def test_programs_answer_as_the_model(made, model, tmp_path, language, parameters, n_classes):
    learned = model(n_classes, **parameters)
    frame = made.asked[:1000]
    labels, shares = run_code(language, learned, frame, tmp_path)
    np.testing.assert_allclose(shares, learned.predict_proba(frame), rtol=1e-9, atol=1e-14)
    np.testing.assert_array_equal(labels, learned.predict(frame).astype(object))


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("parameters", SETTINGS)
def test_onnx_answers_as_the_model(made, model, parameters, n_classes):
    learned = model(n_classes, **parameters)
    labels, shares = session(learned).run(None, columns(made.asked, made.NAMES, np.float64))
    np.testing.assert_allclose(shares, learned.predict_proba(made.asked), rtol=0, atol=6e-8)
    np.testing.assert_array_equal(labels, learned.predict(made.asked))


def test_single_precision_is_close(made, model):
    learned = model(4)
    numbers = {name: np.float32 for name in made.NAMES if name != made.NAMES[3]}
    frame = made.asked.astype(numbers)
    _, shares = session(learned, dtype="float32").run(None, columns(frame, made.NAMES, np.float32))
    np.testing.assert_allclose(shares, learned.predict_proba(frame), rtol=0, atol=1e-4)


@pytest.mark.parametrize("language", ["python", "c"])
def test_constant_columns_and_columns_without_a_value_count_nothing(tmp_path, language):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    X[:, 1], X[:, 2] = 5.0, np.nan
    model = rp.OADT(depth=2).fit(X, (X[:, 0] > 0).astype(int))
    rows = rng.normal(size=(50, 3)) * 1e9
    names = [i if language == "python" else f"x{i}" for i in range(3)]
    labels, shares = run_code(language, model, pd.DataFrame(rows, columns=names), tmp_path)
    np.testing.assert_allclose(shares, model.predict_proba(rows), rtol=1e-9, atol=1e-14)
    np.testing.assert_array_equal(labels, model.predict(rows).astype(object))
    labels, shares = session(model).run(None, {"X": rows})
    np.testing.assert_allclose(shares, model.predict_proba(rows), rtol=0, atol=6e-8)


def test_what_planes_cannot_be_is_told():
    X = np.random.default_rng(0).normal(size=(100, 2))
    model = rp.OADT(depth=2).fit(X, (X[:, 0] > 0).astype(int))
    with pytest.raises(ValueError, match="language must be 'python' or 'c' for OADT, got 'sql'"):
        model.to_code("sql")
    with pytest.raises(ValueError, match="leaf must be None for OADT"):
        model.to_onnx(leaf="majority")
    with pytest.raises(ValueError, match="to_onnx needs a model with at least two classes"):
        rp.OADT(depth=2).fit(X, [1] * 100).to_onnx()
    gaps = rp.OADT(depth=2, categorical_features=[0]).fit([[np.nan]] * 4, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="to_code needs a model that has seen values"):
        gaps.to_code("c")
