"""What every model of several trees is: who votes how, and what the members are."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

import numpy as np
import sklearn.base
from numpy.typing import NDArray

from riparian import _core
from riparian.certificates import Certificates, Split, splits_of
from riparian.costs import check_costs
from riparian.engine import Engine
from riparian.model import StreamClassifier
from riparian.policies import shortest
from riparian.policies.parameter import whole
from riparian.schema import Schema
from riparian.settings import byte_count, check_settings
from riparian.table import read_example, refuse_uncertain
from riparian.tree import HoeffdingTree

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from riparian.export.plain import Allowed, PlainTree

__all__ = ["Ensemble", "EnsembleEngine", "Member", "Standing", "Vote"]


@dataclass(frozen=True)
class Vote:
    """What one member of a forest predicts for an example."""

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


@dataclass(frozen=True)
class Member:
    """How one member of a forest stands."""

    member: int
    leaves: int
    depth: int
    #: What its vote counts.
    weight: float
    #: How often it was right on rows that it had not learned, since it began; None if not kept.
    accuracy: float | None
    #: How often a tree was begun in its background.
    warnings: int
    #: How often it was replaced.
    drifts: int

    def __str__(self) -> str:
        text = f"member {self.member}: {self.leaves:,} leaves, depth {self.depth}, "
        text += f"weight {self.weight:.3f}"
        if self.accuracy is not None:
            text += f", accuracy {self.accuracy:.4f}, replaced {self.drifts:,} times"
        return text


@dataclass(frozen=True)
class Standing:
    """One member as it was at the moment at which all of them were read.

    The tree learns on; the other members of that moment may be gone since.
    """

    tree: _core.Engine
    #: What its vote counts.
    weight: float
    accuracy: float | None = None
    warnings: int = 0
    drifts: int = 0
    #: The features that the tree saw, where members draw some; None for all of them.
    drawn: list[int] | None = None
    #: Of a member that learned one chunk, which one that was.
    chunk: int | None = None
    #: Of a pair, the codes of its classes.
    pair: tuple[int, int] | None = None

    def features(self, n: int) -> list[int] | None:
        """The first n features of the tree; None if it has got some of them since."""
        if self.drawn is None:
            return list(range(n))
        return self.drawn[:n] if n <= len(self.drawn) else None


class EnsembleEngine(Engine, Protocol):
    """An engine of several trees."""

    @property
    def n_members(self) -> int: ...
    def set_threads(self, threads: int) -> None: ...
    def votes(
        self, batch: _core.Batch, width: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...


E = TypeVar("E", bound=EnsembleEngine)
T = TypeVar("T")


class Ensemble(StreamClassifier[E]):
    """Over trees that are all made alike, and run on `n_jobs` threads.

    A subclass names its engine, its settings and its trees.
    """

    n_jobs: int | None
    #: The free composition whose parameters all recipes of a kind share.
    _composition: ClassVar[type[Ensemble[Any]]]
    #: The class of the engine.
    _native: ClassVar[Any]

    # -- the engine ---------------------------------------------------------------------------

    def _own_settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        """The settings of its engine other than the tree, the threads and the memory limit."""
        raise NotImplementedError

    def _tree_axes(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters of a tree of these; a ValueError names what a forest cannot have."""
        return _member_axes(axes)

    def _settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        if axes["costs"] is not None:
            check_costs(axes["costs"])
        return {
            **self._own_settings(axes),
            "tree": check_settings(self._tree_axes(axes)),
            "threads": threads(self.n_jobs),
            "max_bytes": byte_count("max_bytes", axes["max_bytes"]),
        }

    def _new_engine(self, axes: Mapping[str, Any]) -> E:
        engine: E = self._native(self._settings(axes))
        return engine

    def _restored_engine(self, axes: Mapping[str, Any], arrays: dict[str, NDArray[Any]]) -> E:
        return self._restorer(axes)(arrays)

    def _restorer(self, axes: Mapping[str, Any]) -> Callable[[dict[str, NDArray[Any]]], E]:
        return functools.partial(self._native.restore, self._settings(axes))

    def _axes(self) -> dict[str, Any]:
        """All parameters of the free composition but `n_jobs`, which changes no result."""
        names = (name for name in self._composition._get_param_names() if name != "n_jobs")
        axes = {name: getattr(self, name) for name in names}
        if isinstance(axes.get("estimator"), sklearn.base.BaseEstimator):
            axes["estimator"] = sklearn.base.clone(axes["estimator"])
        return axes

    def _fresh_like(self) -> StreamClassifier[E]:
        return self._composition(**self._axes(), n_jobs=self.n_jobs)

    @property
    def _calls_user_functions(self) -> bool:
        axes = self._learned_with if self._engine is not None else self._axes()
        estimator = axes["estimator"]
        return isinstance(estimator, HoeffdingTree) and estimator._calls_user_functions

    def _learn(self, *args: Any, **options: Any) -> Any:
        if self._engine is not None:
            self._engine.set_threads(threads(self.n_jobs))
        return super()._learn(*args, **options)

    # -- looking inside -----------------------------------------------------------------------

    def explain_one(self, x: Mapping[Any, Any]) -> list[Vote]:
        """What each member predicts for one example, and what its vote counts."""
        engine = self._fitted()
        table = read_example(x)
        refuse_uncertain(table, "a vote")
        classes = list(self._schema.classes)
        shares, weights = engine.votes(self._read(table).batch, len(classes))
        return [
            self._vote(member, float(weight), dict(zip(classes, row.tolist(), strict=True)))
            for member, (row, weight) in enumerate(zip(shares, weights, strict=True))
        ]

    def _vote(self, member: int, weight: float, probabilities: dict[Hashable, float]) -> Vote:
        label = max(probabilities, key=probabilities.__getitem__)
        return Vote(member, weight, label if probabilities[label] > 0 else None, probabilities)

    def export_text(self, **options: Any) -> str:
        """The tree of each member; options as in :func:`riparian.export.forest_text`."""
        from riparian.export import forest_text

        return forest_text(self, **options)

    def export_graphviz(self, *, member: int, **options: Any) -> str:
        """The tree of one member in the DOT language, as of a tree by itself."""
        from riparian.export import export_graphviz, tree_of

        return export_graphviz(tree_of(self, member), **options)

    def plot(self, ax: Axes | None = None, *, member: int, **options: Any) -> Axes:
        """Draws the tree of one member; options as in :func:`riparian.plot.plot_tree`."""
        from riparian.export import tree_of
        from riparian.plot import plot_tree

        return plot_tree(tree_of(self, member), ax=ax, **options)

    def splits(self) -> list[Certificates[Split]]:
        """The certificates of the splits of each member, oldest first."""
        self._fitted()
        axes = self._tree_axes(self._learned_with)
        read = self._read_trees(lambda tree: tree.certificates())
        return [
            splits_of(certificates, self._schema_of(standing, features), axes)
            for standing, certificates, features in read
        ]

    def _standings(self) -> list[Standing]:
        """All members at one moment: one call of the engine, whatever is learned meanwhile."""
        raise NotImplementedError

    def _read_trees(
        self, read: Callable[[_core.Engine], T], choose: Callable[[list[Standing]], Any] = list
    ) -> list[tuple[Standing, T, list[int]]]:
        """What is read of the trees of one moment, with the features that they see.

        `choose` selects those to read from all members. Only where a tree that draws features
        has got new ones while it was read, all are read again.
        """
        while True:
            found = []
            for standing in choose(self._standings()):
                what = read(standing.tree)
                features = standing.features(standing.tree.n_features)
                if features is None:
                    break
                found.append((standing, what, features))
            else:
                return found

    def members(self) -> list[Member]:
        """How the members stand: size, weight, accuracy since they began, what was replaced."""
        return self._members(self._standings())

    def _members(self, standings: list[Standing]) -> list[Member]:
        return [self._member(m, standing) for m, standing in enumerate(standings)]

    def _member(self, member: int, standing: Standing) -> Member:
        tree = standing.tree
        return Member(
            member,
            tree.n_leaves,
            tree.depth,
            standing.weight,
            standing.accuracy,
            standing.warnings,
            standing.drifts,
        )

    def _trees(self) -> list[_core.Engine]:
        return [standing.tree for standing in self._standings()]

    @property
    def n_nodes_(self) -> int:
        return sum(tree.n_nodes for tree in self._trees())

    @property
    def n_leaves_(self) -> int:
        return sum(tree.n_leaves for tree in self._trees())

    @property
    def n_active_leaves_(self) -> int:
        return sum(tree.n_active_leaves for tree in self._trees())

    @property
    def depth_(self) -> int:
        return max((tree.depth for tree in self._trees()), default=0)

    @property
    def estimators_(self) -> list[HoeffdingTree]:
        return [copy for _, copy in self._copies()]

    def _estimator(self, member: int) -> HoeffdingTree:
        """A copy of one member as it is now."""
        ((_, copy),) = self._copies(lambda standings: [standings[member]])
        return copy

    def _copies(
        self, choose: Callable[[list[Standing]], Any] = list
    ) -> list[tuple[Standing, HoeffdingTree]]:
        """Copies of the members that `choose` selects, as they are now."""
        read = self._read_trees(lambda tree: (tree.snapshot(), tree.max_bytes), choose)
        return [
            (standing, self._copy(standing, arrays, share, features[: len(arrays["kinds"])]))
            for standing, (arrays, share), features in read
        ]

    def _copy(
        self,
        standing: Standing,
        arrays: dict[str, NDArray[Any]],
        share: int | None,
        features: list[int],
    ) -> HoeffdingTree:
        schema = self._schema_of(standing, features, arrays)
        axes = self._tree_axes(self._learned_with)
        engine = _restored_whole({**axes, "max_bytes": share}, arrays, schema.bytes)
        copy = HoeffdingTree(**{**axes, "max_bytes": engine.max_bytes})
        copy._schema, copy._engine, copy._learned_with = schema, engine, copy._axes()
        copy._learning = threading.Lock()
        return copy

    @property
    def estimator_features_(self) -> list[NDArray[np.intp]]:
        read = self._read_trees(lambda tree: None)
        return [np.array(features, dtype=np.intp) for _, _, features in read]

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        read = self._read_trees(lambda tree: tree.certificates())
        mean = np.zeros(self.n_features_in_)
        for _, certificates, features in read:
            own = np.zeros(len(mean))
            for _, _, _, n, best, *_ in certificates:
                own[features[best[0]]] += n * best[4]
            if own.sum() > 0:
                mean += own / own.sum()
        return mean / mean.sum() if mean.sum() > 0 else mean

    def _plain(self, allowed: Allowed, asked: str) -> PlainTree:
        from riparian.export.plain import Part, plain_forest, refuse_inexpressible

        self._fitted()
        axes = self._tree_axes(self._learned_with)
        options = axes["adaptation"].name == "options"
        refuse_inexpressible(allowed, asked, leaf=shortest(axes["leaf"]), options=options)
        read = self._read_trees(
            lambda tree: tree.nodes(), lambda standings: [s for s in standings if s.weight > 0.0]
        )
        return plain_forest(
            self,
            [Part(nodes, features, weight=standing.weight) for standing, nodes, features in read],
        )

    def _classes_of(self, standing: Standing) -> list[Hashable]:
        """The labels that the classes of a member's tree stand for."""
        return list(self._schema.classes)

    def _schema_of(
        self,
        standing: Standing,
        features: list[int],
        arrays: Mapping[str, NDArray[Any]] | None = None,
    ) -> Schema:
        """What a member with these features knows: with its arrays, no more than it has seen."""
        schema = Schema("HoeffdingTree")
        counts = iter([] if arrays is None else arrays["categories"].tolist())
        for f in features:
            feature = self._schema.features[f]
            own = type(feature)(feature.name, feature.kind)
            schema.add_feature(own)
            if feature.kind == "categorical":
                schema.add_categories(own, list(feature.codes)[: next(counts, None)])
        classes = self._classes_of(standing)
        schema.add_classes(classes if arrays is None else classes[: int(arrays["classes"][0])])
        return schema


