"""What all forests share: members, votes, and copies of the trees."""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
import sklearn.base
from numpy.typing import NDArray

from riparian import _core
from riparian.data.class_weights import check_class_weight
from riparian.data.costs import check_costs
from riparian.data.schema import Schema
from riparian.data.table import read_example, refuse_uncertain
from riparian.drift import Detector
from riparian.evidence.certificates import Certificates, Split, evidence_lines, splits_of
from riparian.evidence.structure import Structure
from riparian.models.base import StreamClassifier
from riparian.models.batch import read_rows
from riparian.models.engine import Engine
from riparian.models.forests.members import (
    Member,
    Standing,
    Vote,
    change_lines,
    inner_changes,
    member_columns,
)
from riparian.models.hoeffding import HoeffdingTree
from riparian.models.learned import State
from riparian.models.parts import Parts
from riparian.models.paths import indicator, side_by_side
from riparian.models.settings import byte_count, check_settings
from riparian.policies import shortest
from riparian.policies.objects import is_own_object, states_in
from riparian.policies.own_leaf import refuse_limit
from riparian.policies.parameter import whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from scipy.sparse import csr_matrix

    from riparian.export.plain import Allowed, PlainTree

__all__ = ["Ensemble", "EnsembleEngine"]


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


class Ensemble(StreamClassifier[E], group="forests"):
    """A model of several trees with the same parameters, which run on `n_jobs` threads.

    A subclass defines its engine, its settings and its trees.
    """

    n_jobs: int | None

    # -- the engine ---------------------------------------------------------------------------

    # A sixteenth of the limit is for names (core/forest/ensemble.hpp).
    _name_parts = 32

    def _own_settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of the engine other than tree, threads and memory limit."""
        raise NotImplementedError

    def _tree_axes(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of a member; a ValueError names what a forest cannot have."""
        return _member_axes(axes)

    def _settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        if axes["costs"] is not None:
            check_costs(axes["costs"])
        check_class_weight(axes["class_weight"])
        tree, limit = self._tree_axes(axes), byte_count("max_bytes", axes["max_bytes"])
        refuse_limit(tree["leaf"], limit)
        return {
            **self._own_settings(axes),
            "tree": check_settings(tree),
            "threads": threads(self.n_jobs),
            "max_bytes": limit,
        }

    def _axes(self) -> dict[str, Any]:
        axes = super()._axes()
        del axes["n_jobs"]  # it changes no result
        if isinstance(axes.get("estimator"), sklearn.base.BaseEstimator):
            axes["estimator"] = sklearn.base.clone(axes["estimator"])
        for name, value in axes.items():
            if is_own_object(value) and not isinstance(value, Detector):
                axes[name] = copy.deepcopy(value)  # the user may go on to use it
        return axes

    @property
    def _calls_user_functions(self) -> bool:
        axes = self._learned_with if self._engine is not None else self._axes()
        estimator = axes["estimator"]
        return isinstance(estimator, HoeffdingTree) and estimator._calls_user_functions

    def _set_threads(self, engine: E) -> None:
        engine.set_threads(threads(self.n_jobs))

    # -- looking inside -----------------------------------------------------------------------

    def explain_one(self, x: Mapping[Any, Any]) -> list[Vote]:
        """Return what each member predicts for one example, and the weight of its vote.

        Parameters
        ----------
        x : mapping
            Values by the names of features, as in :meth:`predict_one`.

        Returns
        -------
        votes : list of Vote
            One for each member; it prints as a sentence.

        Examples
        --------
        >>> from riparian import OnlineBagging
        >>> from riparian.streams import sea
        >>> forest = OnlineBagging(n_estimators=3).fit(*sea(seed=1).take(2_000))
        >>> print(forest.explain_one({0: 8.0, 1: 7.0, 2: 1.0})[0])
        member 0: 1 with 0.887, weight 1.000
        """
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

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the leaf of each member that each row reaches.

        Parameters
        ----------
        X : array, frame or mapping of columns, of shape (n_rows, n_features)
            The rows, as in :meth:`predict`.

        Returns
        -------
        leaves : ndarray of shape (n_rows, n_members)
            The numbers of the nodes, as in ``estimators_``; the root of each tree is 0.

        Examples
        --------
        >>> from riparian import OnlineBagging
        >>> from riparian.streams import sea
        >>> forest = OnlineBagging(n_estimators=3).fit(*sea(seed=1).take(2_000))
        >>> forest.apply([[8.0, 7.0, 1.0]]).shape
        (1, 3)
        """
        found = [nodes["ends"] for nodes in self._nodes_of(X)]
        return np.stack(found, axis=1).astype(np.int64)

    def decision_path(self, X: Any) -> tuple[csr_matrix, NDArray[np.int64]]:
        """Return the nodes of all members that each row visits.

        Parameters
        ----------
        X : array, frame or mapping of columns, of shape (n_rows, n_features)
            The rows, as in :meth:`predict`.

        Returns
        -------
        indicator : csr_matrix of shape (n_rows, n_nodes)
            1 for each node on the paths of a row. The columns are the nodes of all members, one
            member after the other.
        n_nodes_ptr : ndarray of shape (n_members + 1,)
            The first column of each member, and the number of all columns.

        Examples
        --------
        >>> from riparian import OnlineBagging
        >>> from riparian.streams import sea
        >>> forest = OnlineBagging(n_estimators=3).fit(*sea(seed=1).take(2_000))
        >>> indicator, n_nodes_ptr = forest.decision_path([[8.0, 7.0, 1.0]])
        >>> indicator[:, n_nodes_ptr[0] : n_nodes_ptr[1]].indices.tolist()
        [0, 2, 6]
        """
        return side_by_side([indicator(nodes) for nodes in self._nodes_of(X)])

    def _nodes_of(self, X: Any) -> list[dict[str, NDArray[Any]]]:
        """Return the nodes of each member, with the node at which the path of each row ends."""
        self._fitted()
        table = read_rows(X)
        refuse_uncertain(table, "a single path")
        batch = self._read(table).batch
        return [
            standing.tree.nodes(batch if standing.drawn is None else batch.select(standing.drawn))
            for standing in self._standings()
        ]

    def export_text(
        self, *, member: int | None = None, max_depth: int | None = None, digits: int = 6
    ) -> str:
        """Write the trees of the members as indented text.

        Parameters
        ----------
        member : int or None, default=None
            Write the tree of this member only; None writes all of them.
        max_depth : int or None, default=None
            Deepest level to write; the nodes left out are counted. None writes whole trees.
        digits : int, default=6
            Significant digits of thresholds; more are used where two would look alike.

        Returns
        -------
        text : str
            The trees, one after the other, with one line per branch.

        Examples
        --------
        >>> from riparian import OnlineBagging
        >>> from riparian.streams import sea
        >>> forest = OnlineBagging(n_estimators=3).fit(*sea(seed=1).take(2_000))
        >>> print(forest.export_text(member=0, max_depth=1))
        2,018 examples, 7 nodes, 4 leaves, depth 2
        ├─ x1 <= 5.47751: 0 (54%, n=991: 0 531, 1 460) … +2 nodes
        └─ x1 > 5.47751: 1 (82%, n=719: 1 591, 0 128) … +2 nodes
        4 nodes below depth 1 are not shown
        """
        from riparian.export import forest_text

        return forest_text(self, member=member, max_depth=max_depth, digits=digits)

    def export_graphviz(
        self,
        *,
        member: int,
        max_depth: int | None = None,
        digits: int = 6,
        horizontal: bool = False,
    ) -> str:
        """Write the tree of one member in Graphviz's DOT language.

        Parameters
        ----------
        member : int
            The member; the first is 0.
        max_depth : int or None, default=None
            Deepest level to write; nodes with something left out are dashed. None writes the whole
            tree.
        digits : int, default=6
            Significant digits of thresholds; more are used where two would look alike.
        horizontal : bool, default=False
            Grow from left to right instead of from top to bottom.

        Returns
        -------
        text : str
            The text, for ``dot -Tsvg`` or ``graphviz.Source``.

        Examples
        --------
        >>> from riparian import OnlineBagging
        >>> from riparian.streams import sea
        >>> forest = OnlineBagging(n_estimators=3).fit(*sea(seed=1).take(2_000))
        >>> forest.export_graphviz(member=0).splitlines()[0]
        'digraph riparian {'
        """
        from riparian.export import tree_of

        tree: HoeffdingTree = tree_of(self, member)
        return tree.export_graphviz(max_depth=max_depth, digits=digits, horizontal=horizontal)

    def plot(
        self,
        ax: Axes | None = None,
        *,
        member: int,
        max_depth: int | None = 4,
        max_branches: int = 12,
    ) -> Axes:
        """Draw the tree of one member with matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw. By default a new figure of the size that the tree needs.
        member : int
            The member; the first is 0.
        max_depth : int or None, default=4
            Deepest level to draw; what is left out is counted next to the node. None draws the
            whole tree.
        max_branches : int, default=12
            Most branches to draw per node; the lightest others are folded into one.

        Returns
        -------
        ax : matplotlib.axes.Axes
            The axes with the picture.

        Examples
        --------
        >>> from riparian import OnlineBagging
        >>> from riparian.streams import sea
        >>> forest = OnlineBagging(n_estimators=3).fit(*sea(seed=1).take(2_000))
        >>> ax = forest.plot(member=0, max_depth=2)
        >>> ax.figure.savefig("member.png")  # doctest: +SKIP
        """
        from riparian.export import tree_of

        tree: HoeffdingTree = tree_of(self, member)
        return tree.plot(ax, max_depth=max_depth, max_branches=max_branches)

    def splits(self) -> list[Certificates[Split]]:
        """Return the certificates of the splits of each member.

        Returns
        -------
        splits : list of Certificates of Split
            For each member a list that is also a table, oldest split first.

        Examples
        --------
        >>> from riparian import OnlineBagging
        >>> from riparian.streams import sea
        >>> forest = OnlineBagging(n_estimators=3).fit(*sea(seed=1).take(2_000))
        >>> first = forest.splits()[0][0]
        >>> first.n, first.reason
        (308.0, 'bound')
        """
        self._fitted()
        axes = self._tree_axes(self._learned_with)
        read = self._read_trees(lambda tree: tree.certificates())
        return [
            splits_of(certificates, self._schema_of(standing, features), axes)
            for standing, certificates, features in read
        ]

    def _standings(self) -> list[Standing]:
        """Return all members at one moment: one call of the engine, while others may learn."""
        raise NotImplementedError

    def _read_trees(
        self, read: Callable[[_core.Engine], T], choose: Callable[[list[Standing]], Any] = list
    ) -> list[tuple[Standing, T, list[int]]]:
        """Read the trees of one moment; return the results and the features that they see.

        `choose` selects those to read from all members. If a tree that draws features has got new
        ones while it was read, all are read again.
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
        """Return the state of each member.

        Returns
        -------
        members : list of Member
            Size, weight of the vote, accuracy since the member began, and how often it was
            replaced. A member prints as a sentence.

        Examples
        --------
        >>> from riparian import OnlineBagging
        >>> from riparian.streams import sea
        >>> forest = OnlineBagging(n_estimators=3).fit(*sea(seed=1).take(2_000))
        >>> print(forest.members()[0])
        member 0: 4 leaves, depth 2, weight 1.000, accuracy 0.8315, replaced 0 times
        """
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

    def _member_columns(self, members: Sequence[Any]) -> dict[str, list[str]]:
        """The members as columns of text; the first column names the member."""
        return member_columns(members, replaced=self._learned_with.get("drift") is not None)

    def _leader(self, members: Sequence[Any]) -> int:
        """The member whose tree is drawn: that with the largest weight."""
        return max(range(len(members)), key=lambda member: members[member].weight)

    def _change_lines(self, members: Sequence[Any], columns: Mapping[str, list[str]]) -> list[str]:
        """What happened to the members as the stream changed."""
        return change_lines(members, columns, self._learned_with)

    def _parts(self) -> Parts:
        standings: list[Standing] = []

        def leader(found: list[Standing]) -> list[Standing]:
            standings[:] = found
            return [found[self._leader(self._members(found))]] if found else []

        read = self._read_trees(lambda tree: (tree.certificates(), tree.nodes()), leader)
        trees = [standing.tree for standing in standings]
        members = self._members(standings)
        columns = self._member_columns(members)
        lines = self._change_lines(members, columns)
        axes = self._tree_axes(self._learned_with)
        if axes["adaptation"].name != "none":
            lines.append(inner_changes(trees, axes["adaptation"].name))
        parts = replace(
            super()._parts(),
            sizes={
                "trees": len(trees),
                "leaves": sum(tree.n_leaves for tree in trees),
                "active_leaves": sum(tree.n_active_leaves for tree in trees),
                "nodes": sum(tree.n_nodes for tree in trees),
                "depth": max((tree.depth for tree in trees), default=0),
            },
            members=members,
            member_columns=columns,
            member_changes=lines,
        )
        for standing, (certificates, nodes), features in read:
            schema = self._schema_of(standing, features)
            tree = Structure(nodes, schema.features, schema.classes)
            tree.evidence = evidence_lines(splits_of(certificates, schema, axes))
            what, names = next(iter(columns.items()))
            title = f"The tree of {what} {names[standings.index(standing)]}"
            parts = replace(parts, tree=tree, tree_title=title)
        return parts

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
        """Return a copy of one member as it is now."""
        ((_, copy),) = self._copies(lambda standings: [standings[member]])
        return copy

    def _copies(
        self, choose: Callable[[list[Standing]], Any] = list
    ) -> list[tuple[Standing, HoeffdingTree]]:
        """Return copies of the members that `choose` selects, as they are now."""
        with states_in([]):
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
        copy._install(State(engine, schema, copy._axes(), threading.Lock()))
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
        from riparian.export.plain import Part, plain_forest, read_nodes, refuse_inexpressible

        self._fitted()
        axes = self._tree_axes(self._learned_with)
        options = axes["adaptation"].name == "options"
        refuse_inexpressible(allowed, asked, leaf=shortest(axes["leaf"]), options=options)
        read = self._read_trees(
            lambda tree: read_nodes(tree, allowed, asked),
            lambda standings: [s for s in standings if s.weight > 0.0],
        )
        return plain_forest(
            self,
            [Part(nodes, features, weight=standing.weight) for standing, nodes, features in read],
        )

    def _classes_of(self, standing: Standing) -> list[Hashable]:
        """Return the labels of the classes of a member's tree."""
        return list(self._schema.classes)

    def _schema_of(
        self,
        standing: Standing,
        features: list[int],
        arrays: Mapping[str, NDArray[Any]] | None = None,
    ) -> Schema:
        """Return the schema of a member with these features.

        With the arrays of the member it has only the categories and classes that it has seen.
        """
        schema = Schema("HoeffdingTree")
        counts = iter([] if arrays is None else arrays["categories"].tolist())
        for f in features:
            feature = self._schema.features[f]
            own = type(feature)(feature.name, feature.kind)
            schema.add_feature(own)
            if feature.kind == "categorical":
                count = next(counts, None)
                schema.add_categories(own, list(feature.codes)[:count])
                if watch := self._schema.watches.get(f):
                    if watch.forgotten and count is not None:
                        watch = replace(watch, forgotten=count)
                    schema.restore_watch(len(schema.features) - 1, watch)
        classes = self._classes_of(standing)
        schema.add_classes(classes if arrays is None else classes[: int(arrays["classes"][0])])
        return schema


