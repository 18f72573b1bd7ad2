"""NumPy arrays: read where they are, whatever their type and layout."""

from __future__ import annotations

import hashlib
import tracemalloc

import numpy as np
import pytest

import riparian as rp
from riparian.storage.modelfile import to_bytes
from tests import inside

NAN = float("nan")


def fingerprint(model):
    return hashlib.sha256(to_bytes(model)).hexdigest()


def tree(**parameters):
    return rp.HoeffdingTree(grace_period=50, delta=1e-3, tau=0.1, **parameters)


def numbers(n=1_500, n_features=5, seed=1):
    """Values that float16 holds exactly, some of them missing."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-40, 40, size=(n, n_features)) / 8.0
    y = (X[:, 1] > 0.5).astype(int) + (X[:, 3] > 2)
    X[rng.random(X.shape) < 0.03] = NAN
    return X, y


def whole_numbers():
    X, y = numbers()
    return np.nan_to_num(X * 8), y


LAYOUTS = {
    "Fortran order": np.asfortranarray,
    "every second row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "every second column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "backwards and back": lambda X: X[::-1].copy()[::-1],
    "columns backwards and back": lambda X: X[:, ::-1].copy()[:, ::-1],
    "a part of a larger array": lambda X: np.pad(X, 3)[3:-3, 3:-3],
    "read-only": lambda X: (c := X.copy(), c.setflags(write=False))[0],
    "not aligned": lambda X: (
        np.frombuffer(b"\0" + X.tobytes(), dtype=np.uint8)[1:].view(X.dtype).reshape(X.shape)
    ),
    "the other byte order": lambda X: X.astype(X.dtype.newbyteorder()),
    "float128": lambda X: X.astype(np.longdouble),
    "float16": lambda X: X.astype(np.float16),
    "objects": lambda X: X.astype(object),
    "lists": lambda X: X.tolist(),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_of_an_array_does_not_matter(layout, dtype):
    X, y = numbers()
    plain = tree().partial_fit(X, y)
    assert plain.n_leaves_ > 2
    laid_out = LAYOUTS[layout](X.astype(dtype))
    model = tree().partial_fit(laid_out, y)
    assert fingerprint(model) == fingerprint(plain)
    np.testing.assert_array_equal(model.predict_proba(laid_out), plain.predict_proba(X))


@pytest.mark.parametrize(
    "dtype", [np.int8, np.int16, np.int32, np.int64, np.float32, np.float64, np.intp]
)
def test_integers_are_numbers(dtype):
    X, y = whole_numbers()
    model = tree().partial_fit(X.astype(dtype), y)
    assert {f.kind for f in inside.features(model)} == {"numeric"}
    assert fingerprint(model) == fingerprint(tree().partial_fit(X, y))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64])
def test_unsigned_integers_are_numbers(dtype):
    X, y = whole_numbers()
    X -= X.min()
    model = tree().partial_fit(X.astype(dtype), y)
    assert fingerprint(model) == fingerprint(tree().partial_fit(X, y))


def test_truth_values_are_0_and_1():
    X, y = whole_numbers()
    truth = X > 3
    model = tree().partial_fit(truth, y)
    assert fingerprint(model) == fingerprint(tree().partial_fit(truth.astype(float), y))


def test_one_row_repeated_without_memory_is_read_as_many():
    row = np.array([1.0, 2.0, 3.0])
    shared = np.broadcast_to(row, (100, 3))
    y = np.arange(100) % 2
    assert fingerprint(tree().partial_fit(shared, y)) == fingerprint(
        tree().partial_fit(shared.copy(), y)
    )


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("method", ["partial_fit", "prequential", "predict"])
def test_a_matrix_is_not_copied(dtype, order, method):
    n = 100_000
    X = np.zeros((n, 40), dtype=dtype, order=order)
    X[::2, 7] = 1.0
    y = np.zeros(n, dtype=np.int64)
    y[::2] = 1
    model = rp.VFDT(max_leaves=2).partial_fit(X[:10], y[:10])
    ask = {"predict": lambda: model.predict(X)}.get(method, lambda: getattr(model, method)(X, y))
    tracemalloc.start()
    ask()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Labels and codes of the rows may be copied: a few numbers a row, not forty.
    assert most < 0.3 * X.nbytes


@pytest.mark.parametrize("dtype", ["U6", "S6", object, "T"])
def test_strings_are_categories(dtype):
    if dtype == "T" and not hasattr(np.dtypes, "StringDType"):
        pytest.skip("this NumPy has no string type of variable width")
    words = [["red", "up"], ["green", "down"], ["red", "down"], ["blue", "up"]] * 100
    X = np.array(words, dtype=np.dtypes.StringDType() if dtype == "T" else dtype)
    y = [w[0] == "red" for w in words]
    model = tree().partial_fit(X, y)
    first, second = inside.features(model)
    assert (first.kind, second.kind) == ("categorical", "categorical")
    want = ["red", "green", "blue"]
    assert first.categories == ([w.encode() for w in want] if dtype == "S6" else want)
    assert model.splits()[0].feature == "x0"
    assert model.predict(X).tolist() == y


def test_an_array_of_objects_has_a_kind_for_each_column():
    X = np.empty((400, 3), dtype=object)
    X[:, 0] = np.arange(400) % 7
    X[:, 1] = ["red", "green", None, "blue"] * 100
    X[:, 2] = [0.5, None, NAN, np.float32(2)] * 100
    y = np.arange(400) % 7 > 3
    model = tree().partial_fit(X, y)
    assert [f.kind for f in inside.features(model)] == ["numeric", "categorical", "numeric"]
    same = {0: X[:, 0].astype(float), 1: X[:, 1], 2: np.array([0.5, NAN, NAN, 2.0] * 100)}
    assert fingerprint(model) == fingerprint(tree().partial_fit(same, y))


def test_1_and_the_text_1_stay_apart_in_an_array():
    X = np.array([[1], ["1"]] * 200, dtype=object)
    model = tree().partial_fit(X, [0, 1] * 200)
    assert inside.features(model)[0].categories == [1, "1"]
    assert model.predict(X[:2]).tolist() == [0, 1]
    assert model.predict_one({0: 1}) == 0
    assert model.predict_one({0: "1"}) == 1


def test_1_and_the_text_1_stay_apart_in_lists():
    X = [[1, 0.5], ["1", 0.5]] * 200
    model = tree().partial_fit(X, [0, 1] * 200)
    assert inside.features(model)[0].categories == [1, "1"]
    assert inside.features(model)[1].kind == "numeric"
    assert model.predict(X[:2]).tolist() == [0, 1]


def test_a_missing_value_among_words_in_lists_stays_missing():
    X = [[NAN, 1.0], ["a", 2.0], ["b", NAN]]
    model = tree().partial_fit(X, [0, 1, 0])
    assert inside.features(model)[0].categories == ["a", "b"]
    assert inside.features(model)[1].kind == "numeric"


def test_masked_values_are_missing():
    X, y = numbers()
    gaps = np.isnan(X)
    masked = np.ma.masked_array(np.where(gaps, 1e6, X), mask=gaps)
    assert fingerprint(tree().partial_fit(masked, y)) == fingerprint(tree().partial_fit(X, y))


DECLARED = {
    "indexes": [0, 2],
    "an array of indexes": np.array([2, 0]),
    "a mask": [True, False, True],
    "an array as a mask": np.array([True, False, True]),
    "a tuple": (0, 2),
}


def coded():
    rng = np.random.default_rng(5)
    X = np.c_[rng.integers(0, 4, 800), rng.normal(size=800), rng.integers(0, 3, 800)]
    return X, np.isin(X[:, 0], [1, 3]).astype(int)


@pytest.mark.parametrize("declared", DECLARED)
def test_categorical_features_may_be_given(declared):
    X, y = coded()
    model = tree(categorical_features=DECLARED[declared]).partial_fit(X, y)
    kinds = [f.kind for f in inside.features(model)]
    assert kinds == ["categorical", "numeric", "categorical"]
    first = model.splits()[0]
    assert first.cut == "x0 (each value)"
    assert first.gain == pytest.approx(1.0, abs=0.01)
    assert np.mean(model.predict(X) == y) > 0.99


@pytest.mark.parametrize("declared", DECLARED)
def test_categorical_features_come_in_batches_as_in_one(declared):
    X, y = coded()
    whole = tree(categorical_features=DECLARED[declared]).partial_fit(X, y)
    parts = tree(categorical_features=DECLARED[declared])
    for i in range(0, 800, 50):
        parts.partial_fit(X[i : i + 50], y[i : i + 50])
    # The parameter itself is part of the file.
    assert fingerprint(parts) == fingerprint(whole)


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.float32, np.float64, object])
def test_the_type_of_coded_categories_does_not_matter(dtype):
    X, y = coded()
    X[:, 1] = np.round(X[:, 1])
    X -= X.min()
    plain = tree(categorical_features=[0, 2]).partial_fit(X, y)
    model = tree(categorical_features=[0, 2]).partial_fit(X.astype(dtype), y)
    assert fingerprint(model) == fingerprint(plain)


def test_no_features_are_categorical_if_none_is_said():
    X = np.array([["1", "2.5"], ["3", "4"]], dtype=object)
    with pytest.raises(ValueError, match="column 'x0', row 0: could not convert '1' to a number"):
        tree(categorical_features=None).partial_fit(X, [0, 1])
    assert tree(categorical_features=None).partial_fit([[1.0, 2.0]], [0]).n_features_in_ == 2


def test_fractions_may_be_categories():
    X = np.array([[0.5], [1.0], [1.5], [NAN]] * 100)
    model = tree(categorical_features=[0]).partial_fit(X, [0, 1, 0, 1] * 100)
    assert inside.features(model)[0].categories == [0.5, 1, 1.5]
    assert model.predict([[0.5], [1.0], [1.5]]).tolist() == [0, 1, 0]
    assert model.predict_one({0: 1}) == model.predict_one({0: 1.0}) == 1


@pytest.mark.parametrize(
    "y",
    [
        ["no", "yes"] * 300,
        np.array(["no", "yes"] * 300),
        np.array(["no", "yes"] * 300, dtype=object),
        [0, 1] * 300,
        np.array([0, 1] * 300, dtype=np.uint8),
        np.array([-5, 2**40] * 300),
        np.array([0.0, 1.0] * 300),
        np.array([0.0, 1.0] * 300, dtype=np.float32),
        [False, True] * 300,
        np.array([False, True] * 300),
        np.array([b"no", b"yes"] * 300),
    ],
    ids=lambda y: f"{type(y).__name__}-{np.asarray(y).dtype}",
)
def test_labels_come_back_as_they_were(y):
    X = np.arange(600.0).reshape(-1, 1) % 2
    model = tree().partial_fit(X, y)
    predicted = model.predict(X)
    assert predicted.tolist() == list(y)
    assert type(model.predict_one({0: 1.0})) is not np.generic
    assert model.predict_one({0: 1.0}) == y[1]


def test_labels_of_several_types_stay_apart():
    X = np.arange(600.0).reshape(-1, 1) % 2
    for y in ([1, "1"] * 300, np.array([1, "1"] * 300, dtype=object)):
        model = tree().partial_fit(X, y)
        assert model.classes_.tolist() == [1, "1"]
        assert model.predict(X[:2]).tolist() == [1, "1"]
