"""Oza and Russell's online bagging."""

from __future__ import annotations

from riparian.models.forests.forest import Forest

__all__ = ["OnlineBagging"]


class OnlineBagging(
    Forest,
    paper="oza2001",
    fixes={"weighted_votes": False},
    defaults={"rate": 1.0},
):
    """Bagging over a stream: every member learns each row with a weight from Poisson(1).

    With more and more rows it approaches bagging over all of them, for members that lose nothing
    by learning row by row. It does not follow change, unless its members do.

    Notes
    -----
    *Differs from the paper*: nothing.

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
