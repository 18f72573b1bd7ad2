"""Each impurity against its formula, and the properties of gains."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from riparian import impurities
from tests import reference

REFERENCE = reference.IMPURITIES
GAINS = [*REFERENCE, "accuracy"]
FACES = {
    "entropy": impurities.entropy,
    "gini": impurities.gini,
    "kearns-mansour": impurities.kearns_mansour,
    "misclassification": impurities.misclassification,
}
TABLE = np.array([[30.0, 10.0], [5.0, 55.0]])

shapes = st.tuples(st.integers(2, 5), st.integers(2, 6))
tables = shapes.flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.just(0.0) | st.floats(1e-3, 1e6))
)
whole_tables = shapes.flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 50).map(float))
)


def costs_for(table, data):
    """Any costs but all zero."""
    k = table.shape[-1]
    costs = data.draw(arrays(np.float64, (k, k), elements=st.just(0.0) | st.floats(0.01, 9)))
    costs[0, -1] += 1.0
    return costs


@pytest.mark.parametrize("name", FACES)
@pytest.mark.parametrize("n_classes", [1, 2, 7, 40])
def test_an_impurity_is_its_formula(name, n_classes):
    counts = np.random.default_rng(1).uniform(0, 1e4, size=(500, n_classes))
    counts[counts < 500] = 0.0
    got = FACES[name](counts)
    # Kearns and Mansour's is a root: 1e-16 of a share is 1e-8 of it.
    tolerance = 1e-7 if name == "kearns-mansour" else 1e-14
    np.testing.assert_allclose(got, REFERENCE[name](counts), rtol=1e-12, atol=tolerance)


@pytest.mark.parametrize(
    ("name", "parent", "children", "gain"),
    [
        ("entropy", 0.934068055, 0.572801360, 0.361266695),
        ("gini", 0.455, 0.241666667, 0.213333333),
        ("kearns-mansour", 0.476969601, 0.339036320, 0.137933280),
        ("misclassification", 0.35, 0.15, 0.2),
    ],
)
def test_the_worked_table_of_the_specification(name, parent, children, gain):
    assert FACES[name](TABLE.sum(axis=0)) == pytest.approx(parent, abs=5.1e-10)
    assert [0.4, 0.6] @ FACES[name](TABLE) == pytest.approx(children, abs=5.1e-10)
    assert impurities.gain(TABLE, name) == pytest.approx(gain, abs=5.1e-10)


def test_the_plug_ins_of_c_tree_are_the_weighted_impurities_of_the_branches():
    half_nats = [0.4, 0.6] @ impurities.entropy(TABLE) * math.log(2) / 2
    assert half_nats == pytest.approx(0.198517824, abs=5.1e-10)
    joint = TABLE / 100
    harmonic = (2 * joint[:, 0] * joint[:, 1] / joint.sum(axis=1)).sum()
    assert [0.4, 0.6] @ impurities.gini(TABLE) == pytest.approx(harmonic, rel=1e-12)
    assert harmonic == pytest.approx(0.241666667, abs=5.1e-10)
    geometric = np.sqrt(joint[:, 0] * joint[:, 1]).sum()
    assert [0.4, 0.6] @ impurities.kearns_mansour(TABLE) == pytest.approx(geometric, rel=1e-12)
    assert geometric == pytest.approx(0.339036320, abs=5.1e-10)


def test_half_the_entropy_in_bits_dominates_the_error_and_in_nats_does_not():
    assert impurities.entropy([1, 1]) / 2 >= 0.5
    assert impurities.entropy([1, 1]) * math.log(2) / 2 == pytest.approx(0.3466, abs=5e-5)


@pytest.mark.parametrize("name", FACES)
@pytest.mark.parametrize("n_classes", [2, 3, 10])
def test_an_impurity_is_zero_when_pure_and_largest_when_even(name, n_classes):
    largest = {
        "entropy": math.log2(n_classes),
        "gini": 1 - 1 / n_classes,
        "misclassification": 1 - 1 / n_classes,
        "kearns-mansour": math.sqrt(n_classes - 1) / 2,
    }[name]
    assert FACES[name](np.ones(n_classes)) == pytest.approx(largest)
    assert FACES[name](np.eye(n_classes)).tolist() == [0.0] * n_classes
    assert FACES[name](np.zeros(n_classes)) == 0.0
    counts = np.random.default_rng(0).uniform(0, 1, size=(1000, n_classes))
    assert (FACES[name](counts) <= largest + 1e-12).all()
    assert largest <= impurities.gain_range(name, n_classes) + 1e-12


@pytest.mark.parametrize("name", GAINS)
@given(table=tables)
def test_a_gain_is_that_of_the_reference_and_never_negative(name, table):
    got = impurities.gain(table, name)
    assert got >= -1e-9
    assert got == pytest.approx(reference.criterion_gain(name, table), abs=1e-9)


@given(table=tables, data=st.data())
def test_a_gain_of_loss_is_that_of_the_reference_and_between_zero_and_one(table, data):
    costs = costs_for(table, data)
    got = impurities.gain(table, "loss", costs)
    assert -1e-9 <= got <= 1.0 + 1e-9
    assert got == pytest.approx(reference.criterion_gain("loss", table, costs), abs=1e-9)
    # The impurities agree with the difference of costs.
    total = table.sum()
    if total > 0.0:
        children = table.sum(axis=1) / total @ impurities.loss(table, costs)
        parent = impurities.loss(table.sum(axis=0), costs)
        assert got == pytest.approx(parent - children, abs=1e-9)


@given(table=tables)
def test_gains_of_errors_are_exactly_zero_unless_two_majorities_differ(table):
    got = impurities.gain(table, "misclassification")
    assert impurities.gain(table, "accuracy") == got == impurities.accuracy_gain(table)
    common = (table == table.max(axis=1, keepdims=True)).all(axis=0)
    if common.any():
        assert got == 0.0


@given(table=whole_tables)
def test_gains_of_errors_of_whole_counts_are_exact(table):
    got = impurities.gain(table, "misclassification")
    errors = table.max(axis=1).sum() - table.sum(axis=0).max()
    assert got == (errors / table.sum() if table.any() else 0.0)
    assert got >= 0.0


@given(table=tables)
def test_equal_costs_lose_as_much_as_errors(table):
    costs = 7.0 * (1.0 - np.eye(table.shape[1]))
    got = impurities.gain(table, "loss", costs)
    assert got == pytest.approx(impurities.gain(table, "misclassification"), abs=1e-9)
    got = impurities.loss(table, costs)
    np.testing.assert_allclose(got, impurities.misclassification(table), atol=1e-9)


def test_loss_worked_by_hand():
    # A missed class 1 costs 10, a false alarm 0.1: over the largest 1 and 0.01. [90, 10]
    # is answered 1 at 90 x 0.01; so are both branches of the first cut.
    costs = [[0.0, 10.0], [0.1, 0.0]]
    assert impurities.loss([90, 10], costs) == pytest.approx(0.009)
    assert impurities.gain([[80, 5], [10, 5]], "loss", costs) == 0.0
    assert impurities.loss_gain([[90, 0], [0, 10]], costs) == pytest.approx(0.009)


def test_rows_of_costs_are_predictions():
    # Nothing is lost by predicting class 0 whatever is true.
    assert impurities.loss([1, 9], [[0, 0], [1, 0]]) == 0.0
    assert impurities.loss([1, 9], [[0, 1], [1, 1]]) == pytest.approx(0.9)


@pytest.mark.parametrize("name", GAINS)
@given(table=tables, factor=st.floats(0.1, 10))
def test_order_and_scale_change_nothing(name, table, factor):
    gain = impurities.gain(table, name)
    assert impurities.gain(table[::-1, ::-1], name) == pytest.approx(gain, abs=1e-9)
    assert impurities.gain(table * factor, name) == pytest.approx(gain, abs=1e-9)


@given(table=tables, factor=st.floats(0.1, 10), data=st.data())
def test_order_and_scale_change_nothing_of_a_loss(table, factor, data):
    costs = costs_for(table, data)
    gain = impurities.gain(table, "loss", costs)
    got = impurities.gain(table[::-1, ::-1], "loss", costs[::-1, ::-1])
    assert got == pytest.approx(gain, abs=1e-9)
    assert impurities.gain(table * factor, "loss", costs * 3) == pytest.approx(gain, abs=1e-9)


@pytest.mark.parametrize("name", GAINS)
def test_branches_like_their_parent_gain_nothing(name):
    table = np.outer([1, 2, 3], [5.0, 3.0, 2.0])
    assert impurities.gain(table, name) == pytest.approx(0.0, abs=1e-14)


@pytest.mark.parametrize("name", GAINS)
@given(table=tables)
def test_merging_two_branches_never_gains(name, table):
    merged = np.vstack([table[0] + table[1], table[2:]])
    merged = np.vstack([merged, np.zeros_like(table[0])])
    assert impurities.gain(merged, name) <= impurities.gain(table, name) + 1e-9


@given(table=tables, data=st.data())
def test_merging_two_branches_never_gains_of_a_loss(table, data):
    costs = costs_for(table, data)
    merged = np.vstack([table[0] + table[1], table[2:]])
    gain = impurities.gain(table, "loss", costs)
    assert impurities.gain(merged, "loss", costs) <= gain + 1e-9


def test_gains_go_over_any_leading_axes():
    many = np.random.default_rng(0).uniform(0, 9, size=(4, 3, 2, 5))
    for name in GAINS:
        got = impurities.gain(many, name)
        assert got.shape == (4, 3)
        assert got[2, 1] == impurities.gain(many[2, 1], name)


def test_gain_ranges_are_those_of_the_specification():
    assert impurities.gain_range("entropy", 8) == 3.0
    assert impurities.gain_range("entropy", 1) == 1.0
    assert impurities.gain_range("kearns-mansour", 2) == 0.5
    for name in (*GAINS, "loss"):
        for n_classes in (1, 2, 5, 100):
            got = impurities.gain_range(name, n_classes)
            assert got == pytest.approx(reference.gain_range(name, n_classes))
    for name in ("gini", "misclassification", "accuracy", "loss", "hybrid"):
        assert impurities.gain_range(name, 8) == 1.0


# What is refused


def test_an_unknown_impurity_names_the_nearest():
    with pytest.raises(ValueError, match="did you mean 'gini'"):
        impurities.gain([[1, 2], [3, 4]], "ginni")
    with pytest.raises(ValueError, match="did you mean 'hybrid'"):
        impurities.gain_range("hybird", 2)
    with pytest.raises(ValueError, match="use 'misclassification' or 'gini'"):
        impurities.gain(TABLE, "hybrid")


@pytest.mark.parametrize("wrong", [-1.0, float("nan"), float("inf")])
def test_negative_counts_are_refused(wrong):
    with pytest.raises(ValueError, match=f"counts must be finite and not negative, got {wrong}"):
        impurities.entropy([1, wrong])
    for name in GAINS:
        with pytest.raises(ValueError, match=f"table must be finite .*got {wrong}"):
            impurities.gain([[1, 2], [wrong, 4]], name)
        with pytest.raises(ValueError, match=r"table must have the shape .*got \(2,\)"):
            impurities.gain([1, 2], name)


@pytest.mark.parametrize(
    ("costs", "rule"),
    [
        ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], r"the shape \(2, 2\), got \(3, 3\)"),
        ([[0, 1, 1], [1, 0, 1]], r"the shape \(2, 2\), got \(2, 3\)"),
        ([0, 1], r"the shape \(2, 2\), got \(2,\)"),
        ([[0, -2], [1, 0]], "be a finite number of at least 0, got -2.0"),
        ([[0, math.nan], [1, 0]], "be a finite number of at least 0, got nan"),
        ([[0, math.inf], [1, 0]], "be a finite number of at least 0, got inf"),
        ([[0, 0], [0, 0]], "not all be 0"),
    ],
)
def test_wrong_costs_are_refused(costs, rule):
    for ask in (
        lambda: impurities.loss([1, 2], costs),
        lambda: impurities.gain(TABLE, "loss", costs),
        lambda: impurities.loss_gain(TABLE, costs),
    ):
        with pytest.raises(ValueError, match=f"costs.* must .*{rule}"):
            ask()


def test_costs_are_given_where_they_are_read_and_nowhere_else():
    with pytest.raises(ValueError, match="costs must be given with impurity='loss', got None"):
        impurities.gain(TABLE, "loss")
    with pytest.raises(ValueError, match="costs must be None with impurity='gini'"):
        impurities.gain(TABLE, "gini", np.eye(2))
