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


def decode(decoder: Any, body: bytes) -> Any:
    """Return what a JSON body says; a Problem if it is none, or has another shape."""
    _check_depth(body)
    return _decoded(decoder, body, "the body", None)


def _check_depth(body: bytes) -> None:
    if json_depth(body) > MOST_DEPTH:
        text = f"a body may have {MOST_DEPTH} arrays and objects within each other"
        raise Problem(400, "too_deep", text)


def _decoded(decoder: Any, body: bytes, what: str, row: int | None) -> Any:
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        found = re.search(r"`\$(?:\.rows)?\[(\d+)\]", str(error))
        place = row if found is None else int(found.group(1))
        raise Problem(422, "bad_shape", f"{what}: {str(error)[:300]}", row=place) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        text = f"{what} is not JSON: {str(error)[:200]}"
        raise Problem(400, "bad_json", text, row=row) from None


def decode_lines(decoder: Any, body: bytes) -> list[Any]:
    """Return the values of lines of JSON; empty lines are none."""
    _check_depth(body)
    try:
        found: list[Any] = decoder.decode_lines(body)
        # A value may go on after a line end, and two may be on one line: then lines are read alone.
        # No object has a brace that closes, a line end and a brace that opens in it.
        between = body.count(b"}\n{") + body.count(b"}\r\n{")
        if between + 1 == len(found) == body.count(b"\n") + (not body.endswith(b"\n")):
            return found
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        pass
    lines = enumerate(body.split(b"\n"))
    return [_decoded(decoder, line, f"line {n + 1}", n) for n, line in lines if line.strip()]
