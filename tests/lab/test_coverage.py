"""Which claims of confidence are kept on the controlled node, and the figures once found for it."""

import math

import pytest

from riparian import lab

REPETITIONS = 20_000
ACCURACY = {"impurity": "accuracy"}
PREQUENTIAL = {"impurity": "accuracy", "evaluator": "prequential"}
FIXED = {"impurity": "accuracy", "evaluator": "fixed"}

# An independent replication: method, epsilons, delta, wrong in 100,000, mean n, its repetitions.
FIGURES = [
    ({}, 1, 0.05, 15405, 32.7, 20_000),
    ({}, 2, 0.05, 420, 272.4, 20_000),
    ({}, 1, 0.01, 5880, 73.0, 20_000),
    ({}, 2, 0.01, 25, 462.8, 20_000),
    (ACCURACY, 1, 0.05, 330, 74.6, 20_000),
    (ACCURACY, 2, 0.05, 0, 238.7, 20_000),
    (ACCURACY, 1, 0.01, 30, 106.3, 20_000),
    (ACCURACY, 2, 0.01, 0, 349.5, 20_000),
    (PREQUENTIAL, 1, 0.05, 4155, 60.4, 40_000),
    (PREQUENTIAL, 2, 0.05, 14, 195.1, 40_000),
    (PREQUENTIAL, 1, 0.01, 1143, 86.9, 40_000),
    (PREQUENTIAL, 2, 0.01, 0, 290.8, 40_000),
    # Exact, by a dynamic programme over the difference of hits.
    (FIXED, 1, 0.05, 5115, 35.79, math.inf),
    (FIXED, 2, 0.05, 4, 182.99, math.inf),
    (FIXED, 1, 0.01, 1014, 63.72, math.inf),
    (FIXED, 2, 0.01, 0, 288.69, math.inf),
]


@pytest.mark.parametrize(("method", "epsilons", "delta", "wrong", "mean", "others"), FIGURES)
def test_the_figures_of_an_independent_replication(method, epsilons, delta, wrong, mean, others):
    found = lab.decisions(**method, epsilons=epsilons, delta=delta, repetitions=REPETITIONS)
    p = (found.wrong / REPETITIONS + wrong / 100_000) / 2
    both = 1 / REPETITIONS + 1 / others
    assert abs(found.rate - wrong / 100_000) <= 4 * math.sqrt(p * (1 - p) * both) + 1e-9
    # The spread of n, from the middle half: it is at most a little skewed.
    spread = max(found.quantiles[0.95] - found.quantiles[0.05], 1.0) / 2
    assert abs(found.mean_examples - mean) <= 4 * spread * math.sqrt(both)


KEPT = [
    *(
        (method, delta)
        for delta in (0.05, 0.01)
        for method in (
            {**PREQUENTIAL, "epsilons": 2},
            {**PREQUENTIAL, "epsilons": 1, "spend_delta": True},
            {**PREQUENTIAL, "epsilons": 2, "spend_delta": True},
            {**ACCURACY, "epsilons": 2},
            {"epsilons": 2},
            {"epsilons": 2, "spend_delta": True},
        )
    ),
    ({**PREQUENTIAL, "epsilons": 1}, 0.05),
    ({"epsilons": 1, "spend_delta": True}, 0.05),
    ({**ACCURACY, "evaluator": "holdout", "epsilons": 2, "max_examples": 10_000}, 0.05),
    # 30 examples choose the labels wrongly too often for 1 %; 200 do not.
    (
        {
            **ACCURACY,
            "evaluator": "holdout",
            "holdout_examples": 200,
            "epsilons": 2,
            "max_examples": 10_000,
        },
        0.01,
    ),
]
BROKEN = [
    ({"epsilons": 1}, 0.05),
    ({"epsilons": 1}, 0.01),
    ({"impurity": "kearns-mansour", "epsilons": 1}, 0.05),
    # Spending delta over the checks does not mend what Hoeffding's bound does not cover.
    ({"epsilons": 1, "spend_delta": True}, 0.01),
]


@pytest.mark.parametrize(("method", "delta"), KEPT)
def test_kept(method, delta):
    assert lab.decisions(**method, delta=delta, repetitions=5_000, seed=3).verdict == "kept"


@pytest.mark.parametrize(("method", "delta"), BROKEN)
def test_broken(method, delta):
    assert lab.decisions(**method, delta=delta, repetitions=5_000, seed=3).verdict == "broken"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "delta", "verdict"),
    [*((*case, "kept") for case in KEPT), *((*case, "broken") for case in BROKEN)],
)
def test_verdicts_of_a_hundred_thousand(method, delta, verdict):
    assert lab.decisions(**method, delta=delta, repetitions=100_000).verdict == verdict


CONFIDENCE = {
    "gini": 1_000,
    "kearns-mansour": 10_000,
    "entropy": 1_000_000,
}


def by_confidence(impurity, repetitions):
    grace = CONFIDENCE[impurity]
    found = lab.decisions(
        impurity=impurity,
        bound="confidence",
        epsilons=2,
        grace_period=grace,
        first_check=grace,
        max_examples=1_000 * grace,
        repetitions=repetitions,
    )
    return found.wrong, found.decided


@pytest.mark.parametrize("impurity", CONFIDENCE)
def test_the_confidence_intervals_make_no_wrong_decision(impurity):
    assert by_confidence(impurity, 1_000) == (0, 1_000)


@pytest.mark.slow
@pytest.mark.parametrize("impurity", CONFIDENCE)
def test_the_confidence_intervals_make_none_in_many(impurity):
    assert by_confidence(impurity, 200_000) == (0, 200_000)
