"""Jaworski's hybrid tree."""

from __future__ import annotations

from riparian.models.hoeffding import HoeffdingTree

__all__ = ["HybridTree"]


class HybridTree(
    HoeffdingTree,
    paper="jaworski2018",
    fixes={"impurity": "hybrid"},
    defaults={"leaf": "majority"},
    allows={"bound": {"normal": {}, "hoeffding": {}, "mcdiarmid": {}}},
):
    """Hybrid tree: split by misclassification, and by Gini where misclassification has no gain.

    Notes
    -----
    *Differs from the paper*: its constants could not be verified. Misclassification uses
    ``z sqrt(1 / (2n))`` and Gini the threshold of dsCART, or ``8 sqrt(ln(1/delta) / (2n))`` with
    ``bound="mcdiarmid"``. If both would split, misclassification decides.

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
