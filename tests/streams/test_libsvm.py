"""LIBSVM's sparse text becomes dense blocks, whose features may grow."""

import gzip

import numpy as np
import pytest

import riparian as rp
from riparian.streams import DamagedFileError
from riparian.streams.readers.formats import open_stream
from tests.reading import read, refused, whole

ROWS = "+1 1:0.5 3:-2\n-1 2:1e-3 # a comment\n\n# another\n1.0\n-1 1:nan 3:7\n"


def test_what_a_row_leaves_out_is_zero(write):
    X, y = read(write("d.libsvm", ROWS))
    assert list(X) == ["f1", "f2", "f3"]
    np.testing.assert_array_equal(X["f1"], [0.5, 0, 0, np.nan])
    np.testing.assert_array_equal(X["f2"], [0, 0.001, 0, 0])
    np.testing.assert_array_equal(X["f3"], [-2, 0, 0, 7])
    assert y.tolist() == [1, -1, 1, -1]


def test_the_quick_way_and_the_careful_way_agree(write):
    rng = np.random.default_rng(0)
    lines = []
    for _ in range(300):
        found = np.flatnonzero(rng.random(20) < 0.2) + 1
        pairs = " ".join(f"{i}:{rng.normal():.5g}" for i in found)
        lines.append(f"{rng.integers(2)} {pairs}" if pairs else f"{rng.integers(2)} 1:0")
    X, y = read(write("q.svm", "\n".join(lines) + "\n"))
    other, other_y = read(write("c.svm", "\n".join(lines) + "\n# careful\n"), 7)
    for name in X:
        np.testing.assert_array_equal(X[name], other[name])
    np.testing.assert_array_equal(y, other_y)


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_a_new_index_is_a_new_feature_whatever_the_blocks(write, monkeypatch, size):
    monkeypatch.setattr("riparian.streams.readers.libsvm.SAMPLE_ROWS", 2)
    path = write("g.libsvm", "0 1:1\n1 2:1\n0 1:2\n1 4:4\n0 1:1 3:3\n")
    with open_stream(path) as stream:
        rows = [{k: X[k][i] for k in X} for X, y in stream.blocks(size) for i in range(len(y))]
        assert stream.names == ["f1", "f2", "f3", "f4"]
    got = np.array([[row.get(f"f{i}", np.nan) for i in range(1, 5)] for row in rows])
    n = np.nan
    want = [[1, 0, n, n], [0, 1, n, n], [2, 0, n, n], [0, 0, 0, 4], [1, 0, 3, 0]]
    np.testing.assert_array_equal(got, want)


def test_the_model_does_not_depend_on_the_blocks(write, tmp_path, monkeypatch):
    monkeypatch.setattr("riparian.streams.readers.libsvm.SAMPLE_ROWS", 50)
    rng = np.random.default_rng(1)
    lines = []
    for i in range(3000):
        x = rng.normal(size=3)
        new = f" {4 + i // 1000}:{rng.normal():.4f}" if i >= 1000 else ""
        lines.append(f"{int(x[1] > 0)} 1:{x[0]:.4f} 2:{x[1]:.4f} 3:{x[2]:.4f}{new}\n")
    path = write("m.libsvm", "".join(lines))
    files = []
    for size in (1, 77, 5000):
        tree = rp.HoeffdingTree(grace_period=50)
        with open_stream(path) as stream:
            for X, y in stream.blocks(size):
                tree.partial_fit(X, y)
        tree.save(tmp_path / f"{size}.rip")
        files.append((tmp_path / f"{size}.rip").read_bytes())
    assert files[0] == files[1] == files[2]
    assert tree.n_leaves_ > 1


def test_wide_blocks_are_cut_to_bounded_memory(write, monkeypatch):
    monkeypatch.setattr("riparian.streams.readers.libsvm._MOST_CELLS", 1000)
    path = write("w.libsvm", "".join(f"{i % 2} 100:{i}\n" for i in range(35)))
    with open_stream(path) as stream:
        assert [len(y) for _, y in stream.blocks(10_000)] == [10, 10, 10, 5]


