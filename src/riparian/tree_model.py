"""A model that is one tree of nodes: its texts, its pictures, its size."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from numpy.typing import NDArray

from riparian import _core
from riparian.engine import Engine
from riparian.model import StreamClassifier
from riparian.table import read_example, refuse_uncertain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sklearn.tree import DecisionTreeClassifier

    from riparian.export import Step
    from riparian.export.plain import Allowed, PlainTree

__all__ = ["TreeEngine", "TreeModel"]


class TreeEngine(Engine, Protocol):
    """An engine whose nodes :class:`riparian.structure.Structure` can read."""

    @property
    def n_nodes(self) -> int: ...
    @property
    def n_leaves(self) -> int: ...
    @property
    def depth(self) -> int: ...
    def nodes(self, row: _core.Batch | None = None) -> dict[str, NDArray[Any]]: ...


T = TypeVar("T", bound=TreeEngine)


class TreeModel(StreamClassifier[T]):
    """What every such model shows of itself."""

    def explain_one(self, x: Mapping[Any, Any]) -> list[Step]:
        """The path of one example from the root to its leaf, with the counts on the way."""
        from riparian.export import path_steps
        from riparian.structure import Structure

        self._fitted()
        row = {self._schema.index[k]: v for k, v in x.items() if k in self._schema.index}
        table = read_example(x)
        refuse_uncertain(table, "a single path")
        structure = Structure.of(self, row=self._read(table).batch)
        return path_steps(structure, structure.path, row)

    def export_text(self, **options: Any) -> str:
        """The tree as indented text; options as in :func:`riparian.export.export_text`."""
        from riparian.export import export_text

        return export_text(self, **options)

    def export_graphviz(self, **options: Any) -> str:
        """The tree in the DOT language; options as in :func:`riparian.export.export_graphviz`."""
        from riparian.export import export_graphviz

        return export_graphviz(self, **options)

    def to_sklearn(self, **options: Any) -> DecisionTreeClassifier:
        """The tree as scikit-learn's; options as in :func:`riparian.export.to_sklearn`."""
        from riparian.export import to_sklearn

        return to_sklearn(self, **options)

    def _plain(self, allowed: Allowed, asked: str) -> PlainTree:
        from riparian.export.plain import Part, plain_tree

        return plain_tree(self, Part(self._fitted().nodes()))

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draws the tree with matplotlib; options as in :func:`riparian.plot.plot_tree`."""
        from riparian.plot import plot_tree

        return plot_tree(self, ax=ax, **options)

    @property
    def n_nodes_(self) -> int:
        return self._fitted().n_nodes

    @property
    def n_leaves_(self) -> int:
        return self._fitted().n_leaves

    @property
    def depth_(self) -> int:
        return self._fitted().depth
