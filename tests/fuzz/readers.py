"""Fuzzes the readers of text files: the rows do not depend on the size of the blocks.

The first byte of an input chooses the format, whether it is packed, and the options; the rest is
the file.
"""

from __future__ import annotations

import atexit
import gzip
import os
import random
import re
import tempfile
import time
from pathlib import Path
from typing import Any

from riparian.streams import open_stream
from tests.fuzz.draw import changed, same

FORMATS = ("csv", "tsv", "jsonl", "arff", "libsvm")
SIZES = (1, 7, 10_000)
#: For an input of at most 20 kB, read six times.
SECONDS = 10.0
#: A wide libsvm row is dense: a short line may ask for a million columns.
WIDEST = 2000

_file = tempfile.NamedTemporaryFile(prefix="riparian-fuzz-", delete=False)  # noqa: SIM115
PATH = Path(_file.name)
_file.close()
_owner = os.getpid()
atexit.register(lambda: PATH.unlink(missing_ok=True) if os.getpid() == _owner else None)

#: What is said of the file as a whole, when its first rows are looked at.
_WHOLE = re.compile(
    r"looks like a quantity|no column is left|must hold numbers|must be numeric|is empty"
)
_PLACE = re.compile(r"\brow \d+|the first line|\bline \d+")


def options(byte: int) -> dict[str, Any]:
    form = FORMATS[byte % 5]
    chosen: dict[str, Any] = {"format": form}
    way = byte // 5 % 4
    if form in ("csv", "tsv", "jsonl") and way % 2:
        chosen["target"] = "y"
    elif form in ("arff", "libsvm") and way == 1:
        chosen["target"] = False
    if way == 3 and form in ("csv", "tsv", "arff"):
        chosen["encoding"] = "latin-1"
    elif way == 2 and form == "csv":
        chosen["delimiter"] = ";"
    return chosen


def rows_of(size: int, chosen: dict[str, Any]) -> tuple[list[Any], str | None, int, str | None]:
    """The rows, the error that ended them, and how many were skipped, why."""
    rows: list[Any] = []
    try:
        stream = open_stream(PATH, **chosen)
    except ValueError as error:
        return [], f"opening: {error}", 0, None
    with stream:
        try:
            for X, y in stream.blocks(size):
                names = list(X)
                lists = [X[name].tolist() for name in names]
                labels = [None] * len(stream.places) if y is None else y.tolist()
                assert all(len(column) == len(labels) for column in lists), "columns differ"
                for i, place in enumerate(stream.places):
                    # A feature that has not appeared yet is a missing value.
                    values = {n: c[i] for n, c in zip(names, lists, strict=True)}
                    known = {n: v for n, v in values.items() if v is not None and v == v}
                    rows.append((place, known, labels[i]))
        except ValueError as error:
            message = str(error)
            assert _PLACE.search(message) or _WHOLE.search(message), f"no place: {message}"
            return rows, f"{type(error).__name__}: {message}", stream.skipped, stream.first_fault
        return rows, None, stream.skipped, stream.first_fault


def equal(one: Any, other: Any) -> bool:
    place, known, label = one
    other_place, other_known, other_label = other
    return (
        place == other_place
        and same(label, other_label)
        and list(known) == list(other_known)
        and all(same(v, other_known[n]) for n, v in known.items())
    )


def too_wide(body: bytes) -> bool:
    return any(int(index) > WIDEST for index in re.findall(rb"(\d{4,18})(?=:)", body))


def run(data: bytes) -> None:
    if not data:
        return
    byte, body = data[0], data[1:]
    chosen = options(byte)
    if chosen["format"] == "libsvm" and too_wide(body):
        return
    if byte >= 200:
        body = gzip.compress(body, 1, mtime=0)
    elif byte >= 180:  # damaged behind its header
        packed = bytearray(gzip.compress(body, 1, mtime=0))
        packed[-(len(body) % max(len(packed) - 10, 1)) - 1 :] = b""
        body = bytes(packed)
    PATH.write_bytes(body)
    begin = time.process_time()
    for skip in (False, True):
        results = [rows_of(size, chosen | {"skip_bad_rows": skip}) for size in SIZES]
        rows, error, skipped, fault = results[0]
        for size, (others, other_error, other_skipped, other_fault) in zip(
            SIZES[1:], results[1:], strict=True
        ):
            what = f"blocks of {size} rows, skip_bad_rows={skip}"
            # A block that cannot be read is not handed out in part.
            whole = error is None or (skip and "Damaged" in error)
            assert len(others) == len(rows) if whole else len(others) <= len(rows), (
                f"{what}: {len(others)} rows, not {len(rows)}"
            )
            for one, other in zip(rows, others, strict=False):
                assert equal(one, other), f"{what}: {other} is not {one}"
            # A block is read column by column: of several bad rows any may be named.
            assert (error is None) == (other_error is None), f"{what}: {other_error}, not {error}"
            if error is not None and error.startswith(("opening", "DamagedFile")):
                assert error == other_error, f"{what}: {other_error} is not {error}"
            if skip:
                assert (skipped, fault) == (other_skipped, other_fault), f"{what}: {other_fault}"
        places = [place for place, *_ in rows]
        assert places == sorted(set(places)), "the numbers of the rows do not rise"
        if skip and error is not None and not error.startswith(("opening", "DamagedFile")):
            assert _WHOLE.search(error), f"not skipped: {error}"
    took = time.process_time() - begin
    assert took < SECONDS, f"it took {took:.1f} s to read {len(body):,} bytes"


