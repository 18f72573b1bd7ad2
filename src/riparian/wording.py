"""How numbers, weights and labels are worded: short, distinct, harmless on a terminal."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from riparian.values import built_in

__all__ = [
    "compact_text",
    "distinct_numbers",
    "distinct_texts",
    "exact_text",
    "exact_value",
    "label_text",
    "number_text",
    "share_text",
    "weight_text",
]

MOST_DIGITS = 17  # enough for every float64
_MOST_BITS = 2048  # Python writes whole numbers of 640 digits whatever its limit is


def number_text(value: float, digits: int = 6) -> str:
    """Shortest readable text of a number to some significant digits; whole digits are all kept.

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
    """Text of a class weight: whole numbers exactly, others to four digits.

    Examples
    --------
    >>> weight_text(1204.0), weight_text(12.34567)
    ('1,204', '12.35')
    """
    if weight == round(weight):
        return f"{weight:,.0f}"
    return f"{weight:,.1f}" if weight >= 1000.0 else number_text(weight, 4)


def compact_text(weight: float) -> str:
    """Short text of a class weight for drawings.

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


def share_text(share: float) -> str:
    """Text of a share in per cent; only all is 100% and only nothing is 0%.

    Examples
    --------
    >>> share_text(1.0), share_text(0.9999), share_text(0.934), share_text(0.0004)
    ('100%', '>99%', '93%', '<1%')
    """
    if 0.0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= share < 1.0 else f"{share:.0%}"


def distinct_numbers(values: Sequence[float], digits: int) -> list[str]:
    """One text for each number, with more digits than asked only where two would look alike.

    Examples
    --------
    >>> distinct_numbers([2.5, 2.5000001, 7.0], digits=3)
    ['2.5', '2.5000001', '7']
    """
    wanted = [digits] * len(values)
    while True:
        texts = [number_text(v, d) for v, d in zip(values, wanted, strict=True)]
        times = Counter(texts)
        alike = [i for i, text in enumerate(texts) if times[text] > 1 and wanted[i] < MOST_DIGITS]
        if not alike:
            return texts
        for i in alike:
            wanted[i] += 1


def distinct_texts(values: Iterable[Any]) -> tuple[str, ...]:
    """One text for each value, different for different values and free of control characters.

    Examples
    --------
    >>> distinct_texts(["nurse", "clerk"]), distinct_texts([1, "1"])
    (('nurse', 'clerk'), ('1', "'1'"))
    """
    found = list(values)
    texts = [label_text(value) for value in found]
    if len(set(texts)) < len(texts):
        texts = [_printable(_written(exact_value(value))) for value in found]
    return tuple(texts)


def label_text(value: Any) -> str:
    """Text of a label, quoted only where it would otherwise be invisible or break the line."""
    value = exact_value(value)
    if isinstance(value, str):
        return value if value and value.isprintable() and value == value.strip() else repr(value)
    return _printable(_written(value))


def exact_text(value: Any) -> str:
    """What names a label or a category where all of them are texts; a text is left as it is."""
    value = exact_value(value)
    return value if isinstance(value, str) else label_text(value)


def exact_value(value: Any) -> Any:
    """The built-in value that a text, a number or bytes of any subclass holds.

    A subclass may word itself as it likes (an IntEnum does). The value that comes back has
    exactly the type str, bytes, bool, int or float, and words itself as those do. Anything else
    comes back as it is.

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


def _written(value: Any) -> str:
    """`repr`, also of whole numbers that are too long for Python to write as decimals."""
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return hex(value)
    return repr(value)


def _printable(text: str) -> str:
    return text if text.isprintable() else repr(text)[1:-1]
