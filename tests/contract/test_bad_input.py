"""Nothing is lost on bad input: the error names the place, the model stays as it was."""

from __future__ import annotations

import datetime
import decimal
import functools
import re
from typing import Any

import numpy as np
import pytest

import riparian as rp
from riparian.cuts import Bins
from riparian.storage.modelfile import from_bytes, to_bytes
from tests.contract.matrix import has, needs, where

NAN, INF = float("nan"), float("inf")


def fruit(n=400):
    rng = np.random.default_rng(4)
    weight = rng.normal(150.0, 30.0, size=n)
    colour = rng.choice(np.array(["red", "green"], dtype=object), size=n)
    y = np.where((weight > 140) ^ (colour == "red"), "apple", "pear")
    return {"weight": weight, "colour": colour}, y


QUICK = {"grace_period": 20, "delta": 0.1, "n_min": "fixed", "n_estimators": 2, "chunk_size": 90}


@pytest.fixture(scope="session")
def trained(with_known):
    """A model that has learned such rows: once, since what is refused changes nothing."""

    @functools.cache
    def of(cls, rows):
        return to_bytes(with_known(cls, **QUICK).partial_fit(*rows()))

    return lambda cls, rows: from_bytes(of(cls, rows))


@pytest.fixture
def learned(cls, trained):
    return trained(cls, fruit)


@pytest.fixture
def numeric(cls, trained):
    return trained(cls, three_numbers)


def three_numbers():
    X = np.random.default_rng(1).normal(size=(300, 3))
    return X, (X[:, 1] > 0).astype(int)


def good(**changes):
    """Three good rows of fruit, with some columns changed or, if None, left out."""
    X = {"weight": np.array([1.0, 2.0, 3.0]), "colour": np.array(["red", "green", "blue"])}
    return {n: c for n, c in (X | changes).items() if c is not None}


def tells_numbers(cls, case):
    """Whether a word is wrong in a column of numbers, or a category like any other."""
    return not case.startswith("a word") or has(cls, "categorical_features")


tells_words_from_numbers = where(tells_numbers, "where every feature is categorical, words fit too")
LABELS = ["apple", "pear", "quince"]  # with a class that is new

