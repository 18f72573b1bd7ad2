"""What always holds, for forests alone: threads, seeds, and members that fail."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import riparian as rp
from riparian.models.registry import models_of
from riparian.storage.modelfile import to_bytes
from tests import inside
from tests.contract.matrix import Other, has
from tests.contract.parameters import OTHERS

FOREST_NAMES = [name for name, (cls, _) in OTHERS.items() if cls in models_of("forests").values()]


@pytest.fixture(params=FOREST_NAMES)
def make(request):
    return Other(request.param)


@pytest.mark.parametrize("n_jobs", [2, 8])
def test_any_number_of_threads_gives_the_same_bytes(make, mixed, n_jobs):
    rows = mixed[1000:3000]
    one, many = make(n_jobs=1), make(n_jobs=n_jobs)
    p = one.prequential(rows.columns, rows.y, rows.w, proba=True)
    q = many.prequential(rows.columns, rows.y, rows.w, proba=True)
    np.testing.assert_array_equal(p[1], q[1])
    np.testing.assert_array_equal(
        one.predict_proba(mixed.columns), many.predict_proba(mixed.columns)
    )
    assert to_bytes(one) == to_bytes(many)


@pytest.mark.parametrize(
    "make", [Other(name) for name in FOREST_NAMES if has(Other(name), "random_state")], ids=str
)
def test_the_seed_decides(make, mixed):
    rows = mixed[:500]
    assert to_bytes(rows.learned_by(make(random_state=1))) == to_bytes(
        rows.learned_by(make(random_state=1))
    )
    one, other = (rows.learned_by(make(random_state=s)) for s in (1, 2))
    assert (one.predict_proba(rows.columns) != other.predict_proba(rows.columns)).any()


class Calls:
    """How often the impurity below was asked, and after how many calls it fails."""

    asked, most = 0, 10**9


def failing(counts):
    Calls.asked += 1
    if Calls.asked > Calls.most:
        raise RuntimeError("no impurity today")
    share = counts / np.maximum(counts.sum(axis=2, keepdims=True), 1e-300)
    return 1.0 - (share**2).sum(axis=2)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_member_that_fails_leaves_the_forest_as_it_was(mixed, n_jobs):
    Calls.asked, Calls.most = 0, 10**9
    tree = rp.HoeffdingTree(grace_period=20, impurity=failing)
    model = rp.OnlineBagging(estimator=tree, n_estimators=3, n_jobs=n_jobs)
    mixed[:300].learned_by(model)
    before = to_bytes(model)
    Calls.most = Calls.asked + 7
    with pytest.raises(RuntimeError, match="no impurity today"):
        mixed[300:900].learned_by(model)
    assert to_bytes(model) == before
    Calls.most = 10**9
    mixed[300:900].learned_by(model)
    assert model.n_seen_ == 900


def test_with_costs_a_label_is_that_of_its_row_whatever_comes_after_it(make):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(480, 3))
    y = (X[:, 0] > 0).astype(int)
    y[320:380:3] = np.arange(2, 22)
    dear = {(a, b): 2.0 for b in range(22) for a in range(b)}  # the other pairs cost 1
    begun = [make(costs=dear).partial_fit(X[:300], y[:300]) for _ in range(3)]
    whole = begun.pop().prequential(X[300:], y[300:])
    for size, parts in zip((1, 7), begun, strict=True):
        labels = [
            parts.prequential(X[i : i + size], y[i : i + size]) for i in range(300, 480, size)
        ]
        np.testing.assert_array_equal(whole, np.concatenate(labels))


def test_with_costs_no_label_is_a_class_that_came_after_the_question(make):
    X = np.random.default_rng(0).normal(size=(300, 3))
    y = np.arange(300) % 4
    cheap = {(3, b): 0.0 for b in range(3)} | {(0, 1): 1.0}
    model = make(costs=cheap).partial_fit(X, y)
    assert (model.predict(X) == 3).all()
    batch = inside.core.Batch.of_matrix(X)
    labels, shares = inside.engine(model).predict(batch, 2)
    assert shares.shape == (300, 2)
    assert set(labels.tolist()) <= {0, 1}


def test_probabilities_sum_to_1_once_a_row_was_learned(make, mixed):
    model = make()
    _, shares = model.prequential(mixed[:60].columns, mixed.y[:60], proba=True)
    np.testing.assert_array_equal(shares[0], 0.0)
    np.testing.assert_allclose(shares[1:].sum(axis=1), 1.0, rtol=1e-12)


@pytest.mark.parametrize("size", [1, 5])
def test_where_no_member_drew_a_row_all_classes_are_equal_and_the_first_is_given(size):
    X, y = np.arange(10.0).reshape(5, 2), ["b", "a", "b", "c", "a"]
    model = rp.Forest(n_estimators=2, rate=1e-6)
    parts = [
        model.prequential(X[i : i + size], y[i : i + size], proba=True) for i in range(0, 5, size)
    ]
    third = [1 / 3] * 3
    expected = [[0.0], [1.0], [0.5] * 2, [0.5] * 2, third]
    shares = [row for _, p in parts for row in p]
    for got, want in zip(shares, expected, strict=True):
        np.testing.assert_array_equal(got, want + [0.0] * (len(got) - len(want)))
    assert [label for labels, _ in parts for label in labels] == ["b"] * 5
    np.testing.assert_array_equal(model.predict_proba(X), [third] * 5)
    assert model.predict_one({0: 1.0}) == "b"


def test_where_no_member_drew_a_row_costs_choose_among_equal_classes():
    dear = {("a", "b"): 9.0}
    model = rp.Forest(n_estimators=2, rate=1e-6, costs=dear).partial_fit([[0.0], [1.0]], ["a", "b"])
    np.testing.assert_array_equal(model.predict_proba([[0.0]]), [[0.5, 0.5]])
    assert model.predict([[0.0]]).tolist() == ["b"]


@pytest.mark.parametrize("limit", ["200KB", "1MB"])
@pytest.mark.parametrize(
    "kind", ["OnlineBagging", "AdaptiveRandomForest", "StreamingRandomPatches", "UFFT"]
)
def test_the_limit_of_memory_holds(kind, limit, mixed):
    model = Other(kind)(max_bytes=limit)
    most = {"200KB": 200_000, "1MB": 1_000_000}[limit]
    for batch in mixed.batches(250):
        batch.learned_by(model)
        assert model.memory_bytes_ <= most
    whole = mixed.learned_by(Other(kind)(max_bytes=limit))
    assert to_bytes(whole) == to_bytes(model)
    with pytest.raises(ValueError, match="max_bytes must be at least"):
        Other(kind)(max_bytes=20_000).partial_fit(mixed.columns, mixed.y)


ESTIMATORS = [
    cls(n_estimators=3) for cls in models_of("forests").values() if cls is not rp.UFFT
] + [rp.UFFT()]


def random_weights(estimator):
    """What three checks demand of batch learners.

    How often a member learns a row depends on the place of the row, and two checks move rows.
    ``tests/data/test_sparse_learning.py`` shows that sparse rows are weighted as dense ones.
    Another one gives a class the weight 1,000: see ``tests/contract/test_sklearn.py``.
    """
    found = {"check_class_weight_classifiers": "a thousand equal examples have no spread"}
    if "random_state" in estimator.get_params():
        found["check_sample_weight_equivalence_on_dense_data"] = "a repeated row is drawn again"
    if isinstance(estimator, rp.AdaptiveRandomForest):
        # The others refuse sparse rows.
        found["check_sample_weight_equivalence_on_sparse_data"] = "a repeated row is drawn again"
    return found


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=random_weights)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("forest", models_of("forests").values(), ids=models_of("forests"))
def test_a_clone_has_the_parameters_and_nothing_learned(forest, with_known):
    model = with_known(forest, estimator=rp.VFDT(grace_period=7), n_estimators=2)
    model.fit([[0.0], [1.0]], ["a", "b"])
    again = clone(model)
    assert str(again.get_params()) == str(model.get_params())
    assert not again.__sklearn_is_fitted__()
    if "estimator" in model.get_params():
        again.set_params(estimator__grace_period=9)
        assert model.estimator.grace_period == 7
