"""Families of files whose digest is right and whose contents are not."""

from __future__ import annotations

import json
import math
import random
import struct
from collections.abc import Callable

import numpy as np

from tests.modelfile.parts import Parts, as_array, joined, set_value, signed

STRANGE_DOUBLES = [
    *(math.nan, math.inf, -math.inf, -1.0, 0.0, -0.0, 5e-324, 1e-310, 1e-300, 0.5, 1.0, 2.0),
    *(2.0**53, 2.0**200, 2.0**480, -(2.0**480), 2.0**511, 2.0**1020, 1e300, 1.7e308, 1e9),
]
STRANGE_INTEGERS = [0, 1, 2, 3, 4, 7, 100, 2**20, 2**31 - 1, 2**31, 2**32 - 1, 2**53, 2**64 - 1]


def strange(dice, dtype, old, length):
    if dtype == "F64":
        near = [old * 2, -old, old + 1, old / 3, old * (1 + 1e-12)]
        return dice.choice([*STRANGE_DOUBLES, *near])
    near = [old + step for step in (-2, -1, 1, 2)] + [dice.randrange(length + 2), -1, -2]
    return dice.choice([*STRANGE_INTEGERS, *near, *near])


GROWTH = ["delay", "dropped", "recalled", "estimated", "memory_values", "memory_codes"]
GROWTH += ["memory_labels", "memory_weights"]


TELLING = ["watch", "units", "detectors", "duel_born", "duel_values"]


def named(parts, names):
    """Arrays of these names, of the model or of its trees."""
    return [name for name in parts.arrays if name.rpartition(".")[2] in names]


def values(dice, parts):
    """Single values replaced: NaN, infinities, -1, huge and small indexes."""
    for _ in range(dice.randint(1, 3)):
        # What leaves watch, their units, bets, and what growth remembers are arrays of many
        # meanings.
        name = dice.choice(list(parts.arrays))
        if dice.random() < 0.3:
            telling = [each for each in named(parts, TELLING) if as_array(parts.arrays[each]).size]
            name = dice.choice(telling or named(parts, GROWTH) or [name])
        entry = parts.arrays[name]
        array = as_array(entry)
        if array.size:
            place = dice.randrange(array.size)
            old = array[place].item()
            del array  # or the bytes cannot be changed
            set_value(entry, place, strange(dice, entry[0], old, entry[1][0]))
    return parts.data()


INDEXES = ["parent", "branch", "heavy", "feature", "category", "test", "split_node"]
INDEXES += ["second_feature", "second_category", "second_test", "split_seen", "split_verdict"]
SUMS = ["counts", "weight", "checked", "right_majority", "right_bayes", "known", "cells"]
SUMS += ["table_known", "right_idbd", "weights", "right", "answered", "chunk_weights"]
SUMS += ["memory_weights"]


def structure(dice, parts):
    """The shape of a tree: parents swapped (cycles), nodes moved, children stolen."""
    one = dice.choice(named(parts, ["parent", "gaussian", "classes"])).rpartition(".")[0]
    arrays = {n.rpartition(".")[2]: e for n, e in parts.arrays.items() if n.startswith(one)}
    indexes = [name for name in INDEXES if name in arrays and len(arrays[name][2])]
    for _ in range(dice.randint(1, 2)):
        way = dice.randrange(5)
        if way < 2 and indexes:
            entry = arrays[dice.choice(indexes)]
            array = as_array(entry).copy()
            i, j = dice.randrange(array.size), dice.randrange(array.size)
            array[i], array[j] = array[j], array[i if way == 0 else j]
            entry[2] = bytearray(array.tobytes())
        elif way == 2 and "parent" in indexes:
            n = len(as_array(arrays["parent"]))
            set_value(arrays["parent"], dice.randrange(n), dice.randrange(n))
        elif way == 3:
            # All weights at once, so that the sums stay right.
            scale = dice.choice([1e-305, 1e-160, 1e-20, 1e20, 2.0**150, 2.0**190])
            for entry in (arrays[name] for name in SUMS if name in arrays):
                entry[2] = bytearray((as_array(entry) * scale).tobytes())
        elif "gaussian" in arrays:
            array = as_array(arrays["gaussian"]).copy()
            with np.errstate(over="ignore"):
                array[np.isfinite(array)] *= dice.choice([1e-300, 1e100, 2.0**400, 0.0])
            arrays["gaussian"][2] = bytearray(array.tobytes())
    return parts.data()


TYPES = ["F64", "F32", "F16", "BF16", "I64", "I32", "U32", "U64", "U8", "BOOL", "F8_E4M3", "X"]


