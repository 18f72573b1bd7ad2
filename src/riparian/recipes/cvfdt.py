"""CVFDT, the concept-adapting very fast decision tree."""

from __future__ import annotations

from riparian.tree import HoeffdingTree

__all__ = ["CVFDT"]


class CVFDT(
    HoeffdingTree,
    defaults={"grace_period": 300, "delta": 1e-4},
    takes=("impurity", "bound"),
    allows={"adaptation": {"window": {}}},
):
    """Concept-adapting VFDT: the tree that VFDT would learn from the last examples.

    Every node holds statistics of the examples in a window. Where a check finds that another
    feature than that of a node's test has become the better one, a subtree on it grows
    next to the node, and takes its place once it errs less.

    Notes
    -----
    Counts are exact: what a node holds is what a recount over the window gives. For that
    weights count in steps of 2**-20, and as one step at least. The weights of a full window must
    sum to less than 2**33, so a heavier example than 2**33 / `size` is refused, with a
    ValueError, before the first row of its batch is learned: 171,798 for a window of 50,000. The
    longest window counts: `max_size` of a dynamic window, and 2**24 with a hook,
    where weights are below 512. Means and spreads are downdated, minima and maxima of
    numbers stay until all statistics are counted again from the window, each time that four
    times as many examples were forgotten as it holds, or what is left of a class is less than
    2**-20 of the example that left it. What an "adaptive" leaf knows of who was right fades in
    proportion as examples leave it.

    *Differs from the paper*: numeric features are supported, with a Gaussian for each class, and
    cuts of the same feature do not compete with the one at a node. A new leaf predicts with
    the class weights that the split estimated until the examples of that estimate have left
    the window. Examples of a test are learned as well, so that forgetting stays symmetric; an
    alternate is compared from the first test on that begins after it. An alternate that is
    level with its node in two tests is given up, and so are all next to a node that made no
    error. Subtrees grow next to nodes of such subtrees too, but not next to theirs, nor next to
    the root of one, since they could as well grow next to the node that it stands next to. The
    archive is not in the paper, and off by default.

    References
    ----------
    .. [1] G. Hulten, L. Spencer, P. Domingos. Mining time-changing data streams. KDD 2001,
       pp. 97-106.

    Examples
    --------
    >>> from riparian import CVFDT
    >>> from riparian.adaptation import Window
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(40_000)
    >>> model = CVFDT(adaptation=Window(size=10_000, validity_period=1_000)).partial_fit(X, y)
    >>> model.n_seen_
    40000
    """
