"""Leveraging bagging."""

from __future__ import annotations

from riparian.models.forests.forest import Forest

__all__ = ["LeveragingBagging"]


class LeveragingBagging(
    Forest,
    paper="bifet2010",
    fixes={"replacement": "worst", "weighted_votes": False},
    defaults={"drift": 0.002},
):
    """Bagging with large weights, in which the worst member starts over when errors rise.

    Every member learns each row with a weight from Poisson(6), and a detector watches its error.
    When a detector finds a rise, the member with the largest error is replaced by a new tree.

    Notes
    -----
    *Differs from the paper*: the output codes of its section 3.2 are left out, as they are in MOA
    by default.

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
