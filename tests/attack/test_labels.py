"""One label is one class, in whatever type it comes: declared, learned, priced, saved or shown."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import riparian as rp
from riparian.models.registry import MODELS
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside
from tests.attack.odd_values import Evil, Shade, Tone

N = 60
X = np.linspace(-1.0, 1.0, N).reshape(-1, 1)
RIGHT = (X[:, 0] > 0).astype(int)
QUICK = {"grace_period": 20, "delta": 0.1, "n_min": "fixed", "n_estimators": 2, "chunk_size": 30}


def make(cls, **parameters):
    known = cls().get_params()
    return cls(**{k: v for k, v in (QUICK | parameters).items() if k in known})


def tree(**parameters):
    return make(rp.HoeffdingTree, **parameters)


def objects(values):
    return np.fromiter(values, dtype=object, count=len(values))


def must_agree(model, labels):
    """What is learned, shown, predicted, saved and loaded has these labels."""
    assert model.classes_.tolist() == labels
    assert [type(label) for label in model.classes_.tolist()] == [type(label) for label in labels]
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (N, len(labels))
    assert set(model.predict(X).tolist()) <= set(labels)
    assert list(model.predict_proba_one({0: 0.5})) == labels
    for again in (from_bytes(to_bytes(model)), pickle.loads(pickle.dumps(model))):
        assert again.classes_.tolist() == labels
        assert [type(v) for v in inside.classes(again)] == [type(v) for v in labels]
        np.testing.assert_array_equal(again.predict_proba(X), probabilities)


# -- declared labels --------------------------------------------------------------------------


@pytest.mark.parametrize("cls", MODELS.values(), ids=MODELS)
def test_float_labels_that_are_declared_are_those_that_are_learned(cls):
    y = RIGHT.astype(float)
    declared = make(cls).partial_fit(X, y, classes=np.unique(y))
    must_agree(declared, [0, 1])
    assert to_bytes(declared) == to_bytes(make(cls).partial_fit(X, RIGHT, classes=[0, 1]))
    declared.partial_fit(X, y)
    must_agree(declared, [0, 1])


DECLARED = {
    "floats": [0.0, 1.0],
    "an array of float32": np.array([0, 1], dtype=np.float32),
    "NumPy's floats": [np.float64(0), np.float64(1)],
    "NumPy's integers": [np.int8(0), np.uint64(1)],
    "long doubles": np.array([0, 1], dtype=np.longdouble),
    "objects": objects([0.0, np.int64(1)]),
    "repeated": [1, 0, 1.0, 0.0],
    "an enumeration": [0, Shade.LIGHT],
    "a range": range(2),
    "a series": pd.Series([0.0, 1.0]),
    "nullable": pd.array([0, 1], dtype="Int64"),
    "pyarrow": pa.array([0, 1]),
    "polars": pl.Series([0.0, 1.0]),
}


@pytest.mark.parametrize("case", DECLARED)
@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.float64, object])
def test_whole_numbers_of_any_type_are_one_label(case, dtype):
    model = tree().partial_fit(X, RIGHT.astype(dtype), classes=DECLARED[case])
    must_agree(model, [0, 1])


def test_declared_labels_keep_their_types():
    model = tree().partial_fit(X[:3], objects(["a", 1, "a"]), classes=["a", 1])
    must_agree(model, ["a", 1])
    model.partial_fit(X[:2], ["1", b"a"])
    must_agree(model, ["a", 1, "1", b"a"])
    model.partial_fit(X[:2], ["a", "1"], classes=["1", 1.0, np.str_("a")])
    must_agree(model, ["a", 1, "1", b"a"])


def test_boolean_labels_stay_booleans():
    y = RIGHT.astype(bool)
    for labels in (y, y.tolist(), y.astype(object), pd.Series(y), pa.array(y), pl.Series(y)):
        must_agree(tree().fit(X, labels), [False, True])
        must_agree(tree().partial_fit(X, labels, classes=np.unique(y)), [False, True])
        must_agree(tree().partial_fit(X, labels, classes=objects([np.True_, False])), [False, True])


def test_true_and_1_are_one_label_shown_as_it_came_first():
    model = tree().partial_fit(X, RIGHT.astype(bool), classes=[False, True])
    model.partial_fit(X, RIGHT).partial_fit(X, RIGHT.astype(float))
    model.learn_one({0: 0.5}, 1)
    model.learn_one({0: 0.5}, 1.0)
    must_agree(model, [False, True])
    model = tree().partial_fit(X, RIGHT, classes=[0, 1])
    model.partial_fit(X, RIGHT.astype(bool))
    model.learn_one({0: 0.5}, np.True_)
    must_agree(model, [0, 1])
    model = tree().partial_fit(X[:4], objects([True, 1, 0, 0.0]))
    must_agree(model, [True, 0])


@pytest.mark.parametrize(
    ("classes", "message"),
    [
        (
            [0, None],
            "classes, entry 1: None cannot be a label; labels must be strings, bytes, booleans",
        ),
        ([0, float("nan")], "classes, entry 1: nan cannot be a label"),
        ([0, 1.5], "classes, entry 1: 1.5 cannot be a label"),
        ([0, float("inf")], "classes, entry 1: inf cannot be a label"),
        (objects([0, 10**5000]), "classes, entry 1: a whole number of 16,610 bits cannot be"),
        (objects(["\ud83d\ude00", 1]), "classes, entry 0: .* which has a character as two"),
        (np.array([0, 1], dtype="M8[ns]"), r"classes: datetime64\[ns\] cannot be labels"),
        (np.array([0, 1], dtype="m8[ns]"), r"classes: timedelta64\[ns\] cannot be labels"),
        (np.array([0, 1j]), "classes: complex128 cannot be labels"),
        (objects([np.datetime64("2020-01-01"), 1]), "entry 0: a datetime64 cannot be a label"),
        ([("a", "b"), ("c", "d")], r"classes should be a 1d array, got .* shape \(2, 2\)"),
        ({0, 1}, r"classes should be a 1d array, got an array of shape \(\)"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_a_label_cannot_be_declared(classes, message):
    model = tree()
    with pytest.raises(ValueError, match=message):
        model.partial_fit(X, RIGHT, classes=classes)
    assert not model.__sklearn_is_fitted__()


# -- learned labels ---------------------------------------------------------------------------

REFUSED = {
    "a fraction": (1.5, "Unknown label type: continuous. y, row 1: 1.5 cannot be a label"),
    "NumPy's fraction": (np.float32(1.5), "Unknown label type: continuous. y, row 1: 1.5 cannot"),
    "an infinity": (float("inf"), "Input y contains infinity: row 1 has no valid label"),
    "None": (None, "Input y contains NaN: row 1 has no label"),
    "a null of pandas": (pd.NA, "Input y contains NaN: row 1 has no label"),
    "no time": (pd.NaT, "Input y contains NaN: row 1 has no label"),
    "a date": (np.datetime64("2020-01-01"), "Unknown label type: datetime64. y, row 1: a datetime"),
    "a time span": (np.timedelta64(1, "ns"), "Unknown label type: timedelta64. y, row 1"),
    "a complex number": (1j, "Unknown label type: complex. y, row 1: a complex cannot be a label"),
    "a tuple": (("a", 1), "Unknown label type: tuple. y, row 1: a tuple cannot be a label"),
    "an enormous integer": (10**5000, "y, row 1: a whole number of 16,610 bits cannot be a label"),
    "an enormous float": (1e300, r"y, row 1: 1e\+300, a whole number of 997 bits, cannot be"),
    "two halves": ("\ud83d\ude00", r"y, row 1: '\\ud83d\\ude00', which has a character as two"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_a_label_is_refused_with_its_row(case):
    label, message = REFUSED[case]
    model = tree().partial_fit(X, RIGHT)
    before = to_bytes(model)
    for y in (objects([0, label, 1]), objects(["a", label, b"b"])):
        with pytest.raises(ValueError, match=message):
            model.partial_fit(X[:3], y)
    with pytest.raises(ValueError, match=message.replace("row 1", "row 0")):
        model.learn_one({0: 0.0}, label)
    with pytest.raises(ValueError, match=message.replace("row 1", "row 0")):
        tree().learn_one({0: 0.0}, label)
    assert to_bytes(model) == before


ONE = [
    1,
    1.0,
    np.int64(1),
    np.uint8(1),
    np.float32(1),
    np.longdouble(1),
    np.True_,
    True,
    Shade.LIGHT,
]


@pytest.mark.parametrize("label", ONE, ids=lambda v: type(v).__name__)
def test_single_examples_have_the_labels_of_batches(label):
    model = tree().partial_fit(X, RIGHT)
    model.learn_one({0: 0.0}, label)
    must_agree(model, [0, 1])
    want = tree().partial_fit(X, RIGHT)
    want.learn_one({0: 0.0}, 1)
    assert to_bytes(model) == to_bytes(want)


@pytest.mark.parametrize("label", ["low", np.str_("low"), Tone.LOW, Evil("low")], ids=type)
def test_strings_of_any_type_are_one_label(label):
    model = tree().partial_fit(X, np.where(RIGHT, "low", "high"))
    model.learn_one({0: 0.0}, label)
    model.partial_fit(X[:2], [label, "high"]).partial_fit(X[:2], objects([label, "high"]))
    must_agree(model, ["high", "low"])
    first = tree()
    first.learn_one({0: 0.0}, label)
    assert [type(v) for v in inside.classes(first)] == [str]
    assert first.classes_.tolist() == ["low"]


def test_strings_and_bytes_are_two_labels():
    model = tree().partial_fit(X[:2], np.array([b"a", b"b"])).partial_fit(X[:2], ["a", "b"])
    model.learn_one({0: 0.0}, np.bytes_(b"a"))
    must_agree(model, [b"a", b"b", "a", "b"])


@pytest.mark.parametrize(
    ("y", "labels"),
    [
        ([2**63 + 1, -1], [2**63 + 1, -1]),
        ([2**53 + 1, 0.0], [2**53 + 1, 0]),
        (np.array([2**64 - 1, 0], dtype=np.uint64), [2**64 - 1, 0]),
        (np.array([2.0**63, 0.0]), [2**63, 0]),
        (np.array([-(2.0**63), 0.0]), [-(2**63), 0]),
        (np.array([2.0**100, 1.0]), [2**100, 1]),
        ([2**128 - 1, -(2**128) + 1], [2**128 - 1, -(2**128) + 1]),
    ],
)
def test_large_labels_keep_their_values(y, labels):
    model = tree().partial_fit(X[:2], y)
    must_agree(model, labels)
    model.partial_fit(X[:2], y, classes=y)
    for label in y:
        model.learn_one({0: 0.0}, label)
    must_agree(model, labels)


COLUMNS = {
    "booleans of pyarrow": pa.array([True, False, True]),
    "booleans in chunks": pa.chunked_array([[True], [False, True]]),
    "booleans of pandas": pd.Series([True, False, True], dtype="boolean"),
    "booleans of polars": pl.Series([True, False, True]),
    "booleans that could be masked": np.ma.masked_array([True, False, True], [False] * 3),
    "integers of pyarrow": pa.array([1, 0, 1], type=pa.uint8()),
    "floats of pyarrow": pa.array([1.0, 0.0, 1.0]),
    "categories of pandas": pd.Series([1, 0, 1], dtype="category"),
    "integers of polars": pl.Series([1, 0, 1], dtype=pl.Int8),
    "integers that could be masked": np.ma.masked_array([1, 0, 1], [False] * 3),
}


@pytest.mark.parametrize("case", COLUMNS)
def test_columns_of_other_libraries_are_labels(case):
    model = tree().partial_fit(X[:3], COLUMNS[case])
    must_agree(model, [True, False] if "booleans" in case else [1, 0])


@pytest.mark.parametrize("values", [["a", "b", "a"], [b"a", b"b", b"a"]])
@pytest.mark.parametrize("encode", [pa.array, lambda v: pa.array(v).dictionary_encode()])
def test_text_of_pyarrow_is_labels(values, encode):
    assert tree().partial_fit(X[:3], encode(values)).classes_.tolist() == values[:2]


@pytest.mark.parametrize("values", [[True, None, False], [1, None, 0], ["a", None, "b"]])
def test_a_null_of_pyarrow_is_no_label(values):
    with pytest.raises(ValueError, match="row 1 has no label"):
        tree().partial_fit(X[:3], pa.array(values))


# -- costs ------------------------------------------------------------------------------------

COSTS = {
    "integers": {(0, 1): 5},
    "floats": {(0.0, 1.0): 5},
    "NumPy's": {(np.int64(0), np.float32(1)): np.float64(5)},
    "booleans": {(False, np.True_): 5.0},
    "an enumeration": {(0, Shade.LIGHT): 5.0},
}


@pytest.mark.parametrize("case", COSTS)
@pytest.mark.parametrize(
    "cls", [rp.HoeffdingTree, rp.OADT, rp.StreamForest], ids=lambda c: c.__name__
)
def test_costs_are_those_of_the_labels_whatever_their_types(case, cls):
    want = make(cls, costs={(0, 1): 5.0}).partial_fit(X, RIGHT, classes=[0, 1])
    model = make(cls, costs=COSTS[case]).partial_fit(X, RIGHT.astype(float), classes=[0.0, 1.0])
    np.testing.assert_array_equal(model.predict(X), want.predict(X))
    again = from_bytes(to_bytes(model))
    assert again.costs == {(0, 1): 5.0}
    assert {type(label) for pair in again.costs for label in pair} <= {int, bool}
    np.testing.assert_array_equal(again.predict(X), want.predict(X))


def test_costs_of_strings_of_any_type():
    model = tree(costs={(Evil("no"), np.str_("yes")): 5.0}).partial_fit(
        X, np.where(RIGHT, "yes", "no")
    )
    want = tree(costs={("no", "yes"): 5.0}).partial_fit(X, np.where(RIGHT, "yes", "no"))
    assert to_bytes(model) == to_bytes(want)


@pytest.mark.parametrize(
    "label", [None, 1.5, float("nan"), np.datetime64("2020-01-01"), ("a",), 1j]
)
def test_costs_name_labels(label):
    with pytest.raises(
        ValueError, match=r"costs\[.*\]: .* cannot be a label; labels must be strings"
    ):
        tree(costs={(label, "a"): 5.0}).partial_fit(X, RIGHT)
