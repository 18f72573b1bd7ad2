"""CertifiedTree: every split is certified by betting."""

from __future__ import annotations

from riparian.models.hoeffding import HoeffdingTree

__all__ = ["CertifiedTree"]


class CertifiedTree(
    HoeffdingTree,
    fixes={
        "epsilons": 1,
        "runner_up": "feature",
        "missing_second": "zero",
    },
    defaults={
        "impurity": "gini",
        "delta": 0.05,
        "tau": 0.05,
        "grace_period": 50,
        "leaf": "adaptive",
    },
    allows={"bound": {"betting": {}}},
):
    """A tree whose splits hold at every moment: each was certified by betting on single rows.

    Notes
    -----
    It follows no paper. At a leaf, the statistics nominate a cut for each feature. The best one
    leads, and bets on every row that it predicts the class better than each rival, of which "do
    not split" is one. The leaf splits when all rivals have lost enough. The evidence is an
    e-process [1]_ [2]_, so the leaf may be checked at any time, and `delta` covers all checks:
    with ``Betting(budget="path")`` a new example passes no split that is not what its certificate
    says, with probability at least 1 - `delta`. A certificate says "better" than every other
    nominated cut, or "within" `tau` of the best; in both cases the cut is better than not
    splitting. ``docs/certainty.md`` has the proofs and the measurements. Testing the splits of
    trees by anytime-valid inference was proposed in [3]_, of which the abstract was read.

    *Differs from the paper*: there is none.

    References
    ----------
    .. [1] J. Ville. Etude critique de la notion de collectif. Gauthier-Villars, 1939.
    .. [2] I. Waudby-Smith, A. Ramdas. Estimating means of bounded random variables by betting.
       Journal of the Royal Statistical Society B 86(1), 2024, pp. 1-27.
    .. [3] S. I. Amoukou, S. Mishra, M. Veloso. ICML 2026, arXiv 2605.31239.

    Examples
    --------
    >>> from riparian import CertifiedTree
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = CertifiedTree().fit(X, y)
    >>> {split.reason for split in model.splits()} <= {"better", "within"}
    True
    """
