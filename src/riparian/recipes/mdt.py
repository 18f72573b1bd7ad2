"""mDT: analytical cuts for misclassification."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from riparian.recipes.recipe import Shared, recipe
from riparian.tree import HoeffdingTree

__all__ = ["MDT"]


@recipe
class MDT(HoeffdingTree):
    """mDT: the best numeric cut for misclassification is where two class densities meet.

    Parameters
    ----------
    cuts : {"bins", "intersections", "delayed", "combined"}, default="intersections"
        mDT-bin, mDT-intersect, mDT-delayed and mDT-combined.
    equal_variance : {"linear", "skip"}, default="linear"
        What two classes of equal variance give; the released code skips them.
    missing_second : {"zero", "-inf"}, default="zero"
        What a cut without a rival is compared with; in the released code it has won.
    legacy_gain : bool, default=False
        The rounding of the released code; see the notes.
    delta : float, default=1e-7
        Accepted probability of a wrong decision in one check.
    grace_period : float, default=500
        Weight of examples between two checks of a leaf.
    tau : float, default=0.15
        Tie threshold: split anyway once the bound is below it.
    leaf : str or sequence of str, default="majority"
        What a leaf answers.
    costs : array-like, dict or None, default=None
        Cost of each (predicted, true) pair; answers are the cheapest.

    Notes
    -----
    Defaults are those of the released code; it also limits the depth to 60 levels
    (``max_depth=59``).

    *Differs from the paper*: there are up to two intersections a pair of classes, not one.
    Theorem 1 needs that some cut gains at all, whole distributions (so `clip_to_range` is
    off) and a root inside the range of the values. The released code computes a gain as a
    difference of two rounded impurities and splits on any gain above 0, so that zero gains
    become splits on rounding noise: the tree sizes that the paper prints depend on it.
    ``legacy_gain=True`` reproduces that; the default does not.


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

    def __init__(
        self,
        *,
        cuts: str = "intersections",
        equal_variance: str = "linear",
        missing_second: str = "zero",
        legacy_gain: bool = False,
        delta: float = 1e-7,
        grace_period: float = 500,
        tau: float = 0.15,
        leaf: str | Sequence[str] = "majority",
        costs: Any = None,
        **shared: Unpack[Shared],
    ) -> None:
        super().__init__(
            statistics="gaussian",
            impurity="misclassification",
            bound="normal",
            variance="population",
            clip_to_range=False,
            min_branch_fraction=1e-6,
            inherit_counts="none",
            cuts=cuts,
            equal_variance=equal_variance,
            missing_second=missing_second,
            legacy_gain=legacy_gain,
            delta=delta,
            grace_period=grace_period,
            tau=tau,
            leaf=leaf,
            costs=costs,
            **shared,
        )
