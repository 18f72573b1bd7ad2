"""The batch learner, and the one that rebuilds its tree after every example."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riparian import _core
from riparian.compat import announce_to_river
from riparian.restructuring.model import EveryValue, Remembering, example_limit

__all__ = ["ID3", "ID3Prime"]


class ID3(Remembering, EveryValue[_core.Restructuring]):
    """The batch tree of all examples: what the incremental trees are measured by.

    A node whose examples are of one class is a leaf, and so is one without features left.
    Any other tests the feature of the lowest expected entropy, with a branch for each value
    that was seen. There is no pruning and no least gain. The tree is built when it is asked
    for, from all examples: learning only collects them.

    Parameters
    ----------
    max_examples : int or None, default=None
        Keep so many examples; the oldest are forgotten, and the tree is that of the others.

    Attributes
    ----------
    n_examples_ : int
        Examples held.
    n_count_additions_ : int
        Additions to the count of a value and a class so far.
    n_e_scores_ : int
        How often a feature was scored at a node.
    n_restructurings_ : int
        0: nothing is restructured.

    Notes
    -----
    All features are categories: each number is one of its own. For numbers that are measured
    :class:`ITI` is the right tree. A missing value is a value of its own, and one that a node has
    not seen is predicted by the node's examples.

    Weights count as so many examples, in steps of 2^-20. The store takes 4 bytes a value and 12
    an example.

    Differs from the paper: equal scores, up to rounding, go to the first feature.

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

    def __init__(self, *, max_examples: int | None = None) -> None:
        self.max_examples = max_examples
        announce_to_river(type(self))

    def _settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "tests": "multiway",
            "rebuild": True,
            "lazy": True,
            "metric": "entropy",
            "max_examples": example_limit(axes["max_examples"]),
        }


class ID3Prime(ID3):
    """ID3', which rebuilds the tree of :class:`ID3` after every example.

    The naive way to learn one example after another: the same tree as :class:`ID5R`, at a cost
    that grows with all examples seen.

    Parameters
    ----------
    max_examples : int or None, default=None
        Keep so many examples; the oldest are forgotten, and the tree is that of the others.

    Notes
    -----
    As in :class:`ID3`. Differs from the paper: nothing.

    References
    ----------
    .. [1] J. C. Schlimmer, D. Fisher. A case study of incremental concept induction. AAAI 1986,
       pp. 496-501.
    """

    def _settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        return {**super()._settings(axes), "lazy": False}
