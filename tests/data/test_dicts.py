"""Dicts: of columns for a batch, of values for one example."""

from __future__ import annotations

import hashlib
import types

import numpy as np
import pytest

import riparian as rp
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside

NAN = float("nan")


def fingerprint(model):
    return hashlib.sha256(to_bytes(model)).hexdigest()


def tree(**parameters):
    return rp.HoeffdingTree(grace_period=50, delta=1e-3, tau=0.1, **parameters)


def people(n=600, seed=2):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 80, size=n)
    job = rng.choice(["nurse", "smith", "cook"], size=n)
    return {"age": age.tolist(), "job": job.tolist()}, ((age > 50) ^ (job == "cook")).tolist()


COLUMNS = {
    "lists": list,
    "tuples": tuple,
    "arrays": np.array,
    "arrays of objects": lambda c: np.array(c, dtype=object),
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_may_be_lists_tuples_or_arrays(kind):
    X, y = people()
    plain = tree().partial_fit(X, y)
    assert plain.n_leaves_ > 2
    assert [f.kind for f in inside.features(plain)] == ["numeric", "categorical"]
    model = tree().partial_fit({n: COLUMNS[kind](c) for n, c in X.items()}, y)
    assert fingerprint(model) == fingerprint(plain)


@pytest.mark.parametrize("mapping", [types.MappingProxyType, lambda d: dict(d.items())])
def test_any_mapping_is_a_dict(mapping):
    X, y = people()
    model = tree().partial_fit(mapping(X), y)
    one = tree()
    for age, job, label in zip(X["age"], X["job"], y, strict=True):
        one.learn_one(mapping({"age": age, "job": job}), label)
    assert fingerprint(model) == fingerprint(one)
    example = mapping({"age": 30, "job": "cook"})
    assert one.predict_one(example) == model.predict_one(dict(example))
    assert one.predict_proba_one(example) == model.predict_proba_one(dict(example))


def test_one_dict_of_values_is_one_row():
    model = tree()
    model.partial_fit({"age": 31, "job": "nurse"}, ["yes"])
    model.partial_fit({"age": 40.0, "job": None}, ["no"])
    one = tree()
    one.learn_one({"age": 31, "job": "nurse"}, "yes")
    one.learn_one({"age": 40.0}, "no")
    assert model.n_seen_ == 2
    assert fingerprint(model) == fingerprint(one)


def test_the_order_of_keys_does_not_matter_once_they_are_known():
    X, y = people()
    plain, turned = tree(), tree()
    for i, (age, job, label) in enumerate(zip(X["age"], X["job"], y, strict=True)):
        plain.learn_one({"age": age, "job": job}, label)
        turned.learn_one(
            {"job": job, "age": age} if i else {"age": age, "job": job},
            label,
        )
    assert fingerprint(turned) == fingerprint(plain)
    both = tree().partial_fit(X, y)
    assert both.predict(dict(reversed(X.items()))).tolist() == both.predict(X).tolist()


@pytest.mark.parametrize(
    "number",
    [int, float, np.float64, np.float32, np.int64, np.int8, np.uint16, bool, np.bool_],
    ids=lambda n: n.__name__,
)
def test_a_value_may_be_a_number_of_any_type(number):
    values = [number(v) for v in ([0, 1] if "bool" in number.__name__ else [0, 1, 2, 3])] * 100
    y = [float(v) > 0.5 for v in values]
    one, many = tree(), tree()
    for value, label in zip(values, y, strict=True):
        one.learn_one({"x": value}, label)
    many.partial_fit({"x": [float(v) for v in values]}, y)
    assert fingerprint(one) == fingerprint(many)
    assert one.n_leaves_ == 2
    assert [one.predict_one({"x": v}) for v in values[:2]] == [False, True]


@pytest.mark.parametrize("label", [np.int64(1), np.bool_(True), np.str_("a"), 1.0, True, "a", 7])
def test_a_label_may_be_of_any_type_and_comes_back_plain(label):
    model = tree()
    for i in range(100):
        model.learn_one({"x": float(i % 2)}, label if i % 2 else "none")
    answer = model.predict_one({"x": 1.0})
    assert answer == label
    assert not isinstance(answer, np.generic)
    assert set(model.predict_proba_one({"x": 1.0})) == {"none", label}


MIXED = [1, "1", 2.5, "2.5", b"1", None]


def taught_one_by_one(**parameters):
    model = tree(**parameters)
    for i in range(600):
        model.learn_one({"c": MIXED[i % 6]}, i % 6)
    return model


def test_1_and_the_text_1_stay_apart_one_by_one():
    model = taught_one_by_one(categorical_features=["c"])
    assert inside.features(model)[0].categories == [1, "1", 2.5, "2.5", b"1"]
    assert [model.predict_one({"c": v}) for v in MIXED[:5]] == [0, 1, 2, 3, 4]
    again = from_bytes(to_bytes(model))
    assert [again.predict_one({"c": v}) for v in MIXED[:5]] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    "column", [list, tuple, lambda c: np.array(c, dtype=object)], ids=["list", "tuple", "objects"]
)
def test_1_and_the_text_1_stay_apart_in_columns(column):
    model = tree(categorical_features=["c"]).partial_fit(
        {"c": column(MIXED * 100)}, list(range(6)) * 100
    )
    assert fingerprint(model) == fingerprint(taught_one_by_one(categorical_features=["c"]))
    assert model.predict({"c": column(MIXED[:5])}).tolist() == [0, 1, 2, 3, 4]


