"""JSON bodies and lines of JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from riparian.serve.http import Problem

__all__ = ["decode", "decode_lines"]


def decode(decoder: Any, body: bytes, what: str = "the body", row: int | None = None) -> Any:
    """Return what a JSON body says; a Problem if it is none, or has another shape."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        found = re.search(r"`\$(?:\.rows)?\[(\d+)\]", str(error))
        place = row if found is None else int(found.group(1))
        raise Problem(422, "bad_shape", f"{what}: {str(error)[:300]}", row=place) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        text = f"{what} is not JSON: {str(error)[:200]}"
        raise Problem(400, "bad_json", text, row=row) from None


def decode_lines(decoder: Any, body: bytes) -> Iterator[tuple[int, Any]]:
    """Give the values of lines of JSON with their numbers, counted from 0."""
    for number, line in enumerate(body.split(b"\n")):
        if line.strip():
            yield number, decode(decoder, line, f"line {number + 1}", number)
