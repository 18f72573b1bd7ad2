"""A process forks while another thread learns: the child predicts, learns and saves."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

from riparian.storage import modelfile
from tests.attack.models import OF_ENGINES, SLOW, eager, rows_for

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork"),
    # That is the point.
    pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning"),
]

SECONDS = 20


def in_child(work):
    """The exit status of a child that does the work; None if it hangs."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status
        time.sleep(0.002)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


@pytest.mark.parametrize("name", OF_ENGINES)
def test_a_child_can_use_a_model_that_another_thread_was_learning(name, effort, report_tries):
    n = 700 if name in SLOW else 20_000
    X, y = rows_for(name, n)
    model = eager(name).partial_fit(X[:500], y[:500])
    stop = threading.Event()

    def learn():
        at = 500
        while not stop.is_set():
            # Every batch brings a class and is learned in part when the process forks.
            model.partial_fit(X[at:], np.where(y[at:] == 0, at, y[at:]) if at < 1000 else y[at:])
            at = at + 100 if at + 200 < n else 500
            if name in SLOW and model.n_seen_ > 3_000:
                stop.wait(0.01)
                at = n - 2

    def work():
        shares = model.predict_proba(X[:50])
        assert np.allclose(shares.sum(axis=1), 1.0)
        loaded = modelfile.from_bytes(modelfile.to_bytes(model))
        assert np.array_equal(loaded.predict_proba(X[:50]), shares)
        seen = model.n_seen_
        model.partial_fit(X[:100], y[:100])
        assert model.n_seen_ == seen + 100

    learner = threading.Thread(target=learn)
    learner.start()
    try:
        for _ in range(2 * effort):
            time.sleep(0.003)
            status = in_child(work)
            assert status is not None, "the child hangs"
            assert status == 0
    finally:
        stop.set()
        learner.join()
    report_tries("forks while another thread learns", 2 * effort)


def test_forking_inside_a_function_of_the_user_does_not_hang():
    import riparian as rp

    statuses = []

    def bound(evidence):
        if not statuses:
            statuses.append(None)
            statuses[0] = in_child(lambda: None)
        return np.full_like(evidence.n, 0.5)

    X, y = rows_for("HoeffdingTree", 300)
    rp.HoeffdingTree(bound=bound, grace_period=50).partial_fit(X, y)
    assert statuses == [0]
