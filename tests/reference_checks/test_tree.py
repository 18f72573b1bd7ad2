"""The reference tree: each policy of a leaf's decision, worked again from the examples."""

import math

import numpy as np
import pytest

from tests.reference import bounds
from tests.reference.cuts import branch_of, thresholds
from tests.reference.impurities import criterion_gain
from tests.reference.parameters import SERVES, Parameters
from tests.reference.statistics import Gaussian
from tests.reference.tree import ReferenceTree
from tests.reference.values import best_split

NUMBERS = ["numeric"] * 3
COSTS = [[0.0, 1.0, 1.0], [2.0, 0.0, 1.0], [4.0, 1.0, 0.0]]


def numbers(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = (X[:, 0] > 0.4).astype(int) + (X[:, 1] > 1.0)
    return X.tolist(), y.tolist()


def mixed(n, seed=0):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 4, n), rng.integers(0, 3, n)])
    y = ((X[:, 1] == 2) | (X[:, 0] + 0.3 * rng.normal(size=n) > 0.7)).astype(int)
    rows = X.tolist()
    for row, missing in zip(rows, rng.random(n) < 0.1, strict=True):
        row[1] = -1 if missing else row[1]
    return rows, y.tolist()


def grow(kinds, rows, labels, w=None, **options):
    options = {"leaf": "majority", "grace_period": 50, "delta": 0.01, "tau": 0.0} | options
    tree = ReferenceTree(kinds, **options)
    for i, (row, y) in enumerate(zip(rows, labels, strict=True)):
        tree.learn(row, y, 1.0 if w is None else w[i])
    return tree


def record(tree):
    return [(s.node, s.feature, s.value, s.seen, s.reason) for s in tree.splits]


@pytest.mark.parametrize("bound", SERVES)
@pytest.mark.parametrize(
    "impurity",
    ["entropy", "gini", "kearns-mansour", "misclassification", "accuracy", "loss", "hybrid"],
)
def test_a_bound_serves_its_impurities_and_refuses_the_others(bound, impurity):
    options = {"bound": bound, "impurity": impurity, "costs": COSTS, "grace_period": 200}
    rows, y = numbers(800)
    if impurity in SERVES[bound]:
        tree = grow(NUMBERS, rows, y, tau=0.5, delta=0.3, **options)
        assert all(split.epsilon > 0 for split in tree.splits)
    else:
        with pytest.raises(ValueError, match="supports"):
            grow(NUMBERS, rows, y, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"evaluator": "prequential"},
        {"evaluator": "holdout", "impurity": "gini"},
        {"evaluator": "holdout", "impurity": "accuracy", "categorical_cuts": "both"},
        {"evaluator": "holdout", "impurity": "accuracy", "bound": "delta-method"},
        {"impurity": "loss"},
        {"cuts": "quantiles"},
    ],
)
def test_what_does_not_fit_is_refused(options):
    with pytest.raises(ValueError, match=r"must be|needs"):
        Parameters(**options)


@pytest.mark.parametrize("cuts", ["bins", "intersections", "delayed", "combined", "qda"])
def test_accuracy_by_resubstitution_and_equal_costs_are_misclassification(cuts):
    rows, y = numbers(3000)
    options = {"cuts": cuts, "variance": "population", "clip_to_range": False}
    want = grow(NUMBERS, rows, y, impurity="misclassification", **options)
    assert want.splits
    accuracy = grow(NUMBERS, rows, y, impurity="accuracy", **options)
    assert record(accuracy) == record(want)
    equal = 3.0 * (1.0 - np.eye(3))
    assert record(grow(NUMBERS, rows, y, impurity="loss", costs=equal, **options)) == record(want)


