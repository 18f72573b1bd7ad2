"""The forest: trees that learn the same rows with different weights, and predict together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Literal, Self, get_args

from riparian import _core
from riparian.data.times import DateParts
from riparian.errors import one_of
from riparian.models.forests.detectors import (
    DetectorChoice,
    calls_own_detector,
    detector_of,
)
from riparian.models.forests.ensemble import Ensemble
from riparian.models.forests.joining import joined
from riparian.models.forests.members import Standing
from riparian.models.hoeffding import HoeffdingTree
from riparian.models.settings import check_features, check_seed, check_settings, refuse_sparse
from riparian.policies.literals import FeatureCount
from riparian.policies.parameter import number, truth, whole

__all__ = ["Forest"]

Replacement = Literal["none", "worst", "background"]


class Forest(Ensemble[_core.Forest]):
    """A forest that learns from a stream: one choice on each axis of an ensemble.

    Every member learns each row with a weight that is drawn from Poisson(`rate`). Members do not
    depend on each other, so they run on threads; the result is the same for any number of threads.

    Parameters
    ----------
    estimator : HoeffdingTree or None, default=None
        The tree that each member is: a :class:`HoeffdingTree` or one of its recipes. None is
        ``HoeffdingTree(grace_period=50, delta=0.01, inherit_counts="count")``, as in MOA: such
        trees grow fast, and their bound promises nothing. With `leaf_features` it also has
        ``missing_second="-inf"``: a feature that is alone at a leaf can be split.
    n_estimators : int, default=10
        Number of members.
    rate : float, default=6.0
        Mean of the Poisson distribution that the weights of rows are drawn from.
    features : int, float, "sqrt" or None, default=None
        How many features a member sees, drawn when it begins: a number; a share of all features
        (rounded, plus one if that is less than two); the rounded square root plus one; or all.
        The first members share them out: each feature is seen by equally many members.
    leaf_features : int, float, "sqrt" or None, default=None
        How many features a leaf of a member tracks, drawn when it opens: a number, a share, the
        square root, or None for the setting of `estimator`. Fewer features are faster and need
        less memory. Trees that use all features at a node (EFDT, CVFDT, UCVFDT, option trees,
        StreamTree, CorrectedVFDT) need None.
    replacement : {"none", "worst", "background"}, default="none"
        What happens when `drift` finds that the error of a member has risen: nothing; the member
        with the largest error starts over; or the member is replaced by the tree that has grown
        in its background since the last `warning`, or by a new tree if there is none.
    warning, drift : Detector, float, object, callable or None, default=None
        The drift detector of each member: one of :mod:`riparian.drift`, or the `delta` of an
        ADWIN. An object of your own or of River is copied for each member; it has ``update(x)``
        and ``drift_detected``. A function or class that makes such objects is accepted too.
    drawn_background : bool, default=False
        Whether a tree in the background learns rows with the weights of its member, or with
        weight 1.
    weighted_votes : bool, default=True
        Whether the vote of a member is weighted by its accuracy since it began.
    vote_power : int, default=1
        The power to which accuracy is raised, from 1 to 32. The larger it is, the more the best
        members count.
    vote_memory : float or None, default=None
        Number of recent rows that the accuracy is about: a row counts ``(1 - 1/vote_memory)**age``.
        A member that is replaced then keeps the accuracy of the tree before. None is all rows
        since the member began.
    last_member : HoeffdingTree or None, default=None
        The tree of the last member, in place of `estimator`. It learns each row once, sees all
        features and is never replaced. It needs ``features=None``.
    costs : array-like of shape (n_classes, n_classes), dict or None, default=None
        Cost of each (predicted, true) pair, as in :class:`HoeffdingTree`. The prediction is the
        class of least expected cost by the probabilities of the forest.
    class_weight : dict or None, default=None
        Weights of classes, by label, as in :class:`HoeffdingTree`.
    max_bytes : int, str or None, default=None
        Memory limit of the whole forest, in bytes or as a text such as ``"10MB"``. Every tree has
        the same part of it, also trees that may grow in the background.
    n_jobs : int or None, default=None
        Number of threads; None or -1 is one per core. It does not change the result.
    random_state : int or None, default=None
        Seed of all random numbers. None is the seed 0: the same rows always give the same forest.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Which features are categorical, as in :class:`HoeffdingTree`.
    date_parts : str, list of str or None, default=None
        Parts of dates that become features, as in :class:`HoeffdingTree`.
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
    estimators_ : list of HoeffdingTree
        Copies of the members as they are now. With `max_bytes` the limit of a copy is its
        member's part, doubled as often as needed: a tree by itself also holds names.
    estimator_features_ : list of ndarray
        The features that each member sees.
    n_nodes_, n_leaves_, n_active_leaves_, depth_ : int
        Nodes and leaves of all members, leaves that keep statistics, and the depth of the deepest
        member.
    n_warnings_, n_drifts_ : int
        How often a tree began in the background, and how often a member was replaced.
    feature_importances_ : ndarray
        Mean over the members.
    memory_bytes_ : int
        Memory of the forest.

    Notes
    -----
    A random number depends only on the seed, the member and the number of the row. So batches of
    any size and any number of threads give the same model file.

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
        features: FeatureCount = None,
        leaf_features: FeatureCount = None,
        replacement: Replacement = "none",
        warning: DetectorChoice = None,
        drift: DetectorChoice = None,
        drawn_background: bool = False,
        weighted_votes: bool = True,
        vote_power: int = 1,
        vote_memory: float | None = None,
        last_member: HoeffdingTree | None = None,
        costs: Any = None,
        class_weight: Mapping[Any, float] | None = None,
        max_bytes: int | str | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
        categorical_features: Any = "from_dtype",
        date_parts: DateParts = None,
        max_categories: int = 1000,
        max_features: int = 10_000,
        max_classes: int = 1000,
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
        self.vote_power = vote_power
        self.vote_memory = vote_memory
        self.last_member = last_member
        self.costs = costs
        self.class_weight = class_weight
        self.max_bytes = max_bytes
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.categorical_features = categorical_features
        self.date_parts = date_parts
        self.max_categories = max_categories
        self.max_features = max_features
        self.max_classes = max_classes

    # No rule of a paper depends on these.
    _always_taken = (
        "estimator",
        "n_estimators",
        "rate",
        "costs",
        "class_weight",
        "max_bytes",
        "n_jobs",
        "random_state",
        "categorical_features",
        "date_parts",
        "max_categories",
        "max_features",
        "max_classes",
    )

    # -- the engine ---------------------------------------------------------------------------

    _native = _core.Forest
    #: The number of its first member, if this is the part of a forest that one worker learns.
    _first_member: int | None = None

    def _own_settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        first = self._first_member
        kinds = self._kinds_of_trees(axes)
        return {
            **_settings(axes),
            "last_tree": check_settings(kinds[1]) if len(kinds) > 1 else None,
            "first_member": first or 0,
            "keep_votes": first is not None,
        }

    @property
    def _calls_user_functions(self) -> bool:
        axes = self._learned_with if self._engine is not None else self.__dict__
        return super()._calls_user_functions or calls_own_detector(axes)

    def _refuse_sparse(self, axes: Mapping[str, Any]) -> None:
        for tree in self._kinds_of_trees(axes):
            refuse_sparse(tree)

    # -- forests learned apart ------------------------------------------------------------------

    @classmethod
    def join(cls, forests: Iterable[Self]) -> Self:
        """Return one forest with the members of several forests that were learned apart.

        The forests may have learned in other places and from other rows. Features, categories and
        classes are found by their names, so each forest may know them in another order, and some
        of them not at all. Members keep their trees, detectors and accuracies. The joined forest
        goes on learning; the forests stay as they are.

        Parameters
        ----------
        forests : iterable of Forest
            Forests of this class that have learned. Their parameters must be the same, except for
            `n_estimators`, `random_state`, `max_bytes` and `n_jobs`.

        Returns
        -------
        forest : Forest
            `n_estimators`, `max_bytes` and `n_seen_` are the sums. The other parameters are those
            of the first forest. Members draw further random numbers by their place in it.

        Notes
        -----
        If a forest knows names in another order, its trees get other codes. That is possible where
        leaves keep Gaussians, counts and softmax units, and where `adaptation` is none or
        ``"alternates"``; otherwise an error names the parameter. Such forests can be joined if they
        learn features in the same order, with the same ``classes=``. Votes stay the same, with one
        exception: softmax leaves give a class that their tree does not know an output of 0 if it
        gets a code before one that the tree knows.

        Examples
        --------
        >>> from riparian import OnlineBagging
        >>> from riparian.streams import sea
        >>> here = OnlineBagging(n_estimators=3).fit(*sea(seed=1).take(2_000))
        >>> there = OnlineBagging(n_estimators=2, random_state=1).fit(*sea(seed=2).take(1_000))
        >>> both = OnlineBagging.join([here, there])
        >>> len(both.members()), both.n_seen_
        (5, 3000)
        """
        found = joined(cls, list(forests))
        assert isinstance(found, cls)
        return found

    # -- looking inside -----------------------------------------------------------------------

    def _standings(self) -> list[Standing]:
        return [
            Standing(tree, weight, accuracy, warnings, drifts, drawn, is_last=is_last)
            for tree, drawn, weight, accuracy, warnings, drifts, _, is_last in (
                self._fitted().records()
            )
        ]

    @property
    def n_warnings_(self) -> int:
        return sum(standing.warnings for standing in self._standings())

    @property
    def n_drifts_(self) -> int:
        return sum(standing.drifts for standing in self._standings())