TOKENS = [
    *(b",", b"\t", b"\n", b"\r\n", b"\r", b'"', b'""', b"'", b"?", b"NA", b"nan", b"inf", b"1e999"),
    *(b"y", b"x,y\n", b"-0.0", b"0x10", b"1_000", b" ", b";", b"\xef\xbb\xbf", b"\xff"),
    *(b'{"x": 1, "y": "a"}\n', b"null", b"true", b"[1]", b'"y":', b'{"', b"}", b"1" * 400, b"1e5"),
    *(b"@attribute a numeric\n", b"@attribute b {u, 'v w'}\n", b"@data\n", b"@relation r\n", b"%"),
    *(b"{0 1, 1 2}\n", b"{", b"string", b"date", b"1:2", b" 3:0.5", b"+1", b"#", b"-1 1:1\n"),
    *(b"\\", b"\\'", b"9" * 20, b"\xe2\x80\xa8", b"\x0b", b"\x1c", b"\x85", b"\xa0", b"Infinity"),
    *(b"\0", b"\xc3\xa9"),
]


def mutate(dice: random.Random, data: bytes) -> bytes:
    return changed(dice, data, TOKENS)


SAMPLES = {
    "csv": [
        b"x,c,y\n1,u,a\n2.5,v,b\n?,w,a\n,NA,b\n-3e2,u,a\n",
        b'x,"c d",y\n1,"u, v",a\n2,"w\nw",b\n3,"say ""hi""",a\n',
        b"x;c;y\n1;u;0\n2;v;1\n",
        b"\xef\xbb\xbfx,c,y\r\n1,u,1\r\n2,v,0\r\n3\r\n4,w,1\r\n",
        b"x,y\n1,a\n\n2,b\ninf,a\n1_0,b\n12345678.12345678,a\nx,b\n",
    ],
    "tsv": [b"x\tc\ty\n1\tu\ta\n2\tv\tb\n", b'x\ty\n"1"\ta\n2 \tb\n'],
    "jsonl": [
        b'{"x": 1, "c": "u", "y": "a"}\n{"x": null, "y": "b", "z": 2.5}\n\n{"x": "3", "y": "a"}\n',
        b'{"x": 1, "y": 0}\n{"x": 1e400, "y": 1}\n[1]\n{"x": {"a": 1}, "y": 1}\n{"x": 2\n',
        b'{"y": true, "c": "\\ud800"}\n{"y": false, "c": "\xc3\xa9"}\n',
    ],
    "arff": [
        b"% c\n@relation r\n@attribute a numeric\n@attribute 'b c' {u,'v w'}\n"
        b"@attribute class {x,y}\n@data\n1,u,x\n?,'v w',y\n{0 2, 2 y}\n% c\n3,u,x\n",
        b"@RELATION r\n@ATTRIBUTE a REAL\n@ATTRIBUTE s STRING\n@ATTRIBUTE k INTEGER\n@DATA\n"
        b"1.5,\"a 'b'\",0\n2 w 1\n{1 'x', 2 1}\n1,2\n",
    ],
    "libsvm": [
        b"+1 1:0.5 3:2\n-1 2:1 # c\n1.0 5:1e3\n\n-1 1:nan\n",
        b"0 1:1\n1 2:x\n2 3:1 2:1\n1\n",
    ],
}


def seeds() -> dict[str, bytes]:
    """Small files of each format, plain and packed, with and without a target."""
    found = {}
    for i, form in enumerate(FORMATS):
        for j, body in enumerate(SAMPLES[form]):
            for way, name in ((0, "plain"), (1, "target"), (2, "other"), (3, "latin")):
                found[f"{form}-{j}-{name}"] = bytes([i + 5 * way]) + body
        found[f"{form}-packed"] = bytes([200 + i + 5]) + SAMPLES[form][0]
        found[f"{form}-damaged"] = bytes([180 + i + 5]) + SAMPLES[form][0]
    return found
