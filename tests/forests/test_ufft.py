"""UFFT: what its sheet asks for, and every answer as the slow reference gives it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import riparian as rp
from riparian.drift import ADWIN, DDM
from riparian.errors import ModelFileError
from riparian.models.forests.ufft import PairVote, n_min
from riparian.storage.modelfile import from_bytes, to_bytes
from riparian.streams import sea
from tests import inside
from tests.compositions import policies_of
from tests.contract.conftest import mixed  # noqa: F401
from tests.reference import ufft as reference

FAST = {"n_min": "fixed", "grace_period": 30, "delta": 0.05, "tau": 0.2}
TREE = {"grace_period": 30, "delta": 0.05, "tau": 0.2}


def stream(n=900, d=3, seed=0, late=300):
    """Three classes; the last comes late, and at times the first is away for long."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, size=n)
    y[:2] = 0, 1
    if late:
        y[late:][rng.random(n - late) < 0.4] = 2
        y[late + 100 : late + 250] = np.maximum(y[late + 100 : late + 250], 1)
    X = rng.normal(size=(n, d)) + 1.2 * np.outer(y, np.arange(d) % 2) + 0.6 * y[:, None]
    X[:, 0] += (y == 1) * np.where(np.arange(n) % 2, 2.0, -2.0)
    return X, y


# -- n_min ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("delta", "epsilon", "slide", "standard"),
    [
        (0.05, 0.05, 36.889, 737.776),
        (1e-6, 0.05, 1_844_439.7, 2901.7),
        (0.01, 0.1, 149.787, 264.916),
    ],
)
def test_n_min_of_the_sheet(delta, epsilon, slide, standard):
    assert n_min(delta, epsilon, "slide") == pytest.approx(slide, abs=0.05)
    assert n_min(delta, epsilon) == pytest.approx(standard, abs=0.05)
    for reading in ("slide", "standard"):
        want = reference.n_min(delta, epsilon, reading)
        assert n_min(delta, epsilon, reading) == pytest.approx(want, rel=1e-12)


def test_leaves_are_looked_at_every_n_min():
    X, y = sea(seed=3).take(4000)
    options = {"delta": 0.01, "tau": 0.1}
    for reading, grace in (("standard", 264.915), ("slide", 149.786)):
        model = rp.UFFT(n_min=reading, **options).fit(X, y)
        tree = model.estimators_[0]
        assert tree.grace_period == pytest.approx(grace, abs=0.005)
        assert tree.splits()[0].n % np.ceil(grace) == 0


# -- against the reference --------------------------------------------------------------------


@pytest.mark.parametrize("memory", ["shared", "tree"])
@pytest.mark.parametrize("leaf", ["majority", "naive-bayes", "idbd", ("majority", "naive-bayes")])
@pytest.mark.parametrize("short_memory", [0, 40, 200])
def test_every_answer_is_that_of_the_reference(leaf, memory, short_memory):
    X, y = stream()
    w = np.random.default_rng(2).choice([0.5, 1.0, 1.0, 2.0], size=len(y))
    options = policies_of({"leaf": leaf, "short_memory": short_memory}, rp.UFFT)
    model = rp.UFFT(memory=memory, **options, **FAST)
    _, got = model.prequential(X, y, w, proba=True)
    slow = reference.ReferenceUFFT(
        ["numeric"] * 3, short_memory=short_memory, memory=memory, leaf=leaf, **TREE
    )
    want = np.zeros_like(got)
    for i, (row, label, weight) in enumerate(zip(X, y.tolist(), w, strict=True)):
        if i:
            want[i] = slow.probabilities(row, 3)
        slow.learn(row, label, weight)
    np.testing.assert_allclose(got[1:], want[1:], atol=1e-6)
    assert [t.pair for t in slow.trees] == [tuple(p) for p in model.pairs_]
    grown = [[(s.seen, s.n) for s in splits] for splits in model.splits()]
    assert grown == [[(s.seen, s.n) for s in t.tree.splits] for t in slow.trees]
    assert sum(map(len, grown)) > 2


