"""JSON bodies and lines of JSON."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from riparian._core import json_depth
from riparian.serve.http import Problem

__all__ = ["MOST_DEPTH", "decode", "decode_lines"]

#: Arrays and objects of a body that may be open at once.
MOST_DEPTH = 8
#: What decoders raise; a ValidationError is a DecodeError.
_BAD = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)


def decode(decoder: Any, body: bytes) -> Any:
    """Return what a JSON body says; a Problem if it is none, or has another shape."""
    if json_depth(body) > MOST_DEPTH:
        raise _too_deep()
    try:
        return decoder.decode(body)
    except _BAD as error:
        raise _problem(error, "the body", None) from None


def _too_deep() -> Problem:
    text = f"a body may have {MOST_DEPTH} arrays and objects within each other"
    return Problem(400, "too_deep", text)


def _problem(error: Exception, what: str, row: int | None) -> Problem:
    """Return what is wrong with JSON that could not be decoded."""
    if isinstance(error, msgspec.ValidationError):
        found = re.search(r"`\$(?:\.rows)?\[(\d+)\]", str(error))
        place = row if found is None else int(found.group(1))
        return Problem(422, "bad_shape", f"{what}: {str(error)[:300]}", row=place)
    text = f"{what} is not JSON: {str(error)[:200]}"
    return Problem(400, "bad_json", text, row=row)


def _decoded(decoder: Any, line: bytes, row: int) -> Any:
    try:
        return decoder.decode(line)
    except _BAD as error:
        raise _problem(error, f"line {row + 1}", row) from None


def decode_lines(decoder: Any, body: bytes) -> list[Any]:
    """Return the values of lines of JSON; empty lines are none."""
    if json_depth(body) > MOST_DEPTH:
        raise _too_deep()
    try:
        found: list[Any] = decoder.decode_lines(body)
        # A value may go on after a line end, and two may be on one line: then lines are read alone.
        # No object has a brace that closes, a line end and a brace that opens in it.
        between = body.count(b"}\n{") + body.count(b"}\r\n{")
        if between + 1 == len(found) == body.count(b"\n") + (not body.endswith(b"\n")):
            return found
    except _BAD:
        pass
    lines = enumerate(body.split(b"\n"))
    return [_decoded(decoder, line, n) for n, line in lines if line.strip()]
