"""A limit of memory holds from the first row on, and the tree goes on learning."""

from __future__ import annotations

import ctypes
import functools
import gc
import os
import pickle
import re
import subprocess
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import riparian as rp
from riparian.adaptation import Window
from riparian.impurities import Accuracy
from riparian.models.settings import byte_count
from riparian.storage.modelfile import to_bytes
from riparian.streams import hyperplane, random_rbf
from tests import inside
from tests.contract.matrix import needs

MANY_LEAVES = {"tau": 10.0, "grace_period": 50}


def rbf(n, **parameters):
    return random_rbf(seed=1, **parameters).take(n)


def mixed(n, seed=0, categories=200, classes=3):
    rng = np.random.default_rng(seed)
    word = rng.integers(0, categories, size=n)
    number = rng.normal(size=n)
    y = (word % classes + (number > 0.3)) % classes
    return {"word": np.array([f"w{w}" for w in word], dtype=object), "number": number}, y


# -- the parameter --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "count"),
    [
        (None, None),
        (50_000, 50_000),
        (np.int64(7), 7),
        ("10MB", 10_000_000),
        ("512KiB", 524_288),
        ("1.5 gib", 1_610_612_736),
        ("300", 300),
        ("7 b", 7),
    ],
)
def test_bytes_may_be_written_with_a_unit(given, count):
    assert byte_count("max_bytes", given) == count


@pytest.mark.parametrize("given", [0, -1, 1.5, True, "10 parsecs", "MB", "", "-3MB", 2**70])
def test_what_is_no_number_of_bytes_is_refused(given):
    X, y = rbf(10)
    with pytest.raises(ValueError, match="max_bytes must be a number of bytes"):
        rp.HoeffdingTree(max_bytes=given).fit(X, y)


def test_a_limit_below_what_an_empty_model_needs_says_how_much_it_needs():
    X, y = rbf(100)
    model = rp.HoeffdingTree(max_bytes=1_000)
    with pytest.raises(ValueError, match=r"max_bytes must be at least ([\d,]+) for") as refused:
        model.partial_fit(X, y)
    with pytest.raises(ValueError, match="not fitted"):
        model.predict(X)
    least = int(str(refused.value).split("at least ")[1].split(" ")[0].replace(",", ""))
    assert rp.HoeffdingTree(max_bytes=least).partial_fit(X, y).memory_bytes_ <= least


# -- it holds -------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [50_000, 200_000])
def test_a_limit_holds_after_every_row_and_the_tree_still_improves(limit):
    X, y = rbf(30_000)
    weights = np.random.default_rng(0).uniform(0.1, 3.0, size=len(y))
    model = rp.HoeffdingTree(max_bytes=limit, **MANY_LEAVES)
    right = []
    for start in range(0, len(y), 100):
        rows = slice(start, start + 100)
        right.append(np.mean(model.prequential(X[rows], y[rows], weights[rows]) == y[rows]))
        assert model.memory_bytes_ <= limit
    for i in range(500):
        model.learn_one(dict(enumerate(X[i].tolist())), y[i])
        assert model.memory_bytes_ <= limit
    assert 0 < model.n_active_leaves_ < model.n_leaves_
    assert np.mean(right[-50:]) > np.mean(right[:10])
    assert np.allclose(model.predict_proba(X[:100]).sum(axis=1), 1.0)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"leaf": "adaptive", "adaptive_grace": True},
        {"adaptation": "alternates"},
        {"adaptation": "reevaluation", "runner_up": "none"},
        {"adaptation": "options"},
        {"statistics": "exhaustive"},
    ],
    ids=str,
)
def test_with_room_to_spare_a_limit_changes_no_split(options):
    X, y = rbf(8_000)
    weights = np.random.default_rng(0).choice([0.5, 1.0, 2.0], size=len(y))
    trees = [
        rp.HoeffdingTree(max_bytes=limit, **MANY_LEAVES | options).partial_fit(
            X, y, sample_weight=weights
        )
        for limit in (None, 10**9)
    ]
    free, limited = trees
    assert free.n_leaves_ > 5
    assert limited.splits() == free.splits()
    assert limited.n_leaves_ == limited.n_active_leaves_ == free.n_leaves_
    np.testing.assert_array_equal(limited.predict_proba(X), free.predict_proba(X))


