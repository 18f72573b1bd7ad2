"""The tree that discards a subtree when another feature becomes the best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from riparian import _core
from riparian.models.restructuring.model import EveryValue
from riparian.policies.parameter import number, truth

if TYPE_CHECKING:
    from sklearn.utils import Tags

__all__ = ["ID4"]


class ID4(EveryValue[_core.Id4], paper="schlimmer1986"):
    """A tree that keeps counts but no examples, and discards subtrees.

    A node tests the feature of the lowest expected entropy if a chi-square test finds that the
    class depends on it. When another feature becomes the best, the whole subtree is discarded and
    grows again from later examples. If two features alternate in the lead, this never ends:
    concepts that :class:`ID3` and :class:`ID5R` learn may stay unlearned.

    Parameters
    ----------
    alpha : float, default=0.01
        Level of the chi-square test.
    count_when_pure : bool, default=False
        Whether a node counts features while all its examples are of one class. The listing of
        the paper does not, so that these examples are missing in its counts.
    max_categories : int, default=1000
        Largest number of categories of a feature. Later ones share one category, "other".
    max_features : int, default=10000
        Largest number of features. The features of the first row are always kept. Features that
        come later than the limit allows are ignored, with a warning.
    max_classes : int, default=1000
        Largest number of classes. A batch with more is refused.

    Attributes
    ----------
    n_count_additions_ : int
        Number of additions to the count of a value and a class.
    n_e_scores_ : int
        How often a feature was scored at a node.
    n_restructurings_ : int
        Number of subtrees that were discarded.

    Notes
    -----
    All features are categorical: every number is a category. A missing value is a category of its
    own. A node that has seen nothing predicts as its parent does. A weight counts as that many
    examples, in steps of 2^-20.

    *Differs from the paper*: nothing that it states. It leaves open the level of the test, which
    is that of Quinlan, and ties: a tie does not replace the tested feature, and otherwise the
    first feature is used.

    References
    ----------
    .. [1] J. C. Schlimmer, D. Fisher. A case study of incremental concept induction. AAAI 1986,
       pp. 496-501.
    """

    def __init__(
        self,
        *,
        alpha: float = 0.01,
        count_when_pure: bool = False,
        max_categories: int = 1000,
        max_features: int = 10_000,
        max_classes: int = 1000,
    ) -> None:
        self.alpha = alpha
        self.count_when_pure = count_when_pure
        self.max_categories = max_categories
        self.max_features = max_features
        self.max_classes = max_classes

    _native = _core.Id4

    def _settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "alpha": number("alpha", axes["alpha"], 1e-300, 1.0 - 2.0**-53),
            "count_when_pure": truth("count_when_pure", axes["count_when_pure"]),
        }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # A few hundred rows seldom pass the chi-square test, and discarded subtrees are lost.
        tags.classifier_tags.poor_score = True
        return tags
