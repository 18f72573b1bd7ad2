"""Rutkowski's misclassification tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from riparian.recipes.recipe import Shared, recipe
from riparian.tree import HoeffdingTree

__all__ = ["MisclassificationTree"]


@recipe
class MisclassificationTree(HoeffdingTree):
    """Misclassification error with Rutkowski's normal threshold.

    Parameters
    ----------
    delta : float, default=1e-7
        Accepted probability of a wrong decision in one check.
    grace_period : float, default=200
        Weight of examples between two checks of a leaf.
    tau : float, default=0.05
        Tie threshold: split anyway once the bound is below it.
    leaf : str or sequence of str, default="majority"
        What a leaf answers.
    costs : array-like, dict or None, default=None
        Cost of each (predicted, true) pair; answers are the cheapest.

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

    def __init__(
        self,
        *,
        delta: float = 1e-7,
        grace_period: float = 200,
        tau: float = 0.05,
        leaf: str | Sequence[str] = "majority",
        costs: Any = None,
        **shared: Unpack[Shared],
    ) -> None:
        super().__init__(
            statistics="gaussian",
            cuts="bins",
            impurity="misclassification",
            bound="normal",
            delta=delta,
            grace_period=grace_period,
            tau=tau,
            leaf=leaf,
            costs=costs,
            **shared,
        )
