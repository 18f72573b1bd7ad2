"""Dicts whose keys and values act while they are read, and the process that tries them.

``python -m tests.attack.evil_dicts case NAME`` tries one case by hand, ``... random SEED COUNT``
random dicts. A dict that ends the process or makes it hang ends only this one.
"""

from __future__ import annotations

import contextlib
import faulthandler
import functools
import os
import random
import struct
import sys
import threading
from collections import OrderedDict, UserDict, defaultdict
from typing import Any

import numpy as np

import riparian as rp
from riparian.storage.modelfile import from_bytes, to_bytes

#: A read that takes longer hangs; a busy machine may need seconds to start.
SECONDS = 60
PLACES = ("height", "width", "colour", "grade")


class EvilError(Exception):
    """What an evil object raises."""


class Evil:
    """Mixed into a key or value: calls `act` each time that one of `ways` is asked of it."""

    ways: tuple[str, ...] = ()
    act = staticmethod(lambda: None)

    def _asked(self, way):
        if way in self.ways:
            self.act()


class EvilStr(Evil, str):
    def __eq__(self, other):
        self._asked("eq")
        return str.__eq__(self, other)

    def __hash__(self):
        self._asked("hash")
        return str.__hash__(self)

    def __str__(self):
        self._asked("str")
        return str.__str__(self)


class EvilInt(Evil, int):
    def __eq__(self, other):
        self._asked("eq")
        return int.__eq__(self, other)

    def __hash__(self):
        self._asked("hash")
        return int.__hash__(self)

    def __float__(self):
        self._asked("float")
        return int.__float__(self)

    def __index__(self):
        self._asked("float")
        return int.__index__(self)


class EvilFloat(Evil, float):
    def __eq__(self, other):
        self._asked("eq")
        return float.__eq__(self, other)

    def __ne__(self, other):
        self._asked("eq")
        return float.__ne__(self, other)

    def __hash__(self):
        self._asked("hash")
        return float.__hash__(self)

    def __float__(self):
        self._asked("float")
        return float.__float__(self)


class EvilObject(Evil):
    """No string and no number, but can be turned into one."""

    def __eq__(self, other):
        self._asked("eq")
        return False

    def __hash__(self):
        self._asked("hash")
        return hash("height")

    def __float__(self):
        self._asked("float")
        return 1.0


class EvilDict(dict):
    """Says something else each time it is asked for its items."""

    def __iter__(self):
        yield from ("height", "colour", "width")

    def items(self):
        yield from (("colour", 3.0), ("height", "red"))

    def __len__(self):
        return 10**6


def model_of(kind="tree"):
    """A model of two numeric and two categorical features that has learned 300 rows."""
    return from_bytes(_learned(kind))


@functools.cache
def _learned(kind):
    rng = np.random.default_rng(1)
    n = 300
    X = {
        "height": rng.normal(size=n),
        "width": rng.normal(size=n),
        "colour": rng.choice(np.array(["red", "green", "blue"], dtype=object), n),
        "grade": rng.choice(np.array(["a", "b"], dtype=object), n),
    }
    y = np.where((X["height"] > 0) ^ (X["colour"] == "red"), "yes", "no")
    make: dict[str, Any] = {
        "tree": lambda: rp.HoeffdingTree(grace_period=20, delta=0.05, tau=0.2),
        "forest": lambda: rp.OnlineBagging(n_estimators=2),
        "gradient": lambda: rp.OADT(depth=2),
        "limited": lambda: rp.HoeffdingTree(grace_period=20, tau=0.2, max_bytes=200_000),
    }
    return to_bytes(make[kind]().partial_fit(X, y))


PROBE = {
    "height": np.array([-1.0, 0.5, np.nan]),
    "colour": np.array(["red", "blue", None], dtype=object),
}


