"""Impurities and bounds that a user wrote."""

import copy
import pickle
import sys
import threading

import numpy as np
import pytest
from sklearn.base import clone

import riparian as rp
from riparian.bounds import Evidence, hoeffding
from riparian.policies.callables import check_bound, check_impurity
from riparian.storage import modelfile
from tests.split_by_split import STREAMS, numbers

SMALL = {"grace_period": 50, "delta": 0.01, "tau": 0.1}


def gini(counts):
    total = counts.sum(axis=-1, keepdims=True)
    shares = counts / np.where(total > 0.0, total, 1.0)
    return 1.0 - (shares * shares).sum(axis=-1)


def entropy(counts):
    # 0/0 in an empty branch is allowed: it weighs nothing.
    shares = counts / counts.sum(axis=-1, keepdims=True)
    return -(shares * np.log2(np.where(shares > 0.0, shares, 1.0))).sum(axis=-1)


def hoeffding_again(evidence):
    return hoeffding(evidence.n, delta=evidence.delta, gain_range=evidence.gain_range)


class Failing:
    """A Gini or a Hoeffding that does something else from its n-th call on."""

    def __init__(self, function, then, after):
        self.function, self.then, self.after = function, then, after
        self.calls = 0
        self.__module__, self.__qualname__ = __name__, "Failing"

    def __call__(self, asked):
        self.calls += 1
        return self.then(asked) if self.calls > self.after else self.function(asked)


def refuse(_):
    raise RuntimeError("no answer today")


def same_splits(one, other):
    assert len(one.splits()) == len(other.splits()) > 0
    for a, b in zip(one.splits(), other.splits(), strict=True):
        assert (a.node, a.seen, a.cut, a.reason) == (b.node, b.seen, b.cut, b.reason)
        # Of two values, each against the other is the same cut twice.
        assert a.runner_up.split()[0] == b.runner_up.split()[0]
        assert a.gain == pytest.approx(b.gain, abs=1e-9)
        assert a.runner_up_gain == pytest.approx(b.runner_up_gain, abs=1e-9)
        assert a.epsilon == pytest.approx(b.epsilon, rel=1e-12)
        assert a.branches == b.branches


def learned(stream, n=2500, **options):
    X, y, w, categorical = stream(np.random.default_rng(2), n)
    model = rp.HoeffdingTree(categorical_features=np.flatnonzero(categorical), **SMALL | options)
    return model.partial_fit(X, y, sample_weight=w)


@pytest.mark.parametrize("categorical_cuts", ["multiway", "one-against-rest", "both"])
@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_a_gini_of_ones_own_grows_the_built_in_tree(stream, categorical_cuts):
    options = {"categorical_cuts": categorical_cuts}
    same_splits(
        learned(stream, impurity=gini, **options), learned(stream, impurity="gini", **options)
    )


@pytest.mark.parametrize("statistics", ["gaussian", "exhaustive", "intervals"])
@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_an_entropy_of_ones_own_grows_the_built_in_tree(stream, statistics):
    # Entropy at equal shares is log2 of the classes, the range of the built-in.
    options = {"statistics": statistics, "runner_up": "cut"}
    same_splits(
        learned(stream, impurity=entropy, **options), learned(stream, impurity="entropy", **options)
    )


@pytest.mark.parametrize("epsilons", [1, 2])
@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_a_hoeffding_of_ones_own_grows_the_built_in_tree(stream, epsilons):
    same_splits(
        learned(stream, bound=hoeffding_again, epsilons=epsilons),
        learned(stream, bound="hoeffding", epsilons=epsilons),
    )


@pytest.mark.parametrize(
    ("impurity", "expected"), [(gini, lambda k: 1.0), (entropy, np.log2)], ids=["gini", "entropy"]
)
def test_the_range_of_a_function_is_its_value_at_equal_shares_or_1(impurity, expected):
    told = []

    def tell(evidence):
        told.append((float(evidence.classes[0]), float(evidence.gain_range[0])))
        return hoeffding_again(evidence)

    learned(numbers, impurity=impurity, bound=tell)
    asked = {(classes, gain_range) for classes, gain_range in told[1:]}
    assert {classes for classes, _ in asked} >= {2.0, 3.0}
    assert all(r == pytest.approx(expected(max(k, 2.0))) for k, r in asked)


