"""Frames of pandas, polars and pyarrow arrive as the same plain columns."""

from __future__ import annotations

import ctypes
import gc
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests import inside

NAN = float("nan")

Frame = dict[str, tuple[str, list[Any]]]


def decoded(columns: list[Any]) -> Frame:
    """Kind and values of each column, None where missing."""
    result: Frame = {}
    for name, kind, data, values in columns:
        if kind == "categorical":
            assert data.dtype == np.int32
            # Codes are given in order of first appearance.
            assert list(dict.fromkeys(data[data >= 0].tolist())) == list(range(len(values)))
            rows = [None if code == -1 else values[code] for code in data.tolist()]
        else:
            assert data.dtype == np.float64
            assert values == []
            rows = [None if np.isnan(number) else number for number in data.tolist()]
        result[name] = (kind, rows)
    return result


def read(frame: Any) -> Frame:
    return decoded(inside.core.read_arrow(frame.__arrow_c_stream__()))


def read_batch(batch: Any) -> Frame:
    return decoded(inside.core.read_arrow_array(*batch.__arrow_c_array__()))


# pandas


def test_pandas_columns_arrive_with_their_missing_values() -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(
        {
            "int": [1, -2, 3],
            "float32": np.array([0.5, NAN, -1.5], dtype=np.float32),
            "nullable": pd.array([7, None, 2**53], dtype="Int64"),
            "bool": [True, False, True],
            "boolean": pd.array([True, None, False], dtype="boolean"),
            "string": pd.array(["b", None, "a"], dtype="string"),
            "object": np.array(["x", None, "x"], dtype=object),
            "category": pd.Categorical(["no", "yes", None], categories=["yes", "no"]),
            "numbers": pd.Categorical([30, 10, 30], categories=[10, 20, 30]),
            "nothing": np.array([None, None, None], dtype=object),
        }
    )
    assert read(frame) == {
        "int": ("numeric", [1, -2, 3]),
        "float32": ("numeric", [0.5, None, -1.5]),
        "nullable": ("numeric", [7, None, 2.0**53]),
        "bool": ("numeric", [1, 0, 1]),
        "boolean": ("numeric", [1, None, 0]),
        "string": ("categorical", ["b", None, "a"]),
        "object": ("categorical", ["x", None, "x"]),
        "category": ("categorical", ["no", "yes", None]),
        "numbers": ("categorical", [30, 10, 30]),
        "nothing": ("unknown", [None, None, None]),
    }


def test_pandas_datetimes_are_refused_by_name() -> None:
    pd = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"x": [1.0], "when": pd.to_datetime(["2020-01-01"])})
    with pytest.raises(ValueError, match=r"^column 'when': timestamps cannot be learned; convert"):
        read(frame)


# polars


def test_polars_columns_arrive_with_their_missing_values() -> None:
    pl = pytest.importorskip("polars")
    long = "a string that is too long for a view"
    frame = pl.DataFrame(
        {
            "string": ["b", long, None, "", long],
            "categorical": pl.Series(["v", "u", "v", None, "w"], dtype=pl.Categorical),
            "enum": pl.Series(["hi", "lo", None, "lo", "hi"], dtype=pl.Enum(["lo", "mid", "hi"])),
            "boolean": [True, None, False, True, False],
            "int8": pl.Series([-128, 127, None, 0, 1], dtype=pl.Int8),
            "uint64": pl.Series([0, 1, None, 2**64 - 1, 3], dtype=pl.UInt64),
            "float64": [1.5, NAN, None, float("inf"), -0.0],
            "null": pl.Series([None] * 5, dtype=pl.Null),
        }
    )
    expected: Frame = {
        "string": ("categorical", ["b", long, None, "", long]),
        "categorical": ("categorical", ["v", "u", "v", None, "w"]),
        "enum": ("categorical", ["hi", "lo", None, "lo", "hi"]),
        "boolean": ("numeric", [1, None, 0, 1, 0]),
        "int8": ("numeric", [-128, 127, None, 0, 1]),
        "uint64": ("numeric", [0, 1, None, 2.0**64, 3]),
        "float64": ("numeric", [1.5, None, None, float("inf"), 0]),
        "null": ("unknown", [None] * 5),
    }
    assert read(frame) == expected
    for start, stop in [(1, 4), (2, 2), (4, 5)]:
        sliced = {name: (kind, rows[start:stop]) for name, (kind, rows) in expected.items()}
        assert read(frame[start:stop]) == sliced
    chunked = pl.concat([frame[3:], frame[:2], frame], rechunk=False)
    assert read(chunked) == {
        name: (kind, rows[3:] + rows[:2] + rows) for name, (kind, rows) in expected.items()
    }


