"""Grown trees without their statistics: tests, and the predictions of their nodes as numbers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riparian.costs import cost_matrix
from riparian.structure import EVERY_VALUE, LEAF, ONE_VALUE, THRESHOLD

if TYPE_CHECKING:
    from riparian.model import StreamClassifier
    from riparian.schema import Feature

__all__ = [
    "EVERY_VALUE",
    "LEAF",
    "ONE_VALUE",
    "THRESHOLD",
    "Allowed",
    "Part",
    "PlainTree",
    "Sum",
    "plain_forest",
    "plain_tree",
    "refuse_inexpressible",
    "with_leader",
]


@dataclass(frozen=True)
class Allowed:
    """What an export cannot express and may read otherwise; None refuses it.

    Attributes
    ----------
    leaf : {"majority"} or None
        Read leaves that predict in another way as majority leaves.
    missing : {"fails"} or None
        A missing value that takes both branches of a test, as one that fails it.
    """

    leaf: str | None = None
    missing: str | None = None

    def __post_init__(self) -> None:
        for name, value, known in (
            ("leaf", self.leaf, "majority"),
            ("missing", self.missing, "fails"),
        ):
            if value not in (None, known):
                raise ValueError(f"{name} must be None or {known!r}, got {value!r}")


@dataclass(frozen=True)
class Part:
    """One tree of a model, as its engine gives it.

    Attributes
    ----------
    nodes : mapping of str to ndarray
        One array a column and one row a node.
    features, classes : sequence of int or None
        Which ones of the model its codes mean; None for all, in their order.
    weight : float
        The weight of its prediction.
    """

    nodes: Mapping[str, NDArray[Any]]
    features: Sequence[int] | None = None
    classes: Sequence[int] | None = None
    weight: float = 1.0


@dataclass(frozen=True)
class Sum:
    """How several trees predict together: by the sum of what each of them predicts.

    Attributes
    ----------
    roots : list of int
        The nodes that the trees begin with. The nodes of a tree stand together.
    divisor : float or None
        What makes probabilities of a sum; None for the sum of its parts.
    costs : ndarray of shape (n_classes, n_classes) or None
        [predicted][true]: the prediction is the class of least cost by the sum. None: the class of
        the largest part. The first of several, either way.
    """

    roots: list[int]
    divisor: float | None
    costs: NDArray[np.float64] | None


@dataclass(frozen=True)
class PlainTree:
    """What a tree with majority leaves predicts, or several of them, and nothing else.

    Attributes
    ----------
    features : sequence of Feature
        The columns; codes of categories are positions in ``categories``.
    classes : list
        Labels, in the order of the columns of `probabilities`.
    test, feature, category, heavy : ndarray of shape (n_nodes,)
        The tests; `heavy` is the child for missing values, or the node itself if that predicts
        them. Parents stand before children.
    threshold : ndarray of shape (n_nodes,)
        ``x <= threshold`` goes to the first child.
    children : list of list of (int, int)
        For each node branch and child, in the order of the branches: 0 and 1, or the
        categories that have a branch under a test of every value, -1 for one that takes
        nothing but missing values. A category without one is predicted by the node itself.
    answer : ndarray of shape (n_nodes,)
        Code of the class that a node predicts.
    probabilities : ndarray of shape (n_nodes, n_classes)
        Its probabilities, the very numbers that the model gives; with `sum` what it adds to
        that, its probabilities times the weight of its tree.
    sum : Sum or None
        None for one tree.
    cheapest : bool
        Whether `answer` is chosen by costs, and not the most likely class.
    """

    features: Sequence[Feature]
    classes: list[Hashable]
    test: NDArray[Any]
    feature: NDArray[Any]
    category: NDArray[Any]
    heavy: NDArray[Any]
    threshold: NDArray[np.float64]
    children: list[list[tuple[int, int]]]
    answer: NDArray[np.intp]
    probabilities: NDArray[np.float64]
    sum: Sum | None = None
    cheapest: bool = False

    def __len__(self) -> int:
        return len(self.test)

    @cached_property
    def categories(self) -> list[list[Hashable]]:
        """The categories of each feature, by their codes."""
        return [feature.categories for feature in self.features]

    @property
    def speaks(self) -> NDArray[np.bool_]:
        """Which nodes predict: leaves, and tests of every value for a category they lack."""
        found: NDArray[np.bool_] = (self.test == LEAF) | (self.test == EVERY_VALUE)
        return found

    def trees(self) -> list[range]:
        """The nodes of each tree, its root first."""
        roots = [0] if self.sum is None else self.sum.roots
        return [range(a, b) for a, b in zip(roots, [*roots[1:], len(self)], strict=True)]


def plain_tree(model: StreamClassifier[Any], part: Part) -> PlainTree:
    """The one tree of a model, whose leaves predict by majority or are read as such."""
    classes = list(model._schema.classes)[: part.nodes["counts"].shape[1]]
    found = _plain(model, part, classes)
    costs = model._learned_with.get("costs")
    if costs is None:
        return found
    cheapest = _cheapest(found.probabilities, cost_matrix(costs, classes))
    return replace(found, answer=cheapest, cheapest=True)


def plain_forest(
    model: StreamClassifier[Any], parts: Sequence[Part], divisor: float | None = None
) -> PlainTree:
    """The trees of a model that predict together, in one table of nodes."""
    # A tree that knows no class yet predicts nothing.
    parts = [part for part in parts if part.nodes["counts"].shape[1]]
    if not parts:
        raise ValueError("no tree of this model has learned anything yet")
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
        answer=np.concatenate([t.answer for t in trees]),
        probabilities=np.concatenate(
            [part.weight * t.probabilities for part, t in zip(parts, trees, strict=True)]
        ),
        sum=Sum(roots, divisor, None if costs is None else cost_matrix(costs, classes)),
        cheapest=costs is not None,
    )


def refuse_inexpressible(
    allowed: Allowed,
    asked: str,
    *,
    leaf: Any = "majority",
    options: bool = False,
    both_ways: bool = False,
) -> None:
    """A ValueError that says why such trees cannot be exported as they predict.

    Parameters
    ----------
    allowed : Allowed
        What may be read otherwise.
    asked : str
        The export.
    leaf : str or sequence of str
        What their leaves predict by.
    options : bool
        Whether a node may have several tests.
    both_ways : bool
        Whether a missing value takes both branches of a test.
    """
    if allowed.leaf is None and leaf != "majority":
        raise ValueError(
            f"the leaves of this model predict with {leaf!r}, which {asked} cannot express; "
            f"{asked}(leaf='majority') gives the tree with majority leaves, whose predictions "
            "differ"
        )
    if options:
        raise ValueError(
            f"{asked} cannot express a tree with options: several leaves predict one row; "
            "learn one without them (adaptation='none')"
        )
    if both_ways and allowed.missing is None:
        raise ValueError(
            f"this model sends a missing value down both branches of a test, which {asked} cannot "
            f"express; {asked}(missing='fails') sends it down the second one, and rows without "
            "missing values are predicted the same"
        )


def with_leader(shares: NDArray[Any], leader: NDArray[np.intp]) -> NDArray[Any]:
    """Shares whose largest is that of the leader, also where rounding made two equal.

    The engine compares weights; two that differ may be one share. The leader's is then
    raised by one unit in the last place.
    """
    found = shares.copy()
    rows = np.flatnonzero(found.argmax(axis=1) != leader)
    most = found[rows].max(axis=1)
    found[rows, leader[rows]] = np.nextafter(most, np.full_like(most, 2.0))
    return found


def _plain(model: StreamClassifier[Any], part: Part, classes: list[Hashable]) -> PlainTree:
    """A tree over the features and classes of the model; its predictions are those of majority."""
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
    # A node without weight predicts like its parent; the root's is never used.
    weights = np.where((own > 0.0).any(axis=1, keepdims=True), own, own[nodes["parent"]])
    # Summed from the first class on, as the engine does it: the same bits.
    total = np.cumsum(weights, axis=1)[:, -1:]
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(total > 0.0, weights / total, 1.0 / weights.shape[1])
    wide = np.zeros((len(own), len(classes)))
    codes = np.arange(own.shape[1]) if part.classes is None else np.asarray(part.classes)
    wide[:, codes] = shares
    feature = np.asarray(nodes["feature"])
    if part.features is not None:
        feature = np.where(feature >= 0, np.asarray(part.features)[feature], -1)
    return PlainTree(
        features=list(model._schema.features),
        classes=classes,
        test=nodes["test"],
        feature=feature,
        category=nodes["category"],
        # Where no branch takes missing values the node itself predicts.
        heavy=np.where(nodes["heavy"] >= 0, nodes["heavy"], np.arange(len(own))),
        threshold=nodes["threshold"],
        children=children,
        answer=codes[weights.argmax(axis=1)],
        probabilities=wide,
    )


def _cheapest(shares: NDArray[np.float64], costs: NDArray[np.float64]) -> NDArray[np.intp]:
    """The class of least expected cost of each row, summed in the order of the engine."""
    expected = np.zeros_like(shares)
    for k in range(shares.shape[1]):
        expected += shares[:, k : k + 1] * costs[:, k]
    return np.asarray(expected.argmin(axis=1))
