"""A model that was saved, loaded, pickled or copied goes on as if nothing had happened."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import riparian as rp
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside
from tests.contract.matrix import needs
from tests.effort import ALL


def saved_and_loaded(model, path):
    model.save(path / "model.rip")
    return rp.load(path / "model.rip")


WAYS = {
    "file": saved_and_loaded,
    "bytes": lambda model, _: from_bytes(to_bytes(model)),
    "pickle": lambda model, _: pickle.loads(pickle.dumps(model)),
    "deepcopy": lambda model, _: copy.deepcopy(model),
    "copy": lambda model, _: copy.copy(model),
}


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def passed_on(request, tmp_path):
    return lambda model: request.param(model, tmp_path)


def test_a_break_in_mid_stream_changes_nothing(model, stream, fingerprint, passed_on):
    learned = model.eager()
    for batch in stream.batches(len(stream) // 10):
        batch.learned_by(learned, 100)
        learned = passed_on(learned)
    whole = stream.learned_by(model.eager())
    assert whole.n_leaves_ > 2
    assert fingerprint(learned) == fingerprint(whole)


def test_a_break_after_every_example_changes_nothing(model, stream, fingerprint):
    around = max(len(stream) // (32 if ALL else 128), 20)
    rows = stream[model.late - around : model.late + around]
    learned = model.eager()
    for x, y, w in rows.examples():
        learned.learn_one(x, y, w)
        learned = from_bytes(to_bytes(learned))
    assert fingerprint(learned) == fingerprint(rows.learned_by(model.eager()))


def test_the_copy_is_all_that_the_model_was(model, stream, fingerprint, passed_on):
    learned = stream.learned_by(model.eager())
    again = passed_on(learned)
    assert type(again) is type(learned)
    assert str(again.get_params()) == str(learned.get_params())
    assert fingerprint(again) == fingerprint(learned)
    assert again.predict_proba(stream.columns).tobytes() == (
        learned.predict_proba(stream.columns).tobytes()
    )
    for tells in ("splits", "pending", "export_text", "members"):
        assert getattr(again, tells, list)() == getattr(learned, tells, list)()
    assert again.classes_.tolist() == learned.classes_.tolist()
    assert again.feature_names_in_.tolist() == learned.feature_names_in_.tolist()
    assert (again.n_seen_, again.n_leaves_, again.depth_) == (
        learned.n_seen_,
        learned.n_leaves_,
        learned.depth_,
    )
    if hasattr(learned, "feature_importances_"):
        np.testing.assert_array_equal(again.feature_importances_, learned.feature_importances_)


def test_the_copy_goes_its_own_way(model, stream, fingerprint, passed_on):
    half = len(stream) // 2
    learned = stream[:half].learned_by(model.eager())
    before = fingerprint(learned)
    again = stream[half:].learned_by(passed_on(learned))
    again.learn_one({"height": 1.0, "colour": "infrared", "brand new": 3.0}, "another class")
    assert fingerprint(learned) == before
    assert "another class" not in learned.classes_
    assert learned.n_features_in_ == 5
    assert stream[half:].learned_by(learned).n_seen_ == len(stream)


def test_a_model_that_learned_nothing_can_be_pickled_and_copied(model, stream, fingerprint):
    for again in (pickle.loads(pickle.dumps(model.eager())), copy.deepcopy(model.eager())):
        assert not again.__sklearn_is_fitted__()
        assert str(again.get_params()) == str(model.eager().get_params())
        same = stream.learned_by(model.eager())
        assert fingerprint(stream.learned_by(again)) == fingerprint(same)


def test_a_model_that_learned_nothing_is_saved_with_its_parameters(model, tmp_path):
    fresh = model.eager()
    fresh.save(tmp_path / "model.rip")
    again = rp.load(tmp_path / "model.rip")
    assert type(again) is type(fresh)
    assert not again.__sklearn_is_fitted__()
    assert to_bytes(again) == to_bytes(fresh)


LABELS: dict[str, list[Any]] = {
    "strings": ["a", "ä", "", "a\nb", "\ud800"],
    "integers": [0, -1, 2**40, 2**62],
    "large integers": [10**30, -(10**30)],
    "booleans": [True, False],
    "bytes": [b"a", b"\xff\x00"],
    "of several types": [1, "1", b"1"],
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_and_categories_keep_their_types(recipe, fingerprint, kind):
    values = np.empty(300, dtype=object)
    values[:] = [LABELS[kind][i % len(LABELS[kind])] for i in range(300)]
    model = recipe.eager(categorical_features=["c"]).partial_fit({"c": values}, values)
    again = from_bytes(to_bytes(model))
    assert fingerprint(again) == fingerprint(model)
    assert again.classes_.tolist() == LABELS[kind]
    assert [type(label) for label in again.classes_.tolist()] == [type(v) for v in LABELS[kind]]
    for value in LABELS[kind]:
        answer = again.predict_one({"c": value})
        assert answer == model.predict_one({"c": value})
        assert type(answer) is type(LABELS[kind][LABELS[kind].index(answer)])
        if model.n_leaves_ >= len(LABELS[kind]):  # one value against the rest takes longer
            assert answer == value
            assert type(answer) is type(value)


@pytest.mark.parametrize(
    "names",
    [["a", "b"], ["", " "], ["ü", "\n"], [0, 1], [7, 3], ["a", 5], ["0", 0]],
    ids=repr,
)
def test_feature_names_keep_their_types(recipe, fingerprint, names):
    x = np.random.default_rng(1).normal(size=(2, 400))
    model = recipe.eager().partial_fit(dict(zip(names, x, strict=True)), (x[1] > 0).astype(int))
    again = from_bytes(to_bytes(model))
    assert fingerprint(again) == fingerprint(model)
    assert [f.name for f in inside.features(again)] == names
    for value in (-1.0, 1.0):
        x = {names[0]: 0.0, names[1]: value}
        assert again.predict_one(x) == model.predict_one(x) == int(value > 0)


@needs("categorical_features")
@pytest.mark.parametrize(
    "declared", [["c"], [0], [True, False], np.array([0]), np.array([True, False]), None]
)
def test_every_way_to_declare_categories_can_be_saved(cls, fingerprint, declared):
    X = {"c": np.array([1, 2, 1, 2]), "x": np.arange(4.0)}
    model = cls(categorical_features=declared).partial_fit(X, ["a", "b", "a", "b"])
    for again in (from_bytes(to_bytes(model)), pickle.loads(pickle.dumps(model))):
        assert fingerprint(again) == fingerprint(model)
        again.partial_fit({"c": np.array([3])} | {"x": np.ones(1)}, ["c"])


CHANGES = [{"delta": 0.4}, {"leaf": "adaptive"}, {"max_leaves": 2}, {"grace_period": 7}]


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_parameters_changed_in_mid_stream_are_the_same_for_model_and_copy(
    tree_cls, mixed, fingerprint, change
):
    model = mixed[:2_000].learned_by(tree_cls(leaf="majority", tau=0.08))
    model.set_params(**change)
    again = from_bytes(to_bytes(model))
    mixed[2_000:].learned_by(model)
    mixed[2_000:].learned_by(again)
    assert again.n_leaves_ == model.n_leaves_
    assert fingerprint(again) == fingerprint(model)


def test_a_certificate_keeps_the_evidence_of_its_time(tree_cls, mixed):
    model = mixed.learned_by(tree_cls(delta=1e-3, tau=100.0, grace_period=50))
    before = model.splits()
    assert 0.0 < before[0].delta <= 1e-3  # a race has a share of it
    model.set_params(delta=0.4, tau=0.5)
    assert model.splits() == before


def test_a_wrong_parameter_set_in_mid_stream_does_not_make_a_model_unreadable(cls, mixed, tmp_path):
    model = mixed[:200].learned_by(cls())
    wrong = {"impurity": "entropie", "delta": 2, "slope": -1, "n_estimators": 0}
    wrong |= {"max_examples": 0, "alpha": 2}
    name = next(name for name in wrong if name in model.get_params())
    model.set_params(**{name: wrong[name]})
    model.save(tmp_path / "model.rip")
    again = rp.load(tmp_path / "model.rip")
    assert again.n_seen_ == model.n_seen_
    np.testing.assert_array_equal(
        again.predict_proba(mixed[:50].columns), model.predict_proba(mixed[:50].columns)
    )
