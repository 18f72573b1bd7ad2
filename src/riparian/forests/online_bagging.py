"""Oza and Russell's online bagging."""

from __future__ import annotations

from typing import Any

from riparian.forests.forest import Forest
from riparian.tree import HoeffdingTree

__all__ = ["OnlineBagging"]


class OnlineBagging(Forest):
    """Bagging over a stream: every member learns each row Poisson(1) times.

    With more and more rows it becomes what bagging over all of them would give, for members that
    lose nothing by learning row by row. It does not follow change, unless its members do.

    Parameters
    ----------
    estimator : HoeffdingTree or None, default=None
        What a member is, as in :class:`riparian.Forest`.
    n_estimators : int, default=10
        How many members.
    rate : float, default=1.0
        Mean of the Poisson number that a row counts as.
    costs, max_bytes, n_jobs, random_state, categorical_features
        As in :class:`riparian.Forest`.

    References
    ----------
    .. [1] N. Oza, S. Russell. Online bagging and boosting. AISTATS 2001, section 3.

    Examples
    --------
    >>> from riparian import OnlineBagging
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(5_000)
    >>> OnlineBagging(n_estimators=5).fit(X, y).n_seen_
    5000
    """

    def __init__(
        self,
        *,
        estimator: HoeffdingTree | None = None,
        n_estimators: int = 10,
        rate: float = 1.0,
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
            weighted_votes=False,
            costs=costs,
            max_bytes=max_bytes,
            n_jobs=n_jobs,
            random_state=random_state,
            categorical_features=categorical_features,
        )
