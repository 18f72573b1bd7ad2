"""A batch tree that grows: its nodes, and the streaming tree that begins as it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.data.schema import Schema
from riparian.models.hoeffding import HoeffdingTree
from riparian.models.learned import State
from riparian.models.settings import check_settings

__all__ = ["IMPURITIES", "BatchTree", "Cut", "Limits", "limits_of", "seeded"]

M = TypeVar("M", bound=HoeffdingTree)
Counts = NDArray[np.float64]

#: The impurities that batch trees can use: the core computes them from counts alone.
IMPURITIES = ("entropy", "gini", "kearns-mansour", "misclassification", "accuracy")


@dataclass(frozen=True)
class Limits:
    """When a node is split: the same for all nodes of a tree."""

    impurity: str
    max_depth: int
    min_rows: int

    def splits(self, counts: Counts, depth: int) -> bool:
        """Return whether a node with these class counts may have a split."""
        is_large = float(counts.sum()) >= 2 * self.min_rows
        return depth < self.max_depth and is_large and int(np.count_nonzero(counts)) >= 2

    @property
    def least(self) -> float:
        """The weight that both branches of a cut must exceed."""
        return self.min_rows - 0.5


def limits_of(model: HoeffdingTree, max_depth: int, min_rows: int) -> Limits:
    """Check the limits of a batch tree that becomes `model`."""
    for name, value, least in (("max_depth", max_depth, 0), ("min_rows", min_rows, 1)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError(f"{name} must be a whole number from {least} on, got {value!r}")
    axes = model._axes()
    check_settings(axes)
    impurity = getattr(axes["impurity"], "name", None)
    if impurity not in IMPURITIES:
        raise ValueError(
            f"impurity must be one of {', '.join(map(repr, IMPURITIES))} for a batch tree, "
            f"got {model.impurity!r}"
        )
    own = axes["max_depth"]
    return Limits(impurity, max_depth if own is None else min(max_depth, own), min_rows)


@dataclass(frozen=True)
class Cut:
    """The test of a node. A missing value takes the branch that holds more known values."""

    feature: int
    threshold: float
    #: The code of the category of the left branch; -1 for a numeric feature.
    category: int
    missing_left: bool
    gain: float


@dataclass
class BatchTree:
    """The nodes of a batch tree in the order in which they were made; node 0 is the root."""

    counts: list[Counts] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    cuts: dict[int, Cut] = field(default_factory=dict)
    children: dict[int, tuple[int, int]] = field(default_factory=dict)

    def add(self, counts: Counts, depth: int) -> int:
        """Add a leaf and return its number."""
        self.counts.append(counts)
        self.depth.append(depth)
        return len(self.counts) - 1

    def split(self, node: int, cut: Cut, left: Counts) -> tuple[int, int]:
        """Split a leaf; `left` are the class counts of its first child."""
        self.cuts[node] = cut
        depth = self.depth[node] + 1
        self.children[node] = (
            self.add(left, depth),
            self.add(self.counts[node] - left, depth),
        )
        return self.children[node]

    def graft(self, node: int, subtree: BatchTree) -> None:
        """Put a tree in the place of a leaf."""
        places = {0: node}
        for own, cut in sorted(subtree.cuts.items()):
            first, _ = subtree.children[own]
            made = self.split(places[own], cut, subtree.counts[first])
            places.update(zip(subtree.children[own], made, strict=True))

    def in_order(self) -> BatchTree:
        """Return the same tree with its nodes level by level, however it was made."""
        tree = BatchTree()
        tree.add(self.counts[0], 0)
        queue = [(0, 0)]
        for own, new in queue:
            if own in self.cuts:
                made = tree.split(new, self.cuts[own], self.counts[self.children[own][0]])
                queue += zip(self.children[own], made, strict=True)
        return tree


def seeded(model: M, tree: BatchTree, schema: Schema) -> M:
    """Return `model`, which must be new, as a streaming tree that begins as a batch tree."""
    axes = model._axes()
    settings = check_settings(axes)
    n = len(tree.counts)
    leaves = n - len(tree.cuts)
    if settings["max_leaves"] is not None and leaves > settings["max_leaves"]:
        raise ValueError(f"max_leaves is {settings['max_leaves']}, but the tree has {leaves}")
    schema.owner = type(model).__name__
    engine = _core.Engine(settings)
    engine.add_features([f.kind == "categorical" for f in schema.features])
    engine.declare_classes(len(schema.classes))
    engine.add_names(schema.bytes)
    nodes: dict[str, NDArray[Any]] = {
        "left": np.full(n, -1, np.int32),
        "right": np.full(n, -1, np.int32),
        "feature": np.full(n, -1, np.int32),
        "threshold": np.zeros(n),
        "category": np.full(n, -1, np.int32),
        "missing_left": np.zeros(n, np.uint8),
        "gain": np.zeros(n),
    }
    for node, cut in tree.cuts.items():
        nodes["left"][node], nodes["right"][node] = tree.children[node]
        nodes["feature"][node] = cut.feature
        nodes["threshold"][node] = cut.threshold
        nodes["category"][node] = cut.category
        nodes["missing_left"][node] = cut.missing_left
        nodes["gain"][node] = cut.gain
    counts = np.array(tree.counts, dtype=np.float64)
    engine.seed(
        **nodes,
        weight=np.maximum(counts.sum(axis=1), 1.0),
        counts=counts.ravel(),
        categories=np.array([len(f.codes) for f in schema.features], dtype=np.int32),
    )
    model._install(State(engine, schema, axes, threading.Lock()))
    return model
