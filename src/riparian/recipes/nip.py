"""NIP: numerical interval pruning."""

from __future__ import annotations

from riparian.tree import HoeffdingTree

__all__ = ["NIP"]


class NIP(
    HoeffdingTree,
    defaults={"impurity": "entropy", "leaf": "majority"},
    allows={
        "statistics": {"intervals": {}},
        "bound": {"delta-method": {}, "hoeffding": {}},
    },
):
    """NIP: interval counts, exact only where a cut may still be the best.

    Notes
    -----
    *Differs from the paper*: its number of intervals, its sampling and its rule for pruning
    again are not known to us. Here the first 1,000 examples of a leaf are kept exactly, then
    intervals of one width; at most 10,000 exact points a feature; an interval that was
    pruned wrongly has only its boundaries from then on. The normal test needs 100
    examples and at least 5 in every cell that is used; cells below half an example count as
    empty. The variance of the gap treats the two gains as independent, which is believed to
    be what the paper does.


    References
    ----------
    .. [1] R. Jin, G. Agrawal. Efficient decision tree construction on streaming data.
       KDD 2003, pp. 571-576.

    Examples
    --------
    >>> from riparian import NIP
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = NIP().fit(X, y)
    >>> model.n_seen_
    20000
    """
