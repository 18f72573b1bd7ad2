"""Fuzzes Arrow data: pyarrow's frames, and structures made by hand, sound and with faults.

A frame gives what its values as Python lists give, or a clear error. Everything is released once.
"""

from __future__ import annotations

import random
import struct
from typing import Any

import numpy as np
import pyarrow as pa

from riparian.data.columns import Codes, Numbers, Objects
from riparian.data.table import read_table
from tests import inside
from tests.fuzz.arrow_structs import Frame
from tests.fuzz.draw import Draw, changed, same

INTEGERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32()]
INTEGERS += [pa.uint64()]
FLOATS = [pa.float16(), pa.float32(), pa.float64()]
TEXTS = [pa.string(), pa.large_string(), pa.string_view()]
REFUSED = [pa.timestamp("ns"), pa.date32(), pa.binary(), pa.list_(pa.int8()), pa.decimal128(9, 2)]
REFUSED += [pa.struct([("a", pa.int8())]), pa.duration("s"), pa.time64("us")]
WORDS = ["", "u", "v", "é", "x" * 13, "a longer word", "\0"]


def decoded(columns: list[Any]) -> list[tuple[str, str, list[Any]]]:
    """The name, kind and values of each column, None where missing."""
    found = []
    for name, kind, data, values in columns:
        if kind == "categorical":
            codes = data.tolist()
            seen = list(dict.fromkeys(code for code in codes if code >= 0))
            assert seen == list(range(len(values))), "codes are not in order of appearance"
            rows = [None if code == -1 else values[code] for code in codes]
        else:
            rows = [None if number != number else number for number in data.tolist()]
        found.append((name, kind, rows))
    return found


def equal(one: list[tuple[str, str, list[Any]]], other: list[tuple[str, str, list[Any]]]) -> bool:
    return len(one) == len(other) and all(
        a[:2] == b[:2] and len(a[2]) == len(b[2]) and all(map(same, a[2], b[2]))
        for a, b in zip(one, other, strict=True)
    )


# -- by hand ------------------------------------------------------------------------------------


def handmade(draw: Draw) -> None:
    frame = Frame(draw)
    expected = frame.expected
    error: Exception | None = None
    try:
        if draw.yes():
            capsule = frame.stream(draw)
            columns = inside.core.read_arrow(capsule)
            times = frame.batches
            # A batch that was released ends a stream, before it could fail.
            assert not (frame.stream_fails and frame.sound), "a stream that failed was read"
            expected = [(name, kind, rows * times) for name, kind, rows in expected]
        else:
            columns = inside.core.read_arrow_array(*frame.capsules(draw))
        read = decoded(columns)
        if frame.sound:
            assert equal(read, expected), f"{read} is not {expected}"
    except (ValueError, RuntimeError) as raised:
        error = raised
    if error is not None:
        assert not frame.sound or frame.stream_fails, f"a sound frame is refused: {error!r}"
        assert str(error), "an error that says nothing"
    assert not frame.failed, f"released by the reader: {frame.failed}"
    assert frame.released == frame.made, f"made {frame.made}, released {frame.released}"


# -- pyarrow ------------------------------------------------------------------------------------


def value(draw: Draw, kind: Any) -> Any:
    if draw.yes(5):
        return None
    if pa.types.is_boolean(kind):
        return draw.yes()
    if pa.types.is_integer(kind):
        size = kind.bit_width // 8
        return int.from_bytes(draw.bytes(size), "little", signed=pa.types.is_signed_integer(kind))
    if pa.types.is_float16(kind):
        return np.float16(struct.unpack("<e", draw.bytes(2))[0])
    if pa.types.is_float32(kind):
        return struct.unpack("<f", draw.bytes(4))[0]
    if pa.types.is_floating(kind):
        return draw.double()
    return draw.choice(WORDS) if draw.yes() else draw.text()


