"""The reference's bounds against the tables of the specification."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference import bounds
from tests.reference.impurities import IMPURITIES, gain

TABLE = np.array([[30.0, 10.0], [5.0, 55.0]])


@pytest.mark.parametrize(
    ("gain_range", "delta", "n", "one", "two"),
    [
        (1.0, 0.05, 100, 0.122387342, 0.244774683),
        (1.0, 1e-7, 200, 0.200736741, 0.401473482),
        (math.log2(3), 1e-7, 1000, 0.142285570, 0.284571140),
        (1.0, 0.01, 1000, 0.047985259, 0.095970518),
    ],
)
def test_hoeffding(gain_range, delta, n, one, two):
    assert bounds.hoeffding(n, delta, gain_range) == pytest.approx(one, abs=5.1e-10)
    assert 2 * bounds.hoeffding(n, delta, gain_range) == pytest.approx(two, abs=5.1e-10)
    assert bounds.hoeffding(n, delta**4, gain_range) == pytest.approx(two, abs=5.1e-10)


def test_two_sided_intervals_and_sample_sizes():
    assert bounds.hoeffding(100, 0.05 / 2, 1) == pytest.approx(0.135810152, abs=5.1e-10)
    assert bounds.hoeffding(200, 1e-7 / 2, 1) == pytest.approx(0.205007578, abs=5.1e-10)
    assert bounds.hoeffding_examples(0.05, 0.05, 1) == pytest.approx(599.146, abs=5.1e-4)
    assert bounds.hoeffding_examples(0.05, 0.05 / 2, 1) == pytest.approx(737.776, abs=5.1e-4)
    assert bounds.hoeffding_examples(0.01, 1e-7, 1) == pytest.approx(80590.478, abs=5.1e-4)


@pytest.mark.parametrize(
    ("impurity", "n_classes", "n", "delta", "epsilon", "digits"),
    [
        ("entropy", 2, 1000, 0.05, 7.922219, 6),
        ("entropy", 2, 1e6, 0.05, 0.470066, 6),
        ("entropy", 3, 1e6, 1e-7, 1.457736, 6),
        ("gini", 2, 1000, 0.05, 0.30961820, 8),
        ("gini", 2, 1e6, 1e-7, 0.02271077, 8),
    ],
)
def test_mcdiarmid(impurity, n_classes, n, delta, epsilon, digits):
    got = bounds.mcdiarmid(n, delta, impurity, n_classes)
    assert got == pytest.approx(epsilon, abs=0.51 * 10**-digits)


@pytest.mark.parametrize(
    ("n_classes", "n", "delta", "printed"),
    [(2, 1000, 0.05, 3.293836), (2, 1e6, 0.05, 0.177341), (3, 1e6, 1e-7, 0.439249)],
)
def test_the_print_that_lost_an_n_is_what_the_specification_says(n_classes, n, delta, printed):
    lost = 6 * n_classes * math.log2(n) * math.sqrt(math.log(1 / delta) / (2 * n))
    got = bounds.mcdiarmid(n, delta, "entropy", n_classes) - lost
    assert got == pytest.approx(printed, abs=0.51e-6)


@pytest.mark.parametrize(
    ("m", "delta", "entropy", "gini", "kearns_mansour"),
    [
        (100, 0.05, 1.38332120, 0.94324061, 0.90112586),
        (1e4, 0.05, 0.27286424, 0.09432406, 0.09011259),
        (1e6, 1e-4, 0.06360329, 0.01290101, 0.01344011),
    ],
)
def test_the_confidence_intervals(m, delta, entropy, gini, kearns_mansour):
    assert bounds.confidence_interval(m, delta, "entropy") == pytest.approx(entropy, abs=5.1e-9)
    assert bounds.confidence_interval(m, delta, "gini") == pytest.approx(gini, abs=5.1e-9)
    got = bounds.confidence_interval(m, delta, "kearns-mansour")
    assert got == pytest.approx(kearns_mansour, abs=5.1e-9)


@pytest.mark.parametrize(
    ("m", "delta", "h", "t", "d", "entropy", "gini", "kearns_mansour"),
    [
        (1000, 0.05, 0, 1000, 5, 1.40071801, 0.52455618, 0.58231633),
        (1e4, 0.05, 3, 1e5, 8, 0.71577251, 0.19358989, 0.22225612),
    ],
)
def test_the_confidence_of_a_tree(m, delta, h, t, d, entropy, gini, kearns_mansour):
    in_bits = bounds.confidence(m, delta, "entropy", h, t, d)
    assert in_bits * math.log(2) / 2 == pytest.approx(entropy, abs=5.1e-9)
    assert bounds.confidence(m, delta, "gini", h, t, d) == pytest.approx(gini, abs=5.1e-9)
    got = bounds.confidence(m, delta, "kearns-mansour", h, t, d)
    assert got == pytest.approx(kearns_mansour, abs=5.1e-9)


@given(st.floats(1e-9, 0.5), st.integers(1, 30), st.integers(1, 1000), st.integers(1, 40))
def test_the_budget_of_a_tree_sums_to_delta(delta, d, m, t):
    # d m tests at each of t times at every depth; sum 1/((h+1)(h+2)) up to H is 1 - 1/(H+2).
    depths = 200
    spent = sum(d * m * t * bounds.confidence_delta(delta, h, t, d, m) for h in range(depths))
    assert spent == pytest.approx(delta * (1 - 1 / (depths + 1)), rel=1e-12)
    assert spent < delta


def test_the_budget_of_a_leaf_sums_to_delta():
    assert bounds.spend(0.1, 1) == 0.05
    spent = sum(bounds.spend(0.1, j) for j in range(1, 1000))
    assert spent == pytest.approx(0.1 * (1 - 1 / 1000), rel=1e-12)


@pytest.mark.parametrize(
    ("c", "m", "h", "t", "d", "epsilon"),
    [
        (1, 1000, 1, 1000, 5, 0.149441305),
        (0.5, 1000, 3, 1e5, 8, 0.086030666),
        (0.05, 100, 2, 5000, 54, 0.024032692),
    ],
)
def test_the_practical_confidence(c, m, h, t, d, epsilon):
    assert bounds.practical(c, m, h, t, d) == pytest.approx(epsilon, abs=5.1e-10)
    at_leaf = bounds.confidence_practical(m, "gini", h - 1, t, d - 1, c)
    assert at_leaf == pytest.approx(epsilon, abs=5.1e-10)
    entropy = bounds.confidence_practical(m, "entropy", h - 1, t, d - 1, c)
    assert entropy == pytest.approx(epsilon * math.log(m), abs=5.1e-10 * math.log(m))


@pytest.mark.parametrize(("m", "h", "t", "d"), [(1000, 0, 1000, 5), (300, 4, 1e5, 12)])
def test_the_derived_form_is_the_budget_of_the_tree_at_delta_one_over_t(m, h, t, d):
    share = bounds.confidence_delta(1 / t, h, t, d, m)
    want = 0.5 * math.sqrt(math.log(1 / share) / m)
    got = bounds.confidence_practical(m, "gini", h, t, d, c=0.5, form="derived")
    assert got == pytest.approx(want, rel=1e-12)


def test_a_logarithm_of_at_most_one_promises_nothing():
    assert bounds.practical(1.0, 0.5, 1, 1, 2) == math.inf
    assert bounds.practical(1.0, 1.0, 0, 1000, 5) == math.inf


@pytest.mark.parametrize(
    ("impurity", "n_classes", "delta", "n", "epsilon"),
    [
        ("misclassification", 2, 1e-7, 500, 0.164417491),
        ("accuracy", 5, 1e-7, 1000, 0.116260723),
        ("misclassification", 2, 0.05, 200, 0.082242681),
        ("gini", 2, 1e-7, 1000, 0.657669963),
        ("gini", 3, 0.05, 200, 0.822426813),
    ],
)
def test_the_normal_thresholds(impurity, n_classes, delta, n, epsilon):
    assert bounds.normal(n, delta, impurity, n_classes) == pytest.approx(epsilon, abs=5.1e-10)


def test_the_normal_quantiles():
    assert bounds.normal_quantile(1e-7) == pytest.approx(5.199337582, abs=5.1e-10)
    assert bounds.normal_quantile(0.05) == pytest.approx(1.644853627, abs=5.1e-10)


def test_ties_of_the_misclassification_threshold_begin_at_601_examples():
    assert bounds.normal(600, 1e-7, "misclassification") > 0.15
    assert bounds.normal(601, 1e-7, "misclassification") < 0.15


@pytest.mark.parametrize(
    ("impurity", "worked", "variance", "error"),
    [
        ("entropy", 0.361266695, 0.771820622, 0.087853322),
        ("gini", 0.213333333, 0.251733333, 0.050173034),
    ],
)
def test_the_variance_of_the_delta_method(impurity, worked, variance, error):
    assert gain(TABLE, IMPURITIES[impurity]) == pytest.approx(worked, abs=5.1e-10)
    got = bounds.phi_variance(TABLE, impurity)
    assert got == pytest.approx(variance, abs=5.1e-10)
    assert math.sqrt(got / 100) == pytest.approx(error, abs=5.1e-10)


@pytest.mark.parametrize(("impurity", "simulated"), [("entropy", 0.760), ("gini", 0.247)])
def test_the_variance_of_the_delta_method_is_that_of_simulated_gains(impurity, simulated):
    rng = np.random.default_rng(0)
    counts = rng.multinomial(2000, TABLE.ravel() / 100, size=4000).reshape(-1, 2, 2)
    spread = 2000 * np.var([gain(table, IMPURITIES[impurity]) for table in counts])
    # Four standard errors of a variance from 4,000 gains are 9%; the specification has its own.
    assert spread == pytest.approx(bounds.phi_variance(TABLE, impurity), rel=0.09)
    assert spread == pytest.approx(simulated, rel=0.12)


@pytest.mark.parametrize("impurity", ["entropy", "gini", "misclassification"])
def test_phi_is_the_slope_of_the_gain(impurity):
    table = np.array([[30.0, 8.0, 4.0], [5.0, 55.0, 20.0], [9.0, 11.0, 33.0]])
    n = table.sum()
    phi = bounds.influence(table, impurity)
    centred = phi - (table * phi).sum() / n
    step = 1e-6
    for b in range(3):
        for k in range(3):
            moved = (1 - step) * table / n
            moved[b, k] += step
            slope = gain(moved, IMPURITIES[impurity]) - gain(table, IMPURITIES[impurity])
            assert slope / step == pytest.approx(centred[b, k], abs=1e-4)


def test_missing_values_have_no_influence():
    phi = bounds.influence(TABLE, "entropy")
    values = np.concatenate([np.repeat(phi.ravel(), TABLE.ravel().astype(int)), np.zeros(25)])
    assert bounds.phi_variance(TABLE, "entropy", 125.0) == pytest.approx(values.var(), rel=1e-12)


def test_the_three_pairings():
    z = bounds.normal_quantile(0.05)
    assert bounds.delta_method(400, 0.05, (9.0, 16.0)) == pytest.approx(z * 5 / 20)
    assert bounds.delta_method(400, 0.05, (9.0, 16.0), "conservative") == pytest.approx(z * 7 / 20)
    assert bounds.delta_method(400, 0.05, (9.0, 0.0), "paired") == pytest.approx(z * 3 / 20)


def test_the_normal_approximation_needs_a_hundred_examples_and_five_in_every_used_cell():
    assert bounds.enough_examples(TABLE, 100)
    assert not bounds.enough_examples(TABLE, 99.9)
    assert bounds.enough_examples([[50, 0], [0, 50]], 100)
    assert not bounds.enough_examples([[50, 4.9], [0, 50]], 104.9)


def test_the_bounds_of_windows_and_of_alternate_trees():
    assert bounds.adwin_cut(500, 500, 0.25, 0.002) == pytest.approx(0.157268775, abs=5.1e-10)
    assert bounds.adwin_cut(900, 100, 0.16, 0.002) == pytest.approx(0.248594055, abs=5.1e-10)
    assert bounds.replacement(0.2, 400, 500) == pytest.approx(0.072883375, abs=5.1e-10)


@pytest.mark.parametrize(
    ("name", "impurity"),
    [
        ("mcdiarmid", "entropy"),
        ("mcdiarmid", "gini"),
        ("confidence_interval", "entropy"),
        ("confidence_interval", "gini"),
        ("confidence_interval", "kearns-mansour"),
        ("normal", "misclassification"),
        ("normal", "gini"),
    ],
)
@given(n=st.floats(100, 1e9), factor=st.floats(1.01, 100), delta=st.floats(1e-12, 0.4))
def test_a_bound_shrinks_with_examples_and_grows_with_confidence(name, impurity, n, factor, delta):
    bound = getattr(bounds, name)
    assert bound(n * factor, delta, impurity) < bound(n, delta, impurity)
    assert bound(n, delta / 2, impurity) > bound(n, delta, impurity)
