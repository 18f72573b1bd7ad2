"""UCVFDT, CVFDT for values that are known as distributions."""

from __future__ import annotations

from riparian.recipes.cvfdt import CVFDT

__all__ = ["UCVFDT"]


class UCVFDT(CVFDT):
    """CVFDT for uncertain values: examples go down every branch that they may take.

    The tree of :class:`riparian.CVFDT`, named for streams of :class:`riparian.Uncertain`
    values. An example goes into every branch with the probability of that branch; every node
    learns it in that fraction and forgets the same fraction when it leaves the window.

    Notes
    -----
    Every tree accepts uncertain values; this one follows a stream of them as it changes. With
    values of one point each it is CVFDT, byte for byte. Fractions count in steps of 2**-20, so
    that forgetting leaves nothing behind; the largest weight is that of CVFDT. A subtree
    next to a node is tested on the parts of examples that come to the node, by their weight;
    each side predicts a part with the sum of its leaves.

    *Differs from the paper*: of intervals and normal distributions every node learns ten
    quantiles, into a Gaussian for each class, as the paper does not describe how it stores numbers.
    Parts below a millionth of an example go nowhere. For the rest as CVFDT.

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
