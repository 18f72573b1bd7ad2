"""Uncertain values in trees that follow change: HAT, EFDT and option trees."""

from __future__ import annotations

import numpy as np
import pytest

import riparian as rp
from riparian import HoeffdingTree, Uncertain
from riparian.adaptation import Alternates, Options, Reevaluation, Window
from riparian.storage.modelfile import from_bytes, to_bytes
from tests import inside
from tests.recipes.test_ucvfdt import mixed

QUICK = {"grace_period": 40, "delta": 1e-2, "tau": 0.2}
EAGER = {"grace_period": 30, "delta": 0.3, "tau": 0.4}
RESTLESS = {
    "alternates": Alternates(drift_delta=0.3, switch_after=30),
    "reevaluation": Reevaluation(every=150),
    "options": Options(delta=0.5),
    "alternates, bets": Alternates(drift_delta=0.3, switch_after=30, replace_by="betting"),
    "reevaluation, bets": Reevaluation(every=150, switch_after=30, replace_by="betting"),
    "options, bets": Options(delta=0.5, switch_after=30, replace_by="betting"),
}


def stream(n_blocks, rows=100, seed=0, **options):
    rng = np.random.default_rng(seed)
    blocks = [mixed(rng, rows, i // 4, **options) for i in range(n_blocks)]
    X = {name: np.concatenate([b[0][name] for b in blocks]) for name in blocks[0][0]}
    return X, np.concatenate([b[1] for b in blocks])


def swapped(rng, n, which):
    """Numbers that are known by an interval; one of three says the class."""
    x = rng.normal(size=(n, 3))
    y = (x[:, which] > 0).astype(int)
    X = {f"x{j}": np.empty(n, dtype=object) for j in range(3)}
    for j in range(3):
        for i in range(n):
            off = rng.uniform(0, 0.4)
            X[f"x{j}"][i] = Uncertain.interval(x[i, j] - off, x[i, j] + 0.4 - off)
    return X, y


def part_of(X, rows):
    return {name: column[rows] for name, column in X.items()}


@pytest.mark.parametrize(
    "still",
    [
        Alternates(drift_delta=1e-9),
        Reevaluation(every=1e9),
        Options(max_paths=1),
        Window(size=10_000, validity_period=10**9),
    ],
    ids=str,
)
@pytest.mark.parametrize("leaf", ["majority", "adaptive"])
def test_where_nothing_changes_it_is_the_tree_that_only_grows(still, leaf):
    X, y = stream(12)
    w = np.random.default_rng(1).choice([0.25, 1.0, 2.5], len(y))
    fixed = HoeffdingTree(leaf=leaf, **QUICK)
    ours = HoeffdingTree(leaf=leaf, adaptation=still, **QUICK)
    _, want = fixed.prequential(X, y, sample_weight=w, proba=True)
    _, got = ours.prequential(X, y, sample_weight=w, proba=True)
    assert fixed.n_leaves_ > 5
    # In a window fractions are rounded to steps.
    steps = still.name == "window"
    np.testing.assert_allclose(got, want, atol=1e-4 if steps else 1e-12)
    assert [(s.seen, s.feature, s.node) for s in ours.splits()] == [
        (s.seen, s.feature, s.node) for s in fixed.splits()
    ]
    np.testing.assert_allclose(
        [s.gain for s in ours.splits()], [s.gain for s in fixed.splits()], atol=1e-5
    )


@pytest.mark.parametrize("adaptation", RESTLESS)
def test_batches_of_any_size_and_files_in_between_give_the_same_bytes(adaptation):
    rng = np.random.default_rng(2)
    blocks = [swapped(rng, 500, 0), swapped(rng, 900, 2)]
    X = {name: np.concatenate([b[0][name] for b in blocks]) for name in blocks[0][0]}
    y = np.concatenate([b[1] for b in blocks])
    for limit in (None, 60_000):
        settings = {"adaptation": RESTLESS[adaptation], "max_bytes": limit, **EAGER}
        found = set()
        for size in (1, 7, len(y)):
            model = HoeffdingTree(**settings)
            for i in range(0, len(y), size):
                rows = slice(i, i + size)
                model.partial_fit(part_of(X, rows), y[rows])
                if size == 7 and i % 70 == 0:
                    model = from_bytes(to_bytes(model))
                assert limit is None or model.memory_bytes_ <= limit
            found.add(to_bytes(model))
        asked = HoeffdingTree(**settings)
        asked.prequential(X, y)
        assert len({*found, to_bytes(asked)}) == 1
        # Below this limit there is no room for options.
        changes = limit is None or not adaptation.startswith("options")
        assert (sum(model.change_counts().values()) > 0) == changes


@pytest.mark.parametrize(
    "adaptation", ["reevaluation", "options", "reevaluation, bets", "options, bets"]
)
def test_inner_nodes_learn_every_part_that_passes_them(adaptation):
    X, y = stream(14, seed=3)
    model = HoeffdingTree(adaptation=RESTLESS[adaptation], **EAGER).partial_fit(X, y)
    a = inside.snapshot(model)
    k = int(a["classes"][0])
    counts = a["counts"].reshape(-1, k)
    seen = [np.sum(y == label) for label in inside.classes(model)]
    np.testing.assert_allclose(counts[0], seen, rtol=1e-12)
    # What the children of a node have learned since is at most what passed the node.
    for node in range(len(counts)):
        below = np.flatnonzero((a["parent"] == node) & (a["role"] == 0))
        if below.size:
            assert np.all(counts[below].sum(axis=0) <= counts[node] + 1e-9)
    assert (a["test"] > 0).sum() > 3


@pytest.mark.parametrize(
    ("recipe", "adaptation", "kind"),
    [
        (rp.HAT, "alternates", "replaced"),
        (rp.EFDT, Reevaluation(every=500), "resplit"),
        (
            rp.UCVFDT,
            Window(size=1_500, validity_period=300, test_period=500, test_size=200),
            "replaced",
        ),
        (rp.HAT, Alternates(replace_by="betting"), "replaced"),
        (rp.EFDT, Reevaluation(every=200, switch_after=50, replace_by="betting"), "started"),
        (rp.HoeffdingOptionTree, Options(replace_by="betting"), "replaced"),
        (
            rp.UCVFDT,
            Window(size=1_500, validity_period=300, test_size=20, replace_by="betting"),
            "replaced",
        ),
    ],
)
def test_a_change_is_followed(recipe, adaptation, kind):
    rng = np.random.default_rng(5)
    model = recipe(leaf="majority", grace_period=100, adaptation=adaptation)
    model.partial_fit(*swapped(rng, 4_000, 0))
    model.partial_fit(*swapped(rng, 6_000, 2))
    assert model.change_counts()[kind] > 0
    X, y = swapped(rng, 500, 2)
    assert np.mean(model.predict(X) == y) > 0.85


def test_all_options_answer_by_the_shares_that_come_to_their_leaves():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2_000, 3))
    X = {f"x{j}": [Uncertain.normal(v, 0.2) for v in x[:, j].tolist()] for j in range(3)}
    model = HoeffdingTree(
        adaptation=Options(delta=0.5), leaf="majority", inherit_counts="none", **QUICK
    )
    model.partial_fit(X, (x.sum(axis=1) > 0).astype(int))
    a = inside.snapshot(model)
    assert (a["role"] == 2).sum() >= 2
    k = int(a["classes"][0])
    counts = a["counts"].reshape(-1, k)

    def ends(node, bounds, share):
        """Leaves below a node and its options, with the share of uniform values there."""
        for option in np.flatnonzero((a["parent"] == node) & (a["role"] == 2)):
            yield from ends(option, bounds, share)
        if a["test"][node] == 0:
            yield node, share
            return
        feature = a["feature"][node]
        lo, hi = bounds[feature]
        cut = a["threshold"][node]
        p = np.clip((cut - lo) / (hi - lo), 0, 1)
        below, above = np.flatnonzero((a["parent"] == node) & (a["role"] == 0))
        if share * p >= 1e-6:
            yield from ends(below, {**bounds, feature: (lo, min(hi, cut))}, share * p)
        if share * (1 - p) >= 1e-6:
            yield from ends(above, {**bounds, feature: (max(lo, cut), hi)}, share * (1 - p))

    low, high = -0.8, 1.3
    total, whole = np.zeros(k), 0.0
    for node, share in ends(0, dict.fromkeys(range(3), (low, high)), 1.0):
        assert counts[node].sum() > 0
        total += share * counts[node] / counts[node].sum()
        whole += share
    assert whole > 1.5
    got = model.predict_proba_one(dict.fromkeys(X, Uncertain.interval(low, high)))
    np.testing.assert_allclose(list(got.values()), total / whole, atol=1e-9)


def test_a_detector_hears_an_example_where_half_of_it_comes():
    # One split at about 0; of every example three tenths go left.
    rng = np.random.default_rng(0)
    x = rng.choice([-1.0, 1.0], 400)
    model = HoeffdingTree(adaptation="alternates", leaf="majority", grace_period=100)
    model.partial_fit({"x": x}, (x > 0).astype(int))
    assert model.n_leaves_ == 2
    a = inside.snapshot(model)
    cut = a["threshold"][0]

    def heard(a):
        """How many examples each detector has heard of."""
        starts = np.cumsum(a["monitor_sizes"]) - a["monitor_sizes"]
        return a["monitors"][starts.astype(int) + 1]

    before, counts = heard(a), a["counts"].reshape(-1, 2)
    for _ in range(20):
        model.learn_one({"x": Uncertain.interval(cut - 3.0, cut + 7.0)}, 1)
    a = inside.snapshot(model)
    assert (heard(a) - before).tolist() == [20, 0, 20]
    learned = a["counts"].reshape(-1, 2) - counts
    np.testing.assert_allclose(learned[1:].sum(axis=1), [6.0, 14.0])