BATCHES = {
    "infinity": (
        (good(weight=np.array([1.0, -INF, INF])), LABELS),
        ValueError,
        "column 'weight', row 1: inf cannot be learned; use NaN for a missing value",
    ),
    "infinity in float32": (
        (good(weight=np.array([1, 2, INF], dtype=np.float32)), LABELS),
        ValueError,
        "column 'weight', row 2: inf",
    ),
    "infinity among objects": (
        (good(weight=np.array([None, 2, INF], dtype=object)), LABELS),
        ValueError,
        "column 'weight', row 2: inf",
    ),
    "infinity in a new column": (
        (good(height=np.array([INF, 2.0, 3.0])), LABELS),
        ValueError,
        "column 'height', row 0: inf",
    ),
    "too few labels": ((good(), LABELS[:2]), ValueError, "y has 2 labels for 3 rows"),
    "too many labels": ((good(), [*LABELS, "fig"]), ValueError, "y has 4 labels for 3 rows"),
    "no labels": ((good(), None), ValueError, "requires y"),
    "labels of two columns": ((good(), [[1, 2], [3, 4], [5, 6]]), ValueError, "1d array"),
    "a label that is None": (
        (good(), np.array(["apple", None, "pear"], dtype=object)),
        ValueError,
        "row 1 has no label",
    ),
    "a label that is NaN": ((good(), [1.0, 2.0, NAN]), ValueError, "row 2 has no label"),
    "a label that is infinite": ((good(), [1.0, INF, 2.0]), ValueError, "row 1 has no valid label"),
    "a label that is NaN among objects": (
        (good(), np.array(["apple", "pear", NAN], dtype=object)),
        ValueError,
        "row 2 has no label",
    ),
    "a label that is NaN among strings": (
        (good(), ["apple", NAN, "pear"]),
        ValueError,
        "row 1 has no label",
    ),
    "a label that is not whole": (
        (good(), [1.0, 2.5, 3.0]),
        ValueError,
        "y, row 1: 2.5 cannot be a label; labels must be strings, bytes, booleans or whole numbers",
    ),
    "a label that is a date": (
        (good(), np.array(["2020-01-01", "2020-01-02", "2020-01-03"], dtype="datetime64[D]")),
        ValueError,
        "Unknown label type",
    ),
    "a label that is a list": (
        (good(), np.array([[1], "pear", [2]], dtype=object)),
        ValueError,
        "Unknown label type: list. y, row 0: a list cannot be a label",
    ),
    "dates": (
        (good(weight=np.array(["2020-01-01"] * 3, dtype="datetime64[D]")), LABELS),
        ValueError,
        "column 'weight', row 0: dates ",
    ),
    "time spans": (
        (good(weight=np.array([1, 2, 3], dtype="timedelta64[s]")), LABELS),
        ValueError,
        "column 'weight', row 0: durations ",
    ),
    "complex numbers": (
        (good(weight=np.array([1, 2j, 3])), LABELS),
        TypeError,
        "column 'weight': complex numbers cannot be learned",
    ),
    "a date among objects": (
        (good(weight=np.array([1, datetime.date(2020, 1, 1), 2], dtype=object)), LABELS),
        ValueError,
        "column 'weight', row 1: datetime.date(2020, 1, 1) in a column of other values",
    ),
    "a list among objects": (
        (good(colour=np.array(["red", ["green", "blue"], None], dtype=object)), LABELS),
        TypeError,
        "column 'colour', row 1: argument must be a string or a real number, not 'list'",
    ),
    "a decimal among objects": (
        (good(weight=np.array([1, 2, decimal.Decimal("1.5")], dtype=object)), LABELS),
        TypeError,
        "column 'weight', row 2",
    ),
    "a complex number among objects": (
        (good(weight=np.array([1, 2j, 3], dtype=object)), LABELS),
        TypeError,
        "column 'weight', row 1",
    ),
    "an enormous integer": (
        (good(weight=np.array([1, 10**400, 2], dtype=object)), LABELS),
        ValueError,
        "column 'weight', row 1: an integer of 1,329 bits is too large for a float",
    ),
    "a word in a numeric column": (
        (good(weight=np.array([1, 2, "heavy"], dtype=object)), LABELS),
        ValueError,
        "column 'weight', row 2: could not convert 'heavy' to a number",
    ),
    "columns of two lengths": (
        (good(weight=np.array([1.0, 2.0])), LABELS),
        ValueError,
        "columns must have the same length, but 'weight' has 2, 'colour' has 3",
    ),
    "a renamed column": (
        (good(weight=None, Weight=np.array([1.0, 2.0, 3.0])), LABELS),
        ValueError,
        "columns seem to be renamed: 'Weight' is new and 'weight' is absent",
    ),
    "a name that is no name": (
        (good() | {("a", "b"): np.zeros(3)}, LABELS),
        TypeError,
        "feature names must be strings or integers, got ('a', 'b')",
    ),
    "a negative weight": (
        (good(), LABELS, None, [1.0, -0.5, 1.0]),
        ValueError,
        "sample_weight, row 1: -0.5 is not a weight",
    ),
    "a weight that is NaN": (
        (good(), LABELS, None, [1.0, 1.0, NAN]),
        ValueError,
        "sample_weight, row 2: nan is not a weight",
    ),
    "an infinite weight": (
        (good(), LABELS, None, [INF, 1.0, 1.0]),
        ValueError,
        "sample_weight, row 0: inf is not a weight",
    ),
    "too few weights": ((good(), LABELS, None, [1.0]), ValueError, "expected (3,)"),
    "weights that are words": (
        (good(), LABELS, None, ["a", "b", "c"]),
        ValueError,
        "could not convert",
    ),
    "other classes than declared": (
        (good(), LABELS, ["apple", "quince"]),
        ValueError,
        "is not the same as on last call to partial_fit",
    ),
    "no rows": ((good(weight=np.empty(0), colour=np.empty(0)), []), ValueError, "minimum of 1"),
    "one dimension": ((np.zeros(3), LABELS), ValueError, "Expected 2D array, got 1D array"),
}


