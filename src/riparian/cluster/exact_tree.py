"""The exact batch tree of ScalParC [joshi1998]: every value is a candidate cut."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.cluster.batch_tree import BatchTree, Cut, Limits
from riparian.cluster.sorted_lists import ListWorker

__all__ = ["Crew", "Rows", "grow_exact", "grow_here"]

Doubles = NDArray[np.float64]


class Crew(Protocol):
    """The workers of a batch tree: one call of each, or of all of them with one argument."""

    workers: int

    def each(self, method: str, messages: Sequence[bytes | None]) -> list[bytes]:
        """Call a method of every worker with its message; None: it has none to send."""


class _Here:
    """A crew of one worker, in this thread."""

    workers = 1

    def __init__(self) -> None:
        self._worker = ListWorker(0)

    def each(self, method: str, messages: Sequence[bytes | None]) -> list[bytes]:
        call = getattr(self._worker, method)
        return [call() if messages[0] is None else call(messages[0])]


class Rows:
    """The rows of an exact tree: columns of numbers (NaN is missing) or of codes (-1 is)."""

    def __init__(
        self, columns: Sequence[NDArray[Any]], categories: Sequence[int], labels: NDArray[np.uint16]
    ) -> None:
        self.columns = columns
        #: The number of categories of each feature; 0 if it is numeric.
        self.categories = categories
        self.labels = labels


def grow_here(rows: Rows, classes: int, limits: Limits) -> BatchTree:
    """Grow a tree with one worker in this thread."""
    return grow_exact(_Here(), rows, classes, limits)


def grow_exact(crew: Crew, rows: Rows, classes: int, limits: Limits) -> BatchTree:
    """Grow a tree level by level.

    The lists of numeric features are sorted once. Each worker has a section of every list, in the
    order of the values, and the entries of the node table of a block of records.
    """
    n = len(rows.labels)
    edges = np.linspace(0, n, crew.workers + 1).astype(np.int64)
    _begin(crew, rows, classes, edges)
    tree = BatchTree()
    tree.add(np.bincount(rows.labels, minlength=classes).astype(np.float64), 0)
    level = [0] if limits.splits(tree.counts[0], 0) else []
    while level:
        cuts = _best_cuts(crew, rows.categories, tree, level, limits)
        level = _perform(crew, tree, level, cuts, edges, limits, len(rows.columns))
    return tree


def _begin(crew: Crew, rows: Rows, classes: int, edges: NDArray[np.int64]) -> None:
    """Sort the lists, and send each worker its sections."""
    sections: list[list[Any]] = [[] for _ in range(crew.workers)]
    for column, categories in zip(rows.columns, rows.categories, strict=True):
        is_missing = column < 0 if categories else np.isnan(column)
        missing = np.flatnonzero(is_missing)
        known = np.flatnonzero(~is_missing)
        if not categories:
            known = known[np.argsort(column[known], kind="stable")]
        parts = [np.array_split(records, crew.workers) for records in (known, missing)]
        for worker in range(crew.workers):
            sections[worker].append(
                [
                    (column[part], rows.labels[part], part.astype(np.uint32))
                    for part in (parts[0][worker], parts[1][worker])
                ]
            )
    crew.each(
        "begin",
        [
            pickle.dumps((own, rows.categories, classes, int(first), int(last - first)))
            for own, first, last in zip(sections, edges, edges[1:], strict=False)
        ],
    )


def _best_cuts(
    crew: Crew, categories: Sequence[int], tree: BatchTree, level: list[int], limits: Limits
) -> list[Cut | None]:
    """FindSplit I and II: the best cut of each node of a level."""
    counted = [pickle.loads(answer) for answer in crew.each("count", [None] * crew.workers)]
    features = range(len(categories))
    known = [np.sum([own[f][0] for own in counted], axis=0) for f in features]
    weight = np.array([tree.counts[node].sum() for node in level])
    before = [np.zeros_like(known[f]) for f in features]
    last = [np.full(len(level), np.nan) for _ in features]
    messages = []
    for own in counted:
        messages.append(
            pickle.dumps(
                (
                    limits.impurity,
                    limits.least,
                    weight,
                    [None if categories[f] else before[f].copy() for f in features],
                    [last[f].copy() for f in features],
                    known,
                )
            )
        )
        for f in features:
            if not categories[f]:
                before[f] += own[f][0]
                last[f] = np.where(np.isnan(own[f][1]), last[f], own[f][1])
    scanned = [pickle.loads(answer) for answer in crew.each("scan", messages)]
    best: list[Cut | None] = [None] * len(level)
    for f in features:
        if categories[f]:
            found = [_categorical(f, known[f], weight, limits)]
        else:
            found = [_numeric(f, *own[f]) for own in scanned]
        for section in found:
            for node, cut in enumerate(section):
                now = best[node]
                if cut is not None and (now is None or cut.gain > now.gain):
                    best[node] = cut
    return best


def _numeric(f: int, thresholds: Doubles, gains: Doubles) -> list[Cut | None]:
    return [
        Cut(f, float(t), -1, False, float(g)) if g > 0.0 else None
        for t, g in zip(thresholds, gains, strict=True)
    ]


def _categorical(f: int, matrix: Doubles, weight: Doubles, limits: Limits) -> list[Cut | None]:
    """The best category against the rest, from the count matrices of all workers."""
    nodes, values, classes = matrix.shape
    # Bin 0 holds what is missing. Its classes do not matter, only their number.
    table = np.zeros((nodes, values + 2, classes), np.uint64)
    table[:, 1:-1] = matrix
    table[:, 0, 0] = weight - matrix.sum(axis=(1, 2))
    _, bins, gains = _core.best_cuts(
        limits.impurity,
        table.ravel(),
        np.ones(1, np.uint8),
        np.array([values + 1], np.uint32),
        values + 2,
        classes,
        limits.least,
    )
    return [
        Cut(f, 0.0, int(b) - 1, False, float(g)) if g > 0.0 else None
        for b, g in zip(bins, gains, strict=True)
    ]


def _perform(
    crew: Crew,
    tree: BatchTree,
    level: list[int],
    cuts: list[Cut | None],
    edges: NDArray[np.int64],
    limits: Limits,
    features: int,
) -> list[int]:
    """PerformSplit I and II: split the nodes, write the node table, divide the lists."""
    tests = [None if cut is None else (cut.feature, cut.threshold, cut.category) for cut in cuts]
    message = pickle.dumps(tests)
    answers = [pickle.loads(a) for a in crew.each("perform", [message] * crew.workers)]
    left = np.sum([answer[0] for answer in answers], axis=0)
    missing = np.sum([answer[1] for answer in answers], axis=0)
    slots = np.full(2 * len(level), -1, np.int32)  # [2 node + side]: the place in the next level
    missing_side = np.zeros(len(level), np.int32)
    following: list[int] = []
    for place, (node, cut) in enumerate(zip(level, cuts, strict=True)):
        if cut is None:
            continue
        known = tree.counts[node].sum() - missing[place].sum()
        to_left = bool(2 * left[place].sum() >= known)
        missing_side[place] = 0 if to_left else 1
        counts = left[place] + missing[place] * to_left
        made = Cut(cut.feature, cut.threshold, cut.category, to_left, cut.gain)
        for side, child in enumerate(tree.split(node, made, counts)):
            if limits.splits(tree.counts[child], tree.depth[child]):
                slots[2 * place + side] = len(following)
                following.append(child)
    if not following:
        return following
    for answer in answers:
        records, sides = answer[2]
        absent, nodes = answer[3]
        every = np.concatenate([records, absent])
        children = slots[np.concatenate([sides, 2 * nodes + missing_side[nodes]])]
        _assign(crew, every, children, edges)
    for f in range(features):
        _divide(crew, f, len(following), edges)
    crew.each("forget", [None] * crew.workers)
    return following


def _blocks(edges: NDArray[np.int64]) -> int:
    """The most entries of a message: the records of one worker, N/P."""
    return int(max(1, np.diff(edges).max()))


def _assign(
    crew: Crew, records: NDArray[np.uint32], children: NDArray[np.int32], edges: NDArray[np.int64]
) -> None:
    """Send the children of records to the owners of the node table, in blocks of at most N/P."""
    size = _blocks(edges)
    for first in range(0, len(records), size):
        part = slice(first, first + size)
        owner = np.searchsorted(edges, records[part], side="right") - 1
        crew.each(
            "assign",
            [
                pickle.dumps((records[part][owner == w], children[part][owner == w]))
                for w in range(crew.workers)
            ],
        )


def _divide(crew: Crew, f: int, nodes: int, edges: NDArray[np.int64]) -> None:
    """Let every worker enquire the node table for its part of a list, and divide the part."""
    ids = [
        pickle.loads(answer) for answer in crew.each("records", [pickle.dumps(f)] * crew.workers)
    ]
    children = [[_enquired(crew, records, edges) for records in both] for both in ids]
    crew.each("divide", [pickle.dumps((f, nodes, known, missing)) for known, missing in children])


def _enquired(
    crew: Crew, records: NDArray[np.uint32], edges: NDArray[np.int64]
) -> NDArray[np.int32]:
    children = np.empty(len(records), np.int32)
    size = _blocks(edges)
    for first in range(0, len(records), size):
        part = slice(first, first + size)
        owner = np.searchsorted(edges, records[part], side="right") - 1
        asked = [pickle.dumps(records[part][owner == w]) for w in range(crew.workers)]
        for w, answer in enumerate(crew.each("enquire", asked)):
            children[part][owner == w] = pickle.loads(answer)
    return children
