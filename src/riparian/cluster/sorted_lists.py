"""One section of the attribute lists of ScalParC, and its block of the node table."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian import _core

__all__ = ["ListWorker"]


@dataclass
class _List:
    """A section of one list: entries by node, and within a node sorted by value."""

    values: NDArray[Any]  # float64, or int32 codes of a categorical feature
    labels: NDArray[np.uint16]
    records: NDArray[np.uint32]
    starts: NDArray[np.int64]  # [node + 1]

    def nodes(self) -> NDArray[np.intp]:
        """Return the node of each entry."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))

    def counts(self, classes: int) -> NDArray[np.float64]:
        """Return the class counts of each node."""
        n = len(self.starts) - 1
        flat = np.bincount(self.nodes() * classes + self.labels, minlength=n * classes)
        return flat.reshape(n, classes).astype(np.float64)

    def divide(self, children: NDArray[np.int32], n: int) -> _List:
        """Return the entries that stay in the tree, by their new nodes, in the same order."""
        kept = np.flatnonzero(children >= 0)
        order = kept[np.argsort(children[kept], kind="stable")]
        starts = np.zeros(n + 1, np.int64)
        np.cumsum(np.bincount(children[kept], minlength=n), out=starts[1:])
        return _List(self.values[order], self.labels[order], self.records[order], starts)


class ListWorker:
    """A worker of ScalParC: sections of all lists, and the node table of a block of records.

    It keeps its sections between calls. If it dies, the tree has to be grown again.
    """

    def __init__(self, number: int) -> None:
        self.number = number

    def begin(self, message: bytes) -> bytes:
        """Take the sections: for each feature its known entries and those without a value."""
        sections, self._categories, self._classes, self._first, rows = pickle.loads(message)
        self._lists = [_whole(*known) for known, _ in sections]
        self._missing = [_whole(*missing) for _, missing in sections]
        self._table = np.full(rows, -1, np.int32)
        return b""

    def count(self) -> bytes:
        """FindSplit I: the class counts of each node, and its last value in this section."""
        found: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
        for own, categories in zip(self._lists, self._categories, strict=True):
            n = len(own.starts) - 1
            if categories:
                cells = (own.nodes() * categories + own.values) * self._classes + own.labels
                size = n * categories * self._classes
                matrix = np.bincount(cells, minlength=size).astype(np.float64)
                found.append((matrix.reshape(n, categories, self._classes), np.empty(0)))
                continue
            last = np.full(n, np.nan)
            some = np.diff(own.starts) > 0
            last[some] = own.values[own.starts[1:][some] - 1]
            found.append((own.counts(self._classes), last))
        return pickle.dumps(found)

    def scan(self, message: bytes) -> bytes:
        """FindSplit II: the best cut of each numeric feature and node in this section."""
        impurity, least, weight, before, last, known = pickle.loads(message)
        found: list[Any] = []
        for f, own in enumerate(self._lists):
            if self._categories[f]:
                found.append(None)
                continue
            found.append(
                _core.scan_lists(
                    impurity,
                    own.values,
                    own.labels,
                    own.starts,
                    before[f].ravel(),
                    last[f],
                    known[f].ravel(),
                    weight,
                    self._classes,
                    least,
                )
            )
        return pickle.dumps(found)

    def perform(self, message: bytes) -> bytes:
        """PerformSplit I: the sides of the records of the tested lists, and class counts.

        Returns the class counts of the left branches and of the missing values of each node; then
        the records with a value and their sides, 2 node or 2 node + 1; then those without one, and
        their nodes.
        """
        cuts = pickle.loads(message)
        left_counts = np.zeros((len(cuts), self._classes))
        missing_counts = np.zeros_like(left_counts)
        known: list[tuple[NDArray[np.uint32], NDArray[np.int32]]] = [_nothing()]
        missing = [_nothing()]
        for node, cut in enumerate(cuts):
            if cut is None:
                continue
            feature, threshold, category = cut
            own = self._lists[feature]
            part = slice(own.starts[node], own.starts[node + 1])
            left = own.values[part] == category if category >= 0 else own.values[part] <= threshold
            left_counts[node] = np.bincount(own.labels[part][left], minlength=self._classes)
            sides = np.where(left, 2 * node, 2 * node + 1).astype(np.int32)
            known.append((own.records[part], sides))
            own = self._missing[feature]
            part = slice(own.starts[node], own.starts[node + 1])
            missing_counts[node] = np.bincount(own.labels[part], minlength=self._classes)
            nodes = np.full(len(own.records[part]), node, np.int32)
            missing.append((own.records[part], nodes))
        return pickle.dumps((left_counts, missing_counts, _joined(known), _joined(missing)))

    def assign(self, message: bytes) -> bytes:
        """Write the children of records of this block into the node table."""
        records, children = pickle.loads(message)
        self._table[records - self._first] = children
        return b""

    def enquire(self, message: bytes) -> bytes:
        """Read the children of records of this block from the node table."""
        return pickle.dumps(self._table[pickle.loads(message) - self._first])

    def records(self, message: bytes) -> bytes:
        """The records of a list of this section, known and missing."""
        f = pickle.loads(message)
        return pickle.dumps((self._lists[f].records, self._missing[f].records))

    def divide(self, message: bytes) -> bytes:
        """PerformSplit II: divide a list among the new nodes."""
        f, n, children, of_missing = pickle.loads(message)
        self._lists[f] = self._lists[f].divide(children, n)
        self._missing[f] = self._missing[f].divide(of_missing, n)
        return b""

    def forget(self) -> bytes:
        """Clear the node table after a level."""
        self._table.fill(-1)
        return b""


def _whole(values: Any, labels: Any, records: Any) -> _List:
    return _List(values, labels, records, np.array([0, len(records)], np.int64))


def _nothing() -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    return np.empty(0, np.uint32), np.empty(0, np.int32)


def _joined(parts: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    return np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts])
