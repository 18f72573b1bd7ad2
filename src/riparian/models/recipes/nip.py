"""NIP: numerical interval pruning."""

from __future__ import annotations

from riparian.models.hoeffding import HoeffdingTree

__all__ = ["NIP"]


class NIP(
    HoeffdingTree,
    paper="jin2003",
    defaults={"impurity": "entropy", "leaf": "majority"},
    allows={
        "statistics": {"intervals": {}},
        "bound": {"delta-method": {}, "hoeffding": {}},
    },
):
    """NIP: interval counts, exact only where a cut may still be the best.

    Notes
    -----
    *Differs from the paper*: the number of intervals, the sampling and the rule for pruning again
    are not known. Here a leaf keeps its first 1,000 examples exactly, and then intervals of equal
    width with at most 10,000 exact points per feature. An interval that was pruned wrongly keeps
    only its boundaries. The normal test needs 100 examples and at least 5 in every cell that is
    used; cells below half an example count as empty. The variance of the gap treats the two gains
    as independent, which is probably what the paper does.

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
