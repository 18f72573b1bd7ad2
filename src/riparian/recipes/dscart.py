"""dsCART: Gini by the normal approximation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from riparian.recipes.recipe import Shared, recipe
from riparian.tree import HoeffdingTree

__all__ = ["DsCART"]


@recipe
class DsCART(HoeffdingTree):
    """dsCART: Gini gain with a threshold by the normal approximation, binary tests.

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
    *Differs from the paper*: the threshold is that of the released code of mDT,
    ``z sqrt(2 (5K^2 - 8K + 4) / n)`` with the classes seen at the leaf; numeric features by
    Gaussians.


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
            categorical_cuts="one-against-rest",
            impurity="gini",
            bound="normal",
            delta=delta,
            grace_period=grace_period,
            tau=tau,
            leaf=leaf,
            costs=costs,
            **shared,
        )
