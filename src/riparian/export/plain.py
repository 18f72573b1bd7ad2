"""Trees and forests as exports read them: the tests, and the prediction of each node."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riparian.data.costs import cost_matrix
from riparian.evidence.structure import EVERY_VALUE, LEAF, ONE_VALUE, THRESHOLD
from riparian.export.allowed import Allowed
from riparian.export.categories import other_of
from riparian.export.formulas import Formula, read_formula

if TYPE_CHECKING:
    from riparian.data.schema import Feature
    from riparian.models.base import StreamClassifier

__all__ = [
    "EVERY_VALUE",
    "LEAF",
    "ONE_VALUE",
    "THRESHOLD",
    "Part",
    "PlainTree",
    "Sum",
    "plain_forest",
    "plain_tree",
    "read_nodes",
    "with_leader",
]


@dataclass(frozen=True)
class Part:
    """One tree of a model, as returned by its engine.

    Attributes
    ----------
    nodes : mapping of str to ndarray
        The nodes: one array per column, one row per node.
    features, classes : sequence of int or None
        The features and classes of the model that its codes stand for. None is all, in order.
    weight : float
        The weight of its prediction.
    """

    nodes: Mapping[str, NDArray[Any]]
    features: Sequence[int] | None = None
    classes: Sequence[int] | None = None
    weight: float = 1.0


@dataclass(frozen=True)
class Sum:
    """How several trees predict together: by the sum of their predictions.

    Attributes
    ----------
    roots : list of int
        The root node of each tree. The nodes of a tree are consecutive.
    divisor : float or None
        The divisor that turns a sum into probabilities. None is the total of the sum.
    costs : ndarray of shape (n_classes, n_classes) or None
        Costs [predicted][true]: the prediction is the class with the lowest cost. With None it is
        the class with the largest sum. Ties go to the first class.
    """

    roots: list[int]
    divisor: float | None
    costs: NDArray[np.float64] | None


@dataclass(frozen=True)
class PlainTree:
    """The tests and predictions of one or several trees.

    Attributes
    ----------
    features : sequence of Feature
        The columns. Codes of categories are positions in ``categories``.
    classes : list
        Labels, in the order of the columns of `probabilities`.
    test, feature, category, heavy : ndarray of shape (n_nodes,)
        The tests. `heavy` is the child for missing values, or the node itself if it predicts them.
        Parents come before children.
    threshold : ndarray of shape (n_nodes,)
        ``x <= threshold`` leads to the first child.
    children : list of list of (int, int)
        Branch and child of each node, in the order of the branches. The branches of a test of
        every value are codes of categories, with -1 for a branch of missing values only; those of
        other tests are 0 and 1. The node itself predicts categories without a branch.
    prediction : ndarray of shape (n_nodes,)
        Code of the class that a node predicts.
    probabilities : ndarray of shape (n_nodes, n_classes)
        Probabilities of each node, bit for bit those of the model. With `sum`, the part that a
        node adds to the sum: its probabilities times the weight of its tree.
    weights : ndarray of shape (n_nodes,)
        The total of the class weights of each node, which are 0 before it has seen an example.
    formulas : mapping of int to Formula
        The leaves that compute their prediction. Their `probabilities` are those of their class
        weights. A single tree with such leaves has a `sum` of one tree.
    sum : Sum or None
        How several trees predict together. None for one tree.
    cheapest : bool
        Whether `prediction` is chosen by costs instead of probability.
    """

    features: Sequence[Feature]
    classes: list[Hashable]
    test: NDArray[Any]
    feature: NDArray[Any]
    category: NDArray[Any]
    heavy: NDArray[Any]
    threshold: NDArray[np.float64]
    children: list[list[tuple[int, int]]]
    prediction: NDArray[np.intp]
    probabilities: NDArray[np.float64]
    weights: NDArray[np.float64]
    formulas: Mapping[int, Formula] = field(default_factory=dict)
    sum: Sum | None = None
    cheapest: bool = False

    def __len__(self) -> int:
        return len(self.test)

    @cached_property
    def categories(self) -> list[list[Hashable]]:
        """The categories of each feature, by their codes."""
        return [feature.categories for feature in self.features]

    @property
    def predicts(self) -> NDArray[np.bool_]:
        """The nodes that predict: leaves, and tests with one branch per category."""
        found: NDArray[np.bool_] = (self.test == LEAF) | (self.test == EVERY_VALUE)
        return found

    @property
    def what(self) -> str:
        """What the comment at the top of a program calls it: a tree or a forest."""
        single = self.sum is None or (bool(self.formulas) and len(self.sum.roots) == 1)
        return "tree" if single else "forest"

    def trees(self) -> list[range]:
        """Return the nodes of each tree, the root first."""
        roots = [0] if self.sum is None else self.sum.roots
        return [range(a, b) for a, b in zip(roots, [*roots[1:], len(self)], strict=True)]


def plain_tree(model: StreamClassifier[Any], part: Part) -> PlainTree:
    """Return the tree of a model."""
    classes = list(model._schema.classes)[: part.nodes["counts"].shape[1]]
    found = _plain(model, part, classes)
    given = model._learned_with.get("costs")
    costs = None if given is None else cost_matrix(given, classes)
    if found.formulas:
        shares = found.probabilities
        if costs is None:
            shares = with_leader(shares, found.prediction)
        together = Sum([0], 1.0, costs)
        return replace(found, probabilities=shares, sum=together, cheapest=costs is not None)
    if costs is None:
        return found
    return replace(found, prediction=_cheapest(found.probabilities, costs), cheapest=True)


def plain_forest(
    model: StreamClassifier[Any], parts: Sequence[Part], divisor: float | None = None
) -> PlainTree:
    """Return the trees of a forest in one table of nodes."""
    # A tree without classes predicts nothing.
    parts = [part for part in parts if part.nodes["counts"].shape[1]]
    if not parts:
        raise ValueError("this model cannot be exported: none of its trees has learned yet")
    classes = list(model._schema.classes)
    costs = model._learned_with.get("costs")
    trees = [_plain(model, part, classes) for part in parts]
    roots = np.cumsum([0, *map(len, trees)]).tolist()[:-1]
    placed = list(zip(trees, roots, strict=True))
    return PlainTree(
        features=trees[0].features,
        classes=classes,
        test=np.concatenate([t.test for t in trees]),
        feature=np.concatenate([t.feature for t in trees]),
        category=np.concatenate([t.category for t in trees]),
        heavy=np.concatenate([t.heavy + root for t, root in placed]),
        threshold=np.concatenate([t.threshold for t in trees]),
        children=[
            [(branch, child + root) for branch, child in branches]
            for t, root in placed
            for branches in t.children
        ],
        prediction=np.concatenate([t.prediction for t in trees]),
        probabilities=np.concatenate(
            [part.weight * t.probabilities for part, t in zip(parts, trees, strict=True)]
        ),
        weights=np.concatenate([t.weights for t in trees]),
        formulas={
            node + root: formula for t, root in placed for node, formula in t.formulas.items()
        },
        sum=Sum(roots, divisor, None if costs is None else cost_matrix(costs, classes)),
        cheapest=costs is not None,
    )


def read_nodes(tree: Any, allowed: Allowed, asked: str) -> dict[str, Any]:
    """Return the nodes of a tree of the engine, with formulas unless majority leaves are wanted."""
    nodes: dict[str, Any] = tree.nodes(formulas=allowed.leaf is None)
    for node, formula in enumerate(nodes.get("formulas", [])):
        if formula is not None and formula["link"] == "unknown":
            raise ValueError(
                f"leaf {node} of this model predicts with {nodes['predicted_by'][node]!r}, which "
                f"{asked} cannot express; {asked}(leaf='majority') exports the tree with majority "
                "leaves, whose predictions differ"
            )
    return nodes


def with_leader(shares: NDArray[Any], leader: NDArray[np.intp]) -> NDArray[Any]:
    """Return shares in which the leader is the unique maximum even after rounding.

    The engine compares weights. Two different weights may be rounded to the same share; the share
    of the leader is then raised by one unit in the last place.
    """
    found = shares.copy()
    rows = np.flatnonzero(found.argmax(axis=1) != leader)
    most = found[rows].max(axis=1)
    found[rows, leader[rows]] = np.nextafter(most, np.full_like(most, 2.0))
    return found


def _plain(model: StreamClassifier[Any], part: Part, classes: list[Hashable]) -> PlainTree:
    """Return a tree over the features and classes of the model."""
    nodes = part.nodes
    children: list[list[tuple[int, int]]] = [[] for _ in nodes["parent"]]
    for child, (parent, branch) in enumerate(
        zip(nodes["parent"].tolist(), nodes["branch"].tolist(), strict=True)
    ):
        if parent >= 0:
            children[parent].append((branch, child))
    for branches in children:
        branches.sort()
    own: NDArray[np.float64] = nodes["counts"] + nodes.get("inherited", 0.0)
    # A node without weight predicts like its parent. The parent of the root, -1, is never used.
    weights = np.where((own > 0.0).any(axis=1, keepdims=True), own, own[nodes["parent"]])
    # Summed in the order of the engine, to get the same bits.
    total = np.cumsum(weights, axis=1)[:, -1:]
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(total > 0.0, weights / total, 1.0 / weights.shape[1])
    wide = np.zeros((len(own), len(classes)))
    codes = np.arange(own.shape[1]) if part.classes is None else np.asarray(part.classes)
    wide[:, codes] = shares
    feature = np.asarray(nodes["feature"])
    if part.features is not None:
        feature = np.where(feature >= 0, np.asarray(part.features)[feature], -1)
    features = list(model._schema.features)
    left_out = [f for f in range(len(features)) if model._schema.left_out(f)]
    formulas = {
        node: read_formula(
            formula,
            features=part.features,
            classes=codes,
            n_classes=len(classes),
            weight=part.weight,
        )
        for node, formula in enumerate(nodes.get("formulas", []))
        if formula is not None
    }
    tree = PlainTree(
        features=features,
        classes=classes,
        test=nodes["test"].copy(),
        feature=feature.copy(),
        category=nodes["category"].copy(),
        # If no branch takes missing values, the node itself predicts.
        heavy=np.where(nodes["heavy"] >= 0, nodes["heavy"], np.arange(len(own))),
        threshold=nodes["threshold"].copy(),
        children=children,
        prediction=codes[weights.argmax(axis=1)],
        probabilities=wide,
        weights=own.sum(axis=1),
        formulas={n: _with_names(f, features, left_out) for n, f in formulas.items()},
    )
    tests_it = np.isin(feature, left_out) & (tree.test != LEAF)
    for node in reversed(np.flatnonzero(tests_it).tolist()):  # children come after their parents
        _skip_test(tree, node)
    return tree


def _with_names(formula: Formula, features: Sequence[Feature], left_out: list[int]) -> Formula:
    """Return a formula without identifiers, in which unknown categories are those of "other".

    The values of an identifier are missing and have no terms. Where a feature has the category
    "other", which comes last, every category without a name of its own is in it.
    """
    categorical = {}
    for feature, rows in formula.categorical.items():
        if feature in left_out:
            continue
        other = other_of(features[feature])
        if other is not None:
            codes = np.minimum(np.arange(other + 1), len(rows) - 1)
            rows = rows[codes]
        categorical[feature] = rows
    return replace(formula, categorical=categorical)


def _skip_test(tree: PlainTree, node: int) -> None:
    """Put the child for missing values in the place of a node that tests an identifier."""
    heavy = int(tree.heavy[node])
    if heavy == node:
        tree.test[node], tree.children[node] = LEAF, []
        return
    for values in (tree.test, tree.feature, tree.category, tree.threshold):
        values[node] = values[heavy]
    tree.heavy[node] = node if tree.heavy[heavy] == heavy else tree.heavy[heavy]
    tree.prediction[node] = tree.prediction[heavy]
    tree.probabilities[node] = tree.probabilities[heavy]
    tree.children[node], tree.children[heavy] = tree.children[heavy], []
    tree.test[heavy] = LEAF


def _cheapest(shares: NDArray[np.float64], costs: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the class with the lowest expected cost, summed in the order of the engine."""
    expected = np.zeros_like(shares)
    for k in range(shares.shape[1]):
        expected += shares[:, k : k + 1] * costs[:, k]
    return np.asarray(expected.argmin(axis=1))