def lengths(dice, parts):
    """Arrays shorter, longer, absent, twice there, of another type, shape or name."""
    for _ in range(dice.randint(1, 2)):
        name = dice.choice(list(parts.arrays))
        entry = parts.arrays[name]
        dtype, shape, contents = entry
        size = len(contents) // shape[0] if shape and shape[0] else 1
        way = dice.randrange(9)
        if way == 0:
            n = dice.randrange(2 * len(contents) // size + 2)
            entry[1:] = [[n], (contents * 3 + bytearray(n * size))[: n * size]]
        elif way == 1:
            del parts.arrays[name]
            if not parts.arrays:
                return parts.data()
        elif way == 2:
            parts.arrays[name + dice.choice(["2", " ", "\0", "é", "~"])] = [dtype, shape, contents]
        elif way == 3:
            other = dice.choice(list(parts.arrays))
            parts.arrays[name] = [*parts.arrays[other][:2], bytearray(parts.arrays[other][2])]
        elif way == 4:
            entry[0] = dice.choice(TYPES)
        elif way == 5:
            n = len(contents) // size
            entry[1] = dice.choice([[n, 1], [1, n], [], [0, 2**62], [n, 1, 1], [2**63], [-1]])
        elif way == 6:
            other = dice.choice(list(parts.arrays))
            parts.arrays[name], parts.arrays[other] = parts.arrays[other], parts.arrays[name]
        elif way == 7:
            entry[1:] = [[0], bytearray()]
        else:
            # One row more everywhere it is needed: a node that no one asked for.
            rows = ["test", "parent", "branch", "feature", "category", "heavy", "threshold"]
            for part in (parts.arrays[each] for each in named(parts, rows)):
                step = len(part[2]) // max(part[1][0], 1) if part[1] else 0
                part[1:] = [[len(part[2]) // step + 1 if step else 1], part[2] + part[2][-step:]]
            break
    return parts.data()


def deep(depth, leaf=0):
    for _ in range(depth):
        leaf = [leaf]
    return leaf


STRANGE_JSON = [
    *(None, True, False, 0, 1, -1, 2, 2**31, 2**64, 10**4000, 0.5, -0.5, 1e-320, 1e308),
    *(math.nan, math.inf, -math.inf, "", "a", "gini", "adaptive", "1", "\ud800", "a\0", "0"),
    *([], {}, [None], [[]], {"a": 1}, {"float": "nan"}, {"float": "0x1p9999"}, {"bytes": "zz"}),
    *({"float": 3}, {"bytes": "00", "float": "1"}, {"float": "inf"}, [1, 2, 3], ["a", "a"]),
    *(deep(50), deep(700), "x" * 10_000, [0] * 1000, "numeric", "categorical", "HoeffdingTree"),
    *({"policy": "window", "parameters": {}}, {"policy": [], "parameters": {}}),
    *({"policy": "gini", "parameters": {"c": 1}}, {"policy": "bins", "parameters": {"count": 0}}),
    *({"function": "builtins:len"}, {"policy": "hoeffding", "parameters": None}),
]


def header(dice, parts):
    """The JSON header: other kinds, names, parameters and lists."""
    for _ in range(dice.randint(1, 2)):
        edit_header(dice, parts)
    text = json.dumps(parts.header)
    way = dice.randrange(40)
    if way == 0:
        text = "[" * 100_000 + text
    elif way == 1:
        text = text.replace("200", "1" * 5000, 1)
    elif way == 2:
        text = text[: dice.randrange(len(text))]
    elif way == 3:
        text = text.replace('"format"', '"format": 1, "format"', 1)
    return parts.data(text)


def edit_header(dice, parts):
    whole = parts.header
    schema = whole.get("schema")
    features = schema.get("features") if isinstance(schema, dict) else None
    classes = schema.get("classes") if isinstance(schema, dict) else None
    way = dice.randrange(12)
    if way == 0:
        parts_of_it = ["format", "recipe", "parameters", "schema", "positions", "metadata", "more"]
        whole[dice.choice(parts_of_it)] = dice.choice(STRANGE_JSON)
    elif way == 1:
        whole.pop(dice.choice(list(whole)), None)
    elif way in (2, 3, 4) and isinstance(whole.get("parameters"), dict):
        names = [*whole["parameters"], "_engine", "predict", "__class__", "classes_"]
        name = dice.choice(names)
        if way == 2 and name in whole["parameters"]:
            del whole["parameters"][name]
        else:
            whole["parameters"][name] = dice.choice(STRANGE_JSON)
    elif way in (10, 11) and isinstance(whole.get("parameters"), dict):
        edit_policy(dice, whole["parameters"])
    elif way == 5 and isinstance(classes, list) and classes:
        edit_list(dice, classes)
    elif way in (6, 7) and isinstance(features, list) and features:
        feature = dice.choice(features)
        if isinstance(feature, dict):
            name = dice.choice(["name", "kind", "categories", "more"])
            if name == "categories" and dice.random() < 0.7:
                if isinstance(feature.get(name), list) and feature[name]:
                    edit_list(dice, feature[name])
            else:
                feature[name] = dice.choice(STRANGE_JSON)
    elif way == 8 and isinstance(features, list) and features:
        edit_list(dice, features)
    elif isinstance(schema, dict):
        schema[dice.choice(["features", "classes", "more"])] = dice.choice(STRANGE_JSON)


def edit_policy(dice, parameters):
    """A policy of another name, or with another value of a parameter, or another parameter."""
    policies = [p for p in parameters.values() if isinstance(p, dict) and "policy" in p]
    if isinstance(parameters.get("leaf"), list):
        policies += [p for p in parameters["leaf"] if isinstance(p, dict)]
    if not policies:
        return
    policy = dice.choice(policies)
    inside = policy.get("parameters")
    way = dice.randrange(4)
    if way == 0 or not isinstance(inside, dict):
        policy["policy"] = dice.choice([*STRANGE_JSON, "window", "linear-units", "options"])
    elif way == 1:
        policy[dice.choice(["parameters", "more"])] = dice.choice(STRANGE_JSON)
    elif way == 2 and inside:
        inside[dice.choice(list(inside))] = dice.choice(STRANGE_JSON)
    else:
        inside[dice.choice(["c", "size", "hook", "__class__", "more"])] = dice.choice(STRANGE_JSON)


def edit_list(dice, entries):
    place = dice.randrange(len(entries))
    way = dice.randrange(6)
    if way == 0:
        entries.pop(place)
    elif way == 1:
        entries.append(entries[place])
    elif way == 2:
        entries[place] = dice.choice(STRANGE_JSON)
    elif way == 3:
        entries.append(dice.choice(STRANGE_JSON))
    elif way == 4:
        dice.shuffle(entries)
    else:
        del entries[place:]


def layout(dice, parts):
    """The outer header: offsets, shapes and sizes that do not fit the data."""
    outer, contents = parts.layout()
    outer["__metadata__"] = {"riparian": json.dumps(parts.header)}
    for _ in range(dice.randint(1, 2)):
        name = dice.choice(list(outer))
        entry = outer[name]
        way = dice.randrange(8)
        if not isinstance(entry, dict) or way == 0:
            outer[name] = dice.choice(STRANGE_JSON)
        elif name == "__metadata__":
            outer[name] = dice.choice([{}, None, {"riparian": 3}, {"riparian": ""}, {"a": "b"}])
        elif way == 1:
            entry["shape"] = dice.choice([[2**60], [2**32, 2**32], [0], [-1], "a", None, [1.5]])
        elif way == 2:
            entry["data_offsets"] = dice.choice([[0, 8], [0, 2**63], [8, 0], [-8, 0], [0], "a"])
        elif way == 3:
            entry["dtype"] = dice.choice([*TYPES, None, 3, ""])
        elif way == 4:
            other = outer[dice.choice(list(outer))]
            if isinstance(other, dict) and "data_offsets" in other:
                entry["data_offsets"] = other["data_offsets"]
        elif way == 5:
            entry.pop(dice.choice(list(entry)))
        elif way == 6:
            outer[dice.choice(["", "new", "seen", "__metadata__"])] = entry
        else:
            # As a whole kilobyte more.
            last = max(e["data_offsets"][1] for e in outer.values() if has_offsets(e))
            outer["zeros"] = {"dtype": "U8", "shape": [1000], "data_offsets": [last, last + 1000]}
            contents += bytes(1000)
    head = json.dumps(outer).encode()
    if dice.random() < 0.1:
        sizes = [0, 1, len(head) - 1, len(head) + 1, 2**20, 2**40, 2**63, 2**64 - 1]
        return signed(struct.pack("<Q", dice.choice(sizes)) + head + contents[:-32])
    return joined(head, contents)


def has_offsets(entry):
    offsets = entry.get("data_offsets") if isinstance(entry, dict) else None
    return isinstance(offsets, list) and len(offsets) == 2


def bits(dice, parts):
    """A few flipped bits anywhere, header included."""
    body = bytearray(parts.data()[:-32])
    for _ in range(dice.choice([1, 1, 1, 2, 5])):
        body[dice.randrange(len(body))] ^= 1 << dice.randrange(8)
    return signed(body)


def splices(dice, parts):
    """Runs of bytes random, gone, moved or doubled."""
    body = bytearray(parts.data()[:-32])
    for _ in range(dice.randint(1, 3)):
        first = dice.randrange(len(body))
        n = min(dice.choice([1, 4, 8, 64, 1000]), len(body) - first)
        way = dice.randrange(4)
        if way == 0:
            body[first : first + n] = dice.randbytes(n)
        elif way == 1:
            del body[first : first + n]
        elif way == 2:
            body[first:first] = body[first : first + n]
        else:
            second = dice.randrange(len(body))
            body[first : first + n] = body[second : second + n]
        if len(body) < 100:
            break
    return signed(body)


Mutation = Callable[[random.Random, Parts], bytes]
FAMILIES: dict[str, Mutation] = {
    f.__name__: f for f in (values, structure, lengths, header, layout, bits, splices)
}
