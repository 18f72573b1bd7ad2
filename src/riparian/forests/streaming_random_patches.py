"""Streaming random patches."""

from __future__ import annotations

from typing import Any

from riparian.drift import Detector
from riparian.forests.forest import Forest
from riparian.tree import HoeffdingTree

__all__ = ["StreamingRandomPatches"]


class StreamingRandomPatches(Forest):
    """Members that see some of the rows and some of the features, and are replaced at a drift.

    Every member draws its features when it begins, and learns each row Poisson(6) times. At a
    warning a tree over other features begins to grow in its background, and at a drift it takes
    the member's place. Votes count as much as their member was right.

    Parameters
    ----------
    estimator : HoeffdingTree or None, default=None
        What a member is, as in :class:`riparian.Forest`.
    n_estimators : int, default=10
        How many members. The paper has 100, and also 10.
    rate : float, default=6.0
        Mean of the Poisson number that a row counts as.
    features : int, float, "sqrt" or None, default=0.6
        How many features a member sees.
    warning, drift : Detector, float or None, default=1e-4 and 1e-5
        The drift detector: one of :mod:`riparian.drift`, or the `delta` of an ADWIN.
    costs, max_bytes, n_jobs, random_state, categorical_features
        As in :class:`riparian.Forest`.

    References
    ----------
    .. [1] H. Gomes, J. Read, A. Bifet. Streaming random patches for evolving data stream
       classification. ICDM 2019, section III.

    Examples
    --------
    >>> from riparian import StreamingRandomPatches
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(5_000)
    >>> [len(f) for f in StreamingRandomPatches(n_estimators=3).fit(X, y).estimator_features_]
    [2, 2, 2]
    """

    def __init__(
        self,
        *,
        estimator: HoeffdingTree | None = None,
        n_estimators: int = 10,
        rate: float = 6.0,
        features: int | float | str | None = 0.6,
        warning: Detector | float | None = 1e-4,
        drift: Detector | float = 1e-5,
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
            features=features,
            replacement="background",
            warning=warning,
            drift=drift,
            drawn_background=True,
            costs=costs,
            max_bytes=max_bytes,
            n_jobs=n_jobs,
            random_state=random_state,
            categorical_features=categorical_features,
        )
