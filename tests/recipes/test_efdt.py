"""EFDT against its reference: every answer, every change, the tree that is left."""

import numpy as np
import pytest

import riparian as rp
from riparian.adaptation import Reevaluation
from riparian.bounds import DeltaMethod
from riparian.impurities import Accuracy
from riparian.storage.modelfile import to_bytes
from tests import inside
from tests.compositions import policies_of
from tests.effort import in_turn
from tests.reference.efdt import ReevaluationReference
from tests.reference.efdt_bets import BettingReevaluationReference
from tests.replacing import assert_same_replacements, assert_saved_in_parts, replaced_on_noise
from tests.split_by_split import (
    STREAMS,
    assert_same_counts,
    assert_same_cut,
    assert_same_evidence,
    axes_of,
    in_order_of_appearance,
)

GROWTH = {"grace_period": 40, "delta": 0.01, "tau": 0.2}
QUICK = {**GROWTH, "adaptation": Reevaluation(every=100)}


def turning(rng, n):
    """A number and two categories; first one and then the other decides the class."""
    X = np.column_stack([rng.random(n), rng.integers(0, 3, n), rng.integers(0, 2, n)])
    first = (np.arange(n) // 700) % 2 == 0
    y = np.where(first, (X[:, 0] > 0.4) ^ (X[:, 1] == 1), (X[:, 2] == 1) ^ (X[:, 0] > 0.7))
    return X, (y ^ (rng.random(n) < 0.05)).astype(int), np.ones(n), [False, True, True]


def categories(rng, n):
    """With weights that keep naive Bayes from ties, which rounding would break."""
    X, y, _, categorical = STREAMS["categories"](rng, n)
    return X, y, rng.uniform(0.5, 1.5, n), categorical


def fading(rng, n):
    """What decides the class at first is of no use later: there is one class only."""
    X = rng.integers(0, 2, size=(n, 3)).astype(float)
    y = (X[:, 0] == 1) & (np.arange(n) < n // 6)
    return X, y.astype(int), np.ones(n), [True] * 3


def both(stream, n, seed=7, **options):
    X, y, w, categorical = stream(np.random.default_rng(seed), n)
    efdt = {"adaptation": "reevaluation", "reevaluate_every": 100, "runner_up": "none"}
    model = rp.HoeffdingTree(
        categorical_features=np.flatnonzero(categorical),
        **policies_of(GROWTH | efdt | options),
    )
    reference = ReevaluationReference(
        ["categorical" if c else "numeric" for c in categorical],
        **axes_of(model, "reevaluate_every"),
    )
    answers, _ = model.prequential(X, y, sample_weight=w, proba=True)
    label, expected = {}, []
    for row, k, weight in zip(
        in_order_of_appearance(X, categorical), y.tolist(), w.tolist(), strict=True
    ):
        expected.append(reference.predict(row))
        reference.learn(row, label.setdefault(k, len(label)), weight)
    assert [label[k] for k in answers[1:].tolist()] == expected[1:]
    return model, reference


def assert_same_tree(model, reference):
    nodes = inside.nodes(model)
    splits = {s.node: s for s in model.splits()}
    wanted = {s.node: s for s in reference.splits}
    assert len(splits) == len(wanted) == np.count_nonzero(nodes["test"])
    assert [s.seen for s in model.splits()] == [s.seen for s in reference.splits]
    stack = [(0, reference.root)]
    while stack:
        i, r = stack.pop()
        node = reference.nodes[r]
        assert_same_counts(nodes, i, node)
        if node.cut is None:
            assert nodes["test"][i] == 0
            continue
        assert_same_cut(nodes, i, node.cut)
        assert_same_evidence(splits[i], wanted[r])
        below = {int(nodes["branch"][c]): int(c) for c in np.flatnonzero(nodes["parent"] == i) if c}
        assert set(below) == set(node.children)
        assert nodes["heavy"][i] == below[reference.nodes[node.heavy].branch]
        stack.extend((below[b], c) for b, c in node.children.items())


def assert_same_changes(model, reference):
    assert len(model.changes()) == len(reference.changes)
    for got, want in zip(model.changes(), reference.changes, strict=True):
        assert (got.seen, got.kind, got.depth) == (want.seen, want.kind, want.depth)
        assert (got.leaves_before, got.leaves_after) == (want.leaves_before, want.leaves_after)
        assert got.value_before == pytest.approx(want.gain_before, abs=1e-11)
        assert got.value_after == pytest.approx(want.gain_after, abs=1e-11)
        assert got.bound == pytest.approx(want.bound, rel=1e-9)
        assert got.measure == "gain"


SETTINGS = {
    "EFDT": {},
    "majority": {"leaf": "majority", "inherit_counts": "none"},
    "both cuts": {"categorical_cuts": "both", "leaf": "naive-bayes"},
    "one against the rest": {"categorical_cuts": "one-against-rest", "impurity": "gini"},
    "misclassification": {"impurity": "misclassification", "tau": 0.3},
    "a runner-up too": {"runner_up": "feature", "delta": 0.1},
    "delayed cuts": {"cuts": "delayed", "n_cuts": 4},
    "exhaustive": {"statistics": "exhaustive", "reevaluate_every": 300},
    "limits": {"max_depth": 3, "max_leaves": 6, "inherit_counts": "count"},
    "no ties": {"tau": 0.0, "delta": 0.5},
    "delta spent, idbd": {"spend_delta": True, "leaf": ("idbd", "majority")},
    "adaptive grace": {"adaptive_grace": True, "epsilons": 2},
}


@pytest.mark.parametrize(
    ("stream", "options"),
    in_turn(
        SETTINGS,
        STREAMS | {"categories": categories, "turning": turning, "fading": fading},
        ["mixed"],
    ),
)
def test_efdt_is_the_tree_of_the_reference(stream, options):
    model, reference = both(stream, 1400, **options)
    assert_same_changes(model, reference)
    assert_same_tree(model, reference)


def test_the_streams_show_every_kind_of_change():
    kinds = set()
    for stream, options in (
        (turning, {}),
        (fading, {"impurity": "misclassification"}),
        (STREAMS["numbers"], {}),
    ):
        kinds |= {c.kind for c in both(stream, 3000, **options)[1].changes}
    assert kinds == {"pruned", "resplit", "moved"}


def test_equal_features_do_not_replace_each_other_for_ever():
    rng = np.random.default_rng(1)
    x = rng.random(200_000)
    y = ((x > 0.37) ^ (rng.random(len(x)) < 0.2)).astype(int)
    # Two copies of one column, and two that are as good but for their noise.
    other = np.where(rng.random(len(x)) < 0.1, rng.random(len(x)), x)
    third = np.where(rng.random(len(x)) < 0.1, rng.random(len(x)), x)
    X = np.column_stack([other, third, third])
    model = rp.EFDT(adaptation=Reevaluation(every=100), grace_period=100, delta=0.05).fit(X, y)
    assert model.change_counts()["resplit"] <= 5
    copies = rp.EFDT(adaptation=Reevaluation(every=100), grace_period=100, delta=0.05)
    copies.fit(np.column_stack([x, x]), y)
    assert copies.change_counts()["resplit"] == 0
    assert copies.n_leaves_ > 1


def test_a_test_that_is_no_longer_the_best_is_replaced():
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, size=(40_000, 4)).astype(float)
    y = np.where(np.arange(len(X)) < 8_000, X[:, 0], X[:, 2]).astype(int)
    model = rp.EFDT(categorical_features=[0, 1, 2, 3]).fit(X[:8_000], y[:8_000])
    assert model.splits()[0].feature == "x0"
    model.partial_fit(X[8_000:], y[8_000:])
    change = next(c for c in model.changes() if c.kind == "resplit" and c.depth == 0)
    # Half of 16,000 examples for the one and half for the other; then two more looks.
    assert 16_000 <= change.seen <= 20_000
    assert change.where == "the root"
    assert change.value_after - change.value_before > change.bound
    root = next(s for s in model.splits() if s.node == 0)
    assert root.feature == "x2"
    assert (root.seen, root.gain) == (change.seen, change.value_after)
    assert root.runner_up_gain == change.value_before
    fixed = rp.VFDT(categorical_features=[0, 1, 2, 3], leaf="adaptive").fit(X, y)
    assert model.n_leaves_ < fixed.n_leaves_


def test_without_a_look_it_is_the_tree_that_must_beat_no_split():
    X, y, _, _ = turning(np.random.default_rng(2), 6000)
    free = {"categorical_features": [1, 2], "grace_period": 50, "delta": 1e-3}
    model = rp.EFDT(adaptation=Reevaluation(every=1e9), **free).fit(X, y)
    plain = rp.HoeffdingTree(runner_up="none", **free).fit(X, y)
    assert model.splits() == plain.splits()
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))
    assert plain.n_leaves_ > 3