def _restored_whole(
    axes: Mapping[str, Any], arrays: dict[str, NDArray[Any]], names: int
) -> _core.Engine:
    """Restore the engine of a snapshot with all that the tree kept.

    With a memory limit it gets the part of its member, doubled as often as needed: a tree by
    itself also holds names, and what members leave out because it can be derived.
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
    """Return the parameters of `estimator` as a member."""
    estimator = axes["estimator"]
    if estimator is None:
        estimator = HoeffdingTree(
            grace_period=50,
            delta=0.01,
            inherit_counts="count",
            # Among few drawn features there is often only one that can split.
            missing_second="zero" if axes.get("leaf_features") is None else "-inf",
        )
    if not isinstance(estimator, HoeffdingTree):
        raise ValueError(
            "estimator must be a HoeffdingTree or one of its recipes (VFDT(), HAT(), ...), "
            f"got {estimator!r}"
        )
    tree = estimator._axes()
    for name, why in (
        ("max_bytes", "set it on the forest, for all members together"),
        ("costs", "set them on the forest, whose predictions they change"),
        ("class_weight", "set it on the forest, which weights the rows"),
    ):
        if tree[name] is not None:
            raise ValueError(f"estimator must have {name}=None, got {tree[name]!r}; {why}")
    if axes.get("leaf_features") is not None:
        tree["leaf_features"] = axes["leaf_features"]
    names = ("categorical_features", "date_parts", "max_categories", "max_features", "max_classes")
    for name in names:
        tree[name] = axes[name]
    return tree


def threads(n_jobs: object) -> int:
    """Return the number of threads for `n_jobs`."""
    if n_jobs is None or n_jobs == -1:
        affinity = getattr(os, "sched_getaffinity", None)  # not on every system
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    return whole("n_jobs", n_jobs, 1, 1024)