# pyarrow


def test_every_number_type_arrives_as_doubles() -> None:
    pa = pytest.importorskip("pyarrow")
    widths = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
    frame = pa.table(
        {name: pa.array([5, None, 100], type=name) for name in [*widths, "float32", "float64"]}
    )
    assert read(frame) == {name: ("numeric", [5, None, 100]) for name in frame.column_names}


def test_float16_arrives_exactly() -> None:
    pa = pytest.importorskip("pyarrow")
    halves = np.arange(2**16, dtype=np.uint16).view(np.float16)
    [(_, kind, data, _)] = inside.core.read_arrow(
        pa.table({"x": pa.array(halves)}).__arrow_c_stream__()
    )
    assert kind == "numeric"
    np.testing.assert_array_equal(data, halves.astype(np.float64))


@pytest.mark.parametrize("value_type", ["string", "large_string", "string_view"])
def test_strings_and_chunks_and_slices(value_type: str) -> None:
    pa = pytest.importorskip("pyarrow")
    words = ["zebra", None, "ant", "", "grün 🌳", "ant", "a much longer string than the others"]
    array = pa.array(words, type=getattr(pa, value_type)())
    table = pa.table({"s": pa.chunked_array([array[4:], array, array[1:3], array[:0]])})
    assert read(table) == {"s": ("categorical", words[4:] + words + words[1:3])}
    assert read(table.slice(2, 7)) == {"s": ("categorical", (words[4:] + words)[2:9])}


@pytest.mark.parametrize("index", ["int8", "int16", "int32", "int64", "uint8", "uint32", "uint64"])
def test_dictionaries_may_differ_between_chunks(index: str) -> None:
    pa = pytest.importorskip("pyarrow")

    def chunk(codes: list[int | None], values: Any) -> Any:
        return pa.DictionaryArray.from_arrays(pa.array(codes, type=index), pa.array(values))

    first = chunk([2, None, 0, 3], ["a", "unused", "c", None])
    second = chunk([0, 1, 1], ["d", "a"])
    table = pa.table({"d": pa.chunked_array([first, second])})
    assert read(table) == {"d": ("categorical", ["c", None, "a", None, "d", "a", "a"])}
    assert read(table.slice(2, 3)) == {"d": ("categorical", ["a", None, "d"])}


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3, 2**62, None], [3, 2**62, None]),
        (np.array([3, 2**64 - 1, 3], dtype=np.uint64), [3, 2**64 - 1, 3]),
        ([0.5, -0.0, NAN], [0.5, 0.0, None]),
        (np.array([0.5, 2.0, 1.0], dtype=np.float16), [0.5, 2.0, 1.0]),
        ([True, False, None], [True, False, None]),
        ([None, None, None], [None, None, None]),
    ],
)
def test_a_dictionary_may_hold_numbers(values: Any, expected: list[Any]) -> None:
    pa = pytest.importorskip("pyarrow")
    indices = pa.array([1, 0, 2, 1], type="int8")
    dictionary = pa.DictionaryArray.from_arrays(indices, pa.array(values))
    kind, rows = read(pa.table({"d": dictionary}))["d"]
    want = [expected[i] for i in (1, 0, 2, 1)]
    assert (kind, rows) == ("categorical", want)
    assert [type(value) for value in rows] == [type(value) for value in want]


