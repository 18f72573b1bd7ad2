"""Jaworski's hybrid tree."""

from __future__ import annotations

from riparian.tree import HoeffdingTree

__all__ = ["HybridTree"]


class HybridTree(
    HoeffdingTree,
    fixes={"impurity": "hybrid"},
    defaults={"leaf": "majority"},
    allows={"bound": {"normal": {}, "hoeffding": {}, "mcdiarmid": {}}},
):
    """Misclassification decides fast; where it is blind, Gini decides.

    Notes
    -----
    *Differs from the paper*: its constants could not be verified; misclassification uses
    ``z sqrt(1 / (2n))``, Gini the threshold of dsCART (or, with ``bound="mcdiarmid"``,
    ``8 sqrt(ln(1/delta) / (2n))``). If both would split, misclassification is checked first.


    References
    ----------
    .. [1] M. Jaworski, P. Duda, L. Rutkowski. New splitting criteria for decision trees in
       stationary data streams. IEEE TNNLS 29(6), 2018.

    Examples
    --------
    >>> from riparian import HybridTree
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = HybridTree().fit(X, y)
    >>> model.n_seen_
    20000
    """
