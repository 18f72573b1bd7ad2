"""JSON lines of one shape are read as tables: with the values that the reader of JSON gives."""

from __future__ import annotations

import json
import random
import struct

import pyarrow as pa
import pyarrow.json
import pytest

from riparian.streams.readers.flat_json import flat_table
from tests import inside

TYPES = {"x": pa.float64(), "n": pa.int64(), "t": pa.string()}


def by_json(data, types=TYPES):
    """What pyarrow's reader of JSON gives; None where it refuses."""
    try:
        return pyarrow.json.read_json(
            pa.BufferReader(data),
            parse_options=pyarrow.json.ParseOptions(
                explicit_schema=pa.schema(list(types.items())), unexpected_field_behavior="ignore"
            ),
        )
    except pa.ArrowInvalid:
        return None


def flat(text, types=TYPES, is_read=lambda name: False):
    data = text if isinstance(text, bytes) else text.encode()
    return flat_table(data, types, is_read)


def bits(table):
    """The rows of a table, in which two numbers are equal if their bits are."""
    return [
        [struct.pack("d", value) if isinstance(value, float) else value for value in row.values()]
        for row in table.to_pylist()
    ]


ROW = '{"x": 1.5, "n": 3, "t": "a"}\n'


@pytest.mark.parametrize(
    "text",
    [
        ROW * 3,
        '{"x":1.5,"n":3,"t":"a"}\n',
        '{ \t"x" : 1.5 ,"n": 3, "t": "a" } \r\n' * 2,
        ROW + '{"x": null, "n": null, "t": ""}\n',
        ROW + '{"x": -0, "n": -7, "t": "ü é €, \u2028 \U0001f600"}\n',
        ROW + '{"x": 1e-400, "n": 9223372036854775807, "t": "null"}\n',
        ROW + '{"x": -1.25E-7, "n": 0, "t": " a "}\n',
        '{"t": "a", "x": 12345678901234567890, "n": 1}\n',
        '{"id": "no", "x": 2, "more": 3, "n": 1, "t": "a", "end": null}\n',
    ],
)
def test_lines_of_one_shape_are_a_table(text):
    table = flat(text)
    assert table is not None
    assert table.schema == by_json(text.encode()).schema
    assert bits(table) == bits(by_json(text.encode()))


@pytest.mark.parametrize(
    "line",
    [
        '{"x": 01, "n": 3, "t": "a"}',
        '{"x": +1, "n": 3, "t": "a"}',
        '{"x": .5, "n": 3, "t": "a"}',
        '{"x": 1., "n": 3, "t": "a"}',
        '{"x": 1e, "n": 3, "t": "a"}',
        '{"x": NaN, "n": 3, "t": "a"}',
        '{"x": "1", "n": 3, "t": "a"}',
        '{"x": 1, "n": 3.5, "t": "a"}',
        '{"x": 1, "n": 9223372036854775808, "t": "a"}',
        '{"x": 1, "n": 3, "t": 4}',
        '{"x": 1, "n": 3, "t": null}',
        '{"x": 1, "n": 3, "t": true}',
        r'{"x": 1, "n": 3, "t": "a\"b"}',
        r'{"x": 1, "n": 3, "t": "\u0041"}',
        '{"x": 1, "n": 3, "t": "\x1f"}',
        '{"x": 1, "n": 3, "t": "\ufeffa"}',
        '{"x": 1, "n": 3, "t": "a"',
        '{"x": 1, "n": 3, "t": "a',
        '{"x": 1, "n": 3}',
        '{"x": 1, "n": 3, "t": "a"} {}',
        '{"x": 1, "n": 3, "t": ["a"]}',
        '{"x": nul, "n": 3, "t": "a"}',
        "",
        "[]",
    ],
)
def test_lines_of_another_shape_are_left_to_the_reader_of_json(line):
    assert flat(line + "\n") is None
    assert flat(ROW + line + "\n" + ROW) is None


def test_all_lines_have_the_keys_of_the_first():
    for line in ('{"n": 3, "x": 1, "t": "a"}\n', '{"x": 1, "n": 3, "t": "a", "z": 1}\n'):
        assert flat(line + line) is not None
        assert flat(line + ROW) is None
        assert flat(ROW + line) is None


def test_first_lines_that_are_no_rows():
    for line in ("", "{", "{}", "[1]", '{"x": 1, "x": 2, "n": 1, "t": "a"}', "[" * 100_000):
        assert flat(line + "\n") is None
    assert flat(ROW.replace("}", ', "new": 1}'), is_read=lambda name: name == "new") is None
    assert flat(ROW, {**TYPES, "absent": pa.float64()}) is None
    assert flat(ROW, {**TYPES, "t": pa.bool_()}) is None
    assert flat(ROW, {}) is None


def test_a_text_without_its_last_line_end_is_refused():
    assert inside.core.lay_out_json(b'{"x": 1}', [b"x"], [0]) is None
    assert inside.core.lay_out_json(b'{"x": 1}\n', [b"x"], [0]) is not None
    assert inside.core.lay_out_json(b"", [b"x"], [0]) is None


def test_every_number_has_the_bits_that_the_reader_of_json_gives():
    chance = random.Random(1)
    numbers = [struct.unpack("d", chance.randbytes(8))[0] for _ in range(2000)]
    numbers = [repr(x) for x in numbers if x == x and abs(x) != float("inf")]
    numbers += [f"{chance.uniform(-10, 10):.{k}f}" for k in range(1, 40) for _ in range(20)]
    numbers += [f"{chance.randrange(10**k)}e{chance.randrange(-330, 280)}" for k in range(1, 25)]
    data = "".join(f'{{"x": {x}}}\n' for x in numbers).encode()
    types = {"x": pa.float64()}
    assert bits(flat(data, types)) == bits(by_json(data, types))


def test_damaged_lines_are_read_as_by_the_reader_of_json_or_not_at_all():
    chance = random.Random(2)
    good = (ROW + '{"x": -2e5, "n": 12, "t": "some text"}\n').encode() * 2
    seen = 0
    for _ in range(5_000):
        data = bytearray(good)
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(len(data) - 1)] = chance.choice(
                b'{}[]",:\\ \t\r\n0129.eE+-nulxt\x1f\xef'
            )
        text = bytes(data)
        if not text.isascii():
            continue  # the caller has looked at the encoding
        table = flat(text)
        if table is not None:
            expected = by_json(text)
            if expected is None:  # a number that no double holds is refused later
                assert float("inf") in map(abs, table["x"].to_pylist()), text
                continue
            seen += 1
            assert bits(table) == bits(expected), text
            assert [json.loads(line)["t"] for line in text.splitlines()] == table["t"].to_pylist()
    assert seen > 100
