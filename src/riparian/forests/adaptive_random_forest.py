"""Adaptive random forests."""

from __future__ import annotations

from typing import Any

from riparian.drift import Detector
from riparian.forests.forest import Forest
from riparian.tree import HoeffdingTree

__all__ = ["AdaptiveRandomForest"]


class AdaptiveRandomForest(Forest):
    """A random forest that follows change: members are replaced when their errors rise.

    Every member learns each row Poisson(6) times, and each leaf tracks some of the features,
    drawn when it opens. At a warning a tree begins to grow in the background of its member, and
    at a drift it takes its place. Votes count as much as their member was right.

    Parameters
    ----------
    estimator : HoeffdingTree or None, default=None
        What a member is, as in :class:`riparian.Forest`.
    n_estimators : int, default=10
        How many members. The paper has 100, and also 10.
    rate : float, default=6.0
        Mean of the Poisson number that a row counts as.
    leaf_features : int, float, "sqrt" or None, default=0.6
        How many features a leaf tracks; the paper has "sqrt", MOA 60 % of them. Members that
        need all features at a leaf, as in :class:`riparian.Forest`, ask for None.
    warning, drift : Detector, float or None, default=0.01 and 0.001
        The drift detector: one of :mod:`riparian.drift`, or the `delta` of an ADWIN.
    costs, max_bytes, n_jobs, random_state, categorical_features
        As in :class:`riparian.Forest`.

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

    def __init__(
        self,
        *,
        estimator: HoeffdingTree | None = None,
        n_estimators: int = 10,
        rate: float = 6.0,
        leaf_features: int | float | str | None = 0.6,
        warning: Detector | float | None = 0.01,
        drift: Detector | float = 0.001,
        costs: Any = None,
        max_bytes: int | str | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
        categorical_features: Any = "from_dtype",
    ) -> None:
        super().__init__(
            estimator=estimator,
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
