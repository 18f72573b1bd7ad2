"""The steps of a sequence: calls of a model, and what holds after each kind of call."""

from __future__ import annotations

import _thread
import copy
import os
import pickle
import resource
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import contextmanager

import numpy as np
from sklearn.base import clone

import riparian as rp
from riparian.storage.modelfile import functions_of
from tests import inside
from tests.attack.bad_batches import bad_batches
from tests.attack.interruptions import SECONDS, RaiseAt, interrupted_by_thread, interrupted_by_timer
from tests.attack.kinds import Calls
from tests.attack.what_holds import contents, copy_of, fitted, names_of


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


def learn_bad(bench, dice):
    batch = bench.batch(dice.random_seed(), 12)
    bad = bad_batches(batch, dice)
    if not fitted(bench.model):
        # A first batch may have any width, and a column of dates.
        bad.pop("a new width", None)
        bad.pop("a date", None)
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

    raising = RaiseAt(at, error)

    def run():
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

    try:
        bench.ended(run, batch)
    except AssertionError as problem:
        raise AssertionError(f"{error.__name__} at {raising.where}: {problem}") from None


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
