"""Ctrl-C in a long call: noticed soon, and the rows learned until then stay learned."""

from __future__ import annotations

import pickle
import signal
import time
from contextlib import contextmanager

import numpy as np
import pytest

import riparian as rp
from riparian.models.registry import RECIPES
from riparian.storage import modelfile
from tests.attack.models import OF_ENGINES, SLOW, eager, rows_for

NOTICED = 0.2  # seconds


@contextmanager
def interrupt_after(seconds):
    """Ctrl-C this many seconds from now, as a handler of signals would raise it."""

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def interrupted(call, seconds):
    """How long after the signal the call ended; None if it ended before."""
    start = time.perf_counter()
    try:
        with interrupt_after(seconds):
            call()
    except KeyboardInterrupt:
        return time.perf_counter() - start - seconds
    return None


def state(model):
    """What two models that learned the same rows have in common, bit for bit."""
    data = modelfile.to_bytes(model)
    if type(model).__name__ in ("ITI", "ID5R", "ID3", "ID3Prime"):
        return None  # operations that were done again are counted twice
    return data


@pytest.fixture(scope="module")
def rows():
    made = {}

    def of(name):
        # A call of each lasts a few tenths of a second.
        n = 1_000 if name in SLOW else 300_000 if name in RECIPES else 40_000
        key = (name in ("ID3", "ID3Prime", "ID4", "ID5R"), n)
        if key not in made:
            made[key] = rows_for(name, n)
        return made[key]

    return of


def uninterrupted(name, call, X, y):
    """The seconds of a whole call, so that signals come in the middle of it on any machine."""
    model = eager(name)
    start = time.perf_counter()
    getattr(model, call)(X, y)
    return time.perf_counter() - start


@pytest.mark.parametrize("name", OF_ENGINES)
def test_ctrl_c_is_noticed_and_keeps_the_rows_learned_so_far(name, rows, effort, report_tries):
    X, y = rows(name)
    tries = kept = 0
    for call in ("partial_fit", "fit", "prequential"):
        whole = uninterrupted(name, call, X, y)
        for attempt in range(2 * effort):
            share = (0.2, 0.5, 0.3, 0.6)[attempt % 4]
            seconds = min(share * whole, 0.08)
            # A busy machine may take the processor away for a while, or give more of it.
            for _ in range(5):
                model = eager(name)
                late = interrupted(lambda m=model, c=call: getattr(m, c)(X, y), seconds)
                if late is not None and late < NOTICED:
                    break
            if late is None:
                continue
            assert late < NOTICED
            tries += 1
            if not hasattr(model, "classes_"):
                continue  # before the first row
            kept += 1
            k = model.n_seen_
            assert 0 < k <= len(y)
            loaded = pickle.loads(pickle.dumps(model))
            assert np.array_equal(loaded.predict_proba(X[:50]), model.predict_proba(X[:50]))
            same = getattr(eager(name), call)(X[:k], y[:k]) if call == "fit" else None
            same = same if same is not None else eager(name).partial_fit(X[:k], y[:k])
            assert same.n_seen_ == k
            assert set(model.classes_) == set(same.classes_)
            if call != "fit" and state(model) is not None:
                assert state(model) == state(same)
            model.partial_fit(X[:50], y[:50])
            assert model.n_seen_ == k + 50
    # Numbers are read at once, so most signals come after the first row; objects are read first.
    assert tries >= 3
    assert kept > 0 or X.dtype == object
    report_tries("interrupted calls", tries)


@pytest.mark.parametrize("name", ["StreamTree", "AdaptiveRandomForest", "OADT", "UFFT", "ITI"])
def test_ctrl_c_ends_predict(name, rows):
    X, y = rows(name)
    model = eager(name).partial_fit(X[:1000], y[:1000])
    many = np.tile(X, (1 + 2_000_000 // len(X), 1)) if X.dtype != object else X
    before = modelfile.to_bytes(model)
    for _ in range(5):  # a busy machine may take the processor away for a while
        late = interrupted(lambda: model.predict_proba(many), 0.03)
        if late is None or late < NOTICED:
            break
    assert late is None or late < NOTICED
    assert modelfile.to_bytes(model) == before


def test_ctrl_c_in_a_function_of_the_user_finishes_the_row():
    X, y = rows_for("HoeffdingTree", 5_000)
    calls = 0

    def bound(evidence):
        nonlocal calls
        calls += 1
        if calls == 20:
            raise KeyboardInterrupt
        return np.sqrt(evidence.gain_range**2 * np.log(1 / evidence.delta) / (2 * evidence.n))

    model = rp.HoeffdingTree(bound=bound, grace_period=50).partial_fit(X[:100], y[:100])
    before = model.n_seen_
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X[100:], y[100:])
    assert before < model.n_seen_ <= 5_000
    k = model.n_seen_
    same = rp.HoeffdingTree(bound=bound, grace_period=50)
    same.partial_fit(X[:k], y[:k])
    assert np.array_equal(same.predict_proba(X), model.predict_proba(X))


def test_ctrl_c_in_a_function_of_the_user_ends_the_batch():
    X, y = rows_for("HoeffdingTree", 20_000)
    calls = 0

    def bound(evidence):
        nonlocal calls
        calls += 1
        if calls == 5:
            raise KeyboardInterrupt
        time.sleep(0.002)  # the whole batch would take most of a second
        return np.full_like(evidence.n, 10.0)

    model = rp.HoeffdingTree(bound=bound, grace_period=50, tau=0.0)
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X, y)
    assert 250 <= model.n_seen_ < 10_000


@pytest.mark.parametrize("name", OF_ENGINES)
def test_names_that_the_engine_does_not_know_are_gone_after_an_interrupt(
    name, effort, report_tries
):
    """A batch that brings a class, a category and a feature in every row, interrupted at random."""
    n, tries = 300 if name in SLOW else 600, 4
    broken = 0
    dice = np.random.default_rng(5)
    for _ in range(tries * effort):
        model = eager(name)
        columns = {
            "a": np.array([f"v{i // 3}" for i in range(n)], dtype=object),
            "b": np.array([f"w{i % 7}" for i in range(n)], dtype=object),
        }
        labels = np.array([f"class {i // (n // 8)}" for i in range(n)], dtype=object)
        first = {k: v[:50] for k, v in columns.items()}
        model.partial_fit(first, labels[:50])
        columns["c"] = np.array([f"u{i % 5}" for i in range(n)], dtype=object)
        late = interrupted(
            lambda m=model, c=columns, y=labels: m.partial_fit(c, y),
            float(dice.uniform(1e-5, 0.03)),
        )
        broken += late is not None
        loaded = modelfile.from_bytes(modelfile.to_bytes(model))
        assert loaded.n_seen_ == model.n_seen_
        assert loaded.classes_.tolist() == model.classes_.tolist()
        probe = {k: v[:60] for k, v in columns.items()}
        assert np.array_equal(loaded.predict_proba(probe), model.predict_proba(probe))
        model.partial_fit(columns, labels)
        modelfile.from_bytes(modelfile.to_bytes(model))
    report_tries("interrupted batches of new names", broken)
