"""correctedVFDT: a gain that Hoeffding's bound covers."""

from __future__ import annotations

from riparian.models.hoeffding import HoeffdingTree
from riparian.policies import make_policy

__all__ = ["CorrectedVFDT"]


class CorrectedVFDT(
    HoeffdingTree,
    paper="matuszyk2013",
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
    """correctedVFDT: the gain is a mean over single examples, and must exceed two epsilons.

    Notes
    -----
    *Differs from the paper*: the paper leaves open when the class of a child is fixed. Here each
    example is predicted by the majority of its child before it is counted; this comes closest to
    the errors that the paper counts. A tie goes to the class that comes first in `classes_`. With
    `partial_fit` that is the class seen first. With `fit`, which sorts the labels as scikit-learn
    does, it is the smallest label. So `fit` and `partial_fit` may split at different examples,
    unless `partial_fit` is given the sorted `classes`. The paper has no
    numeric features: here the first `holdout_examples` examples of a leaf fix their cut, and hits
    count from then on. The argument of the paper covers two features and one check; for more,
    divide `delta` or set `spend_delta`.

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
