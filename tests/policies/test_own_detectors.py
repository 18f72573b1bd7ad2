"""Drift detectors of users, and River's, in forests."""

import copy
import os
import pickle
import signal
import threading
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
import pytest

import riparian as rp
from riparian.drift import ADWIN
from riparian.storage import modelfile

pytest.importorskip("river")

from river import drift as river_drift
from river.drift import binary

from tests import inside

DELTA = 0.01


class Own:
    """The ADWIN of the package behind the protocol, with a state that a file can hold."""

    def __init__(self, delta=DELTA):
        self.inner = ADWIN(delta=delta)

    def update(self, x):
        assert type(x) is int
        self.inner.update(x)

    @property
    def drift_detected(self):
        return self.inner.drift_detected

    @property
    def estimate(self):
        return self.inner.estimate

    def get_state(self):
        return self.inner.get_state()

    def set_state(self, state):
        self.inner = rp.drift.from_state(state)


class Every:
    """A drift at every n-th value, and nothing else: no estimate, no state for files."""

    def __init__(self, n=400):
        self.n, self.seen, self.drift_detected = n, 0, False

    def update(self, x):
        self.seen += 1
        self.drift_detected = self.seen % self.n == 0


def rows(n=6000, seed=3):
    """Three concepts in turn, so that errors rise twice."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(n, 3))
    signs = np.where(np.arange(n) // (n // 3) % 2 == 0, 1, -1)
    return X, (signs * (X[:, 0] - X[:, 1]) > 0).astype(int)


FORESTS: dict[str, Callable[[Any], Any]] = {
    "background": lambda d: rp.AdaptiveRandomForest(
        n_estimators=3, warning=d(0.05), drift=d(DELTA), random_state=4
    ),
    "worst": lambda d: rp.LeveragingBagging(n_estimators=3, drift=d(DELTA), random_state=4),
    "patches": lambda d: rp.StreamingRandomPatches(
        n_estimators=3, warning=d(0.05), drift=d(DELTA), random_state=4
    ),
    "pairs": lambda d: rp.UFFT(drift=d(DELTA)),
}


@pytest.mark.parametrize("make", FORESTS.values(), ids=FORESTS)
def test_an_adwin_of_ones_own_gives_the_built_in_forest(make):
    X, y = rows()
    own, built_in = make(Own), make(lambda delta: ADWIN(delta=delta))
    np.testing.assert_array_equal(own.prequential(X, y), built_in.prequential(X, y))
    assert sum(m.drifts for m in inside.standings(own)) > 0
    assert [m.drifts for m in inside.standings(own)] == [
        m.drifts for m in inside.standings(built_in)
    ]
    np.testing.assert_array_equal(own.predict_proba(X), built_in.predict_proba(X))


def test_rivers_adwin_replaces_members_when_their_errors_rise():
    X, y = rows()
    forest = FORESTS["background"](lambda delta: river_drift.ADWIN(delta=delta))
    still = rp.OnlineBagging(n_estimators=3, random_state=4)
    right = forest.prequential(X, y) == y
    assert forest.n_drifts_ > 0
    assert forest.n_warnings_ > 0
    assert right[2500:].mean() > (still.prequential(X, y) == y)[2500:].mean() + 0.05


class Turning:
    """Drifts at values 50 and 100; the estimate falls at the first and rises at the second."""

    def __init__(self):
        self.seen, self.estimate, self.drift_detected = 0, 0.5, False

    def update(self, x):
        self.seen += 1
        self.drift_detected = self.seen % 50 == 0
        if self.drift_detected:
            self.estimate += 0.1 if self.seen == 100 else -0.1


def test_a_drift_at_which_the_estimate_falls_replaces_nothing():
    X, y = rows(300)
    forest = rp.LeveragingBagging(n_estimators=1, drift=Turning()).partial_fit(X[:99], y[:99])
    assert forest.n_drifts_ == 0
    assert forest.partial_fit(X[99:100], y[99:100]).n_drifts_ == 1


@pytest.mark.parametrize(
    "detector",
    [river_drift.PageHinkley(), binary.DDM(), binary.EDDM()],
    ids=lambda d: type(d).__name__,
)
def test_every_detector_of_river_works(detector):
    X, y = rows()
    forest = rp.AdaptiveRandomForest(n_estimators=2, drift=detector, warning=detector.clone())
    assert (forest.prequential(X, y) == y).mean() > 0.6
    assert not detector.drift_detected
    assert np.allclose(forest.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.parametrize("make", FORESTS.values(), ids=FORESTS)
@pytest.mark.parametrize("size", [13, 1000])
def test_batches_and_threads_do_not_matter(make, size):
    X, y = rows(1200 if size == 13 else 6000)
    whole = make(Own).set_params(n_jobs=1).partial_fit(X, y)
    parts = make(Own).set_params(n_jobs=3)
    for first in range(0, len(y), size):
        parts.partial_fit(X[first : first + size], y[first : first + size])
    assert modelfile.to_bytes(parts) == modelfile.to_bytes(whole)


def test_each_member_has_a_detector_of_its_own_and_the_prototype_stays_as_it_was():
    X, y = rows(1000)
    prototype = Every(100)
    forest = rp.LeveragingBagging(n_estimators=3, drift=prototype)
    forest.partial_fit(X[:450], y[:450])
    prototype.update(1)
    prototype.n = 1  # too late
    forest.partial_fit(X[450:], y[450:])
    # Every member sees every row; each drift of the three restarts the worst and its detector.
    counted = rp.LeveragingBagging(n_estimators=3, drift=lambda: Every(100)).partial_fit(X, y)
    assert forest.n_drifts_ == counted.n_drifts_ > 0
    assert prototype.seen == 1


def test_without_an_estimate_the_mean_error_since_the_last_drift_decides():
    # Two members; the detector of both fires at row 100. The worse one starts over.
    X, y = rows(101)
    forest = rp.LeveragingBagging(n_estimators=2, drift=Every(100), random_state=1)
    wrong = np.zeros(2)
    for i in range(100):
        forest.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
        if i < 99:  # a detector sees what its member predicts after it has learned the row
            wrong += [v.label != y[i] for v in forest.explain_one(dict(enumerate(X[i])))]
    assert [m.drifts for m in inside.standings(forest)].count(0) == 1
    assert wrong[0] != wrong[1]
    assert inside.standings(forest)[int(np.argmax(wrong))].drifts == 1


class Failing(Own):
    """Fails at the n-th update of all its copies together."""

    left: ClassVar[list[int]] = [10**9]

    def __deepcopy__(self, memo):
        other = type(self)()
        other.inner = copy.deepcopy(self.inner)
        return other

    def update(self, x):
        self.left[0] -= 1
        if self.left[0] == 0:
            raise RuntimeError("no answer today")
        super().update(x)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("make", FORESTS.values(), ids=FORESTS)
def test_a_detector_that_fails_leaves_the_forest_as_it_was(make, n_jobs):
    X, y = rows(1200)
    Failing.left[0] = 10**9
    forest = make(lambda delta: Failing()).set_params(n_jobs=n_jobs)
    forest.partial_fit(X[:700], y[:700])
    before = modelfile.to_bytes(forest)
    Failing.left[0] = 200
    with pytest.raises(RuntimeError, match="no answer today"):
        forest.partial_fit(X[700:], y[700:])
    assert modelfile.to_bytes(forest) == before
    Failing.left[0] = 10**9
    twin = pickle.loads(pickle.dumps(forest))
    for model in (forest, twin):
        model.partial_fit(X[700:], y[700:])
    assert modelfile.to_bytes(twin) == modelfile.to_bytes(forest)


class Interrupted(Own):
    """Ctrl-C in the middle of an update, which must be finished."""

    left: ClassVar[list[int]] = [10**9]

    def update(self, x):
        self.left[0] -= 1
        if self.left[0] == 0:
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(1000):  # the interpreter checks for signals here
                pass
        super().update(x)


@pytest.mark.parametrize("make", FORESTS.values(), ids=FORESTS)
def test_after_ctrl_c_in_an_update_whole_rows_are_learned(make):
    X, y = rows(3000)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        Interrupted.left[0] = 2000
        forest = make(lambda delta: Interrupted()).set_params(n_jobs=1)
        with pytest.raises(KeyboardInterrupt):
            forest.partial_fit(X, y)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, handler)
    Interrupted.left[0] = 10**9
    seen = forest.n_seen_
    assert 0 < seen <= 3000
    whole = make(lambda delta: Interrupted()).partial_fit(X[:seen], y[:seen])
    assert modelfile.to_bytes(forest) == modelfile.to_bytes(whole)


def test_a_detector_is_saved_by_its_state_and_asked_for_when_loaded(tmp_path):
    X, y = rows()
    forest = FORESTS["background"](Own).partial_fit(X[:3000], y[:3000])
    path = tmp_path / "forest.rip"
    forest.save(path)
    with pytest.raises(
        rp.ModelFileError, match=r"drift=tests.policies.test_own_detectors:Own; pass such an object"
    ):
        rp.load(path)
    with pytest.raises(rp.ModelFileError, match=r"must be an object of the class .*:Own"):
        rp.load(path, {"drift": 3, "warning": Own()})
    again = rp.load(path, {"drift": Own(), "warning": Own(0.05)})
    for model in (forest, again):
        model.partial_fit(X[3000:], y[3000:])
    assert modelfile.to_bytes(again) == modelfile.to_bytes(forest)


def test_a_detector_without_a_state_is_not_saved_but_pickled(tmp_path):
    X, y = rows()
    forest = rp.LeveragingBagging(n_estimators=2, drift=river_drift.ADWIN())
    forest.partial_fit(X[:3000], y[:3000])
    with pytest.raises(
        TypeError, match=r"(?s)parameter drift=.* cannot be saved.*set_state\(state\)"
    ):
        forest.save(tmp_path / "forest.rip")
    assert not list(tmp_path.iterdir())
    twins = [copy.copy(forest), copy.deepcopy(forest), pickle.loads(pickle.dumps(forest))]
    forest.partial_fit(X[3000:], y[3000:])
    assert forest.n_drifts_ > 0
    for twin in twins:
        twin.partial_fit(X[3000:], y[3000:])
        np.testing.assert_array_equal(twin.predict_proba(X), forest.predict_proba(X))


def test_a_file_cannot_name_an_object_of_the_process():
    X, y = rows(600)
    forest = rp.LeveragingBagging(n_estimators=2, drift=Own()).partial_fit(X, y)
    state = forest.__getstate__()
    assert len(state["states"]) == 2
    with pytest.raises(rp.ModelFileError, match="not a state of drift"):
        modelfile.from_bytes(state["model"], state["functions"])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("adwin", "an object with update"),
        (True, "an object with update"),
        (object(), "an object with update"),
        (ADWIN, r"got the class ADWIN; use ADWIN\(\)"),
        (lambda: 3, r"must return an object with update\(x\) and drift_detected, got 3"),
        (lambda: rp.VFDT(), r"must return an object with update\(x\) and drift_detected"),
    ],
)
def test_what_is_no_detector_is_refused_before_anything_is_learned(wrong, message):
    X, y = rows(100)
    for model in (
        rp.LeveragingBagging(drift=wrong),
        rp.AdaptiveRandomForest(warning=wrong),
        rp.UFFT(drift=wrong),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            model.fit(X, y)
        assert not model.__sklearn_is_fitted__()


def test_an_estimate_must_be_a_finite_number():
    class Wrong(Own):
        estimate = float("nan")

    with pytest.raises(ValueError, match=r"drift .*Wrong.*: estimate must be finite, got nan"):
        rp.LeveragingBagging(drift=Wrong()).fit(*rows(100))


def test_the_memory_of_an_object_cannot_be_limited():
    X, y = rows(300)
    message = "max_bytes must be None with drift=.*cannot be counted"
    with pytest.raises(ValueError, match=message):
        rp.LeveragingBagging(drift=Own(), max_bytes="10MB").fit(X, y)
    forest = rp.LeveragingBagging(drift=Own()).fit(X, y)
    with pytest.raises(ValueError, match=message):
        forest.set_params(max_bytes="10MB").partial_fit(X, y)
    assert forest.n_seen_ == 300


def test_a_forest_is_read_while_it_learns_with_a_detector_of_ones_own():
    X, y = rows(4000)
    forest = FORESTS["background"](Own).set_params(n_jobs=2).partial_fit(X[:100], y[:100])
    failures = []
    done = threading.Event()

    def read():
        try:
            while not done.is_set():
                forest.predict(X[:20])
                forest.predict_proba_one(dict(enumerate(X[0].tolist())))
                forest.members()
        except BaseException as error:
            failures.append(error)

    readers = [threading.Thread(target=read, daemon=True) for _ in range(2)]
    for reader in readers:
        reader.start()
    for first in range(100, 4000, 300):
        forest.partial_fit(X[first : first + 300], y[first : first + 300])
    done.set()
    for reader in readers:
        reader.join(10.0)
        assert not reader.is_alive(), "deadlock"
    assert not failures
