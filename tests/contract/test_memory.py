"""Constant memory: what a leaf remembers does not grow with the examples it saw."""

from __future__ import annotations

import numpy as np
import pytest

from tests.contract.matrix import where


def rows(seed, n, n_features=8):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    y = (X[:, 0] + 0.3 * X[:, 1] > 0).astype(int) + (X[:, 2] > 1)
    # With some noise every class soon comes to every leaf.
    return X, np.where(rng.random(n) < 0.1, rng.integers(0, 3, size=n), y)


#: Calls a tie wherever a gain is seen, so that the widest bound splits too.
HURRIED = {"tau": 1e3}


constant = where(
    lambda recipe: recipe.has_constant_memory,
    "the memory of others grows as documented; see below, and tests/recipes/test_cvfdt.py",
)


def settled(model, batches):
    """Learns until a batch has brought no leaf; gives the leaves and the bytes then."""
    leaves = None
    for batch in batches:
        leaves = model.n_leaves_ if leaves is not None else -1
        model.partial_fit(*batch)
        if leaves == model.n_leaves_:
            return leaves, model.memory_bytes_
    pytest.fail(f"{model.n_leaves_} leaves, and still growing")


def replaced(model):
    """How many certificates of splits a tree keeps that it no longer has."""
    return len(model.splits(history=True)) - len(model.splits())


@constant
def test_a_tree_of_limited_size_stops_growing_in_memory(recipe):
    model = recipe.eager(max_leaves=10, **HURRIED)
    leaves, before = settled(model, (rows(seed, 20_000) for seed in range(1, 8)))
    assert 2 <= leaves <= 10
    for seed in range(10, 15):
        model.partial_fit(*rows(seed, 20_000))
        if model.n_leaves_ > leaves:
            leaves, before = settled(model, (rows(seed + 10 * i, 20_000) for i in range(1, 8)))
        assert model.n_leaves_ <= 10
        # What it changed is remembered, and the certificates that it replaced: 500 of each.
        log = 200 * sum(model.change_counts().values()) + 400 * replaced(model)
        assert before <= model.memory_bytes_ <= before + min(log, 300_000)


@constant
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


@where(
    lambda recipe: not (recipe.keeps_errors or recipe.forgets),
    "windows of errors grow with the examples; a window of examples grows until it is full",
)
def test_values_that_were_met_before_need_no_more(recipe):
    X, y = rows(1, 3_000, 3)
    model = recipe(max_leaves=1)
    model.partial_fit(X, y)
    before = model.memory_bytes_
    for _ in range(3):
        model.partial_fit(X, y)
    assert model.memory_bytes_ == before


@where(lambda recipe: recipe.keeps_errors, "others keep no windows of errors")
def test_windows_of_errors_grow_with_the_logarithm(recipe):
    model = recipe(max_leaves=1)
    model.partial_fit(*rows(1, 1_000))
    before = model.memory_bytes_
    X, y = rows(2, 100_000)
    for _ in range(10):
        model.partial_fit(X, y)
    # A thousand times as long a window has ten more rows of five buckets, 16 bytes each.
    assert before < model.memory_bytes_ <= before + 10 * 5 * 16 + 128


@where(lambda recipe: recipe.statistics == "intervals", "others keep no intervals")
def test_intervals_keep_no_more_points_than_they_say(recipe):
    model = recipe(max_leaves=1)
    for seed in range(6):
        model.partial_fit(*rows(seed, 20_000, 3))
    # Three features, 10,000 points each, at most 18 bytes a point and a quarter to spare.
    assert model.memory_bytes_ < 3 * 10_000 * 18 * 1.25 + 100_000


@constant
def test_missing_values_and_weights_need_no_more_once_they_were_met(recipe):
    def some(seed, n):
        X, y = rows(seed, n)
        rng = np.random.default_rng(seed)
        X[rng.random(X.shape) < 0.1] = np.nan
        return X, y, None, rng.uniform(0.1, 2.0, size=n)

    model = recipe.eager(max_leaves=6, **HURRIED)
    leaves, before = settled(model, (some(seed, 20_000) for seed in range(1, 8)))
    for seed in range(10, 20):
        model.partial_fit(*some(seed, 30_000))
        if model.n_leaves_ == leaves:
            break
        leaves, before = model.n_leaves_, model.memory_bytes_
    assert model.n_leaves_ == leaves
    # The certificates of replaced splits are remembered, the last 500.
    assert before <= model.memory_bytes_ <= before + 400 * replaced(model)


@constant
def test_memory_grows_with_the_leaves_and_not_faster(recipe):
    small = recipe.eager(max_leaves=8, **HURRIED)
    large = recipe.eager(max_leaves=32, **HURRIED)
    for seed in range(3):
        X, y = rows(seed, 20_000)
        small.partial_fit(X, y)
        large.partial_fit(X, y)
    assert small.n_leaves_ <= 8
    assert large.n_leaves_ <= 32
    more = large.n_leaves_ / small.n_leaves_
    assert 0.5 * more < large.memory_bytes_ / small.memory_bytes_ < 1.5 * more


@constant
def test_a_model_file_does_not_grow_with_the_examples(recipe, tmp_path):
    model = recipe.eager(max_leaves=10, **HURRIED)
    sizes = {}
    for seed in range(4):
        model.partial_fit(*rows(seed, 20_000))
        model.save(tmp_path / "model.rip")
        size = (tmp_path / "model.rip").stat().st_size
        sizes.setdefault(model.n_leaves_, []).append(size)
    # The leaders of a paired test may be other cuts.
    for of_one_tree in sizes.values():
        assert max(of_one_tree) <= 1.05 * min(of_one_tree)


def test_new_categories_do_not_push_a_tree_over_its_leaves(recipe):
    rng = np.random.default_rng(5)
    word = np.array([f"w{i}" for i in rng.integers(0, 8, size=5_000)], dtype=object)
    y = np.isin(word, ["w1", "w2", "w5"]).astype(int)
    model = recipe.eager(max_leaves=9, **HURRIED)
    model.partial_fit({"word": word, "noise": rng.normal(size=len(y))}, y)
    assert 2 <= model.n_leaves_ <= 9
    fresh = np.array([f"new{i}" for i in range(2_000)], dtype=object)
    model.partial_fit({"word": fresh, "noise": rng.normal(size=2_000)}, np.arange(2_000) % 2)
    assert model.n_leaves_ <= 9


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_a_limit_of_depth_or_leaves_is_kept(recipe, limit):
    X, y = rows(1, 5_000 if recipe.slow else 20_000)
    leaves = recipe.eager(max_leaves=limit, **HURRIED).partial_fit(X, y)
    depth = recipe.eager(max_depth=limit, **HURRIED).partial_fit(X, y)
    assert min(limit, 2) <= leaves.n_leaves_ <= limit
    assert 1 <= depth.depth_ <= limit
