"""Files of very many columns, and fields of very many characters."""

from __future__ import annotations

import csv
import time

import numpy as np
import pytest

import riparian as rp
from riparian.data.uncertain import Uncertain
from riparian.streams import open_stream
from riparian.streams.readers.columns import repeated

#: Eight times as many columns take eight times as long, and what is quadratic 64 times.
MORE, MOST = 8, 24


def write_csv(path, width, rows=2):
    with open(path, "w") as file:
        file.write(",".join(f"c{i}" for i in range(width)) + ",y\n")
        for row in range(rows):
            file.write(",".join(f"{i % 7}.5" for i in range(width)) + f",{row % 2}\n")
    return path


def seconds(work, *args):
    """The least of three times, of the processor."""
    found = []
    for _ in range(3):
        before = time.process_time()
        work(*args)
        found.append(time.process_time() - before)
    return min(found)


def read_all(path, **options):
    with open_stream(path, **options) as stream:
        return list(stream.blocks())


def check_proportion(work, n):
    work(n)
    for _ in range(3):  # another process may slow one of them down
        few, many = seconds(work, n), seconds(work, MORE * n)
        if many < MOST * few:
            return
    assert many < MOST * few, f"{few:.3f} s for {n:,} columns, {many:.3f} s for {MORE * n:,}"


# -- columns ----------------------------------------------------------------------------------


def test_the_header_of_a_csv_file_is_read_in_proportion_to_its_width(tmp_path, effort):
    n = 5_000 * effort
    files = {k: write_csv(tmp_path / f"{k}.csv", k) for k in (n, MORE * n)}
    check_proportion(lambda k: open_stream(files[k], target="y").close(), n)
    check_proportion(lambda k: read_all(files[k], target="y"), n)
    ((X, y),) = read_all(files[n], target="y")
    assert len(X) == n
    assert X["c13"].tolist() == [6.5, 6.5]
    assert y.tolist() == [0, 1]


def test_ten_thousand_columns_are_read_and_learned(tmp_path):
    ((X, y),) = read_all(write_csv(tmp_path / "wide.csv", 10_000), target="y")
    assert rp.VFDT().partial_fit(X, y).n_features_in_ == 10_000


def test_the_numbers_of_wide_and_narrow_blocks_are_the_same(tmp_path):
    path = tmp_path / "mixed.csv"
    rng = np.random.default_rng(0)
    names = [f"c{i}" for i in range(300)]
    values = rng.normal(size=(61, 300)).round(3).astype(object)
    values[:, ::7] = "word"
    values[5, ::5] = ""
    lines = [",".join(names), *(",".join(map(str, row)) for row in values)]
    path.write_text("\n".join(lines) + "\n")
    ((whole, _),) = read_all(path)
    with open_stream(path) as stream:
        blocks = [X for X, _ in stream.blocks(3)]
    assert list(whole) == list(blocks[0]) == names
    for name in names:
        np.testing.assert_array_equal(np.concatenate([X[name] for X in blocks]), whole[name])
        if whole[name].dtype == np.float64:
            want = [float(v) if v != "" else np.nan for v in values[:, names.index(name)]]
            np.testing.assert_array_equal(whole[name], want)


@pytest.mark.parametrize(("names", "found"), [("abca", (0, 3)), ("abb", (1, 2)), ("abc", None)])
def test_the_first_name_that_comes_again_is_named(names, found, tmp_path):
    assert repeated(names) == found
    path = tmp_path / "twice.csv"
    path.write_text(",".join(names) + "\n" + ",".join("1" * len(names)) + "\n")
    if found is None:
        read_all(path)
        return
    first, second = found
    message = f"column '{names[second]}' appears twice: columns {first + 1} and {second + 1}"
    with pytest.raises(ValueError, match=message):
        read_all(path)


def test_the_attributes_of_an_arff_file_are_read_in_proportion(tmp_path):
    def file(n):
        path = tmp_path / f"{n}.arff"
        if not path.exists():
            heads = "".join(f"@attribute c{i} numeric\n" for i in range(n))
            path.write_text(f"{heads}@attribute class {{a,b}}\n@data\n{'1,' * n}a\n")
        return path

    check_proportion(lambda n: open_stream(file(n)).close(), 2_000)


def test_the_columns_of_an_arrow_file_are_read_in_proportion(tmp_path):
    pa = pytest.importorskip("pyarrow")

    def file(n):
        path = tmp_path / f"{n}.arrow"
        if not path.exists():
            table = pa.table({f"c{i}": [1.0, 2.0] for i in range(n)})
            with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as out:
                out.write_table(table)
        return path

    check_proportion(lambda n: open_stream(file(n)).close(), 1_000)
    schema = pa.schema([("a", pa.float64()), ("b", pa.float64()), ("a", pa.float64())])
    path = tmp_path / "twice.arrow"
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema):
        pass
    with pytest.raises(ValueError, match="column 'a' appears twice"):
        open_stream(path)


