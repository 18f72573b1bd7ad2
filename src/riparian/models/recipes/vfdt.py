"""VFDT, the very fast decision tree."""

from __future__ import annotations

from riparian.models.hoeffding import HoeffdingTree

__all__ = ["VFDT"]


class VFDT(
    HoeffdingTree,
    paper="domingos2000",
    defaults={"impurity": "entropy", "leaf": "majority"},
):
    """Very fast decision tree: split once the two best gains are far enough apart.

    Notes
    -----
    *Differs from the paper*: numeric features have Gaussian statistics with ten equally spaced
    cuts, as in later work; a column of two values is split in the middle. The null cut competes as
    runner-up with gain 0 and never ends a leaf for good. A tie needs a gain above 1e-9. The gain
    range counts the classes seen at the leaf. A new leaf predicts with the class weights that its
    parent's split estimated until its own examples outweigh them; they never count in the bound.
    Poor features are dropped only with `drop_poor_features`, and memory is limited only with
    `max_bytes`: a leaf that becomes active again starts with new statistics. Hoeffding's inequality
    does not cover information gain, so `delta` is no guarantee; see :mod:`riparian.bounds`.

    References
    ----------
    .. [1] P. Domingos, G. Hulten. Mining high-speed data streams. KDD 2000, pp. 71-80.

    Examples
    --------
    >>> from riparian import VFDT
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = VFDT().fit(X, y)
    >>> split = model.splits()[0]
    >>> split.feature, split.reason
    ('x1', 'tie')
    """
