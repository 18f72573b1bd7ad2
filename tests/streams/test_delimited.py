"""CSV and TSV become blocks of columns and labels, in constant memory."""

import gzip
import io
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riparian.streams import open_stream
from riparian.streams.readers import delimited
from tests import inside
from tests.reading import JOBS, many, read

# What the values are


def test_numbers_are_floats_and_the_rest_is_text(write):
    X, y = read(write("jobs.csv", JOBS), target="happy")
    assert list(X) == ["age", "job"]
    np.testing.assert_array_equal(X["age"], [31.0, np.nan, 44.5])
    assert X["age"].dtype == np.float64
    assert X["job"].tolist() == ["nurse", "smith", None]
    assert y.tolist() == ["yes", "no", "yes"]


@pytest.mark.parametrize("mark", ["", "?", "NA", "NaN", "nan", "null", " ? "])
def test_a_missing_mark_is_nan_in_numbers_and_none_in_text(write, mark):
    X, _ = read(write("m.csv", f"a,b,y\n1,u,0\n{mark},{mark},1\n3,v,0\n"), target="y")
    np.testing.assert_array_equal(X["a"], [1.0, np.nan, 3.0])
    assert X["b"].tolist() == ["u", None, "v"]


def test_whole_numbers_are_integer_labels(write):
    _, y = read(write("y.csv", "x,y\n1,0\n2,12\n3,-3\n"), target="y")
    assert y.dtype == np.int64
    assert y.tolist() == [0, 12, -3]


@pytest.mark.parametrize("labels", [["007", "7"], ["1.0", "2"], ["+1", "2"], ["a", "1"]])
def test_labels_that_are_not_all_whole_numbers_are_kept_as_text(write, labels):
    _, y = read(write("y.csv", "x,y\n" + "".join(f"1,{k}\n" for k in labels)), target="y")
    assert y.tolist() == labels


def test_a_target_or_feature_named_categorical_is_text(write):
    path = write("c.csv", "zip,y\n01234,1\n98765,2\n")
    X, y = read(path, target="y", categorical=["zip", "y"])
    assert X["zip"].tolist() == ["01234", "98765"]
    assert y.tolist() == ["1", "2"]


def test_without_a_target_there_are_no_labels(write):
    X, y = read(write("jobs.csv", JOBS))
    assert list(X) == ["age", "job", "happy"]
    assert y is None


def test_dropped_columns_are_not_read(write):
    X, _ = read(write("jobs.csv", JOBS), target="happy", drop=["job"])
    assert list(X) == ["age"]


def test_kept_columns_are_read_alone_and_may_be_absent(write):
    X, _ = read(write("jobs.csv", JOBS), keep=["age", "salary"], categorical=["salary"])
    assert list(X) == ["age"]


def test_extreme_numbers_are_read_exactly(write):
    texts = ["1e308", "-1e-320", "0.1", "123456789012345678", "1E5", "-0.30000000000000004"]
    X, _ = read(write("n.csv", "x,y\n" + "".join(f"{t},1\n" for t in texts)), target="y")
    assert X["x"].tolist() == [float(text) for text in texts]


def test_underscores_do_not_make_a_number(write):
    X, _ = read(write("u.csv", "x,y\n1_000,1\n2,0\n"), target="y")
    assert X["x"].tolist() == ["1_000", "2"]


# How the text may be written


def test_quoted_fields_may_hold_delimiters_quotes_and_lines(write):
    text = 'name,x,y\n"a, b",1,0\n"say ""hi""",2,1\n"two\nlines",3,0\nplain,4,1\n'
    X, y = read(write("q.csv", text), target="y")
    assert X["name"].tolist() == ["a, b", 'say "hi"', "two\nlines", "plain"]
    assert X["x"].tolist() == [1, 2, 3, 4]
    assert y.tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_rows_that_span_lines_are_not_cut_by_blocks(write, size):
    rows = "".join(f'"line one\nline two {i}",{i}\n' for i in range(7))
    X, y = read(write("q.csv", "note,y\n" + rows), size, target="y", categorical=["note"])
    assert X["note"].tolist() == [f"line one\nline two {i}" for i in range(7)]
    assert y.tolist() == list(range(7))


def test_spaces_after_the_delimiter_do_not_count(write):
    X, y = read(write("s.csv", "a, b, y\n1, u, k\n 2, v, m\n"), target="y")
    assert X["a"].tolist() == [1, 2]
    assert X["b"].tolist() == ["u", "v"]
    assert y.tolist() == ["k", "m"]


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
def test_line_ends_of_all_systems_and_none_at_the_end(write, end):
    text = JOBS.rstrip("\n").replace("\n", end or "\n") + end
    X, y = read(write("e.csv", text), target="happy")
    assert X["job"].tolist() == ["nurse", "smith", None]
    assert y.tolist() == ["yes", "no", "yes"]


def test_a_byte_order_mark_is_no_part_of_the_first_name(write):
    X, _ = read(write("bom.csv", b"\xef\xbb\xbf" + JOBS.encode()), target="happy")
    assert list(X) == ["age", "job"]


