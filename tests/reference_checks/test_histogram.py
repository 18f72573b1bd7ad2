"""The reference's histogram against the vectors of the specification (sheet 10, section 7)."""

import numpy as np
import pytest

from tests.reference.histogram import Histogram, Histograms


def made(values, n_bins=5):
    histogram = Histogram(n_bins)
    for x in values:
        histogram.update(float(x))
    return histogram


def test_the_vector_of_the_paper():
    histogram = made([23, 19, 10, 16, 36, 2, 9])
    assert histogram.bins == [(2, 1), (9.5, 2), (17.5, 2), (23, 1), (36, 1)]
    histogram.merge(made([32, 30, 45]))
    places, weights = zip(*histogram.bins, strict=True)
    assert places == pytest.approx((2, 9.5, 58 / 3, 98 / 3, 45))
    assert weights == (1, 2, 3, 3, 1)
    every = made([23, 19, 10, 16, 36, 2, 9, 32, 30, 45])
    np.testing.assert_allclose(histogram.bins, every.bins)
    assert histogram.sum(15) == pytest.approx(3.275064637)
    assert histogram.uniform(3) == pytest.approx([15.222890825, 28.962962963])


def test_few_values_are_exact_and_many_are_not():
    values = Histograms(4)
    for x, k in [(1.0, 0), (2.0, 1), (3.0, 0), (3.0, 1)]:
        values.update(x, k)
    assert values.thresholds() == [1.0, 2.0]
    assert values.masses_left(2.0, 2).tolist() == [1.0, 1.0]
    for x in (4.0, 5.0):
        values.update(x, 0)
    assert len(values.thresholds()) == 3
    assert values.masses_left(np.inf, 2).tolist() == [4.0, 2.0]