@needs("max_bytes")
def test_a_limit_holds_for_every_model(model):
    X, y = mixed(4_000)
    n, limit = model.enough(4_000), model.limit
    learned = model.eager(max_bytes=limit)
    for start in range(0, n, 50):
        rows = slice(start, start + 50)
        learned.partial_fit({name: column[rows] for name, column in X.items()}, y[rows])
        assert learned.memory_bytes_ <= limit
    assert learned.n_seen_ == n


@needs("max_bytes")
def test_a_limit_that_is_too_low_for_a_model_says_so_and_nothing_is_learned(other):
    X, y = mixed(100)
    learned = other.eager(max_bytes=2_000)
    with pytest.raises(ValueError, match=r"max_bytes (must be at least|is 2000, but)"):
        learned.partial_fit(X, y)
    assert not learned.__sklearn_is_fitted__()


#: Every engine that holds a limit by leaving statistics out, and trees that hold more than them.
LIMITED = {
    "HoeffdingTree": lambda: rp.HoeffdingTree(short_memory=50, **MANY_LEAVES),
    "CVFDT": lambda: rp.CVFDT(adaptation=Window(size=400, archive=3), grace_period=50),
    "HAT": lambda: rp.HAT(grace_period=50),
    "linear-units": lambda: rp.HoeffdingTree(leaf="linear-units", **MANY_LEAVES),
    "Forest": lambda: rp.Forest(n_estimators=5),
    "Forest of CVFDT": lambda: rp.Forest(
        estimator=rp.CVFDT(adaptation=Window(size=400)), n_estimators=2
    ),
    "AdaptiveRandomForest": lambda: rp.AdaptiveRandomForest(n_estimators=3),
    "StreamingRandomPatches": lambda: rp.StreamingRandomPatches(n_estimators=3),
    "AccuracyWeightedEnsemble": lambda: rp.AccuracyWeightedEnsemble(chunk_size=200),
    "UFFT": lambda: rp.UFFT(short_memory=50),
    "UFFT with drift": lambda: rp.UFFT(drift=0.01),
}


@pytest.fixture(params=LIMITED)
def new_limited(request):
    return LIMITED[request.param]


def told_once(model, X, y, **parameters):
    """The number of bytes that it asks for; with so many it learns all."""
    seen = model.n_seen_ if model.__sklearn_is_fitted__() else 0
    with pytest.raises(ValueError, match=r"at least [\d,]+ for|but \d+ bytes are") as refused:
        model.partial_fit(X, y, **parameters)
    (told,) = re.findall(r"(?:at least|but) ([\d,]+)", str(refused.value))
    told = int(told.replace(",", ""))
    model.set_params(max_bytes=told).partial_fit(X, y, **parameters)
    assert model.n_seen_ == seen + len(y)
    assert model.memory_bytes_ <= told
    return told


@pytest.mark.parametrize("declared", [None, range(9)], ids=["", "declared"])
@pytest.mark.parametrize("n_classes", [2, 5])
def test_a_new_model_says_at_once_what_is_enough(new_limited, n_classes, declared):
    X, y = rbf(1_000, n_classes=n_classes)
    told_once(new_limited().set_params(max_bytes=1_000), X, y, classes=declared)


def test_a_model_says_at_once_which_lower_limit_is_enough(new_limited):
    X, y = rbf(4_000, n_classes=4)
    model = new_limited().set_params(max_bytes="5MB").fit(X[:2_000], y[:2_000])
    told_once(model.set_params(max_bytes=1_000), X[2_000:], y[2_000:])


