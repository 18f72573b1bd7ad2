"""Every value that can be learned can be saved; all others are refused and change nothing."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import riparian as rp
from riparian.data.values import built_in
from riparian.models.registry import MODELS
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside
from tests.attack.odd_values import Evil, EvilInt, Shade, Tone, odd, usable
from tests.effort import ATTACK

NAN, INF = float("nan"), float("inf")
TRIES = settings(
    max_examples=80 * ATTACK,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def objects(values):
    return np.fromiter(values, dtype=object, count=len(values))


def tree(**parameters):
    return rp.HoeffdingTree(grace_period=4, delta=0.5, tau=1.0, **parameters)


def started(**parameters):
    return tree(**parameters).partial_fit({"x": [0.0, 1.0], "c": ["a", "b"]}, ["u", 1])


def must_hold(model, asked):
    """The model can be saved and loaded, and is the same then."""
    data = to_bytes(model)
    again = from_bytes(data)
    assert to_bytes(again) == data
    for mine, other in (
        (inside.classes(model), inside.classes(again)),
        *(
            (f.categories, g.categories)
            for f, g in zip(inside.features(model), inside.features(again), strict=True)
        ),
        ([f.name for f in inside.features(model)], [f.name for f in inside.features(again)]),
    ):
        assert [(type(v), v) for v in mine] == [(type(v), v) for v in other]
        assert {type(v) for v in mine} <= {str, bytes, bool, int, float}
    assert inside.engine(model).n_classes == len(model.classes_)
    assert model.predict(asked).tolist() == again.predict(asked).tolist()
    np.testing.assert_array_equal(model.predict_proba(asked), again.predict_proba(asked))
    return again


def learned_or_unchanged(model, learn, asked):
    """Whether a call learned; if it refused, the model must be as before."""
    before = to_bytes(model)
    try:
        learn(model)
    except (TypeError, ValueError) as refused:
        reason = str(refused)
    else:
        must_hold(model, asked)
        return True
    assert "incompatible function arguments" not in reason
    assert to_bytes(model) == before
    return False


# -- whatever is passed -----------------------------------------------------------------------


@TRIES
@given(st.lists(odd, min_size=1, max_size=5))
def test_labels_are_learned_and_saved_or_refused(report_tries, labels):
    report_tries("lists of labels of every type", 1)
    X = {"x": np.arange(float(len(labels)))}
    ways = {
        "a batch": lambda m: m.partial_fit(X, objects(labels)),
        "a list": lambda m: m.partial_fit(X, labels),
        "declared": lambda m: m.partial_fit(X, ["u"] * len(labels), classes=["u", 1, *labels]),
        "one": lambda m: m.learn_one({"x": 1.0}, labels[0]),
    }
    for learn in ways.values():
        learned_or_unchanged(started(), learn, X)
    declared = tree()
    try:
        declared.partial_fit(X, [0] * len(labels), classes=objects([0, *labels]))
    except (TypeError, ValueError):
        assert not declared.__sklearn_is_fitted__()
    else:
        must_hold(declared, X)


@TRIES
@given(st.lists(odd, min_size=1, max_size=5))
def test_labels_in_a_batch_and_one_by_one_are_the_same(report_tries, labels):
    report_tries("lists of labels of every type", 1)
    batch, single = started(), started()
    X = {"x": np.arange(float(len(labels)))}
    if learned_or_unchanged(batch, lambda m: m.partial_fit(X, objects(labels)), X):
        for row, label in enumerate(labels):
            single.learn_one({"x": float(row)}, label)
            assert inside.classes(single)[
                inside.schema(single).class_codes[built_in(label)]
            ] == built_in(label)
        assert to_bytes(single) == to_bytes(batch)


@TRIES
@given(st.lists(odd, min_size=1, max_size=5), st.booleans())
def test_categories_are_learned_and_saved_or_refused(report_tries, values, declared):
    report_tries("lists of categories of every type", 1)
    n = len(values)
    X = {"c": objects(values)}
    y = ["u"] * n
    parameters = {"categorical_features": ["c"]} if declared else {}
    ways = {
        "a batch": lambda m: m.partial_fit(X, y),
        "a list": lambda m: m.partial_fit({"c": values}, y),
        "one": lambda m: m.learn_one({"c": values[0]}, "u"),
        "a new column": lambda m: m.partial_fit(
            {"x": np.ones(n), "c": ["a"] * n, "d": objects(values)}, y
        ),
        "an array": lambda m: tree(**parameters).partial_fit(objects(values).reshape(-1, 1), y),
    }
    for learn in ways.values():
        learned_or_unchanged(started(**parameters), learn, {"c": ["a", "b"]})
    fresh = tree(**parameters)
    try:
        fresh.partial_fit(X, y)
    except (TypeError, ValueError):
        assert not fresh.__sklearn_is_fitted__()
    else:
        must_hold(fresh, X)
        for value in values:
            fresh.predict_one({"c": value})


def is_double(value):
    value = built_in(value)
    return not isinstance(value, int) or (abs(value) < 2**200 and int(float(value)) == value)


@TRIES
@given(st.lists(odd.filter(is_double), min_size=1, max_size=5))
def test_categories_in_a_batch_and_one_by_one_are_the_same(report_tries, values):
    report_tries("lists of categories of every type", 1)
    batch, single = started(), started()
    X = {"c": objects(values)}
    y = ["u"] * len(values)
    if learned_or_unchanged(batch, lambda m: m.partial_fit(X, y), X):
        for value in values:
            single.learn_one({"c": value}, "u")
        assert to_bytes(single) == to_bytes(batch)


@TRIES
@given(st.lists(usable, min_size=1, max_size=5))
def test_pandas_categories_are_learned_and_saved_or_refused(report_tries, values):
    report_tries("lists of categories of every type", 1)
    column = pd.Series(objects(values), dtype=object).astype("category")
    frame = pd.DataFrame({"c": column})
    learn = lambda m: m.partial_fit(frame, ["u"] * len(values))  # noqa: E731
    learned_or_unchanged(tree().partial_fit({"c": ["a"]}, ["u"]), learn, frame)


@TRIES
@given(st.lists(odd, min_size=1, max_size=4))
def test_names_are_learned_and_saved_or_refused(report_tries, names):
    report_tries("lists of names of every type", 1)
    try:
        columns = {name: [1.0, 2.0] for name in names}
    except (TypeError, RuntimeError):  # what no dict takes, or two that collide
        return
    learned_or_unchanged(
        started(), lambda m: m.partial_fit({"x": [1.0, 2.0], **columns}, ["u", 1]), {"x": [1.0]}
    )
    learned_or_unchanged(
        started(), lambda m: m.learn_one(dict.fromkeys(columns, 1.0), "u"), {"x": [1.0]}
    )
    if not any(isinstance(name, EvilInt) for name in names):  # pandas asks what is equal
        frame = pd.DataFrame(
            np.ones((2, len(columns))), columns=pd.Index(list(columns), dtype=object)
        )
        learned_or_unchanged(
            tree().partial_fit({"x": [0.0]}, [0]), lambda m: m.fit(frame, [0, 1]), frame
        )


# -- one by one -------------------------------------------------------------------------------

CATEGORIES = {
    "a date": (np.datetime64("2020-01-01"), (TypeError, ValueError), "date"),
    "a time span": (np.timedelta64(1, "s"), (TypeError, ValueError), "(timedelta|duration)"),
    "a complex number": (np.complex64(1), TypeError, "not 'complex64'"),
    "an enormous integer": (
        10**5000,
        ValueError,
        "a whole number of 16,610 bits cannot be a category",
    ),
    "an infinity": (INF, ValueError, "inf cannot be learned; use NaN for a missing value"),
    "two halves of a character": ("\ud83d\ude00", ValueError, r"'\\ud83d\\ude00', which has"),
    "an interval of pandas": (pd.Interval(0, 1), TypeError, "not 'Interval'"),
}


@pytest.mark.parametrize("case", CATEGORIES)
@pytest.mark.parametrize("way", ["objects", "a frame", "a pandas category", "an example"])
def test_a_category_that_no_file_holds_is_refused_with_its_place(case, way):
    value, error, message = CATEGORIES[case]
    model = tree(categorical_features=["c"]).partial_fit({"c": ["a"]}, [0])
    before = to_bytes(model)
    cells = objects(["a", "b", value])
    X = {
        "objects": lambda: {"c": cells},
        "a frame": lambda: pd.DataFrame({"c": pd.Series(cells, dtype=object)}),
        "a pandas category": lambda: pd.DataFrame(
            {"c": pd.Categorical.from_codes([0, 1, 2], pd.Index(cells, dtype=object))}
        ),
        "an example": lambda: {"c": value},
    }[way]()
    row = 0 if way == "an example" else 2
    if way == "an example" and case == "an enormous integer":
        message = "16,610 bits is too large for a float"
    with pytest.raises(error, match=f"column 'c', row {row}: .*{message}"):
        model.learn_one(X, 0) if way == "an example" else model.partial_fit(X, [0, 0, 0])
    assert to_bytes(model) == before


def test_what_a_frame_never_shows_is_not_looked_at():
    values = pd.Categorical(["a", "b"], categories=objects(["a", pd.Interval(0, 1), "b"]))
    model = tree().partial_fit(pd.DataFrame({"c": values}), [0, 1])
    assert inside.features(model)[0].categories == ["a", "b"]


@pytest.mark.parametrize("make", [pa.array, pl.Series], ids=["pyarrow", "polars"])
def test_numbers_of_a_dictionary_are_the_categories_of_numbers(make):
    numbers = tree(categorical_features=["c"]).partial_fit({"c": [1.0, 0.0, 2.5]}, [0, 1, 0])
    if make is pa.array:
        for values in ([1, 0, 2.5], [True, False]):
            column = pa.array(values).dictionary_encode()
            other = tree(categorical_features=["c"]).partial_fit(
                pa.table({"c": column}), list(range(len(values)))
            )
            assert inside.features(other)[0].categories == [1, 0, 2.5][: len(values)]
            assert {type(v) for v in inside.features(other)[0].categories} <= {int, float}
    frame = pl.DataFrame({"c": pl.Series(["b", "a"], dtype=pl.Enum(["a", "b"]))})
    assert inside.features(tree().partial_fit(frame, [0, 1]))[0].categories == ["b", "a"]
    assert inside.features(numbers)[0].categories == [1, 0, 2.5]


def test_nothing_of_a_users_class_lives_in_a_schema():
    model = started()
    model.partial_fit(
        {"x": [1.0, 2.0, 3.0, 4.0], "c": objects([Evil("e"), Tone.LOW, Shade.DARK, EvilInt(9)])},
        objects([Evil("e"), Tone.HIGH, Shade.DARK, EvilInt(9)]),
    )
    model.learn_one({Evil("name"): 1.0, Tone.LOW: "w"}, Evil("f"))
    assert inside.classes(model) == ["u", 1, "e", "high", 2, 9, "f"]
    assert inside.features(model)[1].categories == ["a", "b", "e", "low", 2, 9]
    assert model.feature_names_in_.tolist() == ["x", "c", "name", "low"]
    must_hold(model, {"x": [1.0], "c": ["a"]})


def test_uncertain_categories_are_built_in_strings():
    cell = rp.Uncertain.categories({Evil("e"): 0.5, "a": 0.5})
    assert [type(v) for v in cell.points] == [str, str]
    with pytest.raises(ValueError, match="categories must be distinct"):
        rp.Uncertain.categories({Evil("a"): 0.5, "a": 0.5})
    model = started()
    before = to_bytes(model)
    cell = rp.Uncertain.categories({"\ud83d\ude00": 0.5, "a": 0.5})
    with pytest.raises(ValueError, match=r"column 'c', row 1: .*two surrogates"):
        model.partial_fit({"c": objects(["a", cell])}, ["u", "u"])
    assert to_bytes(model) == before


@pytest.mark.parametrize("value", [np.complex64(1), np.timedelta64(1, "s"), 1j, np.bool_(True)])
def test_an_uncertain_number_is_a_real_number(value):
    with pytest.raises(TypeError, match="lo must be a number"):
        rp.Uncertain.interval(value, 2.0)


def test_an_uncertain_number_fits_a_double():
    with pytest.raises(ValueError, match="hi is too large for a float"):
        rp.Uncertain.interval(1.0, 10**400)


def test_strings_that_end_in_a_nul_keep_it():
    model = tree().partial_fit({"x": [0.0, 1.0], "c": ["a\0", "a"]}, ["a\0", "a"])
    model.learn_one({"x": 0.0, "c": "b\0"}, "b\0")
    model.learn_one({"x": 0.0}, b"b\0")
    assert model.classes_.tolist() == ["a\0", "a", "b\0", b"b\0"]
    assert inside.features(model)[1].categories == ["a\0", "a", "b\0"]
    assert set(model.predict({"x": [0.0, 1.0]}).tolist()) <= {"a\0", "a", "b\0", b"b\0"}
    must_hold(model, {"x": [0.0]})


def test_strings_and_bytes_in_one_list_stay_apart():
    model = tree().partial_fit({"c": [b"a", "a"]}, [b"a", "a"])
    assert model.classes_.tolist() == [b"a", "a"]
    assert inside.features(model)[0].categories == [b"a", "a"]


# -- arrays as they lie in memory -------------------------------------------------------------

N = 300
RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(N, 2))
LABELS = (NUMBERS[:, 0] > 0).astype(np.int64)


def packed(dtype, values):
    records = np.zeros(
        len(values), dtype=np.dtype([("byte", "i1"), ("value", dtype, values.shape[1:])])
    )
    records["value"] = values
    return records["value"]


def unaligned(values):
    return np.frombuffer(b"\0" + values.tobytes(), dtype=values.dtype, offset=1).reshape(
        values.shape
    )


LAYOUTS = {
    "packed": lambda v: packed(v.dtype, v),
    "unaligned": unaligned,
    "byte-swapped": lambda v: v.astype(v.dtype.newbyteorder()),
    "turned": lambda v: v[::-1].copy()[::-1],
    "every third": lambda v: np.repeat(v, 3, axis=0)[::3],
    "Fortran's order": np.asfortranarray,
    "read-only": lambda v: np.frombuffer(v.tobytes(), dtype=v.dtype).reshape(v.shape),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("categorical", [False, True])
def test_the_layout_in_memory_changes_nothing(layout, dtype, categorical):
    X = np.round(NUMBERS).astype(dtype) if categorical else NUMBERS.astype(dtype)
    parameters = {"categorical_features": [0, 1]} if categorical else {}
    weights = np.linspace(0.5, 1.5, N)
    want = tree(**parameters).partial_fit(X, LABELS, sample_weight=weights)
    lay = LAYOUTS[layout]
    got = tree(**parameters).partial_fit(lay(X), lay(LABELS), sample_weight=lay(weights))
    assert to_bytes(got) == to_bytes(want)
    np.testing.assert_array_equal(got.predict_proba(lay(X)), want.predict_proba(X))
    columns = tree().partial_fit({"a": lay(X[:, 0].copy()), "b": lay(X[:, 1].copy())}, lay(LABELS))
    assert to_bytes(columns) == to_bytes(tree().partial_fit({"a": X[:, 0], "b": X[:, 1]}, LABELS))


def test_arrays_without_steps_are_read():
    row = np.broadcast_to([1.0, 2.0], (N, 2))
    column = np.broadcast_to(NUMBERS[:, :1], (N, 2))
    for X in (row, column):
        assert to_bytes(tree().partial_fit(X, LABELS)) == to_bytes(
            tree().partial_fit(X.copy(), LABELS)
        )
    one = tree().partial_fit(
        {"a": np.broadcast_to(1.0, N)}, np.broadcast_to(3, N), None, np.broadcast_to(2.0, N)
    )
    assert to_bytes(one) == to_bytes(
        tree().partial_fit({"a": np.ones(N)}, [3] * N, None, [2.0] * N)
    )


def test_numbers_too_large_for_a_double_are_infinite():
    with pytest.raises(ValueError, match="column 'x0', row 1: inf cannot be learned"):
        tree().partial_fit(np.array([[1], [np.longdouble("1e4000")]]), [0, 1])


def test_an_enormous_integer_in_a_number_column_is_named_by_its_size():
    with pytest.raises(
        ValueError, match="column 'a', row 1: an integer of 16,610 bits is too large"
    ):
        tree().partial_fit({"a": objects([1, 10**5000])}, [0, 1])


# -- weights ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "weights",
    [
        np.array([1, 1], dtype="M8[s]"),
        np.array([1, 1], dtype="m8[ns]"),
        np.array([1, 1j]),
        np.array([1j, 1], dtype=object),
        ["1", "1"],
        np.array([b"1", b"1"]),
        objects([datetime.timedelta(1), 1]),
        objects([np.timedelta64(1, "s"), 1]),
        "1",
        1j,
    ],
    ids=repr,
)
def test_weights_are_real_numbers(weights):
    model = started()
    before = to_bytes(model)
    with pytest.raises(
        ValueError, match=r"sample_weight, row .: could not convert a .* to a weight"
    ):
        model.partial_fit({"x": [0.0, 1.0]}, ["u", 1], None, weights)
    assert to_bytes(model) == before


@pytest.mark.parametrize("first", [None, NAN, -1, 10**400, 2**53, INF], ids=lambda w: repr(w)[:8])
def test_weights_are_in_range(first):
    with pytest.raises(ValueError, match=r"sample_weight, row 0: .* is not a weight"):
        tree().partial_fit({"x": [0.0, 1.0]}, [0, 1], None, [first, 1.0])


@pytest.mark.parametrize(
    "weights",
    [
        [True, True],
        np.ones(2, dtype=bool),
        objects([1, np.float32(1)]),
        pa.array([1, 1]),
        pa.array([True, True]),
        pl.Series([1.0, 1.0]),
        pd.Series([1, 1], dtype="Int64"),
        np.ones(2, dtype=np.longdouble),
    ],
    ids=lambda weights: f"{type(weights).__module__} {getattr(weights, 'dtype', '')}",
)
def test_weights_may_be_numbers_of_any_type(weights):
    got = tree().partial_fit({"x": [0.0, 1.0]}, [0, 1], None, weights)
    assert to_bytes(got) == to_bytes(
        tree().partial_fit({"x": [0.0, 1.0]}, [0, 1], None, [1.0, 1.0])
    )


NAMES = {
    "an enormous integer": (10**5000, "a whole number of 16,610 bits cannot be a feature name"),
    "two halves of a character": ("\ud83d\ude00", "which has a character as two surrogates"),
}


@pytest.mark.parametrize("case", NAMES)
def test_a_name_that_no_file_holds_is_refused(case):
    name, message = NAMES[case]
    with pytest.raises(ValueError, match=message):
        tree().partial_fit({name: [1.0]}, [0])
    with pytest.raises(ValueError, match=message):
        tree().learn_one({name: 1.0}, 0)


@pytest.mark.parametrize("name", ["VFDT", "OnlineBagging", "OADT"])
def test_rows_of_weight_0_are_predicted_and_bring_no_names(name):
    X = {"colour": np.array(["red", "blue", "red", "green"], dtype=object)}
    y = ["a", "b", "a", "c"]
    model = MODELS[name]()
    labels, shares = model.prequential(X, y, sample_weight=[1.0, 1.0, 1.0, 0.0], proba=True)
    assert len(labels) == len(shares) == 4
    assert model.n_seen_ == 3
    assert model.classes_.tolist() == ["a", "b"]
    assert inside.features(model)[0].categories == ["red", "blue"]
