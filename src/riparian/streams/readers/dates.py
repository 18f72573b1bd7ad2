"""Dates and times of day in text files: ISO 8601 texts as seconds."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute

from riparian.data.times import Times, days_since_1970, exact_seconds, kind_text, times_of_arrow
from riparian.streams.readers.columns import MISSING, other_kind
from riparian.streams.readers.faults import Faults

__all__ = ["TextTime", "kind_of_texts", "not_a_time", "time_column", "times_of_texts"]

#: What a text can be; durations have no usual spelling.
TextTime: TypeAlias = Literal["date", "time"]

_CLOCK = r"(?P<hour>\d\d):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d+))?)?"
_ZONE = r"(?: ?(?P<zone>Z|[+-]\d\d(?::?\d\d)?))?"
_DATE = re.compile(
    rf"(?P<date>\d{{4}}-\d\d-\d\d)(?:[T ](?:{_CLOCK}|(?P<only_hour>\d\d)){_ZONE})?", re.ASCII
)
_TIME = re.compile(_CLOCK, re.ASCII)
_SHORTEST_TIME = len("10:30")
_FIRST = -float(719_162 * 86_400)  # 0001-01-01, the first date of Python's calendar
_OFFSET = r"(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>\d\d)?$"


def time_of_text(text: str, kind: TextTime) -> tuple[float, float]:
    """Return the seconds of a date or time of day, and those on the clock of its time zone.

    A date without a time zone counts as UTC.

    Examples
    --------
    >>> time_of_text("1970-01-02 00:00+01:00", "date")
    (82800.0, 86400.0)
    """
    found = (_DATE if kind == "date" else _TIME).fullmatch(text)
    if found is None:
        raise ValueError(text)
    fields = found.groupdict()
    hour = int(fields["hour"] or fields.get("only_hour") or 0)
    minute, second = int(fields["minute"] or 0), int(fields["second"] or 0)
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError(text)
    whole = hour * 3600 + minute * 60 + second
    nanoseconds = int((fields["fraction"] or "0")[:9].ljust(9, "0"))
    if kind == "time":
        number = exact_seconds(whole, nanoseconds)
        return number, number
    whole += days_since_1970(datetime.date.fromisoformat(fields["date"])) * 86_400
    offset = _offset(fields["zone"])
    return exact_seconds(whole - offset, nanoseconds), exact_seconds(whole, nanoseconds)


def _offset(zone: str | None) -> int:
    if zone is None or zone == "Z":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[3:].removeprefix(":") or 0)
    if hours > 23 or minutes > 59:
        raise ValueError(zone)
    return (hours * 3600 + minutes * 60) * (-1 if zone[0] == "-" else 1)


def _kind_of(text: str) -> TextTime | None:
    for kind in ("date", "time"):
        try:
            time_of_text(text, kind)
            return kind
        except ValueError:
            pass
    return None


def kind_of_texts(texts: Iterable[Any]) -> TextTime | None:
    """Return what all known texts of a column are; None if they are other texts."""
    column = texts if isinstance(texts, pa.ChunkedArray) else None
    if column is not None:
        texts = (scalar.as_py() for scalar in column)
    kind: TextTime | None = None
    for text in texts:
        if text is None:
            continue
        if not isinstance(text, str):
            return None
        text = text.strip()
        if text in MISSING:
            continue
        found = _kind_of(text)
        if found is None or (kind is not None and found != kind):
            return None
        if kind is None and column is not None and times_of_texts(column, found) is not None:
            return found
        kind = found
    return kind


def times_of_texts(column: Any, kind: TextTime) -> Times | None:
    """Return the times of an Arrow column of texts; None where each must be looked at."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if column.null_count == len(column):
        return Times(np.full(len(column), np.nan), kind)
    if kind == "time":
        shortest = pyarrow.compute.min(pyarrow.compute.binary_length(column)).as_py()
        if shortest < _SHORTEST_TIME:
            return None
        column = pyarrow.compute.binary_join_element_wise("1970-01-01T", column, "")
    for unit in ("us", "ns"):
        for zone in (None, "UTC") if kind == "date" else (None,):
            try:
                found = times_of_arrow(column.cast(pa.timestamp(unit, zone)))
            except pa.ArrowInvalid:
                continue
            assert found is not None
            with np.errstate(invalid="ignore"):
                if (found.seconds < _FIRST).any():
                    return None
            local = None if zone is None else _local(column, found.seconds)
            return Times(found.seconds, kind, local)
    return None


def _local(texts: Any, seconds: Any) -> Any:
    """Return the times on the clock of each text's time zone; None if all are in UTC."""
    if pyarrow.compute.all(pyarrow.compute.ends_with(texts, "Z")).as_py():
        return None
    parts = pyarrow.compute.extract_regex(texts, _OFFSET)

    def numbers(name: str) -> Any:
        digits = pyarrow.compute.struct_field(parts, name).fill_null("0")
        digits = pyarrow.compute.if_else(pyarrow.compute.equal(digits, ""), "0", digits)
        return digits.cast(pa.int64()).to_numpy()

    sign = pyarrow.compute.struct_field(parts, "sign").fill_null("")
    west = pyarrow.compute.equal(sign, "-").to_numpy(zero_copy_only=False)
    offset = numbers("hours") * 3600 + numbers("minutes") * 60
    return seconds + np.where(west, -offset, offset)


def time_column(
    name: str,
    texts: Sequence[Any],
    places: Sequence[int],
    faults: Faults,
    kind: TextTime,
    *,
    learned: bool = False,
) -> Times:
    """Read the dates of a block one by one; `places` are the numbers of its rows."""
    seconds = np.full(len(texts), np.nan)
    local = np.full(len(texts), np.nan)
    for i, text in enumerate(texts):
        known = "" if text is None else text.strip() if isinstance(text, str) else text
        if known in MISSING:
            continue
        try:
            if not isinstance(known, str):
                raise ValueError
            seconds[i], local[i] = time_of_text(known, kind)
        except ValueError:
            faults.add(places[i], not_a_time(name, places[i], text, kind, learned=learned))
    same = bool((seconds == local)[~np.isnan(seconds)].all())
    return Times(seconds, kind, None if same else local)


def not_a_time(name: str, row: int, text: Any, kind: TextTime, *, learned: bool = False) -> str:
    """Describe a text in a column of dates that is no date."""
    what = (
        "a date such as 2026-03-01 or 2026-03-01T14:30:00Z"
        if kind == "date"
        else ("a time of day such as 14:30 or 14:30:15")
    )
    return (
        f"column {name!r}, row {row}: {text!r} is not {what}, but the column holds "
        f"{kind_text(kind)}; {other_kind(name, learned=learned)}"
    )
