"""One row is predicted as a batch is, and a prediction names the state that made it."""

from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np
import pytest

from riparian.models.registry import MODELS


def rows_of(stream, n):
    """The last rows, where everything has come, as dicts and as a batch."""
    part = stream[len(stream) - n :]
    return [x for x, _, _ in part.examples()], part.columns


def test_the_probabilities_of_one_row_are_those_of_the_batch(model, stream):
    trained = stream.learned_by(model.eager())
    examples, columns = rows_of(stream, 40)
    for x, row in zip(examples, trained.predict_proba(columns).tolist(), strict=True):
        found = trained.predict_proba_one(x)
        assert list(found) == trained.classes_.tolist()
        assert list(found.values()) == row


def test_odd_examples_are_predicted_as_by_the_batch(cls, mixed):
    """By the way for the usual values and by the other one: each has to ignore what it must."""
    model = cls().partial_fit(mixed[1990:2040].columns, mixed[1990:2040].y)
    x = {"height": 0.4, "width": 2.0, "clock": 1e9, "colour": "red", "grade": "a"}
    odd: dict[str, dict[Any, Any]] = {
        "unknown keys": x | {"new": 3.0, 17: "b"},
        "missing values": {"height": None, "width": float("nan")},
        "nothing at all": {},
        "a new category": x | {"colour": "infrared"},
        "an integer": x | {"width": 2},
        "NumPy's numbers": x | {"height": np.float32(0.5), "width": np.int64(2)},
        "NumPy's text as a key": {np.str_("height"): 0.4, "colour": "red"},
    }
    for what, example in odd.items():
        known = {name: example.get(name) for name in x}
        columns = {name: np.array([value], dtype=object) for name, value in known.items()}
        expected = model.predict_proba(columns)[0].tolist()
        assert list(model.predict_proba_one(example).values()) == expected, what

        class Dict(dict):
            pass

        assert list(model.predict_proba_one(Dict(example)).values()) == expected, what
        with pytest.raises(ValueError, match="inf cannot be learned"):
            model.predict_proba_one(x | {"height": float("inf")})


def test_a_prediction_may_name_the_number_of_examples(cls, mixed):
    model = cls()
    x = {"height": 0.4, "colour": "red"}
    assert model.predict_one(x, return_seen=True) == (None, 0)
    assert model.predict_proba_one(x, return_seen=True) == ({}, 0)
    rows = mixed[1990:2040]
    model.partial_fit(rows.columns, rows.y)
    seen = model.n_seen_
    for example in (x, x | {"height": np.float64(0.4)}):
        assert model.predict_one(example, return_seen=True) == (model.predict_one(example), seen)
        shares = model.predict_proba_one(example)
        assert model.predict_proba_one(example, return_seen=True) == (shares, seen)
    labels, at = model.predict(rows.columns, return_seen=True)
    np.testing.assert_array_equal(labels, model.predict(rows.columns))
    probabilities, also_at = model.predict_proba(rows.columns, return_seen=True)
    np.testing.assert_array_equal(probabilities, model.predict_proba(rows.columns))
    assert at == also_at == seen


READINGS = {
    "labels": lambda model, X, x: model.predict(X, return_seen=True),
    "probabilities": lambda model, X, x: model.predict_proba(X, return_seen=True),
    "one label": lambda model, X, x: model.predict_one(x, return_seen=True),
    "probabilities of one": lambda model, X, x: model.predict_proba_one(x, return_seen=True),
}


def test_a_prediction_is_that_of_the_state_that_it_names(model, stream):
    """While another thread learns, and brings classes: as a model of exactly those rows."""
    learned = np.flatnonzero(stream.w > 0.0)
    trained = stream[: learned[9] + 1].learned_by(model.eager())
    X, x = stream[-300:].columns, next(stream[-1:].examples())[0]
    found = {reading: {} for reading in READINGS}
    done = threading.Event()

    def read(reading):
        while not done.is_set():
            answer, seen = READINGS[reading](trained, X, x)
            found[reading][seen] = answer

    threads = [threading.Thread(target=read, args=(reading,)) for reading in READINGS]
    before = sys.getswitchinterval()
    sys.setswitchinterval(5e-6)
    try:
        for thread in threads:
            thread.start()
        for rows in stream[learned[9] + 1 :].batches(max(1, len(stream) // 40)):
            rows.learned_by(trained)
    finally:
        done.set()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(before)
    moments = sorted(set().union(*found.values()))
    assert len(moments) > 1
    for seen in moments[:: 1 + len(moments) // 6]:
        same = stream[: learned[seen - 1] + 1].learned_by(model.eager())
        assert same.n_seen_ == seen
        for reading, answers in found.items():
            if seen in answers:
                expected, _ = READINGS[reading](same, X, x)
                np.testing.assert_array_equal(answers[seen], expected, err_msg=reading)


@pytest.mark.parametrize("name", MODELS)
def test_other_rows_than_the_first_block_are_of_the_same_state(name, with_known):
    """A batch is predicted in several blocks; learning waits for all of them."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, size=(60, 2)).astype(float)
    y = (X[:, 0] > 0).astype(int)
    model = with_known(MODELS[name], n_estimators=3).partial_fit(X, y)
    asked = np.tile(X, (40, 1))
    done = threading.Event()

    def learn():
        while not done.is_set() and model.n_seen_ < 2_000:
            # The other way round: the model comes to predict otherwise.
            model.partial_fit(X[:5], 1 - y[:5])

    learner = threading.Thread(target=learn)
    learner.start()
    try:
        for _ in range(20):
            probabilities, _ = model.predict_proba(asked, return_seen=True)
            for block in np.split(probabilities, 40)[1:]:
                np.testing.assert_array_equal(block, probabilities[:60])
    finally:
        done.set()
        learner.join()