def test_the_result_does_not_depend_on_the_chunks() -> None:
    pa = pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    n = 1000
    words = [None if i == 0 else f"word {i}" for i in rng.integers(0, 300, n)]
    numbers = [None if i < 0 else i for i in rng.normal(size=n)]
    whole = pa.table({"w": words, "d": pa.array(words).dictionary_encode(), "x": numbers})
    cuts = [0, *sorted(rng.integers(0, n, 20).tolist()), n]
    parts = [
        pa.table(
            {"w": words[a:b], "d": pa.array(words[a:b]).dictionary_encode(), "x": numbers[a:b]}
        )
        for a, b in itertools.pairwise(cuts)
        if a < b
    ]
    chunked = pa.concat_tables([part.cast(whole.schema) for part in parts])
    a = inside.core.read_arrow(whole.__arrow_c_stream__())
    b = inside.core.read_arrow(chunked.__arrow_c_stream__())
    for column, again in zip(a, b, strict=True):
        assert column[:2] == again[:2]
        assert column[3] == again[3]
        np.testing.assert_array_equal(column[2], again[2])
    assert decoded(a) == {
        "w": ("categorical", words),
        "d": ("categorical", words),
        "x": ("numeric", numbers),
    }


def test_record_batches_and_readers() -> None:
    pa = pytest.importorskip("pyarrow")
    batch = pa.record_batch({"x": [1, None, 3], "s": ["a", "b", None]})
    expected = {"x": ("numeric", [1, None, 3]), "s": ("categorical", ["a", "b", None])}
    assert read_batch(batch) == expected
    assert read(batch) == expected
    reader = pa.RecordBatchReader.from_batches(batch.schema, iter([batch, batch[1:]]))
    assert read(reader)["s"] == ("categorical", ["a", "b", None, "b", None])


def test_a_frame_without_rows_or_columns() -> None:
    pa = pytest.importorskip("pyarrow")
    schema = pa.schema({"x": pa.float64(), "s": pa.string(), "n": pa.null()})
    empty: Frame = {"x": ("numeric", []), "s": ("categorical", []), "n": ("unknown", [])}
    assert read(schema.empty_table()) == empty
    assert read(pa.Table.from_batches([], schema)) == empty
    assert read(pa.table({})) == {}


def test_a_null_row_of_the_frame_is_null_in_every_column() -> None:
    pa = pytest.importorskip("pyarrow")
    columns = {
        "x": pa.array([1, 2, None, 4, 5]),
        "b": pa.array([True, True, False, False, True]),
        "s": pa.array(["p", "q", "r", "s", "t"]),
        "d": pa.array(["p", "q", "q", "p", None]).dictionary_encode(),
        "n": pa.nulls(5),
    }
    mask = pa.array([False, True, False, False, True])
    rows = pa.StructArray.from_arrays(list(columns.values()), list(columns), mask=mask)
    expected: Frame = {
        "x": ("numeric", [1, None, None, 4, None]),
        "b": ("numeric", [1, None, 0, 0, None]),
        "s": ("categorical", ["p", None, "r", "s", None]),
        "d": ("categorical", ["p", None, "q", "p", None]),
        "n": ("unknown", [None] * 5),
    }
    assert read_batch(rows) == expected
    tail = {name: (kind, values[1:4]) for name, (kind, values) in expected.items()}
    assert read_batch(rows[1:4]) == tail
    assert read(pa.chunked_array([rows[:1], rows[1:]])) == expected


@pytest.mark.parametrize("start", range(10))
def test_bits_are_read_from_any_offset(start: int) -> None:
    pa = pytest.importorskip("pyarrow")
    rng = np.random.default_rng(start)
    flags = [[True, False, None][i] for i in rng.choice(3, 100, p=[0.6, 0.35, 0.05])]
    numbers = [None if flag is None else float(i) for i, flag in enumerate(flags)]
    table = pa.table({"b": flags, "x": numbers}).slice(start, 80)
    expected = [None if flag is None else int(flag) for flag in flags[start : start + 80]]
    assert read(table)["b"] == ("numeric", expected)
    assert read(table)["x"] == ("numeric", numbers[start : start + 80])


