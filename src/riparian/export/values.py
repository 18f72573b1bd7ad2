"""Labels, categories and names in exported code."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from riparian.data.formatting import exact_value
from riparian.data.values import OTHER

__all__ = ["python_list", "python_literal", "sound_text"]


def sound_text(text: str, language: str, *, nul: bool = False) -> str:
    """Return the text, and check that a language can represent it.

    Parameters
    ----------
    text : str
        A name, label or category.
    language : str
        Name of the language, for the error message.
    nul : bool, default=False
        Whether the language allows NUL characters.

    Raises
    ------
    ValueError
        If the text has a lone surrogate or a NUL character.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"{_shortened(text)} has half of a surrogate pair, which is not valid Unicode and "
            f"which {language} does not support; to_code('python') does"
        ) from None
    if "\0" in text and not nul:
        raise ValueError(
            f"{_shortened(text)} has a NUL character, which {language} does not support; "
            "to_code('python') does"
        )
    return text


def _shortened(text: str) -> str:
    return repr(text) if len(text) <= 80 else f"{text[:80]!r}..."


def python_literal(value: Any) -> str:
    """Return a value as an ASCII Python literal, without calling methods of the value."""
    value = exact_value(value)
    if value is OTHER:
        return "..."
    if value is None or isinstance(value, bool | str | bytes):
        return ascii(value)
    if isinstance(value, int):
        # Python has no length limit for hexadecimal digits.
        return repr(value) if value.bit_length() < 64 else hex(value)
    if not isinstance(value, float):
        raise TypeError(f"a label or category cannot be of type {type(value).__name__}")
    if math.isnan(value):
        raise ValueError("NaN is a missing value and cannot be a label or category")
    return repr(value) if math.isfinite(value) else f"{'-' if value < 0.0 else ''}1e999"


def python_list(values: Sequence[Any]) -> str:
    """Return a list of values as Python code."""
    return f"[{', '.join(map(python_literal, values))}]"
