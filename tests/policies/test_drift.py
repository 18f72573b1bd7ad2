"""Each detector against its reference, value by value; what it refuses; its state."""

from __future__ import annotations

import copy
import json
import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import riparian as rp
from riparian import drift
from tests.reference import drift as reference

SETTINGS = [
    ("ADWIN", {}),
    ("ADWIN", {"delta": 0.3, "clock": 1}),
    ("ADWIN", {"delta": 0.05, "clock": 7, "max_buckets": 2, "min_window_length": 1}),
    ("ADWIN", {"clock": 16, "max_buckets": 9, "min_window_length": 10, "grace_period": 100}),
    ("DDM", {}),
    ("DDM", {"warm_start": 0, "warning_threshold": 1.0, "drift_threshold": 1.5}),
    ("EDDM", {}),
    ("EDDM", {"warm_start": 5, "alpha": 0.7, "beta": 0.6}),
    ("PageHinkley", {"threshold": 10.0}),
    ("PageHinkley", {"threshold": 5.0, "mode": "up", "alpha": 1.0, "delta": 0.05}),
    ("PageHinkley", {"threshold": 5.0, "mode": "down", "alpha": 0.99, "min_instances": 1}),
    ("HDDM_A", {}),
    ("HDDM_A", {"two_sided_test": True, "drift_confidence": 0.05, "warning_confidence": 0.1}),
    ("HDDM_W", {}),
    ("HDDM_W", {"two_sided_test": True, "lambda_val": 0.2, "drift_confidence": 0.005}),
    ("FHDDM", {}),
    ("FHDDM", {"delta": 0.01, "window_size": 37}),
    ("KSWIN", {}),
    ("KSWIN", {"window_size": 40, "stat_size": 20, "alpha": 0.05}),
    ("KSWIN", {"window_size": 300, "stat_size": 10, "alpha": 0.01, "seed": 7}),
]
NAMES = sorted({name for name, _ in SETTINGS})


def errors(seed=0, rates=(0.2, 0.5, 0.1, 0.9, 0.3), each=600):
    rng = np.random.default_rng(seed)
    return (rng.random(len(rates) * each) < np.repeat(rates, each)).astype(float)


def numbers(seed=0, each=600):
    rng = np.random.default_rng(seed)
    means, deviations = np.repeat([[0, 2, 2, -1, 0], [1, 1, 3, 1, 0.1]], each, axis=1)
    return rng.normal(means, deviations)


def series(name, seed=0):
    if name in ("ADWIN", "KSWIN", "PageHinkley"):
        return [errors(seed), numbers(seed), np.round(numbers(seed), 1)]
    if name in ("HDDM_A", "HDDM_W"):
        wrong = errors(seed, each=300)  # the reference takes the square of it
        return [wrong, np.random.default_rng(seed).beta(2, 1 + 3 * wrong)]
    return [errors(seed), errors(seed, (0.05, 0.06, 0.08, 0.3), 700)]


@pytest.mark.parametrize(("name", "parameters"), SETTINGS)
def test_every_signal_is_that_of_the_reference(name, parameters):
    found = 0
    for values in series(name):
        native = getattr(drift, name)(**parameters)
        plain = getattr(reference, name)(**parameters)
        for i, x in enumerate(values):
            want = plain.update(x)
            native.update(x)
            assert (native.drift_detected, native.warning_detected) == (want == 2, want == 1), i
            found += want == 2
            if i % 50 == 0:
                assert native.width == plain.width
                assert native.estimate == pytest.approx(plain.estimate, rel=1e-9, abs=1e-12)
        if name == "ADWIN":
            assert native.variance == pytest.approx(plain.variance, rel=1e-9)
            assert native.shift == pytest.approx(plain.shift, rel=1e-9)
    assert found >= 2


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.floats(-10, 10), st.integers(1, 150)), min_size=1, max_size=6),
    st.integers(2, 6),
    st.sampled_from([0.0, 1e6, -1e9]),
)
def test_what_adwin_holds_is_the_last_values_and_nothing_else(levels, max_buckets, offset):
    rng = np.random.default_rng(len(levels))
    values = np.concatenate([offset + mean + rng.normal(size=n) for mean, n in levels])
    detector = drift.ADWIN(max_buckets=max_buckets, clock=4)
    for i, x in enumerate(values):
        detector.update(x)
        kept = values[i + 1 - detector.width : i + 1]
        assert detector.estimate == pytest.approx(kept.mean(), rel=1e-12, abs=1e-12)
        assert detector.variance == pytest.approx(kept.var(), rel=1e-4, abs=1e-9)


