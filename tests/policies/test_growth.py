"""Growth that starts warm and wastes no work: short memory, dropped features, adaptive grace."""

from collections import deque

import numpy as np
import pytest

import riparian as rp
from riparian.bounds import hoeffding
from riparian.impurities import Accuracy, entropy
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside

QUICK = {"leaf": "majority", "grace_period": 50, "delta": 0.01, "tau": 0.15}


def stream(n=2000, seed=3):
    """Two of six numbers tell the class."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 6))
    y = (X[:, 0] > 0.3).astype(int) + (X[:, 1] > 0.0)
    return X, y


# -- sheet 50, section 13 ---------------------------------------------------------------------


def test_one_informative_category_splits_at_the_first_n_that_the_bound_allows():
    rng = np.random.default_rng(8)
    n = 400
    X = rng.integers(0, 2, size=(n, 3))
    y = np.where(rng.random(n) < 0.8, X[:, 1], 1 - X[:, 1])
    codes = np.array(["a", "b"], dtype=object)[X]
    model = rp.HoeffdingTree(grace_period=1, delta=1e-4, tau=0.0, leaf="majority", max_depth=1)
    model.partial_fit(codes, y)
    first = None
    for m in range(1, n + 1):
        counts = np.bincount(y[:m], minlength=2)
        if (counts > 0).sum() < 2:
            continue
        gains = []
        for f in range(3):
            table = np.zeros((2, 2))
            np.add.at(table, (X[:m, f], y[:m]), 1.0)
            weights = table.sum(axis=1)
            if (weights > 0.01 * m).sum() == 2:
                gains.append(entropy(counts) - (weights / m * entropy(table)).sum())
        gains = [0.0, 0.0, *sorted(gains)]
        if gains[-1] - gains[-2] > hoeffding([m], delta=1e-4)[0]:
            first = m
            break
    assert first is not None
    (split,) = model.splits()
    assert (split.seen, split.feature, split.reason) == (first, "x1", "bound")


@pytest.mark.parametrize("adaptive", [False, True])
def test_two_equal_features_split_by_a_tie_exactly_when_epsilon_is_below_tau(adaptive):
    x, _ = stream(4000)
    twins = np.column_stack([x[:, 0], x[:, 0]])
    labels = (x[:, 0] > 0).astype(int)
    options = {"grace_period": 1, "delta": 1e-5, "leaf": "majority", "max_depth": 1}
    options["adaptive_grace"] = adaptive
    assert not rp.HoeffdingTree(tau=0.0, **options).partial_fit(twins, labels).splits()
    (split,) = rp.HoeffdingTree(tau=0.1, **options).partial_fit(twins, labels).splits()
    n = np.arange(1, 4001)
    assert split.reason == "tie"
    assert split.seen == n[hoeffding(n, delta=1e-5) < 0.1][0]


def test_a_pure_stream_is_never_checked():
    X, _ = stream(500)
    for options in ({}, {"adaptive_grace": True}, {"drop_poor_features": True}):
        model = rp.HoeffdingTree(**QUICK | {"grace_period": 1} | options)
        model.partial_fit(X, np.zeros(500, dtype=int))
        assert inside.snapshot(model)["checks"].tolist() == [0]
        assert inside.engine(model).delta_spent == 0.0
        assert model.pending()[0].reason_waiting == "pure"


@pytest.mark.parametrize("size", [1, 30, 5000])
def test_children_of_a_fresh_split_hold_the_stored_examples_that_were_routed_there(size):
    X, y = stream()
    w = np.random.default_rng(1).choice([0.5, 1.0, 2.25], size=len(y))
    model = rp.HoeffdingTree(**QUICK, short_memory=size)
    stored = deque(maxlen=size)
    splits = 0
    for i in range(len(y)):
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1, 2], sample_weight=w[i : i + 1])
        stored.append(i)
        if len(model.splits()) == splits:
            continue
        splits += 1
        made = model.splits()[-1].node
        rows = list(stored)
        batches = [inside.batch(model, dict(enumerate(X[r]))) for r in rows]
        ends = np.array([inside.nodes(model, batch)["ends"][0] for batch in batches])
        nodes = inside.nodes(model)
        for child in np.flatnonzero(nodes["parent"] == made):
            routed = [r for r, end in zip(rows, ends, strict=True) if end == child]
            want = np.bincount(y[routed], weights=w[routed], minlength=3)
            np.testing.assert_allclose(nodes["counts"][child], want, rtol=1e-12)
            # The estimate of the split holds these examples too.
            left = np.maximum(nodes["estimated"][child] - want, 0.0)
            np.testing.assert_allclose(nodes["inherited"][child], left, atol=1e-9)
        leaf = model.pending()[-1]
        assert leaf.until_check == QUICK["grace_period"]
    assert splits > 3


# -- short memory -----------------------------------------------------------------------------


def test_what_is_recalled_counts_in_the_bound_only_where_asked():
    X, y = stream()
    n = {}
    for counted in (False, True):
        model = rp.HoeffdingTree(**QUICK, short_memory=500, short_memory_in_bound=counted)
        model.partial_fit(X, y)
        first, second = model.splits()[:2]
        n[counted] = second.n
        assert first.n == first.seen
    assert n[True] > n[False]


def test_features_categories_and_classes_that_come_later_are_missing_from_older_rows():
    rng = np.random.default_rng(2)
    model = rp.HoeffdingTree(**QUICK | {"leaf": "adaptive"}, short_memory=400)
    model.partial_fit({"a": rng.normal(size=300)}, rng.integers(0, 2, 300))
    a, b = rng.normal(size=400), rng.choice(np.array(["p", "q", "r"], dtype=object), 400)
    rows = {"a": a, "b": b, "c": a + rng.normal(size=400)}
    model.partial_fit(rows, np.where(b == "r", 2, (a > 0).astype(int)))
    assert model.splits()
    arrays = inside.snapshot(model)
    values = arrays["memory_values"].reshape(-1, 2)
    codes = arrays["memory_codes"]
    assert len(codes) == 400
    np.testing.assert_array_equal(values[:, 0], a)
    assert set(codes.tolist()) == {0, 1, 2}
    before = rp.HoeffdingTree(**QUICK | {"leaf": "adaptive"}, short_memory=600)
    before.partial_fit({"a": a}, (a > 0).astype(int))
    before.partial_fit({"a": a[:5], "b": b[:5], "c": a[:5]}, np.zeros(5, dtype=int))
    arrays = inside.snapshot(before)
    assert np.isnan(arrays["memory_values"].reshape(-1, 2)[:400, 1]).all()
    assert (arrays["memory_codes"][:400] == -1).all()


def test_the_ring_is_counted_and_does_not_grow_once_it_is_full():
    X, y = stream(3000)
    sizes = {}
    for size in (0, 1000):
        model = rp.HoeffdingTree(**QUICK, max_depth=0, short_memory=size)
        model.partial_fit(X[:1000], y[:1000])
        sizes[size] = model.memory_bytes_
        model.partial_fit(X[1000:], y[1000:])
        assert model.memory_bytes_ == sizes[size]
    row = 6 * 8 + 4 + 8 + 4
    assert 1000 * row <= sizes[1000] - sizes[0] <= 1000 * row + 1000


# -- dropped features -------------------------------------------------------------------------


def test_a_leaf_that_drops_features_is_smaller_and_tells_which():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 40))
    twin = X[:, 0] + 0.05 * rng.normal(size=4000)
    X[:, 1] = twin
    y = (X[:, 0] > 0).astype(int)
    options = {"leaf": "majority", "tau": 0.0, "delta": 1e-3, "max_leaves": 1}
    kept = rp.HoeffdingTree(**options | {"max_leaves": 2}).partial_fit(X, y)
    dropped = rp.HoeffdingTree(**options | {"max_leaves": 2}, drop_poor_features=True)
    dropped.partial_fit(X, y)
    (leaf,) = dropped.pending()
    assert leaf.dropped == tuple(f"x{f}" for f in range(2, 40))
    assert kept.pending()[0].dropped == ()
    assert leaf.cut == kept.pending()[0].cut
    assert leaf.gain_error == 0.0
    rough = kept.pending()[0]
    assert leaf.gain == pytest.approx(rough.gain, abs=rough.gain_error)
    statistics = 40 * 2 * 4 * 8
    assert kept.memory_bytes_ - dropped.memory_bytes_ > 0.7 * statistics
    assert to_bytes(from_bytes(to_bytes(dropped))) == to_bytes(dropped)


def test_features_that_come_later_are_tracked_where_others_were_dropped():
    X, _ = stream(1000)
    options = QUICK | {"tau": 0.0, "delta": 0.3, "max_leaves": 2, "epsilons": 1}
    columns = {f"f{i}": X[:, i] for i in range(6)}
    model = rp.HoeffdingTree(**options, drop_poor_features=True)
    twin = columns | {"f1": X[:, 0]}
    model.partial_fit(twin, (X[:, 0] > 0).astype(int))
    (before,) = model.pending()
    assert before.dropped == ("f2", "f3", "f4", "f5")
    late = {name: x[:40] for name, x in twin.items()} | {"late": X[:40, 0]}
    model.partial_fit(late, (X[:40, 0] > 0).astype(int))
    (after,) = model.pending()
    assert after.dropped == before.dropped
    # Two classes with four numbers for each of f0, f1 and the late feature.
    assert inside.snapshot(model)["gaussian"].size == 2 * 4 * 3


# -- adaptive grace ---------------------------------------------------------------------------


def test_the_next_check_is_where_the_bound_could_be_met():
    X, _ = stream(3000)
    y = (X[:, 0] + np.random.default_rng(4).normal(size=3000) > 0).astype(int)
    options = {"leaf": "majority", "grace_period": 20, "delta": 1e-7, "tau": 0.0}
    model = rp.HoeffdingTree(**options, adaptive_grace=True)
    checks = []
    for i in range(600):
        model.partial_fit(X[i : i + 1], y[i : i + 1])
        leaf = model.pending()[0]
        made = int(inside.snapshot(model)["checks"].sum())
        if not model.splits() and (not checks or made > checks[-1][0]) and made:
            latest = max(20.0, leaf.n / 8.0)
            # Rough gains show that nothing is decided before the latest check.
            needed = latest if leaf.gain_error else leaf.examples_needed
            wanted = min(max(needed, 20.0), latest)
            assert leaf.until_check == pytest.approx(wanted, abs=1e-9)
            checks.append((made, leaf.n))
    often = rp.HoeffdingTree(**options)
    often.partial_fit(X[:600], y[:600])
    assert model.splits()[0].feature == often.splits()[0].feature
    # The delay that is promised.
    assert often.splits()[0].n <= model.splits()[0].n <= often.splits()[0].n * 1.125 + 20
    assert len(checks) < often.splits()[0].n / 20


# -- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"drop_poor_features": True}, r"drop_poor_features=True needs leaf='majority'.*adaptive"),
        ({"drop_poor_features": 1, "leaf": "majority"}, "drop_poor_features must be True or"),
        ({"adaptive_grace": "yes"}, "adaptive_grace must be True or False"),
        ({"short_memory": -1}, "short_memory must be a whole number from 0"),
        ({"short_memory": 2.5}, "short_memory must be a whole number from 0"),
        ({"short_memory_in_bound": None}, "short_memory_in_bound must be True or False"),
        (
            {"short_memory": 5, "impurity": Accuracy(evaluator="holdout")},
            "impurity__evaluator='holdout' needs short_memory=0, got 5",
        ),
        (
            {
                "drop_poor_features": True,
                "leaf": "majority",
                "impurity": Accuracy(evaluator="prequential"),
            },
            "impurity__evaluator='prequential' needs drop_poor_features=False, got True",
        ),
    ],
)
def test_what_cannot_be_is_refused_by_name(parameters, message):
    X, y = stream(50)
    with pytest.raises(ValueError, match=message):
        rp.HoeffdingTree(**parameters).partial_fit(X, y)
