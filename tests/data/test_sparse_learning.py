"""Sparse rows are learned as dense ones are: the same splits, in any batches, saved and limited."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import riparian as rp
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside
from tests.reference.sparse import NonZeros, nonzeros, with_zeros
from tests.reference.statistics import moments

EAGER = {"grace_period": 40, "delta": 0.05, "tau": 0.3}


def tree(**parameters):
    return rp.HoeffdingTree(**EAGER | {"leaf": "majority"} | parameters)


def words(n=1_500, n_features=300, seed=0, missing=0.0):
    """Rows of about 15 non-zeros, as of texts; five classes with words of their own."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 5, n)
    X = np.zeros((n, n_features))
    for row, label in zip(X, y, strict=True):
        row[(n_features ** rng.random(12)).astype(int) % n_features] = rng.gamma(2.0, 1.0, 12)
        if rng.random() < 0.9:
            row[20 + label] = rng.gamma(4.0, 1.0)
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def csr(X):
    return sparse.csr_array(X)


def splits_of(model):
    """What is equal bit for bit; thresholds are, where the cuts are bins of a range."""
    arrays = inside.snapshot(model)
    names = ["feature", "test", "parent", "split_seen", "split_verdict"]
    if inside.axes(model)["cuts"].name == "bins":
        names.append("threshold")
    return {name: arrays[name].tolist() for name in names}


def assert_equal_models(one, other, X):
    """The promise of docs/data.md."""
    assert splits_of(one) == splits_of(other)
    ours, theirs = inside.snapshot(one), inside.snapshot(other)
    for name in ("counts", "weight"):
        np.testing.assert_array_equal(ours[name], theirs[name])
    for name in ("threshold", "split_n", "split_gain", "split_epsilon", "inherited"):
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-9, atol=1e-9)
    assert (one.predict(X) == other.predict(X)).all()
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("missing", [0.0, 0.01])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"impurity": "gini", "cuts": "intersections"},
        {"cuts": "qda", "runner_up": "none"},
        {"inherit_counts": "count", "adaptive_grace": True},
        {"adaptation": "alternates"},
    ],
    ids=str,
)
def test_sparse_and_dense_rows_give_the_same_splits(parameters, missing):
    X, y = words(missing=missing)
    dense = tree(**parameters).fit(X, y)
    model = tree(**parameters).fit(csr(X), y)
    assert len(dense.splits()) >= 2
    assert_equal_models(model, dense, X)
    assert (model.predict(csr(X)) == dense.predict(X)).all()
    np.testing.assert_array_equal(model.predict_proba(csr(X)), model.predict_proba(X))


def test_what_a_bound_keeps_at_a_leaf_sees_the_zeros_too():
    rng = np.random.default_rng(0)
    X = np.where(rng.random((3_000, 20)) < 0.4, rng.normal(2.0, 1.0, (3_000, 20)), 0.0)
    y = ((X[:, 3] > 1.5) | (X[:, 4] > 2.5)).astype(int)
    model, dense = (
        tree(bound=rp.bounds.DeltaMethod(pairing="paired"), tau=0.05).fit(rows, y)
        for rows in (csr(X), X)
    )
    assert [split.reason for split in dense.splits()].count("bound") >= 2
    assert_equal_models(model, dense, X)


def test_prequential_predicts_the_same_labels():
    X, y = words()
    sparse_labels, sparse_shares = tree().prequential(csr(X), y, proba=True)
    labels, shares = tree().prequential(X, y, proba=True)
    assert (sparse_labels == labels).all()
    np.testing.assert_allclose(sparse_shares, shares, rtol=1e-9, atol=1e-12)


def test_weights_are_counted_and_rows_without_weight_are_left_out():
    X, y = words(800)
    w = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 2.5], 800)
    assert_equal_models(tree().fit(csr(X), y, w), tree().fit(X, y, w), X)
    assert (tree().prequential(csr(X), y, w) == tree().prequential(X, y, w)).all()


@pytest.mark.parametrize("make", [tree, rp.VFDT, lambda: rp.AdaptiveRandomForest(n_estimators=3)])
def test_batches_do_not_matter_bit_for_bit(make):
    X, y = words(600, missing=0.01)
    whole = to_bytes(make().partial_fit(csr(X), y))
    for size in (1, 7, 250):
        model = make()
        for first in range(0, len(y), size):
            model.partial_fit(csr(X[first : first + size]), y[first : first + size])
        assert to_bytes(model) == whole


def test_sparse_and_dense_batches_may_alternate():
    X, y = words()
    dense = tree().partial_fit(X, y)
    for size in (1, 100):
        model = tree()
        for number, first in enumerate(range(0, len(y), size)):
            part = X[first : first + size]
            model.partial_fit(csr(part) if number % 2 else part, y[first : first + size])
        assert_equal_models(model, dense, X)


