"""Dates, times of day and durations as numbers of seconds, and the parts of a date as features."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from riparian.data.formatting import number_text
from riparian.data.values import is_null

__all__ = [
    "PARTS",
    "DateParts",
    "Part",
    "TimeKind",
    "Times",
    "check_parts",
    "days_since_1970",
    "exact_seconds",
    "is_time_type",
    "kind_text",
    "part_names",
    "time_text",
    "times_of_array",
    "times_of_arrow",
    "times_of_objects",
]

#: A date counts from 1970-01-01 00:00 UTC, a time of day from midnight.
TimeKind: TypeAlias = Literal["date", "time", "duration"]
Part: TypeAlias = Literal[
    "year", "month", "day", "weekday", "dayofyear", "hour", "minute", "second"
]
PARTS: tuple[Part, ...] = get_args(Part)
#: The values of the parameter `date_parts`.
DateParts: TypeAlias = Part | Sequence[Part] | None

#: What a time of day has of them.
_OF_A_DAY: tuple[Part, ...] = ("hour", "minute", "second")

_DAY = 86_400
_PER_SECOND = {"ms": 10**3, "us": 10**6, "ns": 10**9, "ps": 10**12, "fs": 10**15, "as": 10**18}
_SECONDS = {"W": 7 * _DAY, "D": _DAY, "h": 3600, "m": 60, "s": 1}
_FIRST_DAY = datetime.date(1970, 1, 1).toordinal()
_LAST_DAY = datetime.date.max.toordinal() - _FIRST_DAY


@dataclass(frozen=True)
class Times:
    """A column of dates, times of day or durations; NaN is missing."""

    seconds: NDArray[np.float64]
    kind: TimeKind
    #: The time on the clock of each row's time zone, from which parts are taken. None if it is
    #: `seconds`.
    local: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.seconds)

    def __getitem__(self, rows: Any) -> Times:
        local = None if self.local is None else self.local[rows]
        return Times(self.seconds[rows], self.kind, local)

    @property
    def clock(self) -> NDArray[np.float64]:
        return self.seconds if self.local is None else self.local

    def part(self, part: Part) -> NDArray[np.float64]:
        """Return a part of each date or time of day, such as its hour."""
        clock = self.clock
        known = np.isfinite(clock)
        whole = np.floor(clock[known]).astype(np.int64)
        found = np.full(len(clock), np.nan)
        found[known] = _part(whole, part)
        return found


def _part(seconds: NDArray[np.int64], part: Part) -> NDArray[Any]:
    days, within = np.divmod(seconds, _DAY)
    if part == "hour":
        return within // 3600
    if part == "minute":
        return within // 60 % 60
    if part == "second":
        return within % 60
    if part == "weekday":
        return (days + 3) % 7  # 1970-01-01 was a Thursday; Monday is 0
    dates = days.astype("datetime64[D]")
    years, months = dates.astype("datetime64[Y]"), dates.astype("datetime64[M]")
    if part == "year":
        return years.astype(np.int64) + 1970
    if part == "month":
        return months.astype(np.int64) % 12 + 1
    start = months if part == "day" else years
    found: NDArray[Any] = (dates - start.astype("datetime64[D]")).astype(np.int64) + 1
    return found


def part_names(kind: TimeKind, parts: Sequence[Part]) -> list[Part]:
    """Return those of the parts that times of a kind have."""
    if kind == "duration":
        return []
    return [part for part in parts if kind == "date" or part in _OF_A_DAY]


def check_parts(value: Any) -> tuple[Part, ...]:
    """Return the parts that a value of `date_parts` names, or raise a ValueError.

    Examples
    --------
    >>> check_parts(["hour", "weekday"]), check_parts("hour"), check_parts(None)
    (('hour', 'weekday'), ('hour',), ())
    """
    if value is None:
        return ()
    given = [value] if isinstance(value, str) else value
    allowed = isinstance(given, Sequence) and all(one in PARTS for one in given)
    if not allowed or len(set(given)) < len(given):
        raise ValueError(
            f"date_parts must be None, one of {', '.join(map(repr, PARTS))}, or a list of them "
            f"without repetition, got {value!r}"
        )
    return tuple(given)


def kind_text(kind: TimeKind) -> str:
    """Return what messages call the values of a kind."""
    return {"date": "dates", "time": "times of day", "duration": "durations"}[kind]


def time_text(kind: TimeKind, seconds: float) -> str:
    """Return seconds as people write them: dates in UTC.

    Examples
    --------
    >>> time_text("date", 1714557600.0), time_text("date", 86400.0), time_text("time", 52200.25)
    ('2024-05-01 10:00:00', '1970-01-02', '14:30:00.25')
    """
    days, within = divmod(seconds, _DAY)
    if kind == "duration" or not 1 - _FIRST_DAY <= days <= _LAST_DAY:
        return number_text(seconds)
    whole = int(within)
    clock = f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
    if kind == "time":
        return clock + f"{within - whole:.6f}"[1:].rstrip("0").rstrip(".")
    date = datetime.date.fromordinal(int(days) + _FIRST_DAY).isoformat()
    return date if within == 0 else f"{date} {clock}"


# -- NumPy ------------------------------------------------------------------------------------


def times_of_array(values: NDArray[Any], zoned: NDArray[Any] | None = None) -> Times:
    """Return the times of an array of the type datetime64 or timedelta64.

    Parameters
    ----------
    values : ndarray
        Dates in UTC, or durations.
    zoned : ndarray, optional
        The same dates on the clock of their time zone.
    """
    kind: TimeKind = "date" if values.dtype.kind == "M" else "duration"
    local = None if zoned is None else _seconds(zoned)
    return Times(_seconds(values), kind, local)


def _seconds(values: NDArray[Any]) -> NDArray[np.float64]:
    unit, step = np.datetime_data(values.dtype)
    if unit in ("Y", "M") and values.dtype.kind == "M":
        values, unit, step = values.astype("datetime64[D]"), "D", 1
    if unit == "generic":
        unit = "s"
    if unit not in _SECONDS and unit not in _PER_SECOND:
        raise ValueError("months and years have no fixed length; use days")
    return _scaled(values.astype(np.int64), unit, step, np.isnat(values))


def _scaled(
    counts: NDArray[np.int64], unit: str, step: int, missing: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return counts of a unit in seconds: the same time gives the same number in every unit."""
    counts = np.where(missing, 0, counts) * step
    if unit in _SECONDS:
        seconds = (counts * _SECONDS[unit]).astype(np.float64)
    else:
        # Away from 0 on both sides, so that -2 ms are -0.002 s.
        whole, rest = np.divmod(np.abs(counts), _PER_SECOND[unit])
        seconds = np.sign(counts) * (whole + rest / _PER_SECOND[unit])
    seconds[missing] = np.nan
    return np.asarray(seconds)


