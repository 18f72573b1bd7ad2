"""EFDT, the extremely fast decision tree."""

from __future__ import annotations

from riparian.models.hoeffding import HoeffdingTree

__all__ = ["EFDT"]


class EFDT(
    HoeffdingTree,
    paper="manapragada2018",
    group="trees that follow change",
    fixes={"runner_up": "none"},
    takes=("impurity", "bound"),
    allows={"adaptation": {"reevaluation": {}}},
):
    """Extremely fast decision tree: split once a cut is sure to gain, and check again later.

    Notes
    -----
    A leaf compares its best cut with no split at all, so it splits sooner than VFDT. Every node
    keeps statistics and is checked again. If the best cut of another feature leads that of its own
    feature by more than the bound, the node gets that test and its children start over. If another
    threshold of its own feature gains more than the present one, the node gets that threshold and
    keeps its children. If no cut gains anything, it becomes a leaf. Learning takes time for every
    node of a path, and memory for every node.

    *Differs from the paper*: gains are those of all examples of a node, as in MOA, not averages
    over its checks. A tie changes a test only with a lead of half of `tau`, as in MOA; otherwise
    equal features would replace each other forever. A cut moves only where it gains more than the
    one before, and where a leaf would split. The example that changes a node is learned as if it
    came before the change. ``Reevaluation(replace_by="betting")`` is not in the paper.

    References
    ----------
    .. [1] C. Manapragada, G. I. Webb, M. Salehi. Extremely fast decision tree. KDD 2018,
       pp. 1953-1962.

    Examples
    --------
    >>> from riparian import EFDT, VFDT
    >>> from riparian.streams import random_rbf
    >>> X, y = random_rbf(seed=1).take(20_000)
    >>> bool(EFDT().fit(X, y).n_leaves_ > VFDT().fit(X, y).n_leaves_)
    True
    """