@pytest.mark.parametrize("n_new", [1, 20])
def test_a_full_model_says_at_once_what_new_classes_need(new_limited, n_new):
    X, y = rbf(3_000, n_classes=3)
    model = new_limited().set_params(max_bytes="5MB").fit(X[:1_500], y[:1_500])
    least = told_once(model.set_params(max_bytes=1_000), X[:1], y[:1])
    late = y[1_500:].copy()
    late[10 : 10 + 7 * n_new : 7] = np.arange(3, 3 + n_new)
    try:
        model.partial_fit(X[1_500:], late)
    except ValueError:
        assert told_once(model, X[1_500:], late) > least
    else:  # a window or a chunk holds fewer examples then
        assert model.memory_bytes_ <= least
    assert model.n_seen_ == 3_001


def test_a_limit_that_is_refused_changes_nothing(new_limited):
    X, y = rbf(3_000, n_classes=3)
    model = new_limited().set_params(max_bytes="5MB").fit(X, y)
    before = inside.snapshot(model)
    what = "forest" if hasattr(model, "members") else "tree"
    needed = rf"max_bytes is 4000, but \d+ .* for the (present {what}|{what} as it is)"
    with pytest.raises(ValueError, match=needed):
        model.set_params(max_bytes=4_000).partial_fit(X[:1], y[:1])
    after = inside.snapshot(model)
    for name, array in before.items():
        np.testing.assert_array_equal(after[name], array, err_msg=name)


EXTRAS = [
    {"short_memory": 100},
    {"drop_poor_features": True, "leaf": "majority", "delta": 0.3, "tau": 0.1},
    {"drop_poor_features": True, "leaf": "majority", "short_memory": 50, "adaptive_grace": True},
]


@pytest.mark.parametrize("extras", EXTRAS)
def test_what_growth_remembers_is_held_and_batches_and_files_make_no_difference(extras):
    X, y = mixed(8_000, categories=12)
    rng = np.random.default_rng(1)
    X |= {f"noise{i}": rng.normal(size=8_000) for i in range(24)}

    def model():
        return rp.HoeffdingTree(max_bytes=60_000, **{**MANY_LEAVES, **extras})

    whole = model().partial_fit(X, y)
    assert 0 < whole.n_active_leaves_ < whole.n_leaves_
    parts = model()
    for start in range(0, 8_000, 37):
        rows = slice(start, start + 37)
        parts.partial_fit({name: column[rows] for name, column in X.items()}, y[rows])
        assert parts.memory_bytes_ <= 60_000
        if start % (37 * 20) == 0:
            parts = pickle.loads(pickle.dumps(parts))
    assert pickle.dumps(parts) == pickle.dumps(whole)
    assert parts.memory_bytes_ == whole.memory_bytes_
    assert np.allclose(whole.predict_proba(X).sum(axis=1), 1.0)
    parts.set_params(max_bytes=None).partial_fit(X, y)
    assert parts.n_active_leaves_ == parts.n_leaves_


def test_a_short_memory_knows_its_leaves_when_a_limit_is_raised():
    # Below the limit there is no room for branches of late words: their examples are at the
    # heavy leaf until the limit is raised.
    rng = np.random.default_rng(0)
    word = np.where(np.arange(4_000) < 1_000, rng.integers(0, 6, 4_000), rng.integers(0, 40, 4_000))
    number = rng.normal(size=4_000)
    X = {"word": np.array([f"w{w:02}" for w in word], dtype=object), "number": number}
    y = (word % 3 + (number > 0.3) * (word > 3)) % 3

    def learned(model, start, stop):
        rows = slice(start, stop)
        return model.partial_fit({name: column[rows] for name, column in X.items()}, y[rows])

    options = {"short_memory": 300, "leaf": "majority", "tau": 0.5, "grace_period": 20}
    whole = learned(rp.HoeffdingTree(max_bytes=26_000, **options), 0, 2_000)
    before = whole.n_leaves_
    saved = pickle.loads(pickle.dumps(whole))
    learned(whole.set_params(max_bytes="1MB"), 2_000, 4_000)
    saved.set_params(max_bytes="1MB")
    for start in range(2_000, 4_000, 10):
        saved = pickle.loads(pickle.dumps(learned(saved, start, start + 10)))
    assert whole.n_leaves_ > before + 30
    assert to_bytes(saved) == to_bytes(whole)


