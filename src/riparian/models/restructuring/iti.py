"""The tree of binary tests that restructures itself, for numbers and categories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, get_args

from riparian.data.times import DateParts, check_parts
from riparian.errors import one_of
from riparian.models.restructuring.model import Remembering, example_limit
from riparian.models.settings import check_categorical_features
from riparian.policies.parameter import truth

if TYPE_CHECKING:
    from riparian.export.allowed import Allowed
    from riparian.export.plain import PlainTree

__all__ = ["ITI"]

Metric = Literal["gain-ratio", "entropy"]
Mode = Literal["incremental", "batch"]


class ITI(Remembering, paper="utgoff1997"):
    """Incremental tree induction: always the tree of the batch learner.

    Tests have two branches: a number is at most a threshold, or a category has a given value.
    Numeric values are kept sorted at every node, and each midpoint between two of them may be the
    threshold. When an example is added, the nodes on its path are checked, and every node whose
    test is no longer the best is restructured. If only the threshold moves, the examples in between
    change sides. Any other test is brought up by cutting and joining subtrees.

    Parameters
    ----------
    metric : {"gain-ratio", "entropy"}, default="gain-ratio"
        What the best test maximises: the gain divided by the entropy of the branches, or the
        gain.
    mode : {"incremental", "batch"}, default="incremental"
        Restructure the tree, or rebuild it from all examples when it is needed.
    lazy : bool, default=False
        Restructure only when the tree is needed, not after every example. The predictions are
        the same, and so is the tree when it is read.
    max_examples : int or None, default=None
        Keep only this many of the last examples. Older ones are removed exactly: the tree is
        that of the examples kept. The papers have no such limit.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Which features are categorical: columns of strings and categories, or those given by
        names, indexes or a mask (as in scikit-learn), or none.
    date_parts : str, list of str or None, default=None
        Parts of dates and times of day that become features too, such as ``["hour", "weekday"]``:
        the column ``when`` gives ``when.hour`` and ``when.weekday``. Dates themselves are always
        learned as seconds.
    max_categories : int, default=1000
        Largest number of categories of a feature. Later ones share one category, "other". A text
        feature that is new in almost every row is an identifier: it is left out, with a warning,
        unless `categorical_features` names it.
    max_features : int, default=10000
        Largest number of features. The features of the first row are always kept. Features that
        come later than the limit allows are ignored, with a warning.
    max_classes : int, default=1000
        Largest number of classes. A batch with more is refused.

    Attributes
    ----------
    n_examples_ : int
        Number of examples kept.
    n_count_additions_ : int
        Number of additions of an example to a feature of a node, also when subtrees are joined.
    n_e_scores_ : int
        How often a feature was scored at a node, with all its tests.
    n_restructurings_ : int
        How often a node got another test.

    Notes
    -----
    While learning, a missing value fails every test. For a prediction both branches predict, each
    weighted by its share of the examples.

    A weight counts as that many examples, in steps of 2^-20. The store takes 8 bytes per number, 4
    per category and 12 per example; nodes take about 16 bytes for each number of each of their
    examples.

    *Differs from the paper*: tests are ``<=``, not ``<``. Of equal tests, up to rounding, the first
    feature and the lowest threshold are used, or the category seen first. There is no pruning.

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
        metric: Metric = "gain-ratio",
        mode: Mode = "incremental",
        lazy: bool = False,
        max_examples: int | None = None,
        categorical_features: Any = "from_dtype",
        date_parts: DateParts = None,
        max_categories: int = 1000,
        max_features: int = 10_000,
        max_classes: int = 1000,
    ) -> None:
        self.metric = metric
        self.mode = mode
        self.lazy = lazy
        self.max_examples = max_examples
        self.categorical_features = categorical_features
        self.date_parts = date_parts
        self.max_categories = max_categories
        self.max_features = max_features
        self.max_classes = max_classes

    def _plain(self, allowed: Allowed, asked: str) -> PlainTree:
        from riparian.export.allowed import refuse_inexpressible

        self._fitted()
        refuse_inexpressible(allowed, asked, both_ways=True)
        return super()._plain(allowed, asked)

    def _settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        check_categorical_features(axes["categorical_features"])
        check_parts(axes["date_parts"])
        batch = one_of("mode", axes["mode"], get_args(Mode)) == "batch"
        return {
            "tests": "binary",
            "rebuild": batch,
            "lazy": truth("lazy", axes["lazy"]) or batch,
            "metric": one_of("metric", axes["metric"], get_args(Metric)),
            "max_examples": example_limit(axes["max_examples"]),
        }