def test_batches_and_saving_change_nothing(tmp_path):
    X, y, _, _ = turning(np.random.default_rng(4), 6000)
    free = {"categorical_features": [1, 2], **QUICK}
    whole = rp.EFDT(**free).fit(X, y)
    assert whole.change_counts()["resplit"] > 0
    for size in (1, 7, 1000):
        parts = rp.EFDT(**free)
        for i in range(0, len(y), size):
            parts.partial_fit(X[i : i + size], y[i : i + size], classes=whole.classes_)
        assert to_bytes(parts) == to_bytes(whole)
    half = rp.EFDT(**free).fit(X[:3500], y[:3500])
    half.save(tmp_path / "half.rip")
    assert to_bytes(rp.load(tmp_path / "half.rip").partial_fit(X[3500:], y[3500:])) == to_bytes(
        half.partial_fit(X[3500:], y[3500:])
    )


def test_it_stays_below_a_limit_of_memory():
    X, y, _, _ = turning(np.random.default_rng(6), 30_000)
    model = rp.EFDT(categorical_features=[1, 2], max_bytes=80_000, **QUICK)
    for i in range(0, len(y), 500):
        model.partial_fit(X[i : i + 500], y[i : i + 500], classes=[0, 1])
        assert model.memory_bytes_ <= 80_000
    assert model.n_leaves_ > 3
    assert sum(model.change_counts().values()) > 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"impurity": Accuracy(evaluator="prequential")},
            "impurity__evaluator='prequential' cannot be combined with adaptation='reevaluation'",
        ),
        ({"drop_poor_features": True, "leaf": "majority"}, "drop_poor_features=False"),
        ({"impurity": "hybrid"}, "impurity='hybrid' cannot be combined with adaptation"),
        (
            {"bound": DeltaMethod(pairing="paired")},
            "bound__pairing='paired' cannot be combined with adaptation",
        ),
        ({"short_memory": 10}, "short_memory=10 needs adaptation='none'"),
        ({"adaptation": Reevaluation(every=0)}, "adaptation__every must be a number from 1"),
        (
            {"runner_up": "none", "missing_second": "-inf"},
            "runner_up='none' needs missing_second='zero'",
        ),
    ],
)
def test_what_cannot_work_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        rp.HoeffdingTree(**{"adaptation": "reevaluation"} | options).fit([[0.0], [1.0]], [0, 1])


