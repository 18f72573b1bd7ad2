"""What a grown tree consists of: tests, class weights and predictions, as texts and plain numbers.

Everything that shows a tree to people (text, Graphviz, plots, HTML, explanations) reads it through
:class:`Structure`, so that a cut is worded the same everywhere. Trees may be thousands of levels
deep: nothing here, or in what builds on it, recurses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.certificates import evidence_lines
from riparian.free_names import column_names
from riparian.wording import MOST_DIGITS, distinct_numbers, distinct_texts

__all__ = ["Branch", "Node", "Structure"]

LEAF, THRESHOLD, ONE_VALUE, EVERY_VALUE = range(4)


@dataclass(frozen=True, slots=True)
class Branch:
    """The condition under which examples enter a node, for example ``elevation <= 2956``.

    A further test of a node is entered by all that pass it: ``option 2 of node 5``.
    """

    feature: str
    relation: str  # "<=", ">", "=" or "!="; "of" for an option
    value: str

    @property
    def is_option(self) -> bool:
        """Whether it leads to a further test of the node above."""
        return self.relation == "of"

    def __str__(self) -> str:
        return f"{self.feature} {self.relation} {self.value}"


@dataclass(frozen=True, slots=True)
class Node:
    """One node of a tree. Class weights are in the order of ``Structure.classes``.

    Attributes
    ----------
    id, parent, depth : int
        Place in the tree; the root has id 0, parent -1 and depth 0.
    children : tuple of int
        Ids of the children in the order of their branches; empty for a leaf.
    test : int
        Kind of the test: ``LEAF``, ``THRESHOLD``, ``ONE_VALUE`` or ``EVERY_VALUE``.
    feature : str or None
        Label of the feature that the node tests; None for a leaf.
    branch : Branch or None
        Condition under which examples enter; None for the root.
    takes_missing : bool
        Whether examples in which the parent's feature is missing come here.
    below : int
        Number of nodes under this one.
    counts : tuple of float
        Class weights that the node saw itself: a leaf until now, an inner node until it split.
    reached : tuple of float
        Class weights of all examples that came to the node, also after it split.
    answer : tuple of float
        Class weights with which the node predicts: what it inherited at its birth and what it saw.
    answer_class : int
        Position of the class that a majority leaf answers; -1 while no class is known.
    answered_by : str or None
        Name of the predictor that this leaf predicts with now, for example "naive-bayes"; a
        predictor that has learned nothing leaves it to "majority". None for an inner node.
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
    answer: tuple[float, ...]
    answer_class: int
    answered_by: str | None

    @property
    def is_leaf(self) -> bool:
        """Whether the node has no test."""
        return self.test == LEAF

    @property
    def shown(self) -> tuple[float, ...]:
        """Class weights to draw: of a leaf its prediction, of an inner node all that reached it."""
        return self.answer if self.is_leaf or not sum(self.reached) else self.reached

    @property
    def leading(self) -> int:
        """Position of the class to name: a leaf's prediction, else the commonest; -1 if none."""
        if self.is_leaf or not sum(self.reached):
            return self.answer_class
        return max(range(len(self.reached)), key=self.reached.__getitem__)


class Structure:
    """A read-only view of a tree: a sequence of nodes, the root first, parents before children.

    Parameters
    ----------
    nodes : mapping of str to ndarray
        One array a column and one row a node, as the engine gives them.
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
    path : tuple of int
        Ids from the root to where an example is predicted; empty unless `of` was given one.
    evidence : dict of int to str
        For a split node a line about its certificate; empty unless `of` was asked for it.
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
        self.path: tuple[int, ...] = tuple(nodes.get("path", np.array([], dtype=int)).tolist())
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
        # A further test of a node stands behind its children.
        self._option = nodes.get("option", np.zeros(len(parent), dtype=np.intp))
        self._children, self._first_child = _children(parent, nodes["branch"], self._option)
        levels = _levels(nodes["depth"])
        reached = np.array(nodes["counts"], dtype=np.float64)
        below = np.ones(len(parent), dtype=np.int64)
        for level in reversed(levels[1:]):
            # Inner nodes that learn know it themselves.
            if "reached" not in nodes:
                np.add.at(reached, parent[level], reached[level])
            np.add.at(below, parent[level], below[level])
        answer = np.array(nodes["answer"], dtype=np.float64)
        for level in levels[1:]:
            silent = level[~answer[level].any(axis=1)]
            answer[silent] = answer[parent[silent]]

        self._below = below - 1
        self._counts = np.asarray(nodes["counts"])[:, order]
        self._reached = reached[:, order]
        self._answer = answer[:, order]
        # Ties go to the class that was seen first, so the maximum is taken in the engine's order.
        place = np.argsort(np.asarray(order, dtype=np.intp))
        winner = answer[:, : len(known)].argmax(axis=1) if known else np.zeros(len(parent), int)
        spoken = answer.any(axis=1) if known else np.zeros(len(parent), dtype=bool)
        self._answer_class = np.where(spoken, place[winner] if known else -1, -1)

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
        if getattr(model, "_engine", None) is None:
            from sklearn.exceptions import NotFittedError

            name = type(model).__name__
            raise NotFittedError(f"this {name} has no tree yet; call partial_fit or fit first")
        lines = evidence_lines(model) if evidence else {}
        # The schema only grows: read after the nodes, it knows every code in them.
        nodes = model._engine.nodes(row)
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

    def n_answered_by(self) -> dict[str, int]:
        """At how many leaves each predictor predicts, the commonest first."""
        found = Counter(self._nodes["answered_by"]).most_common()
        return {name: n for name, n in found if name is not None}

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
            answer=tuple(self._answer[i].tolist()),
            answer_class=int(self._answer_class[i]),
            answered_by=nodes["answered_by"][i],
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
    """All nodes but the root by parent and branch, and where each parent's children begin."""
    order = np.lexsort((branch, option, parent))
    order = order[parent[order] >= 0]
    first = np.searchsorted(parent[order], np.arange(len(parent) + 1))
    return order, first
