"""Weights of classes: the same as weights of rows, in every model that has them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from sklearn.base import clone

import riparian as rp
from riparian.models.registry import MODELS
from tests import inside

WEIGHTED = sorted(n for n, model in MODELS.items() if "class_weight" in model().get_params())
CODES = rp.streams.sea(seed=2).take(900)
X, Y = CODES[0], np.array(["no", "yes"])[CODES[1]]
WEIGHTS = {"no": 3.0, "never": 9.0}
ROWS = np.where(Y == "no", 3.0, 1.0)


def new_model(name, **parameters):
    eager = {"grace_period": 50, "n_estimators": 2, "chunk_size": 200, "n_min": "fixed"}
    known = MODELS[name]().get_params(deep=False)
    own = {k: v for k, v in eager.items() if k in known}
    return MODELS[name](**own | parameters)


def same(one, other):
    """Whether two models learned the same, bit for bit."""
    first, second = inside.snapshot(one), inside.snapshot(other)
    assert first.keys() == second.keys()
    for key in first:
        np.testing.assert_array_equal(first[key], second[key], err_msg=key)


def test_trees_and_forests_have_class_weights_and_restructuring_trees_do_not():
    without = {"ID3", "ID3Prime", "ID4", "ID5R", "ITI"}
    assert set(WEIGHTED) == set(MODELS) - without


@pytest.mark.parametrize("name", WEIGHTED)
def test_a_class_weight_is_the_weight_of_its_rows(name):
    model = new_model(name, class_weight=WEIGHTS).fit(X, Y)
    same(model, new_model(name).fit(X, Y, sample_weight=ROWS))


@pytest.mark.parametrize("name", ["VFDT", "StreamForest", "OADT", "UFFT"])
def test_batches_and_single_examples_are_weighted_alike(name):
    whole = new_model(name, class_weight=WEIGHTS).partial_fit(X, Y)
    parts = new_model(name, class_weight=WEIGHTS)
    for start in range(0, 600, 37):
        stop = min(start + 37, 600)
        parts.partial_fit(X[start:stop], Y[start:stop])
    for row, label in zip(X[600:].tolist(), Y[600:].tolist(), strict=True):
        parts.learn_one(dict(enumerate(row)), label)
    same(whole, parts)


def test_weights_of_rows_and_classes_are_multiplied():
    model = new_model("VFDT", class_weight=WEIGHTS)
    model.partial_fit(X, Y, sample_weight=np.full(len(Y), 0.5))
    model.learn_one({0: 1.0, 1: 2.0, 2: 3.0}, "no", w=2.0)
    other = new_model("VFDT").partial_fit(X, Y, sample_weight=ROWS / 2)
    other.learn_one({0: 1.0, 1: 2.0, 2: 3.0}, "no", w=6.0)
    same(model, other)


def test_a_row_of_weight_0_stays_ignored():
    weights = (np.arange(len(Y)) % 3 > 0).astype(float)
    model = new_model("VFDT", class_weight=WEIGHTS)
    predicted = model.prequential(X, Y, sample_weight=weights)
    other = new_model("VFDT")
    assert predicted.tolist() == other.prequential(X, Y, sample_weight=ROWS * weights).tolist()
    assert model.n_seen_ == np.count_nonzero(weights)
    same(model, other)


@pytest.mark.parametrize("labels", [[0, 1], [False, True], [b"a", b"b"], ["a", "b"]])
def test_labels_of_any_kind_are_found(labels):
    y = np.array(labels, dtype=object)[CODES[1]].tolist()
    model = rp.VFDT(class_weight={labels[1]: 4.0}).fit(X, y)
    same(model, rp.VFDT().fit(X, y, sample_weight=np.where(CODES[1] == 1, 4.0, 1.0)))
    numpy_label = np.array([labels[1]])[0]
    same(model, rp.VFDT(class_weight={numpy_label: 4}).fit(X, y))


def test_they_survive_a_clone_and_a_file_and_hold_while_it_learns(tmp_path):
    model = new_model("StreamForest", class_weight=WEIGHTS).partial_fit(X[:500], Y[:500])
    assert clone(model).class_weight == WEIGHTS
    assert model.clone().class_weight == WEIGHTS
    model.save(tmp_path / "m.rip")
    again = rp.load(tmp_path / "m.rip")
    assert again.class_weight == WEIGHTS
    model.partial_fit(X[500:], Y[500:])
    again.partial_fit(X[500:], Y[500:])
    same(model, again)


def test_a_new_value_takes_effect_at_the_next_fit():
    model = new_model("VFDT").partial_fit(X[:100], Y[:100])
    model.set_params(class_weight=WEIGHTS).partial_fit(X[100:], Y[100:])
    for row, label in zip(X[:9].tolist(), Y[:9].tolist(), strict=True):
        model.learn_one(dict(enumerate(row)), label)
    plain = new_model("VFDT").partial_fit(X, Y).partial_fit(X[:9], Y[:9])
    same(model, plain)
    same(model.fit(X, Y), new_model("VFDT").fit(X, Y, sample_weight=ROWS))


def test_a_file_without_class_weights_does_not_mention_them(tmp_path):
    path = tmp_path / "m.rip"
    rp.StreamForest(n_estimators=2).fit(X, Y).save(path)
    assert b"class_weight" not in path.read_bytes()
    rp.StreamForest(n_estimators=2, class_weight=WEIGHTS).fit(X, Y).save(path)
    assert b"class_weight" in path.read_bytes()


def test_a_rare_class_is_predicted_sooner():
    rare = np.random.default_rng(0).random(len(Y)) < np.where(Y == "yes", 0.2, 0.0)
    plain = rp.HoeffdingTree(leaf="naive-bayes").fit(X, rare)
    weighted = rp.HoeffdingTree(leaf="naive-bayes", class_weight={True: 10.0}).fit(X, rare)
    assert weighted.predict(X)[rare].mean() > plain.predict(X)[rare].mean() + 0.3


REFUSED = {
    "balanced": "class_weight='balanced' needs the counts of all rows",
    "heavy": "class_weight must be a dict {label: weight} or None, got 'heavy'",
    "a list": "class_weight must be a dict",
    "zero": "class_weight['no'] must be a finite number above 0, got 0",
    "text": "class_weight['no'] must be a finite number above 0, got 'x'",
    "nan": "must be a finite number above 0, got nan",
    "a label": "class_weight[1.5]: 1.5 cannot be a label",
}
VALUES = {
    "balanced": "balanced",
    "heavy": "heavy",
    "a list": [1.0, 2.0],
    "zero": {"no": 0},
    "text": {"no": "x"},
    "nan": {"no": float("nan")},
    "a label": {1.5: 2.0},
}


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("name", ["VFDT", "StreamForest", "OADT", "UFFT"])
def test_what_is_no_class_weight_is_refused_before_anything_is_learned(name, what):
    model = new_model(name, class_weight=VALUES[what])
    with pytest.raises(ValueError, match=re.escape(REFUSED[what])):
        model.fit(X, Y)
    assert not model.__sklearn_is_fitted__()


def test_the_trees_of_a_forest_have_none_of_their_own():
    forest = rp.Forest(estimator=rp.VFDT(class_weight=WEIGHTS))
    with pytest.raises(ValueError, match=r"class_weight=None, got .*; set it on the forest"):
        forest.fit(X, Y)
