"""What always holds, over every forest."""

from __future__ import annotations

import copy
import pickle
import threading

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import riparian as rp
from riparian.drift import DDM, KSWIN
from riparian.forests import FORESTS
from riparian.modelfile import from_bytes, to_bytes
from tests.contract.conftest import COSTS, mixed  # noqa: F401

EAGER = rp.HoeffdingTree(grace_period=50, delta=0.01, tau=0.1)
PAIRS = {"n_min": "fixed", "grace_period": 50, "delta": 0.01, "tau": 0.1}
#: Members of every kind, detectors of several, costs.
MAKES = {
    "OnlineBagging": lambda **o: rp.OnlineBagging(estimator=EAGER, n_estimators=3, **o),
    "LeveragingBagging": lambda **o: rp.LeveragingBagging(
        estimator=EAGER, n_estimators=3, drift=0.3, **o
    ),
    "AdaptiveRandomForest": lambda **o: rp.AdaptiveRandomForest(
        estimator=EAGER, n_estimators=3, warning=0.5, drift=0.2, **o
    ),
    "StreamingRandomPatches": lambda **o: rp.StreamingRandomPatches(
        estimator=EAGER, n_estimators=3, warning=0.5, drift=0.2, **o
    ),
    "AccuracyWeightedEnsemble": lambda **o: rp.AccuracyWeightedEnsemble(
        estimator=EAGER, n_estimators=3, n_stored=5, chunk_size=150, n_folds=3, costs=COSTS, **o
    ),
    "options": lambda **o: rp.OnlineBagging(
        estimator=rp.HoeffdingOptionTree(grace_period=50, delta=0.01), n_estimators=2, **o
    ),
    "HAT": lambda **o: rp.OnlineBagging(
        estimator=rp.HAT(grace_period=50, bootstrap=True), n_estimators=2, rate=2.0, **o
    ),
    "UFFT": lambda **o: rp.UFFT(**PAIRS, short_memory=150, **o),
    "UFFT-own": lambda **o: rp.UFFT(
        **PAIRS, short_memory=80, memory="tree", leaf=("majority", "naive-bayes", "idbd"), **o
    ),
    "UFFT-drift": lambda **o: rp.UFFT(
        **PAIRS, short_memory=60, drift=0.3, leaf="majority", costs=COSTS, **o
    ),
    "DDM": lambda **o: rp.Forest(
        estimator=rp.CTree(leaf="majority", grace_period=50),
        n_estimators=3,
        features=3,
        leaf_features=2,
        replacement="background",
        warning=KSWIN(window_size=40, stat_size=10, alpha=0.05),
        drift=DDM(warm_start=20),
        costs=COSTS,
        **o,
    ),
}


@pytest.fixture(params=MAKES.values(), ids=MAKES)
def make(request):
    return request.param


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_batches_of_any_size_give_the_same_bytes(make, mixed, size):  # noqa: F811
    rows = mixed[1500:2700]
    whole = rows.taught_to(make())
    assert to_bytes(rows.taught_to(make(), size)) == to_bytes(whole)


@pytest.mark.parametrize("n_jobs", [2, 8])
def test_any_number_of_threads_gives_the_same_bytes(make, mixed, n_jobs):  # noqa: F811
    rows = mixed[1000:3000]
    one, many = make(n_jobs=1), make(n_jobs=n_jobs)
    p = one.prequential(rows.columns, rows.y, rows.w, proba=True)
    q = many.prequential(rows.columns, rows.y, rows.w, proba=True)
    np.testing.assert_array_equal(p[1], q[1])
    np.testing.assert_array_equal(
        one.predict_proba(mixed.columns), many.predict_proba(mixed.columns)
    )
    assert to_bytes(one) == to_bytes(many)


def test_one_by_one_is_a_batch(make, mixed):  # noqa: F811
    rows = mixed[1800:2400]
    one = make()
    for x, y, w in rows.examples():
        one.learn_one(x, y, w)
    assert to_bytes(one) == to_bytes(rows.taught_to(make()))


def test_testing_before_training_answers_as_predict_one_did(make, mixed):  # noqa: F811
    rows = mixed[1800:2300]
    answers, probabilities = make().prequential(rows.columns, rows.y, rows.w, proba=True)
    model = make()
    for i, (x, y, w) in enumerate(rows.examples()):
        if i:
            assert model.predict_one(x) == answers[i]
            got = model.predict_proba_one(x)
            np.testing.assert_array_equal(list(got.values()), probabilities[i, : len(got)])
        model.learn_one(x, y, w)
    np.testing.assert_allclose(probabilities[1:].sum(axis=1), 1.0, atol=1e-12)


@pytest.mark.parametrize("way", ["file", "pickle", "copy"])
def test_saving_in_the_middle_changes_nothing(make, mixed, way):  # noqa: F811
    rows = mixed[1500:2700]
    model = rows[:500].taught_to(make())
    again = {
        "file": lambda m: from_bytes(to_bytes(m)),
        "pickle": lambda m: pickle.loads(pickle.dumps(m)),
        "copy": copy.deepcopy,
    }[way](model)
    assert to_bytes(again) == to_bytes(model)
    np.testing.assert_array_equal(
        again.predict_proba(rows.columns), model.predict_proba(rows.columns)
    )
    assert to_bytes(rows[500:].taught_to(again)) == to_bytes(rows.taught_to(make()))