@tells_words_from_numbers
@pytest.mark.parametrize("case", BATCHES)
def test_a_wrong_batch_is_refused_and_changes_nothing(learned, fingerprint, case):
    arguments, error, message = BATCHES[case]
    before = fingerprint(learned)
    with pytest.raises(error, match=re.escape(message)):
        learned.partial_fit(*arguments)
    assert fingerprint(learned) == before
    assert "quince" not in learned.classes_
    assert learned.predict_one({"weight": 3.0, "colour": "blue"}) in ("apple", "pear")


@tells_words_from_numbers
@pytest.mark.parametrize("case", [c for c in BATCHES if "declared" not in c])
def test_testing_before_training_refuses_the_same(learned, fingerprint, case):
    (X, y, *rest), error, message = BATCHES[case]
    before = fingerprint(learned)
    with pytest.raises(error, match=re.escape(message)):
        learned.prequential(X, y, *rest[1:])
    assert fingerprint(learned) == before


#: What is wrong in a later batch only: a word makes a first column categorical.
LATER = (
    "a renamed column",
    "other classes than declared",
    "a word in a numeric column",
    "dates",
    "time spans",
)


@pytest.mark.parametrize("case", [c for c in BATCHES if c not in LATER])
def test_a_wrong_first_batch_leaves_a_model_that_can_start(cls, case, fingerprint):
    (X, y, *rest), error, _ = BATCHES[case]
    model = cls()
    with pytest.raises(error):
        model.partial_fit(X, y, *rest)
    assert not model.__sklearn_is_fitted__()
    assert fingerprint(model.partial_fit(*fruit())) == fingerprint(cls().partial_fit(*fruit()))


def test_a_failed_fit_forgets_nothing(learned, fingerprint):
    before = fingerprint(learned)
    with pytest.raises(ValueError, match="row 1: inf"):
        learned.fit([[1.0], [INF]], ["a", "b"])
    assert fingerprint(learned) == before


@pytest.mark.parametrize("n_columns", [1, 2, 4])
def test_an_array_of_another_width_is_refused(numeric, fingerprint, n_columns):
    before = fingerprint(numeric)
    message = f"X has {n_columns} features, but {type(numeric).__name__} is expecting 3 features"
    with pytest.raises(ValueError, match=message):
        numeric.partial_fit(np.zeros((2, n_columns)), [0, 1])
    with pytest.raises(ValueError, match=message):
        numeric.predict(np.zeros((2, n_columns)))
    assert fingerprint(numeric) == before


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("row", [0, 1, 511, 512, 2000, 4999])
def test_an_infinity_is_found_wherever_it_is(numeric, fingerprint, dtype, row):
    X = np.zeros((5000, 3), dtype=dtype)
    X[row, 1] = -INF
    X[-1, 0] = INF
    before = fingerprint(numeric)
    column = "x0" if row == 4999 else "x1"
    with pytest.raises(ValueError, match=f"column '{column}', row {row}: inf"):
        numeric.partial_fit(X, np.zeros(5000, dtype=int))
    assert fingerprint(numeric) == before


def test_an_infinity_is_refused_in_what_is_asked_too(learned):
    X, _ = fruit(5)
    X["weight"][3] = INF
    with pytest.raises(ValueError, match="column 'weight', row 3"):
        learned.predict(X)
    with pytest.raises(ValueError, match="column 'weight', row 3"):
        learned.predict_proba(X)
    for ask in (learned.predict_one, learned.predict_proba_one, learned.explain_one):
        with pytest.raises(ValueError, match="column 'weight', row 0"):
            ask({"weight": INF, "colour": "red"})


