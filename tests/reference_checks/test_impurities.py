"""The reference's impurities against the worked numbers of the specification."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.reference import impurities
from tests.reference.impurities import IMPURITIES, criterion_gain, gain, gain_range

TABLE = np.array([[30.0, 10.0], [5.0, 55.0]])
NAMES = [*IMPURITIES, "accuracy"]

tables = st.tuples(st.integers(2, 5), st.integers(2, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.just(0.0) | st.floats(1e-3, 1e6))
)
whole_tables = st.tuples(st.integers(2, 5), st.integers(2, 6)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 50).map(float))
)


@pytest.mark.parametrize(
    ("name", "parent", "children", "worked"),
    [
        ("entropy", 0.934068055, 0.572801360, 0.361266695),
        ("gini", 0.455, 0.241666667, 0.213333333),
        ("kearns-mansour", 0.476969601, 0.339036320, 0.137933280),
        ("misclassification", 0.35, 0.15, 0.2),
    ],
)
def test_the_worked_table(name, parent, children, worked):
    weights = TABLE.sum(axis=1) / TABLE.sum()
    assert IMPURITIES[name](TABLE.sum(axis=0)) == pytest.approx(parent, abs=5e-10)
    assert weights @ IMPURITIES[name](TABLE) == pytest.approx(children, abs=5e-10)
    assert gain(TABLE, IMPURITIES[name]) == pytest.approx(worked, abs=1.1e-9)
    assert criterion_gain(name, TABLE) == pytest.approx(worked, abs=1.1e-9)


def test_the_plug_ins_of_c_tree_are_the_weighted_impurities_of_the_children():
    weights = TABLE.sum(axis=1) / TABLE.sum()
    joint = TABLE / TABLE.sum()

    def half_nats(p):
        return -0.5 * (p * np.log(p)).sum()

    entropy = half_nats(joint) - half_nats(joint.sum(axis=1))
    assert entropy == pytest.approx(0.198517824, abs=5e-10)
    assert weights @ IMPURITIES["entropy"](TABLE) * math.log(2) / 2 == pytest.approx(entropy)
    harmonic = (2 * joint[:, 0] * joint[:, 1] / joint.sum(axis=1)).sum()
    assert harmonic == pytest.approx(0.241666667, abs=5e-10)
    assert weights @ IMPURITIES["gini"](TABLE) == pytest.approx(harmonic)
    geometric = np.sqrt(joint[:, 0] * joint[:, 1]).sum()
    assert geometric == pytest.approx(0.339036320, abs=5e-10)
    assert weights @ IMPURITIES["kearns-mansour"](TABLE) == pytest.approx(geometric)


def test_half_the_entropy_in_bits_dominates_the_error_and_in_nats_does_not():
    assert IMPURITIES["entropy"]([1, 1]) / 2 >= 0.5
    assert IMPURITIES["entropy"]([1, 1]) * math.log(2) / 2 == pytest.approx(0.3466, abs=5e-5)


@pytest.mark.parametrize("name", IMPURITIES)
@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_an_impurity_is_zero_when_pure_and_largest_when_even(name, n_classes):
    largest = {
        "entropy": math.log2(n_classes),
        "gini": 1 - 1 / n_classes,
        "misclassification": 1 - 1 / n_classes,
        "kearns-mansour": math.sqrt(n_classes - 1) / 2,
    }[name]
    assert IMPURITIES[name](np.ones(n_classes)) == pytest.approx(largest)
    assert IMPURITIES[name](np.eye(n_classes)).tolist() == [0.0] * n_classes
    assert IMPURITIES[name](np.zeros(n_classes)) == 0.0
    counts = np.random.default_rng(0).uniform(0, 1, size=(1000, n_classes))
    assert (IMPURITIES[name](counts) <= largest + 1e-12).all()
    assert largest <= gain_range(name, n_classes) + 1e-12


def test_gain_ranges_are_those_of_the_specification():
    assert gain_range("entropy", 1) == gain_range("entropy", 2) == 1.0
    assert gain_range("entropy", 8) == 3.0
    assert gain_range("kearns-mansour", 2) == 0.5
    for name in ("gini", "misclassification", "accuracy", "loss"):
        assert gain_range(name, 5) == 1.0
    assert gain_range(IMPURITIES["gini"], 4) == 1.0  # at least 1
    assert gain_range(IMPURITIES["entropy"], 4) == 2.0


@pytest.mark.parametrize("name", NAMES)
@given(table=tables)
def test_a_gain_is_never_negative(name, table):
    assert criterion_gain(name, table) >= -1e-12


@given(table=whole_tables)
def test_a_misclassification_gain_of_counts_is_exactly_zero_or_positive(table):
    got = criterion_gain("misclassification", table)
    assert got >= 0.0
    assert criterion_gain("accuracy", table) == got
    assert criterion_gain("misclassification", table, legacy=True) == pytest.approx(got, abs=1e-12)
    best = table.sum(axis=0).argmax()
    if (table[:, best] == table.max(axis=1)).all():
        assert got == 0.0


def test_the_legacy_gain_rounds_where_the_majorities_agree():
    rng = np.random.default_rng(0)
    tables = rng.uniform(0, 50, size=(200, 2, 2)) + np.array([100.0, 0.0])
    assert all(criterion_gain("misclassification", table) == 0.0 for table in tables)
    noise = [criterion_gain("misclassification", table, legacy=True) for table in tables]
    assert any(noise)
    assert np.abs(noise).max() < 1e-15


@pytest.mark.parametrize("name", NAMES)
@given(table=tables, factor=st.floats(0.1, 10))
def test_order_and_scale_change_nothing(name, table, factor):
    got = criterion_gain(name, table)
    assert criterion_gain(name, table[::-1, ::-1]) == pytest.approx(got, abs=1e-9)
    assert criterion_gain(name, table * factor) == pytest.approx(got, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
@given(table=tables)
def test_merging_two_branches_never_gains(name, table):
    merged = np.vstack([table[0] + table[1], table[2:]])
    assert criterion_gain(name, merged) <= criterion_gain(name, table) + 1e-9


@given(table=tables)
def test_equal_costs_lose_as_much_as_errors(table):
    costs = 7.0 * (1.0 - np.eye(table.shape[1]))
    got = criterion_gain("loss", table, costs)
    assert got == pytest.approx(criterion_gain("misclassification", table), abs=1e-9)


@given(table=tables, data=st.data())
def test_a_gain_of_loss_is_never_negative_and_at_most_one(table, data):
    k = table.shape[1]
    costs = data.draw(arrays(np.float64, (k, k), elements=st.just(0.0) | st.floats(0.01, 9)))
    if costs.any():
        assert -1e-9 <= criterion_gain("loss", table, costs) <= 1.0 + 1e-9


def test_a_gain_of_loss_worked_by_hand():
    # Over the largest cost a missed P costs 1 and a false alarm 0.01. [90, 10] is answered P at
    # 90 x 0.01 of cost; so are the first two branches; the last two cost nothing.
    costs = [[0.0, 10.0], [0.1, 0.0]]
    assert impurities.label([90, 10], impurities.scaled_costs(costs)) == 1
    assert criterion_gain("loss", [[80, 5], [10, 5]], costs) == 0.0
    assert criterion_gain("loss", [[90, 0], [0, 10]], costs) == pytest.approx(0.009)


def test_a_rare_class_is_answered_above_the_share_of_the_specification():
    costs = impurities.scaled_costs([[0.0, 10.0], [0.1, 0.0]])
    share = 0.00990099
    assert impurities.label([1 - share + 1e-7, share - 1e-7], costs) == 0
    assert impurities.label([1 - share - 1e-7, share + 1e-7], costs) == 1


@pytest.mark.parametrize("costs", [np.zeros((2, 2)), [[0, -1], [1, 0]], [[0, 1, 1], [1, 0, 1]]])
def test_costs_that_cannot_be_scaled_are_refused(costs):
    with pytest.raises(ValueError, match="costs must be"):
        impurities.scaled_costs(costs)


def test_the_controlled_node_has_its_population_gains():
    # Rows A, B, C by the two values of the second feature and the two classes.
    cells = np.array(
        [
            [[0.0675, 0.1575], [0.0675, 0.1575]],
            [[0.1350, 0.0900], [0.1575, 0.0675]],
            [[0.0450, 0.0050], [0.0450, 0.0050]],
        ]
    )
    first, second = cells.sum(axis=1), cells.sum(axis=0)
    assert cells.sum() == pytest.approx(1.0)
    assert first.sum(axis=0)[0] == pytest.approx(0.5175)
    assert criterion_gain("entropy", first) == pytest.approx(0.135305, abs=5e-7)
    assert criterion_gain("entropy", second) == pytest.approx(0.001463, abs=5e-7)
    assert criterion_gain("accuracy", first) == pytest.approx(0.6975 - 0.5175)
    assert criterion_gain("accuracy", second) == pytest.approx(0.5225 - 0.5175)
