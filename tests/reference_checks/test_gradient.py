"""The reference of gradient trees against the numbers of the specification."""

import numpy as np
import pytest

from tests.reference import gradient


def test_one_plane_worked_by_hand():
    v = gradient.values(np.array([[1.0, 0.0]]), np.zeros(1), np.array([1.0, 1.0]))
    o = gradient.output(v, 1.0)
    assert o == pytest.approx(0.462117157, abs=1e-9)
    assert gradient.activations(v, 1.0)[2] == pytest.approx(0.731058579, abs=1e-9)
    assert gradient.loss(o, 1.0, "squared") == pytest.approx(0.144658976, abs=1e-9)
    assert gradient.gradients(v, 1.0, 1.0, "squared") == pytest.approx(-0.211508371, abs=1e-9)


def test_three_planes_worked_by_hand():
    weights = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.6, 0.8]])
    v = gradient.values(weights, np.zeros(3), np.array([0.5, -1.0, 1.0]))
    leaves = [0.167405097, 0.455054234, 0.207584695, 0.169955974]
    np.testing.assert_allclose(gradient.activations(v, 1.0)[4:], leaves, atol=1e-9)
    assert gradient.output(v, 1.0) == pytest.approx(-0.250020415, abs=1e-9)
    want = [-0.132021596, 0.244765865, 0.186895145]
    np.testing.assert_allclose(gradient.slopes(v, 1.0), want, atol=1e-9)


@pytest.mark.parametrize("kind", ["squared", "log"])
@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_gradients_are_finite_differences(depth, kind):
    rng = np.random.default_rng(depth)
    for y in (1.0, -1.0):
        v = rng.normal(size=2**depth - 1)
        slope = rng.uniform(0.5, 3.0)
        assert gradient.activations(v, slope)[2**depth :].sum() == pytest.approx(1.0, abs=1e-12)
        found = gradient.gradients(v, y, slope, kind)
        for i in range(len(v)):
            h = np.zeros_like(v)
            h[i] = 1e-6
            above, below = (
                gradient.loss(gradient.output(u, slope), y, kind) for u in (v + h, v - h)
            )
            assert found[i] == pytest.approx((above - below) / 2e-6, abs=1e-6)
