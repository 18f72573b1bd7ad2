"""HAT, the Hoeffding adaptive tree."""

from __future__ import annotations

from riparian.models.hoeffding import HoeffdingTree

__all__ = ["HAT"]


class HAT(
    HoeffdingTree,
    paper="bifet2009",
    group="trees that follow change",
    takes=("impurity", "bound", "random_state"),
    allows={"adaptation": {"alternates": {}}},
):
    """Hoeffding adaptive tree: where errors rise, an alternate grows and may replace the node.

    Notes
    -----
    An alternate is isolated: it learns the rows that reach its node, but does not predict and
    changes nothing until it replaces the node. Alternates have detectors and alternates of their
    own.

    *Differs from the paper*: a node keeps its detector when it splits. When the error of a node
    rises again, an alternate with a smaller error than the node is kept, and any other starts over;
    on the streams of ``docs/adaptation.md`` this gains 0.3 points on average. An alternate begins
    as a single leaf, which predicts like its node until it has learned an example.

    References
    ----------
    .. [1] A. Bifet, R. Gavalda. Adaptive learning from evolving data streams. IDA 2009,
       pp. 249-260.

    Examples
    --------
    >>> from riparian import HAT
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = HAT().fit(X, y).partial_fit(X, 1 - y)
    >>> model.changes()[0].kind
    'replaced'
    """
