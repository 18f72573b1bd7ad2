"""mDT: analytical cuts for misclassification."""

from __future__ import annotations

from riparian.models.hoeffding import HoeffdingTree

__all__ = ["MDT"]


class MDT(
    HoeffdingTree,
    paper="mirkhan2021",
    fixes={
        "bound": "normal",
        "clip_to_range": False,
        "min_branch_fraction": 1e-6,
        "inherit_counts": "none",
    },
    defaults={
        "cuts": "intersections",
        "missing_second": "zero",
        "variance": "population",
        "grace_period": 500,
        "tau": 0.15,
        "leaf": "majority",
    },
    allows={"impurity": {"misclassification": {}}},
):
    """mDT: the best numeric cut for misclassification is where two class densities intersect.

    Notes
    -----
    The defaults are those of the released code, which also limits the depth to 60 levels
    (``max_depth=59``).

    *Differs from the paper*: there are up to two intersections per pair of classes, not one.
    Theorem 1 needs a cut that gains at all, whole distributions (so `clip_to_range` is off) and a
    root inside the range of the values. The released code computes a gain as the difference of two
    rounded impurities and splits on any gain above 0, so that rounding noise causes splits; the
    tree sizes in the paper depend on it. ``Misclassification(legacy_gain=True)`` reproduces that;
    the default does not. Algorithm 1 divides squares by n - 1, which is ``variance="sample"``; the
    released code, and so the default, divides by n and takes at least 1e-6.

    References
    ----------
    .. [1] M. Mirkhan, M. Amir Haeri, M. R. Meybodi. Analytical split value calculation for
       numerical attributes in Hoeffding trees with misclassification-based impurity.
       Annals of Data Science 8, 2021.

    Examples
    --------
    >>> from riparian import MDT
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = MDT(grace_period=200).fit(X, y)
    >>> model.n_seen_
    20000
    """
