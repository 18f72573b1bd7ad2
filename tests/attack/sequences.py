"""Sequences of calls of a model: good, bad, interrupted and failing ones; what holds after each.

A sequence is a list of steps, each a kind and a seed, so that a step means the same whatever came
before it and any of them can be left out. ``python -m tests.attack.sequences NAME SEED`` runs one
by hand.
"""

from __future__ import annotations

import _thread
import copy
import linecache
import os
import pickle
import random
import resource
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import riparian as rp
from riparian.modelfile import from_bytes, functions_of, to_bytes
from riparian.models import MODELS
from riparian.recipes import RECIPES
from riparian.restructuring import RESTRUCTURING
from tests import inside
from tests.contract.conftest import COMPOSITIONS, EAGER, OTHERS, TAU
from tests.modelfile.parts import Parts

PACKAGE = str(Path(rp.__file__).parent)
#: A step that takes longer hangs.
SECONDS = 10

# -- the models ---------------------------------------------------------------------------------


class Calls:
    """When a function of the user fails: after so many more calls."""

    left: int | None = None
    error: type[BaseException] = RuntimeError

    @classmethod
    def count(cls):
        if cls.left is not None:
            cls.left -= 1
            if cls.left < 0:
                raise cls.error("no answer today")


def own_gini(counts):
    Calls.count()
    total = counts.sum(axis=-1, keepdims=True)
    shares = counts / np.where(total > 0.0, total, 1.0)
    return 1.0 - (shares * shares).sum(axis=-1)


def own_bound(evidence):
    Calls.count()
    n = np.asarray(evidence.n, dtype=float)
    return evidence.gain_range * np.sqrt(np.log(1.0 / evidence.delta) / (2.0 * n))


@dataclass(frozen=True)
class Kind:
    """A model to drive: calling it makes a fresh one."""

    cls: type
    parameters: dict

    def __call__(self):
        return self.cls(**self.parameters)

    @property
    def restructures(self):
        """Whether it keeps examples, so that its numbers must repeat and its batches be short."""
        return self.cls in RESTRUCTURING.values()

    @property
    def asks(self):
        """Whether it asks a function of the user."""
        inner = self.parameters.get("estimator")
        own = [*self.parameters.values(), *(inner.get_params().values() if inner else ())]
        return any(function in own for function in (own_gini, own_bound))


def kinds() -> dict[str, Kind]:
    """Every model with parameters that make it split early, every composition, limits."""
    found: dict[str, Kind] = {}
    for name, cls in RECIPES.items():
        eager = EAGER | {"grace_period": 20, "tau": TAU.get(name, 0.1)}
        known = cls().get_params()
        found[name] = Kind(cls, {k: v for k, v in eager.items() if k in known})
    for name, own in COMPOSITIONS.items():
        eager = EAGER | {"grace_period": 20, "tau": TAU.get(name, 0.1)}
        found[name] = Kind(rp.HoeffdingTree, eager | own)
    for name, (cls, own) in OTHERS.items():
        found[name] = Kind(cls, own)
    for name, cls in MODELS.items():
        if not any(kind.cls is cls for kind in found.values()):
            found[name] = Kind(cls, {})
    for name, kind in list(found.items()):
        if name in MODELS and "max_bytes" in kind().get_params():
            few = {rp.OADT: 2_000_000}.get(kind.cls, 60_000 if name in RECIPES else 600_000)
            found[f"{name}-limited"] = Kind(kind.cls, kind.parameters | {"max_bytes": few})
    quick = {"grace_period": 20, "delta": 0.01, "tau": 0.1}
    found["own-impurity"] = Kind(rp.HoeffdingTree, quick | {"impurity": own_gini})
    found["own-bound"] = Kind(rp.HoeffdingTree, quick | {"bound": own_bound})
    found["own-both-limited"] = Kind(
        rp.HoeffdingTree, quick | {"impurity": own_gini, "bound": own_bound, "max_bytes": 60_000}
    )
    member = rp.HoeffdingTree(impurity=own_gini, **quick)
    found["own-in-forest"] = Kind(rp.OnlineBagging, {"estimator": member, "n_estimators": 2})
    return found


