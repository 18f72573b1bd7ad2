"""``riparian.cluster.learn``: learn one model from a source with the workers of a pool."""

from __future__ import annotations

import os
from typing import Any

from riparian.cluster.pool import Pool
from riparian.cluster.team import Team
from riparian.models.base import StreamClassifier
from riparian.sources.learn import Learning
from riparian.sources.learn import learn as learn_source
from riparian.sources.source import Source

__all__ = ["learn"]


def learn(
    model: StreamClassifier[Any],
    source: Source | str | os.PathLike[str],
    *,
    pool: Pool,
    shards: int | None = None,
    alone: int | None = None,
    **options: Any,
) -> Learning:
    """Learn a tree or a forest from a source in rounds, with the workers of a pool.

    In each round every worker decodes and summarises its part of the rows. The summaries are merged
    in a fixed order and grow the tree. Of a forest, every worker learns all rows with some of the
    members. The model does not depend on the number of workers, on which of them answers what, or
    on how often one dies.

    Parameters
    ----------
    model : StreamClassifier
        A tree whose statistics can be merged, or a forest whose members do not depend on each
        other. An error names what cannot be learned.
    source : Source, str or path-like
        A source of `riparian.sources`, or the address of one.
    pool : Pool
        The workers. The caller closes it after the learner has ended.
    shards : int, default=None
        Into how many parts the rows of a round are dealt, a power of two up to 1,024. The model
        depends on it, except for a forest. None is that of the checkpoint, or 16.
    alone : int, default=None
        How many first messages the coordinator learns alone, because a small tree is looked at
        often. The model depends on it, except for a forest. None is that of the checkpoint, or
        50,000.
    **options
        As in :func:`riparian.learn`; `checkpoint` is required. Labels cannot come from another
        source.

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
    """
    return learn_source(model, source, team=Team(pool, shards, alone), **options)
