"""The Hoeffding option tree."""

from __future__ import annotations

from riparian.tree import HoeffdingTree

__all__ = ["HoeffdingOptionTree"]


class HoeffdingOptionTree(
    HoeffdingTree,
    takes=("impurity", "bound"),
    allows={"adaptation": {"options": {}}},
):
    """Hoeffding option tree: a node may have several tests, and all their leaves predict.

    Notes
    -----
    The statistics of a leaf live on when it is split, for as long as `max_paths` and `max_leaves`
    leave room for a further test there. Once the best cut of a feature that no test
    of the node uses leads all of them by the bound, at the `delta` of "options", a further subtree
    begins with it. An example goes down every test of every node that it passes; the prediction is
    the mean of the class probabilities of the leaves. Nodes, leaves and certificates are those of
    all options; :meth:`path` and explanations follow the first test of each node.

    The gain of a test that a node has is that of the classes in its branches, as they were
    estimated when it was made and counted since.

    *Differs from the paper*: all features of a node go on being counted, those of its tests too.

    References
    ----------
    .. [1] B. Pfahringer, G. Holmes, R. Kirkby. New options for Hoeffding trees. AI 2007,
       pp. 90-99.

    Examples
    --------
    >>> from riparian import HoeffdingOptionTree
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = HoeffdingOptionTree().fit(X, y).partial_fit(X[:, ::-1], y)
    >>> model.change_counts()["started"] > 0
    True
    """