def test_a_short_memory_that_does_not_fit_is_refused_before_the_first_row():
    X, y = rbf(100)
    model = rp.HoeffdingTree(max_bytes=100_000, short_memory=1_000)
    with pytest.raises(ValueError, match=r"max_bytes must be at least ([\d,]+) for"):
        model.partial_fit(X, y)
    # 1,000 examples of ten values, with label, weight and leaf: 96 bytes each.
    assert model.set_params(max_bytes=110_000).partial_fit(X, y).memory_bytes_ < 50_000


def test_a_leaf_that_lost_its_statistics_tracks_every_feature_again():
    X, y = rbf(20_000)
    extras = {"drop_poor_features": True, "leaf": "majority", "delta": 0.3, "tau": 0.01}
    model = rp.HoeffdingTree(max_bytes=20_000, grace_period=50, **extras)
    dropped = set()
    for start in range(0, 20_000, 500):
        model.partial_fit(X[start : start + 500], y[start : start + 500])
        pending = model.pending()
        dropped |= {p.leaf for p in pending if p.dropped}
        assert not any(p.dropped for p in pending if p.reason_waiting == "inactive")
    assert dropped


def test_a_split_is_made_where_not_all_of_its_children_fit():
    rng = np.random.default_rng(0)
    word = rng.integers(0, 60, size=6_000)
    X = {"word": np.array([f"w{w:02}" for w in word], dtype=object)}
    X |= {f"number{i}": rng.normal(size=6_000) for i in range(25)}
    # Of 60 words, 20 leave the class open.
    y = np.where(word < 20, rng.integers(0, 4, size=6_000), word % 4)
    # An eighth of the limit is for names of categories: all words have room.
    model = rp.HoeffdingTree(max_bytes=100_000)
    for start in range(0, 6_000, 10):
        rows = slice(start, start + 10)
        model.partial_fit({name: column[rows] for name, column in X.items()}, y[rows])
        assert model.memory_bytes_ <= 100_000
        if model.n_leaves_ > 1:
            break
    assert model.splits()[0].feature == "word"
    assert model.n_leaves_ == len(set(word[: start + 10])) > 50
    assert 0 < model.n_active_leaves_ < 50
    found = promises(model)
    worst = min(p for p, is_active in found if is_active)
    assert worst > 0.0
    assert all(p <= worst for p, is_active in found if not is_active)
    model.partial_fit(X, y)
    assert model.memory_bytes_ <= 100_000


@pytest.mark.parametrize(
    "leaf",
    [
        "linear-units",
        ("majority", "naive-bayes", "linear-units"),
        "softmax",
        ("softmax", "linear-units"),
    ],
)
def test_linear_units_are_held_and_batches_and_files_make_no_difference(leaf):
    X, y = mixed(6_000, categories=8)

    def model():
        return rp.HoeffdingTree(leaf=leaf, max_bytes=30_000, adaptive_grace=True, **MANY_LEAVES)

    whole = model().partial_fit(X, y)
    assert 0 < whole.n_active_leaves_ < whole.n_leaves_
    parts = model()
    for start in range(0, 6_000, 37):
        rows = slice(start, start + 37)
        parts.partial_fit({name: column[rows] for name, column in X.items()}, y[rows])
        assert parts.memory_bytes_ <= 30_000
        if start % (37 * 20) == 0:
            parts = pickle.loads(pickle.dumps(parts))
    assert pickle.dumps(parts) == pickle.dumps(whole)
    assert np.allclose(whole.predict_proba(X).sum(axis=1), 1.0)


@pytest.mark.parametrize("statistics", ["exhaustive", "intervals"])
def test_statistics_that_grow_by_themselves_are_held(statistics):
    X, y = rbf(6_000)
    model = rp.HoeffdingTree(statistics=statistics, max_bytes=300_000)
    for start in range(0, len(y), 50):
        model.partial_fit(X[start : start + 50], y[start : start + 50])
        assert model.memory_bytes_ <= 300_000


