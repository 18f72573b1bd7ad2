"""C-Tree: splits with confidence."""

from __future__ import annotations

from riparian.models.hoeffding import HoeffdingTree

__all__ = ["CTree"]


class CTree(
    HoeffdingTree,
    paper="derosa2015",
    fixes={"categorical_cuts": "one-against-rest"},
    defaults={
        "impurity": "gini",
        "delta": 0.05,
        "grace_period": 100,
        "tau": 0.0,
        "leaf": "majority",
    },
    takes=("statistics",),
    allows={
        "bound": {
            "confidence-practical": {
                "epsilons": 1,
                "inherit_counts": "count",
                "runner_up": "feature",
                "min_branch_fraction": 0.01,
            },
            "confidence": {
                "epsilons": 2,
                "inherit_counts": "predict",
                "runner_up": "cut",
                "min_branch_fraction": 0.0,
            },
        },
    },
):
    """C-Tree: confidence intervals of the impurities that hold for all cuts, times and depths.

    Notes
    -----
    *Differs from the paper*: its theorems hold for two classes and tests with two branches. For
    more classes the same formulas are used without proof. Algorithm 1 prints an argmax of the
    plug-in impurity where its own test needs the argmin, which is used. Equation 8 follows the
    released code: the root has depth 1, the class counts as a feature, `m` includes the weight
    inherited from the parent's split, and the gap must exceed one epsilon. Derived from equation 7
    the exponents of `m` and `t` would be exchanged (``ConfidencePractical(form="derived")``).
    ``ConfidencePractical(form="literal")`` counts the features only, as the paper defines `d`.
    Equation 7 needs two epsilons, compares a cut with every other cut, of its own feature too, and
    counts only examples that the leaf has seen. Its theorem is about gains of counted examples. By
    default gains of numeric features are estimated from Gaussians and ten thresholds, which the
    theorem does not cover, and `guarantee` says so; ``statistics="exhaustive"`` counts every
    value, with memory that grows with the examples. Remark 1 of the paper, delta = 1/t, is
    ``Confidence(one_over_t=True)``. Entropy gains are in bits; the half-nats of the theorem are
    converted. Ties are off by default, as in the experiments.

    References
    ----------
    .. [1] R. De Rosa, N. Cesa-Bianchi. Splitting with confidence in decision trees with
       application to stream mining. IJCNN 2015.

    Examples
    --------
    >>> from riparian import CTree
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = CTree().fit(X, y)
    >>> model.n_seen_
    20000
    """
