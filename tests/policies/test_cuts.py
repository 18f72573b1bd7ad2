"""Candidate thresholds."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import riparian as rp
from riparian import cuts, impurities
from tests import inside, reference

# Six decimals: means or deviations that differ by less have roots that rounding decides.
means = st.floats(-10, 10).map(lambda x: round(x, 6))
deviations = st.sampled_from([0.5, 1.0, 2.0]) | st.floats(0.1, 10).map(lambda x: round(x, 6))
classes = st.lists(st.tuples(st.floats(0.1, 1000), means, deviations), min_size=2, max_size=5)


def columns(of) -> tuple[Any, Any, Any]:
    n, mean, deviation = (np.array(column) for column in zip(*of, strict=True))
    return n, mean, deviation


def gains(of, thresholds, impurity="misclassification"):
    """The gain of each threshold with the whole normal distributions."""
    n, mean, deviation = columns(of)
    at = np.asarray(thresholds, dtype=float)[:, None]
    z = ((at - mean) / deviation).ravel()
    left = n * inside.core.normal_cdf(z).reshape(len(at), len(n))
    right = n * inside.core.normal_cdf(-z).reshape(len(at), len(n))
    return impurities.gain(np.stack([left, right], axis=1), impurity)


def gaussians(of, low, high):
    """As the reference has them: by code, with M2 of a sample."""
    made = {}
    for k, (n, mean, deviation) in enumerate(of):
        made[k] = reference.Gaussian()
        made[k].weight, made[k].mean = n, mean
        made[k].m2 = deviation**2 * (n - 1.0)
        made[k].low, made[k].high = low, high
    return made


@given(st.floats(-1e9, 1e9), st.floats(0, 1e9), st.integers(1, 50))
def test_bins_are_equally_spaced_inside_the_range(low, width, n_cuts):
    got = cuts.bins(low, low + width, n_cuts)
    np.testing.assert_allclose(got, reference.bins(low, low + width, n_cuts), rtol=1e-12)
    assert ((low < got) & (got < low + width)).all()


def test_a_constant_feature_has_no_candidates_and_is_never_split():
    X = np.column_stack([np.full(2000, 3.5), np.full(2000, -1.0)])
    y = np.arange(2000) % 2
    model = rp.HoeffdingTree(tau=10.0, grace_period=10).partial_fit(X, y)
    assert model.n_leaves_ == 1
    assert model.pending()[0].reason_waiting == "no cut"


@pytest.mark.parametrize("n_cuts", [1, 3, 10])
def test_a_tree_cuts_at_one_of_the_bins(n_cuts):
    rng = np.random.default_rng(2)
    X = rng.uniform(0, 1, size=(5000, 1))
    y = (X[:, 0] > 0.5).astype(int)
    model = rp.HoeffdingTree(cuts=cuts.Bins(count=n_cuts)).partial_fit(X, y)
    split = model.splits()[0]
    seen = X[: split.seen, 0]
    nearest = np.abs(cuts.bins(seen.min(), seen.max(), n_cuts) - float(split.cut.split()[-1]))
    assert nearest.min() < 1e-5


# Intersections


@pytest.mark.parametrize(
    ("first", "second", "roots", "gain"),
    [
        ((50, 0, 1), (50, 2, 1), [1.0], [0.341344746]),
        ((60, 0, 1), (40, 2, 1), [1.202732554], [0.246216906]),
        ((50, 0, 1), (50, 2, 2), [-2.570917243, 1.237583910], [0.003035748, 0.270270184]),
        ((90, 0, 1), (10, 0.2, 1.5), [-3.230388065, 2.910388065], [0.000553709, 0.001914285]),
        ((10, 0, 2), (90, 0.2, 1), [-2.512800152, 3.046133486], [0.007446268, 0.004395687]),
    ],
)
def test_intersections_give_the_vectors_of_the_specification(first, second, roots, gain):
    got = cuts.intersections(*columns([first, second]))
    assert got == pytest.approx(roots, abs=5.1e-10)
    assert gains([first, second], got) == pytest.approx(gain, abs=5.1e-10)
    np.testing.assert_allclose(cuts.intersections(*columns([second, first])), got, rtol=1e-12)


@given(of=classes, low=st.floats(-30, 0), high=st.floats(0, 30))
def test_intersections_are_those_of_the_reference_inside_the_range(of, low, high):
    got = cuts.intersections(*columns(of), low, high)
    pairs = [(a, b) for i, a in enumerate(of) for b in of[i + 1 :]]
    found = np.array([t for a, b in pairs for t in reference.crossings(a, b)])
    assert (np.diff(got) > 0.0).all()
    assert ((low < got) & (got < high)).all()
    # The same up to rounding, which decides whether two roots that nearly coincide are two or none.
    for t in got:
        assert np.isclose(found, t, rtol=1e-6, atol=1e-5).any()
    for t in found[(found > low + 1e-4) & (found < high - 1e-4)]:
        assert np.isclose(got, t, rtol=1e-6, atol=1e-5).any()


@given(of=classes)
def test_the_densities_meet_at_an_intersection(of):
    first, second = of[:2]
    for t in cuts.intersections(*columns([first, second])):
        if abs(t) > 1e6:  # of means that are all but equal; the densities are both nothing
            continue
        one, two = (
            math.log(n / deviation) - 0.5 * ((t - mean) / deviation) ** 2
            for n, mean, deviation in (first, second)
        )
        assert one == pytest.approx(two, rel=1e-6, abs=1e-6)


@given(of=classes)
def test_no_threshold_beats_the_intersections(of):
    # Theorem 1 of Mirkhan et al.: for misclassification the best cut is an intersection,
    # or no cut gains at all.
    n, mean, deviation = columns(of)
    grid = np.linspace((mean - 8 * deviation).min(), (mean + 8 * deviation).max(), 2001)
    best = gains(of, grid).max()
    roots = cuts.intersections(n, mean, deviation)
    at_roots = gains(of, roots).max() if len(roots) else 0.0
    assert best <= at_roots + 1e-9


def test_other_impurities_may_be_best_elsewhere():
    of = [(60, 0, 1), (40, 2, 1)]
    grid = np.linspace(-4, 6, 2001)
    roots = cuts.intersections(*columns(of))
    assert gains(of, grid, "entropy").max() > gains(of, roots, "entropy").max() + 1e-4


def test_equal_deviations_have_one_crossing_or_are_skipped():
    of = columns([(60, 0, 1), (40, 2, 1)])
    # (0 + 2) / 2 + 1 / (2 - 0) ln(60 / 40)
    assert cuts.intersections(*of) == pytest.approx([1 + 0.5 * math.log(1.5)])
    assert cuts.intersections(*of, equal_variance="skip").size == 0
    both = columns([(60, 0, 1), (40, 2, 1), (50, 5, 2)])
    assert cuts.intersections(*both).size == 5
    assert cuts.intersections(*both, equal_variance="skip").size == 4
    # All but equal is equal: |1 - s1^2 / s2^2| < 1e-12.
    near = columns([(60, 0, 1), (40, 2, 1 + 1e-13)])
    assert cuts.intersections(*near) == pytest.approx([1 + 0.5 * math.log(1.5)])
    assert cuts.intersections(*near, equal_variance="skip").size == 0


@pytest.mark.parametrize(
    ("first", "second", "roots"),
    [
        ((60, 1, 1), (40, 1, 1), []),  # proportional curves
        ((2, 0, 1), (99, 0, 1.1), []),  # one dominates everywhere
        ((0, 0, 1), (40, 2, 1), []),  # one is empty
        ((60, 1, 0), (40, 1, 0), []),  # two point masses at one place
        ((60, 1, 0), (40, 4, 0), [2.5]),  # and at two
        ((60, 1, 0), (40, 4, 2), [math.nextafter(1.0, -math.inf), 1.0]),  # one point mass
        ((60, 4, 2), (40, 1, 0), [math.nextafter(1.0, -math.inf), 1.0]),
    ],
)
def test_degenerate_pairs(first, second, roots):
    assert cuts.intersections(*columns([first, second])).tolist() == roots


def test_curves_that_touch_meet_once():
    # n1 / s1 = n2 / s2 with equal means: the wider one is above but at the mean.
    got = cuts.intersections([1, 2], [0, 0], [1, 2])
    assert got.tolist() == [0.0]
    assert gains([(1, 0, 1), (2, 0, 2)], got) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("origin", [0.0, 1e6, -1e9])
@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e6])
def test_crossings_move_and_stretch_with_the_data(origin, unit):
    got = cuts.intersections([50, 50], [origin, origin + 2 * unit], [unit, 2 * unit])
    roots = origin + unit * np.array([-2.570917243, 1.237583910])
    np.testing.assert_allclose(got, roots, atol=1e-8 * unit + 1e-14 * abs(origin))


def test_a_crossing_on_the_rim_of_the_range_is_no_cut():
    of = columns([(50, 0, 1), (50, 2, 1)])
    assert cuts.intersections(*of, 0, 2).tolist() == [1.0]
    assert cuts.intersections(*of, 1, 2).size == 0
    assert cuts.intersections(*of, 0, 1).size == 0


# Combined cuts and the QDA root


@given(of=classes, low=st.floats(-30, 0), width=st.floats(0, 30), n_cuts=st.integers(1, 12))
def test_combined_cuts_are_bins_and_intersections_in_order(of, low, width, n_cuts):
    high = low + width
    got = cuts.combined(*columns(of), low, high, n_cuts)
    assert (np.diff(got) > 0.0).all()
    want = {*cuts.bins(low, high, n_cuts), *cuts.intersections(*columns(of), low, high)}
    assert set(got) == want


def test_a_crossing_on_a_bin_is_one_candidate():
    of = columns([(50, 0, 1), (50, 2, 1)])
    assert cuts.combined(*of, -4, 6, 9).tolist() == [-3, -2, -1, 0, 1, 2, 3, 4, 5]


@given(of=classes)
def test_the_qda_root_is_that_of_the_reference(of):
    of = [(n + 1.0, mean, deviation) for n, mean, deviation in of]
    got = cuts.qda(*columns(of), -1e9, 1e9)
    want = reference.qda(gaussians(of, -1e9, 1e9))
    assert len(got) <= 1
    roots = sorted(of, key=lambda k: -k[0])[:2]
    if len(got) == len(want) == 1 and abs(got[0] - want[0]) > 1e-5 + 1e-6 * abs(want[0]):
        # Two roots are equally close up to rounding.
        (_, a, _), (_, b, _) = roots
        near, far = (abs(t - a) + abs(t - b) for t in (got[0], want[0]))
        assert near == pytest.approx(far, rel=1e-6)


def test_qda_takes_the_crossing_closer_to_both_means():
    assert cuts.qda([50, 50], [0, 2], [1, 2]) == pytest.approx([1.237583910], abs=5.1e-10)
    assert cuts.qda([50, 50], [0, 2], [1, 1]).tolist() == [1.0]
    low, high = cuts.intersections([50, 50], [0, 0], [1, 2])
    assert low == -high
    assert cuts.qda([50, 50], [0, 0], [1, 2]).tolist() == [low]
    assert cuts.qda([50], [0], [1]).size == 0
    assert cuts.qda([50, 50], [1, 1], [1, 1]).size == 0
    assert cuts.qda([2, 99], [0, 0], [1, 1.1]).size == 0


def test_qda_looks_at_the_two_heaviest_classes():
    assert cuts.qda([20, 30, 30], [9, 0, 2], [1, 1, 1]) == pytest.approx([1.0])
    assert cuts.qda([30, 30, 30], [9, 0, 2], [1, 1, 1]) == pytest.approx([4.5])


def test_qda_does_not_take_the_farther_crossing_instead_of_one_outside():
    low, high = cuts.intersections([50, 50], [0, 2], [1, 2])
    assert cuts.qda([50, 50], [0, 2], [1, 2], low - 1, high - 0.1).size == 0


# Trees


def test_a_threshold_found_twice_is_not_its_own_runner_up():
    # Two classes at one value cross the third at the same point.
    y = np.random.default_rng(0).integers(0, 3, 3000)
    X = (y > 0).astype(float)[:, None]
    model = rp.HoeffdingTree(cuts="intersections", runner_up="cut", tau=0.0, impurity="gini")
    model.partial_fit(X, y)
    assert [split.cut for split in model.splits()] == ["x0 <= 0.5"]


# What is refused


@pytest.mark.parametrize("rule", [cuts.intersections, cuts.qda])
def test_wrong_classes_are_refused(rule):
    with pytest.raises(ValueError, match=r"weights must be finite and not negative, got -1.0"):
        rule([-1, 2], [0, 1], [1, 1])
    with pytest.raises(ValueError, match=r"deviations must be finite and not negative, got nan"):
        rule([1, 2], [0, 1], [1, np.nan])
    with pytest.raises(ValueError, match=r"means must be finite, got \[0, inf\]"):
        rule([1, 2], [0, np.inf], [1, 1])
    with pytest.raises(ValueError, match=r"one entry per class, got the shapes \(2,\), \(1,\)"):
        rule([1, 2], [0], [1, 1])
    with pytest.raises(ValueError, match=r"equal_variance must be one of .*did you mean 'linear'"):
        rule([1, 2], [0, 1], [1, 1], equal_variance="liner")