@pytest.mark.parametrize("kind", [lambda: ADWIN(delta=0.3), lambda: DDM(warm_start=20)])
def test_a_tree_whose_errors_rise_begins_anew(kind):
    X, y = stream(1200)
    y = y.copy()
    y[700:] = 2 - y[700:]
    model = rp.UFFT(drift=kind(), short_memory=60, **FAST)
    _, got = model.prequential(X, y, proba=True)
    slow = reference.ReferenceUFFT(
        ["numeric"] * 3, short_memory=60, leaf="naive-bayes", detector=kind, **TREE
    )
    want = np.zeros_like(got)
    for i, (row, label) in enumerate(zip(X, y.tolist(), strict=True)):
        if i:
            want[i] = slow.probabilities(row, 3)
        slow.learn(row, label)
    np.testing.assert_allclose(got[1:], want[1:], atol=1e-6)
    assert model.n_drifts_ == slow.n_drifts > 0


def test_costs_come_after_the_sum():
    X, y = stream()
    costs = np.array([[0.0, 1.0, 9.0], [2.0, 0.0, 1.0], [0.3, 1.0, 0.0]])
    plain, costly = rp.UFFT(**FAST), rp.UFFT(costs=costs.tolist(), **FAST)
    _, p = plain.prequential(X, y, proba=True)
    said, q = costly.prequential(X, y, proba=True)
    np.testing.assert_array_equal(p, q)
    expected = (p @ costs.T).argmin(axis=1)
    # Only classes that have been seen are answered.
    late = np.flatnonzero(y == 2)[0]
    np.testing.assert_array_equal(said[late + 1 :], expected[late + 1 :])
    assert set(said[1 : late + 1]) <= {0, 1}
    assert (said != p.argmax(axis=1)).any()


def test_the_costs_of_the_contest_move_the_threshold():
    X, y = stream(late=0)
    costs = {(0, 1): 10.0, (1, 0): 0.1}
    model = rp.UFFT(costs=costs, **FAST).fit(X, y)
    p = model.predict_proba(X)[:, 1]
    clear = abs(p - 0.1 / 10.1) > 1e-9
    np.testing.assert_array_equal(model.predict(X)[clear] == 1, p[clear] > 0.1 / 10.1)


# -- the sheet's own tests --------------------------------------------------------------------


def test_relabelling_permutes_the_predictions():
    X, y = stream()
    names = np.array(["north", "east", "south"])
    for order in ([0, 1, 2], [2, 0, 1], [1, 2, 0]):
        labels = names[order][y]
        model = rp.UFFT(**FAST).fit(X, labels)
        p = model.predict_proba(X)
        columns = [list(model.classes_).index(name) for name in names[order]]
        if order == [0, 1, 2]:
            first = p[:, columns]
        np.testing.assert_allclose(p[:, columns], first, atol=1e-9)


@pytest.mark.parametrize("leaf", ["majority", "naive-bayes", "linear-units", "adaptive"])
@pytest.mark.parametrize("memory", ["shared", "tree"])
def test_two_classes_are_one_tree(leaf, memory):
    X, y = sea(seed=5).take(3000)
    forest = rp.UFFT(leaf=leaf, memory=memory, short_memory=150, **FAST)
    tree = rp.HoeffdingTree(cuts="qda", leaf=leaf, short_memory=150, **TREE)
    p = forest.prequential(X, y, proba=True)
    q = tree.prequential(X, y, proba=True)
    second = np.flatnonzero(y != y[0])[0]
    np.testing.assert_array_equal(p[1][second + 1 :], q[1][second + 1 :])
    np.testing.assert_array_equal(p[0][second + 1 :], q[0][second + 1 :])
    assert forest.pairs_ == [tuple(forest.classes_)]
    # Of the cuts that lost a member remembers the runner-up.
    kept = [replace(split, candidates=split.candidates[:2]) for split in tree.splits()]
    assert forest.splits()[0] == kept
    assert len(kept) > 3
    np.testing.assert_allclose(forest.feature_importances_, tree.feature_importances_)
    np.testing.assert_array_equal(forest.estimators_[0].predict_proba(X), tree.predict_proba(X))


def test_a_tree_of_a_pair_remembers_the_runner_up_and_one_by_itself_more():
    X, y = sea(seed=5).take(3000)
    how = {"delta": 0.05, "tau": 0.2, "grace_period": 100, "short_memory": 150}
    pair = rp.UFFT(n_min="fixed", **how).fit(X, y).splits()[0]
    alone = rp.HoeffdingTree(cuts="qda", leaf="naive-bayes", **how).fit(X, y).splits()
    assert max(len(split.candidates) for split in alone) == 3
    assert [s.candidates for s in pair] == [s.candidates[:2] for s in alone]


