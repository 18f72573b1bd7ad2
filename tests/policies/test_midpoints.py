"""Thresholds of features whose values a leaf knows lie in the middle between two of them."""

import numpy as np
import pytest

import riparian as rp
from tests import inside
from tests.reference.cuts import midpoint
from tests.reference.statistics import Gaussian
from tests.split_by_split import assert_same_tree

SMALL = {"grace_period": 50, "delta": 0.01, "tau": 0.1}


def binary_rows(n=1000, low=0.0, high=1.0, seed=1):
    """The class depends on column 2, which has two values; column 0 is continuous."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[:, 2] = np.where(rng.random(n) < 0.3, high, low)
    y = (X[:, 2] == high) ^ (rng.random(n) < 0.1)
    return X, y.astype(int)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-3.0, 4.5), (1e6, 1e6 + 1), (1e-9, 3e-9)])
@pytest.mark.parametrize("cuts", ["bins", "delayed", "combined"])
def test_a_column_of_two_values_is_split_in_the_middle(cuts, low, high):
    X, y = binary_rows(low=low, high=high)
    tree = rp.HoeffdingTree(cuts=cuts, **SMALL).fit(X, y)
    assert float(inside.snapshot(tree)["threshold"][0]) == low + (high - low) / 2
    assert tree.splits()[0].cut == f"x2 <= {low + (high - low) / 2:.6g}"


def test_a_third_value_leaves_the_threshold_where_it_was():
    X, y = binary_rows()
    X[7, 2] = 0.25  # a class has three values now
    tree = rp.HoeffdingTree(**SMALL).fit(X, y)
    threshold = float(inside.snapshot(tree)["threshold"][0])
    assert threshold * 11 == pytest.approx(round(threshold * 11))
    assert threshold != 0.5


def test_a_missing_value_changes_nothing():
    X, y = binary_rows()
    X[::5, 2] = np.nan
    tree = rp.HoeffdingTree(**SMALL).fit(X, y)
    assert float(inside.snapshot(tree)["threshold"][0]) == 0.5


def test_each_class_may_have_two_values_of_its_own():
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, size=600)
    X = rng.normal(size=(600, 2))
    X[:, 1] = np.where(y == 0, rng.choice([0.0, 1.0], 600), rng.choice([4.0, 6.0], 600))
    tree = rp.HoeffdingTree(**SMALL).fit(X, y)
    assert float(inside.snapshot(tree)["threshold"][0]) == 2.5


def gaussian(values):
    found = Gaussian()
    for x in values:
        found.update(x)
    return found


def test_the_reference_worked_by_hand():
    two = {0: gaussian([0, 0, 1]), 1: gaussian([1, 1])}
    assert midpoint(two, 0.27) == 0.5
    assert midpoint(two, 1.0) is None  # nothing is above it
    assert midpoint({0: gaussian([0, 1, 2])}, 0.27) is None
    assert midpoint({0: gaussian([0, 2]), 1: gaussian([3, 7])}, 2.1) == 2.5
    # One of 1,001 values lies between: 0.25 / 1,001 is more than 1e-9.
    assert midpoint({0: gaussian([0, 1] * 500 + [0.5])}, 0.27) is None


@pytest.mark.parametrize("seed", range(5))
def test_every_example_of_the_leaf_stays_on_its_side(seed):
    rng = np.random.default_rng(seed)
    n = 2000
    X = np.column_stack([rng.choice(rng.normal(size=2), n) for _ in range(4)])
    y = (X[:, 0] > X[:, 0].mean()).astype(int) ^ (rng.random(n) < 0.15)
    tree = rp.HoeffdingTree(**SMALL).fit(X, y)
    arrays = inside.snapshot(tree)
    inner = arrays["feature"] >= 0
    assert inner.any()
    for feature, threshold in zip(
        arrays["feature"][inner], arrays["threshold"][inner], strict=True
    ):
        low, high = np.unique(X[:, feature])
        assert threshold == low + (high - low) / 2


def flags(rng, n):
    """Four columns of two values and a continuous one; missing values and weights."""
    X = np.column_stack([*(rng.random((4, n)) < [[0.2], [0.5], [0.7], [0.9]]), rng.normal(size=n)])
    X[:, 1] = 10.0 + 3.0 * X[:, 1]
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 11)).astype(int) + (X[:, 4] > 1.0)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y, rng.choice([0.25, 1.0, 2.0, 3.5], n), [False] * 5


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"cuts": "delayed", "inherit_counts": "count"},
        {"cuts": "combined", "impurity": "gini", "leaf": "majority"},
        {"cuts": "intersections", "impurity": "misclassification", "clip_to_range": False},
        {"variance": "population", "runner_up": "cut"},
    ],
    ids=lambda o: o.get("cuts", "bins") + "-" * ("variance" in o),
)
def test_the_tree_is_the_reference_tree(options):
    model, _ = assert_same_tree(rp.HoeffdingTree, SMALL | options, flags, 1200)
    arrays = inside.snapshot(model)
    two = np.isin(arrays["feature"], range(4)) & (arrays["test"] != 0)
    assert two.sum() > 1
    middles = {0: 0.5, 1: 11.5, 2: 0.5, 3: 0.5}
    for feature, threshold in zip(arrays["feature"][two], arrays["threshold"][two], strict=True):
        assert threshold == middles[int(feature)]
