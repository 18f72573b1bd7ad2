"""UCVFDT, CVFDT for values that are known as distributions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Unpack

from riparian.recipes.recipe import Composed, recipe
from riparian.tree import HoeffdingTree

__all__ = ["UCVFDT"]


@recipe
class UCVFDT(HoeffdingTree):
    """CVFDT for uncertain values: examples go down every branch that they may take.

    The tree of :class:`riparian.CVFDT`, named for streams of :class:`riparian.Uncertain`
    values. An example goes into every branch with the probability of that branch; every node
    learns it in that fraction and forgets the same fraction when it leaves the window.

    Parameters
    ----------
    window : int, default=50_000
        Examples that are remembered; older ones are forgotten. Under `max_bytes` as many as a
        quarter of it holds.
    validity_period : int, default=10_000
        Examples from one check of all splits to the next.
    alt_test_period : float, default=10_000
        Weight of the examples that reach a node before the subtrees beside it are tested.
    alt_test_size : float, default=1_000
        Weight of the examples of such a test.
    alt_prune_margin : float, default=0.01
        A subtree beside a node is given up once its error, less that of the node, exceeds
        the smallest such difference so far by more than this.
    archive_size : int, default=0
        Replaced subtrees that are kept, the oldest given up first. When a check finds their
        place doubtful again, they are tried there beside the fresh subtree, at once.
    dynamic_window : bool, default=False
        Halve the window, down to `validity_period`, when a check starts subtrees beside more
        than a quarter of the inner nodes; else lengthen it by a hundredth, up to `max_window`.
    max_window : int or None, default=None
        Longest window of `dynamic_window`; None for `window`.
    window_hook : callable or None, default=None
        Called after each check of all splits with a dict: "inner" nodes, "questionable" ones
        (with subtrees beside them) and those "started" by this check, subtrees "replaced"
        and "rows" learned so far, and the "window". Gives the new length, or None.
    grace_period : float, default=300
        Weight of examples between two checks of a leaf.
    delta : float, default=1e-4
        Accepted probability of a wrong decision in one check.
    tau : float, default=0.05
        Tie threshold: split anyway once the bound is below it. A subtree beside a node is
        started by a tie only with a gap of half of it.

    Notes
    -----
    Every tree takes uncertain values; this one follows a stream of them as it changes. With
    values of one point each it is CVFDT, byte for byte. Fractions count in steps of 2**-20, so
    that forgetting leaves nothing behind. A subtree beside a node is tested on the parts of
    examples that come to the node, by their weight; each side answers a part with the sum of
    its leaves.

    *Differs from the paper*: of intervals and normal distributions every node learns ten
    quantiles, into a Gaussian for each class, as the paper does not say how it stores numbers.
    Parts below a millionth of an example go nowhere. For the rest as CVFDT.

    References
    ----------
    .. [1] C. Liang, Y. Zhang, Q. Song. Decision tree for dynamic and uncertain data streams.
       ACML 2010, JMLR W&CP 13, pp. 209-224.

    Examples
    --------
    >>> from riparian import UCVFDT, Uncertain
    >>> model = UCVFDT(window=1_000)
    >>> for i in range(100):
    ...     level = Uncertain.interval(i % 10, i % 10 + 2)
    ...     _ = model.learn_one({"level": level}, "high" if i % 10 > 4 else "low")
    >>> model.predict_one({"level": Uncertain.normal(8.0, 0.5)})
    'high'
    """

    def __init__(  # type: ignore[misc]  # defaults of its own
        self,
        *,
        window: int = 50_000,
        validity_period: int = 10_000,
        alt_test_period: float = 10_000,
        alt_test_size: float = 1_000,
        alt_prune_margin: float = 0.01,
        archive_size: int = 0,
        dynamic_window: bool = False,
        max_window: int | None = None,
        window_hook: Callable[[dict[str, int]], int | None] | None = None,
        grace_period: float = 300,
        delta: float = 1e-4,
        tau: float = 0.05,
        **shared: Unpack[Composed],
    ) -> None:
        super().__init__(
            adaptation="window",
            window=window,
            validity_period=validity_period,
            alt_test_period=alt_test_period,
            alt_test_size=alt_test_size,
            alt_prune_margin=alt_prune_margin,
            archive_size=archive_size,
            dynamic_window=dynamic_window,
            max_window=max_window,
            window_hook=window_hook,
            grace_period=grace_period,
            delta=delta,
            tau=tau,
            **shared,
        )
