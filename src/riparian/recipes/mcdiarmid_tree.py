"""The McDiarmid tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from riparian.recipes.recipe import Shared, recipe
from riparian.tree import HoeffdingTree

__all__ = ["McDiarmidTree"]


@recipe
class McDiarmidTree(HoeffdingTree):
    """McDiarmid tree: bounded differences instead of Hoeffding's mean.

    Parameters
    ----------
    impurity : {"entropy", "gini"}, default="entropy"
        Whose reduction is the gain.
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
    *Differs from the paper*: numeric features by Gaussians. The constant for entropy has
    ``log2(e n)``, which a later print lost. The bound covers the distance of a gain from its
    own mean, not from the true gain, and it is so wide that such trees hardly ever split.


    References
    ----------
    .. [1] L. Rutkowski, L. Pietruczuk, P. Duda, M. Jaworski. Decision trees for mining data
       streams based on the McDiarmid's bound. IEEE TKDE 25(6), 2013.

    Examples
    --------
    >>> from riparian import McDiarmidTree
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = McDiarmidTree().fit(X, y)
    >>> model.n_seen_
    20000
    """

    def __init__(
        self,
        *,
        impurity: str = "entropy",
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
            bound="mcdiarmid",
            impurity=impurity,
            delta=delta,
            grace_period=grace_period,
            tau=tau,
            leaf=leaf,
            costs=costs,
            **shared,
        )
