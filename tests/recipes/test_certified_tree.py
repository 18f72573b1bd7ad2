"""What the certificates of a tree that bets say, and what it does with equal tests and noise."""

import re

import numpy as np
import pytest

import riparian as rp
from riparian.bounds import Betting
from tests.reference.certified import CertifiedReference
from tests.split_by_split import axes_of, in_order_of_appearance


def flips(rng, y, share):
    return np.where(rng.random(len(y)) < share, 1 - y, y)


def stream(seed, n, shares, noise=0):
    """Categorical features that agree with the class except for a share of flips, and noise."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    columns = [flips(rng, y, share) for share in shares]
    columns += [rng.integers(2, size=n) for _ in range(noise)]
    return np.array([[f"v{x}" for x in row] for row in zip(*columns, strict=True)], dtype=object), y


def test_a_clear_winner_is_certified_as_better_within_hundreds_of_rows():
    X, y = stream(1, 3000, [0.2, 0.4], noise=2)
    model = rp.CertifiedTree(max_leaves=2).fit(X, y)
    (split,) = model.splits()
    assert split.cut == "x0 (each value)"
    assert split.reason == "better"
    assert split.seen < 600
    assert split.evidence >= -np.log(split.delta)
    # depth 0 and the first race: delta / 2 / 2
    assert split.delta == pytest.approx(0.05 / 4)
    # gini 1/2 falls to 2 * 0.2 * 0.8 = 0.32
    assert split.gain == pytest.approx(0.18, abs=0.05)


def test_two_identical_features_split_within_tau_and_never_better():
    for seed in range(5):
        X, y = stream(seed, 4000, [0.2], noise=0)
        X = np.repeat(X, 2, axis=1)
        model = rp.CertifiedTree(max_leaves=2).fit(X, y)
        (split,) = model.splits()
        assert split.reason == "within"
        without = rp.CertifiedTree(max_leaves=2, tau=0.0).fit(X, y)
        assert without.splits() == []


@pytest.mark.parametrize("impurity", ["gini", "accuracy"])
@pytest.mark.parametrize("tau", [0.0, 0.1])
def test_noise_is_not_split(impurity, tau):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(20_000, 5))
    y = rng.integers(2, size=20_000)
    assert rp.CertifiedTree(impurity=impurity, tau=tau).fit(X, y).splits() == []


def test_numeric_cuts_are_nominated_and_more_classes_are_certified():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(20_000, 3))
    y = (X[:, 0] > 0.3).astype(int) + (X[:, 1] > 0.5)
    y = np.where(rng.random(len(y)) < 0.1, rng.integers(3, size=len(y)), y)
    model = rp.CertifiedTree(leaf="majority").fit(X, y)
    splits = model.splits()
    assert len(splits) >= 3
    assert {split.feature for split in splits} == {"x0", "x1"}
    assert splits[0].seen < 1500
    assert model.score(X, y) > 0.85


def test_batches_do_not_matter_and_a_race_survives_its_file(tmp_path):
    X, y = stream(4, 2500, [0.25, 0.27, 0.3], noise=1)
    whole = rp.CertifiedTree().fit(X, y)
    parts = rp.CertifiedTree()
    for first in range(0, len(y), 7):
        part = slice(first, first + 7)
        parts.partial_fit(X[part], y[part], classes=[0, 1])
        if first % 700 == 0:
            parts.save(tmp_path / "model.rip")
            parts = rp.load(tmp_path / "model.rip")
    assert parts.splits().table() == whole.splits().table()
    assert str(parts.pending()) == str(whole.pending())
    assert len(whole.splits()) > 0


def test_weights_do_not_count_as_rows():
    X, y = stream(1, 2000, [0.2, 0.4])
    once = rp.CertifiedTree(max_leaves=2, grace_period=100).fit(X, y)
    heavy = rp.CertifiedTree(max_leaves=2, grace_period=1000).fit(
        X, y, sample_weight=np.full(2000, 10.0)
    )
    assert heavy.splits()[0].seen == once.splits()[0].seen


def test_the_ledger_shows_the_race():
    X, y = stream(1, 150, [0.3, 0.32])
    model = rp.CertifiedTree().fit(X, y)
    (leaf,) = model.pending()
    assert leaf.threshold == pytest.approx(np.log(4 / 0.05))
    assert 0 < leaf.evidence < leaf.threshold
    assert re.search(r"evidence \d+\.\d\d of 4\.38 nats \[=* *\]", str(leaf))
    assert leaf.reason_waiting == "bound"


@pytest.mark.parametrize(
    ("budget", "says", "second"),
    [
        ("path", "a new example passes no split that is not what its certificate says", 6),
        ("tree", "every split of the tree is what its certificate says", 6),
        ("leaf", "A leaf makes a split that is not what its certificate says", 1),
    ],
)
def test_the_guarantee_is_the_promise_of_the_budget(budget, says, second):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20_000, 2))
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 0.5) & (X[:, 0] > -1)).astype(int)
    model = rp.CertifiedTree(bound=Betting(budget=budget), delta=0.03).fit(X, y)
    text = model.guarantee()
    assert says in text
    assert "0.03" in text
    assert "nominated cuts" in text
    assert "whatever its weight" in text
    splits = model.splits()
    kinds = re.search(r"(\d+) of (\d+) certificates? says? better, and (\d+) within", text)
    assert kinds
    assert int(kinds[2]) == len(splits)
    assert int(kinds[1]) == sum(split.reason == "better" for split in splits)
    # The share of the leaf, times 1 / (j (j + 1)) for its j-th race.
    j = [
        (np.sqrt(1 + 4 * 0.03 / (split.delta * share)) - 1) / 2
        for split, share in shares(splits, budget)
    ]
    assert np.allclose(j, np.round(j), atol=1e-6)


def shares(splits, budget):
    for split in splits:
        h, i = split.depth, split.node + 1
        parts = {"path": (h + 1) * (h + 2), "tree": i * (i + 1), "leaf": 1}[budget]
        yield split, parts


def test_missing_values_go_where_the_race_counted_them():
    rng = np.random.default_rng(5)
    X, y = stream(5, 4000, [0.1, 0.4])
    X[(rng.random(4000) < 0.3) & (y == 1), 0] = None  # missing tells the class
    model = rp.CertifiedTree(max_leaves=2).fit(X, y)
    (split,) = model.splits()
    assert split.evidence >= -np.log(split.delta)
    assert split.feature == "x0"


def test_other_recipes_take_the_bound():
    X, y = stream(2, 3000, [0.2, 0.4])
    model = rp.HAT(bound=Betting(budget="leaf"), impurity="gini", delta=0.05).fit(X, y)
    assert model.splits()[0].reason in ("better", "within")
    forest = rp.Forest(estimator=rp.CertifiedTree(), n_estimators=3, random_state=0).fit(X, y)
    assert forest.score(X, y) > 0.75


@pytest.mark.parametrize(
    ("kind", "impurity", "budget", "least"),
    [
        ("mixed", "gini", "path", 4),
        ("numbers", "gini", "tree", 1),
        ("mixed", "accuracy", "leaf", 1),
    ],
)
def test_every_split_is_that_of_the_slow_reference(kind, impurity, budget, least):
    rng = np.random.default_rng(8)
    n = 1500
    X = np.column_stack([rng.normal(size=n), rng.integers(0, 3, n), rng.normal(size=n)])
    y = ((X[:, 0] > 0.2) ^ ((X[:, 1] == 1) & (X[:, 2] > 0))).astype(int)
    y = np.where(rng.random(n) < 0.05, 1 - y, y)
    categorical = [1] if kind == "mixed" else []
    if kind == "mixed":
        X[rng.random(X.shape) < 0.05] = np.nan
    model = rp.CertifiedTree(
        categorical_features=categorical,
        impurity=impurity,
        bound=Betting(budget=budget),
        delta=0.2,
        tau=0.1,
        grace_period=25,
        leaf="majority",
    )
    reference = CertifiedReference(
        ["categorical" if f in categorical else "numeric" for f in range(3)],
        budget=budget,
        **axes_of(model),
    )
    order = list(dict.fromkeys(y.tolist()))  # the model numbers classes as they come
    coded = in_order_of_appearance(X, [f in categorical for f in range(3)])
    for row, k in zip(coded, y, strict=True):
        reference.learn(row, order.index(k))
    model.partial_fit(X, y)
    splits = model.splits()
    assert len(splits) >= least
    assert [(s.node, s.seen, s.reason, s.n) for s in splits] == [
        (node, seen, reason, rows)
        for node, seen, reason, _, rows in reference.kinds_of_certificates
    ]
    expected = zip(splits, reference.splits, reference.kinds_of_certificates, strict=True)
    for got, cut, want in expected:
        assert got.evidence == pytest.approx(want[3], abs=1e-4)
        assert got.feature == f"x{cut.feature}"


@pytest.mark.parametrize("statistics", ["gaussian", "exhaustive", "intervals"])
def test_a_first_value_that_is_an_outlier_harms_only_gaussians(statistics):
    """Ten cuts between the smallest and the largest value separate nothing but the outlier."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(8000, 2))
    y = (X[:, 0] + 0.1 * rng.normal(size=len(X)) > 0.2).astype(int)
    struck = X.copy()
    struck[0] = 1e12
    right = [
        np.mean(
            rp.HoeffdingTree(
                bound="betting",
                impurity="gini",
                delta=0.05,
                tau=0.05,
                grace_period=50,
                leaf="majority",
                statistics=statistics,
            ).prequential(rows, y)[1:]
            == y[1:]
        )
        for rows in (X, struck)
    ]
    assert right[0] > 0.9
    assert (right[1] > right[0] - 0.02) == (statistics != "gaussian")
