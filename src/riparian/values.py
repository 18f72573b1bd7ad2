"""Labels, categories and feature names: which values are allowed, and their one form.

Nothing but built-in values enters a schema: a subclass of `str` or `int`, an enumeration or a
NumPy scalar becomes the built-in value that it holds. Every value that passes here can be
written to a model file and read again.

=========  ======================================  =====================================
what       allowed                                 form
=========  ======================================  =====================================
label      strings, bytes, booleans, whole         a whole float is its integer
           numbers
category   strings, bytes, finite numbers          a whole float below ``2**128`` and a
                                                   boolean are their integers
name       strings, whole numbers                  a whole float and a boolean are their
                                                   integers
=========  ======================================  =====================================

Equal values are one: ``True``, ``1`` and ``1.0`` are one label, in the form in which it came first,
while ``1``, ``"1"`` and ``b"1"`` are three.
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
    "BuiltIn",
    "Category",
    "Label",
    "Name",
    "built_in",
    "category_of",
    "is_null",
    "json_object",
    "label_of",
    "name_of",
    "unwritable",
]

Label: TypeAlias = str | bytes | bool | int
Category: TypeAlias = str | bytes | int | float
Name: TypeAlias = str | int
BuiltIn: TypeAlias = str | bytes | bool | int | float

#: What labels, categories and names may be, for errors.
LABELS = "labels are strings, bytes, booleans or whole numbers of at most 128 bits"

CATEGORIES = "categories are strings, bytes or numbers, whole ones of at most 128 bits"
NAMES = "feature names are strings or whole numbers of at most 128 bits"

#: Types that need no conversion to be labels.
EXACT_LABELS = frozenset((str, bytes, bool, int))
_EXACT = EXACT_LABELS | {float}

#: JSON has no limit, but its readers do: Python's stops at 4300 digits. 128 bits hold a UUID.
_MOST_BITS = 128

# JSON writes a character beyond 16 bits as two escapes and reads two such escapes as one
# character, so a string with the two halves in it would come back as another one.
_TWO_HALVES = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def built_in(value: Any) -> BuiltIn | None:
    """The built-in value that a value holds; None for one of any other type.

    Methods of the value's own class are not called: they may be overridden.
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
    """Whether a value stands for a missing one: None, NaN, or a null of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    plain = built_in(value)
    return type(plain) is float and math.isnan(plain)


def label_of(value: Any) -> Label:
    """A label in its one form; a ValueError for a value that cannot be one."""
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
    """A category in its one form; a TypeError or ValueError for a value that cannot be one.

    NaN is no category, but a missing value: check with :func:`is_null` first.
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
    """A feature name in its one form; a TypeError or ValueError for what cannot be one."""
    if type(value) is str and value.isascii():  # most names, of every example
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
    """What is wrong with a built-in value that no model file can hold; None for others."""
    if type(value) is int and value.bit_length() > _MOST_BITS:
        return f"a whole number of {value.bit_length():,} bits"
    if type(value) is str and not value.isascii() and _TWO_HALVES.search(value):
        return f"{ascii(value)[:60]}, which holds a character as two surrogates,"
    return None


def json_object(name: str, value: Any) -> dict[str, Any]:
    """A copy of `value` as JSON has it; a ValueError unless it is an object of JSON.

    Examples
    --------
    >>> json_object("metadata_", {"trained by": "night shift", "runs": (1, 2)})
    {'trained by': 'night shift', 'runs': [1, 2]}
    """
    try:
        found = json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"{name} must be what JSON can hold: {error}") from None
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in value):
        raise ValueError(f"{name} must be a dict with strings as keys, got {value!r}")
    return found
