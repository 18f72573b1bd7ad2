"""The batch learner, and the one that rebuilds its tree after every example."""

from __future__ import annotations

from typing import ClassVar

from riparian import _core
from riparian.models.restructuring.model import EveryValue, Remembering

__all__ = ["ID3", "ID3Prime"]


class ID3(Remembering, EveryValue[_core.Restructuring], paper="quinlan1986"):
    """The batch tree of all examples, with which the incremental trees are compared.

    A node is a leaf if its examples are of one class or no feature is left. Every other node tests
    the feature of the lowest expected entropy, with one branch per value. There is no pruning and
    no smallest gain. Learning only collects examples; the tree is built when it is needed.

    Parameters
    ----------
    max_examples : int or None, default=None
        Keep only this many of the last examples; the tree is that of the examples kept.
    max_categories : int, default=1000
        Largest number of categories of a feature. Later ones share one category, "other".
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
        Number of additions to the count of a value and a class.
    n_e_scores_ : int
        How often a feature was scored at a node.
    n_restructurings_ : int
        Always 0: nothing is restructured.

    Notes
    -----
    All features are categorical: every number is a category. Use :class:`ITI` for measured
    numbers. A missing value is a category of its own. At a value that a node has not seen, the
    node's own examples predict.

    A weight counts as that many examples, in steps of 2^-20. The store takes 4 bytes per value and
    12 per example.

    *Differs from the paper*: of features with equal scores, up to rounding, the first is used.

    References
    ----------
    .. [1] J. R. Quinlan. Induction of decision trees. Machine Learning 1, 1986, pp. 81-106.

    Examples
    --------
    >>> from riparian import ID3
    >>> X = [["sun", "calm"], ["sun", "wind"], ["rain", "calm"], ["rain", "wind"]]
    >>> print(ID3().fit(X, ["out", "in", "in", "in"]).export_text())
    4 examples, 5 nodes, 3 leaves, depth 2
    ├─ x0 = sun
    │  ├─ x1 = calm: out (100%, n=1: out 1)
    │  └─ x1 = wind: in (100%, n=1: in 1)
    └─ x0 = rain: in (100%, n=2: in 2)
    """

    def __init__(
        self,
        *,
        max_examples: int | None = None,
        max_categories: int = 1000,
        max_features: int = 10_000,
        max_classes: int = 1000,
    ) -> None:
        self.max_examples = max_examples
        self.max_categories = max_categories
        self.max_features = max_features
        self.max_classes = max_classes

    _rule: ClassVar = {"tests": "multiway", "rebuild": True, "lazy": True, "metric": "entropy"}


class ID3Prime(ID3, paper="schlimmer1986"):
    """ID3', which rebuilds the tree of :class:`ID3` after every example.

    It learns the same tree as :class:`ID5R`, at a cost that grows with all examples seen.

    Parameters
    ----------
    max_examples : int or None, default=None
        Keep only this many of the last examples; the tree is that of the examples kept.
    max_categories : int, default=1000
        Largest number of categories of a feature. Later ones share one category, "other".
    max_features : int, default=10000
        Largest number of features. The features of the first row are always kept. Features that
        come later than the limit allows are ignored, with a warning.
    max_classes : int, default=1000
        Largest number of classes. A batch with more is refused.

    Notes
    -----
    Features, missing values and weights are treated as in :class:`ID3`.

    *Differs from the paper*: nothing.

    References
    ----------
    .. [1] J. C. Schlimmer, D. Fisher. A case study of incremental concept induction. AAAI 1986,
       pp. 496-501.
    """

    _rule: ClassVar = {**ID3._rule, "lazy": False}
