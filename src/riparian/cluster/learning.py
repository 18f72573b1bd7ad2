"""``riparian.cluster.learn``: learn one model from a source or a table with a pool."""

from __future__ import annotations

import os
from typing import Any

from riparian.cluster.in_memory import TableLearner
from riparian.cluster.pool import Pool
from riparian.cluster.team import ALONE, SHARDS, Team
from riparian.models.base import StreamClassifier
from riparian.sources.learn import learn as learn_source
from riparian.sources.learning import Learning

__all__ = ["learn"]


def learn(
    model: StreamClassifier[Any],
    source: Any,
    *,
    pool: Pool,
    target: Any = None,
    shards: int | None = None,
    alone: int | None = None,
    **options: Any,
) -> Learning:
    """Learn a tree or a forest from a source or from rows in memory, with the workers of a pool.

    In each round every worker decodes and summarises its part of the rows. The summaries are merged
    in a fixed order and grow the tree. Of a forest, every worker learns all rows with some of the
    members. The model does not depend on the number of workers, on which of them answers what, or
    on how often one dies.

    Parameters
    ----------
    model : StreamClassifier
        A tree whose statistics can be merged, or a forest whose members do not depend on each
        other. An error names what cannot be learned.
    source : Source, str, path-like, array, frame or table
        A source of `riparian.sources`, or the address of one; or rows in memory: an array, a frame
        of pandas or polars, a table of Arrow, or a mapping of columns.
    pool : Pool
        The workers. The caller closes it after the learner has ended.
    target : str or array-like
        The name of the column of the class; of rows in memory also the classes themselves.
    shards : int, default=None
        Into how many parts the rows of a round are dealt, a power of two up to 1,024. The model
        depends on it, except for a forest. None is that of the checkpoint, or 16.
    alone : int, default=None
        How many first messages the coordinator learns alone, because a small tree is looked at
        often. The model depends on it, except for a forest. None is that of the checkpoint, or
        50,000.
    **options
        As in :func:`riparian.learn`; `checkpoint` is required. Labels cannot come from another
        source. Rows in memory have `block` and `rows` only, and no checkpoint: the model that was
        given learns, and if this process ends, nothing is left.

    Returns
    -------
    Learning
        The running learner, with `result`, `stop` and `join`.

    Examples
    --------
    >>> import tempfile
    >>> import riparian as rp
    >>> with tempfile.TemporaryDirectory() as folder, rp.cluster.threads(2) as pool:
    ...     learning = rp.cluster.learn(
    ...         rp.VFDT(), "synth:sea?rows=8000", pool=pool, alone=2000, checkpoint=folder
    ...     )
    ...     learning.join().n
    8000
    >>> X, y = rp.streams.sea(seed=1).take(8000)
    >>> with rp.cluster.threads(2) as pool:
    ...     rp.cluster.learn(rp.VFDT(), X, target=y, pool=pool, alone=2000).join().n
    8000
    """
    if isinstance(source, str | os.PathLike) or hasattr(source, "poll"):
        team = Team(pool, shards, alone)
        return learn_source(model, source, target=target, team=team, **options)
    if target is None:
        raise ValueError("target must have the classes of the rows, or name their column")
    block, rows = options.pop("block", 10_000), options.pop("rows", None)
    if options:
        raise TypeError(f"{min(options)} is for sources, and the rows are in memory: leave it out")
    learner = TableLearner(
        model,
        source,
        target,
        pool,
        shards=SHARDS if shards is None else shards,
        alone=ALONE if alone is None else alone,
        block=block,
        rows=rows,
    )
    return Learning(learner)
