"""What all forests share: settings, members, votes, and what they show of their trees."""

from __future__ import annotations

import copy
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import sklearn.base

from riparian.data.class_weights import check_class_weight
from riparian.data.costs import check_costs
from riparian.data.table import read_example, refuse_uncertain
from riparian.drift import Detector
from riparian.evidence.certificates import Certificates, Split, evidence_lines, splits_of
from riparian.evidence.pending import Pending, pending_of
from riparian.evidence.structure import Structure
from riparian.models.forests.member_settings import threads
from riparian.models.forests.members import (
    Member,
    Standing,
    Vote,
    change_lines,
    inner_changes,
    member_columns,
)
from riparian.models.forests.trees import EnsembleEngine, ForestOfTrees
from riparian.models.hoeffding import HoeffdingTree
from riparian.models.parts import Parts
from riparian.models.settings import byte_count, check_settings
from riparian.policies import shortest
from riparian.policies.objects import is_own_object
from riparian.policies.own_leaf import refuse_limit

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from riparian.export.allowed import Allowed
    from riparian.export.plain import PlainTree

__all__ = ["Ensemble"]


E = TypeVar("E", bound=EnsembleEngine)


class Ensemble(ForestOfTrees[E], group="forests"):
    """A model of several trees with the same parameters, which run on `n_jobs` threads.

    A subclass defines its engine, its settings and its trees.
    """

    n_jobs: int | None

    # -- the engine ---------------------------------------------------------------------------

    # A sixteenth of the limit is for names (core/forest/ensemble.hpp).
    _name_parts = 32

    def _own_settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of the engine other than tree, threads and memory limit."""
        raise NotImplementedError(f"{type(self).__name__} must define _own_settings")

    def _settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        if axes["costs"] is not None:
            check_costs(axes["costs"])
        check_class_weight(axes["class_weight"])
        trees, limit = self._kinds_of_trees(axes), byte_count("max_bytes", axes["max_bytes"])
        for tree in trees:
            refuse_limit(tree["leaf"], limit)
        return {
            **self._own_settings(axes),
            "tree": check_settings(trees[0]),
            "threads": threads(self.n_jobs),
            "max_bytes": limit,
        }

    def _axes(self) -> dict[str, Any]:
        axes = super()._axes()
        del axes["n_jobs"]  # it changes no result
        for name in ("estimator", "last_member"):
            if isinstance(axes.get(name), sklearn.base.BaseEstimator):
                axes[name] = sklearn.base.clone(axes[name])
        for name, value in axes.items():
            if is_own_object(value) and not isinstance(value, Detector):
                axes[name] = copy.deepcopy(value)  # the user may go on to use it
        return axes

    @property
    def _calls_user_functions(self) -> bool:
        axes = self._learned_with if self._engine is not None else self._axes()
        return any(
            isinstance(tree, HoeffdingTree) and tree._calls_user_functions
            for tree in (axes["estimator"], axes.get("last_member"))
        )

    def _set_threads(self, engine: E) -> None:
        engine.set_threads(threads(self.n_jobs))

    # -- looking inside -----------------------------------------------------------------------

    def explain_one(self, x: Mapping[Any, Any]) -> list[Vote]:
        """Return what each member predicts for one example, and the weight of its vote.

        Parameters
        ----------
        x : mapping
            Values by the names of features, as in ``predict_one``.

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
        read = self._read_trees(lambda tree: tree.certificates())
        return [
            splits_of(certificates, self._schema_of(standing, features), self._axes_of(standing))
            for standing, certificates, features in read
        ]

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

    def _adaptations(self) -> list[Any]:
        """Return the adaptations of the members other than none, each once."""
        found: list[Any] = []
        for axes in self._kinds_of_trees(self._learned_with):
            if axes["adaptation"].name != "none" and axes["adaptation"] not in found:
                found.append(axes["adaptation"])
        return found

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
        for adaptation in self._adaptations():
            changed = [s.tree for s in standings if self._axes_of(s)["adaptation"] == adaptation]
            lines.append(inner_changes(changed, adaptation.name))
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
            own = self._axes_of(standing)
            tree.evidence = evidence_lines(splits_of(certificates, schema, own))
            what, names = next(iter(columns.items()))
            title = f"The tree of {what} {names[standings.index(standing)]}"
            parts = replace(parts, tree=tree, tree_title=title)
        return parts

    def _leading_tree(self, nearest: int) -> tuple[int, Structure, Certificates[Pending]] | None:
        """Return the member with the largest weight: its tree, and what its leaves wait for."""
        chosen: list[int] = []

        def leader(found: list[Standing]) -> list[Standing]:
            chosen[:] = [self._leader(self._members(found))] if found else []
            return [found[member] for member in chosen]

        for standing, nodes, features in self._read_trees(lambda tree: tree.nodes(), leader):
            schema = self._schema_of(standing, features)
            tree = Structure(nodes, schema.features, schema.classes)
            own = self._axes_of(standing)
            return chosen[0], tree, pending_of(standing.tree, schema, own, nearest)
        return None

    def _plain(self, allowed: Allowed, asked: str) -> PlainTree:
        from riparian.export.allowed import refuse_inexpressible
        from riparian.export.plain import Part, plain_forest, read_nodes

        self._fitted()
        for axes in self._kinds_of_trees(self._learned_with):
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
