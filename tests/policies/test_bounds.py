"""Each bound against its formula, the tables of the specification, and what always holds."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import riparian as rp
from riparian import bounds, impurities
from tests import reference

NINE = 5.1e-10  # nine digits, and the last bit of the printed number
EIGHT = 5.1e-9


def at_random(size=1000, seed=0):
    """Leaves of all sizes, depths and trees."""
    rng = np.random.default_rng(seed)
    return {
        "n": np.exp(rng.uniform(0.1, 14, size)),
        "delta": 10.0 ** rng.uniform(-12, -0.4, size),
        "depth": rng.integers(0, 30, size),
        "seen": np.exp(rng.uniform(1, 18, size)),
        "features": rng.integers(1, 200, size),
        "classes": rng.integers(1, 60, size),
    }


def each(formula, *columns):
    return np.array([formula(*row) for row in zip(*columns, strict=True)])


# Hoeffding's bound


@pytest.mark.parametrize("delta", [1e-12, 1e-7, 0.05, 0.5])
@pytest.mark.parametrize("n_classes", [2, 7, 50])
def test_hoeffding_is_the_formula_of_the_paper(delta, n_classes):
    n = np.random.default_rng(0).uniform(1, 1e6, size=1000)
    gain_range = np.log2(n_classes)
    got = bounds.hoeffding(n, delta=delta, gain_range=gain_range)
    want = reference.hoeffding(n, delta, gain_range)
    np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize(
    ("gain_range", "delta", "n", "one", "two"),
    [
        (1.0, 0.05, 100, 0.122387342, 0.244774683),
        (1.0, 1e-7, 200, 0.200736741, 0.401473482),
        (np.log2(3), 1e-7, 1000, 0.142285570, 0.284571140),
        (1.0, 0.01, 1000, 0.047985259, 0.095970518),
    ],
)
def test_hoeffding_gives_the_vectors_of_the_specification(gain_range, delta, n, one, two):
    got = bounds.hoeffding([n], delta=delta, gain_range=gain_range)
    assert got == pytest.approx(one, abs=NINE)
    assert 2 * got == pytest.approx(two, abs=NINE)
    # Two epsilons are one with delta to the fourth.
    got = bounds.hoeffding([n], delta=delta**4, gain_range=gain_range)
    assert got == pytest.approx(two, abs=NINE)


def test_hoeffding_on_two_sides_and_the_sample_sizes_of_the_specification():
    assert bounds.hoeffding(100, delta=0.05 / 2) == pytest.approx(0.135810152, abs=NINE)
    assert bounds.hoeffding(200, delta=1e-7 / 2) == pytest.approx(0.205007578, abs=NINE)
    for epsilon, delta, n in [
        (0.05, 0.05, 599.146),
        (0.05, 0.05 / 2, 737.776),
        (0.01, 1e-7, 80590.478),
    ]:
        # The width falls with the root of n.
        assert (bounds.hoeffding(1, delta=delta) / epsilon) ** 2 == pytest.approx(n, abs=5.1e-4)
        assert bounds.hoeffding(n, delta=delta) == pytest.approx(epsilon, rel=1e-6)


# McDiarmid's bound


@pytest.mark.parametrize("impurity", bounds.SERVES["mcdiarmid"])
def test_mcdiarmid_is_its_formula(impurity):
    a = at_random()
    got = bounds.mcdiarmid(a["n"], delta=a["delta"], impurity=impurity, classes=a["classes"])
    want = each(
        lambda n, delta, k: reference.mcdiarmid(n, delta, impurity, k),
        *(a["n"], a["delta"], a["classes"]),
    )
    np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize(
    ("impurity", "classes", "n", "delta", "epsilon", "digits"),
    [
        ("entropy", 2, 1000, 0.05, 7.922219, 6),
        ("entropy", 2, 1e6, 0.05, 0.470066, 6),
        ("entropy", 3, 1e6, 1e-7, 1.457736, 6),
        ("gini", 2, 1000, 0.05, 0.30961820, 8),
        ("gini", 2, 1e6, 1e-7, 0.02271077, 8),
    ],
)
def test_mcdiarmid_gives_the_vectors_of_the_specification(
    impurity, classes, n, delta, epsilon, digits
):
    got = bounds.mcdiarmid(n, delta=delta, impurity=impurity, classes=classes)
    assert got == pytest.approx(epsilon, abs=0.51 * 10**-digits)


@pytest.mark.parametrize(
    ("classes", "n", "delta", "printed"),
    [(2, 1000, 0.05, 3.293836), (2, 1e6, 0.05, 0.177341), (3, 1e6, 1e-7, 0.439249)],
)
def test_mcdiarmid_has_the_n_that_one_print_lost(classes, n, delta, printed):
    lost = 6 * classes * math.log2(n) * bounds.hoeffding(n, delta=delta)
    got = bounds.mcdiarmid(n, delta=delta, classes=classes) - lost
    assert got == pytest.approx(printed, abs=0.51e-6)


# C-Tree's confidence


@pytest.mark.parametrize("impurity", bounds.SERVES["confidence"])
def test_a_confidence_interval_is_its_theorem(impurity):
    a = at_random()
    got = bounds.confidence_interval(a["n"], delta=a["delta"], impurity=impurity)
    want = each(
        lambda m, delta: reference.confidence_interval(m, delta, impurity), a["n"], a["delta"]
    )
    np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize(
    ("m", "delta", "entropy", "gini", "kearns_mansour"),
    [
        (100, 0.05, 1.38332120, 0.94324061, 0.90112586),
        (1e4, 0.05, 0.27286424, 0.09432406, 0.09011259),
        (1e6, 1e-4, 0.06360329, 0.01290101, 0.01344011),
    ],
)
def test_the_theorems_give_the_vectors_of_the_specification(
    m, delta, entropy, gini, kearns_mansour
):
    widths = {"entropy": entropy, "gini": gini, "kearns-mansour": kearns_mansour}
    for impurity, epsilon in widths.items():
        got = bounds.confidence_interval(m, delta=delta, impurity=impurity)
        assert got == pytest.approx(epsilon, abs=EIGHT)


@pytest.mark.parametrize("impurity", bounds.SERVES["confidence"])
def test_the_confidence_of_a_tree_is_eq_7(impurity):
    a = at_random()
    del a["classes"]
    got = bounds.confidence(impurity=impurity, **a)
    want = each(
        lambda n, delta, depth, seen, features: reference.confidence(
            n, delta, impurity, depth, seen, features
        ),
        *a.values(),
    )
    np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize(
    ("m", "delta", "h", "t", "d", "entropy", "gini", "kearns_mansour"),
    [
        (1000, 0.05, 0, 1000, 5, 1.40071801, 0.52455618, 0.58231633),
        (1e4, 0.05, 3, 1e5, 8, 0.71577251, 0.19358989, 0.22225612),
    ],
)
def test_eq_7_gives_the_vectors_of_the_specification(
    m, delta, h, t, d, entropy, gini, kearns_mansour
):
    given_leaf = {"delta": delta, "depth": h, "seen": t, "features": d}
    bits = bounds.confidence(m, impurity="entropy", **given_leaf)
    assert bits * math.log(2) / 2 == pytest.approx(entropy, abs=EIGHT)
    got = bounds.confidence(m, impurity="gini", **given_leaf)
    assert got == pytest.approx(gini, abs=EIGHT)
    got = bounds.confidence(m, impurity="kearns-mansour", **given_leaf)
    assert got == pytest.approx(kearns_mansour, abs=EIGHT)


def share_of_delta(m, delta, depth, seen, features):
    """delta' of eq. 7, from the width that it gives for Kearns and Mansour's index."""
    width = bounds.confidence(
        m, delta=delta, impurity="kearns-mansour", depth=depth, seen=seen, features=features
    )
    return 8.0 * np.exp(-m * (width / 4.0) ** 2)


@given(st.floats(1e-6, 0.5), st.integers(1, 30), st.integers(1, 1000), st.integers(1, 1000))
def test_the_shares_of_eq_7_sum_to_delta(delta, features, m, seen):
    # features times m tests at each of `seen` times, at every depth: the sum of
    # 1/((h+1)(h+2)) up to a depth H is 1 - 1/(H+2).
    depths = np.arange(400)
    shares = share_of_delta(m, delta, depths, seen, features)
    spent = features * m * seen * shares.sum()
    assert spent == pytest.approx(delta * (1 - 1 / 401), rel=1e-9)
    assert spent < delta


def test_less_than_an_example_promises_nothing():
    for impurity in bounds.SERVES["confidence"]:
        got = bounds.confidence(0.01, delta=0.5, impurity=impurity, seen=1, features=1)
        assert got == np.inf == reference.confidence(0.01, 0.5, impurity, 0, 1, 1)
    assert bounds.confidence_interval(1, delta=0.1, impurity="entropy") == np.inf


@pytest.mark.parametrize("form", ["printed", "derived", "literal"])
@pytest.mark.parametrize("impurity", bounds.SERVES["confidence-practical"])
def test_the_practical_confidence_is_eq_8(impurity, form):
    a = at_random()
    del a["classes"], a["delta"]
    got = bounds.confidence_practical(impurity=impurity, c=0.3, form=form, **a)
    want = each(
        lambda n, depth, seen, features: reference.confidence_practical(
            n, impurity, depth, seen, features, 0.3, form
        ),
        *a.values(),
    )
    np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize(
    ("c", "m", "h", "t", "d", "epsilon"),
    [
        (1, 1000, 1, 1000, 5, 0.149441305),
        (0.5, 1000, 3, 1e5, 8, 0.086030666),
        (0.05, 100, 2, 5000, 54, 0.024032692),
    ],
)
def test_eq_8_gives_the_vectors_of_the_specification(c, m, h, t, d, epsilon):
    # There the root has h = 1, and d counts the class.
    leaf = {"depth": h - 1, "seen": t, "features": d - 1, "c": c}
    got = bounds.confidence_practical(m, impurity="gini", **leaf)
    assert got == pytest.approx(epsilon, abs=NINE)
    got = bounds.confidence_practical(m, impurity="kearns-mansour", **leaf)
    assert got == pytest.approx(epsilon, abs=NINE)
    got = bounds.confidence_practical(m, impurity="entropy", **leaf)
    assert got / math.log(m) == pytest.approx(epsilon, abs=NINE)


def test_the_derived_form_is_eq_7_with_delta_one_over_t():
    m, h, t, d = 300, 4, 1e5, 12
    share = share_of_delta(m, 1 / t, h, t, d)
    got = bounds.confidence_practical(
        m, impurity="gini", depth=h, seen=t, features=d, form="derived"
    )
    assert got == pytest.approx(math.sqrt(math.log(1 / share) / m), rel=1e-12)


def test_eq_8_is_infinite_where_its_logarithm_is_not_positive():
    leaf = {"impurity": "gini", "seen": 1, "features": 1}
    assert bounds.confidence_practical(0.5, **leaf) == np.inf
    assert bounds.confidence_practical(0.5, form="derived", **leaf) == np.inf
    assert bounds.confidence_practical(1.0, impurity="entropy", seen=9, features=9) == np.inf


# Thresholds of the normal distribution


@pytest.mark.parametrize("impurity", bounds.SERVES["normal"])
def test_a_normal_threshold_is_its_formula(impurity):
    a = at_random()
    got = bounds.normal(a["n"], delta=a["delta"], impurity=impurity, classes=a["classes"])
    want = each(
        lambda n, delta, k: reference.normal(n, delta, impurity, k),
        *(a["n"], a["delta"], a["classes"]),
    )
    np.testing.assert_allclose(got, want, rtol=1e-9)


@pytest.mark.parametrize(
    ("impurity", "classes", "delta", "n", "epsilon"),
    [
        ("misclassification", 2, 1e-7, 500, 0.164417491),
        ("misclassification", 2, 1e-7, 1000, 0.116260723),
        ("accuracy", 5, 1e-7, 1000, 0.116260723),
        ("misclassification", 2, 0.05, 200, 0.082242681),
        ("gini", 2, 1e-7, 1000, 0.657669963),
        ("gini", 3, 0.05, 200, 0.822426813),
    ],
)
def test_normal_thresholds_give_the_vectors_of_the_specification(
    impurity, classes, delta, n, epsilon
):
    got = bounds.normal(n, delta=delta, impurity=impurity, classes=classes)
    assert got == pytest.approx(epsilon, abs=NINE)


def test_the_quantiles_are_those_of_the_specification():
    got = bounds.upper_quantile([1e-7, 0.05, 0.5, 0.95])
    assert got == pytest.approx([5.199337582, 1.644853627, 0.0, -1.644853627], abs=NINE)


@pytest.mark.parametrize("p", [1e-300, 1e-20, 1e-7, 0.01, 0.3, 0.7, 1 - 1e-9])
def test_a_quantile_is_the_inverse_of_the_normal_distribution(p):
    z = float(bounds.upper_quantile(p))
    assert 0.5 * math.erfc(z / math.sqrt(2)) == pytest.approx(p, rel=1e-11)


def test_ties_of_misclassification_begin_at_601_examples():
    before, after = bounds.normal([600, 601], delta=1e-7)
    assert before > 0.15 > after


# The delta method

TABLE = np.array([[30.0, 10.0], [5.0, 55.0]])


@pytest.mark.parametrize(
    ("impurity", "gain", "variance", "error"),
    [
        ("entropy", 0.361266695, 0.771820622, 0.087853322),
        ("gini", 0.213333333, 0.251733333, 0.050173034),
    ],
)
def test_the_delta_method_gives_the_vector_of_the_specification(impurity, gain, variance, error):
    assert impurities.gain(TABLE, impurity) == pytest.approx(gain, abs=NINE)
    got = bounds.gap_variance(TABLE, None, impurity)
    assert got == pytest.approx(variance, abs=NINE)
    assert math.sqrt(got / 100) == pytest.approx(error, abs=NINE)
    z = float(bounds.upper_quantile(0.01))
    width = bounds.delta_method(100, delta=0.01, variance=got)
    assert width == pytest.approx(z * error, rel=1e-8)


@pytest.mark.parametrize(("impurity", "simulated"), [("entropy", 0.760), ("gini", 0.247)])
def test_the_variance_is_that_of_simulated_gains(impurity, simulated):
    rng = np.random.default_rng(0)
    counts = rng.multinomial(2000, TABLE.ravel() / 100, size=4000).reshape(-1, 2, 2)
    spread = 2000 * impurities.gain(counts, impurity).var()
    # Four standard errors of a variance from 4,000 gains are 9%.
    assert spread == pytest.approx(bounds.gap_variance(TABLE, None, impurity), rel=0.09)
    assert spread == pytest.approx(simulated, rel=0.12)


@pytest.mark.parametrize("impurity", bounds.SERVES["delta-method"])
def test_influence_and_its_variance_are_those_of_the_reference(impurity):
    rng = np.random.default_rng(3)
    for _ in range(100):
        shape = rng.integers(2, 6, size=2)
        one, two = rng.uniform(5, 500, size=(2, *shape))
        one[rng.random(shape) < 0.1] = 0.0
        used = one > 0.0
        got = bounds.influence(one, impurity)
        np.testing.assert_allclose(
            got[used], reference.influence(one, impurity)[used], rtol=1e-12, atol=1e-12
        )
        total = float(max(one.sum(), two.sum())) * 1.1
        first, second = (reference.phi_variance(t, impurity, total) for t in (one, two))
        for pairing in ("independent", "conservative"):
            got = bounds.gap_variance(one, two, impurity, pairing, total=total)
            width = bounds.delta_method(500, delta=0.02, variance=got)
            want = reference.delta_method(500, 0.02, (first, second), pairing)
            assert width == pytest.approx(want, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("impurity", ["entropy", "gini", "misclassification"])
def test_influence_is_the_slope_of_the_gain(impurity):
    table = np.array([[30.0, 8.0, 4.0], [5.0, 55.0, 20.0], [9.0, 11.0, 33.0]])
    share = table / table.sum()
    phi = bounds.influence(table, impurity)
    step = 1e-6
    for cell in np.ndindex(table.shape):
        moved = (1 - step) * share
        moved[cell] += step
        slope = (impurities.gain(moved, impurity) - impurities.gain(share, impurity)) / step
        assert slope == pytest.approx(phi[cell] - (share * phi).sum(), abs=1e-4)


def test_the_paired_variance_lies_between_none_and_the_conservative_one():
    rng = np.random.default_rng(0)
    a, b, y = rng.integers(0, 2, (3, 5000))
    b = np.where(rng.random(5000) < 0.7, a, b)
    y = np.where(rng.random(5000) < 0.6, a, y)
    tables = np.zeros((2, 2, 2))
    np.add.at(tables, (0, a, y), 1.0)
    np.add.at(tables, (1, b, y), 1.0)
    one, two = (bounds.influence(table) for table in tables)
    paired = np.var(one[a, y] - two[b, y])
    independent = bounds.gap_variance(*tables)
    conservative = bounds.gap_variance(*tables, pairing="conservative")
    assert 0.0 < paired < independent < conservative


def test_the_delta_method_waits_for_100_examples_and_5_in_every_used_cell():
    assert bounds.delta_method(99.9, delta=0.1, variance=1.0) == np.inf
    assert bounds.delta_method(100, delta=0.1, variance=1.0) < np.inf
    assert math.isnan(bounds.gap_variance([[100, 4], [20, 80]], None))
    assert bounds.gap_variance([[100, 5], [20, 80]], None) > 0.0
    assert bounds.gap_variance([[100, 0], [20, 80]], None) > 0.0
    assert bounds.delta_method(500, delta=0.1, variance=np.nan) == np.inf


@pytest.mark.parametrize("delta", [1e-12, 1e-7, 0.05, 0.5])
@pytest.mark.parametrize("gain_range", [0.5, 1.0, 3.0])
def test_the_empirical_bernstein_bound_is_that_of_the_paper(delta, gain_range):
    rng = np.random.default_rng(0)
    n, variance = rng.uniform(2, 1e6, size=1000), rng.uniform(0, 4, size=1000)
    got = bounds.half_width(
        "empirical-bernstein", n, delta=delta, gain_range=gain_range, variance=variance
    )
    want = [
        reference.empirical_bernstein(a, delta, s2, gain_range)
        for a, s2 in zip(n, variance, strict=True)
    ]
    np.testing.assert_allclose(got, want, rtol=1e-12)


def test_the_empirical_bernstein_bound_worked_by_hand():
    # ln(2/0.05) = 3.68888; sqrt(2 * 0.1 * 3.68888 / 200) + 14 * 3.68888 / (3 * 199)
    got = bounds.half_width("empirical-bernstein", 200, delta=0.05, variance=0.1)
    assert got == pytest.approx(0.060737 + 0.086507, abs=2e-6)
    assert bounds.half_width("empirical-bernstein", 1.0, delta=0.05, variance=0.1) == np.inf
    assert bounds.half_width("empirical-bernstein", 200, delta=0.05) == np.inf  # no variance


def test_a_tree_splits_by_the_empirical_bernstein_bound():
    rng = np.random.default_rng(1)
    X = rng.random((20_000, 3))
    y = (X[:, 1] > 0.5).astype(int)
    tree = rp.HoeffdingTree(bound="empirical-bernstein", tau=0.0, leaf="majority").fit(X, y)
    first = tree.splits()[0]
    assert first.feature == "x1"
    assert first.bound == "empirical-bernstein"
    assert first.gap > first.epsilon
    assert "not an error probability" in tree.guarantee()
    # Noise is not split.
    noise = rp.HoeffdingTree(bound="empirical-bernstein", tau=0.0, leaf="majority")
    assert noise.fit(X, rng.integers(0, 2, 20_000)).n_leaves_ == 1


def test_half_width_gives_every_bound_by_name():
    assert bounds.half_width("hoeffding", 200, delta=1e-7) == bounds.hoeffding(200, delta=1e-7)
    policy = bounds.ConfidencePractical(c=0.5, form="derived")
    got = bounds.half_width(policy, 500, delta=0.1, impurity="gini", seen=1000, features=4)
    want = bounds.confidence_practical(
        500, impurity="gini", seen=1000, features=4, c=0.5, form="derived"
    )
    assert got == want
    with pytest.raises(TypeError, match="bound must be a name or a policy"):
        bounds.half_width(lambda e: 0.1, 200, delta=0.1)


# What always holds

WIDTHS = {
    "hoeffding": lambda n, delta: bounds.hoeffding(n, delta=delta, gain_range=2.0),
    "mcdiarmid entropy": lambda n, delta: bounds.mcdiarmid(n, delta=delta, classes=3),
    "mcdiarmid gini": lambda n, delta: bounds.mcdiarmid(n, delta=delta, impurity="gini"),
    "normal": lambda n, delta: bounds.normal(n, delta=delta),
    "normal gini": lambda n, delta: bounds.normal(n, delta=delta, impurity="gini", classes=4),
    "delta method": lambda n, delta: bounds.delta_method(n, delta=delta, variance=0.7),
} | {
    f"{name} {impurity}": lambda n, delta, name=name, impurity=impurity: (
        bounds.confidence_interval(n, delta=delta, impurity=impurity)
        if name == "interval"
        else bounds.confidence(n, delta=delta, impurity=impurity, seen=1e6, features=9, depth=2)
    )
    for name in ("interval", "tree")
    for impurity in bounds.SERVES["confidence"]
}


@pytest.mark.parametrize("width", WIDTHS.values(), ids=WIDTHS)
@given(n=st.floats(100, 1e12), factor=st.floats(1.01, 100), delta=st.floats(1e-290, 0.49))
def test_a_bound_shrinks_with_examples_and_grows_with_confidence(width, n, factor, delta):
    fewer, more = width([n, n * factor], delta)
    assert 0.0 < more < fewer
    assert width(n, delta / 2) > fewer


@pytest.mark.parametrize("form", ["printed", "derived", "literal"])
@given(n=st.floats(100, 1e12), factor=st.floats(1.01, 100), depth=st.integers(0, 50))
def test_the_practical_confidence_shrinks_with_examples_and_grows_with_the_tree(
    form, n, factor, depth
):
    leaf = {"impurity": "entropy", "form": form}
    fewer, more = bounds.confidence_practical([n, n * factor], seen=1e6, features=5, **leaf)
    assert 0.0 < more < fewer
    wider = bounds.confidence_practical(n, seen=1e6, features=5, depth=depth + 1, **leaf)
    assert wider > fewer
    assert bounds.confidence_practical(n, seen=2e6, features=5, **leaf) > fewer
    assert bounds.confidence_practical(n, seen=1e6, features=6, **leaf) > fewer


def test_arguments_broadcast():
    widths = bounds.confidence(
        np.array([[100.0], [200.0]]),
        delta=0.05,
        impurity="gini",
        depth=[0, 1, 2],
        seen=[1000, 2000, 3000],
        features=4,
    )
    assert widths.shape == (2, 3)
    alone = bounds.confidence(200, delta=0.05, impurity="gini", depth=1, seen=2000, features=4)
    assert alone.shape == ()
    assert widths[1, 1] == alone


@pytest.mark.parametrize("delta", [1e-7, 0.1])
def test_delta_spent_over_checks_sums_to_delta(delta):
    checks = np.arange(1, 1000)
    spent = bounds.spent_delta(delta, checks)
    np.testing.assert_allclose(spent, [reference.spend(delta, int(j)) for j in checks])
    assert spent[0] == delta / 2
    assert spent.sum() == pytest.approx(delta * (1 - 1 / 1000), rel=1e-12)


# What is refused

EVERY = {
    "hoeffding": (bounds.hoeffding, {}),
    "mcdiarmid": (bounds.mcdiarmid, {}),
    "confidence": (bounds.confidence, {"impurity": "gini", "seen": 9, "features": 2}),
    "normal": (bounds.normal, {}),
    "delta_method": (bounds.delta_method, {"variance": 1.0}),
}


@pytest.mark.parametrize(("bound", "rest"), EVERY.values(), ids=EVERY)
@pytest.mark.parametrize("delta", [0.0, 1.0, -1.0, float("nan"), [0.1, 2.0]])
def test_delta_must_be_a_probability(bound, rest, delta):
    value = f"got {float(np.ravel(delta)[-1])}"
    with pytest.raises(ValueError, match=f"delta must be a probability .*{value}"):
        bound([10], delta=delta, **rest)


@pytest.mark.parametrize(("bound", "rest"), EVERY.values(), ids=EVERY)
@pytest.mark.parametrize("n", [0.0, -3.0, float("nan"), float("inf")])
def test_a_leaf_without_examples_has_no_interval(bound, rest, n):
    with pytest.raises(ValueError, match=f"n must be positive and finite, got {n}"):
        bound([10, n], delta=0.1, **rest)


@pytest.mark.parametrize(
    ("name", "impurity"),
    [
        ("mcdiarmid", "misclassification"),
        ("confidence", "misclassification"),
        ("confidence-practical", "loss"),
        ("normal", "entropy"),
        ("delta-method", "kearns-mansour"),
    ],
)
def test_an_impurity_that_a_bound_does_not_serve_is_answered_with_those_it_serves(name, impurity):
    ask = {
        "mcdiarmid": lambda: bounds.mcdiarmid(10, delta=0.1, impurity=impurity),
        "confidence": lambda: bounds.confidence(
            10, delta=0.1, impurity=impurity, seen=10, features=1
        ),
        "confidence-practical": lambda: bounds.confidence_practical(
            10, impurity=impurity, seen=10, features=1
        ),
        "normal": lambda: bounds.normal(10, delta=0.1, impurity=impurity),
        "delta-method": lambda: bounds.gap_variance(TABLE, None, impurity),
    }[name]
    listed = ", ".join(repr(served) for served in bounds.SERVES[name])
    with pytest.raises(ValueError, match=f"one of {listed} with bound='{name}', got '{impurity}'"):
        ask()


def test_the_theorems_and_influence_name_what_they_serve():
    with pytest.raises(ValueError, match=r"'entropy', 'gini', 'kearns-mansour' .*got 'loss'"):
        bounds.confidence_interval(10, delta=0.1, impurity="loss")
    with pytest.raises(ValueError, match=r"impurity must be one of 'entropy'.*got 'loss'"):
        bounds.influence(TABLE, "loss")


def test_bounds_serve_what_the_reference_says():
    for name, served in bounds.SERVES.items():
        assert set(served) == set(reference.SERVES[name]) - {"hybrid"}


def test_wrong_leaves_trees_and_tables_are_refused():
    leaf = {"delta": 0.1, "impurity": "gini", "seen": 10, "features": 1}
    for parameter, value in [("depth", -1), ("seen", 0), ("features", 0)]:
        with pytest.raises(ValueError, match=f"{parameter} must be .*got {float(value)}"):
            bounds.confidence(10, **(leaf | {parameter: value}))
    with pytest.raises(ValueError, match=r"form must be one of .*got 'print'; did you mean"):
        bounds.confidence_practical(10, impurity="gini", seen=1, features=1, form="print")
    with pytest.raises(ValueError, match=r"c must be positive and finite, got -1.0"):
        bounds.confidence_practical(10, impurity="gini", seen=1, features=1, c=-1.0)
    with pytest.raises(ValueError, match=r"variance must be .*got -1.0"):
        bounds.delta_method(10, delta=0.1, variance=[1.0, -1.0])
    with pytest.raises(ValueError, match=r"check must be finite and at least 1, got 0.0"):
        bounds.spent_delta(0.1, [0, 1])
    with pytest.raises(ValueError, match=r"shapes must broadcast, got n \(2,\), delta \(3,\)"):
        bounds.hoeffding([1, 2], delta=[0.1, 0.2, 0.3])
    with pytest.raises(ValueError, match=r"first_table must have the shape .*got \(2,\)"):
        bounds.gap_variance([1, 2], None)
    with pytest.raises(ValueError, match=r"second_table must be finite .*got -4.0"):
        bounds.gap_variance(TABLE, -TABLE + 51)
    with pytest.raises(ValueError, match=r"pairing must be .*got 'paired': use the variance"):
        bounds.gap_variance(TABLE, TABLE, pairing="paired")
    with pytest.raises(ValueError, match=r"total must be .*got 99.0"):
        bounds.gap_variance(TABLE, None, total=99)


@pytest.mark.parametrize("bound", ["delta-method", "empirical-bernstein"])
@pytest.mark.parametrize("evaluator", ["prequential", "holdout"])
def test_a_bound_with_the_variance_of_counts_refuses_gains_from_hits(bound, evaluator):
    impurity = rp.impurities.Accuracy(evaluator=evaluator)
    model = rp.HoeffdingTree(bound=bound, impurity=impurity)
    with pytest.raises(ValueError, match="its variance is derived for class counts"):
        model.fit([[0.0], [1.0]], [0, 1])
