"""The tree that discards a subtree when another feature becomes the best."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from riparian import _core
from riparian.compat import announce_to_river
from riparian.policies.parameter import number, truth
from riparian.restructuring.model import EveryValue

if TYPE_CHECKING:
    from sklearn.utils import Tags

__all__ = ["ID4"]


class ID4(EveryValue[_core.Id4]):
    """Counts at every node, no examples, and subtrees that are discarded.

    A node installs the feature of the lowest expected entropy if a chi-square test finds the
    class dependent on it. When another feature becomes the best, the whole subtree is
    discarded and grows again from the examples to come. Where the order of two features
    alternates, that never ends: concepts that :class:`ID3` and :class:`ID5R` learn may stay
    unlearned.

    Parameters
    ----------
    alpha : float, default=0.01
        Level of the chi-square test.
    count_when_pure : bool, default=False
        Whether a node counts features while all its examples are of one class. The listing
        does not, so that what it saw by then is lost to its features.

    Attributes
    ----------
    n_count_additions_ : int
        Additions to the count of a value and a class so far.
    n_e_scores_ : int
        How often a feature was scored at a node.
    n_restructurings_ : int
        Subtrees discarded.

    Notes
    -----
    All features are categories: each number is one of its own. A missing value is a value of its
    own. A node that has seen nothing predicts as its parent does. Weights count as so many
    examples, in steps of 2^-20.

    Differs from the paper: nothing that it states. The level of the test is Quinlan's; a tie does
    not replace the installed feature, and among others the first wins.

    References
    ----------
    .. [1] J. C. Schlimmer, D. Fisher. A case study of incremental concept induction. AAAI 1986,
       pp. 496-501.
    """

    def __init__(self, *, alpha: float = 0.01, count_when_pure: bool = False) -> None:
        self.alpha = alpha
        self.count_when_pure = count_when_pure
        announce_to_river(type(self))

    def _settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "alpha": number("alpha", axes["alpha"], 1e-300, 1.0 - 2.0**-53),
            "count_when_pure": truth("count_when_pure", axes["count_when_pure"]),
        }

    def _new_engine(self, axes: Mapping[str, Any]) -> _core.Id4:
        return _core.Id4(self._settings(axes))

    def _restored_engine(
        self, axes: Mapping[str, Any], arrays: dict[str, NDArray[Any]]
    ) -> _core.Id4:
        return _core.Id4.restore(self._settings(axes), arrays)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # A few hundred rows pass the guard seldom, and what was discarded is gone.
        tags.classifier_tags.poor_score = True
        return tags