@pytest.mark.parametrize("cuts", ["intersections", "delayed", "combined", "qda"])
def test_a_split_is_made_at_the_best_of_its_candidates(cuts):
    rows, y = numbers(3000)
    impurity = "misclassification"
    tree = grow(NUMBERS, rows, y, impurity=impurity, cuts=cuts, clip_to_range=False)
    first = tree.splits[0]
    gaussians = {}
    for row, k in zip(rows[: first.seen], y, strict=False):
        gaussians.setdefault(k, Gaussian()).update(row[first.feature])
    candidates = thresholds(gaussians, "combined" if cuts == "delayed" else cuts)
    assert first.value in candidates
    assert first.best.value in thresholds(gaussians, cuts)
    made = criterion_gain(impurity, first.table)
    decided = criterion_gain(impurity, first.best.table)
    assert decided == pytest.approx(first.gain)
    if cuts == "delayed":
        assert first.best.value in thresholds(gaussians, "bins")
        # Theorem 1: no bin gains more than the best intersection.
        assert first.value in thresholds(gaussians, "intersections")
        assert made > decided
    else:
        assert first.value == first.best.value


def test_a_feature_without_intersections_has_no_candidate():
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.normal(size=400), np.full((400, 2), 3.0)]).tolist()
    y = [int(row[0] > 0) for row in rows]
    zero = grow(NUMBERS, rows, y, cuts="intersections", delta=1e-9)
    assert zero.splits[0].runner_up_gain == 0.0
    alone = grow(NUMBERS, rows, y, cuts="intersections", delta=1e-9, missing_second="-inf")
    assert alone.splits[0].runner_up_gain == -math.inf
    assert alone.splits[0].seen == 50 <= zero.splits[0].seen
    assert alone.splits[0].runner_up is None


def test_checks_spend_delta_one_after_the_other():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, size=(500, 1)).tolist()
    tree = grow(["categorical"], rows, rng.integers(0, 2, 500).tolist(), spend_delta=True)
    assert not tree.splits
    assert tree.nodes[0].checks == 10
    # The next check is the eleventh.
    assert tree.pending()[0].epsilon == pytest.approx(bounds.hoeffding(500, 0.01 / (11 * 12), 1))


def test_hybrid_sees_what_misclassification_is_blind_to():
    # The majority is 0 on both sides of every feature; only the shares differ.
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(4000, 2))
    y = (rng.random(4000) < np.where(X[:, 0] == 1, 0.45, 0.05)).astype(int).tolist()
    kinds = ["categorical"] * 2
    blind = grow(kinds, X.tolist(), y, impurity="misclassification", max_depth=1)
    assert not blind.splits
    gini = grow(kinds, X.tolist(), y, impurity="gini", max_depth=1)
    hybrid = grow(kinds, X.tolist(), y, impurity="hybrid", max_depth=1)
    assert record(hybrid) == record(gini)
    assert hybrid.splits[0].gain == gini.splits[0].gain


@pytest.mark.parametrize("bound", ["hoeffding", "mcdiarmid", "normal"])
def test_hybrid_asks_misclassification_first(bound):
    rows, y = numbers(3000)
    options = {"bound": bound, "max_depth": 1, "tau": 0.1, "delta": 0.05}
    both = grow(NUMBERS, rows, y, impurity="hybrid", **options).splits[0]
    # McDiarmid's is for Gini alone: misclassification has Hoeffding's.
    first = options | ({"bound": "hoeffding"} if bound == "mcdiarmid" else {})
    m = grow(NUMBERS, rows, y, impurity="misclassification", **first).splits[0]
    g = grow(NUMBERS, rows, y, impurity="gini", **options).splits
    assert both.seen == min([m.seen, *(split.seen for split in g)])
    want = m if m.seen == both.seen else g[0]
    assert (both.gain, both.epsilon, both.reason) == (want.gain, want.epsilon, want.reason)


