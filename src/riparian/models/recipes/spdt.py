"""SPDT: streaming histograms, and a split in every round."""

from __future__ import annotations

from riparian.models.hoeffding import HoeffdingTree

__all__ = ["SPDT"]


class SPDT(
    HoeffdingTree,
    paper="benhaim2010",
    defaults={
        "bound": "none",
        "grace_period": 1000,
        "impurity": "gini",
        "leaf": "majority",
        "min_branch_fraction": 0.0,
        "tau": 0.0,
    },
    allows={"statistics": {"histogram": {}}},
):
    """SPDT: a histogram of each feature and class, and a split at each check, without a bound.

    A leaf splits at its first check that finds a gain, on whatever it has seen: the reason of a
    split is ``"round"``. Limit the tree with `max_depth` or `max_leaves`, or it grows with the
    rows. With a bound, such as ``SPDT(bound="hoeffding")``, it is a Hoeffding tree with
    histograms; `guarantee` names the difference.

    Notes
    -----
    *Differs from the paper*: a round of a leaf ends after `grace_period` examples of that leaf; in
    the paper all leaves split after each batch. Of equal gaps between bins the leftmost pair is
    merged, where the paper draws one. Histograms have 64 bins by default, not 50; candidate cuts
    divide the values into as many parts. While a leaf has seen at most that many distinct values,
    all of them are candidates with exact counts. New leaves predict with the counts that the split
    estimated for them until they have seen rows. Categories are counted exactly.

    References
    ----------
    .. [1] Y. Ben-Haim, E. Tom-Tov. A streaming parallel decision tree algorithm. Journal of
       Machine Learning Research 11, 2010, pp. 849-872.

    Examples
    --------
    >>> from riparian import SPDT
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = SPDT(max_depth=4).fit(X, y)
    >>> model.splits()[0].reason
    'round'
    """
