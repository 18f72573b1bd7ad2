"""correctedVFDT: a gain that Hoeffding's bound covers."""

from __future__ import annotations

from riparian.policies import make_policy
from riparian.tree import HoeffdingTree

__all__ = ["CorrectedVFDT"]


class CorrectedVFDT(
    HoeffdingTree,
    defaults={
        "epsilons": 2,
        "delta": 0.05,
        "spend_delta": False,
        "grace_period": 1,
        "tau": 0.0,
        "leaf": "majority",
    },
    allows={
        "impurity": {
            make_policy("impurity", "accuracy", evaluator="prequential"): {},
            make_policy("impurity", "loss", evaluator="prequential"): {},
        },
    },
):
    """correctedVFDT: quality gain, a mean of single examples, and two epsilons.

    Notes
    -----
    *Differs from the paper*: it leaves open when the label of a child is fixed; here each
    example is predicted by the majority of its child before it is counted (ties: the class
    seen first), the reading that comes closest to its error counts. It has no numeric
    features: their cut is fixed by the first `holdout_examples` examples of a leaf, and hits
    count from then on. Its argument covers two features and one check; for more, divide
    `delta` or set `spend_delta`.


    References
    ----------
    .. [1] P. Matuszyk, G. Krempl, M. Spiliopoulou. Correcting the usage of the Hoeffding
       inequality in stream mining. IDA 2013.

    Examples
    --------
    >>> from riparian import CorrectedVFDT
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = CorrectedVFDT().fit(X, y)
    >>> model.n_seen_
    20000
    """
