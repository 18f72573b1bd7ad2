"""Every ill that one array of a file can have, one at a time."""

from __future__ import annotations

import math

import numpy as np

from tests.modelfile.parts import as_array, set_value

#: A type of the same size that it is not.
OTHER = {"F64": "I64", "I32": "U32", "U8": "I8", "U32": "I32", "U64": "F64"}
#: Lists that older versions wrote shorter.
GROWN = ("change_totals",)
DOUBLES = [math.nan, -math.inf, -1.0, 0.5, 2.0**200]
INTEGERS = [-1, 0, 1, 2**20, 2**31, 2**63]


def ailing(whole):
    """What is wrong, and the file: for each array of these, and of the first tree of each kind."""
    kinds = set()
    for parts in whole:
        own = [name for name in parts.arrays if "." not in name]
        of_tree = [name for name in parts.arrays if name.startswith("tree0.")]
        for what, ill in in_turn(parts, own if tuple(own) in kinds else own + of_tree):
            yield f"{parts.header['recipe']}: {what}", ill
        kinds.add(tuple(own))


def in_turn(parts, names):
    for name in names:
        entry = parts.arrays[name]
        found = forms(name, *entry)
        # What values of trees mean is tried with trees.
        for what, entries in found if "." in name else [*found, *contents_of(name, *entry)]:
            ill = parts.copy()
            del ill.arrays[name]
            ill.arrays |= entries
            yield f"{name} {what}", ill


def forms(name, dtype, shape, contents):
    """What is wrong with the array as a whole, and the arrays instead of it."""
    n = shape[0]
    size = len(contents) // n if n else 8
    yield "absent", {}
    yield "longer", {name: [dtype, [n + 1], contents + (contents[-size:] or bytes(size))]}
    yield "of another type", {name: [OTHER[dtype], shape, contents]}
    if n > 0:
        yield "shorter", {name: [dtype, [n - 1], contents[:-size]]}


def contents_of(name, dtype, shape, contents):
    """What is wrong inside it."""
    n = shape[0]
    yield "twice", {name: [dtype, shape, contents], f"{name}2": [dtype, shape, contents]}
    yield "of two dimensions", {name: [dtype, [n, 1], contents]}
    if n > 1:
        yield "empty", {name: [dtype, [0], bytearray()]}
    for place in sorted({0, n - 1} if n else {}):
        old = as_array([dtype, shape, contents])[place].item()
        for value in DOUBLES if dtype == "F64" else [*INTEGERS, old - 1, old + 1]:
            entry = [dtype, shape, bytearray(contents)]
            set_value(entry, place, value)
            if entry[2] != contents:
                yield f"[{place}] = {value}", {name: entry}


def same_contents(model_parts, parts):
    """Whether a file says what another one says, whose arrays may have been left out."""
    for name, entry in parts.arrays.items():
        if name not in model_parts.arrays:
            return False
        got, said = as_array(model_parts.arrays[name]), as_array(entry)
        if name.endswith(GROWN):
            got = got[: len(said)]
        if not np.array_equal(got, said, equal_nan=True):
            return False
    return True