def test_new_features_of_a_libsvm_file_are_read_in_proportion(tmp_path, monkeypatch):
    monkeypatch.setattr("riparian.streams.readers.libsvm.SAMPLE_ROWS", 5)

    def file(n):
        path = tmp_path / f"{n}.svm"
        if not path.exists():
            # The first rows are narrow, so that all features are new in a later block.
            late = " ".join(f"{i}:1.5" for i in range(2, n + 1))
            path.write_text("1 1:2\n" * 6 + f"0 {late}\n")
        return path

    def work(n):
        with open_stream(file(n)) as stream:
            return [X for X, _ in stream.blocks()]

    check_proportion(work, 3_000)
    (X,) = work(3_000)
    # Not known before the row that first has it, or a larger one; 0 from then on.
    assert X["f1"].tolist() == [2.0] * 6 + [0.0]
    assert np.isnan(X["f5"][:6]).all()
    assert X["f5"][6] == 1.5


def test_declared_features_are_found_in_proportion():
    def work(n):
        X = {f"c{i}": np.zeros(2) for i in range(n)}
        rp.VFDT(categorical_features=list(X)).partial_fit(X, [0, 1])

    check_proportion(work, 1_000)


def test_uncertain_features_are_joined_in_proportion(tmp_path):
    def file(n):
        path = tmp_path / f"{n}.csv"
        if not path.exists():
            names = ",".join(f"c{i}.lo,c{i}.hi" for i in range(n))
            path.write_text(f"{names},y\n{'1,2,' * n}a\n")
        return path

    def work(n):
        return read_all(file(n), target="y", uncertain=[f"c{i}" for i in range(n)])

    check_proportion(work, 300)
    ((X, _),) = work(300)
    assert list(X) == [f"c{i}" for i in range(300)]
    assert X["c7"][0] == Uncertain.interval(1.0, 2.0)


# -- fields -----------------------------------------------------------------------------------


@pytest.fixture
def limit():
    """A small limit of the characters in a field."""
    before = csv.field_size_limit(50)
    yield 50
    csv.field_size_limit(before)


LONG = "x" * 51
TOO_LONG = "a field is longer than 50 characters, which is the most; leave the column"
OPEN = "a field is longer than 50 characters.*probably a quotation mark is opened"


@pytest.mark.parametrize(
    ("rows", "row", "problem"),
    [
        (["1,b", f"2,{LONG}"], 2, TOO_LONG),
        (['1,"b"', f"2,{LONG}", "3,c"], 2, TOO_LONG),
        (['1,"a\nb"', '2,"c"', f"3,{LONG}"], 3, TOO_LONG),
        (["1,b", f'2,"{LONG}"'], 2, TOO_LONG),
        (['1,"b"', f'"2",{LONG}'], 2, TOO_LONG),
        (["1,b", f'2,"{LONG}', "3,c"], 2, OPEN),
        (["1,b", '2,"c', *(f"{i},abcdefgh" for i in range(40))], 2, OPEN),
        (["1,b", '2,"c'], 2, "a quotation mark is opened and never closed"),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 10_000])
def test_a_field_that_is_too_long_is_called_so(tmp_path, limit, rows, row, problem, size):
    path = tmp_path / "long.csv"
    path.write_text("\n".join(["number,text", *rows]) + "\n")
    with open_stream(path) as stream, pytest.raises(ValueError, match=f"^row {row}: {problem}"):
        list(stream.blocks(size))


def test_rows_with_fields_that_are_too_long_can_be_skipped(tmp_path, limit):
    path = tmp_path / "long.csv"
    path.write_text(f'number,text\n1,a\n2,{LONG}\n3,"c"\n')
    for size in (1, 2, 10_000):
        with open_stream(path, skip_bad_rows=True) as stream:
            found = [value for X, _ in stream.blocks(size) for value in X["number"].tolist()]
            assert found == [1.0, 3.0]
            assert stream.skipped == 1
            assert stream.first_fault.startswith("row 2: a field is longer than 50 characters")


def test_a_long_name_is_called_so(tmp_path, limit):
    path = tmp_path / "long.csv"
    path.write_text(f"number,{LONG}\n1,2\n")
    with pytest.raises(ValueError, match=f"^the first line: {TOO_LONG}"):
        open_stream(path)


def test_fields_as_long_as_the_limit_are_read(tmp_path, limit):
    path = tmp_path / "long.csv"
    text = "x" * limit
    for written in (text, f'"{text}"'):
        path.write_text(f"number,text\n1,{written}\n")
        ((X, _),) = read_all(path)
        assert X["text"].tolist() == [text]
