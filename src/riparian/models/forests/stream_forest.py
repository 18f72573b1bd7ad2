"""StreamForest, the forest to begin with."""

from __future__ import annotations

from riparian.models.forests.forest import Forest
from riparian.models.hoeffding import HoeffdingTree
from riparian.models.recipes.stream_tree import StreamTree

__all__ = ["StreamForest"]


class StreamForest(
    Forest,
    fixes={
        "estimator": HoeffdingTree(
            grace_period=120,
            delta=0.01,
            inherit_counts="count",
            categorical_cuts="one-against-rest",
        ),
        "last_member": StreamTree(),
        "replacement": "background",
        "weighted_votes": True,
        "vote_power": 12,
        "vote_memory": 1000,
    },
    defaults={"drift": 0.001},
    takes=("leaf_features", "warning"),
):
    """The forest to begin with: bagged trees and a StreamTree, of which the best ones decide.

    All members but one are bagged: they learn each row with a weight from Poisson(6), see all
    features, and are replaced when their errors rise. The last member is a
    :class:`riparian.StreamTree`, which learns each row once. The weight of a vote is the twelfth
    power of the accuracy of the member on about the last 1,000 rows, so the members that are right
    now decide. Unlike in :class:`riparian.AdaptiveRandomForest`, leaves use all features, and a
    category is split off against all others.

    Notes
    -----
    It follows no paper. It was chosen on 89 streams by a rule that was written down before, and
    then compared with other forests on 38 fresh streams: ``docs/choosing.md``. To use other trees
    as members, take :class:`riparian.AdaptiveRandomForest` or :class:`riparian.Forest`.

    Examples
    --------
    >>> from riparian import StreamForest
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(5_000)
    >>> StreamForest(n_estimators=5).fit(X, y).n_seen_
    5000
    """