def test_buffers_need_not_be_aligned() -> None:
    pa = pytest.importorskip("pyarrow")
    shifted = pa.py_buffer(b"\0" + np.array([1.5, -2.5, 3.5]).tobytes()).slice(1)
    array = pa.Array.from_buffers(pa.float64(), 3, [None, shifted])
    assert read_batch(pa.record_batch({"x": array})) == {"x": ("numeric", [1.5, -2.5, 3.5])}


def test_uncounted_nulls_are_found() -> None:
    pa = pytest.importorskip("pyarrow")
    values = pa.py_buffer(np.array([1, 2, 3, 4], dtype=np.int32).tobytes())
    counted = pa.Array.from_buffers(pa.int32(), 4, [pa.py_buffer(b"\x0b"), values], null_count=-1)
    assert read_batch(pa.record_batch({"x": counted})) == {"x": ("numeric", [1, 2, None, 4])}
    without = pa.Array.from_buffers(pa.int32(), 4, [None, values], null_count=-1)
    assert read_batch(pa.record_batch({"x": without})) == {"x": ("numeric", [1, 2, 3, 4])}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda pa: pa.array([0], pa.timestamp("us", "UTC")),
            "timestamps cannot be learned; .*hour",
        ),
        (lambda pa: pa.array([0], pa.date32()), "dates cannot be learned; convert it to a number"),
        (lambda pa: pa.array([0], pa.time64("us")), "times of day cannot"),
        (lambda pa: pa.array([0], pa.duration("s")), "durations cannot be learned; .*seconds"),
        (lambda pa: pa.array([1], pa.decimal128(5, 2)), "decimals cannot.*float64"),
        (lambda pa: pa.array([b"x"], pa.binary()), "bytes cannot"),
        (lambda pa: pa.array([b"x"], pa.binary(1)), "bytes cannot"),
        (lambda pa: pa.array([b"x"], pa.large_binary()), "bytes cannot"),
        (lambda pa: pa.array([b"x"], pa.binary_view()), "bytes cannot"),
        (lambda pa: pa.array([[1]], pa.list_(pa.int8())), "lists cannot.*column of its own"),
        (lambda pa: pa.array([[1]], pa.list_(pa.int8(), 1)), "lists cannot"),
        (lambda pa: pa.array([{"a": 1}]), "structs cannot"),
        (lambda pa: pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int8())), "maps cannot"),
        (lambda pa: pa.RunEndEncodedArray.from_arrays([1], [5]), "run-end-encoded values cannot"),
        (lambda pa: pa.array([0], pa.date32()).dictionary_encode(), "dates cannot"),
    ],
)
def test_what_cannot_be_learned_is_refused_in_words(make: Callable[[Any], Any], words: str) -> None:
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"good": [1.0], "bad one": make(pa)})
    with pytest.raises(ValueError, match=f"^column 'bad one': {words}"):
        read(table)


def test_polars_wide_integers_are_refused() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"wide": pl.Series([1], dtype=pl.Int128)})
    with pytest.raises(ValueError, match=r"^column 'wide': 128-bit integers cannot be learned"):
        read(frame)


def test_a_single_column_is_not_a_frame() -> None:
    pa = pytest.importorskip("pyarrow")
    with pytest.raises(ValueError, match="a frame with named columns is needed"):
        read(pa.chunked_array([[1, 2]]))


def test_a_capsule_is_read_once_and_by_its_name() -> None:
    pa = pytest.importorskip("pyarrow")
    batch = pa.record_batch({"x": [1]})
    stream = pa.table(batch.to_pydict()).__arrow_c_stream__()
    inside.core.read_arrow(stream)
    with pytest.raises(ValueError, match="only once"):
        inside.core.read_arrow(stream)
    schema, array = batch.__arrow_c_array__()
    with pytest.raises(TypeError, match="a capsule named 'arrow_schema' is needed"):
        inside.core.read_arrow_array(array, schema)
    inside.core.read_arrow_array(schema, array)
    with pytest.raises(ValueError, match="only once"):
        inside.core.read_arrow_array(schema, array)
    with pytest.raises(TypeError, match="'arrow_array_stream' is needed, got 3"):
        inside.core.read_arrow(3)


