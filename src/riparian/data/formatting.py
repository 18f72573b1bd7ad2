"""Format numbers, weights and labels as short, distinct and printable text."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from riparian.data.values import OTHER, built_in

__all__ = [
    "bytes_text",
    "compact_text",
    "distinct_numbers",
    "distinct_texts",
    "exact_text",
    "exact_value",
    "label_text",
    "number_text",
    "plural",
    "share_text",
    "weight_text",
]

MOST_DIGITS = 17  # enough for every float64
_MOST_BITS = 2048  # below 640 digits, the smallest limit that Python allows for int to str


def number_text(value: float, digits: int = 6) -> str:
    """Format a number with a number of significant digits, but keep all digits before the point.

    Parameters
    ----------
    value : float
        The number.
    digits : int, default=6
        Number of significant digits.

    Examples
    --------
    >>> number_text(2956.0), number_text(0.1 + 0.2), number_text(1234567.8), number_text(1.5e-7)
    ('2956', '0.3', '1234568', '1.5e-7')
    """
    if not math.isfinite(value):
        return str(value)
    if value == 0.0:
        return "0"
    if digits >= MOST_DIGITS:
        return repr(value).removesuffix(".0")
    magnitude = math.floor(math.log10(abs(value)))
    if -5 < magnitude < 15:
        text = f"{value:.{max(0, digits - 1 - magnitude)}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return f"{mantissa.rstrip('0').rstrip('.') if '.' in mantissa else mantissa}e{int(exponent)}"


def weight_text(weight: float) -> str:
    """Format a class weight: whole numbers exactly, others with four digits.

    Examples
    --------
    >>> weight_text(1204.0), weight_text(12.34567)
    ('1,204', '12.35')
    """
    if weight == round(weight):
        return f"{weight:,.0f}"
    return f"{weight:,.1f}" if weight >= 1000.0 else number_text(weight, 4)


def compact_text(weight: float) -> str:
    """Format a class weight briefly, for plots.

    Examples
    --------
    >>> compact_text(1204.0), compact_text(12345.0), compact_text(3.21e6)
    ('1,204', '12.3k', '3.21M')
    """
    if weight < 9999.5:
        return weight_text(weight) if weight < 10.0 else f"{weight:,.0f}"
    for size, unit in ((1e3, "k"), (1e6, "M"), (1e9, "G")):
        if weight < 999.5 * size:
            return f"{float(f'{weight / size:.3g}'):g}{unit}"
    return number_text(weight, 3)


def bytes_text(size: float) -> str:
    """Text of a number of bytes.

    Examples
    --------
    >>> bytes_text(512), bytes_text(1_254_000)
    ('512 bytes', '1.25 MB')
    """
    for unit in ("bytes", "kB", "MB"):
        if size < 1000.0:
            return f"{number_text(size, 3)} {unit}"
        size /= 1000.0
    return f"{number_text(size, 3)} GB"


def plural(n: int, one: str, many: str | None = None) -> str:
    """A number with its noun, such as ``1 leaf`` and ``1,204 leaves``."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def share_text(share: float) -> str:
    """Format a share in per cent. Only 1 is 100% and only 0 is 0%.

    Examples
    --------
    >>> share_text(1.0), share_text(0.9999), share_text(0.934), share_text(0.0004)
    ('100%', '>99%', '93%', '<1%')
    """
    if 0.0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1.0 else f"{share:.0%}"


def distinct_numbers(values: Sequence[float], digits: int) -> list[str]:
    """Format numbers so that different numbers have different texts.

    A number gets more than `digits` digits only if its text would otherwise be ambiguous.

    Examples
    --------
    >>> distinct_numbers([2.5, 2.5000001, 7.0], digits=3)
    ['2.5', '2.5000001', '7']
    """
    used = [digits] * len(values)
    while True:
        texts = [number_text(v, d) for v, d in zip(values, used, strict=True)]
        counts = Counter(texts)
        same = [i for i, text in enumerate(texts) if counts[text] > 1 and used[i] < MOST_DIGITS]
        if not same:
            return texts
        for i in same:
            used[i] += 1


def distinct_texts(values: Iterable[Any]) -> tuple[str, ...]:
    """Return one text per value: different for different values, without control characters.

    Examples
    --------
    >>> distinct_texts(["nurse", "clerk"]), distinct_texts([1, "1"])
    (('nurse', 'clerk'), ('1', "'1'"))
    """
    found = list(values)
    texts = [label_text(value) for value in found]
    if len(set(texts)) < len(texts):
        texts = [_printable(_repr(exact_value(value))) for value in found]
    return tuple(texts)


def label_text(value: Any) -> str:
    """Return the text of a label, with quotes only if it is empty, blank or not printable."""
    value = exact_value(value)
    if value is OTHER:
        return "other"
    if isinstance(value, str):
        return value if value and value.isprintable() and value == value.strip() else repr(value)
    return _printable(_repr(value))


def exact_text(value: Any) -> str:
    """Return the text of a label or category. A string is returned unchanged."""
    value = exact_value(value)
    return value if isinstance(value, str) else label_text(value)


def exact_value(value: Any) -> Any:
    """Return the built-in value of a string, number or bytes of any subclass.

    A subclass, such as an IntEnum, may have a text of its own. The result has exactly the type
    str, bytes, bool, int or float. Any other value is returned unchanged.

    Examples
    --------
    >>> import enum
    >>> import numpy as np
    >>> class Level(enum.IntEnum):
    ...     LOW = 1
    >>> exact_value(Level.LOW), exact_value(np.str_("a")), exact_value(np.bool_(True))
    (1, 'a', True)
    """
    plain = built_in(value)
    return value if plain is None else plain


def _repr(value: Any) -> str:
    """Return the `repr`, or hexadecimal digits of an integer that is too long for Python."""
    if value is OTHER:
        return "other"
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return hex(value)
    return repr(value)


def _printable(text: str) -> str:
    return text if text.isprintable() else repr(text)[1:-1]
