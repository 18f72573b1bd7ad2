"""Arrays, iterables and frames as streams, and files read whole."""

import itertools
import tracemalloc

import numpy as np
import pytest

import riparian as rp
from riparian.streams import (
    abrupt_drift,
    from_arrays,
    from_frames,
    from_iterable,
    in_memory,
    open_stream,
    shuffled,
    with_label_noise,
    with_missing,
)
from tests import inside
from tests.reading import JOBS, whole

# Arrays


def test_arrays_are_a_stream_with_codes():
    X = np.array([[1.5, 0], [np.nan, 1], [2.5, np.nan]])
    stream = from_arrays(
        X, ["b", "a", "b"], names=["age", "job"], categories={"job": ["nurse", "smith"]}
    )
    assert (stream.names, stream.classes, stream.n_rows) == (["age", "job"], ["a", "b"], 3)
    got, y = stream.take(3)
    np.testing.assert_array_equal(got, X)
    assert y.tolist() == [1, 0, 1]


def test_arrays_take_indexes_with_classes_and_labels_without():
    X = np.zeros((3, 2))
    stream = from_arrays(X, [0, 1, 1], classes=["no", "yes"])
    assert stream.take(3)[1].tolist() == [0, 1, 1]
    assert stream.classes == ["no", "yes"]
    assert from_arrays(X, [10, -3, 10]).classes == [-3, 10]
    assert from_arrays(X, ["x", "x", "y"], classes=["y", "x"]).take(3)[1].tolist() == [1, 1, 0]


def test_long_arrays_are_the_same_in_every_block():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20_000, 3)), rng.integers(4, size=20_000)
    stream = from_arrays(X, y)
    for size in (1000, 8192, 50_000):
        blocks = list(stream.blocks(size))
        np.testing.assert_array_equal(np.concatenate([b[0] for b in blocks]), X)
        np.testing.assert_array_equal(np.concatenate([b[1] for b in blocks]), y)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"X": [1.0, 2.0]}, "X must have rows and columns"),
        ({"y": [0]}, "y must have one label for each of 2 rows"),
        ({"names": ["a"]}, "names must be 2 different names"),
        ({"names": ["a", "a"]}, "names must be 2 different names"),
        ({"categories": {"z": ["u"]}}, "categories must be given for features, got 'z'"),
        ({"categories": {"x1": ["u"]}}, "column 'x1', row 1: a category must be an index"),
        ({"X": [[0, 0], [0, np.inf]]}, "column 'x1', row 1: inf cannot be learned"),
        ({"y": [0, 2], "classes": ["a", "b"]}, "y must have indexes into the 2 classes"),
        ({"y": ["a", "c"], "classes": ["a", "b"]}, "y has the label 'c', which is not in classes"),
        ({"y": [0.0, np.nan]}, "y, row 1: the label is missing"),
    ],
)
def test_wrong_arrays_are_refused(change, said):
    given = {"X": [[1.0, 0.0], [2.0, 1.0]], "y": [0, 1]} | change
    with pytest.raises(ValueError, match=said):
        from_arrays(given.pop("X"), given.pop("y"), **given)


def test_categories_reach_the_model_also_under_numbered_names():
    rng = np.random.default_rng(0)
    codes = rng.integers(3, size=3000)
    stream = from_arrays(codes[:, None], codes == 1, categories={"x0": ["u", "v", "w"]})
    model = rp.VFDT(grace_period=100)
    rp.evaluate.prequential(model, stream, progress=False)
    assert model.predict_one({"x0": "v"}) is True
    assert model.predict_one({"x0": "u"}) is False


# Files in memory


def test_a_file_in_memory_is_what_the_file_is(tmp_path):
    (tmp_path / "jobs.csv").write_text(JOBS)
    stream = in_memory(open_stream(tmp_path / "jobs.csv", target="happy"))
    assert (stream.names, stream.classes) == (["age", "job"], ["no", "yes"])
    assert stream.categories == {"job": ["nurse", "smith"]}
    X, y = stream.take(3)
    np.testing.assert_array_equal(X, [[31, 0], [np.nan, 1], [44.5, np.nan]])
    assert y.tolist() == [1, 0, 1]


def test_a_model_learns_the_same_from_a_file_and_from_memory(tmp_path):
    rng = np.random.default_rng(0)
    lines = ["x,c,y"]
    for x in rng.normal(size=4000):
        c = "uvw"[rng.integers(3)]
        lines.append(f"{x:.4f},{c},{'high' if x > 0 and c != 'w' else 'low'}")
    path = tmp_path / "d.csv"
    path.write_text("\n".join(lines) + "\n")
    saved = []
    for stream in (open_stream(path, target="y"), in_memory(open_stream(path, target="y"))):
        model = rp.HoeffdingTree(grace_period=100)
        rp.evaluate.prequential(model, stream, progress=False)
        model.save(tmp_path / "m.rip")
        saved.append((tmp_path / "m.rip").read_bytes())
        if hasattr(stream, "close"):
            stream.close()
    assert saved[0] == saved[1]


