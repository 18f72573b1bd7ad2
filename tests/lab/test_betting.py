"""Coverage of splits by betting, over nodes that are hard for it, and what breaks it."""

import numpy as np
import pytest

from riparian import lab
from tests.reference import race_coverage


def flips(*shares, classes=2):
    """Features that agree with the class except for a share of flips."""
    k = classes
    tables = [np.full((k, k), s / (k - 1)) + np.eye(k) * (1 - s - s / (k - 1)) for s in shares]
    joint = np.full(k, 1 / k)
    for i, table in enumerate(tables):
        shape = [1] * len(tables) + [k]
        shape[i] = k
        joint = joint * table.reshape(shape)
    return lab.Node(joint)


NODES = {
    "close": flips(0.30, 0.31),
    "equal": flips(0.3, 0.3),
    "no gain": flips(0.5, 0.5),
    "many rivals": flips(0.35, 0.36, 0.36, 0.36, 0.5, 0.5),
    "many classes": flips(0.5, 0.52, classes=4),
}


@pytest.mark.parametrize("name", NODES)
@pytest.mark.parametrize("impurity", ["gini", "accuracy"])
@pytest.mark.parametrize("tau", [0.0, 0.05])
def test_wrong_decisions_are_rarer_than_delta(name, impurity, tau):
    found = lab.decisions(
        NODES[name],
        impurity=impurity,
        bound="betting",
        tau=tau,
        delta=0.05,
        grace_period=5,
        random_checks=True,
        max_examples=600,
        repetitions=150,
        seed=2,
    )
    assert found.interval[0] <= 0.05
    assert found.rate <= 0.05


def test_the_controlled_node_needs_hundreds_of_rows():
    found = lab.decisions(bound="betting", impurity="gini", delta=0.05, repetitions=2000)
    assert (found.wrong, found.decided) == (0, 2000)
    assert 230 < found.mean_examples < 320
    assert "gini, betting, tau 0: 0 of 2,000 decisions were wrong" in str(found)


def test_equal_tests_are_decided_within_tau_and_noise_is_not():
    common = {"bound": "betting", "impurity": "gini", "max_examples": 6000, "repetitions": 100}
    equal = lab.decisions(NODES["equal"], tau=0.05, **common)
    assert equal.decided >= 95
    assert equal.wrong == 0
    assert lab.decisions(NODES["equal"], **common).decided <= 5
    assert lab.decisions(NODES["no gain"], tau=0.05, **common).decided <= 5


def test_workers_merge_their_evidence():
    common = {"bound": "betting", "impurity": "gini", "delta": 0.05, "repetitions": 300}
    one = lab.decisions(**common)
    four = lab.decisions(workers=4, **common)
    assert four.wrong == 0
    assert four.decided == 300
    assert one.mean_examples < four.mean_examples < 2 * one.mean_examples


@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"tau": 0.1}, "only for bound 'betting'"),
        ({"workers": 2}, "only for bound 'betting'"),
        ({"bound": "betting"}, "supports the impurities 'gini', 'accuracy'"),
        ({"bound": "betting", "impurity": "gini", "epsilons": 2}, "no epsilon"),
        (
            {"bound": "betting", "impurity": "accuracy", "fixed_labels": True},
            "evaluates predictions",
        ),
        ({"bound": "betting", "impurity": "gini", "tau": -1.0}, "tau must be"),
        ({"bound": "betting", "impurity": "gini", "workers": 0}, "workers"),
    ],
)
def test_what_the_laboratory_refuses(parameters, says):
    with pytest.raises(ValueError, match=says):
        lab.decisions(repetitions=10, **parameters)


# A node for each inequality: it is the one that shows that the inequality matters.
BROKEN = {
    "sees the label": ([0.30, 0.31], 0.0),
    "forgets a rival": ([0.30, 0.30], 0.0),
    "tolerates noise": ([0.50, 0.50], 0.05),
}


@pytest.mark.parametrize("mutant", BROKEN)
def test_a_false_claim_is_caught(mutant):
    flipped, tau = BROKEN[mutant]
    common = {"alpha": 0.05, "tau": tau, "rows": 300, "repetitions": 400}
    assert race_coverage.wrong_splits(flipped, **common) <= 0.02
    assert race_coverage.wrong_splits(flipped, mutant=mutant, **common) > 0.15
