"""The tree that pulls the best feature up, and equals the tree of the batch learner."""

from __future__ import annotations

from typing import ClassVar

from riparian import _core
from riparian.models.restructuring.model import EveryValue, Remembering

__all__ = ["ID5R"]


class ID5R(Remembering, EveryValue[_core.Restructuring], paper="utgoff1989"):
    """The tree that :class:`ID3` would build, updated after every example.

    Nodes count the values and classes of all features that they may test. When another feature
    than the tested one becomes the best, it is pulled up from below: subtrees exchange places, and
    only examples in leaves are read again. Then the subtrees that moved are revised.

    Parameters
    ----------
    max_examples : int or None, default=None
        Keep only this many of the last examples. Older ones are removed exactly: the tree is
        that of the examples kept. The papers have no such limit.
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
        Number of additions to the count of a value and a class, also when subtrees are joined.
    n_e_scores_ : int
        How often a feature was scored at a node.
    n_restructurings_ : int
        How often a feature was pulled up to a node.

    Notes
    -----
    Features, missing values and weights are treated as in :class:`ID3`.

    *Differs from the paper*: the listing of the paper does not always give the tree of ID3. Here
    every node below a pull-up is revised, not only those next to the path of the example. A node
    of one class becomes a leaf again. Of features with equal scores, up to rounding, the first is
    used in both trees.

    References
    ----------
    .. [1] P. E. Utgoff. Incremental induction of decision trees. Machine Learning 4, 1989,
       pp. 161-186.

    Examples
    --------
    >>> from riparian import ID3, ID5R
    >>> X = [["sun", "calm"], ["sun", "wind"], ["rain", "calm"], ["rain", "wind"]]
    >>> y = ["out", "in", "in", "in"]
    >>> ID5R().fit(X, y).export_text() == ID3().fit(X, y).export_text()
    True
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

    _rule: ClassVar = {"tests": "multiway", "rebuild": False, "lazy": False, "metric": "entropy"}
