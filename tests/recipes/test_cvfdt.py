"""CVFDT: the window is exact at every node, and the tree follows what changes."""

from __future__ import annotations

import numpy as np
import pytest

import riparian as rp
from riparian import ModelFileError
from riparian.adaptation import Window
from riparian.bounds import DeltaMethod
from riparian.impurities import Accuracy
from riparian.storage.modelfile import from_bytes, to_bytes
from riparian.streams import random_rbf, sea
from tests import inside
from tests.compositions import policies_of
from tests.recipes.window_oracle import check_counts, check_everything
from tests.reference.cvfdt import BettingWindowReference, WindowReference
from tests.split_by_split import axes_of, in_order_of_appearance

#: So eager that subtrees begin, win and are given up all the time.
WINDOW = Window(size=500, validity_period=130, test_period=150, test_size=50)
WINDOW_NAMES = (
    "window",
    "validity_period",
    "alt_test_period",
    "alt_test_size",
    "alt_prune_margin",
)
RESTLESS = {"adaptation": WINDOW, "grace_period": 30, "delta": 0.2, "tau": 0.3}


def mixed(rng, n, phase, categories=4):
    """Words and numbers, some of them missing; two of four features say the class by turns."""
    a, c = rng.integers(0, categories, n), rng.integers(0, 4, n)
    x, z = rng.normal(size=n), rng.normal(size=n)
    tells = [a % 2, c % 2, (x > 0).astype(int), (z > 0.2).astype(int)]
    noise = rng.random(n) < 0.1
    y = np.where(noise, rng.integers(0, 3, n), tells[phase % 4] + tells[(phase + 1) % 4])
    x[rng.random(n) < 0.03] = np.nan
    word = np.array([None if rng.random() < 0.02 else f"a{i}" for i in a], dtype=object)
    return {"a": word, "c": np.array([f"c{i}" for i in c], dtype=object), "x": x, "z": z}, y


def changes(model):
    return model.change_counts()


# -- the window is exact --------------------------------------------------------------------------


