"""The fast reading of numbers is `float`, or says that it is not sure."""

import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from riparian.streams.decimals import LEAD, decimals


def read(fields):
    lengths = np.array([len(field) for field in fields])
    starts = LEAD + np.concatenate(([0], np.cumsum(lengths + 1)[:-1]))
    text = ",".join([*fields, ""]).encode()
    return decimals(bytes(LEAD) + text, starts, starts + lengths)


def same_bits(a, b):
    return struct.pack("d", a) == struct.pack("d", b)


@given(st.lists(st.from_regex(r"-?[0-9]{0,17}\.?[0-9]{0,17}", fullmatch=True), min_size=1))
def test_a_plain_number_has_the_bits_that_float_gives_it(fields):
    values, plain = read(fields)
    for field, value, sure in zip(fields, values.tolist(), plain.tolist(), strict=True):
        if sure:
            assert same_bits(value, float(field))


@given(st.lists(st.text("0123456789.-+eE _,?naifx\t", max_size=20), min_size=1))
def test_what_float_refuses_is_never_taken_for_a_number(fields):
    fields = [field.replace(",", "") for field in fields]
    _, plain = read(fields)
    for field, sure in zip(fields, plain.tolist(), strict=True):
        if sure:
            float(field)
            assert "_" not in field


@given(st.lists(st.integers(-(10**15), 10**15).map(lambda n: n / 1000), min_size=1))
def test_numbers_of_up_to_fifteen_digits_are_plain(numbers):
    fields = [f"{number:.3f}" for number in numbers]
    fields = [field for field in fields if len(field.lstrip("-")) <= 16]
    if fields:
        values, plain = read(fields)
        assert plain.all()
        assert values.tolist() == [float(field) for field in fields]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("0", 0.0),
        ("-0", -0.0),
        ("007", 7.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("-.25", -0.25),
        ("12345678", 12345678.0),
        ("12345678.", 12345678.0),
        ("123456789", 123456789.0),
        ("1234567.12345678", 1234567.12345678),
        ("9007199254740992", 2.0**53),
    ],
)
def test_the_ways_to_write_a_plain_number(field, value):
    values, plain = read([field])
    assert plain[0]
    assert same_bits(values[0], value)


@pytest.mark.parametrize(
    "field",
    [
        *["", ".", "-", "-.", "--5", "1-", "1..2", "1.2.3", "1.2345678.", "1e3", "nan", " 1"],
        *["+1", "9007199254740993", "12345678901234567", "1/2", "1:2", "0x1", "?", "1_0"],
    ],
)
def test_what_is_written_otherwise_is_left_to_the_caller(field):
    for fields in ([field], [field, "1234567890.5"]):
        _, plain = read(fields)
        assert not plain[0]


def test_no_fields_are_no_numbers():
    nothing = np.zeros(0, dtype=np.intp)
    values, plain = decimals(bytes(LEAD), nothing, nothing)
    assert values.size == plain.size == 0


def test_a_field_does_not_depend_on_its_neighbours():
    fields = ["1.5", "-22.25", "333.125", "1234567890.5", "7"]
    together, _ = read(fields)
    alone = [read([field])[0][0] for field in fields]
    assert together.tolist() == alone
    assert not any(map(math.isnan, alone))
