"""Streaming random patches."""

from __future__ import annotations

from riparian.models.forests.forest import Forest

__all__ = ["StreamingRandomPatches"]


class StreamingRandomPatches(
    Forest,
    paper="gomes2019",
    fixes={"replacement": "background", "drawn_background": True},
    defaults={"features": 0.6, "warning": 1e-4, "drift": 1e-5},
):
    """A forest whose members see some rows and some features, and are replaced at a drift.

    Every member draws its features when it begins, and learns each row with a weight from
    Poisson(6). At a warning a tree with other features begins to grow in its background; at a
    drift it replaces the member. Votes are weighted by accuracy.

    Notes
    -----
    *Differs from the paper*: the default is 10 members; the paper uses 100, and also 10.

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