def test_the_legacy_gain_splits_on_rounding():
    rows, y = numbers(3000)
    options = {
        "impurity": "misclassification",
        "bound": "normal",
        "tau": 0.15,
        "delta": 1e-7,
        "grace_period": 500,
        "variance": "population",
        "clip_to_range": False,
        "min_branch_fraction": 1e-6,
    }
    exact = grow(NUMBERS, rows * 5, y * 5, **options)
    legacy = grow(NUMBERS, rows * 5, y * 5, legacy_gain=True, **options)
    assert min(split.gain for split in exact.splits) > 1e-9
    assert 0.0 < min(split.gain for split in legacy.splits) < 1e-12
    assert len(legacy.splits) > len(exact.splits)


@pytest.mark.parametrize(
    ("impurity", "depth", "scale"),
    [("entropy", 0, 2 / math.log(2)), ("gini", 0, 1.0), ("kearns-mansour", 0, 1.0)],
)
def test_the_confidence_of_a_leaf_knows_depth_and_time(impurity, depth, scale):
    rows, y = numbers(500)
    tree = grow(NUMBERS, rows, y, impurity=impurity, bound="confidence", epsilons=2)
    share = 0.01 / (2 * 500 * 3 * 500)
    want = scale * bounds.confidence_interval(500, share, impurity)
    assert tree.pending()[depth].epsilon == pytest.approx(want)
    c_tree = grow(NUMBERS, rows, y, impurity=impurity, bound="confidence-practical", max_depth=0)
    want = math.sqrt(math.log(500**2 * 1 * 500 * 4) / 500)
    want *= math.log(500) if impurity == "entropy" else 1.0
    assert c_tree.pending()[0].epsilon == pytest.approx(want)


def test_exhaustive_values_find_the_best_split_of_all():
    rows, y = numbers(1000)
    tree = grow(NUMBERS, rows, y, statistics="exhaustive", leaf="adaptive")
    split = tree.splits[0]
    column = [row[split.feature] for row in rows[: split.seen]]
    threshold, gain = best_split(column, y[: split.seen])
    assert split.value == threshold
    assert split.gain == pytest.approx(gain, abs=1e-12)
    assert split.value in column


@pytest.mark.parametrize("impurity", ["entropy", "gini", "misclassification"])
@pytest.mark.parametrize("pairing", ["independent", "conservative"])
def test_the_delta_method_is_worked_from_the_two_best_tables(impurity, pairing):
    rows, y = mixed(3000)
    kinds = ["numeric", "categorical", "categorical"]
    options = {"bound": "delta-method", "pairing": pairing, "clip_to_range": False}
    split = grow(kinds, rows, y, impurity=impurity, grace_period=100, **options).splits[0]
    s = []
    for cut in (split.best, split.runner_up):
        if cut is None:
            s.append(0.0)
            continue
        assert cut.table[cut.table > 0].min() >= 5
        phi = bounds.influence(cut.table, impurity)
        mean = (cut.table * phi).sum() / split.n
        s.append((cut.table * phi**2).sum() / split.n - mean**2)
    width = math.sqrt(sum(s)) if pairing == "independent" else sum(map(math.sqrt, s))
    want = bounds.normal_quantile(0.01) * width / math.sqrt(split.n)
    assert split.epsilon == pytest.approx(want, rel=1e-9)
    assert split.gain - split.runner_up_gain > split.epsilon