def test_a_bound_is_told_all_that_the_leaf_knows():
    told = []

    def tell(evidence):
        told.append(evidence)
        return hoeffding_again(evidence)

    model = learned(numbers, bound=tell, impurity="gini", spend_delta=True)
    assert all(isinstance(e, Evidence) and e.n.shape == (1,) for e in told)
    first, last = told[1], told[-1]
    assert (first.n[0], first.seen[0], first.depth[0]) == (50.0, 50.0, 0.0)
    assert first.delta[0] == pytest.approx(0.01 / 2)
    assert first.features[0] == 4.0
    assert last.seen[0] <= model.n_seen_
    assert any(e.variance[0] > 0.0 for e in told[1:])


WRONG = [
    pytest.param("impurity", lambda c: gini(c)[:, :1], "shape", id="shape"),
    pytest.param("impurity", lambda c: gini(c) * np.nan, "finite", id="NaN"),
    pytest.param("impurity", lambda c: gini(c) + np.inf, "finite", id="infinity"),
    pytest.param("impurity", refuse, "no answer today", id="exception"),
    pytest.param("bound", lambda e: np.ones(3), "shape", id="bound's shape"),
    pytest.param("bound", lambda e: np.array([np.nan]), "at least 0", id="bound's NaN"),
    pytest.param("bound", lambda e: np.array([-1.0]), "at least 0", id="negative bound"),
    pytest.param("bound", refuse, "no answer today", id="bound's exception"),
]


@pytest.mark.parametrize(("axis", "wrong", "message"), WRONG)
def test_a_wrong_function_is_refused_before_anything_is_learned(axis, wrong, message):
    X, y, *_ = numbers(np.random.default_rng(0), 100)
    model = rp.HoeffdingTree(**{axis: wrong})
    for learn in (model.fit, model.partial_fit, model.prequential):
        with pytest.raises((ValueError, RuntimeError), match=message):
            learn(X, y)
        assert not model.__sklearn_is_fitted__()
    with pytest.raises((ValueError, RuntimeError), match=message):
        model.learn_one({"a": 1.0}, 0)
    assert not model.__sklearn_is_fitted__()
    assert model.predict_one({"a": 1.0}) is None


def row_by_row(model, X, y):
    for row, label in zip(X.tolist(), y.tolist(), strict=True):
        model.learn_one(dict(enumerate(row)), label)


WAYS = {
    "partial_fit": lambda model, X, y: model.partial_fit(X, y),
    "prequential": lambda model, X, y: model.prequential(X, y),
    "learn_one": row_by_row,
}


@pytest.mark.parametrize(("axis", "wrong", "message"), WRONG)
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_a_function_that_fails_later_leaves_the_model_as_it_was(way, axis, wrong, message):
    X, y, *_ = numbers(np.random.default_rng(0), 1600)
    good = gini if axis == "impurity" else hoeffding_again
    function = Failing(good, wrong, after=10**9)
    model = rp.HoeffdingTree(**{axis: function}, **SMALL).partial_fit(X[:1000], y[:1000])
    if way is row_by_row:
        # Row by row all is kept up to the row that fails.
        function.after = function.calls + 6
        said = ""
        for row, label in zip(X[1000:].tolist(), y[1000:].tolist(), strict=True):
            before = modelfile.to_bytes(model)
            try:
                model.learn_one(dict(enumerate(row)), label)
            except (ValueError, RuntimeError) as error:
                said = str(error)
                break
        assert message in said
    else:
        before = modelfile.to_bytes(model)
        # A new class and seven checks are in the batch before it fails.
        function.after = function.calls + 7
        with pytest.raises((ValueError, RuntimeError), match=message):
            way(model, X[1000:], np.where(X[1000:, 3] > 2.0, 9, y[1000:]))
    assert modelfile.to_bytes(model) == before
    assert model.n_seen_ == modelfile.from_bytes(before, {axis: good}).n_seen_ >= 1000

    # It learns on as if nothing had been.
    function.after = 10**9
    other = modelfile.from_bytes(before, {axis: good})
    for each in (model, other):
        each.partial_fit(X[1000:], y[1000:])
    same_splits(model, other)
    assert (model.predict_proba(X) == other.predict_proba(X)).all()