def test_one_class_never_seen_leaves_one_tree():
    X, y = stream(late=0)
    model = rp.UFFT(**FAST)
    model.partial_fit(X[:1], y[:1], classes=[0, 1, 2])
    assert model.pairs_ == []
    np.testing.assert_array_equal(model.predict_proba(X[:2]), [np.eye(3)[y[0]]] * 2)
    model.partial_fit(X, y)
    assert model.pairs_ == [(0, 1)]
    assert (model.predict_proba(X)[:, 2] == 0).all()


def test_a_late_class_gets_trees_that_know_the_others():
    X, y = stream(late=500)
    y[500:] = np.where(np.arange(400) == 0, 2, y[500:] % 2)
    model = rp.UFFT(short_memory=100, **FAST).partial_fit(X[:501], y[:501])
    assert model.pairs_ == [(0, 1), (0, 2), (1, 2)]
    for (low, high), tree in zip(model.pairs_[1:], model.estimators_[1:], strict=True):
        assert high == 2
        assert tree.n_seen_ == (y[400:500] == low).sum() + 1
        assert list(tree.classes_) == [low, high]
    # What came before the memory is not known to them.
    empty = rp.UFFT(short_memory=0, **FAST).partial_fit(X[:501], y[:501])
    assert [t.n_seen_ for t in empty.estimators_] == [500 - np.flatnonzero(y != y[0])[0], 1, 1]


def test_pairs_follow_the_order_of_appearance():
    X, _ = stream()
    model = rp.UFFT(**FAST)
    model.partial_fit(X[:4], ["b", "a", "d", "c"])
    assert model.pairs_ == [
        ("b", "a"),
        ("b", "d"),
        ("a", "d"),
        ("b", "c"),
        ("a", "c"),
        ("d", "c"),
    ]
    assert model.fit(X[:4], ["b", "a", "d", "c"]).pairs_[0] == ("a", "b")


def test_a_class_without_room_is_an_error_that_changes_nothing():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 6, 3000)
    y[:500] %= 2
    X = rng.normal(size=(3000, 4)) + 0.3 * y[:, None]
    # Five more classes, whose names are known before: only rows tell that trees are needed.
    model = rp.UFFT(max_bytes=60_000, short_memory=100, **FAST)
    model.partial_fit(X[:500], y[:500], classes=range(6))
    before = to_bytes(model)
    with pytest.raises(ValueError, match=r"max_bytes is 60000, but .* bytes are needed"):
        model.partial_fit(X[500:], y[500:])
    assert to_bytes(model) == before
    model.set_params(max_bytes=200_000).partial_fit(X[500:], y[500:])
    assert len(model.pairs_) == 15
    assert model.memory_bytes_ <= 200_000


# -- looking inside ---------------------------------------------------------------------------


def test_votes_sum_to_the_answer():
    X, y = stream()
    model = rp.UFFT(**FAST).fit(X, y)
    votes: list[Any] = model.explain_one(dict(enumerate(X[700])))
    assert [v.pair for v in votes] == model.pairs_
    total = dict.fromkeys(model.classes_, 0.0)
    for vote in votes:
        for k, p in vote.probabilities.items():
            total[k] += p / 3
    assert total == pytest.approx(model.predict_proba_one(dict(enumerate(X[700]))))
    vote = PairVote(0, 1.0, "b", {"a": 0.25, "b": 0.75}, ("a", "b"))
    assert str(vote) == "'a' or 'b': 'b' with 0.750"


def test_the_trees_of_a_mixed_stream_can_be_taken_out(mixed):  # noqa: F811
    model = mixed.learned_by(rp.UFFT(**FAST))
    for tree, pair in zip(model.estimators_, model.pairs_, strict=True):
        assert tuple(tree.classes_) == pair
        again = from_bytes(to_bytes(tree))
        np.testing.assert_array_equal(
            again.predict_proba(mixed.columns), tree.predict_proba(mixed.columns)
        )
    assert model.feature_importances_.sum() == pytest.approx(1.0)
    assert model.n_leaves_ == sum(tree.n_leaves_ for tree in model.estimators_)
    assert model.depth_ == max(tree.depth_ for tree in model.estimators_)


