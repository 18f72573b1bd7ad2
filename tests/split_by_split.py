"""A model and the slow tree of the specification, learning the same stream side by side."""

import dataclasses

import numpy as np
import pytest

from tests import inside
from tests.compositions import flat_of, policies_of
from tests.reference.parameters import Parameters
from tests.reference.tree import ReferenceTree

TESTS = {1: "threshold", 2: "one-against-rest", 3: "multiway"}

_KNOWN = {field.name for field in dataclasses.fields(Parameters)}


def axes_of(model, *more):
    """The parameters of a model that a reference tree has, and those that are named."""
    return {k: v for k, v in flat_of(inside.axes(model)).items() if k in _KNOWN or k in more}


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


def in_order_of_appearance(X, categorical):
    """Codes as the schema gives them, for the reference."""
    coded = X.tolist()
    for f in np.flatnonzero(categorical):
        seen = {}
        for row in coded:
            row[f] = -1 if np.isnan(row[f]) else seen.setdefault(row[f], len(seen))
    return coded


def learn(tree_class, options, stream, n, seed=5):
    """The model and the reference after `n` rows, with what both answered before each row.

    The options have the names of the specification.
    """
    X, y, w, categorical = stream(np.random.default_rng(seed), n)
    options = policies_of(options, tree_class)
    model = tree_class(categorical_features=np.flatnonzero(categorical), **options)
    axes = axes_of(model)
    kinds = ["categorical" if c else "numeric" for c in categorical]
    reference = ReferenceTree(kinds, **axes)
    label = {}
    codes = [label.setdefault(k, len(label)) for k in y.tolist()]
    expected, answers = [], []
    for row, k, weight in zip(in_order_of_appearance(X, categorical), codes, w, strict=True):
        expected.append(reference.probabilities(row, 3))
        answers.append(reference.predict(row))
        reference.learn(row, k, weight)
    labels, probabilities = model.prequential(X, y, sample_weight=w, proba=True)
    # Nothing was known before the first row.
    assert [label[k] for k in labels[1:].tolist()] == answers[1:]
    probabilities = np.pad(probabilities, ((0, 0), (0, 3 - probabilities.shape[1])))
    return model, reference, probabilities, np.array(expected)


def assert_same_splits(model, reference, first=None):
    """Node, cut, gains, bound, reason and children of every split, or of the first ones."""
    nodes = inside.nodes(model)
    splits = model.splits()[:first]
    assert [s.node for s in splits] == [s.node for s in reference.splits]
    for got, want in zip(splits, reference.splits, strict=True):
        assert got.impurity == want.criterion
        assert_same_cut(nodes, got.node, want)
        assert_same_evidence(got, want)
        children = np.flatnonzero(nodes["parent"] == got.node)
        assert set(want.children) <= set(children.tolist())
        assert nodes["heavy"][got.node] == reference.nodes[got.node].heavy
    if first is not None:
        return
    for i, node in enumerate(reference.nodes):
        assert_same_counts(nodes, i, node)


def assert_same_cut(nodes, i, cut):
    """The test of one node."""
    assert nodes["feature"][i] == cut.feature
    assert TESTS[int(nodes["test"][i])] == cut.test
    if cut.test == "threshold":
        assert nodes["threshold"][i] == pytest.approx(cut.value, rel=1e-9, abs=1e-12)
    elif cut.test == "one-against-rest":
        assert nodes["category"][i] == cut.value


def assert_same_evidence(got, want):
    """When and why a node was split, by which gains and bound."""
    assert (got.seen, got.reason) == (want.seen, want.reason)
    assert got.n == pytest.approx(want.n, rel=1e-12)
    assert got.gain == pytest.approx(want.gain, abs=1e-11)
    assert got.runner_up_gain == pytest.approx(want.runner_up_gain, abs=1e-11)
    assert got.epsilon == pytest.approx(want.epsilon, rel=1e-9)


def assert_same_counts(nodes, i, node):
    """The class weights that one node saw itself."""
    for k, weight in node.observed.items():
        assert nodes["counts"][i, k] == pytest.approx(weight, rel=1e-12)


def assert_same_tree(tree_class, options, stream, n):
    """Every split and every answer of a model is that of the reference; both are returned."""
    model, reference, probabilities, expected = learn(tree_class, options, stream, n)
    assert_same_splits(model, reference)
    # Nothing was known before the first row, and before a class came it had no column.
    np.testing.assert_allclose(probabilities[1:], expected[1:], atol=1e-7)
    return model, reference