@pytest.mark.parametrize("leaf", ["majority", "adaptive"])
@pytest.mark.parametrize("seed", [0, 1])
def test_every_node_holds_what_a_recount_over_the_window_gives(seed, leaf):
    rng = np.random.default_rng(seed)
    model = rp.HoeffdingTree(leaf=leaf, **RESTLESS)
    for i in range(40):
        n = int(rng.integers(1, 300))
        weights = rng.choice([1.0, 0.3, 2.0, 0.05], n) if i % 2 else None
        model.partial_fit(*mixed(rng, n, i // 5, 3 + i % 5), sample_weight=weights)
        if i % 4 == 3:
            check_everything(model)
    assert changes(model)["replaced"] >= 3
    assert changes(model)["started"] >= 10
    assert len(model.changes()) == changes(model)["replaced"]


@pytest.mark.parametrize("seed", [0, 1])
def test_the_window_is_exact_where_a_subtree_younger_than_it_takes_over(seed):
    # An example from before it must not be forgotten by the branch for missing values.
    rng = np.random.default_rng(seed)
    hasty = WINDOW.replace(test_period=0, test_size=20)
    model = rp.HoeffdingTree(**RESTLESS | {"adaptation": hasty})
    for i in range(60):
        model.partial_fit(*mixed(rng, 100, i // 12 % 2 * 2, 3 + i % 5))
        if i % 5 == 4:
            check_everything(model)
    assert changes(model)["replaced"] >= 5


def test_the_window_is_exact_where_features_and_classes_come_late():
    rng = np.random.default_rng(5)
    model = rp.HoeffdingTree(**RESTLESS)
    for i in range(12):
        X, y = mixed(rng, 200, i // 3)
        if i < 4:
            del X["z"], X["a"]
            y = np.minimum(y, 1)
        model.partial_fit(X, y)
        check_everything(model)


def test_a_file_in_the_middle_changes_nothing_with_a_limit_or_without():
    for limit in (None, 200_000):
        rng = np.random.default_rng(3)
        model = rp.HoeffdingTree(max_bytes=limit, **RESTLESS)
        again = rp.HoeffdingTree(max_bytes=limit, **RESTLESS)
        for i in range(20):
            batch = mixed(rng, 150, i // 4)
            model.partial_fit(*batch)
            again.partial_fit(*batch)
            again = from_bytes(to_bytes(again))
            assert to_bytes(again) == to_bytes(model)
        assert changes(model)["replaced"] > 0


@pytest.mark.parametrize("limit", [60_000, 120_000])
def test_counts_are_exact_where_statistics_come_and_go(limit):
    rng = np.random.default_rng(7)
    model = rp.HoeffdingTree(max_bytes=limit, **RESTLESS)
    inactive = 0
    for i in range(60):
        model.partial_fit(*mixed(rng, 120, i // 6, categories=9))
        assert model.memory_bytes_ <= limit
        inactive += int(inside.snapshot(model)["inactive"].sum())
        if i % 6 == 5:
            check_counts(model)
            assert to_bytes(from_bytes(to_bytes(model))) == to_bytes(model)
    assert inactive > 0


def test_under_a_limit_the_window_holds_what_a_quarter_of_it_can():
    X, y = random_rbf(seed=1).take(5_000)
    model = rp.CVFDT(max_bytes=200_000).partial_fit(X, y)
    held = inside.snapshot(model)["window_labels"].size
    assert 300 < held < 600  # about 100 bytes an example
    model.set_params(max_bytes=400_000).partial_fit(X, y)
    assert inside.snapshot(model)["window_labels"].size > 1.8 * held
    model.set_params(max_bytes=200_000).partial_fit(X[:100], y[:100])
    assert inside.snapshot(model)["window_labels"].size == held
    check_counts(model)
    with pytest.raises(ValueError, match="max_bytes must be at least"):
        rp.CVFDT(max_bytes=10_000).partial_fit(X, y)


# -- it is VFDT on the window ---------------------------------------------------------------------


@pytest.mark.parametrize("leaf", ["majority", "adaptive"])
def test_with_a_window_longer_than_the_stream_it_is_vfdt(leaf):
    X, y = random_rbf(seed=3).take(30_000)
    settings = {"leaf": leaf, "grace_period": 100, "delta": 1e-3, "tau": 0.1}
    ours = rp.CVFDT(adaptation=Window(size=30_000, validity_period=10**9), **settings)
    vfdt = rp.VFDT(**settings)
    np.testing.assert_array_equal(ours.prequential(X, y), vfdt.prequential(X, y))
    assert vfdt.n_leaves_ > 10
    ours, theirs = ours.splits(), vfdt.splits()
    assert [(s.node, s.seen, s.n, s.feature, s.cut, s.gain) for s in ours] == [
        (s.node, s.seen, s.n, s.feature, s.cut, s.gain) for s in theirs
    ]


def test_checks_count_arrivals_while_the_window_is_full():
    # A single leaf of pure noise: its weight stays, and it is checked every 50 examples.
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(5_000, 2)), rng.integers(0, 2, 5_000)
    model = rp.CVFDT(adaptation=Window(size=100), grace_period=50, tau=0, delta=1e-9)
    model.partial_fit(X, y)
    arrays = inside.snapshot(model)
    assert arrays["weight"].tolist() == [100.0]
    assert arrays["checks"].tolist() == [100]


def test_a_recount_leaves_the_schedule_of_checks_as_it_is():
    # The window is counted again after 400, 800, ... forgotten examples, between two checks.
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(3_000, 2)), rng.integers(0, 2, 3_000)
    model = rp.CVFDT(adaptation=Window(size=100), grace_period=70, tau=0, delta=1e-9)
    for n in range(0, 3_000, 10):
        model.partial_fit(X[n : n + 10], y[n : n + 10])
        assert inside.snapshot(model)["checks"].tolist() == [(n + 10) // 70]


# -- it is the tree of the paper ------------------------------------------------------------------


def turning_categories(seed, n=3_000, every=700, noise=0.15):
    """Four categorical features; two of them determine the class, and they take turns."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, k, n) for k in (2, 3, 2, 4)])
    turn = np.arange(n) // every
    y = (X[np.arange(n), turn % 4] + X[np.arange(n), (turn + 1) % 4]) % 2
    return X, np.where(rng.random(n) < noise, rng.integers(0, 2, n), y)


@pytest.mark.parametrize(
    "options",
    [
        {"window": 300, "validity_period": 70, "alt_test_period": 100, "alt_test_size": 40},
        {"window": 500, "validity_period": 110, "alt_test_period": 0, "alt_test_size": 15},
        {
            "window": 200,
            "validity_period": 50,
            "alt_test_period": 60,
            "alt_test_size": 30,
            "alt_prune_margin": 0.0,
            "impurity": "gini",
        },
    ],
    ids=lambda options: f"window {options['window']}",
)
def test_cvfdt_is_the_tree_of_the_reference(options):
    """Predictions, the schedule of checks, alternates and replacements, after every ten rows."""
    growth = {"grace_period": 35, "delta": 0.1, "tau": 0.25, "leaf": "majority"}
    given = policies_of(growth | options, rp.CVFDT)
    total = dict.fromkeys(("started", "dropped", "replaced"), 0)
    for seed in range(3):
        X, y = turning_categories(seed)
        model = rp.CVFDT(categorical_features=range(4), **given)
        reference = WindowReference(["categorical"] * 4, **axes_of(model, *WINDOW_NAMES))
        check_side_by_side(model, reference, X, y)
        for kind, number in reference.counts.items():
            total[kind] += number
    assert total["replaced"] >= 5
    assert total["dropped"] >= 1


def test_bets_replace_nodes_as_in_the_reference():
    how = Window(size=500, validity_period=110, test_period=0, test_size=15, replace_by="betting")
    total = dict.fromkeys(("started", "dropped", "replaced"), 0)
    for seed in range(3):
        X, y = turning_categories(seed)
        model = rp.CVFDT(
            categorical_features=[0, 1, 2, 3],
            grace_period=35,
            delta=0.1,
            tau=0.25,
            leaf="majority",
            adaptation=how,
        )
        axes = axes_of(model, *WINDOW_NAMES)
        check_side_by_side(model, BettingWindowReference(["categorical"] * 4, **axes), X, y)
        for kind in total:
            total[kind] += changes(model)[kind]
        again = from_bytes(to_bytes(model))
        assert to_bytes(again.partial_fit(X, y)) == to_bytes(model.partial_fit(X, y))
    assert total["replaced"] >= 5


def check_side_by_side(model, reference, X, y):
    label, expected = {}, []
    coded = in_order_of_appearance(X.astype(float), [True] * X.shape[1])
    for n, (row, k) in enumerate(zip(coded, y.tolist(), strict=True), 1):
        expected.append(reference.predict(row))
        reference.learn(row, label.setdefault(k, len(label)))
        if n % 10:
            continue
        predicted = model.prequential(X[n - 10 : n], y[n - 10 : n])
        first = n == 10  # before any row there is nothing to predict with
        assert [label[k] for k in predicted.tolist()][first:] == expected[-10:][first:]
        counts = changes(model)
        assert {k: counts[k] for k in reference.counts} == reference.counts
        arrays = inside.snapshot(model)
        assert sorted(arrays["checks"][arrays["test"] == 0].tolist()) == reference.leaf_checks()
    for got, want in zip(model.changes(), reference.replaced, strict=True):
        assert (got.seen, got.depth) == want[:2]
        assert (got.value_before, got.value_after) == pytest.approx(want[2:], rel=1e-12)


# -- it follows change ----------------------------------------------------------------------------


def swapped(rng, n, which):
    """Two nominal features; one of them decides the class, with a tenth of noise."""
    X = rng.integers(0, 2, size=(n, 4))
    y = np.where(rng.random(n) < 0.1, 1 - X[:, which], X[:, which])
    return {f"f{i}": np.where(X[:, i], "yes", "no").astype(object) for i in range(4)}, y


def follows_a_swap(model, swapped, before, after):
    """The change at the root after rows where f0 decides the class, then rows where f1 does."""
    model.partial_fit(*swapped(before, 0))
    assert model.splits()[0].feature == "f0"
    model.partial_fit(*swapped(after, 1))
    (change,) = [c for c in model.changes() if c.where == "the root"]
    assert (change.before, change.after) == ("f0 (each value)", "f1 (each value)")
    assert change.value_after < change.value_before
    return change


def test_two_features_that_swap_roles_are_followed():
    rng = np.random.default_rng(2)
    # With naive Bayes, or with leaves further down, the old tree would learn f1 as well.
    model = rp.CVFDT(
        adaptation=Window(size=5_000, validity_period=1_000, test_period=2_000, test_size=500),
        max_depth=1,
        leaf="majority",
    )
    change = follows_a_swap(model, lambda n, which: swapped(rng, n, which), 10_000, 12_000)
    # Half of the window must be of the new kind; then a check, a period and a test.
    assert 12_500 < change.seen <= 12_500 + 1_000 + 2_500 + 500
    X, y = swapped(rng, 2_000, 1)
    assert np.mean(model.predict(X) == y) > 0.88


def test_a_stream_that_stays_as_it_is_hardly_starts_a_subtree():
    X, y = sea(seed=4).take(200_000)
    model = rp.CVFDT(adaptation=Window(size=20_000, validity_period=2_000)).partial_fit(X, y)
    checked = 100 * (model.n_nodes_ - model.n_leaves_)
    assert model.n_leaves_ > 3
    assert changes(model)["started"] <= 0.01 * checked


def test_equal_features_start_few_subtrees():
    rng = np.random.default_rng(6)
    x = rng.integers(0, 2, 60_000)
    y = np.where(rng.random(60_000) < 0.2, 1 - x, x)
    word = np.where(x, "yes", "no").astype(object)
    X = dict.fromkeys(("a", "b", "c"), word) | {"noise": rng.normal(size=60_000)}
    model = rp.CVFDT(adaptation=Window(size=5_000, validity_period=500)).partial_fit(X, y)
    assert changes(model)["started"] <= 3


# -- its length -----------------------------------------------------------------------------------


def test_a_hook_sets_the_window():
    rng = np.random.default_rng(8)
    reports = []

    def hook(report):
        reports.append(dict(report))
        return 200 if report["rows"] >= 1_500 else None

    model = rp.CVFDT(adaptation=Window(size=1_000, validity_period=500, hook=hook))
    model.partial_fit(*mixed(rng, 1_400, 0))
    assert inside.snapshot(model)["window_labels"].size == 1_000
    model.partial_fit(*mixed(rng, 600, 0))
    assert [r["rows"] for r in reports] == [500, 1_000, 1_500, 2_000]
    assert [r["window"] for r in reports] == [1_000, 1_000, 1_000, 200]
    assert set(reports[0]) == {"questionable", "started", "inner", "replaced", "rows", "window"}
    assert inside.snapshot(model)["window_labels"].size == 200
    check_everything(model)


@pytest.mark.parametrize("answer", [0, -5, 2.5, "long", True])
def test_a_hook_that_gives_no_length_is_refused_and_the_batch_changes_nothing(answer):
    rng = np.random.default_rng(8)
    window = Window(size=1_000, validity_period=500, hook=lambda report: answer)
    model = rp.CVFDT(adaptation=window)
    model.partial_fit(*mixed(rng, 400, 0))
    before = inside.snapshot(model)
    with pytest.raises(ValueError, match=r"adaptation__hook .* must return a whole number"):
        model.partial_fit(*mixed(rng, 400, 0))
    after = inside.snapshot(model)
    assert all(np.array_equal(before[name], after[name], equal_nan=True) for name in before)


def test_a_dynamic_window_is_halved_when_many_splits_become_doubtful():
    rng = np.random.default_rng(2)
    lengths = []
    model = rp.CVFDT(
        adaptation=Window(
            size=4_000,
            max_size=5_000,
            validity_period=1_000,
            dynamic=True,
            hook=lambda report: lengths.append(report["window"]),
        )
    )
    model.partial_fit(*swapped(rng, 10_000, 0))
    assert lengths == sorted(lengths)
    assert 4_000 < lengths[-1] <= 5_000
    model.partial_fit(*swapped(rng, 6_000, 1))
    assert min(lengths[10:]) < 0.6 * lengths[9]
    assert min(lengths) >= 1_000
    check_counts(model)


# -- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (
            {"statistics": "exhaustive"},
            "statistics='exhaustive' cannot be combined with adaptation",
        ),
        ({"statistics": "intervals"}, "statistics='intervals' cannot be combined with adaptation"),
        (
            {"impurity": Accuracy(evaluator="prequential")},
            "impurity__evaluator='prequential' cannot be combined with adaptation='window'",
        ),
        ({"inherit_counts": "count"}, "cannot be combined with inherit_counts='count'"),
        ({"drop_poor_features": True, "leaf": "majority"}, "needs drop_poor_features=False"),
        ({"short_memory": 10}, "needs adaptation='none'"),
        (
            {"leaf": "linear-units"},
            "leaf='linear-units' cannot be combined with adaptation='window'",
        ),
        (
            {"leaf": ("majority", "linear-units")},
            "leaf='linear-units' cannot be combined with adaptation='window'",
        ),
        (
            {"bound": DeltaMethod(pairing="paired")},
            "bound__pairing='paired' cannot be combined with adaptation='window'",
        ),
        ({"adaptation": Window(size=0)}, "adaptation__size must be a whole number"),
        (
            {"adaptation": Window(validity_period=0)},
            "adaptation__validity_period must be a whole number",
        ),
        ({"adaptation": Window(test_size=0.5)}, "adaptation__test_size must be a number"),
        ({"adaptation": Window(prune_margin=-1)}, "adaptation__prune_margin must be a number"),
        (
            {"adaptation": Window(max_size=10)},
            "max_size must be at least size, got max_size=10 and size=50000",
        ),
        ({"adaptation": Window(hook=3)}, "adaptation__hook must be callable"),
    ],
)
def test_what_cannot_be_is_refused(parameters, message):
    X, y = sea(seed=1).take(50)
    with pytest.raises(ValueError, match=message):
        rp.HoeffdingTree(**{"adaptation": "window"} | parameters).partial_fit(X, y)


def restless_arrays():
    rng = np.random.default_rng(0)
    model = rp.HoeffdingTree(**RESTLESS)
    for i in range(30):
        model.partial_fit(*mixed(rng, 150, i // 5))
        if (inside.snapshot(model)["role"] == 1).any() and i > 10:
            break
    return model


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("since", 3, 10**6),
        ("since", 0, 2**60),
        ("there", 0, 2**60),
        ("there", 3, 0),
        ("window", 0, 0),
        ("window", 0, 2**40),
        ("window", 1, 10**9),
        ("window_labels", 0, 77),
        ("window_labels", 0, -1),
        ("window_weights", 0, -1.0),
        ("window_weights", 0, np.nan),
        ("window_weights", 0, 2.0),
        ("window_values", 0, np.inf),
        ("window_codes", 0, 10**6),
        ("window_codes", 0, -7),
        ("on_trial", 0, 3),
        ("on_trial", -1, 1),
        ("trials", 0, -1.0),
        ("trials", 0, np.nan),
        ("counts", 0, 10**6),
    ],
)
def test_arrays_that_no_stream_leaves_behind_are_refused(name, place, value):
    model = restless_arrays()
    arrays = {k: v.copy() for k, v in inside.snapshot(model).items()}
    inside.restored(model, arrays)
    arrays[name][place] = value
    with pytest.raises(ValueError, match=r".+"):
        inside.restored(model, arrays)


@pytest.mark.parametrize(
    "name",
    ["since", "there", "window", "window_labels", "window_values", "window_codes", "on_trial"],
)
def test_arrays_that_are_too_short_are_refused(name):
    model = restless_arrays()
    arrays = inside.snapshot(model)
    arrays[name] = arrays[name][:-1].copy()
    with pytest.raises(ValueError, match=r".+"):
        inside.restored(model, arrays)


def test_a_file_with_a_hook_asks_for_it():
    model = rp.CVFDT(adaptation=Window(hook=len)).partial_fit(*sea(seed=1).take(100))
    data = to_bytes(model)
    with pytest.raises(ModelFileError, match="adaptation__hook=builtins:len"):
        from_bytes(data)
    assert from_bytes(data, {"adaptation__hook": len}).n_seen_ == 100