def test_a_row_of_weight_0_is_as_if_it_were_not_there(make, mixed):  # noqa: F811
    rows = mixed[1500:2100]
    silent = np.random.default_rng(1).random(len(rows)) < 0.3
    with_them = rows[np.arange(len(rows))]
    with_them.w[silent] = 0.0
    assert to_bytes(with_them.taught_to(make(), 97)) == to_bytes(rows[~silent].taught_to(make()))


def test_the_seed_decides(make, mixed):  # noqa: F811
    if "random_state" not in make().get_params():
        pytest.skip("nothing is drawn")
    rows = mixed[:500]
    assert to_bytes(rows.taught_to(make(random_state=1))) == to_bytes(
        rows.taught_to(make(random_state=1))
    )
    one, other = (rows.taught_to(make(random_state=s)) for s in (1, 2))
    assert (one.predict_proba(rows.columns) != other.predict_proba(rows.columns)).any()


def test_bad_input_changes_nothing(make, mixed):  # noqa: F811
    rows = mixed[1500:1900]
    model = rows.taught_to(make())
    before = to_bytes(model)
    wrong = {n: c.copy() for n, c in rows.columns.items()}
    wrong["width"][7] = np.inf
    with pytest.raises(ValueError, match="'width', row 7"):
        model.partial_fit(wrong, rows.y)
    with pytest.raises(ValueError, match="labels"):
        model.partial_fit(rows.columns, rows.y[:-1])
    assert to_bytes(model) == before


def failing(counts):
    failing.asked += 1
    if failing.asked > failing.most:
        raise RuntimeError("no impurity today")
    share = counts / np.maximum(counts.sum(axis=2, keepdims=True), 1e-300)
    return 1.0 - (share**2).sum(axis=2)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_member_that_fails_leaves_the_forest_as_it_was(mixed, n_jobs):  # noqa: F811
    tree = rp.HoeffdingTree(grace_period=20, impurity=failing)
    failing.asked, failing.most = 0, 10**9
    model = rp.OnlineBagging(estimator=tree, n_estimators=3, n_jobs=n_jobs)
    mixed[:300].taught_to(model)
    before = to_bytes(model)
    failing.most = failing.asked + 7
    with pytest.raises(RuntimeError, match="no impurity today"):
        mixed[300:900].taught_to(model)
    assert to_bytes(model) == before
    failing.most = 10**9
    mixed[300:900].taught_to(model)
    assert model.n_seen_ == 900


@pytest.mark.parametrize("limit", ["200KB", "1MB"])
@pytest.mark.parametrize(
    "kind", ["OnlineBagging", "AdaptiveRandomForest", "StreamingRandomPatches", "UFFT"]
)
def test_the_limit_of_memory_holds(kind, limit, mixed):  # noqa: F811
    model = MAKES[kind](max_bytes=limit)
    most = {"200KB": 200_000, "1MB": 1_000_000}[limit]
    for batch in mixed.batches(250):
        batch.taught_to(model)
        assert model.memory_bytes_ <= most
    whole = mixed.taught_to(MAKES[kind](max_bytes=limit))
    assert to_bytes(whole) == to_bytes(model)
    with pytest.raises(ValueError, match="max_bytes must be at least"):
        MAKES[kind](max_bytes=20_000).partial_fit(mixed.columns, mixed.y)


def test_reading_while_learning(make, mixed):  # noqa: F811
    model = mixed[:200].taught_to(make(n_jobs=2))
    stop, wrong = threading.Event(), []

    def read():
        while not stop.is_set():
            p = model.predict_proba(mixed.columns)
            if not np.allclose(p.sum(axis=1), 1.0):
                wrong.append(p)
            model.splits()
            model.explain_one({"height": 0.1})

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for batch in mixed[200:1200].batches(50):
        batch.taught_to(model)
    stop.set()
    for reader in readers:
        reader.join()
    assert not wrong


def with_members(cls, **parameters):
    """A forest with those of these parameters that it has."""
    known = cls().get_params()
    return cls(**{name: value for name, value in parameters.items() if name in known})


ESTIMATORS = [with_members(cls, n_estimators=3) for cls in FORESTS.values()]


def random_weights(estimator):
    """How often a member learns a row hangs on its place, and this check moves rows."""
    name = "check_sample_weight_equivalence_on_dense_data"
    if "random_state" not in estimator.get_params():
        return {}
    return {name: "a repeated row is drawn again"}


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=random_weights)
def test_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("cls", FORESTS.values(), ids=FORESTS)
def test_a_clone_has_the_parameters_and_nothing_learned(cls):
    model = with_members(cls, estimator=rp.VFDT(grace_period=7), n_estimators=2)
    model.fit([[0.0], [1.0]], ["a", "b"])
    again = clone(model)
    assert str(again.get_params()) == str(model.get_params())
    assert not again.__sklearn_is_fitted__()
    if "estimator" not in model.get_params():
        return
    again.set_params(estimator__grace_period=9)
    assert model.estimator.grace_period == 7
