"""UFFT: a tree for every pair of classes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

from riparian import _core
from riparian.data.formatting import label_text
from riparian.data.times import DateParts
from riparian.errors import one_of
from riparian.models.forests.detectors import (
    DetectorChoice,
    calls_own_detector,
    detector_of,
)
from riparian.models.forests.ensemble import Ensemble
from riparian.models.forests.members import Member, Standing, Vote
from riparian.models.hoeffding import HoeffdingTree
from riparian.policies import shortest
from riparian.policies.literals import CutsChoice, LeafChoice
from riparian.policies.own_leaf import has_own_leaf
from riparian.policies.parameter import number

if TYPE_CHECKING:
    from riparian.export.allowed import Allowed
    from riparian.export.plain import PlainTree

__all__ = ["UFFT", "PairMember", "PairVote", "n_min"]

Reading = Literal["standard", "slide"]
Memory = Literal["shared", "tree"]

# Columns of members that are not named by a pair and whose votes differ.
_OF_VOTERS = ("member", "weight", "of the vote")


def n_min(delta: float, epsilon: float, reading: Reading = "standard") -> float:
    r"""Return the number of examples that a leaf of UFFT waits for before a check.

    "standard" is the sample size of Hoeffding's bound for a gap of :math:`\varepsilon`. "slide" is
    the formula on the authors' slides, in which the two letters are exchanged and a square is
    missing:

    .. math::

        n_{\text{standard}} = \frac{1}{2\varepsilon^2} \ln\frac{2}{\delta}, \qquad
        n_{\text{slide}} = \frac{1}{2\delta} \ln\frac{2}{\varepsilon}

    Parameters
    ----------
    delta : float
        Accepted probability of a wrong decision.
    epsilon : float
        The smallest gap between two gains that is to be detected.
    reading : {"standard", "slide"}, default="standard"
        The formula to use.

    Returns
    -------
    n : float
        The number of examples.

    References
    ----------
    .. [1] J. Gama, P. Rodrigues. Learning in dynamic environments: decision trees for data
       streams. Slides.

    Examples
    --------
    >>> round(n_min(1e-6, 0.05), 1), round(n_min(1e-6, 0.05, "slide"), 1)
    (2901.7, 1844439.7)
    """
    one_of("reading", reading, get_args(Reading))
    delta = number("delta", delta, 1e-300, 1.0)
    epsilon = number("epsilon", epsilon, 1e-12, 1.0)
    if reading == "standard":
        return math.log(2 / delta) / (2 * epsilon**2)
    return math.log(2 / epsilon) / (2 * delta)


@dataclass(frozen=True)
class PairVote(Vote):
    """What the tree of one pair of classes predicts for an example."""

    pair: tuple[Hashable, Hashable]

    def __str__(self) -> str:
        low, high = self.pair
        return f"{low!r} or {high!r}: {self.label!r} with {self.probabilities[self.label]:.3f}"


@dataclass(frozen=True)
class PairMember(Member):
    """The state of the tree of one pair of classes; `drifts` is how often it started over."""

    pair: tuple[Hashable, Hashable]

    def __str__(self) -> str:
        low, high = self.pair
        return f"{low!r} or {high!r}: {self.leaves:,} leaves, depth {self.depth}"


class UFFT(Ensemble[_core.PairForest], paper="gama2004"):
    """Ultra fast forest of trees: one binary tree for every pair of classes.

    A tree begins when both its classes have been seen, and learns the examples of these two. It
    starts with the short-term memory of the last `short_memory` examples. The prediction comes from
    the sum of the probabilities of all trees.

    Parameters
    ----------
    leaf : str, policy or sequence of them, default="naive-bayes"
        What a leaf predicts with, as in :class:`riparian.HoeffdingTree`.
    cuts : str or policy, default="qda"
        Cuts of numeric features: a root of quadratic discriminant analysis, or another choice of
        :class:`riparian.HoeffdingTree`.
    delta : float, default=1e-6
        Accepted probability of a wrong decision in one check.
    tau : float, default=0.05
        Tie threshold: a leaf splits anyway once the bound is below it.
    n_min : {"standard", "slide", "fixed"}, default="standard"
        Number of examples between two checks of a leaf: :func:`n_min` of `delta` and `tau`, in one
        of its two readings, or `grace_period`.
    grace_period : float or None, default=None
        The number of examples between two checks with ``n_min="fixed"``.
    short_memory : int, default=1000
        Length of the short-term memory.
    memory : {"shared", "tree"}, default="shared"
        Which last examples the children of a split learn: those of the forest that are of the two
        classes, or those of the tree, which may be much older. A new tree begins with those of
        the forest in both cases.
    drift : Detector, float, object, callable or None, default=None
        The drift detector of each tree: one of :mod:`riparian.drift`, or the `delta` of an ADWIN.
        An object of your own or of River is copied for each tree, as in :class:`Forest`.
        When the error of a tree rises, it starts over with the short-term memory, as in later
        papers of the authors [2]_.
    costs : array-like of shape (n_classes, n_classes), dict or None, default=None
        Cost of each (predicted, true) pair, as in :class:`riparian.HoeffdingTree`. Only the sum
        uses them: the prediction is the class of least expected cost.
    class_weight : dict or None, default=None
        Weights of classes, by label, as in :class:`HoeffdingTree`.
    max_bytes : int, str or None, default=None
        Memory limit of the whole forest. Every tree has the same part of it, which becomes smaller
        with each class. A class for which there is no room is an error, and the model stays as it
        was.
    n_jobs : int or None, default=None
        Number of threads; None or -1 is one per core. It does not change the result.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Which features are categorical, as in :class:`riparian.HoeffdingTree`.
    date_parts : str, list of str or None, default=None
        Parts of dates that become features, as in :class:`riparian.HoeffdingTree`.
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
    classes_ : ndarray
        The classes seen so far.
    n_features_in_ : int
        Number of features seen so far.
    n_seen_ : int
        Number of examples learned.
    pairs_ : list of tuple
        The two classes of each tree.
    estimators_ : list of HoeffdingTree
        Copies of the trees as they are now, in the same order.
    n_nodes_, n_leaves_, n_active_leaves_, depth_ : int
        Nodes and leaves of all trees, leaves that keep statistics, and the depth of the deepest
        tree.
    n_drifts_ : int
        How often a tree started over.
    feature_importances_ : ndarray
        Mean over the trees.
    memory_bytes_ : int
        Memory of the forest.

    Notes
    -----
    There are no random numbers. Batches of any size and any number of threads give the same model
    file.

    *Differs from the paper*: the papers leave some settings open; the defaults of `delta`, `tau`,
    `short_memory` and `leaf` were chosen here. `n_min` uses `tau` as the gap that is to be
    detected. Of the two roots the one with the smaller sum of distances to the two means is used.
    Examples of the short-term memory do not count in the `n` of the bound, because the cut was
    chosen on them. "No split" competes at every check. Categorical features have one branch per
    value. The detector gets each prediction before the example is learned.

    References
    ----------
    .. [1] J. Gama, P. Medas, R. Rocha. Forest trees for on-line data. SAC 2004, pp. 632-636.
    .. [2] J. Gama, P. Medas, G. Castillo, P. Rodrigues. Learning with drift detection.
       SBIA 2004, pp. 286-295.

    Examples
    --------
    >>> from riparian import UFFT
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> model = UFFT(n_min="fixed", grace_period=300).fit(X, y)
    >>> model.score(*sea(seed=2).take(1_000)) > 0.85
    True
    """

    def __init__(
        self,
        *,
        leaf: LeafChoice = "naive-bayes",
        cuts: CutsChoice = "qda",
        delta: float = 1e-6,
        tau: float = 0.05,
        n_min: Reading | Literal["fixed"] = "standard",
        grace_period: float | None = None,
        short_memory: int = 1000,
        memory: Memory = "shared",
        drift: DetectorChoice = None,
        costs: Any = None,
        class_weight: Mapping[Any, float] | None = None,
        max_bytes: int | str | None = None,
        n_jobs: int | None = None,
        categorical_features: Any = "from_dtype",
        date_parts: DateParts = None,
        max_categories: int = 1000,
        max_features: int = 10_000,
        max_classes: int = 1000,
    ) -> None:
        self.leaf = leaf
        self.cuts = cuts
        self.delta = delta
        self.tau = tau
        self.n_min = n_min
        self.grace_period = grace_period
        self.short_memory = short_memory
        self.memory = memory
        self.drift = drift
        self.costs = costs
        self.class_weight = class_weight
        self.max_bytes = max_bytes
        self.n_jobs = n_jobs
        self.categorical_features = categorical_features
        self.date_parts = date_parts
        self.max_categories = max_categories
        self.max_features = max_features
        self.max_classes = max_classes

    # -- the engine ---------------------------------------------------------------------------

    _native = _core.PairForest

    def _own_settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "shared": one_of("memory", axes["memory"], get_args(Memory)) == "shared",
            "drift": detector_of("drift", axes),
        }

    def _tree_axes(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        return _tree_axes(axes)

    @property
    def _calls_user_functions(self) -> bool:
        """Whether a row may fail: by an object of the user, or for lack of room.

        A row of a class that was declared needs room for its trees.
        """
        engine = self._engine
        axes = self._learned_with if engine is not None else self.__dict__
        own = calls_own_detector(axes) or has_own_leaf(axes.get("leaf"))
        return own or (
            engine is not None
            and engine.max_bytes is not None
            and engine.n_classes_seen < engine.n_classes
        )

    # -- looking inside -----------------------------------------------------------------------

    def _vote(self, member: int, weight: float, probabilities: dict[Hashable, float]) -> Vote:
        low, high = pair = self.pairs_[member]
        label = high if probabilities[high] > probabilities[low] else low
        own = {label: probabilities[label] for label in pair}
        return PairVote(member, weight, label, own, pair)

    def _standings(self) -> list[Standing]:
        return [
            Standing(tree, 1.0, drifts=drifts, pair=(low, high))
            for tree, low, high, drifts in self._fitted().records()
        ]

    def _member(self, member: int, standing: Standing) -> Member:
        of_any = super()._member(member, standing)
        return PairMember(**dataclasses.asdict(of_any), pair=self._pair(standing))

    def _member_columns(self, members: Sequence[Any]) -> dict[str, list[str]]:
        columns = super()._member_columns(members)
        own = {"pair": [" or ".join(map(label_text, m.pair)) for m in members]}
        return own | {head: columns[head] for head in columns if head not in _OF_VOTERS}

    def _leader(self, members: Sequence[Any]) -> int:
        return max(range(len(members)), key=lambda member: members[member].leaves)

    def _classes_of(self, standing: Standing) -> list[Hashable]:
        return list(self._pair(standing))

    def _pair(self, standing: Standing) -> tuple[Hashable, Hashable]:
        low, high = cast(tuple[int, int], standing.pair)
        return self._schema.classes[low], self._schema.classes[high]

    def _plain(self, allowed: Allowed, asked: str) -> PlainTree:
        from riparian.export.allowed import refuse_inexpressible
        from riparian.export.plain import Part, plain_forest, read_nodes

        self._fitted()
        refuse_inexpressible(allowed, asked, leaf=shortest(_tree_axes(self._learned_with)["leaf"]))
        parts = [
            Part(read_nodes(s.tree, allowed, asked), classes=s.pair) for s in self._standings()
        ]
        if not parts:
            raise ValueError(f"{asked} needs a tree, but the model has learned only one class")
        return plain_forest(self, parts, float(len(parts)))

    @property
    def pairs_(self) -> list[tuple[Hashable, Hashable]]:
        return [self._pair(standing) for standing in self._standings()]

    @property
    def n_drifts_(self) -> int:
        return sum(standing.drifts for standing in self._standings())


def _tree_axes(axes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of each tree of a forest with these axes."""
    reading, grace = axes["n_min"], axes["grace_period"]
    one_of("n_min", reading, [*get_args(Reading), "fixed"])
    if reading == "fixed":
        if grace is None:
            raise ValueError("grace_period must be a number with n_min='fixed', got None")
    elif grace is not None:
        raise ValueError(
            f"grace_period={grace!r} needs n_min='fixed', got {reading!r}, which follows from "
            "delta and tau"
        )
    else:
        delta = number("delta", axes["delta"], 1e-300, 1.0)
        tau = axes["tau"]
        try:
            tau = number("tau", tau, 1e-12, 1.0)
        except ValueError:
            raise ValueError(
                f"tau must be a number from 1e-12 to 1 with n_min={reading!r}, the gap that is to "
                f"be detected, got {tau!r}"
            ) from None
        grace = n_min(delta, tau, reading)
        if grace > 2.0**53:
            raise ValueError(
                f"n_min={reading!r} needs {grace:.3g} examples before the first check with "
                f"delta={delta!r} and tau={tau!r}; use n_min='standard' or 'fixed'"
            )
    return HoeffdingTree(
        impurity="entropy",
        bound="hoeffding",
        cuts=axes["cuts"],
        leaf=axes["leaf"],
        delta=axes["delta"],
        tau=axes["tau"],
        grace_period=grace,
        short_memory=axes["short_memory"],
        categorical_features=axes["categorical_features"],
        date_parts=axes["date_parts"],
        max_categories=axes["max_categories"],
        max_features=axes["max_features"],
        max_classes=axes["max_classes"],
    )._axes()
