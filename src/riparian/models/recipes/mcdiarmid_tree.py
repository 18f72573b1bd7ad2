"""The McDiarmid tree."""

from __future__ import annotations

from riparian.models.hoeffding import HoeffdingTree

__all__ = ["McDiarmidTree"]


class McDiarmidTree(
    HoeffdingTree,
    paper="rutkowski2013",
    fixes={"bound": "mcdiarmid"},
    defaults={"impurity": "entropy", "leaf": "majority"},
):
    """McDiarmid tree: a bound from bounded differences in place of Hoeffding's.

    Notes
    -----
    *Differs from the paper*: numeric features have Gaussian statistics. The constant for entropy
    has ``log2(e n)``, which is missing in a later print. The bound covers the distance of a gain
    from its own mean, not from the true gain, and it is so wide that these trees hardly ever split.

    References
    ----------
    .. [1] L. Rutkowski, L. Pietruczuk, P. Duda, M. Jaworski. Decision trees for mining data
       streams based on the McDiarmid's bound. IEEE TKDE 25(6), 2013.

    Examples
    --------
    >>> from riparian import McDiarmidTree
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = McDiarmidTree().fit(X, y)
    >>> model.n_seen_
    20000
    """
