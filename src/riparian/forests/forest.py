"""The forest: trees that learn the same rows, each in its own way, and answer together."""

from __future__ import annotations

import functools
import math
import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn.base
from numpy.typing import NDArray

from riparian import _core
from riparian.certificates import Certificates, Split, splits_of
from riparian.compat import announce_to_river
from riparian.costs import check_costs
from riparian.drift import ADWIN, Detector
from riparian.errors import one_of
from riparian.model import StreamClassifier
from riparian.schema import Schema
from riparian.settings import byte_count, check_features, check_settings, number, truth, whole
from riparian.table import read_example, refuse_uncertain
from riparian.tree import HoeffdingTree

if TYPE_CHECKING:
    from collections.abc import Hashable

__all__ = ["Forest", "Vote"]

_REPLACEMENTS = ["none", "worst", "background"]


@dataclass(frozen=True)
class Vote:
    """What one member of a forest says of an example."""

    member: int
    #: What its vote counts.
    weight: float
    #: The class that it holds most likely; None before it has learned anything.
    label: Hashable | None
    probabilities: dict[Hashable, float]

    def __str__(self) -> str:
        if self.label is None:
            return f"member {self.member}: has learned nothing yet"
        share = self.probabilities[self.label]
        return f"member {self.member}: {self.label!r} with {share:.3f}, weight {self.weight:.3f}"


