"""What one call leaves behind must not be met by the next one."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

import riparian as rp


def rows(seed, n=400):
    rng = np.random.default_rng(seed)
    X = rng.random((n, 3))
    return X, (X[:, 0] > 0.5).astype(int)


@pytest.mark.parametrize("axis", ["impurity", "bound"])
def test_an_interrupt_of_a_function_does_not_outlive_its_call(axis):
    calls = [None]  # until the function fails; None: it does not

    def ask():
        if calls[0] is not None:
            calls[0] -= 1
            if calls[0] < 0:
                raise KeyboardInterrupt("in a function of the user")

    def own_impurity(counts):
        ask()
        shares = counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1.0)
        return 1.0 - (shares * shares).sum(axis=-1)

    def own_bound(evidence):
        ask()
        return np.full_like(evidence.n, 0.5)

    function = {"impurity": own_impurity, "bound": own_bound}[axis]
    model = rp.HoeffdingTree(**{axis: function}, grace_period=50).partial_fit(*rows(0))
    want = rp.HoeffdingTree(**{axis: function}, grace_period=50).partial_fit(*rows(0))
    # The function works once. Then it fails, is asked a second time, and fails again.
    calls[0] = 1
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(*rows(1, 4_000))
    calls[0] = None
    assert model.n_seen_ == 400
    try:
        model.predict_proba(rows(2)[0])
        model.partial_fit(*rows(3))
    except KeyboardInterrupt:
        pytest.fail("a later call raised the interrupt")
    want.partial_fit(*rows(3))
    assert np.array_equal(model.predict_proba(rows(2)[0]), want.predict_proba(rows(2)[0]))


class Teaching(Mapping):
    """An example that makes the model learn a class while it is read."""

    def __init__(self, model):
        self.model = model

    def __iter__(self):
        X, _ = rows(4)
        # Below a memory limit new names are learned by a copy, which takes the model's place.
        self.model.partial_fit(X, np.full(len(X), 7))
        return iter([0])

    def __len__(self):
        return 1

    def __getitem__(self, key):
        return 0.9


@pytest.mark.parametrize("return_seen", [False, True])
def test_one_prediction_takes_its_class_from_the_model_that_predicts(return_seen):
    X, _ = rows(5, 40)
    model = rp.VFDT(max_bytes=20_000).partial_fit(X, np.zeros(40, dtype=int))
    found = model.predict_one(Teaching(model), return_seen=return_seen)
    # The example may be read more than once.
    assert found == ((7, model.n_seen_) if return_seen else 7)
