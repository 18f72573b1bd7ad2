"""The reference's prequential and holdout evaluators."""

import math

import numpy as np
import pytest

from tests.reference.cuts import Cut
from tests.reference.quality import Quality, reward

# Rows: the three values of the first feature by the two of the second; columns: the two classes.
CELLS = np.array(
    [
        [[0.0675, 0.1575], [0.0675, 0.1575]],
        [[0.1350, 0.0900], [0.1575, 0.0675]],
        [[0.0450, 0.0050], [0.0450, 0.0050]],
    ]
)


def test_prequential_worked_by_hand():
    quality = Quality(["categorical"])
    gains = []
    for x, y in [(0, 1), (0, 1), (1, 0), (1, 0), (0, 1), (None, 0)]:
        quality.learn([x], y)
        found = quality.candidate(0, 2)
        assert found is not None
        gains.append(found[0] * quality.averaged(found[1]))
    # Child and leaf are empty and answer 0: both wrong. Then both answer 1. The empty child
    # answers 0 and is right where the leaf is wrong. The leaf has 2 of 1 and 1 of 0, then a tie,
    # which it answers with 0: the child is right alone, twice. A missing value gains nothing.
    assert gains == [0.0, 0.0, 1.0, 2.0, 3.0, 3.0]
    assert found[0] == pytest.approx(3 / 6)
    assert found[1].categories == (0, 1)
    assert found[1].table.tolist() == [[0, 3], [2, 0]]


def test_holdout_worked_by_hand():
    quality = Quality(["categorical"], "holdout", holdout_examples=3)
    for x, y in [(0, 1), (1, 0), (0, 1)]:
        assert not quality.due
        quality.learn([x], y)
    assert quality.due
    assert quality.candidate(0, 2) is None
    quality.fix({})
    # The leaf answers 1, the children 1 and 0 for good; a new category is an empty child.
    for x, y in [(1, 0), (1, 1), (0, 1), (2, 0), (0, 0)]:
        quality.learn([x], y, 2.0)
    gain, cut = quality.candidate(0, 2)
    assert gain == pytest.approx((1 - 1 + 0 + 1 + 0) * 2 / 10)
    assert quality.averaged(cut, None) == 10.0
    assert cut.table.tolist() == [[2, 4], [3, 2], [2, 0]]


@pytest.mark.parametrize("evaluator", ["prequential", "holdout"])
def test_the_cut_of_a_number_is_fixed_and_its_children_start_empty(evaluator):
    quality = Quality(["numeric"], evaluator, holdout_examples=2)
    quality.learn([0.0], 0)
    quality.learn([5.0], 1)
    assert quality.candidate(0, 2) is None
    quality.fix({0: Cut(0, "threshold", 2.0, np.array([[0.4, 0.6], [1.0, 0.0]]))})
    for x, y in [(0.0, 0), (5.0, 1), (5.0, 1), (2.0, 1)]:
        quality.learn([x], y)
    gain, cut = quality.candidate(0, 2)
    assert cut.value == 2.0
    assert cut.table.tolist() == [[1, 1], [0, 2]]
    # The leaf has a tie at first. Prequential children answer 0, 0, 1, 0 to 0, 1, 1, 1 and the
    # leaf 0, 0, 0 (a tie of 2), 1; the labels of holdout are 1 on the left and 0 on the right.
    hits = [1, 0, 1, 0] if evaluator == "prequential" else [0, 0, 0, 1]
    leaf = [1, 0, 0, 1] if evaluator == "prequential" else [1, 0, 0, 0]
    assert gain == pytest.approx((sum(hits) - sum(leaf)) / 4)


def test_rewards_are_hits_or_what_is_left_of_the_largest_cost():
    costs = np.array([[0.0, 1.0], [0.01, 0.0]])
    assert [reward(0, 0, None), reward(0, 1, None)] == [1.0, 0.0]
    assert [reward(0, 1, costs), reward(1, 0, costs), reward(1, 1, costs)] == [0.0, 0.99, 1.0]


def test_labels_of_least_cost_are_learned():
    costs = np.array([[0.0, 1.0], [0.01, 0.0]])
    quality = Quality(["categorical"], costs=costs)
    rng = np.random.default_rng(0)
    gained = 0.0
    counts = np.zeros((3, 2))
    for _ in range(400):
        x = int(rng.integers(0, 3))
        y = int(rng.random() < [0.0, 0.005, 0.3][x])
        child = int((costs @ counts[x]).argmin())
        parent = int((costs @ counts.sum(axis=0)).argmin())
        gained += costs[parent, y] - costs[child, y]
        counts[x, y] += 1
        quality.learn([x], y)
    gain, cut = quality.candidate(0, 2)
    assert gain == pytest.approx(gained / 400)
    assert gain > 0
    np.testing.assert_array_equal(cut.table, counts)


def test_the_controlled_node_decides_after_as_many_examples_as_the_specification_found():
    rng = np.random.default_rng(0)
    taken = []
    wrong = 0
    for _ in range(500):
        quality = Quality(["categorical", "categorical"])
        difference = 0.0
        epsilon = math.inf
        n = 0
        while not abs(difference) > epsilon:
            n += 1
            a, b, y = np.unravel_index(rng.choice(12, p=CELLS.ravel()), CELLS.shape)
            quality.learn([int(a), int(b)], int(y))
            difference = quality.candidate(0, 2)[0] - quality.candidate(1, 2)[0]
            epsilon = math.sqrt(math.log(1 / 0.05) / (2 * n))
        taken.append(n)
        wrong += difference < 0
    # 4155 of 100,000 wrong after 60.4 examples, within four standard errors.
    assert np.mean(taken) == pytest.approx(60.4, abs=4 * np.std(taken) / math.sqrt(500))
    assert wrong / 500 == pytest.approx(0.04155, abs=4 * math.sqrt(0.04155 * 0.96 / 500))
