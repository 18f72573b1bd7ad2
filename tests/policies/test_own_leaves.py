"""Leaf predictors of users."""

import copy
import os
import pickle
import signal
from typing import ClassVar

import numpy as np
import pytest
from sklearn.base import clone

import riparian as rp
from riparian.leaves import Example
from riparian.storage import modelfile
from tests.reference.softmax import Softmax

SMALL = {"grace_period": 50, "delta": 0.01, "tau": 0.1}


class Centroids:
    """The class of the nearest mean; its state is JSON."""

    def __init__(self):
        self.sums = {}

    def learn(self, x, y, w):
        weight, total = self.sums.get(y, (0.0, np.zeros_like(x.numbers)))
        self.sums[y] = (weight + w, total + w * np.nan_to_num(x.numbers))

    def predict_proba(self, x):
        shares = np.zeros(max(self.sums) + 1)
        for y, (weight, total) in self.sums.items():
            shares[y] = 1.0 / (1e-6 + np.sum((np.nan_to_num(x.numbers) - total / weight) ** 2))
        return shares

    def get_state(self):
        return [[y, weight, total.tolist()] for y, (weight, total) in self.sums.items()]

    def set_state(self, state):
        self.sums = {y: (weight, np.array(total)) for y, weight, total in state}


class OwnSoftmax:
    """The reference of the built-in softmax behind the protocol."""

    def __init__(self, units=None):
        self.units = units

    def learn(self, x, y, w):
        if self.units is None:
            self.units = Softmax(["numeric"] * len(x.numbers), 0.02)
        self.units.learn(list(x.numbers), y, w, 3)

    def predict_proba(self, x):
        return self.units.probabilities(list(x.numbers), 3)

    def child(self):
        return OwnSoftmax(self.units.for_child())


def rows(n=1500, seed=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(X[:, 0] > 0.3, 2, (X[:, 1] + X[:, 2] > 0).astype(int))
    return X, np.where(rng.random(n) < 0.1, rng.integers(0, 3, n), y)


def tree(leaf, **options):
    return rp.HoeffdingTree(leaf=leaf, **SMALL | options)


@pytest.mark.parametrize("others", [(), ("majority", "naive-bayes")], ids=["alone", "one of three"])
def test_a_softmax_of_ones_own_is_the_built_in_one(others):
    X, y = rows()
    own, built_in = tree((*others, OwnSoftmax())), tree((*others, "softmax"))
    for model in (own, built_in):
        model.partial_fit(X[:500], y[:500], classes=[0, 1, 2])
    np.testing.assert_array_equal(
        own.prequential(X[500:], y[500:]), built_in.prequential(X[500:], y[500:])
    )
    assert own.n_leaves_ == built_in.n_leaves_ > 2
    np.testing.assert_allclose(own.predict_proba(X), built_in.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("leaf", [Centroids(), ("majority", Centroids())], ids=["alone", "several"])
@pytest.mark.parametrize("size", [1, 7, 400])
def test_batches_do_not_matter(size, leaf):
    X, y = rows(150 if size == 1 else 800)
    parts = tree(leaf)
    for first in range(0, len(y), size):
        parts.partial_fit(X[first : first + size], y[first : first + size])
    if size > 1:
        assert modelfile.to_bytes(parts) == modelfile.to_bytes(tree(leaf).partial_fit(X, y))
        return
    # Classes get their codes in the order of the labels of the first batch, here of one row.
    one = tree(leaf)
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        one.learn_one(dict(enumerate(x)), label)
    assert modelfile.to_bytes(parts) == modelfile.to_bytes(one)


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_members_of_a_forest_have_leaves_of_their_own(n_jobs):
    X, y = rows()
    forest = rp.OnlineBagging(
        estimator=tree(Centroids()), n_estimators=3, random_state=1, n_jobs=n_jobs
    )
    right = forest.prequential(X, y) == y
    assert right[500:].mean() > 0.6
    again = clone(forest).set_params(n_jobs=2).partial_fit(X, y)
    assert modelfile.to_bytes(again) == modelfile.to_bytes(forest)
    (first, *_) = forest.estimators_
    assert first.n_leaves_ > 1
    np.testing.assert_allclose(first.predict_proba(X[:20]).sum(axis=1), 1.0)


class Watching(Centroids):
    seen: ClassVar[list[Example]] = []

    def learn(self, x, y, w):
        self.seen.append((x, y, w))
        super().learn(x, y, w)


def test_an_example_has_numbers_and_codes_and_a_weight():
    Watching.seen.clear()
    model = tree(Watching())
    model.learn_one({"a": 1.5, "job": "nurse"}, "no")
    model.learn_one({"b": 2.0, "job": "cook", "a": None}, "yes", 0.5)
    (first, y, w), (second, z, v) = Watching.seen
    assert isinstance(first, Example)
    assert (first.numbers.tolist(), first.codes.tolist(), y, w) == ([1.5], [0], 0, 1.0)
    assert np.isnan(second.numbers[0])
    assert (second.numbers[1], second.codes.tolist(), z, v) == (2.0, [1], 1, 0.5)


def test_a_leaf_that_has_learned_nothing_or_cannot_predict_uses_the_majority():
    class Silent(Centroids):
        def predict_proba(self, x):
            return None

    X, y = rows(300)
    own, majority = tree(Silent(), max_depth=0).fit(X, y), tree("majority", max_depth=0).fit(X, y)
    np.testing.assert_array_equal(own.predict_proba(X), majority.predict_proba(X))


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (np.ones((1, 2)), r"one number per class, got an array of shape \(1, 2\)"),
        ([0.5, np.nan], "finite and at least 0"),
        ([0.5, -0.5], "finite and at least 0"),
    ],
)
def test_wrong_probabilities_are_refused(returned, message):
    class Wrong(Centroids):
        def predict_proba(self, x):
            return returned

    X, y = rows(100)
    model = tree(Wrong()).fit(X, y)
    with pytest.raises(ValueError, match=f"leaf .*Wrong.*{message}"):
        model.predict(X)
    with pytest.raises(ValueError, match=message):
        model.prequential(X, y)
    assert model.n_seen_ == 100


