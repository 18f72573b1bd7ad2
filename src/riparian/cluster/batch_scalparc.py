"""ScalParC [joshi1998]: an exact batch tree over a pool; every value is a candidate cut."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import numpy as np

from riparian.cluster.batch_rows import Coded, coded_as, facts_of, pieces_of, read_piece, schema_of
from riparian.cluster.batch_tree import limits_of, seeded
from riparian.cluster.crew import PoolCrew
from riparian.cluster.exact_tree import Rows, grow_exact
from riparian.cluster.pool import Pool
from riparian.cluster.sorted_lists import ListWorker
from riparian.cluster.thread_pool import threads
from riparian.models.hoeffding import HoeffdingTree

__all__ = ["scalparc"]


def scalparc(
    data: Any,
    target: Any,
    *,
    pool: Pool | None = None,
    model: HoeffdingTree | None = None,
    max_depth: int = 8,
    min_rows: int = 20,
) -> HoeffdingTree:
    """Grow an exact batch tree on a pool; it goes on as a streaming tree.

    Every list of values is sorted once and divided evenly over the workers, and so is the table
    that has the node of each row: a worker holds N / P entries of each. All messages pass through
    this process, so nothing is gained in speed: :func:`planet` is the one to use. This is the tree
    to compare with, since no cut is left out. It is the same for any number of workers.

    Parameters
    ----------
    data, target, pool, max_depth, min_rows
        As in :func:`planet`. This process reads all files.
    model : HoeffdingTree, default=None
        A new model of any recipe, which becomes the tree; its `impurity` is used. None is
        ``HoeffdingTree(impurity="gini")``.

    Returns
    -------
    model : HoeffdingTree
        The tree. A worker that dies ends the call with `WorkerDied`; start again.

    References
    ----------
    .. [1] M. Joshi, G. Karypis, V. Kumar. ScalParC: a new scalable and efficient parallel
       classification algorithm for mining large datasets. IPPS 1998.

    Examples
    --------
    >>> import riparian as rp
    >>> X, y = rp.streams.sea(seed=1).take(5_000)
    >>> tree = rp.cluster.scalparc(X, y, max_depth=3, pool=rp.cluster.threads(3))
    >>> tree.depth_
    3
    """
    model = HoeffdingTree(impurity="gini") if model is None else model
    limits = limits_of(model, max_depth, min_rows)
    pieces = [read_piece(piece) for piece in pieces_of(data, target)]
    schema = schema_of([facts_of(piece) for piece in pieces], model)
    columns = []
    for place, feature in enumerate(schema.features):
        own = [piece.columns[place] for piece in pieces]
        columns.append(
            np.concatenate([coded_as(c, feature.codes) if isinstance(c, Coded) else c for c in own])
        )
    labels = np.concatenate([coded_as(p.labels, schema.class_codes) for p in pieces])
    categories = [max(1, len(f.codes)) if f.kind == "categorical" else 0 for f in schema.features]
    rows = Rows(columns, categories, labels.astype(np.uint16))
    with threads() if pool is None else nullcontext(pool) as used:
        tree = grow_exact(PoolCrew(used, ListWorker), rows, len(schema.classes), limits)
    return seeded(model, tree.in_order(), schema)
