"""The core's own logarithm, exponential and normal distribution against SciPy's."""

import numpy as np
import pytest
from scipy.special import ndtr

from tests import inside


@pytest.fixture(params=["baseline", "avx2", "avx512"], autouse=True)
def instruction_set(request):
    before = inside.core.instruction_set()
    if not inside.core.use_instruction_set(request.param):
        pytest.skip(f"this machine has no {request.param}")
    yield
    inside.core.use_instruction_set(before)


def test_the_normal_distribution_is_right_to_1e_15():
    z = np.linspace(-12, 12, 240_001)
    np.testing.assert_allclose(inside.core.normal_cdf(z), ndtr(z), atol=1.2e-15, rtol=0)


def test_the_logarithm_is_right_over_all_magnitudes():
    x = np.exp(np.random.default_rng(0).uniform(-700, 700, 100_000))
    np.testing.assert_allclose(inside.core.logarithm(x), np.log(x), rtol=1e-15, atol=1e-15)
    assert inside.core.logarithm(np.array([1.0]))[0] == 0.0


def test_the_exponential_is_right_and_ends_at_zero():
    x = np.random.default_rng(0).uniform(-700, 700, 100_000)
    np.testing.assert_allclose(inside.core.exponential(x), np.exp(x), rtol=1e-15)
    assert inside.core.exponential(np.array([-1e300, -np.inf])).tolist() == [0.0, 0.0]


def test_x_log_x_is_zero_at_zero_and_exact_at_powers_of_two():
    x = np.array([0.0, 0.25, 1.0, 2.0, 1024.0])
    assert inside.core.xlog2x(x).tolist() == [0.0, -0.5, 0.0, 2.0, 10240.0]
