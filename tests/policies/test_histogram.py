"""Streaming histograms: the formulas, the cuts of a tree, files and memory limits."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import riparian as rp
from riparian.statistics import Histogram as Policy
from tests.inside import core, restored, snapshot
from tests.reference.histogram import Histogram as Reference


def made(values, weights=None, n_bins=5):
    histogram = core.StreamingHistogram(n_bins)
    x = np.asarray(values, dtype=np.float64)
    histogram.update(x, np.ones(len(x)) if weights is None else np.asarray(weights, np.float64))
    return histogram


def reference(values, weights=None, n_bins=5):
    histogram = Reference(n_bins)
    for x, w in zip(values, np.ones(len(values)) if weights is None else weights, strict=True):
        histogram.update(float(x), float(w))
    return histogram


def assert_same(got, want):
    np.testing.assert_allclose(got.places, [p for p, _ in want.bins], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(got.weights, [m for _, m in want.bins], rtol=1e-12)
    assert (got.low, got.high, got.exact) == (want.low, want.high, want.exact)
    assert got.total == pytest.approx(want.total, rel=1e-12)


def test_the_vector_of_the_paper():
    histogram = made([23, 19, 10, 16, 36, 2, 9])
    assert histogram.places.tolist() == [2, 9.5, 17.5, 23, 36]
    assert histogram.weights.tolist() == [1, 2, 2, 1, 1]
    histogram.merge(made([32, 30, 45]))
    np.testing.assert_allclose(histogram.places, [2, 9.5, 58 / 3, 98 / 3, 45])
    assert histogram.weights.tolist() == [1, 2, 3, 3, 1]
    assert histogram.sum(15) == pytest.approx(3.275064637, abs=5e-10)
    np.testing.assert_allclose(histogram.uniform(3), [15.222890825, 28.962962963], atol=5e-10)


@pytest.mark.parametrize("n_bins", [2, 3, 8, 64])
@pytest.mark.parametrize("kind", ["normal", "few", "sorted", "weights"])
def test_bins_sums_and_parts_are_those_of_the_reference(kind, n_bins):
    rng = np.random.default_rng(n_bins)
    x = rng.normal(size=300)
    if kind == "few":
        x = rng.integers(0, 20, 300).astype(float)
    elif kind == "sorted":
        x = np.sort(x)
    w = rng.uniform(0.1, 3.0, 300) if kind == "weights" else None
    got, want = made(x, w, n_bins), reference(x, w, n_bins)
    assert_same(got, want)
    for b in (*rng.uniform(x.min() - 1, x.max() + 1, 50), x.min(), x.max()):
        assert got.sum(b) == pytest.approx(want.sum(b), rel=1e-9, abs=1e-9)
        assert got.at_or_below(b) == pytest.approx(want.at_or_below(b), rel=1e-9, abs=1e-9)
    for parts in (2, 7, n_bins):
        np.testing.assert_allclose(got.uniform(parts), want.uniform(parts), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_merging_is_that_of_the_reference_and_keeps_the_total(seed):
    rng = np.random.default_rng(seed)
    parts = [rng.normal(i, 1 + i, int(rng.integers(1, 90))) for i in range(4)]
    got, want = made(parts[0], n_bins=16), reference(parts[0], n_bins=16)
    for part in parts[1:]:
        got.merge(made(part, n_bins=16))
        want.merge(reference(part, n_bins=16))
        assert_same(got, want)
    every = np.concatenate(parts)
    assert got.total == len(every)
    assert (got.low, got.high) == (every.min(), every.max())


@pytest.mark.parametrize("n_bins", [16, 64])
def test_ranks_are_within_two_bins_for_any_number_of_parts(n_bins):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.normal(size=6000), rng.normal(8, 0.1, 4000)])
    rng.shuffle(x)
    for parts in (1, 2, 4, 8):
        histogram = core.StreamingHistogram(n_bins)
        for part in np.array_split(x, parts):
            histogram.merge(made(part, n_bins=n_bins))
        points = histogram.uniform(10)
        ranks = [(x <= u).mean() for u in points]
        np.testing.assert_allclose(ranks, np.arange(1, 10) / 10, atol=2 / n_bins)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(-(2.0**440), 2.0**440), min_size=1, max_size=40),
    st.integers(2, 9),
)
def test_huge_and_tiny_values_stay_sorted_and_finite(values, n_bins):
    histogram = made(values, n_bins=n_bins)
    assert np.isfinite(histogram.places).all()
    assert (np.diff(histogram.places) > 0).all()
    assert histogram.weights.sum() == histogram.total == len(values)
    points = histogram.uniform(n_bins)
    assert np.isfinite(points).all()
    assert (np.diff(points) > 0).all()
    sums = [histogram.sum(b) for b in sorted(values)]
    assert all(0 <= a <= b <= len(values) for a, b in itertools.pairwise(sums))


def rows(seed, n, n_values):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, n_values, size=(n, 3)).astype(float)
    X[rng.random(X.shape) < 0.05] = np.nan
    score = np.nan_to_num(X[:, 0]) - np.abs(np.nan_to_num(X[:, 1]) - n_values / 2)
    return X, (score + rng.normal(size=n) > 0).astype(int) + (np.nan_to_num(X[:, 2]) > n_values - 3)


@pytest.mark.parametrize("bound", ["hoeffding", "none"])
def test_with_a_bin_for_every_value_the_tree_is_the_exhaustive_one(bound):
    X, y = rows(0, 6000, 30)
    shared = {"bound": bound, "grace_period": 100, "delta": 0.01, "tau": 0.1, "max_depth": 6}
    trees = [rp.HoeffdingTree(statistics=s, **shared) for s in (Policy(n_bins=30), "exhaustive")]
    answers = [tree.prequential(X, y, proba=True)[1] for tree in trees]
    assert trees[0].n_leaves_ > 10
    np.testing.assert_array_equal(*answers)
    assert trees[0].export_text() == trees[1].export_text()
    assert [str(s) for s in trees[0].splits()] == [str(s) for s in trees[1].splits()]


def test_two_peaks_are_cut_where_gaussians_see_one():
    rng = np.random.default_rng(1)
    x = np.where(rng.random(8000) < 0.5, -3.0, 3.0) + rng.normal(scale=0.5, size=8000)
    y = (np.abs(x) > 3.0).astype(int)
    score = {
        s: rp.HoeffdingTree(statistics=s, leaf="majority").fit(x[:, None], y).score(x[:, None], y)
        for s in ("gaussian", "histogram")
    }
    assert score["histogram"] > 0.95
    assert score["histogram"] > score["gaussian"]


def test_files_and_a_limit_keep_the_histograms(tmp_path):
    X, y = rows(2, 5000, 500)
    model = rp.SPDT(statistics=Policy(n_bins=16), max_bytes="150kB").partial_fit(X[:2500], y[:2500])
    assert model.memory_bytes_ <= 150_000
    model.save(tmp_path / "model.rip")
    loaded = rp.load(tmp_path / "model.rip")
    assert loaded.memory_bytes_ == model.memory_bytes_
    for one in (model, loaded):
        one.partial_fit(X[2500:], y[2500:])
        assert one.memory_bytes_ <= 150_000
    first, second = snapshot(model), snapshot(loaded)
    assert all((first[name] == second[name]).all() for name in first)


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        # Two classes and their codes; of the first one four places, four weights, and the range,
        # the total and whether it is exact.
        (0, 9.0, "watch: "),
        (2, 17.0, "watch: the classes of a feature are wrong"),
        (3, 5.0, "watch: "),
        (4, np.nan, "out of range"),
        (4, 1e9, "the bins are not sorted"),
        (9, 0.0, "a bin has no weight"),
        (14, 1e6, "the range of a histogram is wrong"),
        (15, -1e6, "the range of a histogram is wrong"),
        (16, 1.0, "the total of a histogram is wrong"),
        (17, 2.0, "lacks its range"),
    ],
)
def test_hostile_histograms_are_refused(place, value, message):
    x = np.random.default_rng(0).normal(size=(100, 1))
    model = rp.HoeffdingTree(statistics=Policy(n_bins=4)).partial_fit(x, np.arange(100) % 2)
    arrays = dict(snapshot(model))
    arrays["watch"] = arrays["watch"].copy()
    arrays["watch"][place] = value
    with pytest.raises(ValueError, match=message):
        restored(model, arrays)


def test_what_histograms_cannot_be_combined_with():
    with pytest.raises(ValueError, match="single values cannot be forgotten"):
        rp.HoeffdingTree(statistics="histogram", adaptation="window").partial_fit([[1.0]], [0])
    with pytest.raises(ValueError, match="n_bins"):
        rp.HoeffdingTree(statistics=Policy(n_bins=1)).partial_fit([[1.0]], [0])


def test_the_guarantee_names_what_no_bound_means():
    X, y = rows(4, 3000, 30)
    without = rp.SPDT(max_depth=3).fit(X, y)
    assert {s.reason for s in without.splits()} == {"round"}
    assert "There is no bound" in without.guarantee()
    assert "made without a bound" in without.guarantee()
    assert "without a bound" in str(without.splits()[0])
    bounded = rp.SPDT(max_depth=3, bound="hoeffding", delta=0.1, tau=0.2).fit(X, y)
    assert "round" not in {s.reason for s in bounded.splits()}
    assert "Hoeffding" in bounded.guarantee()
