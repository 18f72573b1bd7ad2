"""HAT, the Hoeffding adaptive tree."""

from __future__ import annotations

from typing import Unpack

from riparian.recipes.recipe import Composed, recipe
from riparian.tree import HoeffdingTree

__all__ = ["HAT"]


@recipe
class HAT(HoeffdingTree):
    """Hoeffding adaptive tree: where errors rise, another subtree grows and may take over.

    Parameters
    ----------
    drift_delta : float, default=0.002
        Confidence of the detectors (ADWIN) at the nodes.
    switch_delta : float, default=0.05
        Confidence that an alternate subtree errs less before it takes over, or more before
        it is given up.
    switch_after : float, default=300
        Answers that both windows must hold before the two are compared.
    bootstrap : bool, default=False
        Whether leaves learn each row as often as a Poisson variable of mean 1 says, and once
        at least. MOA's do; the bound then counts more examples than there were.
    random_state : int or None, default=None
        Its seed; None is 0.

    Notes
    -----
    An alternate is isolated: it learns the rows that reach its node, answers nothing, and
    changes nothing until it has won. Alternates have detectors and alternates of their own.

    *Differs from the paper*: a node keeps its detector when it splits. When the errors of a
    node rise again, an alternate that errs less than the node is kept, another one is started
    anew; on the streams of ``docs/adaptation.md`` that is worth 0.3 points in mean. An alternate
    begins as a single leaf which answers like its node until it has learned an example.

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

    def __init__(
        self,
        *,
        drift_delta: float = 0.002,
        switch_delta: float = 0.05,
        switch_after: float = 300,
        bootstrap: bool = False,
        random_state: int | None = None,
        **shared: Unpack[Composed],
    ) -> None:
        super().__init__(
            adaptation="alternates",
            drift_delta=drift_delta,
            switch_delta=switch_delta,
            switch_after=switch_after,
            bootstrap=bootstrap,
            random_state=random_state,
            **shared,
        )
