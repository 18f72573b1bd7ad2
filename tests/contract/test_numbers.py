"""Numbers stay sane: offsets, outliers, tiny and huge values, and noise that is only noise."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import riparian as rp
from riparian.models.forests.ensemble import Ensemble
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside
from tests.contract.matrix import where

# Steps of 2^-10 are exact at 1e9 too, so that a shifted stream is the same stream.
STEP = 2.0**-10


def on_a_grid(values):
    return np.round(values / STEP) * STEP


def stream(n=20_000, seed=1):
    rng = np.random.default_rng(seed)
    X = on_a_grid(rng.normal(size=(n, 3)))
    y = (X[:, 0] > 0.5).astype(int) + (X[:, 1] > 0) * (X[:, 0] <= 0.5)
    noisy = rng.random(n) < 0.05
    y[noisy] = rng.integers(0, 2, size=noisy.sum())
    return X, y


def cuts(model):
    """Where each split is: its node, its feature and its threshold."""
    nodes = inside.nodes(model)
    inner = np.flatnonzero(nodes["test"])
    return inner, nodes["feature"][inner], nodes["threshold"][inner]


@pytest.mark.parametrize("offset", [1e9, -1e9, 1.7e9])
def test_a_large_offset_shifts_the_cuts_and_nothing_else(recipe, offset):
    X, y = stream()
    plain, shifted = recipe.eager(max_depth=6), recipe.eager(max_depth=6)
    right = np.mean(plain.prequential(X, y) == y)
    right_shifted = np.mean(shifted.prequential(X + offset, y) == y)
    assert right > 0.75
    assert abs(right - right_shifted) < 0.005

    first = slice(0, 3)  # deeper ones may differ where two gains are almost equal
    node, feature, threshold = (c[first] for c in cuts(plain))
    node_shifted, feature_shifted, threshold_shifted = (c[first] for c in cuts(shifted))
    np.testing.assert_array_equal(node_shifted, node)
    np.testing.assert_array_equal(feature_shifted, feature)
    np.testing.assert_allclose(threshold_shifted - offset, threshold, atol=1e-3)
    for a, b in zip(plain.splits()[first], shifted.splits()[first], strict=True):
        assert a.seen == b.seen
        assert b.gain == pytest.approx(a.gain, abs=1e-5)
        np.testing.assert_allclose(b.branches, a.branches, rtol=1e-5)


@where(
    lambda recipe, scale: scale > 1.0 or inside.axes(recipe())["variance"] != "population",
    "the population variance has a floor, as published",
)
@pytest.mark.parametrize("scale", [2.0**-60, 2.0**60, 2.0**400, 2.0**-400])
def test_the_unit_of_a_feature_does_not_matter(recipe, scale):
    X, y = stream(8_000)
    plain = recipe.eager().partial_fit(X, y)
    scaled = recipe.eager().partial_fit(X * scale, y)
    assert plain.n_leaves_ > 3
    for a, b in zip(cuts(plain), cuts(scaled), strict=True):
        np.testing.assert_allclose(b / scale if b.dtype == np.float64 else b, a)
    np.testing.assert_array_equal(scaled.predict(X * scale), plain.predict(X))


def has_bound(recipe):
    """Whether a bound decides about splits."""
    return inside.axes(recipe())["bound"] != rp.bounds.NoBound()


def gains_from_any_cut(recipe):
    """Whether a cut that leaves the majority on both sides as it was may have a gain."""
    axes = inside.axes(recipe())
    if recipe.races:  # the Gaussians offer no other cut, and this one has no gain to certify
        return False
    strict = axes["impurity"].name in ("entropy", "gini", "kearns-mansour")
    return strict and axes["cuts"].name != "qda"


@where(
    gains_from_any_cut,
    "a cut between an outlier and all the rest gains nothing elsewhere, and there is no other cut",
)
def test_a_first_value_that_is_an_outlier_does_no_harm(recipe):
    X, y = stream(30_000)
    outlying = X.copy()
    outlying[0] = 1e12
    plain, struck = recipe.eager(), recipe.eager()
    right = np.mean(plain.prequential(X, y) == y)
    right_struck = np.mean(struck.prequential(outlying, y)[1:] == y[1:])
    assert right > 0.9
    # The range of the first leaf holds the outlier; its children never see it.
    assert right_struck > right - 0.02


@where(lambda recipe: recipe.knows(10_000), "it must remember all of them")
def test_the_variance_is_right_after_an_outlier_and_beside_it(recipe):
    rng = np.random.default_rng(2)
    x = rng.normal(size=2_000)
    x[0] = 1e12
    model = recipe(max_leaves=1).partial_fit(np.c_[x, 1e9 + x], np.zeros(2_000, dtype=int))
    statistics = inside.snapshot(model)["gaussian"].reshape(4, 2)
    mean, squares, low, high = statistics
    np.testing.assert_allclose(mean, [x.mean(), 1e9 + x.mean()], rtol=1e-12)
    np.testing.assert_allclose(squares, np.var(x) * 2_000, rtol=1e-9)
    np.testing.assert_array_equal(low, [x.min(), (1e9 + x).min()])
    np.testing.assert_array_equal(high, [x.max(), (1e9 + x).max()])


EXTREMES = {
    "the largest numbers": [1.7976931348623157e308, -1.7976931348623157e308, 1e308, -1e308],
    "large and small": [1e308, -1e308, 0.0, 1.0, -1e-308],
    "denormals": [5e-324, -5e-324, 2.2e-308, 1e-310, 0.0],
    "squares that overflow": [1e160, -1e160, 3e154, 1e170],
    "squares that vanish": [1e-170, -1e-170, 1e-162, 0.0],
    "one value": [1e308],
    "one denormal": [5e-324],
    "two neighbours": [1.0, np.nextafter(1.0, 2.0)],
    "two large neighbours": [1e300, np.nextafter(1e300, 2e300)],
    "zeros of both signs": [0.0, -0.0],
}


def extreme_rows(case, n=2_000):
    rng = np.random.default_rng(3)
    X = np.c_[rng.choice(EXTREMES[case], size=(n, 2)), rng.normal(size=n)]
    y = np.where(X[:, 2] > 0, "a", "b")
    y[rng.random(n) < 0.2] = "c"
    return X, y


def assert_sane(probabilities):
    assert np.isfinite(probabilities).all()
    assert (probabilities >= 0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-12)


@pytest.mark.parametrize("case", EXTREMES)
def test_extreme_values_give_no_infinity_and_no_nan(model, case, fingerprint):
    X, y = extreme_rows(case, model.enough(2_000))
    learned = model.eager()
    _, probabilities = learned.prequential(X, y, proba=True)
    assert_sane(probabilities[1:])
    asked = np.array([[a, b, 0.5] for a in EXTREMES[case] for b in EXTREMES[case]])
    assert_sane(learned.predict_proba(asked))
    # And values unlike all that was learned.
    assert_sane(learned.predict_proba([[1e308, -1e308, 1e308], [5e-324, 0.0, -1e308]]))
    splits = learned.splits() if hasattr(learned, "splits") else []
    for split in itertools.chain(*splits) if isinstance(learned, Ensemble) else splits:
        assert np.isfinite([split.gain, split.runner_up_gain, split.epsilon, split.gap]).all()
        assert np.isfinite(split.branches).all()
    assert np.isfinite(getattr(learned, "feature_importances_", 0.0)).all()
    assert all(np.isfinite(p.gain) for p in getattr(learned, "pending", list)())
    # What a model can learn, a model file can hold.
    assert fingerprint(from_bytes(to_bytes(learned))) == fingerprint(learned)


def test_extreme_values_do_not_hide_what_tells_the_classes_apart(recipe):
    X, _ = extreme_rows("large and small", 10_000)
    y = np.where(X[:, 2] > 0, "a", "b")
    model = recipe.eager()
    answers = model.prequential(X, y)
    assert model.splits()[0].feature == "x2"
    assert np.mean(answers[2_000:] == y[2_000:]) > 0.9


@pytest.mark.parametrize("weight", [5e-324, 1e-300, 1e-9, 1e9, 2.0**52])
def test_extreme_weights_give_no_infinity_and_no_nan(model, weight, fingerprint):
    weight = min(weight, model.heaviest)
    n = min(500, model.enough(2_000))
    X, y = stream(n)
    w = np.random.default_rng(1).choice([weight, 1.0], size=n)
    learned = model.eager()
    _, probabilities = learned.prequential(X, y, w, proba=True)
    assert_sane(probabilities[1:])
    assert_sane(learned.predict_proba(X))
    assert fingerprint(from_bytes(to_bytes(learned))) == fingerprint(learned)


def test_counts_are_exact(recipe):
    heavy = min(2.0**52, np.floor(recipe.heaviest))
    model = recipe(max_leaves=1)
    model.partial_fit([[0.0], [1.0]], ["a", "b"], sample_weight=[heavy, 1.0])
    model.partial_fit([[0.0]] * 3, ["a", "b", "b"])
    counts = inside.nodes(model)["counts"][0]
    assert counts.tolist() == [heavy + 1, 3.0]


def test_the_heaviest_weight_is_the_heaviest(recipe):
    model = recipe()
    model.partial_fit([[0.0], [1.0]], ["a", "b"], sample_weight=[recipe.heaviest, 1.0])
    with pytest.raises(ValueError, match="sample_weight, row 1: "):
        model.partial_fit([[0.0]] * 2, ["a", "b"], sample_weight=[1.0, recipe.heaviest + 1.0])


@where(has_bound, "it splits without a bound")
@where(lambda recipe: recipe.knows(50_000), "it must remember all of them")
@pytest.mark.parametrize("seed", range(4))
def test_noise_is_never_split_by_the_bound(recipe, seed):
    rng = np.random.default_rng(seed)
    n = 10_000 if recipe.slow else 50_000
    X = {f"noise{i}": rng.normal(size=n) for i in range(6)}
    X["skewed"] = rng.exponential(size=n)
    X["constant"] = np.ones(n)
    X["binary"] = rng.integers(0, 2, size=n).astype(float)
    X["word"] = rng.choice(np.array(["red", "green", "blue", "grey"], dtype=object), size=n)
    y = rng.integers(0, 2 + seed, size=n)
    model = recipe(tau=0).partial_fit(X, y)
    assert model.n_leaves_ == 1
    assert model.splits() == []
    (leaf,) = model.pending()
    assert leaf.n == n
    assert leaf.gap < leaf.epsilon


@pytest.mark.parametrize("impurity", ["entropy", "gini"])
@pytest.mark.parametrize("runner_up", ["feature", "cut"])
def test_noise_is_never_split_with_any_rule(impurity, runner_up):
    rng = np.random.default_rng(11)
    X = rng.normal(size=(50_000, 10))
    y = rng.integers(0, 2, size=50_000)
    model = rp.HoeffdingTree(
        tau=0, impurity=impurity, runner_up=runner_up, categorical_cuts="both", leaf="majority"
    )
    assert model.partial_fit(X, y).n_leaves_ == 1


@where(has_bound, "it splits without a bound")
@where(
    lambda recipe: inside.axes(recipe())["leaf_features"] is None,
    "a root that tracks some features only may not track the signal",
)
def test_a_signal_in_the_same_noise_is_split(recipe):
    rng = np.random.default_rng(12)
    X = rng.normal(size=(50_000, 8))
    y = np.where(rng.random(50_000) < 0.9, X[:, 3] > 0, rng.random(50_000) < 0.5).astype(int)
    model = recipe(tau=0).partial_fit(X, y)
    if not model.splits():
        # McDiarmid's bound asks for millions of examples: it is wider than any gain of two classes.
        (leaf,) = model.pending()
        assert leaf.feature == "x3"
        assert leaf.epsilon > 1.0
        return
    first = model.splits()[0]
    assert first.feature == "x3"
    if recipe.races:
        assert first.reason == "better"
        assert first.evidence >= -np.log(first.delta)
        return
    assert first.reason == "bound"
    assert first.gap > first.epsilons * first.epsilon
