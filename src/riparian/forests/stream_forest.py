"""StreamForest, the forest to begin with."""

from __future__ import annotations

from typing import Any

from riparian.drift import Detector
from riparian.forests.forest import Forest
from riparian.tree import HoeffdingTree

__all__ = ["StreamForest"]


class StreamForest(Forest):
    """The forest to begin with: bagged trees that are replaced when their errors rise.

    Every member learns each row Poisson(6) times and sees all features. At a warning a tree
    begins to grow in the background of its member, and at a drift it takes its place; votes
    count as much as their member was right. Unlike those of
    :class:`riparian.AdaptiveRandomForest`, leaves draw no features, and a category is split off
    against all others.

    Parameters
    ----------
    n_estimators : int, default=10
        How many members.
    rate : float, default=6.0
        Mean of the Poisson number that a row counts as.
    leaf_features : int, float, "sqrt" or None, default=None
        How many features a leaf tracks, drawn when it opens; None for all. Where there are many
        features a part of them is faster, and smaller.
    warning, drift : Detector, float or None, default=0.01 and 0.001
        The drift detector: one of :mod:`riparian.drift`, or the `delta` of an ADWIN.
    costs, max_bytes, n_jobs, random_state, categorical_features
        As in :class:`riparian.Forest`.

    Notes
    -----
    It follows no paper. It was chosen among the forests of the papers and compositions of ours
    on 22 streams, and tried on 20 others: ``docs/choosing.md``. For other members use
    :class:`riparian.AdaptiveRandomForest` or :class:`riparian.Forest`.

    Examples
    --------
    >>> from riparian import StreamForest
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(5_000)
    >>> StreamForest(n_estimators=5).fit(X, y).n_seen_
    5000
    """

    def __init__(
        self,
        *,
        n_estimators: int = 10,
        rate: float = 6.0,
        leaf_features: int | float | str | None = None,
        warning: Detector | float | None = 0.01,
        drift: Detector | float = 0.001,
        costs: Any = None,
        max_bytes: int | str | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
        categorical_features: Any = "from_dtype",
    ) -> None:
        super().__init__(
            estimator=HoeffdingTree(
                grace_period=50,
                delta=0.01,
                inherit_counts="count",
                categorical_cuts="one-against-rest",
            ),
            n_estimators=n_estimators,
            rate=rate,
            leaf_features=leaf_features,
            replacement="background",
            warning=warning,
            drift=drift,
            costs=costs,
            max_bytes=max_bytes,
            n_jobs=n_jobs,
            random_state=random_state,
            categorical_features=categorical_features,
        )