def column(draw: Draw, n: int) -> Any:
    """An array of n values: in chunks, cut out of a longer one, or of codes."""
    way = draw.below(8)
    if way == 0:
        return pa.nulls(n)
    if way == 1 and draw.yes():
        return pa.nulls(n, draw.choice(REFUSED))
    kind = draw.choice([pa.bool_(), *INTEGERS, *FLOATS, *TEXTS, *TEXTS])
    before, after = draw.below(4), draw.below(3)
    values = [value(draw, kind) for _ in range(before + n + after)]
    if kind in TEXTS and way < 5:
        kind = draw.choice(TEXTS)
    array = pa.array(values, kind)
    if way in (4, 5) and not pa.types.is_string_view(kind) and not pa.types.is_float16(kind):
        array = array.dictionary_encode()
    array = array.slice(before, n)
    if way == 6 and n > 1:
        at = draw.below(n)
        array = pa.chunked_array([array.slice(0, at), array.slice(at)])
    return array


def as_lists(array: Any) -> tuple[str, list[Any]]:
    """The kind and the values that Python lists of the same values have."""
    kind = array.type
    values = array.to_pylist()
    categorical = False
    if pa.types.is_dictionary(kind):
        kind, categorical = kind.value_type, True
    if pa.types.is_null(kind):
        return "unknown", values
    if pa.types.is_floating(kind):
        values = [None if v is None or v != v else float(v) for v in values]
    if categorical:
        values = [v + 0.0 if isinstance(v, float) else v for v in values]
    elif pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return "numeric", [None if v is None else float(v) for v in values]
    return "categorical", values


def refused(array: Any) -> bool:
    return any(array.type == kind for kind in REFUSED)


def of_table(table: Any) -> list[tuple[str, list[Any]]]:
    """The values of each column of a `Table`, None where missing."""
    found = []
    for name, part in zip(table.names, table.columns, strict=True):
        if isinstance(part, Codes):
            rows = [None if c < 0 else part.values[c] for c in part.codes.tolist()]
        elif isinstance(part, Numbers):
            rows = [None if v != v else v for v in part.values.tolist()]
        else:
            assert isinstance(part, Objects)
            rows = part.values
        found.append((name, rows))
    return found


def by_pyarrow(draw: Draw) -> None:
    n = draw.below(9)
    arrays = {}
    for i in range(draw.below(5)):
        # A name ends at its first null character: those of the interface are strings of C.
        name = draw.text().replace("\0", "") if draw.yes(4) else f"f{i}"
        arrays[name] = column(draw, n)
    table = pa.table(arrays) if arrays else pa.table({"only": pa.array([1.0] * n)})
    if draw.yes():
        frame: Any = table.combine_chunks().to_batches()[0] if n else table
    else:
        frame = table
    columns = {name: table.column(name) for name in table.column_names}
    bad = any(refused(array) for array in columns.values())
    error: Exception | None = None
    try:
        read = read_table(frame)
        by_hand = decoded(inside.core.read_arrow(frame.__arrow_c_stream__()))
    except (TypeError, ValueError) as raised:
        error = raised
    assert bad == (error is not None), f"what cannot be learned is refused, but {error!r}"
    if error is not None:
        wrong = [name for name, array in columns.items() if refused(array)]
        assert any(f"column '{name}'" in str(error) for name in wrong), f"no column: {error}"
        return
    assert read.n_rows == n
    lists = {name: as_lists(array) for name, array in columns.items()}
    expected = [(name, kind, values) for name, (kind, values) in lists.items()]
    assert equal(by_hand, expected), f"{by_hand} is not {expected}"
    for (name, rows), (other, _, values) in zip(of_table(read), expected, strict=True):
        assert name == other
        assert all(map(same, rows, values)), f"{rows} is not {values}"
    # As a mapping of Python lists, where a list tells the kind, too.
    for name, (kind, values) in lists.items():
        if kind == "categorical" and not all(isinstance(v, str | None) for v in values):
            continue
        if n and any(v is not None for v in values):
            (_, rows), *_ = of_table(read_table({name: np.array(values, dtype=object)}))
            assert all(map(same, rows, values)), f"{rows} is not {values}"


def run(data: bytes) -> None:
    draw = Draw(data)
    if draw.yes():
        by_pyarrow(draw)
    else:
        handmade(draw)


def mutate(dice: random.Random, data: bytes) -> bytes:
    return changed(dice, data)


def seeds() -> dict[str, bytes]:
    found = {}
    for i in range(24):
        dice = random.Random(i)
        found[f"{'pyarrow' if i % 2 else 'handmade'}-{i}"] = bytes([i % 2]) + dice.randbytes(300)
    return found
