"""CorrH-Tree: accuracy and two epsilons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from riparian.recipes.recipe import Shared, recipe
from riparian.tree import HoeffdingTree

__all__ = ["CorrHTree"]


@recipe
class CorrHTree(HoeffdingTree):
    """CorrH-Tree, the baseline of C-Tree's paper: accuracy gain by resubstitution, two epsilons.

    Parameters
    ----------
    delta : float, default=0.05
        Accepted probability of a wrong decision in one check.
    grace_period : float, default=100
        Weight of examples between two checks of a leaf.
    tau : float, default=0.0
        Tie threshold: split anyway once the bound is below it.
    leaf : str or sequence of str, default="majority"
        What a leaf answers.
    costs : array-like, dict or None, default=None
        Cost of each (predicted, true) pair; answers are the cheapest.

    Notes
    -----
    *Differs from the paper*: its text names another source, but describes, and its released
    code does, what Matuszyk et al. propose: accuracy with the bound doubled. That code
    permutes the class counts of new leaves, which is not copied. Labels come from the same
    counts that are judged, so Hoeffding's premise holds only approximately.


    References
    ----------
    .. [1] R. De Rosa, N. Cesa-Bianchi. Splitting with confidence in decision trees with
       application to stream mining. IJCNN 2015.
    .. [2] P. Matuszyk, G. Krempl, M. Spiliopoulou. Correcting the usage of the Hoeffding
       inequality in stream mining. IDA 2013.

    Examples
    --------
    >>> from riparian import CorrHTree
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = CorrHTree().fit(X, y)
    >>> model.n_seen_
    20000
    """

    def __init__(
        self,
        *,
        delta: float = 0.05,
        grace_period: float = 100,
        tau: float = 0.0,
        leaf: str | Sequence[str] = "majority",
        costs: Any = None,
        **shared: Unpack[Shared],
    ) -> None:
        super().__init__(
            statistics="gaussian",
            cuts="bins",
            categorical_cuts="one-against-rest",
            impurity="accuracy",
            bound="hoeffding",
            epsilons=2,
            delta=delta,
            grace_period=grace_period,
            tau=tau,
            leaf=leaf,
            costs=costs,
            **shared,
        )
