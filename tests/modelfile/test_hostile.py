"""Files whose digest is right and whose contents are not: refused, or a model that works.

The files are tried in a process of its own with 1 GB more than it has at the start,
so that a crash, a hang or a large allocation is a failed test and not a dead run.
``python test_hostile.py FAMILY COUNT`` tries some by hand.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import random
import resource
import signal
import struct
import subprocess
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
import safetensors

import riparian as rp
from riparian.modelfile import from_bytes, to_bytes

#: More than 25,000 with a right digest; fewer where most of them are models to try out.
FILES = {
    "values": 4000,
    "structure": 2500,
    "lengths": 4000,
    "header": 4000,
    "layout": 4000,
    "bits": 4000,
    "splices": 4000,
}
ROOM = 1 << 30
SECONDS_A_FILE = 15

# -- a file, taken apart ----------------------------------------------------------------------


class Parts:
    """The arrays of a file as (type, shape, bytes), and its header."""

    def __init__(self, data):
        (length,) = struct.unpack("<Q", data[:8])
        outer = json.loads(data[8 : 8 + length])
        start = 8 + length
        self.header = json.loads(outer.pop("__metadata__")["riparian"])
        self.arrays = {}
        for name, entry in outer.items():
            first, last = entry["data_offsets"]
            if name != "~digest":
                contents = bytearray(data[start + first : start + last])
                self.arrays[name] = [entry["dtype"], list(entry["shape"]), contents]

    def copy(self):
        twin = object.__new__(Parts)
        twin.header = json.loads(json.dumps(self.header))
        twin.arrays = {n: [t, list(s), bytearray(b)] for n, (t, s, b) in self.arrays.items()}
        return twin

    def layout(self):
        """The outer header, and the bytes of the arrays."""
        outer = {}
        place = 0
        arrays = [*self.arrays.items(), ("~digest", ["U8", [32], bytearray(32)])]
        for name, (dtype, shape, contents) in arrays:
            outer[name] = {
                "dtype": dtype,
                "shape": shape,
                "data_offsets": [place, place + len(contents)],
            }
            place += len(contents)
        return outer, b"".join(contents for _, (_, _, contents) in arrays)

    def data(self, header_text=None):
        outer, contents = self.layout()
        outer["__metadata__"] = {"riparian": header_text or json.dumps(self.header)}
        return joined(json.dumps(outer).encode(), contents)


def joined(head, contents):
    return signed(struct.pack("<Q", len(head)) + head + contents[:-32])


def signed(body):
    return bytes(body) + hashlib.sha256(body).digest()


NUMPY = {"F64": "<f8", "I32": "<i4", "U8": "u1", "U32": "<u4", "U64": "<u8"}


def as_array(entry):
    return np.frombuffer(entry[2], dtype=NUMPY[entry[0]])


# -- the families of mutations ----------------------------------------------------------------

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


def set_value(entry, place, value):
    dtype = entry[0]
    if dtype == "F64":
        struct.pack_into("<d", entry[2], 8 * place, value)
        return
    size = {"I32": 4, "U8": 1, "U32": 4, "U64": 8}[dtype]
    number = value % (1 << 8 * size)
    entry[2][size * place : size * place + size] = number.to_bytes(size, "little")


GROWTH = ["delay", "dropped", "recalled", "estimated", "memory_values", "memory_codes"]
GROWTH += ["memory_labels", "memory_weights"]


def values(dice, parts):
    """Single values replaced: NaN, infinities, -1, huge and small indexes."""
    for _ in range(dice.randint(1, 3)):
        # What leaves watch, their units, and what growth remembers are arrays of many meanings.
        name = dice.choice(list(parts.arrays))
        if dice.random() < 0.3:
            telling = [each for each in ("watch", "units") if as_array(parts.arrays[each]).size]
            name = dice.choice(telling or GROWTH)
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
SUMS += ["table_known", "right_idbd"]


def structure(dice, parts):
    """The shape of the tree: parents swapped (cycles), nodes moved, children stolen."""
    for _ in range(dice.randint(1, 2)):
        way = dice.randrange(5)
        if way == 0:
            entry = parts.arrays[dice.choice(INDEXES)]
            array = as_array(entry).copy()
            i, j = dice.randrange(array.size), dice.randrange(array.size)
            array[i], array[j] = array[j], array[i]
            entry[2] = bytearray(array.tobytes())
        elif way == 1:
            entry = parts.arrays[dice.choice(INDEXES)]
            array = as_array(entry).copy()
            array[dice.randrange(array.size)] = array[dice.randrange(array.size)]
            entry[2] = bytearray(array.tobytes())
        elif way == 2:
            place = dice.randrange(len(parts.arrays["test"][2]))
            above = dice.randrange(len(parts.arrays["test"][2]))
            set_value(parts.arrays["parent"], place, above)
        elif way == 3:
            # All weights at once, so that the sums stay right.
            scale = dice.choice([1e-305, 1e-160, 1e-20, 1e20, 2.0**150, 2.0**190])
            for name in SUMS:
                array = as_array(parts.arrays[name]) * scale
                parts.arrays[name][2] = bytearray(array.tobytes())
        else:
            array = as_array(parts.arrays["gaussian"]).copy()
            with np.errstate(over="ignore"):
                array[np.isfinite(array)] *= dice.choice([1e-300, 1e100, 2.0**400, 0.0])
            parts.arrays["gaussian"][2] = bytearray(array.tobytes())
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
            for part in (parts.arrays[each] for each in rows if each in parts.arrays):
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
    way = dice.randrange(10)
    if way == 0:
        whole[dice.choice(["format", "recipe", "parameters", "schema", "more"])] = dice.choice(
            STRANGE_JSON
        )
    elif way == 1:
        whole.pop(dice.choice(list(whole)), None)
    elif way in (2, 3, 4) and isinstance(whole.get("parameters"), dict):
        names = [*whole["parameters"], "_engine", "predict", "__class__", "classes_"]
        name = dice.choice(names)
        if way == 2 and name in whole["parameters"]:
            del whole["parameters"][name]
        else:
            whole["parameters"][name] = dice.choice(STRANGE_JSON)
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

COSTS = {("a", "b"): 3.0, ("b", "c"): 0.5, ("d", "a"): 0.25}

# -- a model that works -----------------------------------------------------------------------

N = 500
RNG = np.random.default_rng(5)
NUMBERS = RNG.standard_normal(N)
NUMBERS[::17] = np.nan
WORDS = RNG.choice(np.array(["u", "v", "w", None, "new"], dtype=object), N)
LABELS = RNG.choice(np.array(["a", "b", "c", "d"], dtype=object), N)


def columns_for(model, n):
    """Values for the columns that this model says it has, at most fifty of them."""
    columns = {
        feature.name: (NUMBERS if feature.kind == "numeric" else WORDS)[:n]
        for feature in model._schema.features[:50]
    }
    return columns or {"only": NUMBERS[:n]}


def check_answers(model, columns):
    probabilities = model.predict_proba(columns)
    assert probabilities.shape[1] == len(model.classes_)
    assert np.isfinite(probabilities).all()
    assert (probabilities >= 0).all()
    if len(model.classes_) and model._engine.n_classes:
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=0, atol=1e-9)
        assert len(model.predict(columns)) == len(probabilities)
        model.predict_one({name: values[0] for name, values in columns.items()})


def check_works(model):
    """Answers, learns, grows, tells about itself, and can be saved and loaded again."""
    columns = columns_for(model, N)
    if model._schema.features:
        check_answers(model, {name: values[:40] for name, values in columns.items()})
    model.partial_fit(columns, LABELS)
    model.learn_one({name: values[3] for name, values in columns.items()}, "a")
    more = {name: values[:20] for name, values in columns.items()} | {"brand new": NUMBERS[:20]}
    model.partial_fit(more, LABELS[:20])
    check_answers(model, {name: values[-40:] for name, values in columns.items()})
    for split in model.splits():
        assert math.isfinite(split.gain)
    for pending in model.pending():
        assert math.isfinite(pending.gain)
    assert np.isfinite(model.feature_importances_).all()
    data = to_bytes(model)
    assert to_bytes(from_bytes(data)) == data


def sample_models():
    """Plain trees, one for each kind of watch that leaves can keep, and one with a seed."""
    for n, cls, more in [
        (200, rp.HoeffdingTree, {"leaf": "adaptive", "categorical_cuts": "both"}),
        (200, rp.VFDT, {}),
        (200, rp.HoeffdingTree, {"impurity": "loss", "evaluator": "prequential", "costs": COSTS}),
        (200, rp.CorrectedVFDT, {"evaluator": "holdout"}),
        (200, rp.HoeffdingTree, {"bound": "delta-method", "pairing": "paired"}),
        (200, rp.VFDTc, {}),
        (1300, rp.NIP, {"n_intervals": 5, "max_leaves": 4}),
        (200, rp.HybridTree, {}),
        (200, rp.HoeffdingTree, {"leaf": "idbd"}),
        (200, rp.VFDT, {"leaf": ("majority", "naive-bayes", "idbd"), "costs": COSTS}),
        (
            300,
            rp.HoeffdingTree,
            {"leaf": "majority", "drop_poor_features": True, "short_memory": 50}
            | {"adaptive_grace": True, "tau": 0.3},
        ),
        # Some of its leaves are inactive, others began anew.
        (900, rp.HoeffdingTree, {"max_bytes": 23_500, "leaf": "idbd", "tau": 10.0}),
    ]:
        model = cls(**{"grace_period": 40, "delta": 0.05, "tau": 0.6} | more)
        yield model.partial_fit(*sample_rows(n))
    yield changing_model()
    columns, labels = sample_rows(200)
    numbers = {name: columns[name] for name in "ac"}
    seeded = rp.VFDT.from_sklearn(None, numbers, labels, grace_period=40, delta=0.05, tau=0.6)
    yield seeded.partial_fit(columns, labels).rescan(columns, labels, passes=2, progress=False)


def changing_model():
    """Has alternates beside nodes, some of them with tests, and a history."""
    model = rp.HAT(grace_period=40, delta=0.05, tau=0.6, switch_after=40, drift_delta=0.2)
    columns, labels = sample_rows(200)
    turned = np.array(["b", "c", "a"], dtype=object)[np.searchsorted(["a", "b", "c"], labels)]
    for y in (labels, turned, labels, turned):
        model.partial_fit(columns, y)
    return model


def test_the_sample_that_follows_change_has_something_of_everything():
    model = changing_model()
    role = model._engine.snapshot()["role"]
    assert model.changes()
    assert role.sum() >= 2
    assert (model._engine.snapshot()["test"][role > 0] > 0).any()


def sample_rows(n):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 3, n)
    columns = {
        "a": np.where(rng.random(n) < 0.1, np.nan, y + 0.3 * rng.standard_normal(n)),
        "b": np.array(["u", "v", "w"], dtype=object)[(y + (rng.random(n) < 0.3)) % 3],
        "c": rng.standard_normal(n),
    }
    columns["b"][rng.random(n) < 0.05] = None
    return columns, np.array(["a", "b", "c"], dtype=object)[y]


def samples():
    return [Parts(to_bytes(model)) for model in sample_models()]


def with_units():
    found = [whole for whole in samples() if as_array(whole.arrays["units"]).size]
    assert len(found) == 3
    return found


def mutant(family, index, whole):
    dice = random.Random(f"{family} {index}")
    return FAMILIES[family](dice, whole[index % len(whole)].copy())


# -- the process that tries them --------------------------------------------------------------


def try_files(family, count, progress):
    """Tries `count` mutants; tells every kind of failure once, with the first such file."""
    whole = samples()
    resource.setrlimit(resource.RLIMIT_AS, (address_space() + ROOM, resource.RLIM_INFINITY))
    report = {"refused": 0, "worked": 0, "failures": {}}
    for index in range(count):
        os.pwrite(progress, struct.pack("<q", index), 0)
        data = mutant(family, index, whole)
        signal.alarm(SECONDS_A_FILE)
        try:
            try:
                model = from_bytes(data)
            except rp.ModelFileError:
                report["refused"] += 1
                continue
            check_works(model)
            report["worked"] += 1
        except BaseException as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__}: {str(error)[:200]} ({last.filename}:{last.lineno})"
            report["failures"].setdefault(what, index)
    signal.alarm(0)
    report["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return report


def address_space():
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize()


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/statm").exists(), reason="tells the address space by /proc"
)


@pytest.fixture(scope="module")
def tried(tmp_path_factory):
    """For each family its process when it has ended, and the last file that it tried."""
    folder = tmp_path_factory.mktemp("hostile")

    def run(family):
        progress = folder / family
        progress.write_bytes(bytes(8))
        command = [sys.executable, "-W", "error", __file__, family, str(FILES[family]), progress]
        done = subprocess.run(command, capture_output=True, text=True)
        (index,) = struct.unpack("<q", progress.read_bytes())
        return done, index

    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        return dict(zip(FILES, pool.map(run, FILES), strict=True))


@needs_proc
@pytest.mark.parametrize("family", FILES)
def test_a_hostile_file_is_refused_or_is_a_model_that_works(family, tried):
    done, index = tried[family]
    ways = {-signal.SIGALRM: "a hang", -signal.SIGSEGV: "a crash", -signal.SIGABRT: "an abort"}
    how = ways.get(done.returncode, f"status {done.returncode}")
    assert done.returncode == 0, f"{how} at file {index} of {family!r}\n{done.stderr[-3000:]}"
    report = json.loads(done.stdout)
    assert report["failures"] == {}
    assert report["refused"] + report["worked"] == FILES[family]
    assert report["refused"] > 0
    assert report["peak"] < 1 << 20  # kilobytes


def test_the_samples_are_taken_apart_and_put_together_rightly():
    for model in sample_models():
        data = to_bytes(model)
        assert 2 <= model.n_leaves_ <= 14
        again = from_bytes(Parts(data).data())
        assert to_bytes(again) == data
        check_works(again)


def test_there_are_enough_files():
    assert set(FILES) == set(FAMILIES)
    assert sum(FILES.values()) >= 25_000


def test_the_digest_alone_keeps_out_what_is_not_signed():
    whole = samples()
    for family in FAMILIES:
        for index in range(1000):
            data = mutant(family, index, whole)
            unsigned = data[:-32] + bytes(b ^ 0x55 for b in data[-32:])
            with pytest.raises(rp.ModelFileError, match="checksum"):
                from_bytes(unsigned)


# -- hostile files one by one -----------------------------------------------------------------


@pytest.fixture(scope="module")
def parts():
    return samples()[0]


@pytest.mark.parametrize("value", [math.nan, math.inf, -1e308])
def test_what_no_leaf_can_watch_is_refused(value):
    """The first numbers of each watch, and its size."""
    for whole in samples()[2:7]:
        for place in (0, 1, 2):
            bad = whole.copy()
            set_value(bad.arrays["watch"], place, value)
            with pytest.raises(rp.ModelFileError):
                from_bytes(bad.data())
        for size in (0, 1, 2**40, 2**64 - 1):
            bad = whole.copy()
            set_value(bad.arrays["watch_sizes"], 0, size)
            with pytest.raises(rp.ModelFileError):
                from_bytes(bad.data())


@pytest.mark.parametrize("value", [math.nan, math.inf, -1e308, 1e300])
def test_what_no_unit_can_hold_is_refused(value):
    """Of a leaf: the units, their categories, the moments, then weights, steps and traces."""
    for whole in with_units():
        for place in range(20):
            bad = whole.copy()
            set_value(bad.arrays["units"], place, value)
            with pytest.raises(rp.ModelFileError):
                from_bytes(bad.data())


@pytest.mark.parametrize("name", ["units", "unit_sizes", "right_idbd"])
def test_the_arrays_of_units_are_there_where_leaves_have_units_and_nowhere_else(name):
    plain, idbd = samples()[0], with_units()[0]
    without = idbd.copy()
    del without.arrays[name]
    with pytest.raises(rp.ModelFileError):
        from_bytes(without.data())
    strange = plain.copy()
    strange.arrays[name] = idbd.copy().arrays[name]
    with pytest.raises(rp.ModelFileError):
        from_bytes(strange.data())
    # A file of an older format has none of them.
    older = plain.copy()
    del older.arrays[name]
    check_works(from_bytes(older.data()))


def test_a_watch_of_another_kind_is_refused():
    whole = samples()
    for i in range(2, 8):
        for j in range(2, 8):
            bad = whole[i].copy()
            for name in ("watch", "watch_sizes"):
                bad.arrays[name] = whole[j].copy().arrays[name]
            if i != j:
                with pytest.raises(rp.ModelFileError):
                    from_bytes(bad.data())


@pytest.mark.parametrize(
    "costs",
    [
        {"pairs": 3},
        {"pairs": [["a", "b"]]},
        {"pairs": [["a", "b", "c"]]},
        {"pairs": [["a", "b", -1.0]]},
        {"pairs": [["a", [], 1.0]]},
        {"pairs": []},
        {"pears": []},
        [[0.0, 1.0], [1.0, 0.0]],
        [[0.0] * 3] * 3,
        [],
        "a",
        None,
        {"function": "os.system"},
    ],
    ids=str,
)
def test_costs_are_checked_as_if_a_user_gave_them(costs):
    bad = samples()[2].copy()
    bad.header["parameters"]["costs"] = costs
    with pytest.raises(rp.ModelFileError):
        from_bytes(bad.data())


@pytest.mark.parametrize(
    ("array", "place", "value"),
    [
        ("parent", 0, 0),
        ("parent", 1, 1),
        ("parent", 1, 2),
        ("parent", 1, 2**31 - 1),
        ("heavy", 0, 0),
        ("heavy", 0, 2**31 - 1),
        ("feature", 0, 99),
        ("test", 0, 9),
        ("counts", 0, math.nan),
        ("counts", 0, math.inf),
        ("counts", 0, -1.0),
        ("classes", 0, 2**32 - 1),
        ("classes", 0, 65_536),
        ("categories", 0, 2**32 - 1),
        ("seen", 0, 2**64 - 1),
        ("values", 0, 2**32 - 1),
        ("values", 0, 1_000_000),
        ("gaussian", 0, math.nan),
        ("split_node", 0, 2**31 - 1),
        ("split_gain", 0, math.nan),
    ],
)
def test_what_no_tree_can_hold_is_refused(parts, array, place, value):
    bad = parts.copy()
    set_value(bad.arrays[array], place, value)
    with pytest.raises(rp.ModelFileError):
        from_bytes(bad.data())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("delta", 0),
        ("delta", 2.0),
        ("delta", math.nan),
        ("grace_period", -1),
        ("grace_period", 10**400),
        ("grace_period", "200"),
        ("n_cuts", 10**9),
        ("n_cuts", 0),
        ("max_depth", -1),
        ("max_leaves", 0),
        ("max_leaves", 1.5),
        ("leaf", "lambda: 1"),
        ("leaf", None),
        ("impurity", ["gini"]),
        ("clip_to_range", 1),
        ("categorical_features", 5),
        ("categorical_features", "all"),
        ("categorical_features", {"a": 1}),
        ("categorical_features", [[1]]),
        ("categorical_features", [None]),
        ("_engine", None),
        ("__class__", "x"),
        ("predict", "x"),
    ],
)
def test_parameters_are_checked_as_if_a_user_gave_them(parts, name, value):
    bad = parts.copy()
    bad.header["parameters"][name] = value
    with pytest.raises(rp.ModelFileError):
        from_bytes(bad.data())


@pytest.mark.parametrize("missing", ["format", "recipe", "parameters", "schema"])
def test_a_header_without_a_part_is_refused(parts, missing):
    bad = parts.copy()
    del bad.header[missing]
    with pytest.raises(rp.ModelFileError):
        from_bytes(bad.data())


def test_schema_and_tree_must_agree(parts):
    for change in (
        lambda schema: schema["classes"].pop(),
        lambda schema: schema["classes"].append("one more"),
        lambda schema: schema["classes"].append(schema["classes"][0]),
        lambda schema: schema["features"].pop(),
        lambda schema: schema["features"].append(schema["features"][0]),
        lambda schema: schema["features"][0].update(kind="categorical"),
        lambda schema: schema["features"][0].update(name=schema["features"][1]["name"]),
        lambda schema: schema["features"][1]["categories"].pop(),
        lambda schema: schema["features"][1]["categories"].append("u"),
        lambda schema: schema["features"][0]["categories"].append("u"),
    ):
        bad = parts.copy()
        change(bad.header["schema"])
        with pytest.raises(rp.ModelFileError):
            from_bytes(bad.data())


def test_a_class_list_that_is_too_long_cannot_make_learning_large(parts):
    bad = parts.copy()
    bad.header["schema"]["classes"] += [f"class {i}" for i in range(100_000)]
    with pytest.raises(rp.ModelFileError):
        from_bytes(bad.data())


def test_a_message_stays_short(parts):
    for name in ("leaf", "delta", "n_cuts"):
        bad = parts.copy()
        bad.header["parameters"][name] = "x" * 1_000_000
        with pytest.raises(rp.ModelFileError) as caught:
            from_bytes(bad.data())
        assert len(str(caught.value)) < 10_000


def test_safetensors_checks_what_it_promises():
    """The reader relies on it; a version that does not would show here."""
    huge = {"a": {"dtype": "F64", "shape": [2**40], "data_offsets": [0, 8]}}
    data = json.dumps(huge).encode()
    with pytest.raises(safetensors.SafetensorError):
        safetensors.deserialize(struct.pack("<Q", len(data)) + data + bytes(8))


if __name__ == "__main__":
    name, count = sys.argv[1], int(sys.argv[2])
    path = sys.argv[3] if len(sys.argv) > 3 else os.devnull
    print(json.dumps(try_files(name, count, os.open(path, os.O_WRONLY))))
