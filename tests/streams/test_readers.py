"""Files become blocks of columns and labels: the right ones, or an error that names the place."""

import gzip
import io
import json
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from riparian.streams import columns, delimited
from riparian.streams.readers import open_stream

JOBS = "age,job,happy\n31,nurse,yes\n?,smith,no\n44.5,,yes\n"


@pytest.fixture
def write(tmp_path):
    def written(name, content):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return written


def read(path, size=10_000, **options):
    """All rows of a file as one block."""
    with open_stream(path, **options) as stream:
        blocks = list(stream.blocks(size))
    names = list(dict.fromkeys(name for X, _ in blocks for name in X))
    X = {name: np.concatenate([X[name] for X, _ in blocks]) for name in names}
    ys = [y for _, y in blocks if y is not None]
    return X, np.concatenate(ys) if ys else None


def refused(path, **options):
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        read(path, **options)
    return str(caught.value)


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


def many(n, seed=0):
    rng = np.random.default_rng(seed)
    lines = ["a,b,c,y"]
    for i in range(n):
        number = ["", "?", f"{rng.normal():.3f}", repr(rng.normal()), "1e-3"][rng.integers(5)]
        lines.append(f"{number},{rng.integers(1000)},{'uvw'[rng.integers(3)]},{i % 3}")
    return "\n".join(lines) + "\n"


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
        stream._plain_block = lambda lines: None
        careful = caught(stream)
    with open_stream(path, **options) as stream:
        fast = caught(stream)
    assert fast == careful


def caught(stream):
    try:
        return [(repr(X["a"].tolist()), X["b"].tolist(), y.tolist()) for X, y in stream.blocks(3)]
    except ValueError as error:
        return str(error)


def test_plain_numbers_are_read_the_fast_way(write, monkeypatch):
    path = write("p.csv", many(500))
    with open_stream(path, target="y") as stream:
        monkeypatch.setattr(stream, "_careful_block", None)
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

    small = peak(30_000)
    # A column of ids is cached up to a limit, which both files reach.
    monkey = delimited._MOST_TEXTS
    assert monkey <= 50_000
    assert peak(120_000) < 3 * small


def test_progress_is_told_in_bytes(write):
    path = write("m.csv", many(5000))
    with open_stream(path, target="y") as stream:
        assert stream.n_bytes == path.stat().st_size
        list(stream.blocks(100))
        assert stream.bytes_read == stream.n_bytes


# What is refused, and how


def test_a_text_in_a_numeric_column_names_column_row_and_way_out(write, monkeypatch):
    monkeypatch.setattr(delimited, "SAMPLE_ROWS", 2)
    message = refused(write("t.csv", "age,y\n1,a\n2,b\n3,a\nold,b\n"), target="y")
    assert message.startswith("column 'age', row 4: 'old' is not a number")
    assert "--categorical age" in message


def test_infinity_names_column_and_row(write):
    message = refused(write("i.csv", "age,y\n1,a\n-inf,b\n"), target="y")
    assert message.startswith("column 'age', row 2: -inf cannot be learned")


def test_a_number_too_large_for_a_double_is_infinite(write):
    assert "column 'x', row 1" in refused(write("i.csv", "x,y\n1e999,b\n"), target="y")


@pytest.mark.parametrize(("row", "fields"), [("1", "1 field"), ("1,2,3,4", "4 fields")])
def test_a_ragged_row_is_named(write, row, fields):
    message = refused(write("r.csv", f"a,b,y\n1,2,3\n{row}\n4,5,6\n"), target="y")
    assert message == f"row 2: {fields}, but the header has 3 fields"


def test_ragged_rows_that_make_up_for_each_other_are_noticed(write):
    message = refused(write("r.csv", "a,b,y\n1,2,3\n1,2\n1,2,3,4\n"), target="y")
    assert message.startswith("row 2: 2 fields")


def test_row_numbers_go_on_over_blocks(write):
    text = "a,y\n" + "1,0\n" * 57 + "1,2,3\n"
    assert refused(write("r.csv", text), size=10, target="y").startswith("row 58:")


def test_a_missing_target_column_lists_the_columns_and_the_nearest(write):
    message = refused(write("jobs.csv", JOBS), target="hapy")
    assert message == (
        "there is no column 'hapy' to be the target; the columns are 'age', 'job', 'happy'; "
        "did you mean 'happy'?"
    )


