"""PLANET [panda2009]: a batch tree from exact tables of counts, a pass for each level."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.cluster.batch_rows import Facts, schema_of
from riparian.cluster.batch_tree import BatchTree, Cut, Limits, limits_of, seeded
from riparian.cluster.planet_crew import Crew, Tables, crew_of
from riparian.cluster.planet_worker import Division, Plan
from riparian.cluster.pool import Pool
from riparian.data.schema import Schema
from riparian.models.hoeffding import HoeffdingTree

__all__ = ["planet"]

#: The bins of a feature: one byte, without that of missing values and that of other categories.
_MOST_BINS = 254


def planet(
    data: Any,
    target: Any,
    *,
    pool: Pool | None = None,
    model: HoeffdingTree | None = None,
    max_depth: int = 8,
    bins: int = 64,
    min_rows: int = 20,
    in_memory: int = 100_000,
    sample: int | None = 200_000,
    n_trees: int | None = None,
    seed: int = 0,
    table_bytes: int = 256 << 20,
) -> Any:
    """Grow a batch tree on all workers of a pool; it goes on as a streaming tree.

    All workers count the rows of a level in one pass, in whole numbers: the tree is the same, bit
    for bit, for any number of workers. Splits of the batch have the reason ``"seeded"``. Then
    ``partial_fit`` continues from the stream.

    Parameters
    ----------
    data : array, frame, mapping, path or list of paths
        The rows, or files that the workers read themselves, such as ``"history/*.parquet"``. One
        file is read by one worker, so give at least as many files as workers. A DataFrame of Spark
        is read and counted by the executors, without a pool; equal partitions give equal trees.
    target : array-like or str
        The classes, or the name of their column.
    pool : Pool, default=None
        The workers; None makes threads, one per core.
    model : HoeffdingTree, default=None
        A new model of any recipe, which becomes the tree; its `impurity` is used. None is
        ``HoeffdingTree()``.
    max_depth : int, default=8
        Largest depth of the batch tree. The stream may grow it further.
    bins : int, default=64
        Number of parts into which the candidate cuts divide a numeric feature, at most 254. Of a
        feature with categories the most frequent 253 are candidates.
    min_rows : int, default=20
        Smallest number of rows of a branch.
    in_memory : int, default=100_000
        A node with at most this many rows is grown on one worker, with all of its values as
        candidate cuts. 0 uses the same candidates everywhere.
    sample : int or None, default=200_000
        Number of rows from which candidate cuts are found; None uses all.
    n_trees : int, default=None
        Number of bagged trees, each on a bootstrap sample of its own, grown in the same passes.
        None is one tree on all rows.
    seed : int, default=0
        Seed of the bootstrap samples. A draw depends on the seed, the tree and the row only.
    table_bytes : int, default=256 MiB
        Size of the tables that a worker sends at once.

    Returns
    -------
    model : HoeffdingTree or list of HoeffdingTree
        The tree, or with `n_trees` a list of trees.

    References
    ----------
    .. [1] B. Panda, J. Herbach, S. Basu, R. Bayardo. PLANET: massively parallel learning of tree
       ensembles with MapReduce. VLDB 2009.

    Examples
    --------
    >>> import riparian as rp
    >>> X, y = rp.streams.sea(seed=1).take(20_000)
    >>> tree = rp.cluster.planet(X, y, max_depth=3, pool=rp.cluster.threads(2))
    >>> tree.depth_, tree.n_seen_
    (3, 0)
    >>> tree.splits()[0].reason
    'seeded'
    >>> tree.partial_fit(X, y).n_seen_
    20000
    """
    model = HoeffdingTree() if model is None else model
    limits = limits_of(model, max_depth, min_rows)
    _check("bins", bins, 2, _MOST_BINS)
    _check("in_memory", in_memory, 0)
    _check("table_bytes", table_bytes, 1)
    if n_trees is not None:
        _check("n_trees", n_trees, 1)
    if sample is not None:
        _check("sample", sample, 1)
    with crew_of(data, target, pool) as crew:
        loaded = crew.load()
        facts = [own for piece in loaded for own in piece]
        schema = schema_of(facts, model)
        plan = _plan(crew, loaded, schema, bins, sample, n_trees, seed)
        growth = _Growth(crew, plan, schema, limits, in_memory, table_bytes)
        trees = growth.grow()
    if n_trees is None:
        return seeded(model, trees[0].in_order(), schema)
    return [
        seeded(
            type(model)(**model.get_params(deep=False)), tree.in_order(), schema_of(facts, model)
        )
        for tree in trees
    ]


def _check(name: str, value: Any, least: int, most: int | None = None) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name} must be a whole number from {least} on, got {value!r}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most}, got {value!r}")


def _plan(
    crew: Crew,
    loaded: Sequence[Sequence[Facts]],
    schema: Schema,
    bins: int,
    sample: int | None,
    n_trees: int | None,
    seed: int,
) -> Plan:
    """Pass 0: candidate cuts from merged histograms, and the bins of categories."""
    facts = [own for piece in loaded for own in piece]
    rows = [own.n_rows for own in facts]
    first_rows = np.cumsum([0, *rows]).tolist()
    edges = np.cumsum([0, *map(len, loaded)]).tolist()
    own_rows = [first_rows[a:b] for a, b in itertools.pairwise(edges)]
    share = 1.0 if sample is None else min(1.0, sample / max(1, sum(rows)))
    asked = [pickle.dumps((own, share, bins)) for own in own_rows]
    pieces = [own for answer in crew.each("sample", asked) for own in pickle.loads(answer)]
    found: list[Any] = []
    for f, feature in enumerate(schema.features):
        if feature.kind == "numeric":
            found.append(_cuts([piece[f] for piece in pieces], bins))
        else:
            found.append(_bins_of_categories([own.categories[f] or [] for own in facts], feature))
    width = max(_n_bins(own) for own in found) + 1
    plan = Plan(
        found,
        [feature.codes for feature in schema.features],
        schema.class_codes,
        width,
        n_trees or 1,
        None if n_trees is None else seed,
    )
    crew.prepare("encode", [pickle.dumps((plan, own)) for own in own_rows])
    return plan


def _cuts(histograms: Sequence[Any], bins: int) -> NDArray[np.float64]:
    """The candidate cuts of a numeric feature: every value if they are few."""
    merged = _core.StreamingHistogram(bins)
    for numbers in histograms:
        if numbers is not None:
            other = _core.StreamingHistogram(bins)
            other.restore(*numbers)
            merged.merge(other)
    return merged.places[:-1] if merged.exact else merged.uniform(bins)


def _bins_of_categories(counts: Sequence[Any], feature: Any) -> NDArray[np.uint8]:
    """The bin of each category, by code: the frequent ones have bins of their own."""
    totals = dict.fromkeys(feature.codes, 0)
    for own in counts:
        for value, count in own:
            totals[value] += count
    candidates = sorted(totals, key=lambda value: (-totals[value], feature.codes[value]))
    chosen = sorted(feature.codes[value] for value in candidates[: _MOST_BINS - 1])
    bins = np.full(len(totals), len(chosen) + 1, np.uint8)
    bins[chosen] = np.arange(1, len(chosen) + 1)
    return bins


def _n_bins(bins: NDArray[Any]) -> int:
    """The number of bins of a feature, without that of missing values."""
    if bins.dtype == np.float64:
        return len(bins) + 1
    # The last bin holds all other categories, and may be empty.
    return min(len(bins), _MOST_BINS - 1) + 1


@dataclass(frozen=True)
class _Node:
    """A node whose table is wanted."""

    tree: int
    node: int


class _Growth:
    """The coordinator: trees that grow by a level in each pass."""

    def __init__(
        self,
        crew: Crew,
        plan: Plan,
        schema: Schema,
        limits: Limits,
        in_memory: int,
        table_bytes: int,
    ) -> None:
        self._crew, self._plan, self._limits = crew, plan, limits
        self._in_memory = in_memory
        self._categorical = np.array([f.kind == "categorical" for f in schema.features], np.uint8)
        self._categories = [
            max(1, len(f.codes)) if f.kind == "categorical" else 0 for f in schema.features
        ]
        self._n_bins = np.array([_n_bins(own) for own in plan.bins], np.uint32)
        self._shape = (len(schema.features), plan.width, len(schema.classes))
        self._group = max(1, table_bytes // (8 * int(np.prod(self._shape))))
        self._trees = [BatchTree() for _ in range(plan.trees)]
        self._divisions: list[list[Division]] = [[] for _ in range(plan.trees)]
        self._small: list[_Node] = []

    def grow(self) -> list[BatchTree]:
        """Grow all trees, a level in each pass."""
        roots = [_Node(tree, 0) for tree in range(len(self._trees))]
        level: list[tuple[_Node, Tables]] = []
        for node, table in zip(roots, self._tables(roots), strict=True):
            counts = table[0].sum(axis=0).astype(np.float64)
            self._trees[node.tree].add(counts, 0)
            if self._wanted(node):
                level.append((node, table))
        while level:
            level = self._next_level(level)
        self._build_small()
        return self._trees

    def _wanted(self, node: _Node) -> bool:
        """Whether a table of the node is wanted; a small node is put aside."""
        tree = self._trees[node.tree]
        counts = tree.counts[node.node]
        if not self._limits.splits(counts, tree.depth[node.node]):
            return False
        if counts.sum() > self._in_memory:
            return True
        self._small.append(node)
        return False

    def _next_level(self, level: list[tuple[_Node, Tables]]) -> list[tuple[_Node, Tables]]:
        """Split the nodes of a level, and return those of the next with their tables."""
        pairs = []
        for (node, table), cut in zip(level, self._best([t for _, t in level]), strict=True):
            if cut is None:
                continue
            left, right = (_Node(node.tree, child) for child in self._split(node, table, cut))
            wanted = [self._wanted(left), self._wanted(right)]
            if any(wanted):
                pairs.append((left, right, wanted, table))
        smaller = [
            left if self._weight(left) <= self._weight(right) else right
            for left, right, _, _ in pairs
        ]
        following = []
        for (left, right, wanted, table), counted, own in zip(
            pairs, smaller, self._tables(smaller), strict=True
        ):
            # The sibling has what is left: whole numbers, so this is exact.
            for child, is_wanted in ((left, wanted[0]), (right, wanted[1])):
                if is_wanted:
                    following.append((child, own if child is counted else table - own))
        return following

    def _weight(self, node: _Node) -> float:
        return float(self._trees[node.tree].counts[node.node].sum())

    def _tables(self, nodes: Sequence[_Node]) -> list[Tables]:
        """Count the rows of nodes on all workers, in groups."""
        tables: list[Tables] = []
        for first in range(0, len(nodes), self._group):
            group = [(own.tree, own.node) for own in nodes[first : first + self._group]]
            message = pickle.dumps((self._divisions, group))
            total = self._crew.total("count", message)
            tables += list(total.reshape((len(group), *self._shape)))
        return tables

    def _best(self, tables: list[Tables]) -> list[Cut | None]:
        """The best cut of each table."""
        _, width, classes = self._shape
        features, bins, gains = _core.best_cuts(
            self._limits.impurity,
            np.stack(tables).ravel(),
            self._categorical,
            self._n_bins,
            width,
            classes,
            self._limits.least,
        )
        return [
            None if f < 0 else self._cut(table[f], int(f), int(b), float(g))
            for table, f, b, g in zip(tables, features, bins, gains, strict=True)
        ]

    def _cut(self, table: Tables, feature: int, place: int, gain: float) -> Cut:
        known = table[1:].sum()
        if self._categorical[feature]:
            category = int(np.flatnonzero(self._plan.bins[feature] == place)[0])
            return Cut(feature, 0.0, category, bool(2 * table[place].sum() >= known), gain)
        left = table[1 : place + 1].sum()
        threshold = float(self._plan.bins[feature][place - 1])
        return Cut(feature, threshold, -1, bool(2 * left >= known), gain)

    def _split(self, node: _Node, table: Tables, cut: Cut) -> tuple[int, int]:
        """Split a node, and note how workers divide its rows."""
        goes_left = np.zeros(256, np.uint8)
        if cut.category >= 0:
            goes_left[self._plan.bins[cut.feature][cut.category]] = 1
        else:
            cuts = self._plan.bins[cut.feature]
            goes_left[1 : int(np.searchsorted(cuts, cut.threshold)) + 2] = 1
        goes_left[0] = cut.missing_left
        bins = np.flatnonzero(goes_left[: self._shape[1]])
        counts = table[cut.feature, bins].sum(axis=0).astype(np.float64)
        left, right = self._trees[node.tree].split(node.node, cut, counts)
        self._divisions[node.tree].append(
            Division(node.node, cut.feature, goes_left.tobytes(), left, right)
        )
        return left, right

    def _build_small(self) -> None:
        """Gather the rows of small nodes, and grow each on one worker."""
        for first in range(0, len(self._small), 4 * self._crew.workers):
            group = self._small[first : first + 4 * self._crew.workers]
            message = pickle.dumps((self._divisions, [(own.tree, own.node) for own in group]))
            parts = [
                pickle.loads(answer)
                for answer in self._crew.each("gather", [message] * self._crew.workers)
            ]
            asked = []
            for place, node in enumerate(group):
                depth = self._trees[node.tree].depth[node.node]
                limits = Limits(
                    self._limits.impurity, self._limits.max_depth - depth, self._limits.min_rows
                )
                columns = [
                    np.concatenate([own[place][0][f] for own in parts])
                    for f in range(self._shape[0])
                ]
                labels = np.concatenate([own[place][1] for own in parts])
                asked.append(
                    pickle.dumps((columns, self._categories, labels, self._shape[2], limits))
                )
            for node, answer in zip(group, self._crew.some("build", asked), strict=True):
                self._trees[node.tree].graft(node.node, pickle.loads(answer))
