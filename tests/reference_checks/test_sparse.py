"""The zeros that a sparse row leaves out, added afterwards, against moments of all values."""

import numpy as np
import pytest

from tests.reference.sparse import nonzeros, with_zeros
from tests.reference.statistics import moments


@pytest.mark.parametrize("share", [0.0, 0.02, 0.5, 1.0])
def test_the_moments_of_all_values_follow_from_those_that_are_not_zero(share):
    rng = np.random.default_rng(4)
    x = np.where(rng.random(400) < share, rng.normal(3.0, 2.0, 400), 0.0)
    w = rng.uniform(0.1, 2.0, 400)
    weight, mean, squares, low, high = with_zeros(nonzeros(x, w), 400, w.sum())
    np.testing.assert_allclose([weight, mean, squares], moments(x, w), rtol=1e-12, atol=1e-12)
    assert (low, high) == (x.min(), x.max())


def test_worked_by_hand():
    # 1, 3 and two zeros: mean 1, squares 0 + 4 + 1 + 1
    assert with_zeros(nonzeros([1.0, 0.0, 3.0, 0.0], np.ones(4)), 4, 4.0) == (4, 1, 6, 0, 3)


def test_a_missing_value_is_no_zero():
    # 5 and one zero are known
    one = nonzeros([5.0, np.nan, 0.0], np.ones(3))
    assert (one.rows, one.weight, one.missing) == (2, 1.0, 1.0)
    assert with_zeros(one, 3, 3.0) == (2.0, 2.5, 12.5, 0.0, 5.0)
