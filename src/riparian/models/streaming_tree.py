"""Trees that split once their evidence is enough: how they begin, and what they show."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian import _core
from riparian.evidence.certificates import Certificates, Split, evidence_lines, splits_of
from riparian.evidence.changes import Change, changes_of, totals_of
from riparian.evidence.pending import Pending, pending_of
from riparian.models.learned import State
from riparian.models.parts import Parts
from riparian.models.settings import check_settings, refuse_sparse, refuse_uncertain
from riparian.models.tree_model import TreeModel
from riparian.policies import shortest
from riparian.policies.arguments import example_count
from riparian.policies.own_leaf import has_own_leaf
from riparian.policies.parameter import whole

if TYPE_CHECKING:
    from riparian.export.allowed import Allowed
    from riparian.export.plain import PlainTree

__all__ = ["StreamingTree"]


class StreamingTree(TreeModel[_core.Engine]):
    """The methods of the free composition and its recipes; a subclass has the parameters."""

    # -- learning -----------------------------------------------------------------------------

    def rescan(
        self,
        X: Any,
        y: Any,
        passes: int = 1,
        sample_weight: ArrayLike | None = None,
        *,
        progress: bool | None = None,
    ) -> Self:
        """Learn rows again that were learned before, for data too short to be a stream.

        Every row is presented again, in order, `passes` times. A leaf that did not split
        counts its examples again, so `n` grows without new evidence: no bound holds from
        then on. Certificates hold the pass (``pass_number``), and :meth:`guarantee` reports it.
        Predictions of these rows are not prequential: their labels were learned.

        Parameters
        ----------
        X, y, sample_weight
            As in :meth:`partial_fit`.
        passes : int, default=1
            How often the rows are presented again.
        progress : bool, optional
            Show the passes on standard error. By default only on a terminal.

        Returns
        -------
        self : HoeffdingTree
            The tree itself.

        Notes
        -----
        VFML's option for small data; the papers' experiments with it go through the same
        file up to 100 times. An example that chose a split is seen again only below it.

        References
        ----------
        .. [1] P. Domingos, G. Hulten. Mining high-speed data streams. KDD 2000, section 3.

        Examples
        --------
        >>> from riparian import VFDT
        >>> from riparian.streams import sea
        >>> X, y = sea(seed=1).take(2_000)
        >>> model = VFDT().fit(X, y).rescan(X, y, passes=9, progress=False)
        >>> model.n_passes_, model.splits()[-1].pass_number
        (10, 10)
        """
        from riparian.show.progress import Passes

        count = whole("passes", passes, 1, 2**31)
        self._fitted()
        with Passes(count, progress) as shown:
            self._learn(X, y, None, sample_weight, passes=shown)
        return self

    @classmethod
    def from_sklearn(
        cls,
        tree: Any,
        X: Any = None,
        y: Any = None,
        *,
        seed_size: int | None = None,
        **parameters: Any,
    ) -> Self:
        """Make a streaming tree that begins as a batch tree of scikit-learn.

        The inner nodes of the batch tree are kept and never revised. Its leaves become active
        leaves without statistics. They predict with the class counts of the batch until their own
        examples outweigh them. All values, also missing ones, take the branches that they take in
        scikit-learn, bit for bit, although it compares float32 and this tree float64.

        Parameters
        ----------
        tree : DecisionTreeClassifier or None
            A fitted tree; None fits one to `X` and `y` and prunes it hard: cost-complexity
            pruning, the smallest tree within two standard errors of the best on held-out rows.
        X : array, frame or mapping of columns, optional
            With a tree: rows whose class counts become the priors; they are not learned.
            Without them the priors are those the tree was fitted with, its weights included.
        y : array-like, optional
            Their classes, which may be new ones.
        seed_size : int, optional
            Only with ``tree=None``: this many of the first rows make the seed, and the rest is
            learned as a stream. By default all rows make it.
        **parameters
            Parameters of the streaming tree.

        Returns
        -------
        model : HoeffdingTree
            A model of the class that it was called on. Splits of the seed have the reason
            ``"seeded"`` and no bound.

        References
        ----------
        .. [1] P. Domingos, G. Hulten. Mining high-speed data streams. KDD 2000, section 3.
        .. [2] L. Breiman, J. Friedman, R. Olshen, C. Stone. Classification and regression
           trees. Wadsworth 1984, section 3.4.3.

        Examples
        --------
        >>> from sklearn.tree import DecisionTreeClassifier
        >>> from riparian import VFDT
        >>> from riparian.streams import sea
        >>> X, y = sea(seed=1).take(20_000)
        >>> batch = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X[:1000], y[:1000])
        >>> model = VFDT.from_sklearn(batch)
        >>> bool((model.predict(X) == batch.predict(X)).all())
        True
        >>> model.partial_fit(X[1000:], y[1000:]).splits()[0].reason
        'seeded'
        """
        from riparian.models.seed import start_from

        model = cls(**parameters)
        axes = model._axes()
        check_settings(axes)
        start = start_from(tree, X, y, seed_size, axes, cls.__name__)
        model._install(State(start.engine, start.schema, axes, threading.Lock()))
        if start.rest is not None:
            model.partial_fit(*start.rest)
        return model

    # -- looking inside -----------------------------------------------------------------------

    def splits(self, *, since: int | None = None, history: bool = False) -> Certificates[Split]:
        """Return the certificates of the splits of the tree, oldest first.

        Parameters
        ----------
        since : int, optional
            An earlier value of `n_seen_`: only splits made after that many examples. By default
            all splits, with those that came with a batch tree.
        history : bool, default=False
            Also list splits that the tree no longer has: those that predicted until they were
            replaced, pruned or moved. They have `replaced_at`. The last 500 of them are kept; under
            `max_bytes` as many as fit in a thirty-second part of it, and fewer where that part is
            not free.

        Returns
        -------
        splits : Certificates of Split
            A list that is also a table. A split of a subtree that was pruned or replaced is not
            part of the tree any more. A subtree that was recalled from the archive brings its
            splits back with the `seen` that they had; :meth:`changes` lists the recall.

        Examples
        --------
        >>> from riparian import VFDT
        >>> from riparian.streams import sea
        >>> tree = VFDT(leaf="majority").fit(*sea(seed=1).take(20_000))
        >>> split = tree.splits()[0]
        >>> split.n, split.reason
        (3400.0, 'tie')
        """
        engine, first = self._fitted(), example_count("since", since)
        certificates = engine.certificates(first)
        if history:
            gone = engine.former_certificates(first)
            certificates = sorted([*gone, *certificates], key=lambda entry: entry[2])
        return splits_of(certificates, self._schema, self._learned_with)

    def pending(self, *, nearest: int | None = None) -> Certificates[Pending]:
        """Return the evidence of each leaf's last check, and how many examples it still needs.

        No gain is computed.

        Parameters
        ----------
        nearest : int, optional
            Return at most this many leaves: those with a cut that need the fewest examples to
            decide, the nearest first. By default all leaves.

        Returns
        -------
        pending : Certificates of Pending
            A list that is also a table, with one entry per leaf.

        Examples
        --------
        >>> from riparian import VFDT
        >>> from riparian.streams import sea
        >>> tree = VFDT(leaf="majority").fit(*sea(seed=1).take(20_000))
        >>> leaf = tree.pending()[0]
        >>> leaf.n
        3333.0
        """
        most = example_count("nearest", nearest)
        return pending_of(self._fitted(), self._schema, self._learned_with, most)

    def changes(self, *, since: int | None = None) -> Certificates[Change]:
        """Return what the tree replaced, pruned or moved as its stream changed, oldest first.

        Parameters
        ----------
        since : int, optional
            An earlier value of `n_seen_`: only changes after that many examples.

        Returns
        -------
        changes : Certificates of Change
            The last 500 are kept, fewer where `max_bytes` has no room for them. Older changes are
            missing, also where `since` includes them; :meth:`change_counts` counts them all. A tree
            with ``adaptation="none"`` has none.

        Examples
        --------
        >>> from riparian import HAT
        >>> from riparian.streams import sea
        >>> tree = HAT().fit(*sea(seed=1).take(5_000))
        >>> tree.changes()
        []
        """
        return changes_of(self._fitted(), self._schema, example_count("since", since) or 0)

    def change_counts(self) -> dict[str, int]:
        """Return how often each kind of change happened since the first example.

        Returns
        -------
        counts : dict
            Numbers by the kind of change. ``"started"`` counts alternates that began to grow, and
            ``"dropped"`` those that were given up again.

        Examples
        --------
        >>> from riparian import HAT
        >>> from riparian.streams import sea
        >>> tree = HAT().fit(*sea(seed=1).take(5_000))
        >>> tree.change_counts()["started"]
        0
        """
        return totals_of(self._fitted())

    def guarantee(self) -> str:
        """Return what the bound of this tree promises, and what it does not.

        Returns
        -------
        text : str
            A few sentences.

        Examples
        --------
        >>> from riparian import VFDT
        >>> from riparian.streams import sea
        >>> "Hoeffding" in VFDT().fit(*sea(seed=1).take(2_000)).guarantee()
        True
        """
        from riparian.evidence.guarantee import guarantee

        return guarantee(self)

    def _parts(self) -> Parts:
        parts = super()._parts()
        splits = self.splits()
        adapts = self._learned_with["adaptation"].name != "none"
        former = [s for s in self.splits(history=True) if s.replaced_at is not None]
        return replace(
            parts,
            sizes={**parts.sizes, "active_leaves": self.n_active_leaves_},
            splits=splits,
            pending=Certificates() if splits else self.pending(),
            guarantee=self.guarantee(),
            changes=self.changes() if adapts else None,
            change_counts=self.change_counts() if adapts else {},
            former_splits=Certificates(former) if adapts else None,
        )

    def _evidence_lines(self) -> dict[int, str]:
        return evidence_lines(self.splits())

    def _plain(self, allowed: Allowed, asked: str) -> PlainTree:
        from riparian.export.allowed import refuse_inexpressible
        from riparian.export.plain import Part, plain_tree, read_nodes

        engine = self._fitted()
        axes = self._learned_with
        options = axes["adaptation"].name == "options"
        refuse_inexpressible(allowed, asked, leaf=shortest(axes["leaf"]), options=options)
        return plain_tree(self, Part(read_nodes(engine, allowed, asked)))

    # -- fitted attributes ------------------------------------------------------------------

    @property
    def n_passes_(self) -> int:
        return self._fitted().passes

    @property
    def n_active_leaves_(self) -> int:
        return self._fitted().n_active_leaves

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        certificates = self._fitted().certificates()
        total = np.zeros(self.n_features_in_)
        for _, _, _, n, best, *_ in certificates:
            total[best[0]] += n * best[4]
        whole = total.sum()
        return total / whole if whole > 0 else total

    # -- the engine ---------------------------------------------------------------------------

    _native = _core.Engine

    def _settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        return check_settings(axes)

    def _refuse_uncertain(self, axes: Mapping[str, Any]) -> None:
        refuse_uncertain(axes)

    def _refuse_sparse(self, axes: Mapping[str, Any]) -> None:
        refuse_sparse(axes)

    def _refuse_weights(self, engine: _core.Engine, weights: NDArray[np.float64]) -> None:
        engine.demand_weights(weights)

    def _begin_pass(self, engine: _core.Engine) -> None:
        engine.begin_pass()

    @property
    def _calls_user_functions(self) -> bool:
        """Whether learning calls a function of the user."""
        axes = self._learned_with if self._engine is not None else self.__dict__
        hook = getattr(axes.get("adaptation"), "hook", None)
        return (
            callable(axes.get("impurity"))
            or callable(axes.get("bound"))
            or hook is not None
            or has_own_leaf(axes.get("leaf"))
        )
