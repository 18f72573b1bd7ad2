"""The nodes of a tree: tests, class weights and predictions, as texts and plain numbers.

Text, Graphviz, plots, HTML and explanations read a tree through :class:`Structure`, so they all
write a cut in the same way. Trees may be thousands of levels deep, so nothing here recurses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.data.formatting import MOST_DIGITS, distinct_numbers, distinct_texts
from riparian.data.free_names import column_names
from riparian.data.times import time_text

__all__ = ["Branch", "Node", "Structure"]

LEAF, THRESHOLD, ONE_VALUE, EVERY_VALUE = range(4)


@dataclass(frozen=True, slots=True)
class Branch:
    """The condition under which examples enter a node, for example ``elevation <= 2956``.

    All examples that reach a node also enter its further tests: ``option 2 of node 5``.
    """

    feature: str
    relation: str  # "<=", ">", "=" or "!="; "of" for an option
    value: str

    @property
    def is_option(self) -> bool:
        """Whether it leads to a further test of the parent."""
        return self.relation == "of"

    def __str__(self) -> str:
        return f"{self.feature} {self.relation} {self.value}"


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a tree. Class weights are in the order of ``Structure.classes``.

    Attributes
    ----------
    id, parent, depth : int
        Position in the tree. The root has id 0, parent -1 and depth 0.
    children : tuple of int
        Ids of the children in the order of their branches; empty for a leaf.
    test : int
        Kind of test: ``LEAF``, ``THRESHOLD``, ``ONE_VALUE`` or ``EVERY_VALUE``.
    feature : str or None
        Label of the feature that the node tests; None for a leaf.
    branch : Branch or None
        Condition under which examples enter; None for the root.
    takes_missing : bool
        Whether examples whose value of the parent's feature is missing come here.
    below : int
        Number of descendants.
    counts : tuple of float
        Class weights that the node saw as a leaf: until now, or until it split.
    reached : tuple of float
        Class weights of all examples that reached the node, also after it split.
    predicted_weights : tuple of float
        Class weights that a majority leaf predicts with: the inherited ones and `counts`.
    predicted_class : int
        Position of the class that a majority leaf predicts; -1 while no class is known.
    predicted_by : str or None
        Name of the leaf predictor that this leaf uses now, for example "naive-bayes". It is
        "majority" while the others have learned nothing. None for an inner node.
    """

    id: int
    parent: int
    depth: int
    children: tuple[int, ...]
    test: int
    feature: str | None
    branch: Branch | None
    takes_missing: bool
    below: int
    counts: tuple[float, ...]
    reached: tuple[float, ...]
    predicted_weights: tuple[float, ...]
    predicted_class: int
    predicted_by: str | None

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no test."""
        return self.test == LEAF

    @property
    def shown(self) -> tuple[float, ...]:
        """Class weights to draw: what a leaf predicts with; what reached an inner node."""
        return self.predicted_weights if self.is_leaf or not sum(self.reached) else self.reached

    @property
    def leading(self) -> int:
        """Position of the class to name: what a leaf predicts, else the most frequent; or -1."""
        if self.is_leaf or not sum(self.reached):
            return self.predicted_class
        return max(range(len(self.reached)), key=self.reached.__getitem__)


class Structure:
    """A read-only view of a tree: a sequence of nodes, the root first, parents before children.

    Parameters
    ----------
    nodes : mapping of str to ndarray
        One array per column, with one row per node, as the engine returns them.
    features : sequence
        Features of the schema, each with ``label`` and ``categories``.
    classes : sequence
        Labels in the order of the columns of ``nodes["counts"]``.
    digits : int, default=6
        Significant digits of thresholds; more are used where two would look alike.

    Attributes
    ----------
    labels : tuple
        The class labels, sorted where they can be.
    classes : tuple of str
        The labels as distinct texts.
    features : tuple of str
        The features as texts.
    depth : int
        Depth of the deepest node.
    n_leaves : int
        Number of leaves.
    adds_up : bool
        Whether `reached` of each inner node is the sum over its children. In a tree that splits
        while it learns, a child counts the examples since its parent's split only.
    path : tuple of int
        Ids from the root to the node that predicts an example; empty unless `of` got one.
    evidence : dict of int to str
        A line about the certificate of each split node; empty unless `of` got one.
    """

    def __init__(
        self,
        nodes: Mapping[str, NDArray[Any]],
        features: Sequence[Any],
        classes: Sequence[Any],
        *,
        digits: int = 6,
    ) -> None:
        if not 1 <= digits <= MOST_DIGITS:
            raise ValueError(f"digits must be between 1 and {MOST_DIGITS}, got {digits}")
        self._nodes = nodes
        self.path = _path(nodes) if "ends" in nodes else ()
        self.evidence: dict[int, str] = {}
        self._schema_features = features
        self.digits = digits
        self._threshold_texts: dict[int, dict[float, str]] = {}
        self._category_texts: dict[int, tuple[str, ...]] = {}

        n_classes = nodes["counts"].shape[1] if len(nodes["test"]) else 0
        known = list(classes)[:n_classes]
        order = _sorted_order(known)
        self.labels: tuple[Any, ...] = tuple(known[k] for k in order)
        self.classes: tuple[str, ...] = distinct_texts(self.labels)
        self.features: tuple[str, ...] = distinct_texts(column_names(features))
        self.n_leaves = int(np.count_nonzero(nodes["test"] == LEAF))
        self.depth = int(nodes["depth"].max(initial=0))

        parent = nodes["parent"].astype(np.intp)
        # The further tests of a node come after its children.
        self._option = nodes.get("option", np.zeros(len(parent), dtype=np.intp))
        self._children, self._first_child = _children(parent, nodes["branch"], self._option)
        levels = _levels(nodes["depth"])
        reached = np.array(nodes["counts"], dtype=np.float64)
        below = np.ones(len(parent), dtype=np.int64)
        for level in reversed(levels[1:]):
            # Inner nodes that keep learning count what reaches them.
            if "reached" not in nodes:
                np.add.at(reached, parent[level], reached[level])
            np.add.at(below, parent[level], below[level])
        weights = np.array(nodes["answer"], dtype=np.float64)
        for level in levels[1:]:
            empty = level[~weights[level].any(axis=1)]
            weights[empty] = weights[parent[empty]]

        totals, inner = reached.sum(axis=1), nodes["test"] != LEAF
        of_children = np.bincount(parent[1:], totals[1:], len(parent))
        self.adds_up = bool(np.allclose(of_children[inner], totals[inner]))
        self._below = below - 1
        self._counts = np.asarray(nodes["counts"])[:, order]
        self._reached = reached[:, order]
        self._predicted_weights = weights[:, order]
        self._predicted_by: Any = nodes["predicted_by"]  # a name or None for each node
        # Ties go to the class that was seen first, so the maximum is taken in the engine's order.
        place = np.argsort(np.asarray(order, dtype=np.intp))
        winner = weights[:, : len(known)].argmax(axis=1) if known else np.zeros(len(parent), int)
        predicts = weights.any(axis=1) if known else np.zeros(len(parent), dtype=bool)
        self._predicted_class = np.where(predicts, place[winner] if known else -1, -1)

    @classmethod
    def of(
        cls, model: Any, *, digits: int = 6, evidence: bool = False, row: _core.Batch | None = None
    ) -> Self:
        """View of the tree that a model has grown so far.

        Parameters
        ----------
        model : HoeffdingTree
            A model that has learned.
        digits : int, default=6
            Significant digits of thresholds; more are used where two would look alike.
        evidence : bool, default=False
            Whether to add a line about each split's certificate.
        row : Batch, optional
            One example whose path is found at the same moment.

        Returns
        -------
        Structure
            The tree as it is now; it does not change when the model learns on.
        """
        engine = model._fitted()
        lines = model._evidence_lines() if evidence else {}
        # The schema only grows: read after the nodes, it knows every code in them.
        nodes = engine.nodes(row)
        found = cls(nodes, list(model._schema.features), list(model._schema.classes), digits=digits)
        found.evidence = lines
        return found

    def __len__(self) -> int:
        return len(self._nodes["test"])

    def __iter__(self) -> Iterator[Node]:
        return (self._node(i) for i in range(len(self)))

    def __getitem__(self, node: int) -> Node:
        if not 0 <= node < len(self):
            raise IndexError(f"node must be in [0, {len(self)}), got {node}")
        return self._node(node)

    def n_predicted_by(self) -> dict[str, int]:
        """Number of leaves that use each leaf predictor, the most frequent first."""
        found = Counter(self._predicted_by).most_common()
        return {name: n for name, n in found if name is not None}

    def depth_of(self, node: int) -> int:
        """Depth of a node."""
        return int(self._nodes["depth"][node])

    def feature_index(self, node: int) -> int:
        """Position in the schema of the feature that a node tests; -1 for a leaf."""
        return int(self._nodes["feature"][node])

    def threshold(self, node: int) -> float:
        """Threshold of a node with a threshold test."""
        return float(self._nodes["threshold"][node])

    def _node(self, i: int) -> Node:
        nodes = self._nodes
        test, parent = int(nodes["test"][i]), int(nodes["parent"][i])
        first, last = int(self._first_child[i]), int(self._first_child[i + 1])
        return Node(
            id=i,
            parent=parent,
            depth=int(nodes["depth"][i]),
            children=tuple(self._children[first:last].tolist()),
            test=test,
            feature=None if test == LEAF else self.features[self.feature_index(i)],
            branch=self._branch_to(i) if parent >= 0 else None,
            takes_missing=parent >= 0 and int(nodes["heavy"][parent]) == i,
            below=int(self._below[i]),
            counts=tuple(self._counts[i].tolist()),
            reached=tuple(self._reached[i].tolist()),
            predicted_weights=tuple(self._predicted_weights[i].tolist()),
            predicted_class=int(self._predicted_class[i]),
            predicted_by=self._predicted_by[i],
        )

    def _branch_to(self, node: int) -> Branch:
        parent = int(self._nodes["parent"][node])
        if option := int(self._option[node]):
            return Branch(f"option {option}", "of", f"node {parent}")
        return self._branch(parent, int(self._nodes["branch"][node]))

    def _branch(self, parent: int, branch: int) -> Branch:
        test, feature = int(self._nodes["test"][parent]), self.feature_index(parent)
        label = self.features[feature]
        if test == THRESHOLD:
            value = self._thresholds(feature)[self.threshold(parent)]
            return Branch(label, "<=" if branch == 0 else ">", value)
        if test == ONE_VALUE:
            value = self._category(feature, int(self._nodes["category"][parent]))
            return Branch(label, "=" if branch == 0 else "!=", value)
        return Branch(label, "=", self._category(feature, branch))

    def _thresholds(self, feature: int) -> dict[float, str]:
        if feature not in self._threshold_texts:
            nodes = self._nodes
            used = (nodes["test"] == THRESHOLD) & (nodes["feature"] == feature)
            values = np.unique(nodes["threshold"][used]).tolist()
            texts = distinct_numbers(values, self.digits)
            if kind := self._schema_features[feature].time:
                times = [time_text(kind, value) for value in values]
                texts = times if len(set(times)) == len(times) else texts
            self._threshold_texts[feature] = dict(zip(values, texts, strict=True))
        return self._threshold_texts[feature]

    def _category(self, feature: int, code: int) -> str:
        if code < 0:
            return "missing"
        if feature not in self._category_texts:
            self._category_texts[feature] = distinct_texts(
                self._schema_features[feature].categories
            )
        return self._category_texts[feature][code]


def _path(nodes: Mapping[str, NDArray[Any]]) -> tuple[int, ...]:
    """Return the nodes from the root to the node at which the path of the first row ends."""
    found = []
    node = int(nodes["ends"][0])
    while node >= 0:
        found.append(node)
        node = int(nodes["parent"][node])
    return tuple(reversed(found))


def _sorted_order(labels: Sequence[Any]) -> list[int]:
    try:
        return sorted(range(len(labels)), key=labels.__getitem__)
    except TypeError:
        return list(range(len(labels)))


def _levels(depth: NDArray[Any]) -> list[NDArray[np.intp]]:
    order = np.argsort(depth, kind="stable")
    borders = np.flatnonzero(np.diff(depth[order])) + 1
    return np.split(order, borders)


def _children(
    parent: NDArray[np.intp], branch: NDArray[Any], option: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """All nodes except the root by parent and branch, and where each parent's children begin."""
    order = np.lexsort((branch, option, parent))
    order = order[parent[order] >= 0]
    first = np.searchsorted(parent[order], np.arange(len(parent) + 1))
    return order, first