def test_the_cut_of_adwin_worked_by_hand():
    # 32 zeros and 32 ones, M = 5: the cut at 32 and 32 has v = 0.25, d = ln(2 ln 64 / 0.002),
    # m = 2/28: sqrt(2 m v d) + 2/3 m d = 0.9423 < 1. At 64 there is a boundary at 32.
    d = math.log(2 * math.log(64) / 0.002)
    m = 2 / 28
    assert math.sqrt(2 * m * 0.25 * d) + 2 / 3 * m * d == pytest.approx(0.9423, abs=5e-5)
    detector = drift.ADWIN()
    assert detector.find([0] * 32 + [1] * 32).tolist() == [63]
    assert detector.shift > 0
    # With delta = 1e-4, d = 11.33: 1.1756 > 1.
    assert drift.ADWIN(delta=1e-4).find([0] * 32 + [1] * 32).size == 0


def test_ddm_worked_by_hand():
    # 31 values with 1 error: p = 1/31, s = sqrt(p (1 - p) / 31) = 0.03174, the first minimum.
    # Then errors: (p + s) of 2 in 32 is 0.0625 + 0.0428 = 0.1053 <= p + 3 s = 0.1275, of 3 in
    # 33 it is 0.0909 + 0.0500 = 0.1409 > 0.1275.
    detector = drift.DDM()
    assert detector.find([1] + [0] * 30 + [1, 1]).tolist() == [32]


def test_hddm_a_worked_by_hand():
    # 100 zeros, then k ones: z = k / (100 + k), the prefix is the 100 zeros.
    # sqrt(k / (200 (100 + k)) ln 2000) is 0.1902 > z = 0.0521 for k = 5 and falls below z when
    # k / (100 + k) = ln(2000) / 200 * 1 = 0.0380, that is k = 3.95: at the fourth.
    assert math.log(2000) / 200 == pytest.approx(0.0380, abs=5e-5)
    assert drift.HDDM_A().find([0] * 100 + [1] * 4).tolist() == [103]


def test_fhddm_worked_by_hand():
    # n = 10, delta = 0.5: sqrt(ln 2 / 20) = 0.186, so a fall by two of ten right ones is a drift.
    detector = drift.DETECTORS["fhddm"](delta=0.5, window_size=10)
    assert detector.find([0] * 10 + [1, 1]).tolist() == [11]
    assert detector.width == 10
    assert detector.estimate == pytest.approx(0.2)
    assert drift.DETECTORS["fhddm"](delta=0.5, window_size=10).find([0] * 9 + [1, 1]).size == 0


def test_kswin_worked_by_hand():
    # r = 4, alpha = 0.05: 4 sqrt(ln 20 / 4) = 3.46, so all four must lie apart.
    detector = drift.KSWIN(alpha=0.05, window_size=8, stat_size=4)
    assert detector.find([1, 2, 3, 4, 5, 6, 7, 3.5]).size == 0
    assert detector.find([9, 9, 9]).size == 0
    assert detector.find([9]).tolist() == [0]
    assert detector.width == 4


def test_kswin_sees_a_change_that_leaves_the_mean():
    # N(0, 1) and N(0, 10): the distributions are 0.4 apart, the threshold is 0.3035.
    narrow, wide = np.random.default_rng(1).normal(0, [[1], [10]], (2, 1000))
    values = np.concatenate([narrow, wide])
    detector = drift.KSWIN(alpha=1e-4, window_size=300, stat_size=100)
    assert 1000 <= detector.find(values)[0] < 1100


def test_kswin_hangs_on_its_seed_alone():
    values = numbers(3)
    first = drift.KSWIN(seed=1).find(values)
    assert np.array_equal(first, drift.KSWIN(seed=1).find(values))
    assert not np.array_equal(first, drift.KSWIN(seed=2).find(values))


