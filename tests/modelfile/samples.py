"""Small models with something of everything, and what a model must be able to do."""

from __future__ import annotations

import math

import numpy as np

import riparian as rp
from riparian.modelfile import from_bytes, to_bytes
from tests.modelfile.parts import Parts, as_array

COSTS = {("a", "b"): 3.0, ("b", "c"): 0.5, ("d", "a"): 0.25}


def sample_models():
    """Plain trees, one for each kind of watch that leaves can keep, and one with a seed."""
    for n, cls, more in [
        (200, rp.HoeffdingTree, {"leaf": "adaptive", "categorical_cuts": "both"}),
        (200, rp.VFDT, {}),
        (200, rp.HoeffdingTree, {"impurity": "loss", "evaluator": "prequential", "costs": COSTS}),
        (200, rp.CorrectedVFDT, {"evaluator": "holdout"}),
        (200, rp.HoeffdingTree, {"bound": "delta-method", "pairing": "paired"}),
        (200, rp.VFDTc, {}),
        (1300, rp.NIP, {"n_intervals": 5, "max_leaves": 4}),
        (200, rp.HybridTree, {}),
        (200, rp.HoeffdingTree, {"leaf": "idbd"}),
        (200, rp.VFDT, {"leaf": ("majority", "naive-bayes", "idbd"), "costs": COSTS}),
        (
            300,
            rp.HoeffdingTree,
            {"leaf": "majority", "drop_poor_features": True, "short_memory": 50}
            | {"adaptive_grace": True, "tau": 0.3},
        ),
        # Some of its leaves are inactive, others began anew.
        (900, rp.HoeffdingTree, {"max_bytes": 23_500, "leaf": "idbd", "tau": 10.0}),
    ]:
        model = cls(**{"grace_period": 40, "delta": 0.05, "tau": 0.6} | more)
        yield model.partial_fit(*sample_rows(n))
    yield changing_model()
    columns, labels = sample_rows(200)
    numbers = {name: columns[name] for name in "ac"}
    seeded = rp.VFDT.from_sklearn(None, numbers, labels, grace_period=40, delta=0.05, tau=0.6)
    yield seeded.partial_fit(columns, labels).rescan(columns, labels, passes=2, progress=False)


def changing_model():
    """Has alternates beside nodes, some of them with tests, and a history."""
    model = rp.HAT(grace_period=40, delta=0.05, tau=0.6, switch_after=40, drift_delta=0.2)
    columns, labels = sample_rows(200)
    turned = np.array(["b", "c", "a"], dtype=object)[np.searchsorted(["a", "b", "c"], labels)]
    for y in (labels, turned, labels, turned):
        model.partial_fit(columns, y)
    return model


def sample_rows(n):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, n)
    columns = {
        "a": np.where(rng.random(n) < 0.1, np.nan, y + 0.3 * rng.standard_normal(n)),
        "b": np.array(["u", "v", "w"], dtype=object)[(y + (rng.random(n) < 0.3)) % 3],
        "c": rng.standard_normal(n),
    }
    columns["b"][rng.random(n) < 0.05] = None
    return columns, np.array(["a", "b", "c"], dtype=object)[y]


def samples():
    return [Parts(to_bytes(model)) for model in sample_models()]


def with_units():
    found = [whole for whole in samples() if as_array(whole.arrays["units"]).size]
    assert len(found) == 3
    return found


# -- a model that works -----------------------------------------------------------------------

N = 500
RNG = np.random.default_rng(5)
NUMBERS = RNG.standard_normal(N)
NUMBERS[::17] = np.nan
WORDS = RNG.choice(np.array(["u", "v", "w", None, "new"], dtype=object), N)
LABELS = RNG.choice(np.array(["a", "b", "c", "d"], dtype=object), N)


def columns_for(model, n):
    """Values for the columns that this model says it has, at most fifty of them."""
    columns = {
        feature.name: (NUMBERS if feature.kind == "numeric" else WORDS)[:n]
        for feature in model._schema.features[:50]
    }
    return columns or {"only": NUMBERS[:n]}


def check_answers(model, columns):
    probabilities = model.predict_proba(columns)
    assert probabilities.shape[1] == len(model.classes_)
    assert np.isfinite(probabilities).all()
    assert (probabilities >= 0).all()
    if len(model.classes_) and model._engine.n_classes:
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=0, atol=1e-9)
        assert len(model.predict(columns)) == len(probabilities)
        model.predict_one({name: values[0] for name, values in columns.items()})


def check_works(model):
    """Answers, learns, grows, tells about itself, and can be saved and loaded again."""
    columns = columns_for(model, N)
    if model._schema.features:
        check_answers(model, {name: values[:40] for name, values in columns.items()})
    model.partial_fit(columns, LABELS)
    model.learn_one({name: values[3] for name, values in columns.items()}, "a")
    more = {name: values[:20] for name, values in columns.items()} | {"brand new": NUMBERS[:20]}
    model.partial_fit(more, LABELS[:20])
    check_answers(model, {name: values[-40:] for name, values in columns.items()})
    for split in model.splits():
        assert math.isfinite(split.gain)
    for pending in model.pending():
        assert math.isfinite(pending.gain)
    assert np.isfinite(model.feature_importances_).all()
    data = to_bytes(model)
    assert to_bytes(from_bytes(data)) == data