class Attempt:
    """One dict, and the calls that read it; counts the rows that were learned."""

    def __init__(self, model, x):
        self.model, self.x, self.learned, self.depth = model, x, 0, 0

    def learn(self, x, y="yes"):
        self.model.learn_one(x, y)
        self.learned += 1

    # What an evil object may do while it is read.
    def clear(self):
        self.x.clear()

    def grow(self):
        for i in range(300):
            self.x[f"new {i}"] = float(i)

    def shrink(self):
        for key in list(self.x)[1:]:
            dict.pop(self.x, key, None)

    def replace(self):
        for key in list(self.x):
            self.x[key] = "x" * 50

    def refuse(self):
        raise EvilError("not now")

    def learn_again(self):
        if self.depth < 2:
            self.depth += 1
            self.learn({"height": 1.0, "colour": "red"}, "no")

    def learn_new(self):
        if self.depth < 2:
            self.depth += 1
            self.learn({"height": 1.0, "colour": f"new {self.depth}", f"key {self.depth}": 2.0})

    def learn_itself(self):
        if self.depth < 2:
            self.depth += 1
            self.learn(self.x)

    def predict_again(self):
        if self.depth < 2:
            self.depth += 1
            self.model.predict_one({"width": 3.0, "grade": "b"})
            self.model.predict_proba_one(dict.fromkeys(PLACES))

    def save(self):
        if self.depth < 2:
            self.depth += 1
            from_bytes(to_bytes(self.model))

    def __call__(self, how, thorough=True):
        """Reads the dict; an error of any kind is fine if it leaves a model that works."""
        before = self.model.n_seen_
        bytes_before = to_bytes(self.model) if thorough else b""
        try:
            if how == "learn":
                self.learn(self.x)
            elif how == "predict":
                self.model.predict_one(self.x)
            elif how == "proba":
                self.model.predict_proba_one(self.x)
            else:
                self.model.partial_fit(self.x, ["yes"])
                self.learned += 1
        except Exception:
            pass
        assert self.model.n_seen_ == before + self.learned, (
            f"{self.model.n_seen_ - before} rows were learned, {self.learned} calls returned"
        )
        if not thorough:
            return
        data = to_bytes(self.model)
        assert self.learned or data == bytes_before, "a refused dict changed the model"
        again = from_bytes(data)
        np.testing.assert_array_equal(
            self.model.predict_proba(PROBE), again.predict_proba(PROBE), strict=True
        )


#: What changes the dict, and what calls the model that reads it.
ON_DICT = ("clear", "grow", "shrink", "replace", "refuse")
ON_MODEL = ("learn_again", "learn_new", "learn_itself", "predict_again", "save")
ACTS = ON_DICT + ON_MODEL
HOWS = ("learn", "predict", "proba", "partial_fit")
KEYS = {"str key": EvilStr, "int key": EvilInt, "object key": EvilObject}
VALUES = {"str": EvilStr, "int": EvilInt, "float": EvilFloat, "object": EvilObject}


def evil(cls, content, ways, act):
    one = cls() if cls is EvilObject else cls(content)
    one.ways, one.act = ways, act
    return one


def evil_dict(attempt, where, ways, act):
    """A dict with one evil key or value."""
    does = getattr(attempt, act)
    x = {"width": 2.0, "height": 1.0, "grade": "a", "colour": "red"}
    attempt.x = x
    if where in KEYS:
        quiet = evil(KEYS[where], 7 if where == "int key" else "height", (), does)
        del x["height"]
        x[quiet] = 1.0
        x["grade"] = x.pop("grade")
        quiet.ways = ways
    else:
        kind, _, place = where.partition(" in ")
        content = {"str": "red", "int": 3, "float": 2.5, "object": None}[kind]
        x[place] = evil(VALUES[kind], content, ways, does)
        x["width"] = x.pop("width", 2.0)
    return x


CASES = {
    f"{where}, {way}, {act}, {how}": (where, (way,), act, how)
    for where in (*KEYS, *(f"{kind} in {place}" for kind in VALUES for place in PLACES[1:3]))
    for way in ("eq", "hash", "float")
    for act in ACTS
    for how in HOWS[:3]
}


