"""UFFT: a tree for every pair of classes."""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.certificates import Certificates, Split, splits_of
from riparian.compat import announce_to_river
from riparian.costs import check_costs
from riparian.drift import Detector
from riparian.errors import one_of
from riparian.forests.ensemble import threads
from riparian.forests.forest import detector_of
from riparian.model import StreamClassifier
from riparian.schema import Schema
from riparian.settings import byte_count, check_settings, number
from riparian.table import read_example, refuse_uncertain
from riparian.tree import HoeffdingTree

if TYPE_CHECKING:
    from riparian.export.plain import Allowed, PlainTree

__all__ = ["UFFT", "PairMember", "PairVote", "n_min"]

_READINGS = ["standard", "slide"]


def n_min(delta: float, epsilon: float, reading: str = "standard") -> float:
    r"""How many examples a leaf of UFFT waits for before it is looked at.

    The sample size of Hoeffding's bound for a gap of :math:`\varepsilon`, and what the slides
    of the authors print, where the two letters have changed places and a square is lost:

    .. math::

        n_{\text{standard}} = \frac{1}{2\varepsilon^2} \ln\frac{2}{\delta}, \qquad
        n_{\text{slide}} = \frac{1}{2\delta} \ln\frac{2}{\varepsilon}

    Parameters
    ----------
    delta : float
        Accepted probability of a wrong decision.
    epsilon : float
        The gap between two gains that is to be told from none.
    reading : {"standard", "slide"}, default="standard"
        Which of the two.

    References
    ----------
    .. [1] J. Gama, P. Rodrigues. Learning in dynamic environments: decision trees for data
       streams. Slides.

    Examples
    --------
    >>> round(n_min(1e-6, 0.05), 1), round(n_min(1e-6, 0.05, "slide"), 1)
    (2901.7, 1844439.7)
    """
    one_of("reading", reading, _READINGS)
    delta = number("delta", delta, 1e-300, 1.0)
    epsilon = number("epsilon", epsilon, 1e-12, 1.0)
    if reading == "standard":
        return math.log(2 / delta) / (2 * epsilon**2)
    return math.log(2 / epsilon) / (2 * delta)


@dataclass(frozen=True)
class PairVote:
    """What the tree of one pair of classes says of an example."""

    pair: tuple[Hashable, Hashable]
    probabilities: dict[Hashable, float]

    @property
    def label(self) -> Hashable:
        """The more likely of the two."""
        return max(self.pair, key=self.probabilities.__getitem__)

    def __str__(self) -> str:
        low, high = self.pair
        return f"{low!r} or {high!r}: {self.label!r} with {self.probabilities[self.label]:.3f}"


@dataclass(frozen=True)
class PairMember:
    """How the tree of one pair of classes stands."""

    pair: tuple[Hashable, Hashable]
    leaves: int
    depth: int
    #: How often it began anew.
    drifts: int

    def __str__(self) -> str:
        low, high = self.pair
        return f"{low!r} or {high!r}: {self.leaves:,} leaves, depth {self.depth}"


