"""The trees of a forest: reading them at one moment, their nodes, sizes and copies."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.data.schema import Schema
from riparian.data.table import refuse_uncertain
from riparian.models.base import StreamClassifier
from riparian.models.batch import read_rows
from riparian.models.engine import Engine
from riparian.models.forests.member_settings import last_member_axes, member_axes
from riparian.models.forests.members import Standing
from riparian.models.hoeffding import HoeffdingTree
from riparian.models.learned import State
from riparian.models.paths import indicator, side_by_side
from riparian.models.settings import check_settings
from riparian.policies.objects import states_in

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["EnsembleEngine", "ForestOfTrees"]


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


class ForestOfTrees(StreamClassifier[E]):
    """A model of several trees with the same parameters."""

    def _tree_axes(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of a member; a ValueError names what a forest cannot have."""
        return member_axes(axes)

    def _kinds_of_trees(self, axes: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the parameters of the members, and those of the last one if it is another tree."""
        return [self._tree_axes(axes), *last_member_axes(axes)]

    def _axes_of(self, standing: Standing) -> dict[str, Any]:
        """Return the parameters of one member."""
        return self._kinds_of_trees(self._learned_with)[1 if standing.is_last else 0]

    def _standings(self) -> list[Standing]:
        """Return all members at one moment: one call of the engine, while others may learn."""
        raise NotImplementedError(f"{type(self).__name__} must define _standings")

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

    def _trees(self) -> list[_core.Engine]:
        return [standing.tree for standing in self._standings()]

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the leaf of each member that each row reaches.

        Parameters
        ----------
        X : array, frame or mapping of columns, of shape (n_rows, n_features)
            The rows, as in ``predict``.

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
            The rows, as in ``predict``.

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
        axes = self._axes_of(standing)
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
