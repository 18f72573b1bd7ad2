"""The tree that pulls the best feature up, and ends where the batch learner would."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from riparian import _core
from riparian.compat import announce_to_river
from riparian.restructuring.model import EveryValue, Remembering, example_limit

__all__ = ["ID5R"]


class ID5R(Remembering, EveryValue[_core.Restructuring]):
    """After every example the tree that :class:`ID3` would build, without rebuilding it.

    Nodes count values and classes of all features that may be tested. Where another feature
    than the installed one becomes the best, it is pulled up from below: subtrees exchange
    places, and no example is read again but those in leaves. What that moved is revised in
    turn.

    Parameters
    ----------
    max_examples : int or None, default=None
        Keep so many examples; the oldest are forgotten by exact removal, and the tree is that
        of the others. The papers know no such bound.

    Attributes
    ----------
    n_examples_ : int
        Examples held.
    n_count_additions_ : int
        Additions to the count of a value and a class so far, also when subtrees are joined.
    n_e_scores_ : int
        How often a feature was scored at a node.
    n_restructurings_ : int
        How often a feature was pulled up to a node.

    Notes
    -----
    All features are categories: each number is one of its own. For numbers that are measured
    :class:`ITI` is the right tree. A missing value is a value of its own, and one that a node has
    not seen is predicted by the node's examples.

    Weights count as so many examples, in steps of 2^-20. The store takes 4 bytes a value and 12
    an example.

    Differs from the paper: the listing does not give the tree of ID3, though it should. Repair
    goes on below every node that a pull-up moved, not only next to the path of the example; a
    node of one class becomes a leaf again; equal scores, up to rounding, go to the first
    feature in both.

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

    def __init__(self, *, max_examples: int | None = None) -> None:
        self.max_examples = max_examples
        announce_to_river(type(self))

    def _settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "tests": "multiway",
            "rebuild": False,
            "lazy": False,
            "metric": "entropy",
            "max_examples": example_limit(axes["max_examples"]),
        }
