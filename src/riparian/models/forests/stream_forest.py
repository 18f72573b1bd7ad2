"""StreamForest, the forest to begin with."""

from __future__ import annotations

from riparian.models.forests.forest import Forest
from riparian.models.hoeffding import HoeffdingTree

__all__ = ["StreamForest"]


class StreamForest(
    Forest,
    fixes={
        "estimator": HoeffdingTree(
            grace_period=50,
            delta=0.01,
            inherit_counts="count",
            categorical_cuts="one-against-rest",
        ),
        "replacement": "background",
    },
    defaults={"warning": 0.01, "drift": 0.001},
    takes=("leaf_features",),
):
    """The forest to begin with: bagged trees that are replaced when their error rises.

    Every member learns each row with a weight from Poisson(6) and sees all features. At a warning
    a tree begins to grow in the background of its member; at a drift it replaces the member. Votes
    are weighted by accuracy. Unlike in :class:`riparian.AdaptiveRandomForest`, leaves use all
    features, and a category is split off against all others.

    Notes
    -----
    It follows no paper. It was chosen among the published forests and other compositions on 22
    streams, and then tested on 20 others: ``docs/choosing.md``. To use other trees as members,
    take :class:`riparian.AdaptiveRandomForest` or :class:`riparian.Forest`.

    Examples
    --------
    >>> from riparian import StreamForest
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(5_000)
    >>> StreamForest(n_estimators=5).fit(X, y).n_seen_
    5000
    """
