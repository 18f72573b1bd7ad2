"""The engine against a slow tree in plain Python, split by split and answer by answer."""

import numpy as np
import pytest
from reference.tree import ReferenceTree

import riparian as rp

TESTS = {1: "threshold", 2: "one-against-rest", 3: "multiway"}


def numbers(rng, n):
    """Numeric features only; three classes, two of the four features matter."""
    X = rng.normal(size=(n, 4))
    y = (X[:, 0] > 0.3).astype(int) + ((X[:, 1] * X[:, 0]) > 0.5)
    return X, y, np.ones(n), [False] * 4


def mixed(rng, n):
    """Numbers and categories, a tenth of the values missing, fractional weights."""
    X = np.column_stack(
        [rng.normal(size=n), rng.integers(0, 4, n), rng.uniform(0, 9, n), rng.integers(0, 2, n)]
    )
    y = ((X[:, 1] % 2 == 0) ^ (X[:, 0] + 0.3 * X[:, 3] > 0.2)).astype(int)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, y, rng.choice([0.25, 1.0, 2.0, 3.5], n), [False, True, False, True]


def categories(rng, n):
    """Categories only, some of them rare and late; a third class after half of the rows."""
    X = rng.integers(0, 3, size=(n, 5)).astype(float)
    X[n // 2 :, 2] = rng.integers(0, 6, n - n // 2)
    y = ((X[:, 0] == 1) | (X[:, 2] == 2)).astype(int)
    y[n // 2 :][X[n // 2 :, 2] > 3] = 2
    return X, y, np.ones(n), [True] * 5


STREAMS = {f.__name__: f for f in (numbers, mixed, categories)}
SETTINGS = {
    "VFDT": {"leaf": "majority"},
    "adaptive": {"leaf": "adaptive"},
    "gini, two epsilons": {"leaf": "naive-bayes", "impurity": "gini", "epsilons": 2},
    "both cuts, any runner-up": {"categorical_cuts": "both", "runner_up": "cut"},
    "one against the rest": {"categorical_cuts": "one-against-rest", "clip_to_range": False},
    "counts inherited": {"inherit_counts": "count", "n_cuts": 4},
    "limits": {
        "max_depth": 3,
        "max_leaves": 9,
        "inherit_counts": "none",
        "min_branch_fraction": 0.1,
    },
    "no ties": {"tau": 0.0, "delta": 0.01, "grace_period": 1},
}


def in_order_of_appearance(X, categorical):
    """Codes as the schema gives them, for the reference."""
    coded = X.tolist()
    for f in np.flatnonzero(categorical):
        seen = {}
        for row in coded:
            row[f] = -1 if np.isnan(row[f]) else seen.setdefault(row[f], len(seen))
    return coded


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_every_split_and_every_answer_is_that_of_the_reference(stream, settings):
    n = 1200 if settings.get("grace_period") == 1 else 4000
    X, y, w, categorical = stream(np.random.default_rng(5), n)
    options = {"grace_period": 100, "delta": 1e-3, "tau": 0.08} | settings
    kinds = ["categorical" if c else "numeric" for c in categorical]
    reference = ReferenceTree(kinds, **options)
    label = {}
    codes = [label.setdefault(k, len(label)) for k in y.tolist()]
    rows = in_order_of_appearance(X, categorical)
    expected = []
    for row, k, weight in zip(rows, codes, w, strict=True):
        expected.append(reference.probabilities(row, 3))
        reference.learn(row, k, weight)

    model = rp.HoeffdingTree(categorical_features=np.flatnonzero(categorical), **options)
    _, probabilities = model.prequential(X, y, sample_weight=w, proba=True)
    probabilities = np.pad(probabilities, ((0, 0), (0, 3 - probabilities.shape[1])))
    nodes = model._engine.nodes()
    splits = model.splits()
    assert len(splits) == len(reference.splits) > 0
    for got, want in zip(splits, reference.splits, strict=True):
        assert (got.node, got.seen, got.reason) == (want.node, want.seen, want.reason)
        assert nodes["feature"][got.node] == want.feature
        assert TESTS[int(nodes["test"][got.node])] == want.test
        if want.test == "threshold":
            assert nodes["threshold"][got.node] == pytest.approx(want.value, rel=1e-12)
        elif want.test == "one-against-rest":
            assert nodes["category"][got.node] == want.value
        children = np.flatnonzero(nodes["parent"] == got.node)
        assert set(want.children) <= set(children.tolist())
        assert got.n == pytest.approx(want.n, rel=1e-12)
        assert got.gain == pytest.approx(want.gain, abs=1e-11)
        assert got.runner_up_gain == pytest.approx(want.runner_up_gain, abs=1e-11)
        assert got.epsilon == pytest.approx(want.epsilon, rel=1e-12)
        assert nodes["heavy"][got.node] == reference.nodes[got.node].heavy
    for i, node in enumerate(reference.nodes):
        for k, weight in node.observed.items():
            assert nodes["counts"][i, k] == pytest.approx(weight, rel=1e-12)
    # Nothing was known before the first row, and before a class came it had no column.
    np.testing.assert_allclose(probabilities[1:], np.array(expected)[1:], atol=1e-7)


def test_pending_tells_the_evidence_of_the_reference():
    X, y, _, _ = numbers(np.random.default_rng(1), 1500)
    options = {"grace_period": 300, "delta": 1e-6, "tau": 0.05}
    reference = ReferenceTree(["numeric"] * 4, **options)
    label = {}
    for row, k in zip(X.tolist(), y.tolist(), strict=True):
        reference.learn(row, label.setdefault(k, len(label)))
    model = rp.HoeffdingTree(**options).partial_fit(X, y)
    pending = model.pending()
    assert [p.leaf for p in pending] == [p.leaf for p in reference.pending()]
    waiting = [
        (got, want)
        for got, want in zip(pending, reference.pending(), strict=True)
        if want.reason == "bound"
    ]
    assert waiting
    for got, want in waiting:
        assert got.gain == pytest.approx(want.gain, abs=1e-11)
        assert got.gap == pytest.approx(want.gain - want.runner_up_gain, abs=1e-11)
        assert got.epsilon == pytest.approx(want.epsilon, rel=1e-12)
        assert got.examples_needed == pytest.approx(want.examples_needed, abs=1.0)
        assert got.reason_waiting == "bound"