def test_a_file_without_a_header_is_guessed(write):
    message = refused(write("n.csv", "1,2,3\n4,5,6\n"), target="y")
    assert "a header is needed" in message


@pytest.mark.parametrize("option", ["categorical", "drop"])
def test_a_name_that_is_no_column_is_refused(write, option):
    message = refused(write("jobs.csv", JOBS), target="happy", **{option: ["jobb"]})
    assert message.startswith(f"{option} names 'jobb', which is no column")
    assert "did you mean 'job'?" in message


def test_a_list_of_names_may_not_be_one_text(write):
    with pytest.raises(TypeError, match="lists of names"):
        open_stream(write("jobs.csv", JOBS), target="happy", drop="job")


def test_a_file_with_only_a_target_has_nothing_to_learn_from(write):
    assert "no column is left" in refused(write("o.csv", "y\n1\n"), target="y")


@pytest.mark.parametrize("name", ["e.csv", "e.tsv", "e.jsonl"])
@pytest.mark.parametrize("content", ["", "\n\n"])
def test_an_empty_file_is_refused(write, name, content):
    assert "is empty" in refused(write(name, content), target="y")


def test_a_header_alone_has_no_blocks(write):
    with open_stream(write("h.csv", "x,y\n"), target="y") as stream:
        assert list(stream.blocks()) == []


def test_a_column_that_is_there_twice_is_refused(write):
    message = refused(write("d.csv", "a,b,a,y\n1,2,3,4\n"), target="y")
    assert message == "column 'a' is there twice: columns 1 and 3"


def test_the_wrong_delimiter_is_guessed(write):
    message = refused(write("s.csv", JOBS.replace(",", ";")), target="happy")
    assert "--delimiter ';'" in message


def test_the_wrong_encoding_names_row_and_byte(write):
    path = write("l.csv", "stadt,y\nBonn,1\nKöln,0\n".encode("latin-1"))
    message = refused(path, target="y")
    assert message.startswith("row 2: the byte 0xf6 is not utf-8 text")
    assert "--encoding" in message


def test_utf_16_is_refused_at_the_first_line(write):
    assert "the first line: the byte 0xff" in refused(write("u.csv", JOBS.encode("utf-16")))


def test_an_encoding_without_ascii_is_refused(write):
    path = write("jobs.csv", JOBS)
    for encoding in ("utf-16", "nonsense"):
        assert "encoding must be" in refused(path, encoding=encoding)


def test_a_quote_that_is_never_closed_is_named(write):
    text = "a,y\n1,0\n" + '"2,1\n' + "3,0\n" * 50
    message = refused(write("q.csv", text), target="y")
    assert message == "row 2: a quotation mark is opened and never closed"


