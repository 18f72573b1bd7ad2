"""Values of every kind that a user may pass as a label, a category or a feature name."""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions

import numpy as np
import pandas as pd
from hypothesis import strategies as st

__all__ = [
    "BYTES",
    "FLOATS",
    "INTEGERS",
    "TEXT",
    "Evil",
    "EvilInt",
    "Shade",
    "Tone",
    "odd",
    "usable",
]


class Shade(enum.IntEnum):
    LIGHT = 1
    DARK = 2


class Tone(enum.StrEnum):
    LOW = "low"
    HIGH = "high"


class Plain(enum.Enum):
    ONE = 1


class Evil(str):
    """A string whose own methods must never be called."""

    __slots__ = ()

    def __eq__(self, other):
        raise RuntimeError("an own __eq__ was called")

    def __hash__(self):
        return 7

    def __str__(self):
        return "another text"

    def __repr__(self):
        return "another text"


class EvilInt(int):
    def __int__(self):
        return 1_000_000

    __index__ = __float__ = __int__

    def __hash__(self):
        return 7

    def __eq__(self, other):
        return True


class OwnBytes(bytes):
    def __repr__(self):
        return "own"


class OwnFloat(float):
    def __float__(self):
        return 0.5


TEXT = st.text(st.characters(exclude_categories=()), max_size=4)
BYTES = st.binary(max_size=4)
INTEGERS = st.one_of(st.integers(-3, 3), st.integers(), st.integers(-(2**130), 2**130))
FLOATS = st.one_of(st.integers(-3, 3).map(float), st.floats())

#: Built-in values of the types that are allowed somewhere.
usable = st.one_of(TEXT, BYTES, st.booleans(), INTEGERS, FLOATS)

odd = st.one_of(
    usable,
    st.sampled_from(
        [
            None,
            pd.NA,
            pd.NaT,
            np.datetime64("2020-01-01"),
            np.datetime64("NaT"),
            np.timedelta64(1, "s"),
            np.timedelta64(1, "ns"),
            np.complex64(1),
            1j,
            np.longdouble(1),
            np.longdouble(1.5),
            np.longdouble("1e4000"),
            np.float16(1.0),
            np.float32(0.1),
            np.int8(1),
            np.uint64(2**64 - 1),
            np.bool_(True),
            np.str_("a\0"),
            np.bytes_(b"a\0"),
            np.void(b"a"),
            10**4000,
            -(10**4000),
            1e300,
            -0.0,
            "a\0",
            b"a\0",
            "\ud800",
            "\ud83d\ude00",
            "\N{GRINNING FACE}",
            decimal.Decimal("1"),
            decimal.Decimal("sNaN"),
            fractions.Fraction(1, 2),
            datetime.date(2020, 1, 1),
            datetime.timedelta(1),
            Shade.LIGHT,
            Tone.LOW,
            Plain.ONE,
            Evil("evil"),
            EvilInt(2),
            OwnBytes(b"own"),
            OwnFloat(2.0),
            pd.Interval(0, 1),
            pd.Timestamp("2020-01-01"),
            ("a", "b"),
            object(),
        ]
    ),
)
