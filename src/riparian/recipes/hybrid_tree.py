"""Jaworski's hybrid tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from riparian.recipes.recipe import Shared, recipe
from riparian.tree import HoeffdingTree

__all__ = ["HybridTree"]


@recipe
class HybridTree(HoeffdingTree):
    """Misclassification decides fast; where it is blind, Gini decides.

    Parameters
    ----------
    bound : {"normal", "hoeffding", "mcdiarmid"}, default="normal"
        The thresholds of both criteria.
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
    *Differs from the paper*: its constants could not be verified; misclassification uses
    ``z sqrt(1 / (2n))``, Gini the threshold of dsCART (or, with ``bound="mcdiarmid"``,
    ``8 sqrt(ln(1/delta) / (2n))``). If both would split, misclassification is asked first.


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

    def __init__(
        self,
        *,
        bound: str = "normal",
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
            impurity="hybrid",
            bound=bound,
            delta=delta,
            grace_period=grace_period,
            tau=tau,
            leaf=leaf,
            costs=costs,
            **shared,
        )
