"""Adaptive random forests."""

from __future__ import annotations

from riparian.models.forests.forest import Forest

__all__ = ["AdaptiveRandomForest"]


class AdaptiveRandomForest(
    Forest,
    paper="gomes2017",
    fixes={"replacement": "background"},
    defaults={"leaf_features": 0.6, "warning": 0.01, "drift": 0.001},
):
    """A random forest that follows change: a member is replaced when its error rises.

    Every member learns each row with a weight from Poisson(6), and each leaf tracks some of the
    features, drawn when it opens. At a warning a tree begins to grow in the background of its
    member; at a drift it replaces the member. Votes are weighted by accuracy.

    Notes
    -----
    *Differs from the paper*: the default is 10 members; the paper uses 100, and also 10. Leaves
    track 60 % of the features, as in MOA; the paper uses the square root.

    References
    ----------
    .. [1] H. Gomes et al. Adaptive random forests for evolving data stream classification.
       Machine Learning 106, 2017, algorithm 2.

    Examples
    --------
    >>> from riparian import AdaptiveRandomForest
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(5_000)
    >>> AdaptiveRandomForest(n_estimators=5).fit(X, y).n_seen_
    5000
    """