def test_columns_asked_for_by_name_are_zero_where_no_row_has_them(write):
    X, y = read(write("k.libsvm", "0 1:1 3:3\n"), keep=["f1", "f5"], target=False)
    assert {name: column.tolist() for name, column in X.items()} == {"f1": [1], "f5": [0]}
    assert y is None


def test_indexes_can_be_categories(write):
    X, _ = read(write("c.libsvm", "0 1:1\n1 1:2.5\n1\n"), categorical=["f1"])
    assert X["f1"].tolist() == ["1", "2.5", "0"]


def test_packed(write):
    _, y = read(write("d.libsvm.gz", gzip.compress(ROWS.encode())))
    assert len(y) == 4


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("yes 1:1", "row 2: the label must be a number, got 'yes'"),
        ("1 0:1", "row 2: the index must be from 1 to 1,000,000, got '0:1'"),
        ("1 1000001:1", "row 2: the index must be from 1 to 1,000,000"),
        ("1 2:1 1:1", "row 2: indexes must rise, but 1 follows 2"),
        ("1 2:1 2:1", "row 2: indexes must rise, but 2 follows 2"),
        ("1 qid:3 1:2", "row 2: 'qid:3' is not index:value"),
        ("1 1:", "row 2: '1:' is not index:value"),
        ("1 1:x", "row 2: '1:x' is not index:value"),
        ("1 1 2", "row 2: '1' is not index:value"),
        ("1 1:1_0", "row 2: '1:1_0' is not index:value"),
        ("1 1:inf", "row 2: '1:inf': inf cannot be learned"),
        ("nan 1:1", "row 2: the label must be a number, got 'nan'"),
        (b"1 1:\xff", "row 2: the byte 0xff is not utf-8 text"),
    ],
)
def test_a_bad_row_is_named_or_skipped(write, row, said):
    row = row if isinstance(row, bytes) else row.encode()
    path = write("b.libsvm", b"0 1:1\n" + row + b"\n1 1:2\n")
    assert refused(path).startswith(said)
    with open_stream(path, skip_bad_rows=True) as stream:
        X, y = whole(stream, 2)
        assert (X["f1"].tolist(), y.tolist()) == ([1, 2], [0, 1])
        assert stream.skipped == 1
        assert stream.first_fault.startswith(said)


def test_another_target_and_an_empty_file_are_refused(write):
    assert "is the first field" in refused(write("d.libsvm", ROWS), target="y")
    assert "is empty" in refused(write("e.libsvm", "# nothing\n"))


def test_a_file_without_rows_is_refused_as_such(tmp_path):
    empty = tmp_path / "empty.libsvm"
    empty.write_bytes(b"")
    with pytest.raises(ValueError, match="is empty"):
        open_stream(empty)


def test_a_packed_file_that_breaks_off_before_its_first_row_is_told(tmp_path):
    broken = tmp_path / "broken.libsvm.gz"
    broken.write_bytes(gzip.compress(b"+1 1:0.5\n-1 2:1\n", mtime=0)[:12])
    with pytest.raises(DamagedFileError, match="row 1: the compressed file is damaged"):
        open_stream(broken)


@pytest.mark.parametrize("pair", ["2: 3", "2 :3", "2:\t3", "2:\r3", "+2:3", "-2:3"])
def test_what_the_careful_way_refuses_the_quick_way_does_not_read(write, pair):
    quick = refused(write("q.libsvm", f"1 1:1\n0 {pair}\n"))
    careful = refused(write("c.libsvm", f"1 1:1 # makes it careful\n0 {pair}\n"))
    assert quick.partition("row 2")[1:] == careful.partition("row 2")[1:]
    assert "is not index:value" in quick