def noise(rng, n):
    """Labels that do not depend on the features."""
    return rng.normal(size=(n, 3)), rng.integers(2, size=n), np.ones(n), [False] * 3


BETTING = Reevaluation(every=100, replace_by="betting", switch_after=30, switch_delta=0.1)


def with_bets(stream, n, how=BETTING, **options):
    X, y, w, categorical = stream(np.random.default_rng(7), n)
    model = rp.EFDT(
        categorical_features=np.flatnonzero(categorical), adaptation=how, **GROWTH | options
    )
    reference = BettingReevaluationReference(
        ["categorical" if c else "numeric" for c in categorical],
        reevaluate_every=how.every,
        switch_after=how.switch_after,
        switch_delta=how.switch_delta,
        **axes_of(model),
    )
    answers = model.prequential(X, y, sample_weight=w)
    label, expected = {}, []
    for row, k, weight in zip(
        in_order_of_appearance(X, categorical), y.tolist(), w.tolist(), strict=True
    ):
        expected.append(reference.predict(row))
        reference.learn(row, label.setdefault(k, len(label)), weight)
    assert [label[k] for k in answers[1:].tolist()] == expected[1:]
    return model, reference


@pytest.mark.parametrize(
    ("stream", "options"),
    [
        (turning, {}),
        (turning, {"leaf": "majority"}),
        (turning, {"how": BETTING.replace(switch_after=0), "leaf": "naive-bayes"}),
        (turning, {"impurity": "gini", "delta": 0.2}),
        (fading, {"impurity": "misclassification", "tau": 0.3}),
        (STREAMS["mixed"], {"leaf": "majority"}),
    ],
    ids=["turning", "majority", "no wait", "gini", "fading", "mixed"],
)
def test_efdt_with_bets_is_the_tree_of_the_reference(stream, options):
    model, reference = with_bets(stream, 2200, **options)
    assert_same_replacements(model, reference)
    assert [s.seen for s in model.splits()] == [s.seen for s in reference.present]
    former = [s for s in model.splits(history=True) if s.replaced_at is not None]
    assert sorted((s.seen, s.replaced_at) for s in former) == sorted(
        (split.seen, until) for until, split in reference.former
    )
    assert model.n_leaves_ == reference.n_leaves


def test_the_streams_of_the_bets_replace_and_give_up():
    totals = {"replaced": 0, "dropped": 0}
    eager = BETTING.replace(switch_after=0, switch_delta=0.4)
    for stream, rows, how, options in (
        (turning, 2200, BETTING, {}),
        (turning, 2200, eager, {}),
        (noise, 1500, eager.replace(every=50), {"delta": 0.9, "tau": 0.0}),
    ):
        model, reference = with_bets(stream, rows, how=how, leaf="majority", **options)
        for kind in totals:
            totals[kind] += model.change_counts()[kind]
            assert model.change_counts()[kind] == reference.counts[kind]
    assert min(totals.values()) >= 1


def test_bets_of_efdt_survive_their_file_and_batches_do_not_matter(tmp_path):
    X, y, _, categorical = turning(np.random.default_rng(7), 4000)
    options = {"categorical_features": np.flatnonzero(categorical), "adaptation": BETTING, **GROWTH}
    assert_saved_in_parts(lambda: rp.EFDT(**options), X, y, tmp_path / "efdt.rip")


def test_bets_of_efdt_replace_few_subtrees_where_none_is_better():
    """With any lead a test is doubted."""
    how = Reevaluation(every=50, replace_by="betting", switch_after=0, switch_delta=0.05)
    growth = {"grace_period": 50, "delta": 0.9, "tau": 0.0, "max_leaves": 6}
    started, replaced = replaced_on_noise(
        lambda: rp.EFDT(leaf="majority", adaptation=how, **growth), seeds=40
    )
    assert started > 40
    assert replaced <= 0.05 * started