def test_missing_values_among_words_in_a_list_are_missing():
    X = {"c": ["a", NAN, "b", NAN]}
    model = tree().partial_fit(X, [0, 1, 0, 1])
    assert inside.features(model)[0].categories == ["a", "b"]


@pytest.mark.parametrize(
    "first",
    [["word", 1.0, 2.0], ["word", True, 2], ["word", np.float64(1.0), np.int64(2)]],
    ids=["floats", "truth", "NumPy's"],
)
@pytest.mark.parametrize(
    "then", [[1, 2, 3], [1.0, 2.0, 3.0], np.array([1, 2, 3]), np.array([1.0, 2.0, 3.0])]
)
def test_equal_numbers_are_one_category_in_whatever_way_they_come(first, then):
    model = tree(categorical_features=["c"])
    model.partial_fit({"c": np.array(first, dtype=object)}, ["w", "one", "two"])
    model.partial_fit({"c": then}, ["one", "two", "three"])
    feature = inside.features(model)[0]
    assert feature.categories == ["word", 1, 2, 3]
    assert list(feature.codes.values()) == [0, 1, 2, 3]
    assert fingerprint(from_bytes(to_bytes(model))) == fingerprint(model)


def test_a_word_can_be_learned_where_the_column_was_declared():
    model = tree(categorical_features=["c"])
    model.learn_one({"c": 3}, "x")
    model.learn_one({"c": "three"}, "y")
    model.partial_fit({"c": np.array([3.0, 4.0])}, ["x", "z"])
    assert inside.features(model)[0].categories == [3, "three", 4]


@pytest.mark.parametrize("declared", [["job", "grade"], [0, 2], [True, False, True]])
def test_categorical_features_may_be_names_indexes_or_a_mask(declared):
    X = {"job": [1, 2, 3, 1] * 100, "age": [1.0, 2.0, 3.0, 4.0] * 100, "grade": [7, 8, 7, 8] * 100}
    model = tree(categorical_features=declared).partial_fit(X, [1, 0, 1, 1] * 100)
    kinds = {f.name: f.kind for f in inside.features(model)}
    assert kinds == {"job": "categorical", "age": "numeric", "grade": "categorical"}


def test_a_declared_name_may_come_later():
    model = tree(categorical_features=["late"])
    model.learn_one({"age": 3.0}, "x")
    model.learn_one({"age": 4.0, "late": 7}, "y")
    model.learn_one({"age": 4.0, "late": "seven"}, "y")
    assert [f.kind for f in inside.features(model)] == ["numeric", "categorical"]


def test_asking_ignores_what_is_unknown():
    X, y = people()
    model = tree().partial_fit(X, y)
    plain = {"age": 60, "job": "smith"}
    for more in ({"shoe": 43}, {"shoe": "blue"}, {7: 1.0}, {"shoe": None}):
        assert model.predict_proba_one(plain | more) == model.predict_proba_one(plain)
        assert model.predict_one(plain | more) == model.predict_one(plain)
        assert model.explain_one(plain | more) == model.explain_one(plain)
        assert model.predict({n: [v] for n, v in (plain | more).items()}) == [
            model.predict_one(plain)
        ]


def test_an_unseen_category_is_answered():
    X, y = people()
    model = tree().partial_fit(X, y)
    for stranger in ("pilot", 7, 2.5, b"cook", True):
        probabilities = model.predict_proba_one({"age": 60, "job": stranger})
        assert sum(probabilities.values()) == pytest.approx(1.0)
        assert model.predict_one({"age": 60, "job": stranger}) in (True, False)
    many = model.predict_proba({"age": [60, 60], "job": ["pilot", "cook"]})
    one = model.predict_proba_one({"age": 60, "job": "pilot"})
    np.testing.assert_array_equal(many[0], list(one.values()))


def test_an_example_of_nothing_is_learned_and_answered():
    X, y = people()
    model = tree().partial_fit(X, y)
    before = model.n_seen_
    model.learn_one({}, True)
    model.learn_one({"age": None, "job": None}, True)
    assert model.n_seen_ == before + 2
    assert model.predict_one({}) == model.predict_one({"age": NAN})
    assert model.predict_proba_one({}) == model.predict_proba_one({"job": None})


def test_the_first_example_may_be_of_nothing():
    model = tree()
    model.learn_one({}, "a")
    assert model.predict_one({}) == "a"
    assert model.predict_one({"x": 1.0}) == "a"
    for i in range(200):
        model.learn_one({"x": float(i % 2)}, "ab"[i % 2])
    assert model.predict_one({"x": 1.0}) == "b"


def test_names_may_be_integers():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(500, 3))
    y = (X[:, 2] > 0).astype(int)
    array = tree().partial_fit(X, y)
    one = tree()
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        one.learn_one(dict(enumerate(x)), label)
    assert fingerprint(one) == fingerprint(array)
    columns = tree().partial_fit({i: X[:, i] for i in range(3)}, y)
    assert fingerprint(columns) == fingerprint(array)
