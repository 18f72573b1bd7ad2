"""The Hoeffding option tree."""

from __future__ import annotations

from riparian.models.hoeffding import HoeffdingTree

__all__ = ["HoeffdingOptionTree"]


class HoeffdingOptionTree(
    HoeffdingTree,
    paper="pfahringer2007",
    takes=("impurity", "bound"),
    allows={"adaptation": {"options": {}}},
):
    """Hoeffding option tree: a node may have several tests, and all their leaves predict.

    Notes
    -----
    A leaf keeps its statistics when it is split, as long as `max_paths` and `max_leaves` allow a
    further test there. Once the best cut of a feature without a test at this node leads all tests
    of the node by the bound, at the `delta` of "options", a further subtree begins with it. An
    example takes every test of every node that it reaches, and the prediction is the mean of the
    class probabilities of its leaves. Nodes, leaves and certificates are those of all options;
    explanations follow the first test of each node.

    The gain of an existing test is computed from the class weights of its branches: those
    estimated when the test was made, and those counted since.

    *Differs from the paper*: a node goes on counting all features, also those that it tests.
    ``Options(replace_by="betting")`` is not in the paper.

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