def test_a_first_batch_that_fails_leaves_the_model_unfitted():
    X, y, *_ = numbers(np.random.default_rng(0), 600)
    # The first call is the one that tries the function out.
    for way in ("fit", "partial_fit", "prequential"):
        model = rp.HoeffdingTree(impurity=Failing(gini, refuse, after=4), **SMALL)
        with pytest.raises(RuntimeError, match="no answer today"):
            getattr(model, way)(X, y)
        assert not model.__sklearn_is_fitted__()
        assert vars(model).keys() == vars(rp.HoeffdingTree()).keys()


def test_a_failed_fit_keeps_what_was_learned_before():
    X, y, *_ = numbers(np.random.default_rng(0), 600)
    function = Failing(gini, refuse, after=10**9)
    model = rp.HoeffdingTree(impurity=function, **SMALL).fit(X, y)
    before = modelfile.to_bytes(model)
    function.after = function.calls + 4
    with pytest.raises(RuntimeError, match="no answer today"):
        model.fit(X[::-1], y[::-1])
    assert modelfile.to_bytes(model) == before


def test_costs_outlive_a_bound_that_fails():
    X, y, *_ = numbers(np.random.default_rng(0), 900)
    function = Failing(hoeffding_again, refuse, after=10**9)
    costs = [[0, 4, 2], [2, 0, 4], [1, 1, 0]]
    model = rp.HoeffdingTree(impurity="loss", costs=costs, bound=function, **SMALL)
    model.partial_fit(X[:600], y[:600])
    before, pending = modelfile.to_bytes(model), model.pending()
    function.after = function.calls + 2
    with pytest.raises(RuntimeError, match="no answer today"):
        model.partial_fit(X[600:], y[600:])
    function.after = 10**9
    assert modelfile.to_bytes(model) == before
    assert model.pending() == pending


def test_a_function_is_saved_by_name_and_asked_for_when_loaded(tmp_path):
    model = learned(numbers, impurity=gini, bound=hoeffding_again)
    path = tmp_path / "model.rip"
    model.save(path)
    assert f"{__name__}:gini".encode() in path.read_bytes()

    imported = []
    watching = True

    def listen(event, arguments):
        if watching and event == "import":
            imported.append(arguments[0])

    sys.addaudithook(listen)
    with pytest.raises(rp.ModelFileError, match=r"load\(path, functions=\{'bound': \.\.\.\}\)"):
        rp.load(path)
    with pytest.raises(rp.ModelFileError, match="must be callable"):
        rp.load(path, functions={"impurity": gini, "bound": "hoeffding"})
    again = rp.load(path, functions={"impurity": gini, "bound": hoeffding_again})
    watching = False
    assert not [name for name in imported if not name.startswith(("riparian", "numpy"))]
    assert modelfile.to_bytes(again) == modelfile.to_bytes(model)
    X, y, *_ = numbers(np.random.default_rng(9), 800)
    same_splits(again.partial_fit(X, y), model.partial_fit(X, y))


def test_a_function_without_a_name_is_not_saved(tmp_path):
    model = learned(numbers, impurity=lambda counts: gini(counts))
    with pytest.raises(TypeError, match=r"impurity=.*cannot be saved.*define it in a module"):
        model.save(tmp_path / "model.rip")
    assert not list(tmp_path.iterdir())