def test_single_examples_continue_a_sparse_model():
    X, y = words(700, 40)
    model = tree().partial_fit(csr(X[:600]), y[:600])
    for row, label in zip(X[600:], y[600:], strict=True):
        model.learn_one(dict(enumerate(row.tolist())), int(label))
    assert_equal_models(model, tree().partial_fit(X, y), X)


def test_features_that_come_later_were_missing_before():
    X, y = words(700, 40)
    extra = np.where(y == 2, "red", "blue")
    models = [tree().partial_fit(rows, y[:600]) for rows in (csr(X[:600]), X[:600])]
    for model in models:
        for row, label, color in zip(X[600:], y[600:], extra[600:], strict=True):
            example = dict(enumerate(row.tolist())) | {40: float(label), 41: str(color)}
            model.learn_one(example, int(label))
    assert splits_of(models[0]) == splits_of(models[1])
    ours, theirs = (inside.snapshot(model) for model in models)
    np.testing.assert_allclose(ours["gaussian"], theirs["gaussian"], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours["known"], theirs["known"], rtol=1e-9)
    np.testing.assert_array_equal(ours["table_known"], theirs["table_known"])


def test_a_saved_model_goes_on_identically():
    X, y = words(missing=0.01)
    for make in (tree, lambda: tree(max_bytes="400KB"), lambda: rp.HAT(leaf="majority", **EAGER)):
        model = make().partial_fit(csr(X[:800]), y[:800])
        again = from_bytes(to_bytes(model), {})
        assert to_bytes(again) == to_bytes(model)
        assert again.memory_bytes_ == model.memory_bytes_
        for each in (model, again):
            each.partial_fit(csr(X[800:]), y[800:])
        assert to_bytes(again) == to_bytes(model)


def test_a_dense_model_has_the_arrays_that_it_always_had():
    X, y = words(300)
    assert not [name for name in inside.snapshot(tree().fit(X, y)) if "sparse" in name]
    assert "sparse_moments" in inside.snapshot(tree().fit(csr(X), y))


def test_a_memory_limit_holds_after_every_batch():
    X, y = words(4_000)
    model = tree(max_bytes=250_000, tau=1.0)
    for first in range(0, len(y), 50):
        model.partial_fit(csr(X[first : first + 50]), y[first : first + 50])
        assert model.memory_bytes_ <= 250_000
    assert model.n_active_leaves_ >= 1
    assert model.n_leaves_ > model.n_active_leaves_


def test_memory_grows_with_the_non_zeros_and_not_with_the_columns():
    X, y = words(300, 100)
    wide = sparse.hstack([csr(X), sparse.csr_array((300, 20_000))]).tocsr()
    grown = []
    for given_rows in (csr(X), wide):
        model = rp.VFDT(grace_period=1e9).partial_fit(given_rows[:1], y[:1])
        before = model.memory_bytes_
        grown.append(model.partial_fit(given_rows, y).memory_bytes_ - before)
    assert grown[0] == grown[1]
    dense, model = (
        rp.VFDT(grace_period=1e9).fit(rows, y[:20]) for rows in (wide[:20].toarray(), wide[:20])
    )
    # mean, squares, minimum and maximum of 20,100 features and 5 classes
    assert dense.memory_bytes_ - model.memory_bytes_ > 20_100 * 5 * 32 - 20_000


@pytest.mark.parametrize(
    "forest",
    [
        lambda: rp.AdaptiveRandomForest(n_estimators=3, estimator=rp.HoeffdingTree(**EAGER)),
        lambda: rp.OnlineBagging(n_estimators=3, estimator=tree()),
        # With more ties, equal gains would be in another order.
        lambda: rp.StreamingRandomPatches(n_estimators=3, estimator=tree(grace_period=100)),
        lambda: rp.LeveragingBagging(n_estimators=3, estimator=tree()),
    ],
    ids=["random forest", "bagging", "patches", "leveraging"],
)
def test_forests_learn_sparse_rows_as_dense_ones(forest):
    X, y = words(600, missing=0.002)
    model, dense = forest().fit(csr(X), y), forest().fit(X, y)
    for one, other in zip(model.estimators_, dense.estimators_, strict=True):
        assert splits_of(one) == splits_of(other)
    np.testing.assert_allclose(
        model.predict_proba(csr(X)), dense.predict_proba(X), rtol=1e-6, atol=1e-9
    )
    again = from_bytes(to_bytes(model), {})
    assert to_bytes(again.partial_fit(csr(X), y)) == to_bytes(model.partial_fit(csr(X), y))


