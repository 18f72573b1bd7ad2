"""Frames of pandas, polars and pyarrow teach the same model as plain columns."""

from __future__ import annotations

import hashlib
import re

import numpy as np
import pytest

import riparian as rp
from riparian.storage.modelfile import to_bytes
from tests import inside

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")

NAN = float("nan")


def fingerprint(model):
    return hashlib.sha256(to_bytes(model)).hexdigest()


def tree(**parameters):
    return rp.HoeffdingTree(grace_period=50, delta=1e-3, tau=0.1, **parameters)


def plain(n=900, seed=3):
    """Columns of every type that all frames have, and labels."""
    rng = np.random.default_rng(seed)
    X = {
        "float": rng.normal(size=n),
        "word": rng.choice(np.array(["red", "green", "blue"], dtype=object), size=n),
        "single": rng.normal(size=n).astype(np.float32),
        "whole": rng.integers(-100, 100, size=n),
        "truth": rng.random(n) < 0.5,
    }
    y = np.where((X["float"] > 0) ^ (X["word"] == "blue"), "yes", "no")
    X["float"][rng.random(n) < 0.05] = NAN
    X["single"][rng.random(n) < 0.05] = NAN
    X["word"][rng.random(n) < 0.05] = None
    return X, y


def to_pyarrow(X):
    return pa.table({n: pa.array(c, from_pandas=c.dtype.kind in "fO") for n, c in X.items()})


def to_polars(X, **options):
    words = pl.Series(X["word"].tolist(), dtype=pl.String)
    return pl.DataFrame(X | {"word": words}, **options)


FRAMES = {
    "pandas": pd.DataFrame,
    "pandas with an index": lambda X: pd.DataFrame(X, index=range(7, 7 + len(X["float"]))),
    "pandas of Arrow": lambda X: pd.DataFrame(X).convert_dtypes(dtype_backend="pyarrow"),
    "pandas of nullable types": lambda X: pd.DataFrame(X).convert_dtypes(),
    "pandas with categories": lambda X: pd.DataFrame(X).astype({"word": "category"}),
    "pandas with sorted categories": lambda X: pd.DataFrame(X).astype(
        {"word": pd.CategoricalDtype(["blue", "unused", "green", "red"], ordered=True)}
    ),
    "pandas with Python's strings": lambda X: pd.DataFrame(X).astype({"word": "string[python]"}),
    "pandas with Arrow's strings": lambda X: pd.DataFrame(X).astype({"word": "string[pyarrow]"}),
    "polars": lambda X: to_polars(X, nan_to_null=True),
    "polars with NaN": to_polars,
    "polars with categories": lambda X: to_polars(X).with_columns(
        pl.col("word").cast(pl.Categorical)
    ),
    "polars with an enumeration": lambda X: to_polars(X).with_columns(
        pl.col("word").cast(pl.Enum(["blue", "red", "unused", "green"]))
    ),
    "polars in chunks": lambda X: pl.concat(
        [to_polars(X)[:100], to_polars(X)[100:]], rechunk=False
    ),
    "pyarrow": to_pyarrow,
    "pyarrow in chunks": lambda X: pa.concat_tables(
        [to_pyarrow(X).slice(0, 7), to_pyarrow(X).slice(7)]
    ),
    "pyarrow with a dictionary": lambda X: to_pyarrow(X).set_column(
        1, "word", to_pyarrow(X)["word"].dictionary_encode()
    ),
    "a record batch": lambda X: to_pyarrow(X).combine_chunks().to_batches()[0],
}


@pytest.mark.parametrize("frame", FRAMES)
def test_every_frame_teaches_the_same_model(frame):
    X, y = plain()
    want = tree().partial_fit(X, y)
    assert want.n_leaves_ > 2
    categorical = {f.name for f in inside.features(want) if f.kind == "categorical"}
    assert categorical == {"word"}
    framed = FRAMES[frame](X)
    model = tree().partial_fit(framed, y)
    assert fingerprint(model) == fingerprint(want)
    np.testing.assert_array_equal(model.predict_proba(framed), want.predict_proba(X))


def cut(frame, rows):
    if isinstance(frame, pd.DataFrame):
        return frame.iloc[rows]
    return frame.slice(rows.start, rows.stop - rows.start)


@pytest.mark.parametrize("size", [1, 13])
@pytest.mark.parametrize("frame", FRAMES)
def test_frames_may_be_cut_anywhere(frame, size):
    X, y = plain(160)
    X["word"][0] = "red"
    framed = FRAMES[frame](X)
    model = tree()
    for start in range(0, 160, size):
        rows = slice(start, min(160, start + size))
        model.partial_fit(cut(framed, rows), y[rows])
    assert fingerprint(model) == fingerprint(tree().partial_fit(X, y))


@pytest.mark.parametrize("frame", FRAMES)
def test_a_word_may_be_missing_in_the_first_rows_of_a_frame(frame):
    X, y = plain(60)
    X["word"][:20] = None
    framed = FRAMES[frame](X)
    model = tree()
    for start in range(0, 60, 10):
        model.partial_fit(cut(framed, slice(start, start + 10)), y[start : start + 10])
    assert fingerprint(model) == fingerprint(tree().partial_fit(framed, y))


