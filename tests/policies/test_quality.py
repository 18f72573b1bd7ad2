"""The three evaluators of the quality gain."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from riparian import impurities
from riparian.impurities import quality_gain
from tests import reference

EVALUATORS = ["resubstitution", "prequential", "holdout"]
COSTS = np.array([[0.0, 3.0, 1.0], [0.5, 0.0, 2.0], [4.0, 0.25, 0.0]])

examples = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=60)


def slow(pairs, evaluator, costs, holdout_examples):
    """The reference's evaluator of one categorical feature."""
    scaled = None if costs is None else reference.scaled_costs(costs)
    quality = reference.Quality(["categorical"], evaluator, holdout_examples, scaled)
    for branch, label in pairs:
        quality.learn([branch], label)
        if quality.due:
            quality.fix({})
    found = quality.candidate(0, 3)
    return math.nan if found is None else found[0]


@pytest.mark.parametrize("costs", [None, COSTS], ids=["accuracy", "loss"])
@pytest.mark.parametrize("evaluator", ["prequential", "holdout"])
@given(pairs=examples, holdout_examples=st.integers(1, 20))
def test_an_evaluator_is_that_of_the_reference(evaluator, costs, pairs, holdout_examples):
    branches, labels = np.array(pairs).T
    got = quality_gain(branches, labels, evaluator, costs, holdout_examples)
    want = slow(pairs, evaluator, costs, holdout_examples)
    assert got == pytest.approx(want, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("costs", [None, COSTS], ids=["accuracy", "loss"])
@given(pairs=examples)
def test_resubstitution_is_the_gain_of_the_counts(costs, pairs):
    branches, labels = np.array(pairs).T
    table = np.zeros((4, 3))
    np.add.at(table, (branches, labels), 1.0)
    name = "accuracy" if costs is None else "loss"
    assert quality_gain(branches, labels, costs=costs) == impurities.gain(table, name, costs)
    if costs is None:
        got = quality_gain(branches, labels)
        assert got == impurities.gain(table, "misclassification")


@pytest.mark.parametrize("costs", [None, COSTS], ids=["accuracy", "loss"])
@pytest.mark.parametrize("evaluator", EVALUATORS)
@given(pairs=examples)
def test_a_gain_lies_between_minus_one_and_one_and_one_branch_gains_nothing(
    evaluator, costs, pairs
):
    branches, labels = np.array(pairs).T
    got = quality_gain(branches, labels, evaluator, costs, 5)
    assert math.isnan(got) or -1.0 <= got <= 1.0
    alone = quality_gain(np.zeros_like(branches), labels, evaluator, costs, 5)
    assert alone == 0.0 or math.isnan(alone)


def test_prequential_worked_by_hand():
    # Both are empty and answer 0; then both answer 1. The empty branch 1 answers 0 and is
    # right where the leaf is wrong. The leaf has 2 of 1 against 1 of 0, then a tie, which
    # it answers with 0: the branch is right alone twice.
    branches, labels = [0, 0, 1, 1, 0], [1, 1, 0, 0, 1]
    for n, gained in enumerate([0, 0, 1, 2, 3], start=1):
        got = quality_gain(branches[:n], labels[:n], "prequential")
        assert got == pytest.approx(gained / n)


def test_holdout_worked_by_hand():
    # The leaf answers 1, the branches 1 and 0 for good; a new branch is empty and answers 0.
    branches, labels = [0, 1, 0, 1, 1, 0, 2, 0], [1, 0, 1, 0, 1, 1, 0, 0]
    got = quality_gain(branches, labels, "holdout", holdout_examples=3)
    assert got == pytest.approx((1 - 1 + 0 + 1 + 0) / 5)
    assert math.isnan(quality_gain(branches, labels, "holdout", holdout_examples=8))
    assert math.isnan(quality_gain([], []))


def test_a_label_of_least_cost_need_not_be_the_majority():
    # Missing class 1 costs 10, a false alarm 0.1: class 1 is answered from a share of 0.0099.
    costs = [[0.0, 10.0], [0.1, 0.0]]
    branches = [0, 0, 0, 0, 1, 1]
    labels = [0, 0, 0, 1, 0, 0]
    # The leaf answers 1 to 5 of class 0, branch 0 to 3 of them, branch 1 to none.
    assert quality_gain(branches, labels, costs=costs) == pytest.approx(2 * 0.01 / 6)


def test_wrong_examples_are_refused():
    with pytest.raises(ValueError, match=r"evaluator must be one of .*did you mean 'holdout'"):
        quality_gain([0], [0], "hold-out")
    with pytest.raises(ValueError, match=r"one entry per example, got 2 and 1"):
        quality_gain([0, 1], [0])
    with pytest.raises(ValueError, match=r"branches must be .*whole numbers from 0, got \[-1\]"):
        quality_gain([-1], [0])
    with pytest.raises(ValueError, match=r"labels must be .*whole numbers from 0, got \[0.5\]"):
        quality_gain([0], [0.5])
    with pytest.raises(ValueError, match=r"labels must be below the 2 classes of costs, got 2"):
        quality_gain([0], [2], costs=[[0, 1], [1, 0]])
    with pytest.raises(ValueError, match=r"holdout_examples must be at least 1, got 0"):
        quality_gain([0], [0], "holdout", holdout_examples=0)
    with pytest.raises(ValueError, match=r"costs.* must be a finite number of at least 0, got nan"):
        quality_gain([0], [0], costs=[[0, np.nan], [1, 0]])
