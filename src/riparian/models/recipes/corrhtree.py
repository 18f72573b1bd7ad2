"""CorrH-Tree: accuracy and two epsilons."""

from __future__ import annotations

from riparian.models.hoeffding import HoeffdingTree

__all__ = ["CorrHTree"]


class CorrHTree(
    HoeffdingTree,
    paper="derosa2015",
    fixes={"categorical_cuts": "one-against-rest", "impurity": "accuracy", "epsilons": 2},
    defaults={"delta": 0.05, "grace_period": 100, "tau": 0.0, "leaf": "majority"},
):
    """CorrH-Tree, the baseline of C-Tree's paper: accuracy gain on the training examples.

    Notes
    -----
    *Differs from the paper*: its text names another source, but both the text and its released
    code describe the proposal of Matuszyk et al.: accuracy with the bound doubled. That code
    permutes the class counts of new leaves, which is not copied. The class of a child comes from
    the same counts that are evaluated, so the premise of Hoeffding's inequality holds only
    approximately.

    References
    ----------
    .. [1] R. De Rosa, N. Cesa-Bianchi. Splitting with confidence in decision trees with
       application to stream mining. IJCNN 2015.
    .. [2] P. Matuszyk, G. Krempl, M. Spiliopoulou. Correcting the usage of the Hoeffding
       inequality in stream mining. IDA 2013.

    Examples
    --------
    >>> from riparian import CorrHTree
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = CorrHTree().fit(X, y)
    >>> model.n_seen_
    20000
    """
