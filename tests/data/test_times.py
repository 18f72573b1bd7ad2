"""Dates, times of day and durations in arrays, frames and dicts are numbers of seconds."""

import datetime as dt
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import riparian as rp
from riparian.data.table import read_table
from riparian.data.times import PARTS, Times, check_parts, time_text
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside

BERLIN = dt.timezone(dt.timedelta(hours=2))
MOMENT = dt.datetime(2024, 5, 17, 12, 30, 15, 250_000)
SECONDS = MOMENT.replace(tzinfo=dt.UTC).timestamp()
DAY = dt.datetime(2024, 5, 17, tzinfo=dt.UTC).timestamp()

DATES = {
    "numpy": (np.array([MOMENT], "M8[us]"), SECONDS),
    "numpy days": (np.array(["2024-05-17"], "M8[D]"), DAY),
    "numpy months": (np.array(["2024-05"], "M8[M]"), DAY - 16 * 86_400),
    "numpy durations": (np.array([-2], "m8[ms]"), -0.002),
    "objects": (np.array([MOMENT], dtype=object), SECONDS),
    "objects with a zone": (np.array([MOMENT.replace(tzinfo=BERLIN)], object), SECONDS - 7200),
    "dates": ([MOMENT.date()], DAY),
    "times of day": ([MOMENT.time()], 45_015.25),
    "durations": ([dt.timedelta(milliseconds=-2)], -0.002),
    "scalars of numpy": ([np.datetime64("2024-05-17")], DAY),
}
FRAMES = {
    "pandas": (lambda: pd.Series([MOMENT]), SECONDS),
    "pandas nanoseconds": (lambda: pd.Series([MOMENT], dtype="datetime64[ns]"), SECONDS),
    "pandas with a zone": (
        lambda: pd.Series([MOMENT]).dt.tz_localize("Europe/Berlin"),
        SECONDS - 7200,
    ),
    "pandas durations": (lambda: pd.Series(pd.to_timedelta(["-2ms"])), -0.002),
    "pandas categories": (lambda: pd.Series([MOMENT]).astype("category"), SECONDS),
    "pandas of Arrow": (
        lambda: pd.Series([MOMENT], dtype=pd.ArrowDtype(pa.timestamp("us"))),
        SECONDS,
    ),
    "pandas days of Arrow": (
        lambda: pd.Series([MOMENT.date()], dtype=pd.ArrowDtype(pa.date32())),
        DAY,
    ),
    "pandas objects": (lambda: pd.Series([MOMENT], dtype=object), SECONDS),
    "polars": (lambda: pl.Series([MOMENT]), SECONDS),
    "polars with a zone": (
        lambda: pl.Series([MOMENT]).dt.replace_time_zone("Europe/Berlin"),
        SECONDS - 7200,
    ),
    "polars days": (lambda: pl.Series([MOMENT.date()]), DAY),
    "polars times of day": (lambda: pl.Series([MOMENT.time()]), 45_015.25),
    "polars durations": (lambda: pl.Series([dt.timedelta(milliseconds=-2)]), -0.002),
    "pyarrow": (lambda: pa.array([MOMENT]), SECONDS),
    "pyarrow with a zone": (
        lambda: pa.array([MOMENT.replace(tzinfo=BERLIN)], pa.timestamp("ns", "Europe/Berlin")),
        SECONDS - 7200,
    ),
    "pyarrow date32": (lambda: pa.array([MOMENT.date()], pa.date32()), DAY),
    "pyarrow date64": (lambda: pa.array([MOMENT.date()], pa.date64()), DAY),
    "pyarrow time32": (lambda: pa.array([MOMENT.time()], pa.time32("ms")), 45_015.25),
    "pyarrow time64": (lambda: pa.array([MOMENT.time()], pa.time64("ns")), 45_015.25),
    "pyarrow duration": (lambda: pa.array([dt.timedelta(milliseconds=-2)]), -0.002),
}


def framed(column, **others):
    library = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}
    return library[type(column).__module__.split(".")[0]]({"when": column, **others})


@pytest.mark.parametrize("case", DATES)
def test_dates_in_columns_are_seconds(case):
    column, want = DATES[case]
    assert read_table({"when": column}).columns[0].values.tolist() == [want]