def test_the_wrappers_work_on_real_data(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("x,y\n" + "".join(f"{i},{'ab'[i % 2]}\n" for i in range(9000)))
    stream = in_memory(open_stream(path, target="y"))
    X, _ = shuffled(stream, seed=3).take(9000)
    assert sorted(X[:, 0]) == list(range(9000))
    assert X[:, 0].tolist() != list(range(9000))
    assert np.isnan(with_missing(stream, 0.5).take(9000)[0]).any()
    assert (with_label_noise(stream, 0.5).take(9000)[1] != stream.take(9000)[1]).any()
    drifting = abrupt_drift(stream, shuffled(stream, seed=1), at=4000)
    assert drifting.take(9000)[0][:4000, 0].tolist() == list(range(4000))


def test_a_feature_that_comes_later_is_missing_before():
    rows = [({"a": 1}, 0), ({"a": 2, "b": "u"}, 1)]
    X, _ = in_memory(from_iterable(rows)).take(2)
    np.testing.assert_array_equal(X, [[1, np.nan], [2, 0]])


def test_nothing_to_hold_is_refused(tmp_path):
    (tmp_path / "j.csv").write_text(JOBS)
    with pytest.raises(ValueError, match="has no labels; set target"):
        in_memory(open_stream(tmp_path / "j.csv"))
    with pytest.raises(ValueError, match="has no rows"):
        in_memory(from_iterable([]))


# Iterables


def test_pairs_and_dicts_are_rows():
    pairs = [({"age": 31, "old": False, "job": "nurse"}, True), ({"age": None, "job": None}, False)]
    for rows, options in (
        (pairs, {}),
        ([{**x, "y": y} for x, y in pairs], {"target": "y"}),
        (iter(pairs), {"n_rows": 2}),
    ):
        stream = from_iterable(rows, **options)
        assert stream.n_rows == 2
        X, y = whole(stream, 1)
        np.testing.assert_array_equal(X["age"], [31, np.nan])
        np.testing.assert_array_equal(X["old"], [0, np.nan])
        assert X["job"].tolist() == ["nurse", None]
        assert y.tolist() == [True, False]
    X, y = whole(from_iterable([x for x, _ in pairs]))
    assert y is None


def test_a_feature_is_what_its_first_known_value_is():
    rows = [({"a": None, "b": 1}, 0), ({"a": "u", "b": 2, "c": float("nan")}, 1), ({"c": 3}, 1)]
    for size in (1, 2, 3):
        stream = from_iterable(rows)
        seen = [list(X) for X, _ in stream.blocks(size)]
        assert stream.names == ["b", "a", "c"]
    assert seen == [["b", "a", "c"]]


def test_an_endless_iterable_is_read_no_further_than_needed():
    read = []

    def rows():
        for i in itertools.count():
            read.append(i)
            yield {"x": i}, i % 2

    blocks = from_iterable(rows()).blocks(10)
    next(blocks)
    assert len(read) == 10


def test_memory_does_not_grow_with_an_iterable():
    tracemalloc.start()
    for _ in from_iterable(({"x": i}, i % 2) for i in range(60_000)).blocks(100):
        pass
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert used < 500_000


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (({"x": "one"}, 1), "column 'x', row 2: 'one' is not a number"),
        (({"x": float("inf")}, 1), "column 'x', row 2: inf cannot be learned"),
        (({"x": 1, "c": [1]}, 1), "column 'c', row 2: list cannot be learned"),
        (({"x": 1}, None), "row 2: the label is missing"),
        (({"x": 1}, float("nan")), "row 2: the label is missing"),
        ({"x": 1}, "row 2: must be a pair of a dict and a label"),
    ],
)
def test_a_bad_example_is_named_or_skipped(bad, said):
    rows = [({"x": 1, "c": "u"}, 0), bad, ({"x": 3, "c": "v"}, 1)]
    with pytest.raises(ValueError, match=said):
        whole(from_iterable(rows))
    stream = from_iterable(rows, skip_bad_rows=True)
    X, y = whole(stream, 2)
    assert (X["x"].tolist(), y.tolist(), stream.skipped) == ([1, 3], [0, 1], 1)


def test_a_dict_without_the_target_is_named():
    with pytest.raises(ValueError, match="row 1: the target 'y' is not there; the keys are 'x'"):
        whole(from_iterable([{"x": 1}], target="y"))
    with pytest.raises(ValueError, match="target is for rows that are dicts"):
        whole(from_iterable([({"x": 1}, 0)], target="y"))
    with pytest.raises(TypeError, match="rows must be an iterable of dicts"):
        from_iterable({"x": [1, 2]})


