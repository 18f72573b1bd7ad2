"""NIP: numerical interval pruning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Unpack

from riparian.recipes.recipe import Shared, recipe
from riparian.tree import HoeffdingTree

__all__ = ["NIP"]


@recipe
class NIP(HoeffdingTree):
    """NIP: interval counts, exact only where a cut may still be the best.

    Parameters
    ----------
    test : {"normal", "hoeffding"}, default="normal"
        NIP-N, the normal test by the delta method, or NIP-H.
    impurity : {"entropy", "gini"}, default="entropy"
        Whose reduction is the gain.
    n_intervals : int, default=100
        Intervals a numeric feature.
    pairing : {"independent", "conservative", "paired"}, default="independent"
        How the normal test takes the two best gains together.
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
    *Differs from the paper*: its number of intervals, its sampling and its rule for pruning
    again are not known to us. Here the first 1,000 examples of a leaf are kept exactly, then
    intervals of one width; at most 10,000 exact points a feature; an interval that was
    pruned wrongly has only its boundaries from then on. The normal test asks for 100
    examples and at least 5 in every cell that is used; cells below half an example count as
    empty. The variance of the gap takes the two gains as independent, which is believed to
    be what the paper does.


    References
    ----------
    .. [1] R. Jin, G. Agrawal. Efficient decision tree construction on streaming data.
       KDD 2003, pp. 571-576.

    Examples
    --------
    >>> from riparian import NIP
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = NIP().fit(X, y)
    >>> model.n_seen_
    20000
    """

    _renamed: ClassVar[dict[str, tuple[str, dict[str, Any]]]] = {
        "bound": ("test", {"normal": "delta-method", "hoeffding": "hoeffding"}),
    }

    def __init__(
        self,
        *,
        test: str = "normal",
        impurity: str = "entropy",
        n_intervals: int = 100,
        pairing: str = "independent",
        delta: float = 1e-7,
        grace_period: float = 200,
        tau: float = 0.05,
        leaf: str | Sequence[str] = "majority",
        costs: Any = None,
        **shared: Unpack[Shared],
    ) -> None:
        super().__init__(
            statistics="intervals",
            cuts="bins",
            impurity=impurity,
            n_intervals=n_intervals,
            pairing=pairing,
            delta=delta,
            grace_period=grace_period,
            tau=tau,
            leaf=leaf,
            costs=costs,
            **shared,
        )
        self.test = test
