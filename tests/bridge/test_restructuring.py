"""Trees that restructure, exported: every value a branch, binary tests, missing values."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import riparian as rp
from tests.programs import run_code, session

LANGUAGES = ["python", "c", "sql"]
WORDS = ["calm", "wind", "storm", "it's"]
EVERY_VALUE = [rp.ID3, rp.ID3Prime, rp.ID4, rp.ID5R]


def rows(n, seed, gaps=0.1):
    """Text, whole numbers and text again, in which values are missing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.choice(WORDS, n).astype(object),
            "b": rng.integers(0, 4, n).astype(float),
            "c": rng.choice(["x", "y"], n).astype(object),
        }
    )
    y = (frame["a"] == "calm").astype(int) + 2 * ((frame["b"] == 1.0) & (frame["c"] == "x"))
    y = np.where(rng.random(n) < 0.1, rng.integers(0, 3, n), y)
    for name in frame:
        frame.loc[rng.random(n) < gaps, name] = np.nan if name == "b" else None
    return frame, y


def asked(gaps=0.1):
    frame, _ = rows(600, seed=9, gaps=gaps)
    frame.loc[:40, "a"] = "never seen"
    frame.loc[30:60, "b"] = 17.0
    return frame


def check(answer, model, frame, **tolerance):
    labels, shares = answer
    np.testing.assert_array_equal(labels.astype(object), model.predict(frame).astype(object))
    np.testing.assert_allclose(shares, model.predict_proba(frame), rtol=0, **tolerance)


def inputs(frame, dtype):
    return {
        name: frame[name].to_numpy(dtype).reshape(-1, 1)
        if name == "b"
        else frame[name].fillna("").to_numpy(object).reshape(-1, 1)
        for name in frame
    }


@pytest.mark.parametrize("gaps", [0.1, 0.0])
@pytest.mark.parametrize("cls", EVERY_VALUE)
def test_a_missing_value_is_a_value_or_is_answered_where_it_is_met(tmp_path, cls, gaps):
    model = cls().fit(*rows(150 if cls is rp.ID3Prime else 600, seed=1, gaps=gaps))
    assert model.n_leaves_ > 10
    for language in LANGUAGES:
        check(run_code(language, model, asked(), tmp_path), model, asked(), atol=0)
    for dtype in ("float64", "float32"):
        check(
            session(model, dtype=dtype).run(None, inputs(asked(), dtype)), model, asked(), atol=6e-8
        )


def test_iti_needs_a_word_about_missing_values(tmp_path):
    model = rp.ITI().fit(*rows(600, seed=1))
    for export in (lambda **o: model.to_code("c", **o), model.to_onnx, model.to_sklearn):
        with pytest.raises(
            ValueError, match=r"a missing value down both branches.*missing='fails'"
        ):
            export()
    with pytest.raises(ValueError, match="missing must be None or 'fails', got 'heavier'"):
        model.to_onnx(missing="heavier")
    complete = asked(gaps=0.0)
    for language in LANGUAGES:
        check(
            run_code(language, model, complete, tmp_path, missing="fails"), model, complete, atol=0
        )
    given = inputs(complete, np.float64)
    check(session(model, missing="fails").run(None, given), model, complete, atol=6e-8)


@pytest.mark.parametrize("language", LANGUAGES)
def test_iti_sends_a_missing_value_where_its_path_goes(tmp_path, language):
    model = rp.ITI().fit(*rows(600, seed=1))
    frame = asked()[100:200]
    labels, _ = run_code(language, model, frame, tmp_path, missing="fails")
    examples = [
        {k: None if v is None or v != v else v for k, v in x.items()}
        for x in frame.to_dict("records")
    ]
    assert labels.tolist() == [model.explain_one(x)[-1].majority for x in examples]


def test_iti_of_numbers_becomes_a_tree_of_scikit_learn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 3)).astype(np.float32).astype(float)
    model = rp.ITI().fit(X, (X[:, 0] * X[:, 1] > 0).astype(int))
    tree = model.to_sklearn(missing="fails")
    np.testing.assert_array_equal(tree.predict_proba(X), model.predict_proba(X))
    assert tree.tree_.node_count == model.n_nodes_
