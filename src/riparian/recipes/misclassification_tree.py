"""Rutkowski's misclassification tree."""

from __future__ import annotations

from riparian.tree import HoeffdingTree

__all__ = ["MisclassificationTree"]


class MisclassificationTree(
    HoeffdingTree,
    fixes={"impurity": "misclassification", "bound": "normal"},
    defaults={"leaf": "majority"},
):
    """Misclassification error with Rutkowski's normal threshold.

    Notes
    -----
    *Differs from the paper*: known to us through its use by Mirkhan et al. (equations 7 and 8).
    Gains are exact differences of counts. Misclassification gain is 0 as long as all
    branches have one majority, so such a leaf waits; see HybridTree.


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