def try_case(name, model=None):
    where, ways, act, how = CASES[name]
    attempt = Attempt(model or model_of(), {})
    evil_dict(attempt, where, ways, act)
    attempt(how, thorough=model is None)


def random_dict(dice, attempt):
    """A dict of good, strange and evil keys and values."""
    does = [getattr(attempt, act) for act in ACTS]
    quiet = []

    def made(cls, content):
        one = evil(cls, content, (), dice.choice(does))
        quiet.append((one, tuple(dice.sample(("eq", "hash", "float", "str"), dice.randint(0, 2)))))
        return one

    def value():
        return dice.choice(
            [
                lambda: dice.choice([1.0, -2.5, 3, True, None, float("nan"), 2**70, 1e300]),
                lambda: dice.choice(["red", "green", "a", "b", "unseen", "", b"red", "\ud800"]),
                lambda: dice.choice([float("inf"), 10**400, [], {}, 1j, object(), type, (1, 2)]),
                lambda: made(dice.choice(list(VALUES.values())), dice.choice([0, 1, 3])),
                lambda: made(EvilStr, dice.choice(["red", "a", "new"])),
            ]
        )()

    def key():
        plain = dice.choice([*PLACES, *PLACES, "new", 0, 1, -1, True, None, 2.5, (1,), b"height"])
        if dice.random() < 0.3:
            cls = dice.choice(list(KEYS.values()))
            return made(cls, 1 if cls is EvilInt else str(plain))
        return plain

    # Keys of a dict subclass are read by its own methods.
    kinds = [dict, dict, dict, dict, OrderedDict, EvilDict, UserDict, lambda: defaultdict(int)]
    x = dice.choice(kinds)()
    for _ in range(dice.randint(0, 6)):
        x[key()] = value()
    for one, ways in quiet:
        one.ways = ways
    attempt.x = x
    return x


def try_random(seed, count, progress=None):
    """Tries random dicts, with a fresh model from time to time."""
    kinds = ("tree", "forest", "gradient", "limited")
    model = None
    for i in range(count):
        if progress is not None:
            os.pwrite(progress, struct.pack("<q", i), 0)
        dice = random.Random(f"{seed} {i}")
        if i % 50 == 0:
            model = model_of(kinds[i // 50 % len(kinds)])
        attempt = Attempt(model, {})
        random_dict(dice, attempt)
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        try:
            # All that is wrong with a model stays wrong: not every dict needs every check.
            attempt(dice.choice(HOWS), thorough=i % 50 == 49)
        except AssertionError as error:
            raise AssertionError(f"seed {seed}, dict {i}: {error}") from error


def try_threads(count=3000):
    """A dict that another thread changes while it is read."""
    model = model_of()
    x = dict.fromkeys(PLACES)
    done = threading.Event()

    def change():
        i = 0
        while not done.is_set():
            i += 1
            x["height"] = float(i % 7)
            x[f"key {i % 5}"] = "red"
            x.pop(f"key {(i + 2) % 5}", None)
            x["colour"] = EvilStr("red") if i % 3 else None

    thread = threading.Thread(target=change, daemon=True)
    sys.setswitchinterval(1e-6)
    thread.start()
    try:
        for i in range(count):
            with contextlib.suppress(Exception):
                (model.learn_one(x, "yes"), model.predict_one(x)) if i % 2 else model.predict_one(x)
    finally:
        done.set()
        thread.join()
    Attempt(model, x)("learn")


def main(which, *rest):
    faulthandler.enable()
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    if which == "case":
        try_case(rest[0])
    elif which == "cases":
        # Each is announced, so that the one that ends the process is known.
        model = None
        for i, name in enumerate(sys.stdin.read().splitlines()):
            print(name, flush=True)
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            model = model_of() if i % 20 == 0 else model
            try_case(name, model if i % 20 else None)
    elif which == "threads":
        try_threads()
    else:
        seed, count, *path = rest
        progress = os.open(path[0], os.O_RDWR | os.O_CREAT) if path else None
        try_random(int(seed), int(count), progress)
    faulthandler.cancel_dump_traceback_later()
    print("done", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