KINDS = kinds()

# -- rows ---------------------------------------------------------------------------------------

COLOURS = ["red", "green", "blue", "ultraviolet", "infrared"]
LABELS = np.array(["no", "yes", "maybe", "never"], dtype=object)


@dataclass(frozen=True)
class Rows:
    """Columns, labels and weights of some rows; a plain array of numbers has no names."""

    X: Any
    y: np.ndarray
    w: np.ndarray | None

    def first(self, k):
        """The first `k` rows."""
        X = {n: c[:k] for n, c in self.X.items()} if isinstance(self.X, dict) else self.X[:k]
        return Rows(X, self.y[:k], None if self.w is None else self.w[:k])

    def learned_by(self, model, form="mapping"):
        model.partial_fit(as_form(self.X, form), self.y, sample_weight=self.w)
        return model

    def examples(self):
        columns = self.X if isinstance(self.X, dict) else dict(enumerate(self.X.T))
        for i, y in enumerate(self.y):
            yield {n: c[i] for n, c in columns.items()}, y, 1.0 if self.w is None else self.w[i]

    def __len__(self):
        return len(self.y)


def rows(seed, n, named, whole):
    """Rows with missing values; some batches bring new classes, categories and features."""
    rng = np.random.default_rng(seed)
    level = int(rng.integers(0, 4))
    n = max(n, 4)
    height = rng.normal(size=n)
    width = rng.normal(3.0, 2.0, size=n)
    if whole:
        height, width = height.round(), width.round()
    colour = rng.choice(np.array(COLOURS[: 2 + level], dtype=object), n)
    label = np.where((height > 0.3) ^ (colour == "green"), 1, 0)
    label[width > 5.0 - level] = rng.integers(0, 1 + level, int((width > 5.0 - level).sum()))
    label[0] = 0
    # The first row is known: from one without a value a dict does not tell the kind of a feature.
    gaps = rng.random((2, n)) < 0.1
    gaps[:, 0] = False
    width[gaps[0]] = np.nan
    w = None
    if rng.random() < 0.5:
        w = rng.choice([0.25, 0.5, 1.0, 1.0, 1.7, 3.0], size=n)
    if not named:
        columns = [height, width, rng.integers(0, 3, n), rng.integers(0, 9, n)]
        return Rows(np.column_stack(columns).astype(float), LABELS[label], w)
    colour[gaps[1]] = None
    X = {"height": height, "width": width, "colour": colour}
    for i in range(level):
        X[f"extra {i}"] = rng.integers(0, 5, n).astype(float)
    return Rows(X, LABELS[label], w)


def as_form(X, form):
    """A mapping of columns as a frame."""
    if not isinstance(X, dict) or form == "mapping":
        return X
    if form == "pandas":
        return pd.DataFrame(X)
    lists = {name: column.tolist() for name, column in X.items()}
    if form == "polars":
        return pl.DataFrame(lists, strict=False)
    return pa.table(lists)


PROBE = rows(99, 12, True, False)
PROBE_WHOLE = rows(99, 12, True, True)
PROBE_ARRAY = rows(98, 12, False, True)


# -- what holds after each step -----------------------------------------------------------------


def fitted(model):
    try:
        return bool(model.n_seen_ + 1)
    except NotFittedError:
        return False


def seen(model):
    return model.n_seen_ if fitted(model) else 0


def contents(model):
    """The bytes of a model; None: it is not fitted.

    Counters of operations are left out: they count work, and a row that was interrupted is worked
    on twice.
    """
    if not fitted(model):
        return None
    data = to_bytes(model)
    if isinstance(model, rp.ID3 | rp.ID5R | rp.ITI):
        parts = Parts(data)
        del parts.arrays["counters"]
        data = parts.data()
    return data