EXAMPLES = {
    "infinity": (({"weight": INF, "colour": "red"}, "apple"), ValueError, "column 'weight'"),
    "infinity in a new feature": (
        ({"weight": 1.0, "height": INF}, "apple"),
        ValueError,
        "column 'height'",
    ),
    "a word for a number": (({"weight": "heavy"}, "apple"), ValueError, "column 'weight'"),
    "a list": (({"weight": [1.0, 2.0]}, "apple"), TypeError, "column 'weight'.*'list'"),
    "a list of one": (({"weight": [1.0]}, "apple"), TypeError, "column 'weight'.*'list'"),
    "an array": (({"weight": np.ones(1)}, "apple"), TypeError, "column 'weight'.*'ndarray'"),
    "a date": (
        ({"weight": datetime.date(2020, 1, 1)}, "apple"),
        ValueError,
        "column 'weight', row 0: dates ",
    ),
    "an object": (({"colour": object()}, "apple"), TypeError, "column 'colour'.*'object'"),
    "an enormous integer": (({"weight": 10**400}, "apple"), ValueError, "column 'weight'"),
    "no label": (({"weight": 1.0}, None), ValueError, "no label"),
    "a label that is NaN": (({"weight": 1.0}, NAN), ValueError, "no label"),
    "a label that is not whole": (({"weight": 1.0}, 0.5), ValueError, "0.5 cannot be a label"),
    "a negative weight": (({"weight": 1.0}, "apple", -1.0), ValueError, "-1.0 is not a weight"),
    "a weight that is NaN": (({"weight": 1.0}, "apple", NAN), ValueError, "nan is not a weight"),
    "an infinite weight": (({"weight": 1.0}, "apple", INF), ValueError, "inf is not a weight"),
}


@tells_words_from_numbers
@pytest.mark.parametrize("case", EXAMPLES)
def test_a_wrong_example_is_refused_and_changes_nothing(learned, fingerprint, case):
    arguments, error, message = EXAMPLES[case]
    before = fingerprint(learned)
    with pytest.raises(error, match=message):
        learned.learn_one(*arguments)
    assert fingerprint(learned) == before


@pytest.mark.parametrize("value", [[1.0, 2.0], [1.0], np.ones(2), {1}])
def test_an_example_that_is_asked_may_hold_no_odd_values_either(learned, value):
    for ask in (learned.predict_one, learned.predict_proba_one, learned.explain_one):
        with pytest.raises(TypeError, match="column 'weight'"):
            ask({"weight": value, "colour": "red"})


CHOICES = {
    "impurity": ("entropie", "entropy"),
    "bound": ("hoefding", "hoeffding"),
    "cuts": ("bin", "bins"),
    "leaf": ("naive_bayes", "naive-bayes"),
    "categorical_cuts": ("multi-way", "multiway"),
    "runner_up": ("faeture", "feature"),
    "inherit_counts": ("counts", "count"),
    "statistics": ("gausian", "gaussian"),
}


shown = where(lambda cls, parameter: has(cls, parameter), "a recipe shows what it leaves open")


@shown
@pytest.mark.parametrize("parameter", CHOICES)
def test_an_unknown_name_is_refused_with_the_nearest_one(cls, parameter):
    wrong, nearest = CHOICES[parameter]
    model = cls(**{parameter: wrong})
    with pytest.raises(ValueError, match=f"{parameter} must be .*'{wrong}'.*mean '{nearest}'"):
        model.partial_fit(*fruit())
    assert not model.__sklearn_is_fitted__()


