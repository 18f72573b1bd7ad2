"""correctedVFDT: a gain that Hoeffding's bound covers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from riparian.recipes.recipe import Shared, recipe
from riparian.tree import HoeffdingTree

__all__ = ["CorrectedVFDT"]


@recipe
class CorrectedVFDT(HoeffdingTree):
    """correctedVFDT: quality gain, a mean of single examples, and two epsilons.

    Parameters
    ----------
    impurity : {"accuracy", "loss"}, default="accuracy"
        Quality of an answer: right or wrong, or 1 minus its cost.
    evaluator : {"prequential", "holdout", "resubstitution"}, default="prequential"
        Who judges it; "holdout" alone meets the premise that the classifier stays constant.
    holdout_examples : float, default=30
        First examples of a leaf, which fix numeric cuts and held-out labels.
    costs : array-like, dict or None, default=None
        Cost of each (predicted, true) pair; answers are the cheapest, and
        ``impurity="loss"`` counts them.
    epsilons : {1, 2}, default=2
        2 as the paper corrects it; 1 as VFDT has it.
    delta : float, default=0.05
        Accepted probability of a wrong decision in one check.
    spend_delta : bool, default=False
        Share `delta` among all checks of a leaf, which the paper does not.
    grace_period : float, default=1
        Weight of examples between two checks of a leaf.
    tau : float, default=0.0
        Tie threshold: split anyway once the bound is below it.
    leaf : str or sequence of str, default="majority"
        What a leaf answers.

    Notes
    -----
    *Differs from the paper*: it leaves open when the label of a child is fixed; here each
    example is answered by the majority of its child before it is counted (ties: the class
    seen first), the reading that comes closest to its error counts. It has no numeric
    features: their cut is fixed by the first `holdout_examples` examples of a leaf, and hits
    count from then on. Its argument covers two attributes and one check; for more, divide
    `delta` or set `spend_delta`.


    References
    ----------
    .. [1] P. Matuszyk, G. Krempl, M. Spiliopoulou. Correcting the usage of the Hoeffding
       inequality in stream mining. IDA 2013.

    Examples
    --------
    >>> from riparian import CorrectedVFDT
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = CorrectedVFDT().fit(X, y)
    >>> model.n_seen_
    20000
    """

    def __init__(
        self,
        *,
        impurity: str = "accuracy",
        evaluator: str = "prequential",
        holdout_examples: float = 30,
        costs: Any = None,
        epsilons: int = 2,
        delta: float = 0.05,
        spend_delta: bool = False,
        grace_period: float = 1,
        tau: float = 0.0,
        leaf: str | Sequence[str] = "majority",
        **shared: Unpack[Shared],
    ) -> None:
        super().__init__(
            statistics="gaussian",
            cuts="bins",
            categorical_cuts="multiway",
            bound="hoeffding",
            impurity=impurity,
            evaluator=evaluator,
            holdout_examples=holdout_examples,
            costs=costs,
            epsilons=epsilons,
            delta=delta,
            spend_delta=spend_delta,
            grace_period=grace_period,
            tau=tau,
            leaf=leaf,
            **shared,
        )
