"""The reference's cuts: the vectors of the specification, its degenerate cases, theorem 1."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from tests.reference.cuts import (
    Cut,
    best_two,
    crossings,
    intersections,
    qda,
    threshold_table,
    thresholds,
)
from tests.reference.impurities import misclassification_gain
from tests.reference.statistics import Gaussian


def gaussian(weight, mean, sigma, low=-math.inf, high=math.inf):
    """A class whose sample variance is sigma^2."""
    made = Gaussian()
    made.weight, made.mean, made.m2 = weight, mean, sigma**2 * max(weight - 1.0, 0.0)
    made.low, made.high = low, high
    return made


def gains_at(classes, points):
    """The misclassification gain of each cut, with the full normal distribution."""
    n, mu, sigma = np.array(classes, dtype=float).T[:, :, None]
    left, right = n * ndtr((points - mu) / sigma), n * ndtr((mu - points) / sigma)
    return (left.max(axis=0) + right.max(axis=0) - n.max()) / n.sum()


@pytest.mark.parametrize(
    ("first", "second", "roots", "gains"),
    [
        ((50, 0, 1), (50, 2, 1), [1.0], [0.341344746]),
        ((60, 0, 1), (40, 2, 1), [1.202732554], [0.246216906]),
        ((50, 0, 1), (50, 2, 2), [-2.570917243, 1.237583910], [0.003035748, 0.270270184]),
        ((90, 0, 1), (10, 0.2, 1.5), [-3.230388065, 2.910388065], [0.000553709, 0.001914285]),
        ((10, 0, 2), (90, 0.2, 1), [-2.512800152, 3.046133486], [0.007446268, 0.004395687]),
    ],
)
def test_the_vectors_of_the_specification(first, second, roots, gains):
    assert crossings(first, second) == pytest.approx(roots, abs=5.1e-10)
    assert crossings(second, first) == pytest.approx(roots, abs=5.1e-10)
    assert gains_at([first, second], roots) == pytest.approx(gains, abs=5.1e-10)
    gaussians = {0: gaussian(*first), 1: gaussian(*second)}
    assert intersections(gaussians) == pytest.approx(roots, abs=5.1e-10)
    tables = [threshold_table(gaussians, t, 2, clip_to_range=False) for t in roots]
    assert [misclassification_gain(table) for table in tables] == pytest.approx(gains, abs=2e-9)


def test_equal_variances_have_one_crossing_or_are_skipped():
    root = 1.0 + 4.0 / 2.0 * math.log(3)
    assert crossings((75, 0, 2), (25, 2, 2)) == pytest.approx([root])
    assert crossings((75, 0, 2), (25, 2, 2 * (1 + 1e-14))) == pytest.approx([root])
    assert crossings((75, 0, 2), (25, 2, 2), "skip") == []
    assert len(crossings((75, 0, 2), (25, 2, 3), "skip")) == 2


def test_equal_curves_have_no_crossing():
    assert crossings((75, 1, 2), (25, 1, 2)) == []
    assert crossings((25, 1, 2), (25, 1, 2)) == []


def test_a_curve_below_another_has_no_crossing():
    assert crossings((1, 0, 1), (99, 0, 1.1)) == []


def test_touching_curves_have_one_crossing():
    # b = 0 and c = 0: equal means, and equal heights n / sigma.
    assert crossings((50, 3, 1), (100, 3, 2)) == [3.0]


def test_a_point_mass_is_cut_just_below_and_at_its_place():
    want = [math.nextafter(2.0, -math.inf), 2.0]
    assert crossings((10, 2, 0), (10, 5, 1)) == want
    assert crossings((10, 5, 1), (10, 2, 0)) == want


def test_two_point_masses_are_cut_in_the_middle():
    assert crossings((10, 2, 0), (30, 5, 0)) == [3.5]
    assert crossings((10, 2, 0), (30, 2, 0)) == []


def test_means_that_are_all_but_equal_cross_nowhere():
    assert crossings((1, 5e-324, 1), (2, 0, 1)) == []


def test_an_empty_class_is_skipped():
    assert crossings((0, 0, 1), (10, 2, 1)) == []


def test_weights_may_be_fractions():
    assert crossings((0.6, 0, 1), (0.4, 2, 1)) == pytest.approx([1.202732554], abs=5.1e-10)


def test_crossings_outside_the_range_are_dropped():
    gaussians = {0: gaussian(50, 0, 1, -2.5, 2), 1: gaussian(50, 2, 2, -1, 5)}
    assert intersections(gaussians) == pytest.approx([1.237583910], abs=5.1e-10)


@pytest.mark.parametrize("shift", [0.0, 1e6, -1e8])
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_origin_and_unit_move_the_crossings_along(shift, scale):
    here = crossings((50, 0, 1), (50, 2, 2))
    there = crossings((50, shift, scale), (50, shift + 2 * scale, 2 * scale))
    tolerance = 1e-9 * scale + 1e-14 * abs(shift)
    assert there == pytest.approx([shift + scale * t for t in here], abs=tolerance)


def test_floored_variances_are_equal_and_cross_in_the_middle():
    gaussians = {0: gaussian(10, 1, 0, 0, 2), 1: gaussian(10, 1.5, 0, 0, 2)}
    assert intersections(gaussians, "linear", "population") == pytest.approx([1.25])
    assert intersections(gaussians, "skip", "population") == []


classes = st.lists(
    st.tuples(st.floats(1, 1000), st.floats(-5, 5), st.floats(0.05, 10)), min_size=2, max_size=4
)


@settings(max_examples=300, deadline=None)
@given(classes)
def test_theorem_1_the_best_cut_is_an_intersection(classes):
    found = [
        t
        for i, first in enumerate(classes)
        for second in classes[i + 1 :]
        for t in crossings(first, second)
    ]
    at_intersections = max(gains_at(classes, np.array(found)), default=0.0)
    on_grid = gains_at(classes, np.linspace(-40, 40, 8001)).max()
    assert on_grid <= max(at_intersections, 0.0) + 1e-9


@settings(max_examples=200)
@given(classes)
def test_both_curves_are_equally_high_at_a_crossing(classes):
    (n1, mu1, sigma1), (n2, mu2, sigma2) = classes[:2]
    for t in crossings(*classes[:2]):
        if abs(t) > 1e100:  # of means that are all but equal; its square has no number
            continue
        first = math.log(n1 / sigma1) - 0.5 * ((t - mu1) / sigma1) ** 2
        second = math.log(n2 / sigma2) - 0.5 * ((t - mu2) / sigma2) ** 2
        assert first == pytest.approx(second, rel=1e-6, abs=1e-6)


def test_qda_takes_the_crossing_closer_to_both_means():
    gaussians = {0: gaussian(50, 0, 1), 1: gaussian(50, 2, 2)}
    assert qda(gaussians) == pytest.approx([1.237583910], abs=5.1e-10)
    assert qda({0: gaussians[0]}) == []
    assert qda({0: gaussian(2, 0, 1), 1: gaussian(99, 0, 1.1)}) == []


def test_qda_takes_the_lower_of_two_equally_close_crossings():
    gaussians = {0: gaussian(50, 0, 1), 1: gaussian(50, 0, 2)}
    low, high = crossings((50, 0, 1), (50, 0, 2))
    assert low == -high
    assert qda(gaussians) == [low]


def test_qda_looks_at_the_two_heaviest_classes():
    gaussians = {0: gaussian(20, 9, 1), 1: gaussian(30, 0, 1), 2: gaussian(30, 2, 1)}
    assert qda(gaussians) == pytest.approx([1.0])
    gaussians[0] = gaussian(30, 9, 1)
    assert qda(gaussians) == pytest.approx([4.5])


def test_combined_cuts_are_the_bins_and_the_intersections_in_order():
    gaussians = {0: gaussian(50, 0, 1, -3, 3), 1: gaussian(50, 2.5, 1, -1, 8)}
    both = thresholds(gaussians, "combined")
    assert both == sorted([*thresholds(gaussians, "bins"), *thresholds(gaussians, "intersections")])
    assert len(both) == 11
    # A crossing on a bin is one candidate.
    gaussians[1] = gaussian(50, 2, 1, -1, 8)
    assert thresholds(gaussians, "combined") == thresholds(gaussians, "bins")
    assert thresholds(gaussians, "delayed") == thresholds(gaussians, "bins")


def test_a_missing_runner_up_is_no_split_or_nothing_at_all():
    only = Cut(0, "threshold", 1.0, np.eye(2))
    assert best_two([(0.5, only)], "feature") == ((0.5, only), (0.0, None))
    assert best_two([(0.5, only)], "feature", "-inf") == ((0.5, only), (-math.inf, None))
    assert best_two([], "feature", "-inf") == ((0.0, None), (0.0, None))
    rival = Cut(1, "threshold", 1.0, np.eye(2))
    assert best_two([(0.5, only), (0.1, rival)], "feature", "-inf")[1] == (0.1, rival)
