"""What a file may not be: an error names the place, and the way out."""

import gzip

import pytest

from riparian.streams import open_stream
from riparian.streams.readers import columns, delimited
from tests.reading import JOBS, many, read, refused


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
    assert message.startswith(f"{option} names 'jobb', which is not a column")
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
    assert message == "column 'a' appears twice: columns 1 and 3"


def test_the_wrong_delimiter_is_guessed(write):
    message = refused(write("s.csv", JOBS.replace(",", ";")), target="happy")
    assert "--delimiter ';'" in message


def test_the_wrong_encoding_names_row_and_byte(write):
    path = write("l.csv", "stadt,y\nBonn,1\nKöln,0\n".encode("latin-1"))
    message = refused(path, target="y")
    assert message.startswith("row 2: the byte 0xf6 is not utf-8 text")
    assert "--encoding" in message


def test_utf_16_is_refused_at_the_first_line(write):
    message = refused(write("u.csv", JOBS.encode("utf-16")))
    assert message.startswith("the first line: the file seems to be UTF-16 text; convert it first")


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
    monkeypatch.setattr("riparian.streams.readers.text._LONGEST_FIRST_LINE", 1000)
    assert "does not end within" in refused(write("l.csv", "x" * 5000), target="y")


def test_an_unknown_format_lists_the_formats(write):
    path = write("adult.data", JOBS)
    assert "--format csv|tsv|jsonl|arff|libsvm|parquet|arrow" in refused(path)
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


def test_the_nearest_name_is_found_among_many():
    names = [f"feature{i}" for i in range(50)]
    text = columns.names_text("featur7", names)
    assert "and 30 more" in text
    assert "did you mean 'feature7'?" in text
