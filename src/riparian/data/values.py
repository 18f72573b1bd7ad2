"""Labels, categories and feature names: the allowed values and their normalized form.

A schema has built-in values only: a subclass of `str` or `int`, an enumeration or a NumPy scalar
is converted to its built-in value. Every normalized value can be saved in a model file.

=========  ======================================  =====================================
value      allowed                                 normalized form
=========  ======================================  =====================================
label      strings, bytes, booleans, whole         a whole float is its integer
           numbers
category   strings, bytes, finite numbers          a whole float below ``2**128`` and a
                                                   boolean are their integers
name       strings, whole numbers                  a whole float and a boolean are their
                                                   integers
=========  ======================================  =====================================

Values that are equal in Python are the same label: ``True``, ``1`` and ``1.0`` are one label, in
the form that came first, but ``1``, ``"1"`` and ``b"1"`` are three.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, TypeAlias

import numpy as np

__all__ = [
    "EXACT_LABELS",
    "LABELS",
    "OTHER",
    "BuiltIn",
    "Category",
    "Label",
    "Name",
    "built_in",
    "category_of",
    "is_null",
    "is_whole_number",
    "json_object",
    "label_of",
    "name_of",
    "unwritable",
]

Label: TypeAlias = str | bytes | bool | int
Category: TypeAlias = str | bytes | int | float
Name: TypeAlias = str | int
BuiltIn: TypeAlias = str | bytes | bool | int | float

#: The category that all new values of a feature share once it has no room for more names. It is no
#: possible value of a column. Native code knows it as Py_Ellipsis (``bindings/encoding.cpp``).
OTHER = ...

#: The allowed labels, categories and names, for error messages.
LABELS = "labels must be strings, bytes, booleans or whole numbers of at most 128 bits"
CATEGORIES = "categories must be strings, bytes or numbers; whole numbers have at most 128 bits"
NAMES = "feature names must be strings or whole numbers of at most 128 bits"

#: Types that are labels without conversion.
EXACT_LABELS = frozenset((str, bytes, bool, int))
_EXACT = EXACT_LABELS | {float}

#: JSON has no limit, but Python reads at most 4300 digits. A UUID has 128 bits.
_MOST_BITS = 128

# JSON writes a character beyond 16 bits as two escapes, and reads two such escapes as one
# character. A string with two separate surrogates would therefore change.
_TWO_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def built_in(value: Any) -> BuiltIn | None:
    """Return the built-in value of a value, or None for any other type.

    Methods of the value's own class are not called, because they may be overridden.
    """
    kind = type(value)
    if kind in _EXACT:
        return value  # type: ignore[no-any-return]
    if issubclass(kind, str):
        return str.__str__(value)
    if issubclass(kind, bytes):
        return bytes.__getitem__(value, slice(None))
    if issubclass(kind, int):
        return int.__int__(value)
    if issubclass(kind, float):
        return float.__float__(value)
    if issubclass(kind, np.bool_):
        return bool(value)
    if issubclass(kind, np.integer) and not issubclass(kind, np.timedelta64):
        return int(value)
    if issubclass(kind, np.floating):
        return float(value)
    return None


def is_null(value: Any) -> bool:
    """Return whether a value is missing: None, NaN, or a null of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    plain = built_in(value)
    return type(plain) is float and math.isnan(plain)


def label_of(value: Any) -> Label:
    """Return a normalized label, or raise a ValueError if the value is not allowed."""
    given = plain = built_in(value)
    if isinstance(plain, float) and plain.is_integer():
        plain = int(plain)
    if plain is None or isinstance(plain, float):
        shown = repr(plain) if plain is not None or value is None else f"a {type(value).__name__}"
        raise ValueError(f"{shown} cannot be a label; {LABELS}")
    if fault := unwritable(plain):
        shown = f"{given!r}, {fault}," if isinstance(given, float) else fault
        raise ValueError(f"{shown} cannot be a label; {LABELS}")
    return plain


def category_of(value: Any) -> Category:
    """Return a normalized category, or raise a TypeError or ValueError if it is not allowed.

    NaN is a missing value, not a category: check with :func:`is_null` first.
    """
    plain = built_in(value)
    if plain is None:
        raise TypeError(f"argument must be a string or a real number, not {type(value).__name__!r}")
    if type(plain) is bool:
        return int(plain)
    if type(plain) is float:
        if not math.isfinite(plain):
            raise ValueError(f"{plain} cannot be learned; use NaN for a missing value")
        return int(plain) if plain.is_integer() and abs(plain) < 2.0**_MOST_BITS else plain
    if fault := unwritable(plain):
        raise ValueError(f"{fault} cannot be a category; {CATEGORIES}")
    return plain


def name_of(value: Any) -> Name:
    """Return a normalized feature name, or raise a TypeError or ValueError if not allowed."""
    if type(value) is str and value.isascii():  # the fast path: almost all names
        return value
    plain = built_in(value)
    if isinstance(plain, bool) or (isinstance(plain, float) and plain.is_integer()):
        plain = int(plain)
    if not isinstance(plain, str | int):
        raise TypeError(f"feature names must be strings or integers, got {value!r}")
    if fault := unwritable(plain):
        raise ValueError(f"{fault} cannot be a feature name; {NAMES}")
    return plain


def unwritable(value: object) -> str | None:
    """Describe a built-in value that cannot be saved in a model file; None for other values."""
    if type(value) is int and value.bit_length() > _MOST_BITS:
        return f"a whole number of {value.bit_length():,} bits"
    if type(value) is str and not value.isascii() and _TWO_HALVES.search(value):
        return f"{ascii(value)[:60]}, which has a character as two surrogates,"
    return None


def json_object(name: str, value: Any) -> dict[str, Any]:
    """Return a copy of `value` as a JSON object, or raise a ValueError.

    Examples
    --------
    >>> json_object("metadata_", {"trained by": "night shift", "runs": (1, 2)})
    {'trained by': 'night shift', 'runs': [1, 2]}
    """
    try:
        found = json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{name} must consist of JSON values: {error}") from None
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in value):
        raise ValueError(f"{name} must be a dict with strings as keys, got {value!r}")
    return found


def is_whole_number(text: str) -> bool:
    """Return whether a text is the usual spelling of a whole number of at most 18 characters.

    Texts such as "007" and "+7" are not: converting them to a number would lose their spelling.

    Examples
    --------
    >>> [is_whole_number(text) for text in ("7", "-7", "007", "+7", "7.0")]
    [True, True, False, False, False]
    """
    if len(text) > 18:
        return False
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and str(int(text)) == text