class Forest(StreamClassifier[_core.Forest]):
    """Trees that learn a stream side by side: one choice on each axis of an ensemble.

    Every member learns each row as often as a Poisson variable of mean `rate` says; its answer
    does not depend on the others, so the members run on threads, and the result is the same for
    any number of them.

    Parameters
    ----------
    estimator : HoeffdingTree or None, default=None
        What a member is: any tree of the library that grows by a bound, a recipe or a free
        composition. None is ``HoeffdingTree(grace_period=50, delta=0.01,
        inherit_counts="count")``, as in MOA: its members grow fast, and no bound holds for one.
    n_estimators : int, default=10
        How many members.
    rate : float, default=6.0
        Mean of the Poisson number that a row counts as.
    features : int, float, "sqrt" or None, default=None
        How many features a member sees, drawn when it begins: a number, a share of them, the
        rounded root and one more, or all.
    leaf_features : int, float, "sqrt" or None, default=None
        How many features a leaf of a member tracks, likewise; None for what `estimator` says.
    replacement : {"none", "worst", "background"}, default="none"
        What happens when `drift` finds that the errors of a member have risen: nothing; the
        member with the most errors begins anew; or the member is replaced by the tree that
        grows in its background since `warning` was given, or by a fresh one if there is none.
    warning, drift : Detector, float or None, default=None
        Who watches the errors of each member: a detector of :mod:`riparian.drift`, or the
        `delta` of an ADWIN.
    drawn_background : bool, default=False
        Whether a tree in the background learns rows as often as its member does, or once each.
    weighted_votes : bool, default=True
        Whether a vote counts as much as its member was right since it began.
    costs : array-like of shape (n_classes, n_classes), dict or None, default=None
        Cost of each (predicted, true) pair, as for a tree; members vote by probabilities, and
        the answer is the class of least expected cost.
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
        Copies of the members as they are now.
    estimator_features_ : list of ndarray
        The features that each of them sees.
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

    def _new_engine(self, axes: Mapping[str, Any]) -> _core.Forest:
        return _core.Forest(_settings(axes, _threads(self.n_jobs)))

    def _restored_engine(
        self, axes: Mapping[str, Any], arrays: dict[str, NDArray[Any]]
    ) -> _core.Forest:
        return self._restorer(axes)(arrays)

    def _restorer(
        self, axes: Mapping[str, Any]
    ) -> Callable[[dict[str, NDArray[Any]]], _core.Forest]:
        return functools.partial(_core.Forest.restore, _settings(axes, _threads(self.n_jobs)))

    def _axes(self) -> dict[str, Any]:
        """All parameters of the free composition but `n_jobs`, which changes no result."""
        axes = {name: getattr(self, name) for name in _AXES}
        if isinstance(axes["estimator"], sklearn.base.BaseEstimator):
            axes["estimator"] = sklearn.base.clone(axes["estimator"])
        return axes

    def _fresh_like(self) -> Forest:
        return Forest(**self._axes(), n_jobs=self.n_jobs)

    @property
    def _asks(self) -> bool:
        axes = self._learned_with if self._engine is not None else self._axes()
        estimator = axes["estimator"]
        return isinstance(estimator, HoeffdingTree) and estimator._asks

    def _learn(self, *args: Any, **options: Any) -> Any:
        if self._engine is not None:
            self._engine.set_threads(_threads(self.n_jobs))
        return super()._learn(*args, **options)

    # -- looking inside -----------------------------------------------------------------------

    def explain_one(self, x: Mapping[Any, Any]) -> list[Vote]:
        """What each member says of one example, and what its vote counts."""
        engine = self._fitted()
        table = read_example(x)
        refuse_uncertain(table, "a vote")
        classes = list(self._schema.classes)
        shares, weights = engine.votes(self._read(table).batch, len(classes))
        votes = []
        for member, (row, weight) in enumerate(zip(shares, weights, strict=True)):
            label = classes[int(row.argmax())] if row.sum() > 0 else None
            probabilities = dict(zip(classes, row.tolist(), strict=True))
            votes.append(Vote(member, float(weight), label, probabilities))
        return votes

    def splits(self) -> list[Certificates[Split]]:
        """The certificates of the splits of each member, oldest first."""
        engine = self._fitted()
        return [
            splits_of(engine.tree(m), self._schema_of(m), self._member_axes())
            for m in range(engine.n_members)
        ]

    @property
    def estimators_(self) -> list[HoeffdingTree]:
        engine = self._fitted()
        axes = self._member_axes()
        out = []
        for m in range(engine.n_members):
            copy = HoeffdingTree(**axes)
            copy._schema, copy._learned_with = self._schema_of(m), axes
            copy._engine = copy._restored_engine(axes, engine.tree(m).snapshot())
            copy._learning = threading.Lock()
            out.append(copy)
        return out

    @property
    def estimator_features_(self) -> list[NDArray[np.intp]]:
        engine = self._fitted()
        return [np.array(engine.features_of(m), dtype=np.intp) for m in range(engine.n_members)]

    @property
    def n_warnings_(self) -> int:
        return sum(warnings for _, _, warnings, _, _ in self._fitted().records())

    @property
    def n_drifts_(self) -> int:
        return sum(drifts for _, _, _, drifts, _ in self._fitted().records())

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        engine = self._fitted()
        mean = np.zeros(self.n_features_in_)
        for m in range(engine.n_members):
            features = engine.features_of(m)
            own = np.zeros(self.n_features_in_)
            for _, _, _, n, best, *_ in engine.tree(m).certificates():
                own[features[best[0]]] += n * best[4]
            if own.sum() > 0:
                mean += own / own.sum()
        return mean / mean.sum() if mean.sum() > 0 else mean

    def _member_axes(self) -> dict[str, Any]:
        return member_axes(self._learned_with)

    def _schema_of(self, member: int) -> Schema:
        """The schema of the features that a member sees."""
        schema = Schema(type(self).__name__)
        for f in self._fitted().features_of(member):
            feature = self._schema.features[f]
            own = type(feature)(feature.name, feature.kind)
            schema.add_feature(own)
            schema.add_categories(own, list(feature.codes))
        schema.add_classes(list(self._schema.classes))
        return schema


_AXES = tuple(name for name in Forest._get_param_names() if name != "n_jobs")


def member_axes(axes: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a member's tree; a ValueError names what a forest cannot take."""
    estimator = axes["estimator"]
    if estimator is None:
        estimator = HoeffdingTree(grace_period=50, delta=0.01, inherit_counts="count")
    if not isinstance(estimator, HoeffdingTree):
        raise ValueError(
            "estimator must be a tree of riparian that grows by a bound (VFDT(), HAT(), "
            f"HoeffdingTree(...)), got {estimator!r}"
        )
    tree = estimator._axes()
    for name, why in (
        ("max_bytes", "give it to the forest: it is for all members together"),
        ("costs", "give them to the forest, whose answers they choose"),
    ):
        if tree[name] is not None:
            raise ValueError(f"estimator must have {name}=None, got {tree[name]!r}; {why}")
    if axes["leaf_features"] is not None:
        tree["leaf_features"] = axes["leaf_features"]
    tree["categorical_features"] = axes["categorical_features"]
    return tree


def _settings(axes: Mapping[str, Any], threads: int) -> dict[str, Any]:
    rate = number("rate", axes["rate"], 1e-6, 64.0)
    seed = axes["random_state"]
    replacement = one_of("replacement", axes["replacement"], _REPLACEMENTS)
    warning = _detector("warning", axes["warning"])
    drift = _detector("drift", axes["drift"])
    if replacement == "none" and (warning or drift):
        raise ValueError("replacement='none' watches no errors: leave warning and drift at None")
    if replacement != "none" and drift is None:
        raise ValueError(f"replacement={replacement!r} needs a drift detector")
    if replacement != "background" and warning is not None:
        raise ValueError("warning needs replacement='background'")
    if axes["costs"] is not None:
        check_costs(axes["costs"])
    return {
        "tree": check_settings(member_axes(axes)),
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
        "threads": threads,
        "max_bytes": byte_count("max_bytes", axes["max_bytes"]),
    }


def _detector(name: str, value: object) -> _core.Detector | None:
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


def _threads(n_jobs: object) -> int:
    if n_jobs is None or n_jobs == -1:
        return (
            len(os.sched_getaffinity(0))
            if hasattr(os, "sched_getaffinity")
            else os.cpu_count() or 1
        )
    return whole("n_jobs", n_jobs, 1, 1024)