NUMBERS: dict[str, list[Any]] = {
    "delta": [0, 0.0, 1, 1.0, -1e-7, 1.5, NAN, INF, "small", None],
    "tau": [-0.1, NAN, INF, "0.05", None],
    "grace_period": [-1, NAN, INF, "200", None],
    "epsilons": [0, 3, 1.5, None],
    "min_gain": [-1e-9, NAN, None],
    "min_branch_fraction": [-0.1, 0.6, NAN],
    "clip_to_range": [1, "yes", None],
    "max_depth": [-1, 2.5, "deep", True],
    "max_leaves": [0, -1, 1.5, "many"],
}


@shown
@pytest.mark.parametrize(
    ("parameter", "value"), [(p, v) for p, values in NUMBERS.items() for v in values]
)
def test_a_parameter_outside_its_range_is_refused_by_name(cls, with_known, parameter, value):
    model = with_known(cls, **{"n_min": "fixed", "grace_period": 200, parameter: value})
    with pytest.raises(ValueError, match=f"{parameter} must be .*got {re.escape(repr(value))}"):
        model.partial_fit(*fruit())
    with pytest.raises(ValueError, match=f"{parameter} must be"):
        model.learn_one({"weight": 1.0}, "apple")
    assert not model.__sklearn_is_fitted__()


@needs("cuts")
@pytest.mark.parametrize("value", [0, -1, 2.5, True, None])
def test_a_parameter_of_a_policy_outside_its_range_is_refused_by_name(cls, with_known, value):
    model = with_known(cls, n_min="fixed", grace_period=200, cuts=Bins(count=value))
    with pytest.raises(ValueError, match=f"cuts__count must be .*got {re.escape(repr(value))}"):
        model.partial_fit(*fruit())
    with pytest.raises(ValueError, match="cuts__count must be"):
        model.learn_one({"weight": 1.0}, "apple")
    assert not model.__sklearn_is_fitted__()


def test_a_parameter_that_does_not_exist_is_refused(cls):
    with pytest.raises(TypeError, match="'grace_perod'"):
        cls(grace_perod=100)
    with pytest.raises(ValueError, match="'grace_perod'"):
        cls().set_params(grace_perod=100)


@needs("categorical_features")
@pytest.mark.parametrize("value", ["weight", "dtype", 3])
def test_categorical_features_must_be_a_list_or_a_known_word(cls, value):
    with pytest.raises((TypeError, ValueError), match="categorical_features"):
        cls(categorical_features=value).partial_fit(*fruit())


@needs("categorical_features")
@pytest.mark.parametrize(
    ("value", "message"), [([5], "5"), ([-1], "-1"), ([1.5], "1.5"), ([True], "mask of 1")]
)
def test_categorical_features_outside_the_features_are_refused(cls, value, message):
    with pytest.raises(ValueError, match=f"categorical_features.*{message}"):
        cls(categorical_features=value).partial_fit(*fruit())


def test_what_nothing_was_learned_from_cannot_be_asked(cls):
    from sklearn.exceptions import NotFittedError

    model = cls()
    for ask in (model.predict, model.predict_proba, model.explain_one):
        with pytest.raises(NotFittedError, match=f"This {cls.__name__} instance is not fitted"):
            ask({"weight": 1.0})
    assert model.predict_one({"weight": 1.0}) is None
    assert model.predict_proba_one({"weight": 1.0}) == {}


def test_labels_too_large_for_a_machine_word_stay_what_they_are():
    y = np.array([2**63 + 5, 1], dtype=np.uint64)
    model = rp.HoeffdingTree().partial_fit([[1.0], [2.0]], y)
    assert model.classes_.tolist() == [2**63 + 5, 1]


def test_a_label_too_large_for_a_machine_word_is_not_silently_another():
    model = rp.HoeffdingTree()
    with pytest.raises(ValueError, match=r"y, row 0: 1e\+300, a whole number of 997 bits"):
        model.partial_fit([[1.0], [2.0]], [1e300, 1.0])
    assert not model.__sklearn_is_fitted__()
