"""A worker of PLANET: it keeps rows as bins, and counts those that reach a node."""

from __future__ import annotations

import pickle
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.cluster.batch_rows import Coded, Piece, coded_as, facts_of, read_piece
from riparian.cluster.batch_tree import Limits
from riparian.cluster.exact_tree import Rows, grow_here

__all__ = ["Division", "Plan", "PlanetWorker"]

#: Multiplier and shifts of the finaliser of SplitMix64, which spreads row numbers.
_MIX = (0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


@dataclass(frozen=True)
class Plan:
    """What all workers have to know: cuts, codes, and how the rows of each tree are drawn."""

    #: For each feature the sorted candidate cuts, or the bin of each category.
    bins: list[NDArray[Any]]
    #: The codes of the categories of each feature; empty if it is numeric.
    codes: list[Mapping[Hashable, int]]
    class_codes: Mapping[Hashable, int]
    width: int
    trees: int
    #: The seed of the bootstrap samples; None: every tree has all rows once.
    seed: int | None


@dataclass(frozen=True)
class Division:
    """A split as workers apply it: the bins of a feature that go to the left child."""

    node: int
    feature: int
    goes_left: bytes
    left: int
    right: int


class PlanetWorker:
    """Rows of one worker. All that it keeps follows from the messages that it was sent."""

    def __init__(self, number: int) -> None:
        self.number = number

    def load(self, message: bytes) -> bytes:
        """Read pieces, and return what is to be known about each."""
        self._pieces: list[Piece] = [read_piece(piece) for piece in pickle.loads(message)]
        return pickle.dumps([facts_of(piece) for piece in self._pieces])

    def sample(self, message: bytes) -> bytes:
        """Return a histogram of each numeric feature of each piece, over a sample of the rows."""
        first_rows, share, n_bins = pickle.loads(message)
        found = []
        for piece, first in zip(self._pieces, first_rows, strict=True):
            chosen = _sampled(first, piece.n_rows, share)
            found.append([_summary(column, chosen, n_bins) for column in piece.columns])
        return pickle.dumps(found)

    def encode(self, message: bytes) -> bytes:
        """Turn the rows into bins. The values themselves stay, for small nodes."""
        plan: Plan
        plan, first_rows = pickle.loads(message)
        rows = sum(piece.n_rows for piece in self._pieces)
        self._plan = plan
        self._bins = np.zeros((rows, len(plan.bins)), np.uint8)
        self._labels = np.empty(rows, np.uint16)
        weights: list[list[NDArray[np.uint8]]] = [[] for _ in range(plan.trees)]
        at = 0
        for piece, first in zip(self._pieces, first_rows, strict=True):
            part = self._bins[at : at + piece.n_rows]
            for f, column in enumerate(piece.columns):
                if isinstance(column, Coded):
                    codes = coded_as(column, plan.codes[f])
                    part[:, f] = np.append(plan.bins[f], np.uint8(0))[codes]
                else:
                    _core.bin_numbers(column, plan.bins[f], part, f)
            self._labels[at : at + piece.n_rows] = coded_as(piece.labels, plan.class_codes)
            if plan.seed is not None:
                for tree, own in enumerate(weights):
                    own.append(_core.draw_weights(plan.seed, tree, first, piece.n_rows))
            at += piece.n_rows
        none = np.empty(0, np.uint8)
        self._weights = [np.concatenate(own) if own else none for own in weights]
        self._applied: list[list[Division]] = [[] for _ in range(plan.trees)]
        self._nodes: list[dict[int, NDArray[np.uint32]]] = [
            {0: self._root(tree)} for tree in range(plan.trees)
        ]
        return b""

    def count(self, message: bytes) -> bytes:
        """Return the tables of nodes, one after the other: (tree, node) pairs."""
        divisions, asked = pickle.loads(message)
        self._follow(divisions)
        size = self._bins.shape[1] * self._plan.width * len(self._plan.class_codes)
        tables = np.zeros((len(asked), size), np.uint64)
        for table, (tree, node) in zip(tables, asked, strict=True):
            _core.count_rows(
                self._bins,
                self._labels,
                self._weights[tree],
                self._plan.width,
                len(self._plan.class_codes),
                self._nodes[tree][node],
                table,
            )
        return tables.tobytes()

    def gather(self, message: bytes) -> bytes:
        """Return the values of the rows of nodes, each row as often as it was drawn."""
        divisions, asked = pickle.loads(message)
        self._follow(divisions)
        return pickle.dumps([self._values(tree, node) for tree, node in asked])

    def build(self, message: bytes) -> bytes:
        """Grow the subtree of a small node with every value as a candidate."""
        limits: Limits
        columns, categories, labels, classes, limits = pickle.loads(message)
        return pickle.dumps(grow_here(Rows(columns, categories, labels), classes, limits))

    def _root(self, tree: int) -> NDArray[np.uint32]:
        rows = np.arange(len(self._labels), dtype=np.uint32)
        return rows[self._weights[tree] > 0] if len(self._weights[tree]) else rows

    def _follow(self, divisions: Sequence[Sequence[Division]]) -> None:
        """Apply the splits that are new. A worker that knows none begins at the root."""
        for tree, wanted in enumerate(divisions):
            applied, nodes = self._applied[tree], self._nodes[tree]
            if list(wanted[: len(applied)]) != applied:
                applied.clear()
                nodes.clear()
                nodes[0] = self._root(tree)
            for own in wanted[len(applied) :]:
                rows = nodes.pop(own.node)
                goes_left = np.frombuffer(own.goes_left, np.uint8)
                n_left = _core.divide_rows(self._bins, rows, own.feature, goes_left)
                nodes[own.left], nodes[own.right] = rows[:n_left], rows[n_left:]
                applied.append(own)

    def _values(self, tree: int, node: int) -> tuple[list[NDArray[Any]], NDArray[np.uint16]]:
        rows = self._nodes[tree][node]
        if len(self._weights[tree]):
            rows = np.repeat(rows, self._weights[tree][rows])
        rows = np.sort(rows)
        edges = np.cumsum([0, *(piece.n_rows for piece in self._pieces)])
        parts = np.searchsorted(rows, edges)
        columns = []
        for f in range(self._bins.shape[1]):
            kind = np.int32 if self._plan.bins[f].dtype == np.uint8 else np.float64
            own = [np.empty(0, kind)]
            for i, piece in enumerate(self._pieces):
                column, inside = piece.columns[f], rows[parts[i] : parts[i + 1]] - edges[i]
                if isinstance(column, Coded):
                    own.append(coded_as(column, self._plan.codes[f])[inside])
                else:
                    own.append(column[inside])
            columns.append(np.concatenate(own))
        return columns, self._labels[rows]


def _sampled(first: int, rows: int, share: float) -> NDArray[np.bool_]:
    """Whether each row is in the sample, which depends on its number only."""
    if share >= 1.0:
        return np.ones(rows, dtype=bool)
    x = np.arange(first + 1, first + rows + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(_MIX[0])
    x = (x ^ (x >> np.uint64(27))) * np.uint64(_MIX[1])
    return (x ^ (x >> np.uint64(31))) < np.uint64(share * 2.0**64)


def _summary(column: Any, chosen: NDArray[np.bool_], n_bins: int) -> Any:
    """A histogram as numbers; None for a feature with categories or without values."""
    if isinstance(column, Coded):
        return None
    values = column[chosen]
    values = values[~np.isnan(values)]
    if not len(values):
        return None
    histogram = _core.StreamingHistogram(n_bins)
    histogram.update(values, np.ones(len(values)))
    return (
        histogram.places,
        histogram.weights,
        histogram.low,
        histogram.high,
        histogram.total,
        histogram.exact,
    )