def test_blank_lines_are_no_rows(write):
    X, _ = read(write("b.csv", "x,y\n1,a\n\n2,b\n\n\n"), target="y")
    assert X["x"].tolist() == [1, 2]


def test_tabs_and_other_delimiters(write):
    want = ["nurse", "smith", None]
    X, _ = read(write("jobs.tsv", JOBS.replace(",", "\t")), target="happy")
    assert X["job"].tolist() == want
    X, _ = read(write("jobs.csv", JOBS.replace(",", ";")), target="happy", delimiter=";")
    assert X["job"].tolist() == want


def test_other_encodings_can_be_named(write):
    text = "stadt,y\nKöln,1\nZürich,0\n"
    for encoding in ("latin-1", "cp1252", "shift_jis", "gb18030"):
        content = text if encoding != "shift_jis" else text.replace("ö", "表").replace("ü", "表")
        path = write("k.csv", content.encode(encoding))
        X, _ = read(path, target="y", encoding=encoding)
        assert X["stadt"].tolist()[0] == content.split("\n")[1].split(",")[0]


def test_a_name_that_is_empty_is_the_columns_place(write):
    X, _ = read(write("i.csv", ",x,y\n0,1.5,a\n1,2.5,b\n"), target="y")
    assert list(X) == ["column 1", "x"]


@pytest.mark.parametrize("name", ["jobs.csv.gz", "packed.csv"])
def test_gzip_is_noticed_by_its_bytes(write, name):
    X, _ = read(write(name, gzip.compress(JOBS.encode())), target="happy")
    assert X["job"].tolist() == ["nurse", "smith", None]


def test_a_dash_is_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(JOBS.encode())))
    X, y = read("-", target="happy")
    assert X["job"].tolist() == ["nurse", "smith", None]
    assert y.tolist() == ["yes", "no", "yes"]


# Blocks


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_the_size_of_the_blocks_changes_nothing(write, size):
    path = write("m.csv", many(2500))
    (X, y), (X_whole, y_whole) = read(path, size, target="y"), read(path, 10**6, target="y")
    assert list(X) == list(X_whole)
    for name in X:
        np.testing.assert_array_equal(X[name], X_whole[name])
    np.testing.assert_array_equal(y, y_whole)


def test_blocks_have_the_size_that_was_asked_for(write):
    with open_stream(write("m.csv", many(2500)), target="y") as stream:
        assert [len(y) for _, y in stream.blocks(1000)] == [1000, 1000, 500]
        assert stream.row == 2500


def test_the_kinds_are_those_of_the_first_rows_whatever_the_blocks(write, monkeypatch):
    monkeypatch.setattr(delimited, "SAMPLE_ROWS", 5)
    path = write("k.csv", "x,y\n" + "1,a\n" * 4 + "two,a\n" + "3,b\n")
    for size in (1, 2, 100):
        X, _ = read(path, size, target="y")
        assert X["x"].tolist() == ["1"] * 4 + ["two", "3"]


cells = st.sampled_from(["", "?", "1", "-2.5", "1e3", "0.1234567890123456789", " 7", "007", "12."])
texts = st.text(
    st.characters(codec="utf-8", exclude_characters='",\r\n', exclude_categories=["Cs", "Cc"]),
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(cells, texts, texts.filter(lambda t: t.strip())), min_size=1))
def test_the_fast_way_and_the_careful_way_agree(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("agree") / "t.csv"
    path.write_text("a,b,y\n" + "".join(",".join(row) + "\n" for row in rows), "utf-8", newline="")
    options = {"target": "y", "categorical": ["b", "y"], "numeric": ["a"]}
    with open_stream(path, **options) as stream:
        inside.read_only_carefully(stream)
        careful = caught(stream)
    with open_stream(path, **options) as stream:
        fast = caught(stream)
    assert fast == careful


def caught(stream):
    try:
        return [(repr(X["a"].tolist()), X["b"].tolist(), y.tolist()) for X, y in stream.blocks(3)]
    except ValueError as error:
        return str(error)


def test_plain_numbers_are_read_the_fast_way(write):
    path = write("p.csv", many(500))
    with open_stream(path, target="y") as stream:
        inside.read_only_fast(stream)
        assert sum(len(y) for _, y in stream.blocks(100)) == 500


def test_memory_does_not_grow_with_the_file(write):
    def peak(n):
        path = write(f"{n}.csv", "x,id,y\n" + "".join(f"{i},name{i},{i % 2}\n" for i in range(n)))
        tracemalloc.start()
        with open_stream(path, target="y") as stream:
            for _ in stream.blocks(1000):
                pass
        used = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return used

    # Both files are read in several pieces.
    small = peak(150_000)
    assert peak(600_000) < 1.5 * small


def test_progress_is_told_in_bytes(write):
    path = write("m.csv", many(5000))
    with open_stream(path, target="y") as stream:
        assert stream.n_bytes == path.stat().st_size
        list(stream.blocks(100))
        assert stream.bytes_read == stream.n_bytes
