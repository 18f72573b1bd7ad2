"""Labels, categories and names as an export can hold them, or an error that says why it cannot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from riparian.wording import exact_value

__all__ = ["python_list", "python_literal", "sound_text"]


def sound_text(text: str, language: str, *, nul: bool = False) -> str:
    """The text, if a language can hold it.

    Parameters
    ----------
    text : str
        A name, a label or a category.
    language : str
        What the error calls the language.
    nul : bool, default=False
        Whether it can hold NUL characters.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(
            f"{_shortened(text)} holds half of a surrogate pair, which is not valid Unicode and "
            f"which {language} cannot have; to_code('python') can"
        ) from None
    if "\0" in text and not nul:
        raise ValueError(
            f"{_shortened(text)} holds a NUL character, which {language} cannot have; "
            "to_code('python') can"
        )
    return text


def _shortened(text: str) -> str:
    return repr(text) if len(text) <= 80 else f"{text[:80]!r}..."


def python_literal(value: Any) -> str:
    """A value as Python code, all of it ASCII. No method of the value is asked for it."""
    value = exact_value(value)
    if value is None or isinstance(value, bool | str | bytes):
        return ascii(value)
    if isinstance(value, int):
        # Of hexadecimal digits Python reads and writes any number.
        return repr(value) if value.bit_length() < 64 else hex(value)
    if not isinstance(value, float):
        raise TypeError(f"a label or a category cannot be of the type {type(value).__name__}")
    if math.isnan(value):
        raise ValueError("NaN is a missing value and cannot be a label or a category")
    return repr(value) if math.isfinite(value) else f"{'-' if value < 0.0 else ''}1e999"


def python_list(values: Sequence[Any]) -> str:
    """A list of values as Python code."""
    return f"[{', '.join(map(python_literal, values))}]"
