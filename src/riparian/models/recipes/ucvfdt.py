"""UCVFDT, CVFDT for values that are known as distributions."""

from __future__ import annotations

from riparian.models.recipes.cvfdt import CVFDT

__all__ = ["UCVFDT"]


class UCVFDT(CVFDT, paper="liang2010"):
    """CVFDT for uncertain values: an example takes every branch that it may take.

    It is the tree of :class:`riparian.CVFDT`, for streams of :class:`riparian.Uncertain` values.
    An example takes each branch with its probability. A node learns that fraction of it, and
    forgets the same fraction when the example leaves the window.

    Notes
    -----
    Every tree accepts uncertain values; this one also follows change. With certain values it is
    CVFDT, byte for byte. Fractions count in steps of 2**-20, so that forgetting leaves nothing
    behind; the largest weight is that of CVFDT. An alternate is tested on the parts of examples
    that reach its node, by their weight. Each side predicts a part with the sum of its leaves.

    *Differs from the paper*: the paper does not describe how numbers are stored. Here every node
    learns ten quantiles of an interval or normal distribution, as a Gaussian for each class. Parts
    below a millionth of an example are dropped. Everything else is as in CVFDT.

    References
    ----------
    .. [1] C. Liang, Y. Zhang, Q. Song. Decision tree for dynamic and uncertain data streams.
       ACML 2010, JMLR W&CP 13, pp. 209-224.

    Examples
    --------
    >>> from riparian import UCVFDT, Uncertain
    >>> from riparian.adaptation import Window
    >>> model = UCVFDT(adaptation=Window(size=1_000))
    >>> for i in range(100):
    ...     level = Uncertain.interval(i % 10, i % 10 + 2)
    ...     _ = model.learn_one({"level": level}, "high" if i % 10 > 4 else "low")
    >>> model.predict_one({"level": Uncertain.normal(8.0, 0.5)})
    'high'
    """
