"""Durations as users write them: 30s, 5m, 12h, 7d."""

from __future__ import annotations

import re

__all__ = ["duration", "interval"]

_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def duration(text: str) -> float:
    """Return the seconds of a duration.

    Examples
    --------
    >>> duration("30s"), duration("1.5h"), duration("7d")
    (30.0, 5400.0, 604800.0)
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)", text.strip())
    if found is None:
        raise ValueError(
            f"a duration must be a number and ms, s, m, h or d, as in 30s, got {text!r}"
        )
    return float(found[1]) * _UNITS[found[2]]


def interval(every: str | int | float) -> tuple[float | None, int | None]:
    """Return seconds and rows, one of them None: a text with a unit is a time, a number is rows.

    Examples
    --------
    >>> interval("30s"), interval("100000"), interval(500)
    ((30.0, None), (None, 100000), (None, 500))
    """
    text = str(every).replace("_", "").strip()
    if text.isdigit():
        if int(text) < 1:
            raise ValueError("every must be at least 1 row")
        return None, int(text)
    seconds = duration(text)
    if seconds <= 0:
        raise ValueError(f"every must be above 0, got {every!r}")
    return seconds, None