class UFFT(StreamClassifier[_core.PairForest]):
    """Ultra fast forest of trees: one binary tree for every pair of classes.

    A tree is begun when both its classes have been seen, and learns the examples of these two.
    It starts from the short-term memory of the last `short_memory` examples. The answer is the
    sum of what all trees say.

    Parameters
    ----------
    leaf : str or sequence of str, default="naive-bayes"
        What a leaf answers: "majority", "naive-bayes", "idbd", or several names, of which the
        one answers that was right more often at the leaf.
    cuts : str, default="qda"
        Cuts of numeric features: the one root of quadratic discriminant analysis, or as for
        :class:`riparian.HoeffdingTree`.
    delta : float, default=1e-6
        Accepted probability of a wrong decision in one check.
    tau : float, default=0.05
        Tie threshold: split anyway once the bound is below it.
    n_min : {"standard", "slide", "fixed"}, default="standard"
        Examples from one check of a leaf to the next: :func:`riparian.forests.n_min` of `delta`
        and `tau`, in one of its two readings, or `grace_period`.
    grace_period : float or None, default=None
        That number, where ``n_min="fixed"``.
    short_memory : int, default=1000
        Length of the short-term memory.
    memory : {"shared", "tree"}, default="shared"
        Whose last examples the children of a split learn: those of the forest, as far as they
        are of the two classes, or those of the tree, which may be much older. A new tree begins
        with those of the forest either way.
    drift : Detector, float or None, default=None
        Who watches the errors of each tree: a detector of :mod:`riparian.drift`, or the `delta`
        of an ADWIN. Where they rise the tree begins anew from the short-term memory, as in
        later papers of the authors [2]_.
    costs : array-like of shape (n_classes, n_classes), dict or None, default=None
        Cost of each (predicted, true) pair, as for a tree. Trees do not know them: the answer
        is the class of least expected cost by the sum.
    max_bytes : int, str or None, default=None
        Limit of the memory that the whole forest holds. Every tree has the same part of it,
        which becomes smaller with each class. A class that there is no room for is an error,
        and the model stays as it was.
    n_jobs : int or None, default=None
        Threads; None or -1 for one a core. The result does not depend on it.
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
    pairs_ : list of tuple
        The two labels of each tree.
    estimators_ : list of HoeffdingTree
        Copies of the trees as they are now, in the same order.
    n_leaves_, depth_ : int
        Leaves of all trees, and the depth of the deepest.
    n_drifts_ : int
        How often a tree began anew.
    feature_importances_ : ndarray
        Mean over the trees.
    memory_bytes_ : int
        Memory that the forest holds.

    Notes
    -----
    Nothing is drawn at random. Batches of any size and any number of threads give the same
    bytes.

    *Differs from the paper*: the sources leave settings open; `delta`, `tau`, the length of the
    memory and the naive Bayes leaf are ours. `n_min` takes `tau` for the gap that is to be
    resolved. The root that is taken is the one with the smaller sum of distances to the two
    means. What children recall does not count in the `n` of their bound, since the cut was
    chosen on it. "No split" competes at every check. Categories are split by each value. The
    detector hears of answers before the example is learned.

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
        leaf: str | Sequence[str] = "naive-bayes",
        cuts: str = "qda",
        delta: float = 1e-6,
        tau: float = 0.05,
        n_min: str = "standard",
        grace_period: float | None = None,
        short_memory: int = 1000,
        memory: str = "shared",
        drift: Detector | float | None = None,
        costs: Any = None,
        max_bytes: int | str | None = None,
        n_jobs: int | None = None,
        categorical_features: Any = "from_dtype",
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
        self.max_bytes = max_bytes
        self.n_jobs = n_jobs
        self.categorical_features = categorical_features
        announce_to_river(type(self))

    # -- the engine ---------------------------------------------------------------------------

    def _new_engine(self, axes: Mapping[str, Any]) -> _core.PairForest:
        return _core.PairForest(_settings(axes, threads(self.n_jobs)))

    def _restored_engine(
        self, axes: Mapping[str, Any], arrays: dict[str, NDArray[Any]]
    ) -> _core.PairForest:
        return self._restorer(axes)(arrays)

    def _restorer(
        self, axes: Mapping[str, Any]
    ) -> Callable[[dict[str, NDArray[Any]]], _core.PairForest]:
        settings = _settings(axes, threads(self.n_jobs))
        return functools.partial(_core.PairForest.restore, settings)

    def _axes(self) -> dict[str, Any]:
        """All parameters but `n_jobs`, which changes no result."""
        return {k: v for k, v in self.get_params(deep=False).items() if k != "n_jobs"}

    @property
    def _asks(self) -> bool:
        """Whether a row may fail: one of a class that was declared needs room for its trees."""
        engine = self._engine
        return (
            engine is not None
            and engine.max_bytes is not None
            and engine.n_classes_seen < engine.n_classes
        )

    def _learn(self, *args: Any, **options: Any) -> Any:
        if self._engine is not None:
            self._engine.set_threads(threads(self.n_jobs))
        return super()._learn(*args, **options)

    # -- looking inside -----------------------------------------------------------------------

    def explain_one(self, x: Mapping[Any, Any]) -> list[PairVote]:
        """What the tree of each pair says of one example; the answer is their sum."""
        engine = self._fitted()
        table = read_example(x)
        refuse_uncertain(table, "a vote")
        # Votes first: a learner may add pairs, at the end.
        shares = engine.votes(self._read(table).batch)
        return [
            PairVote(pair, dict(zip(pair, said.tolist(), strict=True)))
            for pair, said in zip(self.pairs_, shares, strict=False)
        ]

    def export_text(self, **options: Any) -> str:
        """The tree of each pair; options as in :func:`riparian.export.forest_text`."""
        from riparian.export import forest_text

        return forest_text(self, **options)

    def export_graphviz(self, *, member: int, **options: Any) -> str:
        """The tree of one member in the DOT language, as of a tree by itself."""
        from riparian.export import export_graphviz, tree_of

        return export_graphviz(tree_of(self, member), **options)

    def splits(self) -> list[Certificates[Split]]:
        """The certificates of the splits of each tree, oldest first."""
        engine = self._fitted()
        axes = _tree_axes(self._learned_with)
        return [
            splits_of(engine.tree(p), self._schema_of(pair), axes)
            for p, pair in enumerate(self.pairs_)
        ]

    def _plain(self, allowed: Allowed, asked: str) -> PlainTree:
        from riparian.export.plain import Part, plain_forest, refuse_unsaid

        engine = self._fitted()
        refuse_unsaid(allowed, asked, leaf=_tree_axes(self._learned_with)["leaf"])
        parts = [
            Part(engine.tree(p).nodes(), classes=(low, high))
            for p, (low, high, _) in enumerate(engine.records())
        ]
        if not parts:
            raise ValueError(f"{asked} needs a tree, and one class alone has none")
        return plain_forest(self, parts, float(len(parts)))

    @property
    def pairs_(self) -> list[tuple[Hashable, Hashable]]:
        classes = self._schema.classes if self._engine is not None else []
        return [(classes[low], classes[high]) for low, high, _ in self._fitted().records()]

    @property
    def estimators_(self) -> list[HoeffdingTree]:
        return [self._estimator(p) for p in range(len(self.pairs_))]

    def _estimator(self, member: int) -> HoeffdingTree:
        """A copy of the tree of one pair as it is now."""
        axes = _tree_axes(self._learned_with)
        arrays = self._fitted().tree(member).snapshot()
        copy = HoeffdingTree(**axes)
        copy._schema = self._schema_of(self.pairs_[member], arrays["categories"].tolist())
        copy._learned_with = axes
        copy._engine = copy._restored_engine(axes, arrays)
        copy._learning = threading.Lock()
        return copy

    def members(self) -> list[PairMember]:
        """How the trees stand: their pairs, their sizes, how often they began anew."""
        engine = self._fitted()
        records = engine.records()
        trees = [engine.tree(p) for p in range(len(records))]
        return [
            PairMember(pair, tree.n_leaves, tree.depth, drifts)
            for pair, tree, (_, _, drifts) in zip(self.pairs_, trees, records, strict=False)
        ]

    @property
    def n_leaves_(self) -> int:
        engine = self._fitted()
        return sum(engine.tree(p).n_leaves for p in range(len(engine.records())))

    @property
    def depth_(self) -> int:
        engine = self._fitted()
        return max((engine.tree(p).depth for p in range(len(engine.records()))), default=0)

    @property
    def n_drifts_(self) -> int:
        return sum(drifts for _, _, drifts in self._fitted().records())

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        engine = self._fitted()
        mean = np.zeros(self.n_features_in_)
        for p in range(len(engine.records())):
            own = np.zeros(self.n_features_in_)
            for _, _, _, n, best, *_ in engine.tree(p).certificates():
                own[best[0]] += n * best[4]
            if own.sum() > 0:
                mean += own / own.sum()
        return mean / mean.sum() if mean.sum() > 0 else mean

    def _schema_of(
        self, pair: tuple[Hashable, Hashable], known: Sequence[int] | None = None
    ) -> Schema:
        """The schema of one tree; `known`: how many categories of each feature it has seen."""
        schema = Schema("HoeffdingTree")
        counts = iter(known or ())
        for feature in self._schema.features:
            own = type(feature)(feature.name, feature.kind)
            schema.add_feature(own)
            if feature.kind == "categorical":
                schema.add_categories(own, list(feature.codes)[: next(counts, None)])
        schema.add_classes(list(pair))
        return schema


def _tree_axes(axes: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a tree of these."""
    reading, grace = axes["n_min"], axes["grace_period"]
    one_of("n_min", reading, [*_READINGS, "fixed"])
    if reading == "fixed":
        if grace is None:
            raise ValueError("n_min='fixed' needs a grace_period, got None")
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
                f"be resolved, got {tau!r}"
            ) from None
        grace = n_min(delta, tau, reading)
        if grace > 2.0**53:
            raise ValueError(
                f"n_min={reading!r} asks for {grace:.3g} examples before the first check with "
                f"delta={delta!r} and tau={tau!r}; take n_min='standard' or 'fixed'"
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
    )._axes()


def _settings(axes: Mapping[str, Any], n_threads: int) -> dict[str, Any]:
    tree = check_settings(_tree_axes(axes))
    if axes["costs"] is not None:
        check_costs(axes["costs"])
    return {
        "tree": tree,
        "short_memory": tree["short_memory"],
        "shared": one_of("memory", axes["memory"], ["shared", "tree"]) == "shared",
        "drift": detector_of("drift", axes["drift"]),
        "threads": n_threads,
        "max_bytes": byte_count("max_bytes", axes["max_bytes"]),
    }
