"""Models that are one tree of nodes: their texts, pictures and sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.data.table import read_example, refuse_uncertain
from riparian.evidence.structure import Structure
from riparian.models.base import StreamClassifier
from riparian.models.batch import read_rows
from riparian.models.engine import Engine
from riparian.models.parts import Parts
from riparian.models.paths import indicator

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from scipy.sparse import csr_matrix
    from sklearn.tree import DecisionTreeClassifier

    from riparian.export import Step
    from riparian.export.allowed import Allowed
    from riparian.export.plain import PlainTree

__all__ = ["TreeEngine", "TreeModel"]


class TreeEngine(Engine, Protocol):
    """An engine whose nodes :class:`riparian.evidence.structure.Structure` can read."""

    @property
    def n_nodes(self) -> int: ...
    @property
    def n_leaves(self) -> int: ...
    @property
    def depth(self) -> int: ...
    def nodes(self, rows: _core.Batch | None = None) -> dict[str, NDArray[Any]]: ...


T = TypeVar("T", bound=TreeEngine)


class TreeModel(StreamClassifier[T]):
    """What every model that is one tree shows of itself."""

    def explain_one(self, x: Mapping[Any, Any]) -> list[Step]:
        """Return the path of one example from the root to its leaf.

        Parameters
        ----------
        x : mapping
            Values by the names of features, as in :meth:`predict_one`.

        Returns
        -------
        steps : list of Step
            One for each test on the way, and one for the leaf. Each has the class weights of the
            examples that reached its node, and prints as a sentence.

        Examples
        --------
        >>> from riparian import VFDT
        >>> from riparian.streams import sea
        >>> tree = VFDT(leaf="majority").fit(*sea(seed=1).take(20_000))
        >>> for step in tree.explain_one({0: 8.0, 1: 7.0, 2: 1.0}):
        ...     print(step)
        node 0: x1 > 4.546 (1, 64% of 20,000)
        node 2: x0 > 2.72199 (1, 81% of 9,055)
        node 6: x0 > 4.04689 (1, 89% of 4,090)
        node 12: leaf (1, 89% of 557)
        """
        from riparian.export import path_steps

        self._fitted()
        row = {self._schema.index[k]: v for k, v in x.items() if k in self._schema.index}
        table = read_example(x)
        refuse_uncertain(table, "a single path")
        structure = Structure.of(self, row=self._read(table).batch)
        return path_steps(structure, structure.path, row)

    def apply(self, X: Any) -> NDArray[np.int64]:
        """Return the leaf that each row reaches.

        Parameters
        ----------
        X : array, frame or mapping of columns, of shape (n_rows, n_features)
            The rows, as in :meth:`predict`.

        Returns
        -------
        leaves : ndarray of shape (n_rows,)
            The numbers of the nodes, as in :meth:`explain_one` and in the texts and pictures of
            the tree; the root is 0. They change when the tree grows. In a tree with options it
            is the leaf behind the first test of each node. In a tree with a branch for every
            value a row may end at an inner node.

        Examples
        --------
        >>> from riparian import VFDT
        >>> from riparian.streams import sea
        >>> tree = VFDT(leaf="majority").fit(*sea(seed=1).take(20_000))
        >>> tree.apply([[8.0, 7.0, 1.0], [1.0, 2.0, 9.0]]).tolist()
        [12, 9]
        """
        found: NDArray[np.int64] = self._nodes_of(X)["ends"].astype(np.int64)
        return found

    def decision_path(self, X: Any) -> csr_matrix:
        """Return the nodes that each row visits.

        Parameters
        ----------
        X : array, frame or mapping of columns, of shape (n_rows, n_features)
            The rows, as in :meth:`predict`.

        Returns
        -------
        indicator : csr_matrix of shape (n_rows, n_nodes)
            1 for each node on the path of a row, numbered as in :meth:`apply`.

        Examples
        --------
        >>> from riparian import VFDT
        >>> from riparian.streams import sea
        >>> tree = VFDT(leaf="majority").fit(*sea(seed=1).take(20_000))
        >>> tree.decision_path([[8.0, 7.0, 1.0]]).indices.tolist()
        [0, 2, 6, 12]
        """
        return indicator(self._nodes_of(X))

    def _nodes_of(self, X: Any) -> dict[str, NDArray[Any]]:
        """Return the nodes of the tree, with the node at which the path of each row ends."""
        engine = self._fitted()
        table = read_rows(X)
        refuse_uncertain(table, "a single path")
        return engine.nodes(self._read(table).batch)

    def get_depth(self) -> int:
        """Return the depth of the tree.

        Returns
        -------
        depth : int
            The same as ``depth_``.

        Examples
        --------
        >>> from riparian import VFDT
        >>> from riparian.streams import sea
        >>> VFDT(leaf="majority").fit(*sea(seed=1).take(20_000)).get_depth()
        3
        """
        return self.depth_

    def get_n_leaves(self) -> int:
        """Return the number of leaves of the tree.

        Returns
        -------
        leaves : int
            The same as ``n_leaves_``.

        Examples
        --------
        >>> from riparian import VFDT
        >>> from riparian.streams import sea
        >>> VFDT(leaf="majority").fit(*sea(seed=1).take(20_000)).get_n_leaves()
        7
        """
        return self.n_leaves_

    def export_text(self, *, max_depth: int | None = None, digits: int = 6) -> str:
        """Write the tree as indented text.

        Parameters
        ----------
        max_depth : int or None, default=None
            Deepest level to write; the nodes left out are counted. None writes the whole tree.
        digits : int, default=6
            Significant digits of thresholds; more are used where two would look alike.

        Returns
        -------
        text : str
            One line per branch. A leaf shows the class that a majority leaf predicts, the share
            of that class, and the class weights of the examples that it saw.

        Examples
        --------
        >>> from riparian import VFDT
        >>> from riparian.streams import sea
        >>> tree = VFDT(leaf="majority").fit(*sea(seed=1).take(20_000))
        >>> print(tree.export_text(max_depth=1))
        20,000 examples, 13 nodes, 7 leaves, depth 3
        ├─ x1 <= 4.546: 0 (55%, n=7,545: 0 4,187, 1 3,358) … +4 nodes
        └─ x1 > 4.546: 1 (81%, n=9,055: 1 7,364, 0 1,691) … +6 nodes
        10 nodes below depth 1 are not shown
        """
        from riparian.export import export_text

        return export_text(self, max_depth=max_depth, digits=digits)

    def export_graphviz(
        self, *, max_depth: int | None = None, digits: int = 6, horizontal: bool = False
    ) -> str:
        """Write the tree in Graphviz's DOT language.

        Parameters
        ----------
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
        >>> from riparian import VFDT
        >>> from riparian.streams import sea
        >>> tree = VFDT(leaf="majority").fit(*sea(seed=1).take(20_000))
        >>> tree.export_graphviz(max_depth=1).splitlines()[0]
        'digraph riparian {'
        """
        from riparian.export import export_graphviz

        return export_graphviz(self, max_depth=max_depth, digits=digits, horizontal=horizontal)

    def to_sklearn(
        self, *, leaf: Literal["majority"] | None = None, missing: Literal["fails"] | None = None
    ) -> DecisionTreeClassifier:
        """Export the tree to scikit-learn.

        Parameters
        ----------
        leaf : {"majority"} or None, default=None
            "majority" exports the leaves of any tree as majority leaves; None refuses a tree that
            predicts with others.
        missing : {"fails"} or None, default=None
            For ITI, where a missing value takes both branches of a test: "fails" lets it fail the
            test, as it does while learning; None refuses such a tree.

        Returns
        -------
        tree : DecisionTreeClassifier
            A fitted tree with the same predictions.

        Examples
        --------
        >>> from riparian import VFDT
        >>> from riparian.streams import sea
        >>> tree = VFDT(leaf="majority").fit(*sea(seed=1).take(20_000))
        >>> X, _ = sea(seed=2).take(1_000)
        >>> bool((tree.to_sklearn().predict(X) == tree.predict(X)).all())
        True
        """
        from riparian.export import to_sklearn

        return to_sklearn(self, leaf=leaf, missing=missing)

    def _parts(self) -> Parts:
        tree = Structure.of(self, evidence=True)
        sizes = {"leaves": tree.n_leaves, "nodes": len(tree), "depth": tree.depth}
        return replace(super()._parts(), tree=tree, sizes=sizes)

    def _evidence_lines(self) -> dict[int, str]:
        """For each node that has a certificate, a line about it."""
        return {}

    def _plain(self, allowed: Allowed, asked: str) -> PlainTree:
        from riparian.export.plain import Part, plain_tree

        return plain_tree(self, Part(self._fitted().nodes()))

    def plot(
        self, ax: Axes | None = None, *, max_depth: int | None = 4, max_branches: int = 12
    ) -> Axes:
        """Draw the tree with matplotlib.

        The tree grows from left to right. Each card is a node, with the class shares as a bar.
        Branches are as wide as their share of all examples.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw. By default a new figure of the size that the tree needs.
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
        >>> from riparian import VFDT
        >>> from riparian.streams import sea
        >>> tree = VFDT(leaf="majority").fit(*sea(seed=1).take(20_000))
        >>> ax = tree.plot(max_depth=2)
        >>> ax.figure.savefig("tree.png")  # doctest: +SKIP
        """
        from riparian.show.plot import plot_tree

        return plot_tree(self, ax=ax, max_depth=max_depth, max_branches=max_branches)

    @property
    def n_nodes_(self) -> int:
        return self._fitted().n_nodes

    @property
    def n_leaves_(self) -> int:
        return self._fitted().n_leaves

    @property
    def depth_(self) -> int:
        return self._fitted().depth