def test_a_pipeline_with_one_hot_columns():
    rng = np.random.default_rng(5)
    colors = rng.choice(["red", "green", "blue"], (2_000, 1))
    ids = rng.integers(0, 500, (2_000, 1)).astype(str)
    X = np.hstack([colors, ids])
    y = np.where(colors[:, 0] == "red", "stop", "go")
    pipeline = make_pipeline(OneHotEncoder(), rp.VFDT())
    pipeline.fit(X, y)
    model = pipeline[-1]
    assert model.n_features_in_ > 400
    assert pipeline.score(X, y) == 1.0
    assert model.splits()[0].feature == "x2"  # blue, green, red


def test_a_pipeline_with_texts():
    rng = np.random.default_rng(6)
    common = [f"word{i}" for i in range(400)]
    topics = {"space": ["orbit", "moon", "rocket"], "bikes": ["engine", "ride", "helmet"]}
    labels = rng.choice(list(topics), 1_500)
    texts = [" ".join([*rng.choice(common, 20), *rng.choice(topics[label], 2)]) for label in labels]
    vectors = TfidfVectorizer()
    pipeline = make_pipeline(vectors, rp.HoeffdingTree(leaf="majority", delta=1e-3, tau=0.2))
    pipeline.fit(texts, labels)
    assert pipeline.score(texts, labels) > 0.75
    names = vectors.get_feature_names_out()
    tested = {names[int(split.feature[1:])] for split in pipeline[-1].splits()}
    assert tested & {*topics["space"], *topics["bikes"]}


# -- the statistics -------------------------------------------------------------------------------


def entries_of(model):
    """The pairs of feature and class of a model that has one leaf, and the rows of its classes."""
    arrays = inside.snapshot(model)
    numbers = arrays["sparse_moments"].reshape(-1, 6)
    pairs = zip(
        arrays["sparse_features"].tolist(),
        arrays["sparse_classes"].tolist(),
        arrays["sparse_pair_rows"].tolist(),
        numbers.tolist(),
        strict=True,
    )
    found = {(f, k): NonZeros(rows, *moments_of) for f, k, rows, moments_of in pairs}
    return found, arrays["sparse_rows"].tolist(), arrays["counts"].tolist()


values = st.one_of(
    st.just(0.0),
    st.just(float("nan")),
    st.floats(-1e6, 1e6, allow_subnormal=False),
    st.sampled_from([1e-300, 1e100, -3.5]),
)


@settings(max_examples=60, deadline=None)
@given(data=st.data(), n=st.integers(1, 25), n_features=st.integers(1, 6))
def test_the_statistics_are_those_of_the_reference(data, n, n_features):
    X = np.array(
        data.draw(
            st.lists(
                st.lists(values, min_size=n_features, max_size=n_features), min_size=n, max_size=n
            )
        )
    )
    y = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    w = np.array(data.draw(st.lists(st.sampled_from([0.25, 1.0, 3.0]), min_size=n, max_size=n)))
    model = rp.VFDT(grace_period=1e9).partial_fit(csr(X), y, classes=[0, 1, 2], sample_weight=w)
    found, rows, counts = entries_of(model)
    for k in range(3):
        here = y == k
        assert rows[k] == here.sum()
        assert counts[k] == w[here].sum()
        for f in range(n_features):
            want = nonzeros(X[here, f], w[here])
            got = found.pop((f, k), None)
            if want.rows == 0:
                assert got is None
                continue
            scale = np.nanmax(np.abs(X[here, f]), initial=0.0)
            assert got[:3] == want[:3]
            np.testing.assert_allclose(got.mean, want.mean, rtol=1e-12, atol=1e-13 * scale)
            np.testing.assert_allclose(
                got.squares, want.squares, rtol=1e-9, atol=1e-13 * want.weight * scale**2
            )
            assert got[5:] == want[5:]
            known = ~np.isnan(X[here, f])
            weight, mean, squares, low, high = with_zeros(got, rows[k], counts[k])
            np.testing.assert_allclose(weight, w[here][known].sum(), rtol=1e-12)
            if not known.any():
                continue
            all_values = moments(X[here, f][known], w[here][known])
            np.testing.assert_allclose(mean, all_values[1], rtol=1e-12, atol=1e-13 * scale)
            np.testing.assert_allclose(
                squares, all_values[2], rtol=1e-9, atol=1e-13 * weight * scale**2
            )
            assert low == X[here, f][known].min()
            assert high == X[here, f][known].max()
    assert not found


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    share=st.sampled_from([0.02, 0.3, 1.0]),
    scale=st.sampled_from([1e-3, 1.0, 1e6]),
)
def test_drawn_matrices_give_the_same_splits(seed, share, scale):
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((300, 15)) < share, rng.normal(2.0, 1.0, (300, 15)) * scale, 0.0)
    y = (X[:, 3] + rng.normal(0, 0.3, 300) * scale > scale).astype(int)
    if len(np.unique(y)) < 2:
        return
    assert_equal_models(tree().fit(csr(X), y), tree().fit(X, y), X)