def test_a_stream_that_fails_says_why() -> None:
    pa = pytest.importorskip("pyarrow")
    batch = pa.record_batch({"x": [1]})

    def batches() -> Any:
        yield batch
        raise OSError("the disk is on fire")

    reader = pa.RecordBatchReader.from_batches(batch.schema, batches())
    with pytest.raises(RuntimeError, match=r"Arrow stream failed: .*the disk is on fire"):
        read(reader)


def test_text_that_is_not_utf8_is_refused() -> None:
    pa = pytest.importorskip("pyarrow")
    bad = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")]
    )
    with pytest.raises(ValueError, match=r"^column 's': a string is not valid UTF-8"):
        read_batch(pa.record_batch({"s": bad}))


def test_text_and_indices_outside_their_buffers_are_refused() -> None:
    pa = pytest.importorskip("pyarrow")

    def array(type_: Any, *buffers: bytes, rows: int = 1) -> Any:
        return pa.Array.from_buffers(type_, rows, [None, *map(pa.py_buffer, buffers)])

    backwards = np.array([0, 5, 2, 6], dtype=np.int32).tobytes()
    with pytest.raises(
        ValueError, match=r"^column 's': malformed Arrow data, a string has no text"
    ):
        read_batch(pa.record_batch({"s": array(pa.string(), backwards, b"abcdef", rows=3)}))
    far = np.array([20, 0, 0, 90], dtype=np.int32).tobytes()
    with pytest.raises(ValueError, match=r"^column 's': .*a string is outside its buffer"):
        read_batch(pa.record_batch({"s": array(pa.string_view(), far, b"x" * 100)}))
    absent = np.array([20, 0, 7, 0], dtype=np.int32).tobytes()
    with pytest.raises(ValueError, match=r"^column 's': .*a string is outside its buffer"):
        read_batch(pa.record_batch({"s": array(pa.string_view(), absent, b"x" * 100)}))
    for index in [-1, 2]:
        indices = pa.array([index], type="int8")
        wild = pa.DictionaryArray.from_arrays(indices, pa.array(["a", "b"]), safe=False)
        with pytest.raises(ValueError, match=r"^column 'd': .*an index is outside its dictionary"):
            read_batch(pa.record_batch({"d": wild}))


def test_arrays_are_writable_and_all_memory_is_given_back() -> None:
    pa = pytest.importorskip("pyarrow")
    before = pa.total_allocated_bytes()
    table = pa.table({"x": pa.array(range(1000)), "s": pa.array(["a"] * 1000)})
    refused = table.append_column("t", pa.array(range(1000)).cast(pa.date64()))
    columns = inside.core.read_arrow(table.__arrow_c_stream__())
    with pytest.raises(ValueError, match="'t'"):
        read(refused)
    del table, refused
    gc.collect()
    assert pa.total_allocated_bytes() == before
    columns[0][2][0] = 5  # our own memory, which outlives the table
    assert columns[0][2][:3].tolist() == [5, 1, 2]


# The interface itself, with structures made by hand: these need no library.


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


SchemaRelease = ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))
ArrayRelease = ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))
Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
    ("dictionary", ctypes.POINTER(Schema)),
    ("release", SchemaRelease),
    ("private_data", ctypes.c_void_p),
]
Array._fields_ = [
    *[(name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers")],
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))),
    ("dictionary", ctypes.POINTER(Array)),
    ("release", ArrayRelease),
    ("private_data", ctypes.c_void_p),
]


