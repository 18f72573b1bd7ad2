"""What holds of a model after each step."""

from __future__ import annotations

import numpy as np
from sklearn.exceptions import NotFittedError

import riparian as rp
from riparian.storage.modelfile import from_bytes, functions_of, to_bytes
from tests import inside
from tests.attack.random_rows import PROBE, PROBE_ARRAY, PROBE_WHOLE
from tests.modelfile.parts import Parts


def fitted(model):
    try:
        return bool(model.n_seen_ + 1)
    except NotFittedError:
        return False


def seen(model):
    return model.n_seen_ if fitted(model) else 0


def contents(model):
    """The bytes of a model; None: it is not fitted.

    Counters of operations are left out: they count work, and a row that was interrupted is worked
    on twice.
    """
    if not fitted(model):
        return None
    data = to_bytes(model)
    if isinstance(model, rp.ID3 | rp.ID5R | rp.ITI):
        parts = Parts(data)
        del parts.arrays["counters"]
        data = parts.data()
    return data


def copy_of(model, kind):
    """A model that has learned the same."""
    if not fitted(model):
        return kind()
    return from_bytes(to_bytes(model), functions_of(inside.learned_with(model)))


def names_of(model):
    return [feature.name for feature in inside.features(model)]


def check(model, kind):
    """It can be saved and loaded, and the loaded one is the same model."""
    if not fitted(model):
        try:
            model.predict(PROBE.X)
        except NotFittedError:
            assert model.predict_one({"height": 1.0}) is None
            return
        raise AssertionError("a model that has learned nothing predicts")
    again = copy_of(model, kind)
    named = not names_of(model) or isinstance(names_of(model)[0], str)
    probe = (PROBE_WHOLE if kind.restructures else PROBE) if named else PROBE_ARRAY
    X = probe.X
    if named:
        # Columns that the model has not seen are left out of frames.
        X = {name: column for name, column in X.items() if name in names_of(model)}
    if not len(X):
        return
    one, other = model.predict_proba(X), again.predict_proba(X)
    assert np.isfinite(one).all(), "a probability is not finite"
    assert np.array_equal(one, other), "the loaded model predicts something else"
    assert one.shape[1] == len(model.classes_), "probabilities and classes disagree"
    assert model.predict(X).tolist() == again.predict(X).tolist()
    assert model.n_seen_ == again.n_seen_
    assert model.classes_.tolist() == again.classes_.tolist()
    assert names_of(model) == names_of(again)
    example = next(probe.examples())[0]
    if named:
        expected = model.predict(X)[0]
        example = {k: v for k, v in example.items() if k in X}
        assert model.predict_one(example) == expected, "predict_one is not predict"


def is_a_whole_number_of_rows(model, kind, before, batch):
    """Asserts that a call that was ended learned the first k rows of its batch, and no more."""
    k = seen(model) - seen(before)
    assert 0 <= k <= len(batch), f"{k} of {len(batch)} rows were learned"
    if k == 0 and not fitted(model):
        assert not fitted(before), "a model that had learned is not fitted any more"
        return
    want = copy_of(before, kind)
    if k:
        batch.first(k).learned_by(want)
    assert contents(model) == contents(want), (
        f"n_seen_ says that {k} of {len(batch)} rows were learned, "
        "but the model is not the one that learned these"
    )