@pytest.mark.parametrize("frame", FRAMES)
def test_one_frame_may_follow_another(frame):
    X, y = plain()
    half = {n: c[450:] for n, c in X.items()}
    model = tree().partial_fit({n: c[:450] for n, c in X.items()}, y[:450])
    model.partial_fit(FRAMES[frame](half), y[450:])
    assert fingerprint(model) == fingerprint(tree().partial_fit(X, y))


def test_nullable_columns_of_pandas_are_numbers_with_gaps():
    frame = pd.DataFrame(
        {
            "whole": pd.array([1, None, 3, 4] * 50, dtype="Int64"),
            "small": pd.array([1, 2, None, 4] * 50, dtype="UInt8"),
            "real": pd.array([0.5, None, 2.5, NAN] * 50, dtype="Float32"),
            "truth": pd.array([True, None, False, True] * 50, dtype="boolean"),
        }
    )
    y = [0, 1, 0, 1] * 50
    same = {
        "whole": np.array([1, NAN, 3, 4] * 50),
        "small": np.array([1, 2, NAN, 4] * 50),
        "real": np.array([0.5, NAN, 2.5, NAN] * 50),
        "truth": np.array([1, NAN, 0, 1] * 50),
    }
    assert fingerprint(tree().partial_fit(frame, y)) == fingerprint(tree().partial_fit(same, y))


def test_objects_of_pandas_keep_1_and_the_text_1_apart():
    frame = pd.DataFrame({"c": pd.Series([1, "1", None, pd.NA] * 100, dtype=object)})
    model = tree().partial_fit(frame, [0, 1, 0, 1] * 100)
    assert inside.features(model)[0].categories == [1, "1"]
    assert model.predict(frame[:2]).tolist() == [0, 1]


@pytest.mark.parametrize("values", [[1, 2, None], [1.0, 2.0, NAN], [True, False, None]])
def test_a_category_column_is_categorical_whatever_it_holds(values):
    frame = pd.DataFrame({"c": pd.Series(values * 100).astype("category")})
    model = tree().partial_fit(frame, [0, 1, 1] * 100)
    feature = inside.features(model)[0]
    assert feature.kind == "categorical"
    assert feature.categories == values[:2]
    assert model.predict_one({"c": values[0]}) == 0


def test_a_category_column_of_numbers_may_come_as_plain_numbers_later():
    frame = pd.DataFrame({"c": pd.Series([1, 2, None]).astype("category")})  # of floats
    model = tree().partial_fit(frame, [0, 1, 0])
    model.partial_fit({"c": np.array([1, 2, 3])}, [0, 1, 2])
    model.partial_fit(pd.DataFrame({"c": [2, 1, 3]}), [1, 0, 2])
    assert inside.features(model)[0].categories == [1, 2, 3]
    from riparian.storage.modelfile import from_bytes

    assert fingerprint(from_bytes(to_bytes(model))) == fingerprint(model)


@pytest.mark.parametrize(
    "frame",
    [
        lambda: pd.DataFrame({"when": pd.period_range("2024", periods=1)}),
        lambda: pd.DataFrame({"when": pd.interval_range(0, 1)}),
        lambda: pa.table({"when": pa.array([(1, 2, 3)], pa.month_day_nano_interval())}),
    ],
    ids=["periods", "intervals", "calendar intervals"],
)
def test_spans_of_the_calendar_are_refused_by_name(frame):
    with pytest.raises((TypeError, ValueError), match="column 'when'"):
        tree().partial_fit(frame(), [1])


NESTED = {
    "lists of polars": lambda: pl.DataFrame({"odd": [[1, 2], [3]]}),
    "structures of polars": lambda: pl.DataFrame({"odd": [{"a": 1}, {"a": 2}]}),
    "lists of pyarrow": lambda: pa.table({"odd": [[1, 2], [3]]}),
    "structures of pyarrow": lambda: pa.table({"odd": [{"a": 1}, {"a": 2}]}),
    "lists of pandas": lambda: pd.DataFrame({"odd": [[1, 2], [3]]}),
    "complex numbers of pandas": lambda: pd.DataFrame({"odd": [1j, 2j]}),
}


@pytest.mark.parametrize("frame", NESTED)
def test_columns_that_are_no_values_are_refused_by_name(frame):
    with pytest.raises((TypeError, ValueError), match="column 'odd'"):
        tree().partial_fit(NESTED[frame](), [0, 1])


@pytest.mark.parametrize("frame", ["pandas", "polars", "pyarrow", "a record batch"])
def test_an_infinity_in_a_frame_is_named_with_column_and_row(frame):
    X, y = plain()
    model = tree().partial_fit(X, y)
    before = fingerprint(model)
    X["single"][123] = -np.inf
    X["float"][500] = np.inf
    with pytest.raises(ValueError, match=re.escape("column 'single', row 123: inf")):
        model.partial_fit(FRAMES[frame](X), y)
    assert fingerprint(model) == before