def test_a_truncated_gzip_file_names_the_row(write):
    packed = gzip.compress(many(20_000).encode())
    message = refused(write("t.csv.gz", packed[: len(packed) // 2]), target="y")
    row = int(message.split(":")[0].removeprefix("row "))
    assert 1000 < row < 20_000
    assert "ends too early" in message


def test_a_damaged_gzip_file_is_refused(write):
    packed = gzip.compress(many(20_000).encode())
    wrong_sum = packed[:-8] + bytes(8)
    assert "damaged" in refused(write("t.csv.gz", wrong_sum), target="y")
    assert "damaged" in refused(write("t.csv.gz", packed[:15]), target="y")
    # In the middle it may unpack to nonsense, which is refused as such.
    middle = len(packed) // 2
    flipped = packed[:middle] + bytes([packed[middle] ^ 0xFF]) + packed[middle + 1 :]
    assert "row " in refused(write("t.csv.gz", flipped), target="y")


@pytest.mark.parametrize("text", ["", "?", "NA"])
def test_a_missing_label_names_the_row(write, text):
    message = refused(write("y.csv", f"x,y\n1,a\n2,{text}\n"), target="y")
    assert message.startswith("column 'y', row 2: the target is missing")


def test_a_label_of_another_kind_names_the_row(write, monkeypatch):
    monkeypatch.setattr(delimited, "SAMPLE_ROWS", 2)
    message = refused(write("y.csv", "x,y\n1,0\n2,1\n3,yes\n"), target="y")
    assert message.startswith("column 'y', row 3: 'yes' is not a whole number")
    assert "--categorical y" in message


def test_a_quantity_is_no_target(write):
    rows = "".join(f"{i},{i * 1.5}\n" for i in range(200))
    path = write("q.csv", "x,price\n" + rows)
    assert "looks like a quantity" in refused(path, target="price")
    _, y = read(path, target="price", categorical=["price"])
    assert y[1] == "1.5"


def test_a_carriage_return_inside_a_row_is_refused(write):
    assert "carriage return" in refused(write("c.csv", "x,y\n1\r2,a\n"), target="y")


def test_a_first_line_without_end_is_refused(write, monkeypatch):
    monkeypatch.setattr("riparian.streams.source._LONGEST_FIRST_LINE", 1000)
    assert "does not end within" in refused(write("l.csv", "x" * 5000), target="y")


def test_an_unknown_format_lists_the_formats(write):
    path = write("adult.data", JOBS)
    assert "--format csv|tsv|jsonl|parquet|arrow" in refused(path)
    assert "did you mean 'csv'?" in refused(path, format="cvs")
    X, _ = read(path, format="csv")
    assert len(X) == 3


def test_a_file_that_is_not_there_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        open_stream(tmp_path / "no.csv", target="y")


def test_a_block_has_at_least_one_row(write):
    with (
        open_stream(write("jobs.csv", JOBS)) as stream,
        pytest.raises(ValueError, match="size must be at least 1"),
    ):
        list(stream.blocks(0))


# JSON lines


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_json_says_itself_what_its_values_are(write):
    path = write(
        "j.jsonl",
        lines(
            {"age": 31, "job": "nurse", "code": "12", "old": False, "y": "yes"},
            {"age": None, "job": None, "code": "7", "old": True, "y": "no"},
            {"age": 2.5, "y": "no"},
        ),
    )
    X, y = read(path, target="y")
    np.testing.assert_array_equal(X["age"], [31, np.nan, 2.5])
    assert X["job"].tolist() == ["nurse", None, None]
    assert X["code"].tolist() == ["12", "7", None]
    assert X["old"].tolist() == ["false", "true", None]
    assert y.tolist() == ["yes", "no", "no"]


def test_json_labels_are_integers_or_text(write):
    _, y = read(write("j.jsonl", lines({"x": 1, "y": 0}, {"x": 1, "y": 1})), target="y")
    assert y.tolist() == [0, 1]
    assert y.dtype == np.int64
    _, y = read(write("j.jsonl", lines({"x": 1, "y": "0"}, {"x": 1, "y": "1"})), target="y")
    assert y.tolist() == ["0", "1"]


def test_a_key_that_appears_later_is_a_new_feature(write, monkeypatch):
    monkeypatch.setattr("riparian.streams.jsonlines.SAMPLE_ROWS", 1)
    path = write("j.jsonl", lines({"a": 1, "y": 0}, {"a": 2, "y": 1}, {"b": 5, "y": 1}))
    with open_stream(path, target="y") as stream:
        names = [list(X) for X, _ in stream.blocks(1)]
        assert names == [["a"], ["a"], ["a", "b"]]
        assert stream.names == ["a", "b"]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ('{"x": 1, "y": }', "row 2: this is not JSON"),
        ("[1, 2]", "row 2: a row must be an object"),
        ('{"x": "one", "y": 1}', "column 'x', row 2: 'one' is not a number"),
        ('{"x": Infinity, "y": 1}', "column 'x', row 2: inf cannot be learned"),
        ('{"x": 1' + "0" * 400 + ', "y": 1}', "column 'x', row 2: inf cannot be learned"),
        ('{"x": [1], "y": 1}', "column 'x', row 2: a list cannot be learned"),
        ('{"x": 1, "y": {}}', "column 'y', row 2: an object cannot be learned"),
        ('{"x": 1}', "row 2: the target 'y' is not there"),
        ('{"x": 1, "y": null}', "column 'y', row 2: the target is missing"),
        ("[" * 100_000, "row 2:"),
        (b'{"x": "\xff", "y": 1}', "row 2: the byte 0xff is not utf-8 text"),
    ],
)
def test_a_bad_json_row_is_named(write, monkeypatch, bad, said):
    monkeypatch.setattr("riparian.streams.jsonlines.SAMPLE_ROWS", 1)
    bad = bad.encode() if isinstance(bad, str) else bad
    path = write("j.jsonl", b'{"x": 1, "y": 0}\n' + bad + b"\n")
    assert refused(path, target="y").startswith(said)


def test_json_lines_may_be_packed(write):
    X, _ = read(write("j.ndjson.gz", gzip.compress(lines({"x": 1, "y": 0}).encode())), target="y")
    assert X["x"].tolist() == [1]


# Parquet and Arrow


@pytest.fixture
def table():
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.table(
        {
            "age": pyarrow.array([31, None, 44], pyarrow.int32()),
            "share": pyarrow.array([0.5, float("nan"), None], pyarrow.float32()),
            "job": pyarrow.array(["nurse", None, "smith"]),
            "rank": pyarrow.array(["a", "b", "a"]).dictionary_encode(),
            "old": pyarrow.array([True, None, False]),
            "y": pyarrow.array([1, 0, 1]),
        }
    )


def save(table, path, form):
    import pyarrow
    import pyarrow.parquet

    if form == "parquet":
        pyarrow.parquet.write_table(table, path)
        return
    opened = {"arrow": pyarrow.ipc.new_file, "arrows": pyarrow.ipc.new_stream}[form]
    with opened(path, table.schema) as writer:
        writer.write_table(table)


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrows"])
@pytest.mark.parametrize("size", [1, 2, 100])
def test_arrow_types_say_what_the_columns_are(tmp_path, table, form, size):
    path = tmp_path / f"t.{form}"
    save(table, path, form)
    X, y = read(path, size, target="y")
    np.testing.assert_array_equal(X["age"], [31, np.nan, 44])
    np.testing.assert_array_equal(X["share"], [0.5, np.nan, np.nan])
    assert X["job"].tolist() == ["nurse", None, "smith"]
    assert X["rank"].tolist() == ["a", "b", "a"]
    assert X["old"].tolist() == ["true", None, "false"]
    assert y.tolist() == [1, 0, 1]
    assert y.dtype == np.int64


def test_parquet_knows_its_length(tmp_path, table):
    save(table, tmp_path / "t.parquet", "parquet")
    with open_stream(tmp_path / "t.parquet", target="y") as stream:
        assert stream.n_rows == 3


def test_a_numeric_arrow_column_can_be_categorical(tmp_path, table):
    save(table, tmp_path / "t.parquet", "parquet")
    X, y = read(tmp_path / "t.parquet", target="y", categorical=["age", "y"])
    assert X["age"].tolist() == ["31", None, "44"]
    assert y.tolist() == ["1", "0", "1"]


def test_times_and_nested_columns_are_refused_with_a_way_out(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    for values in (pyarrow.array([0], pyarrow.timestamp("s")), pyarrow.array([[1, 2]])):
        table = pyarrow.table({"t": values, "x": [1], "y": [0]})
        save(table, tmp_path / "t.parquet", "parquet")
        message = refused(tmp_path / "t.parquet", target="y")
        assert message.startswith("column 't':")
        assert "--drop t" in message
        X, _ = read(tmp_path / "t.parquet", target="y", drop=["t"])
        assert list(X) == ["x"]


def test_infinity_in_an_arrow_column_names_the_row(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"x": [1.0] * 5 + [float("inf")], "y": [0] * 6})
    save(table, tmp_path / "t.arrow", "arrow")
    assert refused(tmp_path / "t.arrow", size=2, target="y").startswith("column 'x', row 6: inf")


@pytest.mark.parametrize("form", ["parquet", "arrow", "arrows"])
def test_a_broken_arrow_file_is_one_clear_line(tmp_path, table, form):
    path = tmp_path / f"t.{form}"
    save(table, path, form)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert "\n" not in refused(path, target="y")
    path.write_bytes(b"no such thing at all")
    assert "\n" not in refused(path, target="y")


def test_an_arrow_stream_is_read_from_standard_input_and_a_file_is_not(
    tmp_path, table, monkeypatch
):
    def give(form):
        save(table, tmp_path / f"t.{form}", form)
        content = (tmp_path / f"t.{form}").read_bytes()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    give("arrows")
    _, y = read("-", target="y", format="arrow")
    assert y.tolist() == [1, 0, 1]
    for form in ("arrow", "parquet"):
        give(form)
        assert "read from its end" in refused("-", target="y", format=form)


def test_without_pyarrow_the_extra_is_named(tmp_path, monkeypatch):
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'riparian\[arrow\]'"):
        open_stream(tmp_path / "t.parquet", target="y")


def test_the_nearest_name_is_found_among_many():
    names = [f"feature{i}" for i in range(50)]
    text = columns.names_text("featur7", names)
    assert "and 30 more" in text
    assert "did you mean 'feature7'?" in text
