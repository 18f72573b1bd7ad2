"""After every example, and every one forgotten, the tree is that of the batch learner."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import riparian as rp
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside
from tests.reference.restructuring import id3, iti
from tests.whole_trees import as_examples, tree_of

NAN = math.nan


@st.composite
def categories(draw, most=60):
    """Random tables of two to six attributes with noise, as the specification has it."""
    n = draw(st.integers(1, most))
    d, values, classes = draw(st.integers(2, 6)), draw(st.integers(2, 4)), draw(st.integers(2, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.integers(0, values, size=(n, d))
    y = (X[:, 0] * (X[:, 1] > 0) + X[:, -1] * (X[:, 0] > 1)) % classes
    noisy = rng.random(n) < draw(st.sampled_from([0.0, 0.1, 0.2]))
    y[noisy] = rng.integers(0, classes, noisy.sum())
    rows = [[f"v{v}" for v in row] for row in X]
    for _ in range(draw(st.integers(0, 4))):
        rows[int(rng.integers(n))][int(rng.integers(d))] = None
    return rows, y.tolist()


@st.composite
def mixtures(draw, most=60):
    """Numbers with few and with many values, categories, gaps and weights."""
    n = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    grid = draw(st.sampled_from([2, 5, 1000]))
    numbers = rng.integers(0, grid, size=(n, 2)) / 4 + draw(st.sampled_from([0.0, 1e9]))
    word = rng.choice(["a", "b", "c"], n)
    y = (numbers[:, 0] > np.median(numbers[:, 0])).astype(int) + (word == "b")
    noisy = rng.random(n) < draw(st.sampled_from([0.0, 0.2]))
    y[noisy] = rng.integers(0, 3, noisy.sum())
    gaps = rng.random((n, 3)) < draw(st.sampled_from([0.0, 0.1]))
    first, second = (np.where(gaps[:, f], NAN, numbers[:, f // 2]).tolist() for f in (0, 2))
    words = [None if gap else w for gap, w in zip(gaps[:, 1], word.tolist(), strict=True)]
    rows = list(zip(first, words, second, strict=True))
    w = rng.choice([1.0, 0.25, 3.0], n) if draw(st.booleans()) else np.ones(n)
    return rows, y.tolist(), w.tolist()


@settings(max_examples=60, deadline=None)
@given(categories())
def test_id5r_is_id3_after_every_example(data):
    X, y = data
    model, batch = rp.ID5R(), rp.ID3()
    for n in range(1, len(y) + 1):
        row = np.array([X[n - 1]], dtype=object)
        model.partial_fit(row, y[n - 1 : n])
        batch.partial_fit(row, y[n - 1 : n])
        assert tree_of(model) == tree_of(batch)
        if n % 7 == 0 or n == len(y):
            want = id3(as_examples(X[:n], y[:n]), list(range(len(X[0]))))
            assert tree_of(model) == want


@settings(max_examples=40, deadline=None)
@given(categories(), st.integers(1, 30))
def test_id5r_with_a_window_is_id3_over_the_window(data, window):
    X, y = data
    model = rp.ID5R(max_examples=window)
    for n in range(1, len(y) + 1):
        model.partial_fit(np.array([X[n - 1]], dtype=object), y[n - 1 : n])
        first = max(0, n - window)
        want = id3(as_examples(X[first:n], y[first:n]), list(range(len(X[0]))))
        assert tree_of(model) == want
        assert model.n_examples_ == n - first
        assert model.n_seen_ == n


@settings(max_examples=30, deadline=None)
@given(categories(most=40), st.integers(0, 2**32 - 1))
def test_the_order_of_the_examples_leaves_id5r_as_it_is(data, seed):
    X, y = data
    order = np.random.default_rng(seed).permutation(len(y))
    trees = [
        tree_of(rp.ID5R().partial_fit(np.array([X[i] for i in o], dtype=object), [y[i] for i in o]))
        for o in (range(len(y)), order)
    ]
    assert trees[0] == trees[1]


def mixed_iti(**parameters):
    return rp.ITI(categorical_features=[1], **parameters)


@pytest.mark.parametrize("metric", ["entropy", "gain-ratio"])
@settings(max_examples=40, deadline=None)
@given(data=mixtures())
def test_iti_is_its_batch_tree_after_every_example(metric, data):
    X, y, w = data
    model, batch = mixed_iti(metric=metric), mixed_iti(metric=metric, mode="batch")
    for n in range(1, len(y) + 1):
        row = np.array([X[n - 1]], dtype=object)
        for learner in (model, batch):
            learner.partial_fit(row, y[n - 1 : n], sample_weight=w[n - 1 : n])
        assert tree_of(model) == tree_of(batch)
    codes = {v: i for i, v in enumerate(inside.features(model)[1].categories)}
    coded = [[a, codes.get(b), c] for a, b, c in X]
    want = iti(as_examples(coded, y, w), [True, False, True], metric)
    assert named(want, list(codes)) == tree_of(model)


def named(tree, categories):
    """Codes back to values: ties go by the order of first appearance."""
    if tree[0] == "leaf":
        return tree
    test, counts, branches = tree
    if test[0] == "one":
        test = ("one", test[1], categories[test[2]])
    return (test, counts, {b: named(t, categories) for b, t in branches.items()})


@pytest.mark.parametrize("metric", ["entropy", "gain-ratio"])
@settings(max_examples=30, deadline=None)
@given(data=mixtures(), window=st.integers(1, 30))
def test_iti_with_a_window_is_the_batch_tree_over_the_window(metric, data, window):
    X, y, w = data
    model = mixed_iti(metric=metric, max_examples=window)
    batch = mixed_iti(metric=metric, max_examples=window, mode="batch")
    for n in range(1, len(y) + 1):
        row = np.array([X[n - 1]], dtype=object)
        for learner in (model, batch):
            learner.partial_fit(row, y[n - 1 : n], sample_weight=w[n - 1 : n])
        assert tree_of(model) == tree_of(batch)


@settings(max_examples=30, deadline=None)
@given(mixtures(), st.lists(st.integers(1, 60), max_size=4))
def test_a_lazy_tree_is_the_eager_one_whenever_it_is_asked(data, asked):
    X, y, w = data
    lazy, eager = mixed_iti(lazy=True), mixed_iti()
    for n in range(1, len(y) + 1):
        row = np.array([X[n - 1]], dtype=object)
        for learner in (lazy, eager):
            learner.partial_fit(row, y[n - 1 : n], sample_weight=w[n - 1 : n])
        if n in asked:
            assert tree_of(lazy) == tree_of(eager)
    assert tree_of(lazy) == tree_of(eager)


SETS = ["iris", "seeds", "ecoli"]


@pytest.fixture(params=SETS)
def small_set(request):
    return small(request.param)


def small(name):
    """A real set of numbers, in a random order."""
    from riparian_experiments import datasets

    try:
        X, y = datasets.load(name, as_="arrays", shuffle=1, download=False)
    except FileNotFoundError:
        pytest.skip("the real sets are not here (RIPARIAN_DATA)")
    return np.asarray(X), np.asarray(y)


@pytest.mark.parametrize("metric", ["entropy", "gain-ratio"])
def test_iti_is_its_batch_tree_on_real_sets(small_set, metric):
    X, y = small_set
    model, batch = rp.ITI(metric=metric), rp.ITI(metric=metric, mode="batch")
    for n in range(len(y)):
        model.partial_fit(X[n : n + 1], y[n : n + 1])
        batch.partial_fit(X[n : n + 1], y[n : n + 1])
        assert tree_of(model) == tree_of(batch)


def test_id5r_is_id3_on_real_sets(small_set):
    X, y = small_set
    edges = np.quantile(X, [0.2, 0.4, 0.6, 0.8], axis=0)
    bins = np.stack([np.searchsorted(edges[:, f], X[:, f]) for f in range(X.shape[1])], axis=1)
    model, batch = rp.ID5R(), rp.ID3()
    for n in range(len(y)):
        model.partial_fit(bins[n : n + 1], y[n : n + 1])
        batch.partial_fit(bins[n : n + 1], y[n : n + 1])
        assert tree_of(model) == tree_of(batch)


@pytest.mark.parametrize("metric", ["entropy", "gain-ratio"])
@pytest.mark.parametrize("window", [None, 500])
def test_bounds_of_many_blocks_hide_no_cut(metric, window):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(1_200, 3)).round(2)
    y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int)
    X[rng.random(X.shape) < 0.03] = np.nan
    model = rp.ITI(metric=metric, max_examples=window)
    batch = rp.ITI(metric=metric, max_examples=window, mode="batch")
    for n in range(len(y)):
        model.partial_fit(X[n : n + 1], y[n : n + 1])
        batch.partial_fit(X[n : n + 1], y[n : n + 1])
        if n % 100 == 99:
            assert tree_of(model) == tree_of(batch)


@pytest.mark.parametrize("make", [rp.ID3, rp.ID5R, rp.ITI, rp.ID4])
def test_a_loaded_tree_goes_on_as_if_nothing_had_happened(make):
    rng = np.random.default_rng(6)
    X = rng.integers(0, 3, size=(120, 4)).astype(str)
    y = (X[:, 0] == X[:, 1]).astype(int) ^ (rng.random(120) < 0.1)
    model, whole = make(), make()
    for n in range(len(y)):
        model.partial_fit(X[n : n + 1], y[n : n + 1])
        whole.partial_fit(X[n : n + 1], y[n : n + 1])
        model = from_bytes(to_bytes(model))
        assert tree_of(model) == tree_of(whole)
        assert to_bytes(model) == to_bytes(whole)