@pytest.mark.parametrize("impurity", ["entropy", "gini", "misclassification"])
def test_the_paired_delta_method_follows_the_two_leaders(impurity):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 3, size=(6000, 3))
    noise = rng.random((6000, 2))
    y = np.where(noise[:, 0] < 0.5, X[:, 0] > 0, np.where(noise[:, 1] < 0.7, X[:, 1] > 0, 0))
    rows, labels = X.tolist(), y.astype(int).tolist()
    options = {"bound": "delta-method", "pairing": "paired", "max_depth": 1, "impurity": impurity}
    split = grow(["categorical"] * 3, rows, labels, delta=1e-4, **options).splits[0]
    # Work it again: at every check the two leaders, frozen when they come.
    followed, start, cuts = None, 0, ()
    for n in range(50, split.seen + 1, 50):
        tables = {}
        for f in range(3):
            tables[f] = np.zeros((3, 2))
            np.add.at(tables[f], (X[:n, f], labels[:n]), 1)
        order = sorted(tables, key=lambda f: -criterion_gain(impurity, tables[f]))[:2]
        if n < split.seen and followed != set(order):
            followed, start = set(order), n
            cuts = [(f, bounds.influence(tables[f], impurity)) for f in order]
    assert followed == {split.feature, split.runner_up.feature}
    assert split.seen - start >= 100
    differences = [
        cuts[0][1][row[cuts[0][0]], k] - cuts[1][1][row[cuts[1][0]], k]
        for row, k in zip(rows[start : split.seen], labels[start : split.seen], strict=True)
    ]
    want = bounds.normal_quantile(1e-4) * math.sqrt(np.var(differences) / split.n)
    assert split.epsilon == pytest.approx(want, rel=1e-9)


@pytest.mark.parametrize("evaluator", ["prequential", "holdout"])
@pytest.mark.parametrize("impurity", ["accuracy", "loss"])
def test_evaluators_count_hits_and_fix_the_cuts_of_numbers(evaluator, impurity):
    rows, y = mixed(3000)
    kinds = ["numeric", "categorical", "categorical"]
    options = {"impurity": impurity, "evaluator": evaluator, "costs": COSTS, "tau": 0.1}
    tree = grow(kinds, rows, y, holdout_examples=40, **options)
    split = tree.splits[0]
    gaussians = {}
    for row, k in zip(rows[:40], y, strict=False):
        gaussians.setdefault(k, Gaussian()).update(row[0])
    assert split.runner_up is not None
    late = evaluator == "holdout" or "threshold" in (split.test, split.runner_up.test)
    assert split.n == split.seen - (40 if late else 0)
    assert split.epsilon == pytest.approx(bounds.hoeffding(split.n, 0.01, 1.0))
    for cut in (split.best, split.runner_up):
        begin = 40 if cut.test == "threshold" else 0
        if cut.test == "threshold":
            assert cut.value in thresholds(gaussians)
        counts = np.zeros_like(cut.table)
        for row, k in zip(rows[begin : split.seen], y[begin : split.seen], strict=True):
            if row[cut.feature] >= 0 or cut.test == "threshold":
                counts[branch_of(cut, row[cut.feature]), k] += 1
        np.testing.assert_array_equal(cut.table, counts)


@pytest.mark.parametrize("evaluator", ["prequential", "holdout"])
@pytest.mark.parametrize("statistics", ["gaussian", "exhaustive"])
def test_weights_and_missing_values_are_taken_by_every_evaluator(evaluator, statistics):
    rows, y = mixed(2000)
    w = np.random.default_rng(0).choice([0.25, 1.0, 2.5], 2000).tolist()
    kinds = ["numeric", "categorical", "categorical"]
    tree = grow(
        kinds, rows, y, w, impurity="accuracy", evaluator=evaluator, statistics=statistics, tau=0.2
    )
    assert tree.splits
    assert sum(sum(node.observed.values()) for node in tree.nodes) == pytest.approx(sum(w))


def test_a_users_own_impurity_and_bound_are_asked():
    rows, y = numbers(1500)

    def gini(counts):
        p = np.asarray(counts) / np.maximum(np.sum(counts, axis=-1, keepdims=True), 1e-300)
        return (p * (1 - p)).sum(axis=-1)

    def bound(evidence):
        return 1.5 * evidence.gain_range * np.sqrt(np.log(1 / evidence.delta) / (2 * evidence.n))

    got = grow(NUMBERS, rows, y, impurity=gini, bound=bound)
    want = grow(NUMBERS, rows, y, impurity="gini")
    assert got.splits[0].feature == want.splits[0].feature
    epsilon = 1.5 * bounds.hoeffding(got.splits[0].n, 0.01, 1.0)
    assert got.splits[0].epsilon == pytest.approx(epsilon)