def test_rivers_data_sets_are_streams():
    datasets = pytest.importorskip("river.datasets")
    model = rp.VFDT()
    stream = from_iterable(datasets.Phishing())
    result = rp.evaluate.prequential(model, stream, progress=False)
    assert result.n == 1250
    assert result.accuracy > 0.6


# Frames


def frames(kind):
    columns = {
        "age": [31.0, None, 44.0],
        "job": ["nurse", None, "smith"],
        "rank": [1, 2, 3],
        "old": [True, False, True],
        "y": ["yes", "no", "yes"],
    }
    module = pytest.importorskip({"table": "pyarrow", "batch": "pyarrow"}.get(kind, kind))
    if kind == "table":
        return module.table(columns)
    if kind == "batch":
        return module.RecordBatch.from_pydict(columns)
    return module.DataFrame(columns)


@pytest.mark.parametrize("kind", ["pandas", "polars", "table", "batch"])
@pytest.mark.parametrize("size", [1, 2, 100])
def test_frames_of_every_library_are_blocks(kind, size):
    frame = frames(kind)
    for given, n in ((frame, 1), ([frame, frame], 2), ((f for f in [frame, frame]), 2)):
        X, y = whole(from_frames(given, target="y", categorical=["rank"], drop=["old"]), size)
        np.testing.assert_array_equal(X["age"], [31, np.nan, 44] * n)
        assert X["job"].tolist() == ["nurse", None, "smith"] * n
        assert X["rank"].tolist() == ["1", "2", "3"] * n
        assert list(X) == ["age", "job", "rank"]
        assert y.tolist() == ["yes", "no", "yes"] * n


def test_pandas_chunks_learn_what_the_file_learns(tmp_path):
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "d.csv"
    rng = np.random.default_rng(0)
    rows = [f"{x:.4f},{'uv'[i % 2]},{int(x > 0)}" for i, x in enumerate(rng.normal(size=3000))]
    path.write_text("x,c,y\n" + "\n".join(rows) + "\n")
    trees = []
    with pandas.read_csv(path, chunksize=700) as chunks, open_stream(path, target="y") as file:
        for stream in (from_frames(chunks, target="y"), file):
            tree = rp.HoeffdingTree(grace_period=100)
            rp.evaluate.prequential(tree, stream, progress=False)
            tree.save(tmp_path / "m.rip")
            trees.append((tmp_path / "m.rip").read_bytes())
    assert trees[0] == trees[1]


def test_a_frame_knows_its_length_and_an_iterable_does_not():
    frame = frames("pandas")
    assert from_frames(frame, target="y").n_rows == 3
    assert from_frames([frame], target="y").n_rows is None
    assert from_frames([frame], target="y", n_rows=3).n_rows == 3


def test_a_column_of_nothing_is_of_no_kind_yet():
    pandas = pytest.importorskip("pandas")
    parts = [pandas.DataFrame({"x": [1.0], "c": [None], "y": [0]})]
    parts.append(pandas.DataFrame({"x": [2.0], "c": ["u"], "y": [1]}))
    tree = rp.VFDT()
    for X, y in from_frames(parts, target="y").blocks():
        tree.partial_fit(X, y)
    assert [f.kind for f in inside.features(tree)] == ["numeric", "categorical"]


def test_what_is_wrong_with_a_frame_is_said():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [1.0, np.inf, 3.0], "y": ["a", "b", None]})
    with pytest.raises(ValueError, match="column 'x', row 2: inf cannot be learned"):
        whole(from_frames(frame, target="y"))
    stream = from_frames(frame, target="y", skip_bad_rows=True)
    X, y = whole(stream)
    assert (X["x"].tolist(), y.tolist(), stream.skipped) == ([1], ["a"], 2)
    with pytest.raises(ValueError, match="there is no column 'z' to be the target"):
        from_frames(frame, target="z")
    with pytest.raises(ValueError, match="row 4: the frame has no column 'y'"):
        whole(from_frames([frame, frame[["x"]]], target="y", skip_bad_rows=True))
    text = pandas.DataFrame({"x": ["u"], "y": ["a"]})
    with pytest.raises(ValueError, match="column 'x', row 2 or later: text in a column that was"):
        whole(from_frames([frame[:1], text], target="y"))
    with pytest.raises(TypeError, match="frames must be a frame or an iterable"):
        from_frames({"x": [1]}, target="y")
    with pytest.raises(TypeError, match="row 1: frames must be of pandas, polars or pyarrow"):
        whole(from_frames([3]))
