"""CVFDT, the concept-adapting very fast decision tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Unpack

from riparian.recipes.recipe import Composed, recipe
from riparian.tree import HoeffdingTree

__all__ = ["CVFDT"]


@recipe
class CVFDT(HoeffdingTree):
    """Concept-adapting VFDT: the tree that VFDT would learn from the last examples.

    Every node holds statistics of the examples in a window. Where a check finds that another
    attribute than that of a node's test has become the better one, a subtree on it grows
    beside the node, and takes its place once it errs less.

    Parameters
    ----------
    window : int, default=50_000
        Examples that are remembered; older ones are forgotten. Under `max_bytes` as many as a
        quarter of it holds. A weight is at most 2**33 divided by the longest window.
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
        and "rows" learned so far, and the "window". Gives the new length, up to 2**24, or None.
    grace_period : float, default=300
        Weight of examples between two checks of a leaf.
    delta : float, default=1e-4
        Accepted probability of a wrong decision in one check.
    tau : float, default=0.05
        Tie threshold: split anyway once the bound is below it. A subtree beside a node is
        started by a tie only with a gap of half of it.

    Notes
    -----
    Counts are exact: what a node holds is what a recount over the window gives. For that
    weights count in steps of 2**-20, and as one step at least. The weights of a full window must
    sum to less than 2**33, so a heavier example than 2**33 / `window` is refused, with a
    ValueError, before the first row of its batch is learned: 171,798 for a window of 50,000. The
    longest window counts: `max_window` with `dynamic_window`, and 2**24 with a `window_hook`,
    where weights are below 512. Means and spreads are downdated, minima and maxima of
    numbers stay until all statistics are counted again from the window, each time that four
    times as many examples were forgotten as it holds, or what is left of a class is less than
    2**-20 of the example that left it. What an "adaptive" leaf knows of who was right fades in
    proportion as examples leave it.

    *Differs from the paper*: numeric attributes are taken, with a Gaussian for each class, and
    cuts of the same attribute do not compete with the one at a node. A new leaf answers with
    the class weights that the split estimated until the examples of that estimate have left
    the window. Examples of a test are learned as well, so that forgetting stays symmetric; an
    alternate is compared from the first test on that begins after it. An alternate that is
    level with its node in two tests is given up, and so are all beside a node that made no
    error. Subtrees grow beside nodes of such subtrees too, but not beside theirs, nor beside
    the root of one, since they could as well grow beside the node that it stands beside. The
    archive is not in the paper, and off by default.

    References
    ----------
    .. [1] G. Hulten, L. Spencer, P. Domingos. Mining time-changing data streams. KDD 2001,
       pp. 97-106.

    Examples
    --------
    >>> from riparian import CVFDT
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(40_000)
    >>> model = CVFDT(window=10_000, validity_period=1_000).partial_fit(X, y)
    >>> model.n_seen_
    40000
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
