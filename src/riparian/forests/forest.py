"""The forest: trees that learn the same rows, each in its own way, and predict together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from numbers import Real
from typing import Any

from riparian import _core
from riparian.compat import announce_to_river
from riparian.drift import ADWIN, Detector
from riparian.errors import one_of
from riparian.forests.ensemble import Ensemble, Standing
from riparian.policies.parameter import number, truth, whole
from riparian.settings import check_features
from riparian.tree import HoeffdingTree

__all__ = ["Forest", "detector_of"]

_REPLACEMENTS = ["none", "worst", "background"]


class Forest(Ensemble[_core.Forest]):
    """Trees that learn a stream side by side: one choice on each axis of an ensemble.

    Every member learns each row a Poisson(`rate`) number of times; its prediction
    does not depend on the others, so the members run on threads, and the result is the same for
    any number of them.

    Parameters
    ----------
    estimator : HoeffdingTree or None, default=None
        What a member is: any tree of the library that grows by a bound, a recipe or a free
        composition. None is ``HoeffdingTree(grace_period=50, delta=0.01,
        inherit_counts="count")``, as in MOA: its members grow fast, and no bound holds for one.
        Where leaves draw features, with ``missing_second="-inf"``: one that can split alone does.
    n_estimators : int, default=10
        How many members.
    rate : float, default=6.0
        Mean of the Poisson number that a row counts as.
    features : int, float, "sqrt" or None, default=None
        How many features a member sees, drawn when it begins: a number, a share of them
        (rounded, and one more where that is less than two), the rounded root and one more, or
        all. To the first members they are dealt, so that each is seen by as many of them.
    leaf_features : int, float, "sqrt" or None, default=None
        How many features a leaf of a member tracks, in the same form; None for those of
        `estimator`. Trees that compare or use all features at a node (EFDT, CVFDT, UCVFDT, option
        trees, StreamTree, CorrectedVFDT) need all of them.
    replacement : {"none", "worst", "background"}, default="none"
        What happens when `drift` finds that the errors of a member have risen: nothing; the
        member with the most errors starts over; or the member is replaced by the tree that
        grows in its background since `warning` was given, or by a fresh one if there is none.
    warning, drift : Detector, float or None, default=None
        The drift detector of each member: one of :mod:`riparian.drift`, or the
        `delta` of an ADWIN.
    drawn_background : bool, default=False
        Whether a tree in the background learns rows as often as its member does, or once each.
    weighted_votes : bool, default=True
        Whether a vote counts as much as its member was right since it began.
    costs : array-like of shape (n_classes, n_classes), dict or None, default=None
        Cost of each (predicted, true) pair, as for a tree; members vote by probabilities, and
        the prediction is the class of least expected cost.
    max_bytes : int, str or None, default=None
        Limit of the memory that the whole forest holds. Every tree, those that may grow in the
        background included, has the same part of it.
    n_jobs : int or None, default=None
        Threads; None or -1 for one a core. The result does not depend on it.
    random_state : int or None, default=None
        Master seed; None is 0, so that the same rows give the same forest.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        As for a tree.

    Attributes
    ----------
    classes_ : ndarray
        The labels seen so far.
    n_features_in_ : int
        Number of features seen so far.
    n_seen_ : int
        Number of examples learned.
    estimators_ : list of HoeffdingTree
        Copies of the members as they are now. Under `max_bytes` a copy has its member's part as
        its limit, or twice that, and so on: by itself a tree also holds names, and what members
        leave out because it can be derived.
    estimator_features_ : list of ndarray
        The features that each of them sees.
    n_nodes_, n_leaves_, n_active_leaves_, depth_ : int
        Nodes and leaves of all members, how many of the leaves keep statistics, and the depth of
        the deepest member.
    n_warnings_, n_drifts_ : int
        How often a tree was begun in the background, and a member replaced.
    feature_importances_ : ndarray
        Mean over the members.
    memory_bytes_ : int
        Memory that the forest holds.

    Notes
    -----
    Random numbers are counted, not drawn in turn: that of a row depends on the seed, the member
    and the number of the row. Batches of any size and any number of threads give the same bytes.

    Examples
    --------
    >>> from riparian import Forest, VFDT
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(5_000)
    >>> forest = Forest(estimator=VFDT(leaf="adaptive"), n_estimators=5, rate=1.0).fit(X, y)
    >>> forest.score(*sea(seed=2).take(1_000)) > 0.8
    True
    """

    def __init__(
        self,
        *,
        estimator: HoeffdingTree | None = None,
        n_estimators: int = 10,
        rate: float = 6.0,
        features: int | float | str | None = None,
        leaf_features: int | float | str | None = None,
        replacement: str = "none",
        warning: Detector | float | None = None,
        drift: Detector | float | None = None,
        drawn_background: bool = False,
        weighted_votes: bool = True,
        costs: Any = None,
        max_bytes: int | str | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.rate = rate
        self.features = features
        self.leaf_features = leaf_features
        self.replacement = replacement
        self.warning = warning
        self.drift = drift
        self.drawn_background = drawn_background
        self.weighted_votes = weighted_votes
        self.costs = costs
        self.max_bytes = max_bytes
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.categorical_features = categorical_features
        announce_to_river(type(self))

    # -- the engine ---------------------------------------------------------------------------

    _native = _core.Forest

    def _own_settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        return _settings(axes)

    # -- looking inside -----------------------------------------------------------------------

    def _standings(self) -> list[Standing]:
        return [
            Standing(tree, weight, accuracy, warnings, drifts, drawn)
            for tree, drawn, weight, accuracy, warnings, drifts, _ in self._fitted().records()
        ]

    @property
    def n_warnings_(self) -> int:
        return sum(standing.warnings for standing in self._standings())

    @property
    def n_drifts_(self) -> int:
        return sum(standing.drifts for standing in self._standings())


Forest._composition = Forest


def _settings(axes: Mapping[str, Any]) -> dict[str, Any]:
    rate = number("rate", axes["rate"], 1e-6, 64.0)
    seed = axes["random_state"]
    replacement = one_of("replacement", axes["replacement"], _REPLACEMENTS)
    warning = detector_of("warning", axes["warning"])
    drift = detector_of("drift", axes["drift"])
    if replacement == "none" and (warning or drift):
        raise ValueError("replacement='none' uses no detectors: leave warning and drift at None")
    if replacement != "none" and drift is None:
        raise ValueError(f"replacement={replacement!r} needs a drift detector")
    if replacement != "background" and warning is not None:
        raise ValueError("warning needs replacement='background'")
    return {
        "members": whole("n_estimators", axes["n_estimators"], 1, 10_000),
        "rate": rate,
        # To the last bit on every machine.
        "none": float((-Decimal(rate)).exp()),
        "patch": check_features("features", axes["features"]),
        "replacement": replacement,
        "drawn_background": truth("drawn_background", axes["drawn_background"]),
        "weighted": truth("weighted_votes", axes["weighted_votes"]),
        "warning": warning,
        "drift": drift,
        "seed": 0 if seed is None else whole("random_state", seed, 0, 2**32 - 1),
    }


def detector_of(name: str, value: object) -> _core.Detector | None:
    """A fresh detector as the core has it: one of the package, or the `delta` of an ADWIN."""
    if value is None:
        return None
    if isinstance(value, Real) and not isinstance(value, bool):
        if not (0.0 < float(value) < 1.0 and math.isfinite(float(value))):
            raise ValueError(
                f"{name} must be the delta of an ADWIN, between 0 and 1, got {value!r}"
            )
        value = ADWIN(delta=float(value))
    if not isinstance(value, Detector):
        raise ValueError(
            f"{name} must be a detector of riparian.drift, the delta of an ADWIN or None, "
            f"got {value!r}"
        )
    return value.clone()._native