def _restored_whole(
    axes: Mapping[str, Any], arrays: dict[str, NDArray[Any]], names: int
) -> _core.Engine:
    """The engine of a snapshot, with all that the tree kept.

    Below a limit it has the share of its member, or twice as much, and so on: a tree by itself
    holds its names, and what members leave out because it can be derived.
    """
    limit = axes["max_bytes"]
    while True:
        try:
            engine = _core.Engine.restore(check_settings({**axes, "max_bytes": limit}), arrays)
            engine.add_names(names)
        except _core.LimitTooLow:
            pass
        else:
            if limit is None:
                return engine
            kept = engine.snapshot()
            if all(np.array_equal(kept[name], arrays[name]) for name in ("inactive", "archived")):
                return engine
        limit *= 2


def _member_axes(axes: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of `estimator` as a member."""
    estimator = axes["estimator"]
    if estimator is None:
        estimator = HoeffdingTree(
            grace_period=50,
            delta=0.01,
            inherit_counts="count",
            # Among few drawn features often one alone can split.
            missing_second="zero" if axes.get("leaf_features") is None else "-inf",
        )
    if not isinstance(estimator, HoeffdingTree):
        raise ValueError(
            "estimator must be a tree of riparian that grows by a bound (VFDT(), HAT(), "
            f"HoeffdingTree(...)), got {estimator!r}"
        )
    tree = estimator._axes()
    for name, why in (
        ("max_bytes", "give it to the forest: it is for all members together"),
        ("costs", "give them to the forest, whose predictions they choose"),
    ):
        if tree[name] is not None:
            raise ValueError(f"estimator must have {name}=None, got {tree[name]!r}; {why}")
    if axes.get("leaf_features") is not None:
        tree["leaf_features"] = axes["leaf_features"]
    tree["categorical_features"] = axes["categorical_features"]
    return tree


def threads(n_jobs: object) -> int:
    """The number of threads for `n_jobs`."""
    if n_jobs is None or n_jobs == -1:
        ours = getattr(os, "sched_getaffinity", None)  # not on every system
        return len(ours(0)) if ours else os.cpu_count() or 1
    return whole("n_jobs", n_jobs, 1, 1024)