def test_many_classes_are_held():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 4))
    y = rng.integers(0, 300, size=20_000)
    model = rp.HoeffdingTree(max_bytes=300_000, **MANY_LEAVES)
    for start in range(0, len(y), 200):
        model.partial_fit(X[start : start + 200], y[start : start + 200])
        assert model.memory_bytes_ <= 300_000
    assert len(model.classes_) == 300


# -- what is new ----------------------------------------------------------------------------------


def test_classes_that_do_not_fit_are_refused_and_change_nothing():
    X, y = mixed(3_000)
    model = rp.HoeffdingTree(max_bytes=80_000, max_classes=5_000).partial_fit(X, y)
    before = to_bytes(model)
    with pytest.raises(ValueError, match="max_bytes is 80000, but"):
        model.partial_fit(X, [f"class {i}" for i in range(3_000)])
    assert to_bytes(model) == before
    with pytest.warns(UserWarning, match="y looks like a quantity"):
        model.set_params(max_bytes="10MB").partial_fit(X, np.arange(3_000) + 10)
    assert len(model.classes_) == 3_000 + len(set(y))


def test_categories_that_do_not_fit_are_other_and_the_limit_holds():
    X, y = mixed(3_000, categories=20)
    model = rp.HoeffdingTree(max_bytes=80_000).partial_fit(X, y)
    many = np.array([f"another {i}" for i in range(3_000)], dtype=object)
    model.partial_fit({"word": many, "number": X["number"]}, y)
    assert model.n_seen_ == 6_000
    assert model.memory_bytes_ <= 80_000
    own = len(set(X["word"]))
    assert own < len(inside.features(model)[0].categories) < 60


def test_batches_make_no_difference():
    X, y = mixed(3_000, classes=7)
    found = set()
    for size in (1, 7, 1_000, 3_000):
        model = rp.HoeffdingTree(max_bytes=70_000, **MANY_LEAVES)
        for start in range(0, 3_000, size):
            rows = slice(start, start + size)
            model.partial_fit({name: column[rows] for name, column in X.items()}, y[rows])
        assert model.n_active_leaves_ < model.n_leaves_
        found.add((to_bytes(model), model.memory_bytes_))
    assert len(found) == 1


def test_a_file_in_between_makes_no_difference(tmp_path):
    X, y = mixed(6_000, categories=60)
    limited = {"max_bytes": 60_000, **MANY_LEAVES}
    whole, saved = rp.HoeffdingTree(**limited), rp.HoeffdingTree(**limited)
    for start in range(0, 6_000, 500):
        rows = slice(start, start + 500)
        block = {name: column[rows] for name, column in X.items()}
        whole.partial_fit(block, y[rows])
        saved.partial_fit(block, y[rows])
        saved.save(tmp_path / "model.rip")
        saved = rp.load(tmp_path / "model.rip")
        assert saved.memory_bytes_ == whole.memory_bytes_
        assert to_bytes(saved) == to_bytes(whole)
    assert whole.n_active_leaves_ < whole.n_leaves_


@pytest.mark.parametrize(
    ("array", "change"),
    [
        ("inactive", lambda a: a[:-1]),
        ("inactive", lambda a: a * 0),
        ("inactive", lambda a: a * 0 + 1),
        ("inactive", lambda a: a * 0 + 2),
        ("inactive", lambda a: a + 3),
        ("recent", lambda a: a[:-1]),
        ("recent", lambda a: a + 1e9),
        ("recent", lambda a: a - 1e9),
        ("recent", lambda a: a * np.nan),
        ("ranked_at", lambda a: a + 2**40),
        ("ranked_at", lambda a: a[:0]),
        ("least_promise", lambda a: a * np.inf),
        ("least_promise", lambda a: a - 1e9),
    ],
)
def test_impossible_arrays_are_refused(array, change):
    X, y = rbf(30_000)
    model = rp.HoeffdingTree(max_bytes=60_000, **MANY_LEAVES).partial_fit(X, y)
    arrays = inside.snapshot(model)
    assert {0, 1, 2} <= set(arrays["inactive"].tolist()) | {0}
    assert inside.restored(model, arrays).n_active_leaves == model.n_active_leaves_
    with np.errstate(all="ignore"):
        arrays[array] = change(arrays[array]).astype(arrays[array].dtype)
    with pytest.raises(ValueError, match=r"\w"):
        inside.restored(model, arrays)


