"""Order, not batching: rows are learned one after the other, however they arrive."""

from __future__ import annotations

import numpy as np
import pytest

import riparian as rp


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_batches_of_any_size_give_the_same_model(recipe, mixed, fingerprint, size):
    whole = mixed.taught_to(recipe.eager())
    assert whole.n_leaves_ > 2
    assert len(whole.classes_) == 4
    assert fingerprint(mixed.taught_to(recipe.eager(), size)) == fingerprint(whole)


def test_learning_one_by_one_is_learning_a_batch(recipe, mixed, fingerprint):
    one = recipe.eager()
    for x, y, w in mixed.examples():
        one.learn_one(x, y, w)
    assert fingerprint(one) == fingerprint(mixed.taught_to(recipe.eager()))


def test_one_by_one_and_in_batches_may_be_mixed(recipe, mixed, fingerprint):
    model = recipe.eager()
    for batch in mixed.batches(500):
        batch[:311].taught_to(model, 31)
        for x, y, w in batch[311:].examples():
            model.learn_one(x, y, w)
    assert fingerprint(model) == fingerprint(mixed.taught_to(recipe.eager()))


def test_testing_before_training_learns_the_same(recipe, mixed, fingerprint):
    model = recipe.eager()
    for batch in mixed.batches(37):
        model.prequential(batch.columns, batch.y, batch.w, proba=len(batch) % 2 == 0)
    assert fingerprint(model) == fingerprint(mixed.taught_to(recipe.eager()))


def test_testing_before_training_answers_as_predict_one_did(recipe, mixed):
    rows = mixed[:1200]
    answers, probabilities = recipe.eager().prequential(rows.columns, rows.y, rows.w, proba=True)
    model = recipe.eager()
    for i, (x, y, w) in enumerate(rows.examples()):
        if i:
            assert model.predict_one(x) == answers[i]
            got = model.predict_proba_one(x)
            np.testing.assert_array_equal(list(got.values()), probabilities[i, : len(got)])
        model.learn_one(x, y, w)


def test_predicting_changes_nothing(recipe, mixed, fingerprint):
    asked = recipe.eager()
    for batch in mixed.batches(400):
        batch.taught_to(asked)
        asked.predict(mixed.columns)
        asked.predict_proba(batch.columns)
        x, _, _ = next(batch.examples())
        asked.predict_one(x | {"colour": "never seen", "unknown": 3.0})
        asked.explain_one(x)
        asked.pending()
        asked.splits()
    assert fingerprint(asked) == fingerprint(mixed.taught_to(recipe.eager()))


def test_rows_are_predicted_alike_alone_and_together(recipe, mixed):
    model = mixed.taught_to(recipe.eager())
    rows = mixed[:500]
    together = model.predict_proba(rows.columns)
    labels = model.predict(rows.columns)
    for i, (x, _, _) in enumerate(rows.examples()):
        np.testing.assert_array_equal(list(model.predict_proba_one(x).values()), together[i])
        assert model.predict_one(x) == labels[i]


def test_classes_declared_or_met_in_time_are_learned_alike(cls, mixed, fingerprint):
    declared = cls().partial_fit(
        mixed.columns, mixed.y, classes=["maybe", "never", "no", "yes"], sample_weight=mixed.w
    )
    split = cls()
    for i, batch in enumerate(mixed.batches(333)):
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
    assert {f.name: f.kind for f in whole._schema.features} == {
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


def test_a_row_of_weight_0_is_as_if_it_were_not_there(recipe, mixed, fingerprint):
    rng = np.random.default_rng(1)
    silent = rng.random(len(mixed)) < 0.3
    rows = mixed[np.arange(len(mixed))]
    rows.w[silent] = 0.0
    with_them = rows.taught_to(recipe.eager(), 97)
    without = mixed[~silent].taught_to(recipe.eager())
    assert with_them.n_seen_ == (~silent).sum()
    assert fingerprint(with_them) == fingerprint(without)


def test_a_row_of_weight_0_brings_no_class_and_no_category(recipe, fingerprint):
    X = {"c": np.array(["a", "ghost", "b", "a"], dtype=object), "x": np.arange(4.0)}
    y = np.array(["u", "spook", "v", "v"])
    with_it = recipe().partial_fit(X, y, sample_weight=[1.0, 0.0, 1.0, 1.0])
    kept = [0, 2, 3]
    without = recipe().partial_fit({n: c[kept] for n, c in X.items()}, y[kept])
    assert with_it.classes_.tolist() == ["u", "v"]
    assert fingerprint(with_it) == fingerprint(without)


def test_one_example_of_weight_0_is_not_learned(recipe, mixed, fingerprint):
    rows = mixed[:400]
    model = rows.taught_to(recipe.eager())
    for x, y, _ in rows[:20].examples():
        model.learn_one(x, y, 0)
        model.learn_one(x | {"colour": "ghost"}, "spook", 0.0)
    assert fingerprint(model) == fingerprint(rows.taught_to(recipe.eager()))


def test_the_weight_1_is_no_weight(recipe, mixed, fingerprint):
    weighted = recipe.eager().partial_fit(
        mixed.columns, mixed.y, sample_weight=np.ones(len(mixed), dtype=int)
    )
    plain = recipe.eager().partial_fit(mixed.columns, mixed.y)
    assert fingerprint(weighted) == fingerprint(plain)


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.float32, np.float64, object])
def test_weights_may_be_numbers_of_any_type(recipe, mixed, fingerprint, dtype):
    rows = mixed[:500]
    weights = np.random.default_rng(2).integers(0, 5, size=500)
    cast = recipe.eager().partial_fit(rows.columns, rows.y, sample_weight=weights.astype(dtype))
    plain = recipe.eager().partial_fit(rows.columns, rows.y, sample_weight=weights.tolist())
    assert fingerprint(cast) == fingerprint(plain)


def test_a_whole_weight_is_a_repetition(recipe):
    recipe.must_know(2_000)
    rng = np.random.default_rng(3)
    x = rng.normal(size=300)
    y = np.where(x + 0.5 * rng.normal(size=300) > 0, "a", "b")
    weights = rng.integers(1, 5, size=300)
    word = rng.choice(np.array(["red", "green"], dtype=object), size=300)
    weighted = recipe(max_leaves=1).partial_fit({"x": x, "w": word}, y, sample_weight=weights)
    rows = np.repeat(np.arange(300), weights)
    repeated = recipe(max_leaves=1).partial_fit({"x": x[rows], "w": word[rows]}, y[rows])
    one, other = weighted._engine.snapshot(), repeated._engine.snapshot()
    for exact in ("counts", "cells", "weight"):
        np.testing.assert_array_equal(one[exact], other[exact])
    np.testing.assert_allclose(one["gaussian"], other["gaussian"], rtol=1e-10)
    asked = {"x": np.linspace(-2, 2, 9), "w": ["red", "green", "blue"] * 3}
    np.testing.assert_allclose(
        weighted.predict_proba(asked), repeated.predict_proba(asked), rtol=1e-9
    )