class Failing(Centroids):
    left: ClassVar[list[int]] = [10**9]

    def learn(self, x, y, w):
        self.left[0] -= 1
        if self.left[0] == 0:
            raise RuntimeError("no answer today")
        super().learn(x, y, w)


def test_a_predictor_that_fails_leaves_the_model_as_it_was():
    X, y = rows(900)
    Failing.left[0] = 10**9
    model = tree(("naive-bayes", Failing())).partial_fit(X[:500], y[:500])
    before = modelfile.to_bytes(model)
    Failing.left[0] = 200
    with pytest.raises(RuntimeError, match="no answer today"):
        model.partial_fit(X[500:], y[500:])
    assert modelfile.to_bytes(model) == before
    Failing.left[0] = 10**9
    twin = pickle.loads(pickle.dumps(model))
    for each in (model, twin):
        each.partial_fit(X[500:], y[500:])
    assert modelfile.to_bytes(twin) == modelfile.to_bytes(model)


class Interrupted(Centroids):
    left: ClassVar[list[int]] = [10**9]

    def learn(self, x, y, w):
        self.left[0] -= 1
        if self.left[0] == 0:
            os.kill(os.getpid(), signal.SIGINT)
            for _ in range(1000):  # the interpreter checks for signals here
                pass
        super().learn(x, y, w)


def test_after_ctrl_c_in_a_predictor_whole_rows_are_learned():
    X, y = rows(1000)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        Interrupted.left[0] = 300
        model = tree(Interrupted())
        with pytest.raises(KeyboardInterrupt):
            model.partial_fit(X, y)
    finally:
        signal.signal(signal.SIGINT, handler)
    Interrupted.left[0] = 10**9
    assert 300 <= model.n_seen_ <= 1000
    whole = tree(Interrupted()).partial_fit(X[: model.n_seen_], y[: model.n_seen_])
    np.testing.assert_array_equal(whole.predict_proba(X), model.predict_proba(X))


def test_it_is_saved_by_its_state_and_asked_for_when_loaded(tmp_path):
    X, y = rows()
    for leaf in (Centroids(), ("majority", Centroids())):
        model = tree(leaf).partial_fit(X[:800], y[:800])
        model.save(tmp_path / "model.rip")
        with pytest.raises(rp.ModelFileError, match=r"leaf=.*:Centroids; pass such an object"):
            rp.load(tmp_path / "model.rip")
        again = rp.load(tmp_path / "model.rip", {"leaf": Centroids()})
        for each in (model, again):
            each.partial_fit(X[800:], y[800:])
        assert modelfile.to_bytes(again) == modelfile.to_bytes(model)
    forest = rp.OnlineBagging(estimator=tree(Centroids()), n_estimators=2).fit(X, y)
    forest.save(tmp_path / "forest.rip")
    again = rp.load(tmp_path / "forest.rip", {"estimator__leaf": Centroids()})
    np.testing.assert_array_equal(again.predict_proba(X), forest.predict_proba(X))


def test_without_a_state_it_is_not_saved_but_pickled(tmp_path):
    X, y = rows()
    model = tree(OwnSoftmax()).partial_fit(X[:800], y[:800])
    with pytest.raises(TypeError, match=r"parameter leaf=.* cannot be saved.*set_state\(state\)"):
        model.save(tmp_path / "model.rip")
    assert not list(tmp_path.iterdir())
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(twin.predict_proba(X), model.predict_proba(X))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"adaptation": "window"}, "it cannot forget an example"),
        ({"leaf_features": 2}, "it gets all features"),
        ({"max_bytes": "10MB"}, "its memory cannot be counted"),
    ],
)
def test_what_it_cannot_be_combined_with_is_refused_by_name(options, message):
    X, y = rows(50)
    with pytest.raises(ValueError, match=message):
        tree(Centroids(), **options).fit(X, y)
    with pytest.raises(ValueError, match="needs max_bytes=None"):
        rp.OnlineBagging(estimator=tree(Centroids()), max_bytes="10MB").fit(X, y)
    with pytest.raises(ValueError, match="must not contain a predictor twice"):
        tree((Centroids(), Centroids())).fit(X, y)
    with pytest.raises(ValueError, match="leaf must be one of"):
        tree(object()).fit(X, y)
