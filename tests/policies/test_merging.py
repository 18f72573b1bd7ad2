"""Summaries of rows: merged and taken apart, against two passes over the rows themselves."""

import numpy as np
import pytest
from reference.statistics import Gaussian, moments

from tests import inside

CATEGORICAL = [False, True, False]


def rows(n, seed, offset=0.0, missing=0.1, classes=3, categories=5):
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [
            offset + rng.normal(size=n),
            rng.integers(0, categories, n),
            rng.exponential(size=n) * 10.0 ** rng.integers(-3, 4, n),
        ]
    )
    X[rng.random(X.shape) < missing] = np.nan
    return X, rng.integers(0, classes, n), rng.choice([0.25, 1.0, 2.5], n)


def summary(X, y, w, categorical=CATEGORICAL):
    made = inside.core.Summary(categorical)
    columns = []
    for f, kind in enumerate(categorical):
        x = X[:, f]
        codes = np.where(np.isnan(x), -1, x).astype(np.int32)
        columns.append(codes if kind else np.ascontiguousarray(x))
    batch = inside.core.Batch.of_columns(len(y), columns)
    made.learn(batch, y.astype(np.int32), w.astype(float))
    return made


def assert_is_of(made, X, y, w, *, hull=False, rel=1e-9):
    """Every number is that of the rows, to 1e-9 of its size.

    At an offset of 1e9 a mean has steps of 1e-7, and squares are known to 1e-6 only, merged or not.
    """
    got = made.arrays()
    for k in range(len(got["counts"])):
        assert got["counts"][k] == w[y == k].sum()
        for place, f in enumerate([0, 2]):
            here = (y == k) & ~np.isnan(X[:, f])
            weight, mean, squares = moments(X[here, f], w[here])
            assert got["known"][k, place] == weight
            spread = np.sqrt(squares / weight) if weight else 0.0
            assert got["mean"][k, place] == pytest.approx(mean, rel=1e-15, abs=rel * spread)
            assert got["squares"][k, place] == pytest.approx(squares, rel=rel)
            if weight:
                low, high = X[here, f].min(), X[here, f].max()
                if hull:
                    assert got["low"][k, place] <= low
                    assert got["high"][k, place] >= high
                else:
                    assert (got["low"][k, place], got["high"][k, place]) == (low, high)
        for v in range(got["cells"][0].shape[1]):
            assert got["cells"][0][k, v] == w[(y == k) & (X[:, 1] == v)].sum()


@pytest.mark.parametrize("missing", [0.0, 0.1])
@pytest.mark.parametrize("offset", [0.0, 1e9, -1e9])
def test_a_merger_is_that_of_all_rows_and_can_be_undone(offset, missing):
    a, b = rows(800, 1, offset, missing), rows(500, 2, offset + 3.0, missing)
    rel = 1e-9 if offset == 0.0 else 1e-6
    merged = summary(*a)
    merged.merge(summary(*b))
    assert_is_of(merged, *(np.concatenate(pair) for pair in zip(a, b, strict=True)), rel=rel)
    merged.downdate(summary(*b))
    assert_is_of(merged, *a, hull=True, rel=rel)


def gaussian(arrays, k, f):
    made = Gaussian()
    made.weight, made.mean = arrays["known"][k, f], arrays["mean"][k, f]
    made.m2, made.low, made.high = (arrays[name][k, f] for name in ("squares", "low", "high"))
    return made


@pytest.mark.parametrize("offset", [0.0, 1e9, -1e9])
def test_moments_are_merged_by_the_formula_of_chan(offset):
    a, b = summary(*rows(800, 1, offset)), summary(*rows(500, 2, offset + 3.0))
    parts = a.arrays(), b.arrays()
    a.merge(b)
    merged = a.arrays()
    for k in range(3):
        for f in range(2):
            want = gaussian(parts[0], k, f).merge(gaussian(parts[1], k, f))
            got = gaussian(merged, k, f)
            assert (got.weight, got.low, got.high) == (want.weight, want.low, want.high)
            assert got.mean == pytest.approx(want.mean, rel=1e-15)
            assert got.m2 == pytest.approx(want.m2, rel=1e-9)


def test_many_small_mergers_are_as_exact_as_one():
    X, y, w = rows(3000, 3, 1e9)
    merged = inside.core.Summary(CATEGORICAL)
    for start in range(0, 3000, 17):
        part = slice(start, start + 17)
        merged.merge(summary(X[part], y[part], w[part]))
    assert_is_of(merged, X, y, w, rel=1e-6)


def test_other_classes_categories_and_features_find_their_room():
    X, y, w = rows(600, 4, classes=2, categories=2)
    more = rows(600, 5, classes=9, categories=40)
    few = summary(X[:, :1], y, w, [False])
    both = (np.concatenate([np.column_stack([X[:, :1], np.full((600, 2), np.nan)]), more[0]]),)
    both += tuple(np.concatenate(pair) for pair in zip((y, w), more[1:], strict=True))
    one = summary(*more)
    one.merge(few)
    assert_is_of(one, *both)
    other = summary(X[:, :1], y, w, [False])
    other.merge(summary(*more))
    assert_is_of(other, *both)
    one.downdate(few)
    assert_is_of(one, *more, hull=True)
    other.downdate(summary(*more))
    assert other.arrays()["counts"].tolist()[:2] == [w[y == k].sum() for k in (0, 1)]
    assert not other.arrays()["cells"][0].any()


def test_a_fixed_order_gives_the_same_bits():
    parts = [rows(300, seed, 1e6) for seed in range(5)]
    made = []
    for _ in range(2):
        merged = inside.core.Summary(CATEGORICAL)
        for part in parts:
            merged.merge(summary(*part))
        made.append(merged.arrays())
    for name in ("counts", "known", "mean", "squares", "low", "high"):
        assert made[0][name].tobytes() == made[1][name].tobytes()


def test_taking_away_everything_leaves_nothing_and_learning_goes_on():
    a, b = rows(300, 6), rows(200, 7)
    made = summary(*a)
    made.downdate(summary(*a))
    arrays = made.arrays()
    assert not any(arrays[name].any() for name in ("counts", "known", "mean", "squares"))
    made.merge(summary(*b))
    assert_is_of(made, *b)


def test_what_was_never_there_cannot_be_taken_away():
    a, b = rows(300, 8), rows(900, 9)
    made = summary(*a)
    before = {name: np.asarray(x).tobytes() for name, x in made.arrays().items() if name != "cells"}
    with pytest.raises(ValueError, match="more weight is taken away than there is"):
        made.downdate(summary(*b))
    after = {name: np.asarray(x).tobytes() for name, x in made.arrays().items() if name != "cells"}
    assert before == after
    with pytest.raises(ValueError, match="feature 0 has another kind"):
        made.merge(inside.core.Summary([True]))
    with pytest.raises(ValueError, match="cannot be merged with itself"):
        made.merge(made)
