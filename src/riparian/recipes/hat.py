"""HAT, the Hoeffding adaptive tree."""

from __future__ import annotations

from riparian.tree import HoeffdingTree

__all__ = ["HAT"]


class HAT(
    HoeffdingTree,
    takes=("impurity", "bound", "random_state"),
    allows={"adaptation": {"alternates": {}}},
):
    """Hoeffding adaptive tree: where errors rise, another subtree grows and may take over.

    Notes
    -----
    An alternate is isolated: it learns the rows that reach its node, predicts nothing, and
    changes nothing until it has won. Alternates have detectors and alternates of their own.

    *Differs from the paper*: a node keeps its detector when it splits. When the errors of a
    node rise again, an alternate that errs less than the node is kept, another one is started
    again; on the streams of ``docs/adaptation.md`` that is worth 0.3 points in mean. An alternate
    begins as a single leaf which predicts like its node until it has learned an example.

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
