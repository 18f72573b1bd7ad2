"""EFDT, the extremely fast decision tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from riparian.recipes.recipe import Shared, recipe
from riparian.tree import HoeffdingTree

__all__ = ["EFDT"]


@recipe
class EFDT(HoeffdingTree):
    """Extremely fast decision tree: split once a cut is sure to gain, and look again later.

    Parameters
    ----------
    reevaluate_every : float, default=2000
        Weight of examples between two looks at an inner node.
    impurity : str or callable, default="entropy"
        Whose reduction is the gain.
    bound : str or callable, default="hoeffding"
        How far the best cut must lead.
    leaf : str or sequence of str, default="adaptive"
        What a leaf answers.
    costs : array-like, dict or None, default=None
        Cost of each (predicted, true) pair; answers are the cheapest.
    grace_period : float, default=200
        Weight of examples between two checks of a leaf.
    delta : float, default=1e-7
        Accepted probability of a wrong decision in one check.
    tau : float, default=0.05
        Tie threshold: split anyway once the bound is below it. An inner node then changes
        its test for another feature that leads by half of it.

    Notes
    -----
    A leaf compares its best cut with no split at all, so it splits sooner than VFDT. Every node
    keeps statistics. An inner node takes the test that leads the best cut of its own feature by
    more than the bound, and its children begin anew; a threshold of its own feature that gains
    more than the one it has takes its place, and the children stay; if no cut gains anything it
    becomes a leaf. Learning takes time for every node of a path, and memory for every node.

    *Differs from the paper*: gains are those of all examples of a node, not averages over its
    checks, as in MOA. A tie changes a test only with a lead of half of `tau`, as MOA has it;
    without that, equal features would replace each other for ever. A cut moves only where it
    gains more than the one before, and where a leaf would split. The example that changes a
    node is learned as if it came before the change.

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

    def __init__(
        self,
        *,
        reevaluate_every: float = 2000,
        impurity: Any = "entropy",
        bound: Any = "hoeffding",
        leaf: str | Sequence[str] = "adaptive",
        costs: Any = None,
        grace_period: float = 200,
        delta: float = 1e-7,
        tau: float = 0.05,
        **shared: Unpack[Shared],
    ) -> None:
        super().__init__(
            adaptation="reevaluation",
            reevaluate_every=reevaluate_every,
            runner_up="none",
            impurity=impurity,
            bound=bound,
            leaf=leaf,
            costs=costs,
            grace_period=grace_period,
            delta=delta,
            tau=tau,
            **shared,
        )
