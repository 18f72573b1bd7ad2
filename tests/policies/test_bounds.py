"""Each bound against its formula, and what always holds for one."""

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

from riparian import bounds


@pytest.mark.parametrize("delta", [1e-12, 1e-7, 0.05, 0.5])
@pytest.mark.parametrize("n_classes", [2, 7, 50])
def test_hoeffding_is_the_formula_of_the_paper(delta, n_classes):
    n = np.random.default_rng(0).uniform(1, 1e6, size=1000)
    gain_range = np.log2(n_classes)
    got = bounds.hoeffding(n, delta=delta, gain_range=gain_range)
    want = reference.hoeffding(n, delta, gain_range)
    np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize(
    ("gain_range", "delta", "n", "epsilon"),
    [
        (1.0, 0.05, 100, 0.122387342),
        (1.0, 1e-7, 200, 0.200736741),
        (np.log2(3), 1e-7, 1000, 0.142285570),
        (1.0, 0.01, 1000, 0.047985259),
    ],
)
def test_hoeffding_gives_the_vectors_of_the_specification(gain_range, delta, n, epsilon):
    got = bounds.hoeffding([n], delta=delta, gain_range=gain_range)
    assert got == pytest.approx(epsilon, abs=5e-10)


@given(st.floats(1, 1e12), st.floats(1.01, 100), st.floats(1e-300, 0.5))
def test_a_bound_shrinks_with_examples_and_grows_with_confidence(n, factor, delta):
    fewer, more = bounds.hoeffding([n, n * factor], delta=delta)
    assert more < fewer
    assert bounds.hoeffding([n], delta=delta / 2)[0] > fewer


@pytest.mark.parametrize("delta", [0.0, 1.0, -1.0, float("nan")])
def test_delta_must_be_a_probability(delta):
    with pytest.raises(ValueError, match="delta must be a probability"):
        bounds.hoeffding([10], delta=delta)


def test_a_leaf_without_examples_has_no_interval():
    with pytest.raises(ValueError, match="n must be positive"):
        bounds.hoeffding([10, 0], delta=0.1)
