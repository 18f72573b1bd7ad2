"""Constant memory: what a leaf remembers does not grow with the examples it saw."""

from __future__ import annotations

import numpy as np
import pytest


def rows(seed, n, n_features=8):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    y = (X[:, 0] + 0.3 * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    # With some noise every class soon comes to every leaf.
    return X, np.where(rng.random(n) < 0.1, rng.integers(0, 3, size=n), y)


def test_a_tree_of_limited_size_stops_growing_in_memory(recipe):
    model = recipe.eager(max_leaves=10)
    model.partial_fit(*rows(1, 20_000))
    assert model.n_leaves_ == 10
    before = model.memory_bytes_
    for seed in range(2, 11):
        model.partial_fit(*rows(seed, 20_000))
    assert model.n_seen_ == 200_000
    assert model.n_leaves_ == 10
    assert model.memory_bytes_ == before


def test_one_leaf_needs_the_same_for_a_thousand_and_a_million_examples(recipe):
    model = recipe(max_leaves=1)
    model.partial_fit(*rows(1, 1_000))
    before = model.memory_bytes_
    X, y = rows(2, 100_000)
    for _ in range(10):
        model.partial_fit(X, y)
    assert model.n_seen_ == 1_001_000
    assert model.n_leaves_ == 1
    assert model.memory_bytes_ == before


def test_missing_values_and_weights_need_no_more_once_they_were_met(recipe):
    def some(seed, n):
        X, y = rows(seed, n)
        rng = np.random.default_rng(seed)
        X[rng.random(X.shape) < 0.1] = np.nan
        return X, y, None, rng.uniform(0.1, 2.0, size=n)

    model = recipe.eager(max_leaves=6)
    model.partial_fit(*some(1, 20_000))
    before = model.memory_bytes_
    model.partial_fit(*some(2, 80_000))
    assert model.memory_bytes_ == before


def test_memory_grows_with_the_leaves_and_not_faster(recipe):
    small, large = recipe.eager(max_leaves=8), recipe.eager(max_leaves=32)
    for seed in range(4):
        X, y = rows(seed, 25_000)
        small.partial_fit(X, y)
        large.partial_fit(X, y)
    assert (small.n_leaves_, large.n_leaves_) == (8, 32)
    assert 2 < large.memory_bytes_ / small.memory_bytes_ < 6


def test_a_model_file_does_not_grow_with_the_examples(recipe, tmp_path):
    model = recipe.eager(max_leaves=10)
    sizes = []
    for seed in range(4):
        model.partial_fit(*rows(seed, 20_000))
        model.save(tmp_path / "model.rip")
        sizes.append((tmp_path / "model.rip").stat().st_size)
    assert len(set(sizes)) == 1


def test_new_categories_do_not_push_a_tree_over_its_leaves(recipe):
    rng = np.random.default_rng(5)
    word = np.array([f"w{i}" for i in rng.integers(0, 8, size=5_000)], dtype=object)
    y = np.isin(word, ["w1", "w2", "w5"]).astype(int)
    model = recipe.eager(max_leaves=9)
    model.partial_fit({"word": word, "noise": rng.normal(size=len(y))}, y)
    assert 2 <= model.n_leaves_ <= 9
    fresh = np.array([f"new{i}" for i in range(2_000)], dtype=object)
    model.partial_fit({"word": fresh, "noise": rng.normal(size=2_000)}, np.arange(2_000) % 2)
    assert model.n_leaves_ <= 9


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_a_limit_of_depth_or_leaves_is_kept(recipe, limit):
    X, y = rows(1, 30_000)
    leaves = recipe.eager(max_leaves=limit).partial_fit(X, y)
    depth = recipe.eager(max_depth=limit).partial_fit(X, y)
    assert leaves.n_leaves_ == limit
    assert depth.depth_ == limit