def copy_of(model, kind):
    """A model that has learned the same."""
    if not fitted(model):
        return kind()
    return from_bytes(to_bytes(model), functions_of(inside.learned_with(model)))


def names_of(model):
    return [feature.name for feature in inside.features(model)]


def check(model, kind):
    """It can be saved and loaded, and the loaded one is the same model."""
    if not fitted(model):
        try:
            model.predict(PROBE.X)
        except NotFittedError:
            assert model.predict_one({"height": 1.0}) is None
            return
        raise AssertionError("a model that has learned nothing predicts")
    again = copy_of(model, kind)
    named = not names_of(model) or isinstance(names_of(model)[0], str)
    probe = (PROBE_WHOLE if kind.restructures else PROBE) if named else PROBE_ARRAY
    X = probe.X
    if named:
        # Columns that the model has not seen are left out of frames.
        X = {name: column for name, column in X.items() if name in names_of(model)}
    if not len(X):
        return
    one, other = model.predict_proba(X), again.predict_proba(X)
    assert np.isfinite(one).all(), "a probability is not finite"
    assert np.array_equal(one, other), "the loaded model predicts something else"
    assert one.shape[1] == len(model.classes_), "probabilities and classes disagree"
    assert model.predict(X).tolist() == again.predict(X).tolist()
    assert model.n_seen_ == again.n_seen_
    assert model.classes_.tolist() == again.classes_.tolist()
    assert names_of(model) == names_of(again)
    example = next(probe.examples())[0]
    if named:
        expected = model.predict(X)[0]
        example = {k: v for k, v in example.items() if k in X}
        assert model.predict_one(example) == expected, "predict_one is not predict"


# -- interruptions ------------------------------------------------------------------------------


class HangError(Exception):
    """A step does not end."""


class Alarm:
    """The timer of this process. A signal that comes late, from another thread, does nothing."""

    end = 0.0


def _hangs(*_):
    if time.monotonic() >= Alarm.end - 0.1:
        raise HangError(f"a step took more than {SECONDS} seconds")


def _watch():
    Alarm.end = time.monotonic() + SECONDS
    signal.signal(signal.SIGALRM, _hangs)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)


@contextmanager
def watched():
    """Ends a step that hangs, with an error."""
    before = signal.getsignal(signal.SIGALRM)
    _watch()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def interrupted_by_timer(call, delay):
    """Whether a timer's KeyboardInterrupt ended a call; it comes once, if at all."""
    running = True

    def interrupt(*_):
        if running:
            raise KeyboardInterrupt

    try:
        signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, delay)
        try:
            call()
        finally:
            running = False
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        return True
    finally:
        _watch()
    return False


def interrupted_by_thread(call, delay, send):
    """Whether another thread's Ctrl-C ended a call."""

    def later():
        time.sleep(delay)
        send()

    thread = threading.Thread(target=later, daemon=True)
    try:
        thread.start()
        try:
            call()
        finally:
            while thread.is_alive():
                thread.join(0.001)
            time.sleep(0)  # where a late one is raised
    except KeyboardInterrupt:
        return True
    return False


class RaiseAt:
    """Raises an error at the n-th line of the package that a call runs."""

    def __init__(self, n, error):
        self.left, self.error, self.where = n, error, None
        self.passed: list[str] = []

    def __enter__(self):
        sys.settrace(self._called)
        return self

    def __exit__(self, *_):
        sys.settrace(None)

    def _called(self, frame, event, argument):
        return self._line if frame.f_code.co_filename.startswith(PACKAGE) else None

    def _line(self, frame, event, argument):
        if event == "line" and self.where is None and _can_fail(frame):
            self.left -= 1
            name = Path(frame.f_code.co_filename).name
            where = f"{name}:{frame.f_lineno} ({frame.f_code.co_name})"
            self.passed.append(where)
            if self.left < 0:
                self.where = where
                raise self.error(f"at {where}")
        return self._line


