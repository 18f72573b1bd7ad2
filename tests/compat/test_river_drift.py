"""The detectors compared with River's on the same values, and in River's models.

Where they differ, the test names the difference and takes it away: what is left is equal.
"""

from __future__ import annotations

import importlib.util
import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from riparian import drift
from tests.reference import drift as reference

river = pytest.importorskip("river")

from river import drift as river_drift  # noqa: E402
from river import forest, metrics, naive_bayes  # noqa: E402
from river.datasets import synth  # noqa: E402

SEEDS = range(5)


def errors(seed, each=2000):
    rng = np.random.default_rng(seed)
    rates = np.repeat([0.2, 0.5, 0.1, 0.8, 0.3], each)
    return (rng.random(len(rates)) < rates).astype(int)


def numbers(seed, each=2000):
    rng = np.random.default_rng(seed)
    return rng.normal(np.repeat([0, 2, 2, -1, 0], each), 1.0)


def drifts_of(detector, values):
    for i, x in enumerate(values.tolist()):
        detector.update(x)
        if detector.drift_detected:
            yield i


def drifts(detector, values):
    return list(drifts_of(detector, values))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("ours", "theirs", "values"),
    [
        (drift.DDM, river_drift.binary.DDM, errors),
        (drift.EDDM, river_drift.binary.EDDM, errors),
        (drift.HDDM_A, river_drift.binary.HDDMA, errors),
        (
            lambda: drift.HDDM_A(two_sided_test=True),
            lambda: river_drift.binary.HDDMA(two_sided_test=True),
            errors,
        ),
        (drift.PageHinkley, river_drift.PageHinkley, numbers),
        (
            lambda: drift.PageHinkley(mode="down", threshold=20.0),
            lambda: river_drift.PageHinkley(mode="down", threshold=20.0),
            numbers,
        ),
    ],
    ids=["DDM", "EDDM", "HDDM_A", "HDDM_A both sides", "PageHinkley", "PageHinkley down"],
)
def test_drifts_are_those_of_river(ours, theirs, values, seed):
    found = ours().find(values(seed)).tolist()
    assert found
    assert found == drifts(theirs(), values(seed))


@pytest.mark.skipif(
    importlib.util.find_spec("river._river_rust") is None,
    reason="River's ADWIN in Cython leaves the newest bucket of each row out (river#1539)",
)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("values", [errors, numbers])
def test_adwin_is_that_of_river_but_for_what_is_left_after_a_drift(values, seed):
    # River throws the whole window away, ours keeps what has not been cut off, as in the paper.
    ours, found = drift.ADWIN(), []
    for i, x in enumerate(values(seed).tolist()):
        if ours.drift_detected:
            ours.reset()
        if ours.update(x).drift_detected:
            found.append(i)
    assert len(found) >= 3
    assert found == drifts(river_drift.ADWIN(), values(seed))


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_hddm_w_is_that_of_river_but_for_the_first_weight(seed, both):
    # The first value of a moving average has the weight 1. River counts it as if the average had
    # begun one value earlier, lambda^2 + (1 - lambda)^2, and so has too narrow a bound at first.
    series = errors(seed, each=300)
    theirs = drifts(river_drift.binary.HDDMW(two_sided_test=both), series)
    plain = reference.HDDM_W(two_sided_test=both, first_weight=0.05**2 + 0.95**2)
    assert theirs == [i for i, x in enumerate(series) if plain.update(float(x)) == 2]
    ours = drift.HDDM_W(two_sided_test=both).find(series)
    assert abs(ours[0] - theirs[0]) <= 5


def test_kswin_is_that_of_river_but_for_the_draws_and_the_threshold():
    # Half of the window is compared with all of the other half, so that nothing is drawn. River
    # asks for the exact p-value; the paper's threshold is put between the same two distances.
    # River throws the whole window away after a drift: only the first can be compared.
    r, alpha = 30, 0.005
    distance = next(
        k for k in range(8, r) if stats.ks_2samp(np.arange(r), np.arange(r) + k).pvalue <= alpha
    )
    same = math.exp(-((distance - 0.5) ** 2) / r)
    for seed in SEEDS:
        series = numbers(seed, each=400)
        theirs = next(drifts_of(river_drift.KSWIN(alpha=alpha, window_size=60, seed=1), series))
        assert theirs == drift.KSWIN(alpha=same, window_size=60).find(series)[0]


def stream():
    for concept, seed in ((0, 1), (3, 2)):
        yield from synth.SEA(variant=concept, seed=seed).take(1500)


def accuracy(model):
    metric = metrics.Accuracy()
    for x, y in stream():
        answer = model.predict_one(x)
        if answer is not None:
            metric.update(y, answer)
        model.learn_one(x, y)
    return metric.get()


def test_a_model_of_river_that_retrains_takes_our_detector():
    def retraining(detector):
        return river_drift.DriftRetrainingClassifier(naive_bayes.GaussianNB(), detector)

    assert accuracy(retraining(drift.DDM())) == accuracy(retraining(river_drift.binary.DDM()))


def test_a_forest_of_river_takes_our_detectors():
    forest_of_ours = forest.ARFClassifier(
        n_models=3,
        seed=1,
        drift_detector=drift.ADWIN(delta=0.001),
        warning_detector=drift.ADWIN(delta=0.01),
    )
    assert accuracy(forest_of_ours) > 0.85
    detector: Any = forest_of_ours.clone().drift_detector
    assert detector.get_params()["delta"] == 0.001
