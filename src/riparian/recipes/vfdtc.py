"""VFDTc: every value, and naive Bayes in the leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from riparian.recipes.recipe import Shared, recipe
from riparian.tree import HoeffdingTree

__all__ = ["VFDTc"]


@recipe
class VFDTc(HoeffdingTree):
    """VFDTc: every observed value is a cut, leaves answer by naive Bayes where it is better.

    Parameters
    ----------
    leaf : str or sequence of str, default="adaptive"
        What a leaf answers.
    costs : array-like, dict or None, default=None
        Cost of each (predicted, true) pair; answers are the cheapest.
    delta : float, default=1e-7
        Accepted probability of a wrong decision in one check.
    grace_period : float, default=200
        Weight of examples between two checks of a leaf.
    tau : float, default=0.05
        Tie threshold: split anyway once the bound is below it.

    Notes
    -----
    Memory of a leaf grows with the distinct values it has seen.

    *Differs from the paper*: sorted blocks instead of a search tree, which would become a
    list on sorted input; the cuts are the same. Naive Bayes takes numeric features by
    Gaussians, not by intervals of the search tree.


    References
    ----------
    .. [1] J. Gama, R. Rocha, P. Medas. Accurate decision trees for mining high-speed data
       streams. KDD 2003, pp. 523-528.

    Examples
    --------
    >>> from riparian import VFDTc
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = VFDTc().fit(X, y)
    >>> model.n_seen_
    20000
    """

    def __init__(
        self,
        *,
        leaf: str | Sequence[str] = "adaptive",
        costs: Any = None,
        delta: float = 1e-7,
        grace_period: float = 200,
        tau: float = 0.05,
        **shared: Unpack[Shared],
    ) -> None:
        super().__init__(
            statistics="exhaustive",
            cuts="bins",
            impurity="entropy",
            bound="hoeffding",
            leaf=leaf,
            costs=costs,
            delta=delta,
            grace_period=grace_period,
            tau=tau,
            **shared,
        )
