"""dsCART: Gini by the normal approximation."""

from __future__ import annotations

from riparian.models.hoeffding import HoeffdingTree

__all__ = ["DsCART"]


class DsCART(
    HoeffdingTree,
    paper="rutkowski2014",
    fixes={"categorical_cuts": "one-against-rest", "impurity": "gini", "bound": "normal"},
    defaults={"leaf": "majority"},
):
    """dsCART: Gini gain, binary tests and a threshold from the normal approximation.

    Notes
    -----
    *Differs from the paper*: the threshold is that of the released code of mDT,
    ``z sqrt(2 (5K^2 - 8K + 4) / n)`` with K the number of classes seen at the leaf. Numeric
    features have Gaussian statistics.

    References
    ----------
    .. [1] L. Rutkowski, M. Jaworski, L. Pietruczuk, P. Duda. The CART decision tree for mining
       data streams. Information Sciences 266, 2014.

    Examples
    --------
    >>> from riparian import DsCART
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = DsCART().fit(X, y)
    >>> model.n_seen_
    20000
    """
