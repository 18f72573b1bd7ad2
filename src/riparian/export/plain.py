"""A grown tree without its statistics: tests, and the answers of its nodes as numbers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riparian.structure import EVERY_VALUE, LEAF, ONE_VALUE, THRESHOLD

if TYPE_CHECKING:
    from riparian.schema import Feature
    from riparian.tree import HoeffdingTree

__all__ = [
    "EVERY_VALUE",
    "LEAF",
    "ONE_VALUE",
    "THRESHOLD",
    "PlainTree",
    "plain_tree",
    "with_leader",
]


@dataclass(frozen=True)
class PlainTree:
    """What a tree with majority leaves answers, and nothing else.

    Attributes
    ----------
    features : sequence of Feature
        The columns; codes of categories are positions in ``categories``.
    classes : list
        Labels, in the order of the columns of `probabilities`.
    test, feature, category, heavy : ndarray of shape (n_nodes,)
        The tests; `heavy` is the child for missing values. Parents stand before children.
    threshold : ndarray of shape (n_nodes,)
        ``x <= threshold`` goes to the first child.
    children : list of list of (int, int)
        For each node branch and child, in the order of the branches: 0 and 1, or the
        categories that have a branch under a test of every value. A category without one
        is answered by the node itself.
    answer : ndarray of shape (n_nodes,)
        Code of the class that a node answers.
    probabilities : ndarray of shape (n_nodes, n_classes)
        Its probabilities, the very numbers that the model gives.
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

    def __len__(self) -> int:
        return len(self.test)

    @property
    def speaks(self) -> NDArray[np.bool_]:
        """Which nodes answer: leaves, and tests of every value for a category they lack."""
        found: NDArray[np.bool_] = (self.test == LEAF) | (self.test == EVERY_VALUE)
        return found


def plain_tree(model: HoeffdingTree, leaf: str | None, asked: str) -> PlainTree:
    """The tree of a model whose leaves answer by majority, or are to be read so.

    Parameters
    ----------
    model : HoeffdingTree
        A model that has learned.
    leaf : {"majority"} or None
        None takes a model with ``leaf="majority"`` only; "majority" takes any.
    asked : str
        What wants the tree, for the error.
    """
    if leaf not in (None, "majority"):
        raise ValueError(f"leaf must be None or 'majority', got {leaf!r}")
    engine = model._fitted()
    own = model._learned_with["leaf"]
    if leaf is None and own != "majority":
        raise ValueError(
            f"the leaves of this model answer by {own!r}, which {asked} cannot say; "
            f"{asked}(leaf='majority') gives the tree with majority leaves, whose answers differ"
        )
    if model._learned_with["adaptation"] == "options":
        raise ValueError(
            f"{asked} cannot say a tree with options: several leaves answer one example; "
            "learn one without them (adaptation='none')"
        )
    # The schema only grows: read after the nodes, it knows every code in them.
    nodes = engine.nodes()
    children: list[list[tuple[int, int]]] = [[] for _ in nodes["parent"]]
    for child, (parent, branch) in enumerate(
        zip(nodes["parent"].tolist(), nodes["branch"].tolist(), strict=True)
    ):
        if parent >= 0:
            children[parent].append((branch, child))
    for branches in children:
        branches.sort()
    own = nodes["counts"] + nodes["inherited"]
    # A node without weight answers like its parent; the root's is never looked at.
    weights = np.where(own.any(axis=1)[:, None], own, own[nodes["parent"]])
    # Summed from the first class on, as the engine does it: the same bits.
    total = np.cumsum(weights, axis=1)[:, -1:]
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(total > 0.0, weights / total, 1.0 / weights.shape[1])
    return PlainTree(
        features=list(model._schema.features),
        classes=list(model._schema.classes)[: weights.shape[1]],
        test=nodes["test"],
        feature=nodes["feature"],
        category=nodes["category"],
        heavy=nodes["heavy"],
        threshold=nodes["threshold"],
        children=children,
        answer=weights.argmax(axis=1),
        probabilities=shares,
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