def test_copies_and_pickles_learn_on_alike():
    model = learned(numbers, n=1000, impurity=gini, bound=hoeffding_again)
    twins = [copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    X, y, *_ = numbers(np.random.default_rng(9), 800)
    model.partial_fit(X, y)
    for twin in twins:
        assert twin.impurity is gini
        same_splits(twin.partial_fit(X, y), model)


def test_copies_and_pickles_of_a_forest_keep_the_functions_of_its_members():
    X, y, *_ = numbers(np.random.default_rng(9), 800)
    tree = rp.HoeffdingTree(impurity=gini, bound=hoeffding_again, **SMALL)
    model = rp.OnlineBagging(estimator=tree, n_estimators=2).partial_fit(X[:400], y[:400])
    twins = [copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    model.partial_fit(X[400:], y[400:])
    for twin in twins:
        assert twin.estimator.impurity is gini
        twin.partial_fit(X[400:], y[400:])
        assert modelfile.to_bytes(twin) == modelfile.to_bytes(model)


def test_a_pickle_keeps_the_function_that_was_learned_with_though_another_is_set():
    X, y, *_ = numbers(np.random.default_rng(9), 400)
    tree = rp.HoeffdingTree(impurity=gini, **SMALL).partial_fit(X, y)
    forest = rp.OnlineBagging(estimator=clone(tree), n_estimators=2).partial_fit(X, y)
    tree.set_params(impurity="entropy")
    forest.set_params(estimator__impurity="entropy")
    for model in (tree, forest):
        again = pickle.loads(pickle.dumps(model))
        assert modelfile.to_bytes(again) == modelfile.to_bytes(model)
        assert str(again.get_params()) == str(model.get_params())


def test_a_file_of_a_forest_says_under_which_name_it_takes_a_function(tmp_path):
    X, y, *_ = numbers(np.random.default_rng(9), 400)
    tree = rp.HoeffdingTree(impurity=gini, **SMALL)
    rp.OnlineBagging(estimator=tree, n_estimators=2).fit(X, y).save(tmp_path / "model.rip")
    message = (
        r"estimator__impurity=.*:gini.*load\(path, functions=\{'estimator__impurity': \.\.\.\}"
    )
    for functions in (None, {"impurity": gini}, {"other__impurity": gini}):
        with pytest.raises(rp.ModelFileError, match=message):
            rp.load(tmp_path / "model.rip", functions=functions)
    with pytest.raises(rp.ModelFileError, match=r"'estimator__impurity'\] must be callable"):
        rp.load(tmp_path / "model.rip", functions={"estimator__impurity": "gini"})
    again = rp.load(tmp_path / "model.rip", functions={"estimator__impurity": gini})
    assert modelfile.to_bytes(again) == (tmp_path / "model.rip").read_bytes()


def test_what_is_asked_for_can_be_tried_out_alone():
    assert check_impurity(entropy)(np.array([[[1.0, 1.0], [0.0, 0.0]]])).tolist() == [[1.0, 0.0]]
    numbers_of_a_leaf = (200.0, 1.0, 1e-7, 2.0, 0.0, 200.0, 3.0, np.nan)
    assert check_bound(hoeffding_again)(*numbers_of_a_leaf) == pytest.approx(0.20074, abs=5e-6)


def test_four_threads_read_while_one_learns_with_functions():
    X, y, *_ = numbers(np.random.default_rng(0), 20_000)
    model = rp.HoeffdingTree(impurity=gini, bound=hoeffding_again, **SMALL)
    model.partial_fit(X[:100], y[:100])
    done = threading.Event()
    failures = []

    def read():
        try:
            while not done.is_set():
                model.predict(X[:50])
                model.predict_proba_one(dict(enumerate(X[0].tolist())))
                assert model.n_seen_ >= 100
                assert model.n_leaves_ >= 1
                model.splits()
                model.pending()
        except BaseException as error:
            failures.append(error)

    def learn():
        try:
            for start in range(100, len(y), 500):
                if done.is_set():
                    break
                model.partial_fit(X[start : start + 500], y[start : start + 500])
        except BaseException as error:
            failures.append(error)

    readers = [threading.Thread(target=read, daemon=True) for _ in range(4)]
    learner = threading.Thread(target=learn, daemon=True)
    for thread in [*readers, learner]:
        thread.start()
    learner.join(5.0)
    done.set()
    for thread in [*readers, learner]:
        thread.join(5.0)
        assert not thread.is_alive(), "deadlock"
    assert not failures
    assert model.n_seen_ > 100
