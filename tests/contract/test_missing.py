"""Missing is normal: NaN, None and an absent key are one thing, and cost almost nothing."""

from __future__ import annotations

import numpy as np
import pytest

from tests import inside
from tests.contract.matrix import where

NAN = float("nan")


def stream(n=40_000, seed=1):
    """Classes that one feature separates; the others are noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    return X, np.where(X[:, 2] > 0.25, "above", "below")


def accuracy(model, X, y):
    return np.mean(model.prequential(X, y)[5_000:] == y[5_000:])


def with_gaps(X, share, seed=2):
    gaps = np.random.default_rng(seed).random(X.shape) < share
    return np.where(gaps, NAN, X), gaps


def test_five_percent_of_missing_values_cost_almost_no_accuracy(recipe):
    X, y = stream()
    holed, gaps = with_gaps(X, 0.05)
    whole = accuracy(recipe.eager(), X, y)
    assert whole > 0.9
    right = recipe.eager().prequential(holed, y) == y
    known = right[5_000:][~gaps[5_000:, 2]]
    # A row without the one feature that matters can only be guessed.
    assert whole - known.mean() < 0.015
    guessed = right[5_000:][gaps[5_000:, 2]]
    assert guessed.mean() > 0.5


def test_missing_values_in_what_does_not_matter_cost_nothing(recipe):
    X, y = stream()
    holed, _ = with_gaps(X, 0.05)
    holed[:, 2] = X[:, 2]
    assert abs(accuracy(recipe(), holed, y) - accuracy(recipe(), X, y)) < 0.005


def test_missing_categories_cost_almost_no_accuracy(recipe):
    rng = np.random.default_rng(3)
    n = 20_000
    job = rng.choice(np.array(["nurse", "smith", "cook", "clerk"], dtype=object), size=n)
    y = np.where(np.isin(job, ["nurse", "cook"]), "yes", "no")
    gaps = rng.random(n) < 0.05
    holed = job.copy()
    holed[gaps] = None
    X = {"job": holed, "age": rng.normal(size=n)}
    right = recipe.eager().prequential(X, y)[5_000:] == y[5_000:]
    assert right[~gaps[5_000:]].mean() > 0.99


def lopsided(n=3_000, seed=5):
    """A split at 0.7 that sends about 30 % above it."""
    x = np.random.default_rng(seed).uniform(size=n)
    return x, np.where(x > 0.7, "high", "low")


@where(lambda recipe: recipe.knows(3_000), "it must remember all of them")
def test_a_missing_number_goes_down_the_heavier_branch(recipe):
    x, y = lopsided()
    model = recipe.eager(max_depth=1).partial_fit({"x": x}, y)
    (split,) = model.splits()
    below, above = (sum(branch) for branch in split.branches)
    if inside.axes(recipe())["inherit_counts"] == "none":
        assert below == above == 0.0  # a certificate has no estimate either
    else:
        assert below > above > 0.0
    nodes = inside.nodes(model)
    assert nodes["heavy"][0] == 1
    for x_missing in ({"x": NAN}, {"x": None}, {}, {"x": 0.1}):
        last = model.explain_one(x_missing)[-1]
        assert last.node == 1
        assert model.predict_one(x_missing) == "low"
    assert model.explain_one({"x": 0.9})[-1].node == 2

    mirrored = recipe.eager(max_depth=1).partial_fit({"x": -x}, y)
    assert inside.nodes(mirrored)["heavy"][0] == 2
    assert mirrored.explain_one({"x": NAN})[-1].node == 2


def test_a_missing_category_goes_down_the_heavier_branch(recipe):
    rng = np.random.default_rng(5)
    job = rng.choice(np.array(["rare", "common", "odd"], dtype=object), 2_000, p=[0.2, 0.6, 0.2])
    y = np.where(job == "common", 1, 0)
    model = recipe.eager(max_depth=1).partial_fit({"job": job}, y)
    assert model.n_leaves_ == (
        2 if inside.axes(recipe())["categorical_cuts"] == "one-against-rest" else 3
    )
    common = model.explain_one({"job": "common"})[-1].node
    for missing in ({"job": None}, {"job": NAN}, {}):
        assert model.explain_one(missing)[-1].node == common
        assert model.predict_one(missing) == 1


@where(lambda recipe: recipe.knows(4_000), "it must remember all of them")
def test_a_row_with_a_missing_value_is_learned_in_the_heavier_branch(recipe):
    x, y = lopsided()
    model = recipe.eager(max_depth=1).partial_fit({"x": x}, y)
    before = inside.nodes(model)["counts"]
    model.partial_fit({"x": np.full(10, NAN)}, np.full(10, "high"))
    gained = inside.nodes(model)["counts"] - before
    high = list(model.classes_).index("high")
    want = np.zeros_like(gained)
    want[1, high] = 10
    want[0, high] = 10 if recipe.keeps else 0
    np.testing.assert_array_equal(gained, want)


@where(lambda recipe: recipe.knows(4_000), "it must remember all of them")
def test_a_missing_value_updates_nothing_of_its_feature(recipe):
    rng = np.random.default_rng(8)
    x, other = rng.uniform(size=(2, 1_000))
    y = rng.choice(["a", "b"], size=1_000)
    model = recipe(max_leaves=1).partial_fit({"x": x, "other": other}, y)
    holed = recipe(max_leaves=1)
    for i in range(1_000):
        holed.partial_fit({"x": x[[i]], "other": other[[i]]}, y[[i]])
        holed.partial_fit({"x": [NAN], "other": [0.5]}, ["a"])
    # The cuts of x lie where they lay, and x is as far from noise as it was.
    mine, theirs = model.pending()[0], holed.pending()[0]
    assert theirs.n == 2 * mine.n
    snapshots = [inside.snapshot(m)["gaussian"] for m in (model, holed)]
    planes = [s.reshape(2, 4, 2) for s in snapshots]  # [class][statistic][feature]
    np.testing.assert_array_equal(planes[1][:, :, 0], planes[0][:, :, 0])
    assert not np.array_equal(planes[1][:, :, 1], planes[0][:, :, 1])


SAME = {
    "NaN": lambda x, gap: {"x": np.where(gap, NAN, x)},
    "None": lambda x, gap: {"x": np.where(gap, None, x)},
    "float32 NaN": lambda x, gap: {"x": np.where(gap, NAN, x).astype(np.float32)},
    "a NaN with a sign": lambda x, gap: {"x": np.where(gap, np.copysign(NAN, -1.0), x)},
}


def test_all_kinds_of_missing_numbers_are_the_same(model, fingerprint):
    n = model.enough(1_700)
    rng = np.random.default_rng(6)
    x = rng.normal(size=n).astype(np.float32).astype(np.float64)
    y = (x > 0.5).astype(int)
    gap = rng.random(n) < 0.1
    gap[0] = False
    other = rng.normal(size=n)

    absent = model.eager()
    for i in range(n):
        absent.learn_one({"other": other[i]} if gap[i] else {"x": x[i], "other": other[i]}, y[i])
    for kind, columns in SAME.items():
        learned = model.eager().partial_fit(columns(x, gap) | {"other": other}, y)
        assert fingerprint(learned) == fingerprint(absent), kind


@pytest.mark.parametrize("nothing", [None, NAN, np.float64("nan"), np.float32("nan"), "absent"])
def test_all_kinds_of_missing_categories_are_the_same(model, fingerprint, nothing):
    n = model.enough(500)
    rng = np.random.default_rng(6)
    x = rng.normal(size=n)
    job = rng.choice(np.array(["nurse", "smith", "cook"], dtype=object), size=n)
    y = (job == "cook").astype(int)
    gap = rng.random(n) < 0.1
    gap[0] = False

    def example(i):
        if gap[i] and isinstance(nothing, str):
            return {"x": x[i]}
        return {"job": nothing if gap[i] else job[i], "x": x[i]}

    one = model.eager()
    for i in range(n):
        one.learn_one(example(i), y[i])
    job[gap] = None
    learned = model.eager().partial_fit({"job": job, "x": x}, y)
    assert fingerprint(one) == fingerprint(learned)
    for i in np.flatnonzero(gap)[:20]:
        want = learned.predict_proba_one({"job": None, "x": x[i]})
        assert one.predict_proba_one(example(i)) == want


def test_a_feature_that_comes_late_was_missing_before(recipe, fingerprint):
    rng = np.random.default_rng(9)
    n = 2_000
    early, late = rng.normal(size=(2, n))
    job = rng.choice(np.array(["nurse", "smith"], dtype=object), size=n)
    y = ((early > 0) ^ ((late > 0) & (np.arange(n) > 700))).astype(int)
    late[:700] = NAN
    job[:700] = None
    X = {"early": early, "late": late, "job": job}

    whole = recipe.eager().partial_fit(X, y)
    grown = recipe.eager().partial_fit({"early": early[:700]}, y[:700])
    assert grown.n_features_in_ == 1
    grown.partial_fit({n: c[700:] for n, c in X.items()}, y[700:])
    assert grown.n_features_in_ == 3
    assert fingerprint(grown) == fingerprint(whole)


def test_a_feature_that_vanishes_is_missing_from_then_on(recipe, fingerprint, mixed):
    late = mixed[2_000:]
    lost = mixed[:2_000].learned_by(recipe.eager())
    nan = mixed[:2_000].learned_by(recipe.eager())
    kept = {n: c for n, c in late.columns.items() if n not in ("height", "colour")}
    lost.partial_fit(kept, late.y, sample_weight=late.w)
    gone = {"height": np.full(len(late), NAN), "colour": np.full(len(late), None)}
    nan.partial_fit(late.columns | gone, late.y, sample_weight=late.w)
    assert fingerprint(lost) == fingerprint(nan)


def test_rows_of_nothing_but_missing_values_are_learned(recipe):
    # As many as a linear unit with small steps takes to forget the first class it met.
    X = np.full((1000, 3), NAN)
    y = np.array(["a", "b", "b", "b", "c"] * 200)
    model = recipe.eager().partial_fit(X, y)
    assert model.n_leaves_ == 1
    off = 0.05 if recipe.follows else 0.01
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[0.2, 0.6, 0.2]], atol=off)
    np.testing.assert_allclose(model.predict_proba([[1.0, 2.0, 3.0]]).sum(), 1.0)