def _can_fail(frame):
    """Nothing fails at a try, and signals are not handled between a with block and its end."""
    text = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
    return text != "try:" and not text.startswith("with ")


def is_a_whole_number_of_rows(model, kind, before, batch):
    """Asserts that a call that was ended learned the first k rows of its batch, and no more."""
    k = seen(model) - seen(before)
    assert 0 <= k <= len(batch), f"{k} of {len(batch)} rows were learned"
    if k == 0 and not fitted(model):
        assert not fitted(before), "a model that had learned is not fitted any more"
        return
    want = copy_of(before, kind)
    if k:
        batch.first(k).learned_by(want)
    assert contents(model) == contents(want), (
        f"n_seen_ says that {k} of {len(batch)} rows were learned, "
        "but the model is not the one that learned these"
    )


# -- steps --------------------------------------------------------------------------------------


class Bench:
    """A model, and what the steps need to know of it."""

    def __init__(self, kind, named, folder):
        self.kind, self.named, self.folder = kind, named, folder
        self.model = kind()

    def batch(self, seed, n):
        """Rows, every other time with a category or class that came in no batch before."""
        whole = self.kind.restructures
        batch = rows(seed, n // 3 if whole else n, self.named, whole)
        dice = Dice(seed)
        row = dice.randrange(1, len(batch))
        if self.named and dice.random() < 0.5:
            batch.X["colour"][row:] = f"colour {dice.randrange(30)}"
        if dice.random() < 0.3:
            batch.y[row] = f"label {dice.randrange(10)}"
        return batch

    def only_by_its_limit(self, error):
        """A good batch may be refused where its names do not fit below max_bytes."""
        if "max_bytes" not in self.kind.parameters:
            raise AssertionError(f"a good batch was refused: {error}") from error

    def refused(self, call, errors=(ValueError, TypeError)):
        """Asserts that a call raises and leaves the model as it was."""
        before = contents(self.model)
        try:
            call()
        except errors:
            assert contents(self.model) == before, "a refused batch changed the model"
        else:
            raise AssertionError("a bad batch was learned")

    def ended(self, call, batch):
        """Runs a call that may be ended by anything; checks what is left."""
        before = copy_of(self.model, self.kind)
        call()
        is_a_whole_number_of_rows(self.model, self.kind, before, batch)


def learn(bench, dice):
    batch = bench.batch(dice.random_seed(), dice.choice([1, 7, 30, 60]))
    form = dice.choice(["mapping", "pandas", "polars", "pyarrow"])
    before = copy_of(bench.model, bench.kind)
    try:
        batch.learned_by(bench.model, form)
    except ValueError as error:
        # Names that do not fit below max_bytes are refused as a whole.
        bench.only_by_its_limit(error)
        assert contents(bench.model) == contents(before), "a refused batch changed the model"
        return
    if dice.random() < 0.3:
        for x, y, w in batch.examples():
            before.learn_one(x, y, w)
        if "max_bytes" not in bench.kind.parameters:
            assert contents(bench.model) == contents(before), "row by row it is another model"


def learn_one(bench, dice):
    batch = bench.batch(dice.random_seed(), 6)
    for x, y, w in batch.examples():
        try:
            bench.model.learn_one(x, y, w)
        except ValueError as error:
            bench.only_by_its_limit(error)


def prequential(bench, dice):
    batch = bench.batch(dice.random_seed(), 30)
    twin = copy_of(bench.model, bench.kind)
    try:
        predicted = bench.model.prequential(batch.X, batch.y, batch.w)
        batch.learned_by(twin)
    except ValueError as error:
        bench.only_by_its_limit(error)
        return
    assert len(predicted) == len(batch)
    assert contents(bench.model) == contents(twin), "prequential learned something else"


def zero_weights(bench, dice):
    batch = bench.batch(dice.random_seed(), 10)
    before = contents(bench.model)
    if before is None:
        return
    bench.model.partial_fit(batch.X, batch.y, sample_weight=np.zeros(len(batch)))
    assert contents(bench.model) == before, "rows of weight 0 changed the model"


def bad_batches(batch, dice):
    """Calls that must be refused, by name."""
    n = len(batch)
    X, y, w = batch.X, batch.y, batch.w
    row = dice.randrange(n)
    named = isinstance(X, dict)

    def changed(value, name="height"):
        if named:
            column = X[name].astype(object) if isinstance(value, list) else X[name].copy()
            column[row] = value
            return X | {name: column}
        array = X.copy()
        array[row, 0] = value
        return array

    def label(value):
        labels = y.copy()
        labels[row] = value
        return labels

    def weight(value):
        weights = np.ones(n)
        weights[row] = value
        return weights

    found = {
        "inf": (changed(np.inf), y, w),
        "None label": (X, label(None), w),
        "NaN label": (X, label(np.nan), w),
        "label of no kind": (X, label(("a",)), w),
        "broken number label": (X, np.linspace(0.0, 1.0, n), w),
        "too few labels": (X, y[:-1], w),
        "negative weight": (X, y, weight(-1.0)),
        "NaN weight": (X, y, weight(np.nan)),
        "infinite weight": (X, y, weight(np.inf)),
        "too few weights": (X, y, np.ones(n - 1)),
        "no rows": (({k: v[:0] for k, v in X.items()} if named else X[:0]), y[:0], None),
    }
    if named:
        found |= {
            "a list": (changed([1, 2], "colour"), y, w),
            "columns of two lengths": (X | {"height": X["height"][:-1]}, y, w),
            "a date": (X | {"height": np.full(n, "2020-01-01", dtype="datetime64[D]")}, y, w),
            "inf in a new column": (X | {"late": np.full(n, -np.inf)}, y, w),
            "a key that is no name": (X | {(1, 2): X["height"]}, y, w),
        }
    else:
        found["a new width"] = (np.hstack([X, X]), y, w)
    return found


def learn_bad(bench, dice):
    batch = bench.batch(dice.random_seed(), 12)
    bad = bad_batches(batch, dice)
    if not fitted(bench.model):
        bad.pop("a new width", None)
    for what in dice.sample(sorted(bad), 4):
        X, y, w = bad[what]
        how = dice.choice(["partial_fit", "prequential"])
        try:
            bench.refused(lambda: getattr(bench.model, how)(X, y, sample_weight=w))  # noqa: B023
        except AssertionError as error:
            raise AssertionError(f"{how} of {what}: {error}") from None


def learn_one_bad(bench, dice):
    batch = bench.batch(dice.random_seed(), 4)
    x, y, _ = next(batch.examples())
    key = next(iter(x))
    wrong = [
        lambda: bench.model.learn_one(x | {key: float("inf")}, y),
        lambda: bench.model.learn_one(x | {key: [1]}, y),
        lambda: bench.model.learn_one(x, y, -1.0),
        lambda: bench.model.learn_one(x, y, float("nan")),
        lambda: bench.model.learn_one(x, None),
        lambda: bench.model.learn_one(x, float("nan")),
        lambda: bench.model.learn_one(x, ["a"]),
        lambda: bench.model.learn_one([1, 2], y),
        lambda: bench.model.learn_one(x | {(1,): 2.0}, y),
    ]
    at = dice.randrange(len(wrong))
    try:
        bench.refused(wrong[at])
    except AssertionError as error:
        raise AssertionError(f"case {at}: {error}") from None


def interrupt(bench, dice):
    """Ctrl-C at a random moment of a batch."""
    batch = bench.batch(dice.random_seed(), dice.choice([40, 150]))
    delay = 10 ** dice.uniform(-6.0, -2.5)
    how = dice.choice(["timer", "timer", "main", "raise"])
    call = dice.choice(["partial_fit", "partial_fit", "prequential"])

    def run():
        getattr(bench.model, call)(batch.X, batch.y, sample_weight=batch.w)

    def ended():
        try:
            if how == "timer":
                interrupted_by_timer(run, delay)
            elif how == "main":
                interrupted_by_thread(run, delay, _thread.interrupt_main)
            else:
                interrupted_by_thread(run, delay, lambda: signal.raise_signal(signal.SIGINT))
        except ValueError as error:
            bench.only_by_its_limit(error)

    bench.ended(ended, batch)


def fail_at_a_line(bench, dice):
    """An error of any kind at any line of the package."""
    batch = bench.batch(dice.random_seed(), 20)
    error = dice.choice([MemoryError, KeyboardInterrupt, RuntimeError, OSError])
    call = dice.choice(["partial_fit", "partial_fit", "prequential", "learn_one"])
    at = dice.randrange(400)
    if call == "learn_one":
        batch = batch.first(1)

    def run():
        raising = RaiseAt(at, error)
        try:
            with raising:
                if call == "learn_one":
                    x, y, w = next(batch.examples())
                    bench.model.learn_one(x, y, w)
                else:
                    getattr(bench.model, call)(batch.X, batch.y, sample_weight=batch.w)
        except error:
            pass
        except ValueError as refused:
            bench.only_by_its_limit(refused)
        run.where = raising.where

    try:
        bench.ended(run, batch)
    except AssertionError as problem:
        raise AssertionError(f"{error.__name__} at {run.where}: {problem}") from None


def fail_in_a_function(bench, dice):
    """A function of the user raises, or is interrupted, at one of its calls."""
    if not bench.kind.asks:
        return interrupt(bench, dice)
    batch = bench.batch(dice.random_seed(), 200)

    def run():
        Calls.left = dice.choice([0, 1, 3, 10, 30])
        Calls.error = dice.choice([RuntimeError, KeyboardInterrupt, MemoryError, SystemExit])
        try:
            batch.learned_by(bench.model)
        except (RuntimeError, KeyboardInterrupt, MemoryError, SystemExit):
            pass
        except ValueError as error:
            bench.only_by_its_limit(error)
        finally:
            Calls.left = None

    return bench.ended(run, batch)


@contextmanager
def full_disk(n_bytes):
    """No file may have more bytes than this."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def save_and_load(bench, dice):
    if not fitted(bench.model):
        return
    path = bench.folder / "model.rip"
    bench.model.save(path)
    good = path.read_bytes()
    functions = functions_of(inside.learned_with(bench.model))
    try:
        with full_disk(200):
            bench.model.save(path)
    except OSError:
        pass
    else:
        raise AssertionError("a model was saved on a full disk")
    assert path.read_bytes() == good, "the old file is gone"
    try:
        bench.model.save(bench.folder / "missing" / "model.rip")
    except OSError:
        pass
    else:
        raise AssertionError("a model was saved in a folder that is not there")
    assert os.listdir(bench.folder) == ["model.rip"], "something was left behind"
    again = rp.load(path, functions)
    assert contents(again) == contents(bench.model)
    path.unlink()
    if dice.random() < 0.7:
        bench.model = again


def pickled(bench, dice):
    bench.model = pickle.loads(pickle.dumps(bench.model))


def copied(bench, dice):
    twin = copy.deepcopy(bench.model)
    before = contents(bench.model)
    try:
        bench.batch(dice.random_seed(), 20).learned_by(twin)
    except ValueError as error:
        bench.only_by_its_limit(error)
    assert contents(bench.model) == before, "a copy shares what it learns with its origin"
    if dice.random() < 0.5:
        bench.model = copy.deepcopy(bench.model)


def cloned(bench, dice):
    fresh = clone(bench.model)
    assert not fitted(fresh)
    if dice.random() < 0.2:
        bench.model = fresh


def predict_in_threads(bench, dice):
    """Two threads predict while this one learns."""
    if not fitted(bench.model):
        return
    model = bench.model
    learned = [bench.batch(dice.random_seed(), 40) for _ in range(3)]
    known = set(names_of(model))
    asked = bench.batch(dice.random_seed(), 8)
    X = asked.X
    if isinstance(X, dict):
        X = {name: column for name, column in X.items() if name in known}
        if not X:
            return
    x = next(asked.examples())[0]
    stop = threading.Event()
    errors = []

    def ask():
        try:
            while not stop.is_set():
                p = model.predict_proba(X)
                assert np.allclose(p.sum(axis=1), 1.0, rtol=1e-9), "they do not sum to 1"
                model.predict(X)
                model.predict_one(x)
                model.predict_proba_one(x)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(2)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(2e-5)
    for thread in threads:
        thread.start()
    try:
        for batch in learned:
            batch.learned_by(model)
    except ValueError as error:
        bench.only_by_its_limit(error)
    finally:
        stop.set()
        for thread in threads:
            thread.join(SECONDS)
        sys.setswitchinterval(interval)
    assert not errors, f"while another thread learned: {errors[0]!r}"


STEPS: dict[str, tuple[Callable, int]] = {
    f.__name__: (f, share)
    for f, share in [
        (learn, 6),
        (learn_one, 2),
        (prequential, 1),
        (zero_weights, 1),
        (learn_bad, 3),
        (learn_one_bad, 2),
        (interrupt, 5),
        (fail_at_a_line, 3),
        (fail_in_a_function, 3),
        (save_and_load, 1),
        (pickled, 1),
        (copied, 1),
        (cloned, 1),
        (predict_in_threads, 1),
    ]
}

# -- sequences ----------------------------------------------------------------------------------


class Dice(random.Random):
    def random_seed(self):
        return self.randrange(2**32)


def sequence(name, seed, length=12):
    """Steps as (kind, seed); the first one is whether the features have names."""
    dice = Dice(f"{name} {seed}")
    kinds_of_steps = list(STEPS)
    shares = [share for _, share in STEPS.values()]
    steps = [(dice.choices(kinds_of_steps, shares)[0], dice.random_seed()) for _ in range(length)]
    return [("learn", dice.random_seed()), *steps] if dice.random() < 0.7 else steps


def problem_of(name, seed, steps, folder):
    """What goes wrong in a sequence, and after how many steps; None: nothing."""
    kind = KINDS[name]
    for left in folder.iterdir():
        left.unlink()
    bench = Bench(kind, Dice(f"names {name} {seed}").random() < 0.7, folder)
    for i, (what, step_seed) in enumerate(steps):
        try:
            with watched():
                STEPS[what][0](bench, Dice(step_seed))
                check(bench.model, kind)
        except BaseException as error:
            if isinstance(error, SystemExit):
                raise
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(last.filename).name}:{last.lineno}"
            return i + 1, f"{what}: {type(error).__name__}: {str(error)[:300]} [{where}]"
    return None


def shrunk(name, seed, steps, folder, seconds=5.0):
    """The shortest part of a failing sequence that still fails, as far as time allows."""
    end = time.monotonic() + seconds
    again = True
    while again and time.monotonic() < end:
        again = False
        for i in reversed(range(len(steps))):
            shorter = steps[:i] + steps[i + 1 :]
            found = problem_of(name, seed, shorter, folder) if shorter else None
            if found is not None:
                steps, again = shorter[: found[0]], True
                break
            if time.monotonic() > end:
                break
    return steps


if __name__ == "__main__":
    import tempfile

    with tempfile.TemporaryDirectory() as made:
        asked, number = sys.argv[1], int(sys.argv[2])
        print(problem_of(asked, number, sequence(asked, number), Path(made)))
