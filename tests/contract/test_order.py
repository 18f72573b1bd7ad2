"""Order, not batching: rows are learned one after the other, however they arrive."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import riparian as rp
from riparian.storage.modelfile import to_bytes
from tests import inside
from tests.contract.matrix import where


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_batches_of_any_size_give_the_same_model(model, stream, fingerprint, size):
    whole = stream.learned_by(model.eager())
    assert whole.n_leaves_ > 2
    assert len(whole.classes_) == 4
    assert fingerprint(stream.learned_by(model.eager(), size)) == fingerprint(whole)


def test_learning_one_by_one_is_learning_a_batch(model, stream, fingerprint):
    one = model.eager()
    for x, y, w in stream.examples():
        one.learn_one(x, y, w)
    assert fingerprint(one) == fingerprint(stream.learned_by(model.eager()))


def test_one_by_one_and_in_batches_may_be_mixed(model, stream, fingerprint):
    learned = model.eager()
    size = len(stream) // 8
    for batch in stream.batches(size):
        batch[: size // 2].learned_by(learned, 31)
        for x, y, w in batch[size // 2 :].examples():
            learned.learn_one(x, y, w)
    assert fingerprint(learned) == fingerprint(stream.learned_by(model.eager()))


def test_testing_before_training_learns_the_same(model, stream, fingerprint):
    learned = model.eager()
    for batch in stream.batches(37):
        learned.prequential(batch.columns, batch.y, batch.w, proba=len(batch) % 2 == 0)
    assert fingerprint(learned) == fingerprint(stream.learned_by(model.eager()))


def test_testing_before_training_answers_as_predict_one_did(model, stream):
    rows = stream[:1200]
    answers, probabilities = model.eager().prequential(rows.columns, rows.y, rows.w, proba=True)
    learned = model.eager()
    for i, (x, y, w) in enumerate(rows.examples()):
        if i:
            assert learned.predict_one(x) == answers[i]
            got = learned.predict_proba_one(x)
            np.testing.assert_array_equal(list(got.values()), probabilities[i, : len(got)])
        learned.learn_one(x, y, w)


def test_predicting_changes_nothing(model, stream, fingerprint):
    asked = model.eager()
    for batch in stream.batches(len(stream) // 10):
        batch.learned_by(asked)
        asked.predict(stream.columns)
        asked.predict_proba(batch.columns)
        x, _, _ = next(batch.examples())
        asked.predict_one(x | {"colour": "never seen", "unknown": 3.0})
        asked.explain_one(x)
        for tells in ("pending", "splits", "planes", "members"):
            getattr(asked, tells, list)()
    assert fingerprint(asked) == fingerprint(stream.learned_by(model.eager()))


def test_rows_are_predicted_alike_alone_and_together(model, stream):
    learned = stream.learned_by(model.eager())
    rows = stream[:500]
    together = learned.predict_proba(rows.columns)
    labels = learned.predict(rows.columns)
    for i, (x, _, _) in enumerate(rows.examples()):
        np.testing.assert_array_equal(list(learned.predict_proba_one(x).values()), together[i])
        assert learned.predict_one(x) == labels[i]


def test_classes_declared_or_met_in_time_are_learned_alike(model, stream, fingerprint):
    declared = model.eager().partial_fit(
        stream.columns, stream.y, classes=["maybe", "never", "no", "yes"], sample_weight=stream.w
    )
    split = model.eager()
    for i, batch in enumerate(stream.batches(len(stream) // 12)):
        split.partial_fit(
            batch.columns,
            batch.y,
            classes=["maybe", "never", "no", "yes"] if i == 0 else None,
            sample_weight=batch.w,
        )
    assert fingerprint(split) == fingerprint(declared)
    assert list(declared.classes_) == ["maybe", "never", "no", "yes"]


def in_batches(X, y, size, **parameters):
    model = rp.HoeffdingTree(**parameters)
    for i in range(0, len(y), size):
        rows = slice(i, i + size)
        part = X[rows] if isinstance(X, np.ndarray) else {n: c[rows] for n, c in X.items()}
        model.partial_fit(part, y[rows])
    return model


LABELS = np.array(["u", "v", "u", "v", "v", "u"])


@pytest.mark.parametrize("nothing", [None, float("nan")], ids=["None", "NaN"])
def test_a_category_may_be_missing_in_the_first_row(fingerprint, nothing):
    job = np.array([nothing, "nurse", "smith", "nurse", None, "smith"], dtype=object)
    X = {"job": job, "age": np.arange(6.0)}
    whole = in_batches(X, LABELS, 6)
    assert {f.name: f.kind for f in inside.features(whole)} == {
        "job": "categorical",
        "age": "numeric",
    }
    assert fingerprint(in_batches(X, LABELS, 1)) == fingerprint(whole)


@pytest.mark.parametrize("nothing", [None, float("nan")], ids=["None", "NaN"])
def test_a_category_of_an_array_may_be_missing_in_the_first_row(fingerprint, nothing):
    job = [nothing, "nurse", "smith", "nurse", None, "smith"]
    X = np.array(list(zip(job, range(6), strict=True)), dtype=object)
    declared = {"categorical_features": [0]}  # a position cannot wait for its first value
    assert fingerprint(in_batches(X, LABELS, 1, **declared)) == fingerprint(
        in_batches(X, LABELS, 6, **declared)
    )


def test_a_number_may_be_missing_in_the_first_row(fingerprint):
    X = {"age": np.array([None, 31, 40, None, 25, 70], dtype=object), "size": np.arange(6.0)}
    assert fingerprint(in_batches(X, LABELS, 1)) == fingerprint(in_batches(X, LABELS, 6))


def test_a_row_of_weight_0_is_as_if_it_were_not_there(model, stream, fingerprint):
    rng = np.random.default_rng(1)
    silent = rng.random(len(stream)) < 0.3
    rows = stream[np.arange(len(stream))]
    rows.w[silent] = 0.0
    with_them = rows.learned_by(model.eager(), 97)
    without = stream[~silent].learned_by(model.eager())
    assert with_them.n_seen_ == (~silent).sum()
    assert fingerprint(with_them) == fingerprint(without)


def test_a_row_of_weight_0_brings_no_class_and_no_category(model, fingerprint):
    X = {"c": np.array(["a", "ghost", "b", "a"], dtype=object), "x": np.arange(4.0)}
    y = np.array(["u", "spook", "v", "v"])
    with_it = model().partial_fit(X, y, sample_weight=[1.0, 0.0, 1.0, 1.0])
    kept = [0, 2, 3]
    without = model().partial_fit({n: c[kept] for n, c in X.items()}, y[kept])
    assert with_it.classes_.tolist() == ["u", "v"]
    assert fingerprint(with_it) == fingerprint(without)


def test_one_example_of_weight_0_is_not_learned(model, stream, fingerprint):
    rows = stream[:400]
    learned = rows.learned_by(model.eager())
    for x, y, _ in rows[:20].examples():
        learned.learn_one(x, y, 0)
        learned.learn_one(x | {"colour": "ghost"}, "spook", 0.0)
    assert fingerprint(learned) == fingerprint(rows.learned_by(model.eager()))


def test_the_weight_1_is_no_weight(model, stream, fingerprint):
    weighted = model.eager().partial_fit(
        stream.columns, stream.y, sample_weight=np.ones(len(stream), dtype=int)
    )
    plain = model.eager().partial_fit(stream.columns, stream.y)
    assert fingerprint(weighted) == fingerprint(plain)


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.float32, np.float64, object])
def test_weights_may_be_numbers_of_any_type(recipe, mixed, fingerprint, dtype):
    rows = mixed[:500]
    weights = np.random.default_rng(2).integers(0, 5, size=500)
    cast = recipe.eager().partial_fit(rows.columns, rows.y, sample_weight=weights.astype(dtype))
    plain = recipe.eager().partial_fit(rows.columns, rows.y, sample_weight=weights.tolist())
    assert fingerprint(cast) == fingerprint(plain)


@where(lambda recipe: recipe.knows(2_000), "it must remember all of them")
def test_a_whole_weight_is_a_repetition(recipe):
    rng = np.random.default_rng(3)
    x = rng.normal(size=300)
    y = np.where(x + 0.5 * rng.normal(size=300) > 0, "a", "b")
    weights = rng.integers(1, 5, size=300)
    word = rng.choice(np.array(["red", "green"], dtype=object), size=300)
    weighted = recipe(max_leaves=1).partial_fit({"x": x, "w": word}, y, sample_weight=weights)
    rows = np.repeat(np.arange(300), weights)
    repeated = recipe(max_leaves=1).partial_fit({"x": x[rows], "w": word[rows]}, y[rows])
    one, other = inside.snapshot(weighted), inside.snapshot(repeated)
    for exact in ("counts", "cells", "weight"):
        np.testing.assert_array_equal(one[exact], other[exact])
    np.testing.assert_allclose(one["gaussian"], other["gaussian"], rtol=1e-10)
    asked = {"x": np.linspace(-2, 2, 9), "w": ["red", "green", "blue"] * 3}
    np.testing.assert_allclose(
        weighted.predict_proba(asked), repeated.predict_proba(asked), rtol=1e-9
    )


@pytest.mark.parametrize(
    "leaf", ["linear-units", ("majority", "linear-units"), "softmax", ("linear-units", "softmax")]
)
@settings(max_examples=20, deadline=None)
@given(
    early=st.integers(1, 6),
    late=st.integers(1, 9),
    words=st.booleans(),
    n_classes=st.integers(2, 4),
    size=st.sampled_from([1, 37, 300]),
    seed=st.integers(0, 99),
)
def test_to_linear_units_a_column_without_a_value_yet_is_a_feature_to_come(
    leaf, early, late, words, n_classes, size, seed
):
    """To the last bit, which depends on the order of the terms of a sum."""
    rng = np.random.default_rng(seed)
    first = 51
    columns = {f"x{f}": rng.normal(size=300) for f in range(early + late)}
    for f in range(early, early + late):
        columns[f"x{f}"][:first] = np.nan
    score = columns["x0"] + np.nan_to_num(columns[f"x{early}"])
    if words:
        columns["word"] = np.where(score > 0, "a", "b").astype(object)
        columns["word"][:first] = None
    y = np.clip(np.floor(score * 0.7 + n_classes / 2), 0, n_classes - 1).astype(int)

    one = rp.HoeffdingTree(leaf=leaf, grace_period=40, tau=0.5)
    shares = []
    for i, label in enumerate(y.tolist()):
        known = list(columns) if i >= first else [f"x{f}" for f in range(early)]
        x = {name: columns[name].item(i) for name in known}
        shares.append(list(one.predict_proba_one(x).values()))
        one.learn_one(x, label)
    frames = rp.HoeffdingTree(leaf=leaf, grace_period=40, tau=0.5)
    for i in range(0, 300, size):
        batch = {name: column[i : i + size] for name, column in columns.items()}
        _, asked = frames.prequential(batch, y[i : i + size], proba=True)
        for got, want in zip(asked, shares[i : i + size], strict=True):
            np.testing.assert_array_equal(got[: len(want)], want)
    assert to_bytes(frames) == to_bytes(one)
    assert one.n_leaves_ > 1
