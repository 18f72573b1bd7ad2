"""Candidate thresholds."""

import numpy as np
import pytest
import reference
from hypothesis import given
from hypothesis import strategies as st

import riparian as rp
from riparian import cuts


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
    model = rp.HoeffdingTree(n_cuts=n_cuts).partial_fit(X, y)
    split = model.splits()[0]
    seen = X[: split.seen, 0]
    nearest = np.abs(cuts.bins(seen.min(), seen.max(), n_cuts) - float(split.cut.split()[-1]))
    assert nearest.min() < 1e-5