@pytest.mark.parametrize("name", NAMES)
def test_a_whole_array_is_as_one_value_after_the_other(name):
    values = series(name)[0]
    one, many, blocks = (getattr(drift, name)() for _ in range(3))
    signals = [0] * len(values)
    for i, x in enumerate(values):
        one.update(x)
        signals[i] = 2 * one.drift_detected + one.warning_detected
    assert many.signals(values).tolist() == signals
    drifts = [
        first + at
        for first in range(0, len(values), 7)
        for at in blocks.find(values[first : first + 7])
    ]
    assert drifts == np.flatnonzero(np.array(signals) == 2).tolist()
    assert one.get_state() == many.get_state() == blocks.get_state()


@pytest.mark.parametrize("copied", ["pickle", "copy", "json"])
@pytest.mark.parametrize("name", NAMES)
def test_a_copy_goes_on_as_if_never_copied(name, copied):
    how = {
        "pickle": lambda d: pickle.loads(pickle.dumps(d)),
        "copy": copy.deepcopy,
        "json": lambda d: drift.from_state(json.loads(json.dumps(d.get_state()))),
    }[copied]
    values = series(name)[0]
    never, again = getattr(drift, name)(), getattr(drift, name)()
    for first in range(0, len(values), 333):
        block = values[first : first + 333]
        state = again.get_state()
        fresh = how(again)
        assert np.array_equal(fresh.signals(block), never.signals(block))
        assert again.get_state() == state, "the original must stay"
        again = fresh
    assert type(again) is type(never)
    assert again.get_state() == never.get_state()
    assert again.get_params() == never.get_params()
    assert again.memory_bytes == never.memory_bytes


@pytest.mark.parametrize("name", NAMES)
def test_reset_and_clone_know_nothing(name):
    detector = getattr(drift, name)()
    new = detector.get_state()
    if name != "ADWIN":  # which keeps its room
        assert detector.signals(series(name)[0]).any()
        assert detector.reset().get_state() == new
    detector.find(series(name)[0])
    assert detector.clone().get_state() == new
    detector.reset()
    assert (detector.width, detector.estimate, detector.drift_detected) == (0, 0.0, False)
    with pytest.raises(TypeError, match="unexpected keyword"):
        detector.clone({"nonsense": 1})


@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf, 1e101])
@pytest.mark.parametrize("name", NAMES)
def test_what_cannot_be_watched_is_refused_and_nothing_is_learned(name, wrong):
    detector = getattr(drift, name)()
    detector.find(series(name)[0][:100])
    before = detector.get_state()
    with pytest.raises(ValueError, match=f"^x must be .* for {name}, got"):
        detector.update(wrong)
    with pytest.raises(ValueError, match=rf"^values must be .* for {name}, got .* at position 2"):
        detector.find([0, 1, wrong, 1])
    with pytest.raises(ValueError, match=r"must have the shape \(n,\), got \(1, 2\)"):
        detector.find([[0, 1]])
    with pytest.raises(ValueError, match=r"must have the shape \(n,\), got \(\)"):
        detector.find(1.0)
    with pytest.raises(TypeError, match=r"needs one number, got 'yes'; find\(values\) accepts"):
        detector.update("yes")
    assert detector.get_state() == before


