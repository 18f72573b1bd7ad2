"""The tree of binary tests that restructures itself, for numbers and categories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from riparian.compat import announce_to_river
from riparian.errors import one_of
from riparian.policies.parameter import truth
from riparian.restructuring.model import Remembering, example_limit
from riparian.settings import check_categorical_features

if TYPE_CHECKING:
    from riparian.export.plain import Allowed, PlainTree

__all__ = ["ITI"]


class ITI(Remembering):
    """Incremental tree induction: at every moment the tree of the batch learner.

    Tests have two branches: a number is at most a threshold, or a category is the one asked
    for. Numeric values are kept sorted at every node, and each midpoint between two of them may
    be the threshold. An example is added along its path, which becomes stale; then every stale
    node whose test is no longer the best is restructured: a threshold that moves takes the
    examples in between along, any other test is brought up by cutting the subtrees and joining
    them again.

    Parameters
    ----------
    metric : {"gain-ratio", "entropy"}, default="gain-ratio"
        What the best test maximises: the gain over the bits that tell its branch, or the gain.
    mode : {"incremental", "batch"}, default="incremental"
        Restructure the tree, or rebuild it from all examples when it is needed.
    lazy : bool, default=False
        Restructure only when the tree is needed, not after every example. The predictions are
        the same, and so is the tree when it is read.
    max_examples : int or None, default=None
        Keep so many examples; the oldest are forgotten by exact removal, and the tree is that
        of the others. The papers know no such bound.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Which features are categorical: strings and category columns, or the given
        names, indexes or mask (as in scikit-learn), or none.

    Attributes
    ----------
    n_examples_ : int
        Examples held.
    n_count_additions_ : int
        Additions of an example to a feature of a node so far, also when subtrees are joined.
    n_e_scores_ : int
        How often a feature was scored at a node, all its tests together.
    n_restructurings_ : int
        How often a node got another test.

    Notes
    -----
    While learning, a missing value fails every test. In prediction both branches predict, each
    with the share of the examples that took it.

    Weights count as so many examples, in steps of 2^-20. The store takes 8 bytes a number, 4 a
    category and 12 an example; nodes take about 16 bytes for each number of each of their
    examples.

    Differs from the paper: tests are ``<=``, not ``<``; equal merits, up to rounding, go to the
    first feature and the lowest threshold, or the category seen first. Pruning is not done.

    References
    ----------
    .. [1] P. E. Utgoff, N. C. Berkman, J. A. Clouse. Decision tree induction based on efficient
       tree restructuring. Machine Learning 29, 1997, pp. 5-44.

    Examples
    --------
    >>> from riparian import ITI
    >>> tree = ITI().fit([[1.0], [2.0], [4.0]], ["low", "low", "high"])
    >>> tree.learn_one({0: 2.5}, "high")
    >>> print(tree.export_text())
    4 examples, 3 nodes, 2 leaves, depth 1
    ├─ x0 <= 2.25: low (100%, n=2: low 2)
    └─ x0 > 2.25: high (100%, n=2: high 2)
    """

    def __init__(
        self,
        *,
        metric: str = "gain-ratio",
        mode: str = "incremental",
        lazy: bool = False,
        max_examples: int | None = None,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.metric = metric
        self.mode = mode
        self.lazy = lazy
        self.max_examples = max_examples
        self.categorical_features = categorical_features
        announce_to_river(type(self))

    def _plain(self, allowed: Allowed, asked: str) -> PlainTree:
        from riparian.export.plain import refuse_inexpressible

        self._fitted()
        refuse_inexpressible(allowed, asked, both_ways=True)
        return super()._plain(allowed, asked)

    def _settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        check_categorical_features(axes["categorical_features"])
        batch = one_of("mode", axes["mode"], ["incremental", "batch"]) == "batch"
        return {
            "tests": "binary",
            "rebuild": batch,
            "lazy": truth("lazy", axes["lazy"]) or batch,
            "metric": one_of("metric", axes["metric"], ["gain-ratio", "entropy"]),
            "max_examples": example_limit(axes["max_examples"]),
        }