def _settings(axes: Mapping[str, Any]) -> dict[str, Any]:
    rate = number("rate", axes["rate"], 1e-6, 64.0)
    replacement = one_of("replacement", axes["replacement"], get_args(Replacement))
    warning = detector_of("warning", axes)
    drift = detector_of("drift", axes)
    if replacement == "none" and (warning or drift):
        raise ValueError("warning and drift must be None with replacement='none'")
    if replacement != "none" and drift is None:
        raise ValueError(f"replacement={replacement!r} needs a drift detector")
    if replacement != "background" and warning is not None:
        raise ValueError("warning needs replacement='background'")
    if axes["last_member"] is not None and axes["features"] is not None:
        raise ValueError(f"last_member needs features=None, got features={axes['features']!r}")
    weighted = truth("weighted_votes", axes["weighted_votes"])
    for name, default in (("vote_power", 1), ("vote_memory", None)):
        if not weighted and axes[name] != default:
            raise ValueError(f"{name} needs weighted_votes=True, got {axes[name]!r}")
    memory = axes["vote_memory"]
    keep = 1.0 if memory is None else 1.0 - 1.0 / number("vote_memory", memory, 1.0, 1e6)
    return {
        "members": whole("n_estimators", axes["n_estimators"], 1, 10_000),
        "rate": rate,
        # Decimal arithmetic gives the same bits on every machine.
        "none": float((-Decimal(rate)).exp()),
        "patch": check_features("features", axes["features"]),
        "replacement": replacement,
        "drawn_background": truth("drawn_background", axes["drawn_background"]),
        "weighted": weighted,
        "vote_power": whole("vote_power", axes["vote_power"], 1, 32),
        "vote_keep": keep,
        "warning": warning,
        "drift": drift,
        "seed": check_seed(axes["random_state"]),
    }