def test_errors_are_0_or_1_and_shares_lie_between():
    for name in ("DDM", "EDDM"):
        with pytest.raises(
            ValueError, match=r"x must be 0 \(right\) or 1 \(wrong\) for .*got 0\.5"
        ):
            getattr(drift, name)().update(0.5)
    for name in ("HDDM_A", "HDDM_W"):
        with pytest.raises(ValueError, match=r"values must be a number from 0 to 1 .* got 1\.5"):
            getattr(drift, name)().find([0.5, 1.5])
    for right in (True, 1, 1.0, np.float32(1), np.bool_(True)):
        assert drift.DDM().update(right).estimate == 1.0
    assert drift.DDM().find(np.array([True, False])).size == 0


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("ADWIN", {"delta": 0}, "delta must be a probability between 0 and 1, got 0"),
        ("ADWIN", {"delta": math.nan}, "delta must be a probability between 0 and 1, got nan"),
        ("ADWIN", {"delta": "small"}, "delta must be a probability between 0 and 1, got 'small'"),
        ("ADWIN", {"clock": 0}, "clock must be a whole number from 1 to 4,294,967,295, got 0"),
        ("ADWIN", {"clock": 1.5}, "clock must be a whole number from 1 to 4,294,967,295, got 1.5"),
        ("ADWIN", {"clock": -1}, "clock must be a whole number"),
        ("ADWIN", {"clock": True}, "clock must be a whole number"),
        ("ADWIN", {"max_buckets": 1}, "max_buckets must be a whole number from 2 to 64, got 1"),
        ("DDM", {"drift_threshold": 1.0}, "drift_threshold must be at least warning_threshold = 2"),
        ("EDDM", {"alpha": 0.5}, "alpha must be at least beta = 0.9, got 0.5"),
        ("PageHinkley", {"mode": "upp"}, "mode must be one of .* did you mean 'up'"),
        ("PageHinkley", {"alpha": 1.5}, "alpha must be a number from 0 to 1, got 1.5"),
        ("HDDM_A", {"two_sided_test": 1}, "two_sided_test must be True or False, got 1"),
        ("HDDM_W", {"lambda_val": 0.0}, "lambda_val must be a probability between 0 and 1, got 0"),
        (
            "FHDDM",
            {"window_size": 0},
            "window_size must be a whole number from 1 to 1,000,000, got 0",
        ),
        ("KSWIN", {"stat_size": 51}, "stat_size must be at most half of window_size, got 51"),
        ("KSWIN", {"seed": -1}, "seed must be a whole number from 0 to 9,007,199,254,740,992"),
    ],
)
def test_a_wrong_parameter_is_refused_by_name_rule_and_value(name, parameters, message):
    with pytest.raises(ValueError, match=message):
        getattr(drift, name)(**parameters)


@pytest.mark.parametrize("name", NAMES)
def test_hostile_states_give_an_error_or_a_detector(name):
    rng = np.random.default_rng(0)
    detector = getattr(drift, name)()
    detector.find(series(name)[0][:777])
    good = detector.get_state()
    strange = [None, "1", True, [], {}, math.nan, math.inf, -1, 0.5, 2.0**60, 10**400, 1e300]
    for wrong in strange:
        for key in good:
            with pytest.raises(rp.ModelFileError, match="not the state of a detector"):
                drift.from_state({**good, key: wrong})
        for at in rng.choice(len(good["state"]), min(10, len(good["state"])), replace=False):
            state = list(good["state"])
            if state[at] == wrong:
                continue
            state[at] = wrong
            try:
                drift.from_state({**good, "state": state}).find(series(name)[0])
            except rp.ModelFileError:
                continue
            assert wrong in (-1, 0.5, 2.0**60), "accepted"
        with pytest.raises(rp.ModelFileError):
            drift.from_state({**good, "parameters": {**good["parameters"], "nonsense": wrong}})
    for state in ([], good["state"][:-1], [*good["state"], 0.0]):
        with pytest.raises(rp.ModelFileError, match=r"too early|too long"):
            drift.from_state({**good, "state": state})
    other = drift.EDDM() if name == "DDM" else drift.DDM()
    with pytest.raises(rp.ModelFileError, match="is not a state of"):
        detector.__setstate__(other.get_state())
    assert detector.get_state() == good


def test_a_detector_shows_the_parameters_that_were_changed():
    assert repr(drift.ADWIN()) == "ADWIN()"
    assert repr(drift.ADWIN(delta=0.01, clock=32)) == "ADWIN(delta=0.01)"
    assert repr(drift.PageHinkley(mode="up")) == "PageHinkley(mode='up')"


def test_adwin_takes_little_memory():
    detector = drift.ADWIN()
    assert detector.memory_bytes < 300
    detector.find(np.zeros(1_000_000))
    assert detector.width == 1_000_000
    assert detector.memory_bytes < 2000


def test_a_stationary_stream_has_few_alarms_and_a_change_is_found():
    rng = np.random.default_rng(5)
    quiet = rng.random((50, 5000)) < 0.2
    alarms = sum(drift.ADWIN().find(row).size > 0 for row in quiet)
    assert alarms <= 5
    for name in NAMES:
        values = np.concatenate([rng.random(2000) < 0.2, rng.random(2000) < 0.7])
        found = getattr(drift, name)().find(values)
        assert ((found >= 2000) & (found < 2600)).any(), name


def test_scikit_learn_clones_a_model_that_has_detectors():
    from sklearn.base import clone

    model = rp.AdaptiveRandomForest(drift=drift.DDM(warm_start=50), warning=drift.ADWIN())
    copy = clone(model)
    assert repr(copy) == repr(model)
    assert copy.drift is not model.drift