@pytest.mark.parametrize("case", FRAMES)
def test_dates_in_frames_are_seconds(case):
    make, want = FRAMES[case]
    (column,) = read_table(framed(make())).columns
    assert column.values.tolist() == [want]
    if "zone" in case:
        assert column.times.part("hour").tolist() == [12.0]


def test_a_matrix_of_dates_is_a_matrix_of_seconds():
    X = np.array([["2024-05-17", "NaT"], ["1969-12-31", "1970-01-01"]], dtype="M8[D]")
    model = rp.VFDT().partial_fit(X, [0, 1])
    assert [(f.name, f.kind, f.time) for f in inside.features(model)] == [
        (0, "numeric", "date"),
        (1, "numeric", "date"),
    ]
    with pytest.raises(ValueError, match="date_parts needs names of columns"):
        rp.VFDT(date_parts="hour").partial_fit(X, [0, 1])


def test_the_same_time_is_the_same_number_in_every_unit():
    counts = np.random.default_rng(0).integers(-(10**15), 10**15, 1000)
    micro = read_table({"t": counts.astype("M8[us]")}).columns[0].values
    nano = read_table({"t": (counts * 1000).astype("M8[ns]")}).columns[0].values
    plain = read_table({"t": counts.astype("M8[us]").tolist()}).columns[0].values
    assert micro.tobytes() == nano.tobytes() == plain.tobytes()


def test_missing_dates_are_missing():
    for X in (
        {"t": [None, MOMENT]},
        {"t": [pd.NaT, MOMENT]},
        {"t": [np.datetime64("NaT"), MOMENT]},
        pd.DataFrame({"t": [None, pd.Timestamp(MOMENT)]}),
        pl.DataFrame({"t": [None, MOMENT]}),
        pa.table({"t": [None, MOMENT]}),
    ):
        (column,) = read_table(X).columns
        np.testing.assert_array_equal(column.values, [np.nan, SECONDS])


@pytest.mark.parametrize("zone", [None, "America/New_York", "Asia/Kolkata"])
def test_parts_are_those_of_pandas_on_the_clock_of_the_zone(zone):
    rng = np.random.default_rng(1)
    when = pd.Series(pd.to_datetime(rng.integers(-(10**10), 10**10, 500), unit="s"))
    if zone is not None:
        when = when.dt.tz_localize("UTC").dt.tz_convert(zone)
    (column,) = read_table(pd.DataFrame({"when": when})).columns
    for part in PARTS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # pandas renames some of them
            want = getattr(when.dt, part).to_numpy(float)
        np.testing.assert_array_equal(column.times.part(part), want, err_msg=part)


def stream(n=4000):
    rng = np.random.default_rng(2)
    start = np.datetime64("2024-01-01", "s")
    when = start + rng.integers(0, 300 * 86_400, n).astype("m8[s]")
    frame = pd.DataFrame({"when": when, "x": rng.normal(size=n)})
    hour = frame["when"].dt.hour.to_numpy()
    return frame, np.where((hour >= 9) & (hour < 17), "open", "closed")


def test_parts_are_features_and_stay_so_in_a_file():
    X, y = stream()
    model = rp.StreamTree(date_parts=["hour", "weekday"])
    assert (model.prequential(X, y) == y)[1000:].mean() > 0.9
    assert list(model.feature_names_in_) == ["when", "when.hour", "when.weekday", "x"]
    loaded = from_bytes(to_bytes(model))
    assert loaded.date_parts == ["hour", "weekday"]
    assert inside.features(loaded)[0].time == "date"
    assert (loaded.predict(X) == model.predict(X)).all()
    assert loaded.predict_one({"when": dt.datetime(2024, 7, 1, 12), "x": 0.0}) == "open"
    assert loaded.predict_one({"when": dt.datetime(2024, 7, 1, 3), "x": 0.0}) == "closed"