# -- Python objects ---------------------------------------------------------------------------

_TYPES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


def is_time_type(kind: type) -> bool:
    """Return whether the values of a type are dates, times of day or durations."""
    return issubclass(kind, _TYPES)


def times_of_objects(values: Sequence[Any], label: str) -> Times:
    """Return the times of a column of Python objects; an error names the column and the row."""
    seconds = np.full(len(values), np.nan)
    local = np.full(len(values), np.nan)
    kind: TimeKind | None = None
    for row, value in enumerate(values):
        if is_null(value) or (isinstance(value, np.datetime64) and np.isnat(value)):
            continue
        if not isinstance(value, _TYPES):
            if kind is None:
                row = next(i for i, one in enumerate(values) if isinstance(one, _TYPES))
                raise ValueError(
                    f"column {label!r}, row {row}: {values[row]!r} in a column of other values; "
                    f"convert all values to one type"
                )
            raise ValueError(
                f"column {label!r}, row {row}: {value!r} in a column of {kind_text(kind)}; "
                f"use None for a missing value"
            )
        found, seconds[row], local[row] = _time(value)
        if kind is not None and found != kind:
            raise ValueError(
                f"column {label!r}, row {row}: {value!r} in a column of {kind_text(kind)}"
            )
        kind = found
    same = bool((local == seconds)[~np.isnan(seconds)].all())
    return Times(seconds, kind or "date", None if same else local)


def _time(value: Any) -> tuple[TimeKind, float, float]:
    """Return the kind, the seconds and the local seconds of a value."""
    if isinstance(value, np.datetime64 | np.timedelta64):
        kind: TimeKind = "date" if isinstance(value, np.datetime64) else "duration"
        number = float(_seconds(np.array([value]))[0])
        return kind, number, number
    if isinstance(value, datetime.timedelta):
        # pandas' own type has nanoseconds, too.
        fraction = value.microseconds * 1000 + getattr(value, "nanoseconds", 0)
        number = exact_seconds(value.days * _DAY + value.seconds, fraction)
        return "duration", number, number
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        number = float(days_since_1970(value) * _DAY)
        return "date", number, number
    whole = value.hour * 3600 + value.minute * 60 + value.second
    fraction = value.microsecond * 1000 + getattr(value, "nanosecond", 0)
    if isinstance(value, datetime.time):
        number = exact_seconds(whole, fraction)
        return "time", number, number
    local = whole + days_since_1970(value) * _DAY
    zone = value.utcoffset()
    offset = 0 if zone is None else zone.days * _DAY + zone.seconds
    return "date", exact_seconds(local - offset, fraction), exact_seconds(local, fraction)


def days_since_1970(date: datetime.date) -> int:
    return date.toordinal() - _FIRST_DAY


def exact_seconds(whole: int, nanoseconds: int) -> float:
    """Return a number of seconds as `_scaled` does."""
    total = whole * 10**9 + nanoseconds
    seconds, rest = divmod(abs(total), 10**9)
    number = seconds + rest / 10**9
    return number if total >= 0 else -number


# -- Arrow ------------------------------------------------------------------------------------


def times_of_arrow(column: Any) -> Times | None:
    """Return the times of a pyarrow array; None if its type is another one."""
    import pyarrow as pa
    import pyarrow.compute

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    kind, types = column.type, pa.types
    missing = column.is_null().to_numpy(zero_copy_only=False)

    def seconds(array: Any, unit: str) -> NDArray[np.float64]:
        if array.null_count:
            array = array.fill_null(0)
        return _scaled(array.to_numpy(zero_copy_only=False), unit, 1, missing)

    if types.is_date32(kind):
        return Times(seconds(column.cast(pa.int32()).cast(pa.int64()), "D"), "date")
    if types.is_date64(kind):
        return Times(seconds(column.cast(pa.int64()), "ms"), "date")
    if types.is_time(kind):
        counts = column.cast(pa.int32() if types.is_time32(kind) else pa.int64())
        return Times(seconds(counts.cast(pa.int64()), kind.unit), "time")
    if types.is_duration(kind):
        return Times(seconds(column.cast(pa.int64()), kind.unit), "duration")
    if not types.is_timestamp(kind):
        return None
    local = None
    if kind.tz is not None and kind.tz.upper() not in ("UTC", "+00:00", "ETC/UTC", "Z"):
        clock = pyarrow.compute.local_timestamp(column)
        local = seconds(clock.cast(pa.int64()), kind.unit)
    return Times(seconds(column.cast(pa.int64()), kind.unit), "date", local)
