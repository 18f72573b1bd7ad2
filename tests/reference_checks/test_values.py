"""The reference's exhaustive values and its bound for the cuts inside an interval."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference.cuts import value_cuts
from tests.reference.impurities import IMPURITIES, criterion_gain
from tests.reference.values import Values, best_split, upper_bound


def stream(seed, n, n_classes):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 25, n).astype(float)
    y = (x / 25 * n_classes + rng.normal(size=n)).round().clip(0, n_classes - 1).astype(int)
    return x, y, rng.choice([0.25, 1.0, 2.5], n)


def test_every_value_but_the_largest_is_a_threshold_with_exact_counts():
    x, y, w = stream(0, 300, 3)
    values = Values()
    for point, k, weight in zip(x, y.tolist(), w, strict=True):
        values.update(float(point), k, float(weight))
    cuts = list(value_cuts(7, values, 3))
    assert [cut.value for cut in cuts] == np.unique(x)[:-1].tolist()
    for cut in cuts:
        want = [np.bincount(y, w * side, 3) for side in (x <= cut.value, x > cut.value)]
        np.testing.assert_allclose(cut.table, want, rtol=1e-12)
        np.testing.assert_allclose(values.masses_left(cut.value, 3), want[0], rtol=1e-12)
    gains = [criterion_gain("entropy", cut.table) for cut in cuts]
    best, gain = best_split(x, y, w)
    assert gain == pytest.approx(max(gains))
    assert best == cuts[int(np.argmax(gains))].value


def test_one_value_has_no_threshold():
    values = Values()
    values.update(3.0, 0)
    values.update(3.0, 1)
    assert list(value_cuts(0, values, 2)) == []
    assert best_split([3.0, 3.0], [0, 1]) == (None, 0.0)


@pytest.mark.parametrize("impurity", IMPURITIES)
@pytest.mark.parametrize("n_classes", [2, 3, 5, 9, 12])
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), low=st.integers(-1, 24), width=st.integers(1, 25))
def test_no_cut_inside_an_interval_gains_more_than_its_bound(impurity, n_classes, seed, low, width):
    x, y, w = stream(seed, 60, n_classes)
    zones = [x <= low, (x > low) & (x <= low + width), x > low + width]
    left, inside, right = (np.bincount(y, w * zone, n_classes) for zone in zones)
    bound = upper_bound(left, inside, right, impurity)
    for t in range(low, low + width + 1):
        table = [np.bincount(y, w * side, n_classes) for side in (x <= t, x > t)]
        assert criterion_gain(impurity, table) <= bound + 1e-12


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_taking_an_interval_apart_bounds_what_its_subsets_do(seed):
    counts = np.random.default_rng(seed).integers(0, 20, size=(3, 4)).astype(float)
    subsets = upper_bound(*counts)
    padded = np.pad(counts, ((0, 0), (0, 5)))
    assert subsets <= upper_bound(*padded) + 1e-12


def test_an_empty_interval_gains_what_its_boundary_gains():
    assert upper_bound([30, 10], [0, 0], [5, 55]) == pytest.approx(0.361266695, abs=5e-10)
