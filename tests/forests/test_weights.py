"""Bagging with weights: what a row counts is its draw times its weight.

The draw depends on the number of the row alone. So a weight is a repetition with the draw held;
rows that are there several times are drawn several times, which is the same in the mean.
"""

from __future__ import annotations

import numpy as np
import pytest

from riparian import HoeffdingTree, OnlineBagging
from tests import inside
from tests.reference.forest import poisson, uniforms

MEMBERS, SEED = 3, 11


def rows(n):
    rng = np.random.default_rng(2)
    X = np.round(rng.normal(size=(n, 3)) * 64) / 64
    return X, (X[:, 0] + 0.4 * rng.normal(size=n) > 0).astype(int), rng.integers(1, 5, size=n)


def draws(n, rate):
    """[member][row]; the first row has number 1."""
    return [
        np.array([poisson(rate, u) for u in uniforms(SEED, member, n + 1)[1:]])
        for member in range(MEMBERS)
    ]


def bagged(X, y, w=None, **parameters):
    tree = HoeffdingTree(**parameters)
    forest = OnlineBagging(estimator=tree, n_estimators=MEMBERS, random_state=SEED)
    return forest.partial_fit(X, y, classes=[0, 1], sample_weight=w)


@pytest.mark.parametrize("leaf", ["majority", "adaptive"])
def test_a_member_is_a_tree_whose_rows_weigh_their_draw_times_their_weight(leaf):
    X, y, w = rows(1_200)
    eager = {"grace_period": 40, "delta": 0.05, "tau": 0.2, "leaf": leaf}
    forest = bagged(X, y, w, **eager)
    for member, k in enumerate(draws(len(y), forest.rate)):
        tree = HoeffdingTree(**eager).partial_fit(X, y, [0, 1], k * w)
        got, want = inside.engine(forest).tree(member).snapshot(), inside.snapshot(tree)
        # Of the cuts that lost, a member keeps the runner-up alone.
        assert len(want["test"]) > 2
        assert want["rivals"].max() > 0
        want |= {name: array[:0] for name, array in want.items() if name.startswith("rival_")}
        want["rivals"] = np.zeros_like(want["rivals"])
        for name, array in want.items():
            # Predictors are judged with a draw at once, with a weight as with repetitions.
            if name not in ("right_majority", "right_bayes"):
                np.testing.assert_array_equal(got[name], array, err_msg=name)


def test_a_whole_weight_is_a_repetition_that_is_drawn_once():
    X, y, w = rows(400)
    forest = bagged(X, y, w, max_leaves=1)
    for member, k in enumerate(draws(len(y), forest.rate)):
        copies = np.repeat(np.arange(len(y)), k * w)
        tree = HoeffdingTree(max_leaves=1).partial_fit(X[copies], y[copies], [0, 1])
        got, want = inside.engine(forest).tree(member).snapshot(), inside.snapshot(tree)
        for exact in ("counts", "weight"):
            np.testing.assert_array_equal(got[exact], want[exact])
        np.testing.assert_allclose(got["gaussian"], want["gaussian"], rtol=1e-10, atol=1e-12)


def test_rows_that_are_repeated_weigh_the_same_in_the_mean():
    X, y, w = rows(20_000)
    copies = np.repeat(np.arange(len(y)), w)
    weighted, repeated = bagged(X, y, w, max_leaves=1), bagged(X[copies], y[copies], max_leaves=1)
    total, rate = w.sum(), weighted.rate
    # The variance of a draw is its rate, times the squared weight; six deviations.
    for forest, variance in ((weighted, rate * (w**2).sum()), (repeated, rate * total)):
        for member in range(MEMBERS):
            learned = inside.engine(forest).tree(member).snapshot()["counts"].sum()
            assert abs(learned - rate * total) < 6 * np.sqrt(variance)