def test_an_inactive_leaf_that_dropped_features_is_refused():
    X, y = rbf(30_000)
    extras = {"drop_poor_features": True, "leaf": "majority"}
    model = rp.HoeffdingTree(max_bytes=40_000, **extras, **MANY_LEAVES).partial_fit(X, y)
    arrays = inside.snapshot(model)
    inside.restored(model, arrays)
    dropped = arrays["dropped"].reshape(len(arrays["inactive"]), -1)
    dropped[np.flatnonzero(arrays["inactive"] == 1)[0], 0] = 1
    with pytest.raises(ValueError, match="inactive does not go with dropped"):
        inside.restored(model, {**arrays, "dropped": dropped.ravel()})


def test_a_file_of_more_than_its_limit_is_refused_or_made_to_fit():
    X, y = rbf(30_000)
    model = rp.HoeffdingTree(**MANY_LEAVES).partial_fit(X, y)
    arrays = inside.snapshot(model)
    with pytest.raises(ValueError, match="max_bytes is 5000"):
        inside.restored(model, arrays, max_bytes=5_000)
    half = model.memory_bytes_ // 2
    engine = inside.restored(model, arrays, max_bytes=half)
    assert engine.memory_bytes <= half
    assert engine.n_active_leaves < engine.n_leaves


# -- which leaves ---------------------------------------------------------------------------------


def promises(model):
    """By leaf: n_l - max_k n_k of what it answers with, and whether it is active."""
    nodes = inside.nodes(model)
    weights = nodes["counts"] + nodes["inherited"]
    active = {p.leaf: p.reason_waiting != "inactive" for p in model.pending()}
    return [(weights[i].sum() - weights[i].max(), active[i]) for i in active]


def test_active_leaves_follow_promise_and_all_wake_without_a_limit():
    X, y = rbf(40_000)
    model = rp.HoeffdingTree(max_bytes=60_000, **MANY_LEAVES).partial_fit(X, y)
    assert model.n_active_leaves_ < model.n_leaves_
    active = model.n_active_leaves_
    for limit in (70_000, 85_000, 100_000):
        model.set_params(max_bytes=limit).partial_fit(X[:1], y[:1])
        found = promises(model)
        assert model.memory_bytes_ <= limit
        assert model.n_active_leaves_ >= active
        active = model.n_active_leaves_
        worst = min(p for p, is_active in found if is_active)
        assert all(p <= 1.1 * worst + 1.0 for p, is_active in found if not is_active)
    model.set_params(max_bytes=None).partial_fit(X[:1], y[:1])
    assert model.n_active_leaves_ == model.n_leaves_


def test_a_full_tree_says_why_a_leaf_does_not_split():
    X, y = rbf(60_000)
    model = rp.HoeffdingTree(max_bytes=40_000, **MANY_LEAVES).partial_fit(X, y)
    reasons = {p.reason_waiting for p in model.pending()}
    assert reasons <= {"inactive", "memory", "pure"}
    assert "memory" in reasons
    assert "inactive" in reasons


def test_an_inactive_leaf_answers_with_its_class_counts():
    X, y = rbf(30_000)
    model = rp.HoeffdingTree(leaf="naive-bayes", max_bytes=40_000, **MANY_LEAVES).partial_fit(X, y)
    inactive = {p.leaf for p in model.pending() if p.reason_waiting == "inactive"}
    nodes = inside.nodes(model)
    asked = 0
    for row in X[:300]:
        example = dict(enumerate(row.tolist()))
        leaf = inside.nodes(model, inside.batch(model, example))["ends"][0]
        if leaf in inactive:
            asked += 1
            assert model.predict_one(example) == model.classes_[nodes["answer"][leaf].argmax()]
    assert asked > 0