def test_two_columns_of_one_name_are_refused():
    frame = pd.DataFrame(np.zeros((2, 2)), columns=["a", "a"])
    with pytest.raises(ValueError, match="column 'a' appears twice"):
        tree().partial_fit(frame, [0, 1])


def test_names_of_several_levels_are_refused():
    frame = pd.DataFrame(np.zeros((2, 2)), columns=pd.MultiIndex.from_tuples([("a", 1), ("a", 2)]))
    with pytest.raises(TypeError, match=re.escape("('a', 1)")):
        tree().partial_fit(frame, [0, 1])


def test_a_frame_with_numbered_columns_is_an_array():
    X = np.random.default_rng(1).normal(size=(400, 3))
    y = (X[:, 1] > 0).astype(int)
    array = tree().partial_fit(X, y)
    assert fingerprint(tree().partial_fit(pd.DataFrame(X), y)) == fingerprint(array)
    np.testing.assert_array_equal(
        array.predict_proba(pd.DataFrame(X)[[2, 0, 1]]), array.predict_proba(X)
    )


DECLARED = {"names": ["code"], "indexes": [1], "a mask": [False, True]}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table, dict])
@pytest.mark.parametrize("declared", DECLARED)
def test_categorical_features_may_be_given_by(declared, frame):
    X = {"x": np.arange(400.0), "code": np.array([3, 1, 4, 1] * 100)}
    y = [1, 0, 0, 0] * 100
    model = tree(categorical_features=DECLARED[declared]).partial_fit(frame(X), y)
    numeric, categorical = inside.features(model)
    assert (numeric.kind, categorical.kind) == ("numeric", "categorical")
    assert categorical.categories == [3, 1, 4]
    same = tree(categorical_features=DECLARED[declared]).partial_fit(X, y)
    assert fingerprint(model) == fingerprint(same)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_numbers_are_numbers_unless_declared(frame):
    X = {"x": np.arange(4.0), "code": np.array([3, 1, 4, 1])}
    model = tree().partial_fit(frame(X), [0, 1, 0, 1])
    assert {f.kind for f in inside.features(model)} == {"numeric"}


LABELS = {
    "pandas": lambda y: pd.Series(y, index=range(5, 5 + len(y))),
    "pandas category": lambda y: pd.Series(y).astype("category"),
    "pandas string": lambda y: pd.Series(y, dtype="string"),
    "pandas of Arrow": lambda y: pd.Series(y, dtype=pd.ArrowDtype(pa.string())),
    "polars": pl.Series,
    "polars category": lambda y: pl.Series(y).cast(pl.Categorical),
    "pyarrow": pa.array,
    "pyarrow in chunks": lambda y: pa.chunked_array([y[:10], y[10:]]),
    "list": list,
    "tuple": tuple,
}


@pytest.mark.parametrize("kind", LABELS)
def test_labels_may_be_a_column_of_any_kind(kind):
    X, y = plain()
    model = tree().partial_fit(X, LABELS[kind](y.tolist()))
    assert fingerprint(model) == fingerprint(tree().partial_fit(X, y))


@pytest.mark.parametrize("kind", ["Int64", "int8", "float64", "int64[pyarrow]"])
def test_labels_may_be_numbers_of_pandas(kind):
    X, y = plain()
    codes = (y == "yes").astype(int)
    model = tree().partial_fit(X, pd.Series(codes).astype(kind))
    assert fingerprint(model) == fingerprint(tree().partial_fit(X, codes))


@pytest.mark.parametrize("kind", ["Int64", "string", "category", "object", "float64"])
def test_a_missing_label_of_pandas_is_refused_by_row(kind):
    values = [1, 2, None] if kind in ("Int64", "float64") else ["a", "b", None]
    with pytest.raises(ValueError, match="row 2 has no label"):
        tree().partial_fit({"x": [1.0, 2.0, 3.0]}, pd.Series(values, dtype=kind))


def test_a_missing_label_of_polars_is_refused_by_row():
    for values in ([1, 2, None], ["a", "b", None]):
        with pytest.raises(ValueError, match="row 2 has no label"):
            tree().partial_fit({"x": [1.0, 2.0, 3.0]}, pl.Series(values))


@pytest.mark.parametrize("kind", [pd.Series, pl.Series, pa.array, list, np.array])
def test_weights_may_be_a_column_of_any_kind(kind):
    X, y = plain()
    w = np.random.default_rng(1).uniform(0, 2, size=len(y))
    model = tree().partial_fit(X, y, sample_weight=kind(w))
    assert fingerprint(model) == fingerprint(tree().partial_fit(X, y, sample_weight=w))


def test_a_wide_frame_of_pandas_is_read_without_a_copy_of_each_column():
    import tracemalloc

    X = np.zeros((50_000, 40))
    X[::2] = 1.0
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(40)])
    y = np.arange(50_000) % 2
    model = tree(max_leaves=2).partial_fit(frame[:10], y[:10])
    tracemalloc.start()
    model.partial_fit(frame, y)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 0.3 * X.nbytes
