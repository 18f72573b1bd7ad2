"""CVFDT, the concept-adapting very fast decision tree."""

from __future__ import annotations

from riparian.models.hoeffding import HoeffdingTree

__all__ = ["CVFDT"]


class CVFDT(
    HoeffdingTree,
    paper="hulten2001",
    group="trees that follow change",
    defaults={"grace_period": 300, "delta": 1e-4},
    takes=("impurity", "bound"),
    allows={"adaptation": {"window": {}}},
):
    """Concept-adapting VFDT: the tree that VFDT would learn from the last examples.

    Every node keeps statistics of the examples in a window. If a check finds that another feature
    has become better than the one a node tests, an alternate with that feature grows next to the
    node, and replaces it once its error is smaller.

    Notes
    -----
    Counts are exact: a node holds what a recount over the window gives. For this purpose weights
    count in steps of 2**-20, and at least one step. The weights of a full window must sum to less
    than 2**33, so a heavier example than 2**33 / `size` is refused with a ValueError before the
    first row of its batch is learned: 171,798 for a window of 50,000. The longest possible window
    counts: `max_size` of a dynamic window, and 2**24 with a hook, where weights must be below 512.
    Means and spreads are updated downwards when an example leaves; minima and maxima stay. All
    statistics are counted again from the window whenever four times as many examples were
    forgotten as it holds, or what is left of a class is less than 2**-20 of the example that left
    it. The record of an "adaptive" leaf fades in proportion as examples leave it.

    *Differs from the paper*: numeric features are supported, with a Gaussian for each class, and
    cuts of the same feature do not compete with the one at a node. A new leaf predicts with the
    class weights that the split estimated until the examples of that estimate have left the
    window. Examples of a test are learned as well, so that forgetting stays symmetric; an
    alternate is compared from the first test that begins after it. An alternate that is level with
    its node in two tests is given up, and so are all alternates of a node that made no error.
    Nodes of an alternate may have alternates too, except for its root and below alternates of
    alternates. The archive is not in the paper, and off by default.

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