@pytest.mark.parametrize(
    "make",
    [
        lambda: rp.StreamTree(date_parts="hour"),
        lambda: rp.StreamForest(n_estimators=2, date_parts="hour"),
        lambda: rp.UFFT(date_parts="hour"),
        lambda: rp.AccuracyWeightedEnsemble(date_parts="hour", chunk_size=100),
        lambda: rp.ITI(date_parts="hour", max_examples=100),
        lambda: rp.OADT(date_parts="hour"),
    ],
)
def test_batches_and_single_rows_give_the_same_model(make):
    X, y = stream(300)
    whole = make().partial_fit(X, y)
    parts = make()
    for start in range(0, 300, 70):
        parts.partial_fit(X[start : start + 70], y[start : start + 70])
    single = make()
    for row, label in zip(X.to_dict("records"), y.tolist(), strict=True):
        single.learn_one(row, label)
    assert to_bytes(whole) == to_bytes(parts) == to_bytes(single)


def test_time_of_day_has_hours_and_a_duration_has_no_parts():
    X = {"open": [dt.time(8, 30)], "took": [dt.timedelta(hours=1)]}
    model = rp.StreamTree(date_parts=["hour", "weekday"]).partial_fit(X, [0])
    assert [f.name for f in inside.features(model)] == ["open", "open.hour", "took"]


REFUSED = {
    "a number among dates": ({"t": [MOMENT, 3]}, "column 't', row 1: 3 in a column of dates"),
    "a date among numbers": ({"t": [3, MOMENT]}, "column 't', row 1: .* of other values"),
    "a time among dates": ({"t": [MOMENT, MOMENT.time()]}, "column 't', row 1: .*column of dates"),
    "a name twice": ({"t": [MOMENT], "t.hour": [3]}, "column 't.hour' appears twice"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_mixture_is_refused_with_its_place(case):
    X, message = REFUSED[case]
    with pytest.raises(ValueError, match=message):
        rp.StreamTree(date_parts="hour").partial_fit(X, [0] * len(X["t"]))


def test_dates_are_never_categories_and_no_numbers_of_another_feature():
    dated, numbers = {"t": [MOMENT]}, {"t": [3.0]}
    with pytest.raises(ValueError, match="column 't', row 0: dates cannot be categories"):
        rp.StreamTree(categorical_features=["t"]).partial_fit(dated, [0])
    with pytest.raises(ValueError, match="column 't', row 0: dates cannot be categories"):
        rp.ID5R().partial_fit(dated, [0])
    model = rp.StreamTree().partial_fit(numbers, [0])
    with pytest.raises(ValueError, match="column 't', row 0: dates in a feature of numbers"):
        model.predict(dated)
    model = rp.StreamTree().partial_fit(dated, [0])
    with pytest.raises(ValueError, match="times of day in a feature of dates"):
        model.predict({"t": [MOMENT.time()]})
    assert model.predict(numbers).tolist() == [0]  # seconds


@pytest.mark.parametrize("value", ["hours", ["hour", "hour"], 3, ["hour", None], {"hour": 1}])
def test_parts_must_be_known(value):
    with pytest.raises(ValueError, match="date_parts must be None, one of 'year', 'month'"):
        rp.StreamTree(date_parts=value).fit([[0.0]], [0])


def test_parts_may_be_one_or_several_or_none():
    assert check_parts(None) == ()
    assert check_parts("hour") == ("hour",)
    assert check_parts(("hour", "year")) == ("hour", "year")


def test_thresholds_of_dates_are_shown_as_dates():
    X = {"when": np.array(["2024-05-01", "2024-05-03"] * 10, "M8[D]")}
    model = rp.ITI().fit(X, [0, 1] * 10)
    assert "when <= 2024-05-02: 0" in model.export_text()
    assert time_text("date", 1e15) == "1e15"
    assert time_text("duration", 90.5) == "90.5"


def test_rows_of_times_keep_their_zone():
    times = Times(np.array([0.0, np.nan]), "date", np.array([3600.0, np.nan]))
    assert times[:1].part("hour").tolist() == [1.0]
    np.testing.assert_array_equal(times.part("hour"), [1.0, np.nan])


def test_a_file_with_another_kind_of_time_is_refused():
    from riparian.storage import modelfile

    model = rp.StreamTree().partial_fit({"t": [MOMENT]}, [0])
    inside.features(model)[0].time = "century"
    with pytest.raises(rp.ModelFileError, match="unknown kind of time"):
        modelfile.from_bytes(to_bytes(model))
