"""Leveraging bagging."""

from __future__ import annotations

from typing import Any

from riparian.drift import Detector
from riparian.forests.forest import Forest
from riparian.tree import HoeffdingTree

__all__ = ["LeveragingBagging"]


class LeveragingBagging(Forest):
    """Bagging with more weight on each row; the worst member starts over when errors rise.

    Every member learns each row Poisson(6) times, and a detector watches its errors. When any of
    them finds a rise, the member with the most errors is replaced by a fresh tree.

    Parameters
    ----------
    estimator : HoeffdingTree or None, default=None
        What a member is, as in :class:`riparian.Forest`.
    n_estimators : int, default=10
        How many members.
    rate : float, default=6.0
        Mean of the Poisson number that a row counts as.
    drift : Detector or float, default=0.002
        The drift detector: one of :mod:`riparian.drift`, or the `delta` of an ADWIN.
    costs, max_bytes, n_jobs, random_state, categorical_features
        As in :class:`riparian.Forest`.

    Notes
    -----
    The output codes of the paper's section 3.2 are left out, as they are in MOA by default.

    References
    ----------
    .. [1] A. Bifet, G. Holmes, B. Pfahringer. Leveraging bagging for evolving data streams.
       ECML PKDD 2010, section 3.

    Examples
    --------
    >>> from riparian import LeveragingBagging
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(5_000)
    >>> LeveragingBagging(n_estimators=5).fit(X, y).n_drifts_
    0
    """

    def __init__(
        self,
        *,
        estimator: HoeffdingTree | None = None,
        n_estimators: int = 10,
        rate: float = 6.0,
        drift: Detector | float = 0.002,
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
            replacement="worst",
            drift=drift,
            weighted_votes=False,
            costs=costs,
            max_bytes=max_bytes,
            n_jobs=n_jobs,
            random_state=random_state,
            categorical_features=categorical_features,
        )
