"""Rutkowski's misclassification tree."""

from __future__ import annotations

from riparian.models.hoeffding import HoeffdingTree

__all__ = ["MisclassificationTree"]


class MisclassificationTree(
    HoeffdingTree,
    paper="rutkowski2015",
    fixes={"impurity": "misclassification", "bound": "normal"},
    defaults={"leaf": "majority"},
):
    """Misclassification tree: misclassification gain with Rutkowski's normal threshold.

    Notes
    -----
    *Differs from the paper*: the paper was not available; the rule is taken from Mirkhan et al.
    (equations 7 and 8). Gains are exact differences of counts. The misclassification gain is 0 as
    long as all branches have the same majority, so such a leaf waits; see HybridTree.

    References
    ----------
    .. [1] L. Rutkowski, M. Jaworski, L. Pietruczuk, P. Duda. A new method for data stream mining
       based on the misclassification error. IEEE TNNLS 26(5), 2015.

    Examples
    --------
    >>> from riparian import MisclassificationTree
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = MisclassificationTree().fit(X, y)
    >>> model.n_seen_
    20000
    """