class Handmade:
    """A frame of one int32 column `x` of 1, 2, 3 that counts its releases."""

    def __init__(self) -> None:
        self.released: list[str] = []
        self.values = (ctypes.c_int32 * 3)(1, 2, 3)
        self.field = Schema(format=b"i", name=b"x", release=SchemaRelease(self._schema_gone))
        fields = (ctypes.POINTER(Schema) * 1)(ctypes.pointer(self.field))
        release = SchemaRelease(self._schema_gone)
        self.schema = Schema(format=b"+s", n_children=1, children=fields, release=release)
        buffers = (ctypes.c_void_p * 2)(None, ctypes.addressof(self.values))
        self.column = Array(length=3, n_buffers=2, buffers=buffers)
        self.column.release = ArrayRelease(self._array_gone)
        columns = (ctypes.POINTER(Array) * 1)(ctypes.pointer(self.column))
        no_bitmap = (ctypes.c_void_p * 1)(None)
        self.array = Array(length=3, n_buffers=1, buffers=no_bitmap, n_children=1, children=columns)
        self.array.release = ArrayRelease(self._array_gone)

    def _schema_gone(self, schema: Any) -> None:
        self.released.append("schema")
        schema.contents.release = SchemaRelease(0)

    def _array_gone(self, array: Any) -> None:
        self.released.append("array")
        array.contents.release = ArrayRelease(0)

    def __arrow_c_array__(self) -> tuple[Any, Any]:
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return (
            new(ctypes.addressof(self.schema), b"arrow_schema", None),
            new(ctypes.addressof(self.array), b"arrow_array", None),
        )


def test_a_handmade_frame_is_read_and_released_once() -> None:
    frame = Handmade()
    assert read_batch(frame) == {"x": ("numeric", [1, 2, 3])}
    assert sorted(frame.released) == ["array", "schema"]


@pytest.mark.parametrize(
    ("part", "field", "value", "message"),
    [
        ("schema", "format", None, "a type has no format"),
        ("schema", "format", b"i", "a frame with named columns is needed"),
        ("schema", "n_children", -1, "a frame has no columns"),
        ("schema", "children", None, "a frame has no columns"),
        ("field", "format", b"", "column 'x': values of Arrow type ''"),
        ("field", "format", b"%", "column 'x': values of Arrow type '%'"),
        ("field", "format", b"u", "column 'x': .*too few buffers"),
        (
            "field",
            "dictionary",
            Schema(format=b"u"),
            "column 'x': .*there are indices but no dictionary",
        ),
        ("field", "dictionary", Schema(), "column 'x': .*a type has no format"),
        ("array", "length", -1, "a length or offset is negative"),
        ("array", "length", 4, "column 'x': .*a column is shorter than its frame"),
        ("array", "offset", -1, "a length or offset is negative"),
        ("array", "offset", 1, "column 'x': .*a column is shorter than its frame"),
        ("array", "offset", 2**63 - 1, "a length or offset is negative"),
        ("array", "n_children", 2, "columns of a batch differ from its schema"),
        ("array", "n_buffers", 0, "too few buffers"),
        ("array", "children", None, "columns of a batch differ from its schema"),
        ("column", "length", -3, "column 'x': .*a length or offset is negative"),
        ("column", "n_buffers", 1, "column 'x': .*too few buffers"),
        ("column", "buffers", None, "column 'x': .*too few buffers"),
        ("column", "buffers", (ctypes.c_void_p * 2)(), "column 'x': .*no values"),
        ("column", "null_count", 1, "column 'x': .*there are nulls but no bitmap"),
        ("column", "release", ArrayRelease(0), "column 'x': .*an array was already released"),
    ],
)
def test_malformed_frames_are_refused_and_still_released_once(
    part: str, field: str, value: Any, message: str
) -> None:
    frame = Handmade()
    pointer = isinstance(value, ctypes.Structure)
    setattr(getattr(frame, part), field, ctypes.pointer(value) if pointer else value)
    with pytest.raises(ValueError, match=message):
        read_batch(frame)
    assert sorted(frame.released) == ["array", "schema"]