# -- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_min": "slides"}, "n_min must be one of 'standard', 'slide', 'fixed'"),
        ({"n_min": "fixed"}, "grace_period must be a number with n_min='fixed'"),
        ({"grace_period": 5}, "needs n_min='fixed'"),
        ({"tau": 0}, "tau must be a number from 1e-12 to 1 with n_min='standard'"),
        ({"delta": 1e-20, "n_min": "slide"}, "examples before the first check"),
        ({"memory": "none"}, "memory must be one of 'shared', 'tree'"),
        ({"short_memory": -1}, "short_memory must be a whole number"),
        ({"drift": 2.0}, "drift must be the delta of an ADWIN"),
        ({"leaf": "bayes"}, "leaf"),
        ({"cuts": "lda"}, "cuts must be one of"),
        ({"n_jobs": 0}, "n_jobs must be a whole number"),
        ({"max_bytes": "much"}, "max_bytes must be a number of bytes"),
    ],
)
def test_a_wrong_parameter_is_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        rp.UFFT(**parameters).fit([[0.0], [1.0]], [0, 1])


def test_n_min_refuses_what_has_no_size():
    with pytest.raises(ValueError, match="reading must be one of"):
        n_min(0.1, 0.1, "fixed")
    with pytest.raises(ValueError, match="epsilon must be a number"):
        n_min(0.1, 0.0)


# -- files ------------------------------------------------------------------------------------


def put(index, value):
    def change(array):
        array[index] = value
        return array

    return change


HOSTILE = [
    ("order", put(0, 2), "one twice"),
    ("order", put(0, 7), "no class"),
    ("order", lambda a: a[:2], "neither seen nor declared"),
    ("order", lambda a: np.arange(60000, dtype=a.dtype), "no class"),
    ("classes", put(0, 4), "neither seen nor declared"),
    ("classes", put(0, 70_000), "too large"),
    ("declared", put(0, 4), "too large"),
    ("seen", put(0, 0), "order does not go"),
    ("seen", put(0, 20), "memory_labels has the wrong size"),
    ("kinds", put(0, 2), "unknown kind"),
    ("kinds", put(0, 1), "categories has . values instead"),
    ("categories", lambda a: np.ones(1, dtype=a.dtype), "categories has . values instead"),
    ("memory_labels", put(3, -1), "no such class"),
    ("memory_labels", put(3, 3), "no such class"),
    ("memory_labels", lambda a: a[1:], "wrong size"),
    ("memory_weights", put(0, 0.0), "not a weight"),
    ("memory_weights", put(0, np.nan), "not a weight"),
    ("memory_weights", put(0, np.inf), "not a weight"),
    ("memory_values", put(0, np.inf), "out of range"),
    ("memory_values", lambda a: a[:-1], "values instead of"),
    ("memory_codes", lambda a: np.zeros(1, dtype=a.dtype), "values instead of"),
    ("drifts", lambda a: a[:-1], "drifts has"),
    ("detector_sizes", put(0, 0), "too many or too few"),
    ("detector_sizes", put(0, 2**40), "ends too early"),
    ("detectors", lambda a: a[:-1], "ends too early"),
    ("detectors", lambda a: np.append(a, 0.0), "too long"),
    ("tree0.classes", put(0, 3), "counts has"),
    ("tree1.seen", put(0, 10**6), "seen more than its forest"),
    ("tree2.memory_labels", lambda a: np.zeros(1, dtype=a.dtype), "more examples than"),
]


@pytest.fixture(scope="module")
def fitted():
    X, y = stream()
    X[5, 1] = np.nan
    return rp.UFFT(drift=0.01, short_memory=50, **FAST).fit(X, y)


@pytest.mark.parametrize(("name", "change", "message"), HOSTILE)
def test_a_hostile_file_is_refused(fitted, name, change, message):
    arrays = inside.snapshot(fitted)
    inside.restored(fitted, dict(arrays))
    arrays[name] = change(arrays[name].copy())
    with pytest.raises(ValueError, match=message):
        inside.restored(fitted, arrays)


def test_a_tree_of_its_own_memory_is_not_one_of_the_shared():
    X, y = stream()
    own = rp.UFFT(memory="tree", short_memory=50, **FAST).fit(X, y)
    shared = rp.UFFT(memory="shared", short_memory=50, **FAST)
    with pytest.raises(ValueError, match="memory_labels"):
        inside.restored(shared, inside.snapshot(own))
    data = to_bytes(own)
    assert to_bytes(from_bytes(data)) == data
    with pytest.raises(ModelFileError):
        from_bytes(data[:-1] + bytes([data[-1] ^ 1]))
