"""VFDTc: every value, and naive Bayes in the leaves."""

from __future__ import annotations

from riparian.models.hoeffding import HoeffdingTree

__all__ = ["VFDTc"]


class VFDTc(
    HoeffdingTree,
    paper="gama2003",
    fixes={"statistics": "exhaustive"},
    defaults={"leaf": "adaptive"},
):
    """VFDTc: every observed value is a cut, and leaves predict with naive Bayes where it is better.

    Notes
    -----
    The memory of a leaf grows with the distinct values that it has seen.

    *Differs from the paper*: values are in sorted blocks instead of a search tree, which would
    become a list on sorted input; the cuts are the same. Naive Bayes uses Gaussians for numeric
    features, not intervals of the search tree.

    References
    ----------
    .. [1] J. Gama, R. Rocha, P. Medas. Accurate decision trees for mining high-speed data
       streams. KDD 2003, pp. 523-528.

    Examples
    --------
    >>> from riparian import VFDTc
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = VFDTc().fit(X, y)
    >>> model.n_seen_
    20000
    """