# -- accounting -----------------------------------------------------------------------------------


class Mallinfo2(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd"),
            *("usmblks", "fsmblks", "uordblks", "fordblks", "keepcost"),
        )
    ]


@functools.cache
def mallinfo2():
    try:
        ask = ctypes.CDLL(None).mallinfo2
    except AttributeError:
        pytest.skip("asks glibc's malloc")
    ask.restype = Mallinfo2
    return ask


def malloc_bytes():
    info = mallinfo2()()
    # What is set aside to finish a row is never written to.
    return info.uordblks + info.hblkhd - inside.core.reserved_bytes()


#: Features, leaves and parameters of trees between 10 KB and some megabytes.
TREES = [
    (5, 2, {}),
    (10, 30, {}),
    (10, 300, {"leaf": "majority"}),
    (40, 300, {}),
    (5, 10, {"statistics": "exhaustive"}),
    (5, 10, {"statistics": "intervals"}),
    (5, 10, {"impurity": Accuracy(evaluator="prequential")}),
    (10, 300, {"max_bytes": 100_000}),
]


def measured():
    """What each tree says that it holds, and what malloc has less when it is gone."""
    malloc_bytes()  # the first question takes memory itself
    for features, leaves, parameters in TREES:
        X, y = rbf(20_000, n_features=features)
        model = rp.HoeffdingTree(max_leaves=leaves, **MANY_LEAVES, **parameters).partial_fit(X, y)
        said = model.memory_bytes_ - inside.schema(model).bytes
        gc.collect()
        before = malloc_bytes()
        inside.set_engine(model, None)
        print(said, before - malloc_bytes())


def test_the_bytes_of_a_tree_are_those_of_malloc():
    malloc_bytes()
    program = (
        "import sys; sys.path.insert(0, sys.argv[1]); import test_max_bytes as t; t.measured()"
    )
    # Free blocks in malloc's caches would count as used.
    tunables = "glibc.malloc.tcache_count=0:glibc.malloc.mxfast=0"
    run = subprocess.run(
        [sys.executable, "-c", program, str(Path(__file__).parent)],
        env={
            "GLIBC_TUNABLES": tunables,
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    found = [tuple(map(int, line.split())) for line in run.stdout.splitlines()]
    assert len(found) == len(TREES)
    for said, held in found:
        # Every tree counts the objects of the largest one, which has a window.
        assert said == pytest.approx(held, rel=0.05, abs=700), found


def test_the_bytes_of_names_are_those_of_python():
    tracemalloc.start()
    try:
        X, y = mixed(30_000, categories=20_000)
        model = rp.HoeffdingTree(max_leaves=1).partial_fit(X, y)
        del X
        said = inside.schema(model).bytes

        def in_steps_of_16():
            gc.collect()
            traces = tracemalloc.take_snapshot().traces
            return sum((trace.size + 15) // 16 * 16 for trace in traces)

        before = in_steps_of_16()
        inside.set_schema(model, None)
        assert said == pytest.approx(before - in_steps_of_16(), rel=0.05)
    finally:
        tracemalloc.stop()


# -- long streams ---------------------------------------------------------------------------------


def test_two_million_rows_of_a_drifting_stream():
    limit = 300_000
    models = rp.HoeffdingTree(), rp.HoeffdingTree(max_bytes=limit)
    right = [0, 0]
    for X, y in hyperplane(speed=1e-6, seed=1, n_rows=2_000_000).blocks(100_000):
        for i, model in enumerate(models):
            right[i] += np.count_nonzero(model.prequential(X, y) == y)
        assert models[1].memory_bytes_ <= limit
    assert models[0].memory_bytes_ > limit
    assert abs(right[0] - right[1]) / 2_000_000 < 0.02
