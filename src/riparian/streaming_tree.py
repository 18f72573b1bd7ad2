"""A tree that splits once its evidence is enough: how it begins, and what it shows of itself."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian import _core
from riparian.arguments import example_count
from riparian.certificates import Certificates, Pending, Split, pending_of, splits_of
from riparian.changes import Change, changes_of, totals_of
from riparian.policies import shortest
from riparian.progress import Passes
from riparian.settings import check_settings, refuse_uncertain
from riparian.tree_model import TreeModel

if TYPE_CHECKING:
    from riparian.export.plain import Allowed, PlainTree

__all__ = ["StreamingTree"]


class StreamingTree(TreeModel[_core.Engine]):
    """What the free composition and all recipes share; a subclass has the parameters."""

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
        """Learns rows again that were learned before, for data too short to be a stream.

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
        if not (isinstance(passes, Integral) and not isinstance(passes, bool) and passes >= 1):
            raise ValueError(f"passes must be a whole number of at least 1, got {passes!r}")
        self._fitted()
        with Passes(int(passes), progress) as shown:
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
        """A streaming tree that begins as a batch tree of scikit-learn.

        The inner nodes of the batch tree are kept and never revised. Its leaves go on
        as active leaves without statistics, which predict with the class counts of the batch
        until their own examples outweigh them. Values, also missing ones, go where
        scikit-learn sends them, bit for bit, although it compares float32 and this tree
        float64.

        Parameters
        ----------
        tree : DecisionTreeClassifier or None
            A fitted tree; None fits one to `X` and `y` and prunes it hard: cost-complexity
            pruning, the smallest tree within two standard errors of the best on held-out rows.
        X : array, frame or mapping of columns, optional
            With a tree: rows whose class counts become the priors; they are not learned.
            Without them the priors are those the tree was fitted with, its weights included.
        y : array-like, optional
            Their labels; new ones are welcome.
        seed_size : int, optional
            Only with ``tree=None``: the first so many rows make the seed, and the rest is
            learned as a stream. By default all rows make it.
        **parameters
            Parameters of the streaming tree.

        Returns
        -------
        HoeffdingTree
            Of the class that it was called on. Splits of the seed have the reason ``"seeded"``
            and no bound.

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
        from riparian.seed import start_from

        model = cls(**parameters)
        axes = model._axes()
        check_settings(axes)
        start = start_from(tree, X, y, seed_size, axes, cls.__name__)
        fresh = model._fresh_like()
        fresh._learned_with = axes
        fresh._engine, fresh._schema = start.engine, start.schema
        model._become(fresh)
        if start.rest is not None:
            model.partial_fit(*start.rest)
        return model

    # -- looking inside -----------------------------------------------------------------------

    def splits(self, *, since: int | None = None) -> Certificates[Split]:
        """Return the certificates of the splits of the tree, oldest first.

        Parameters
        ----------
        since : int, optional
            An earlier value of `n_seen_`: only splits made after that many examples. By default
            all splits, with those that came with a batch tree.

        Returns
        -------
        splits : Certificates of Split
            A list that is also a table. A split of a subtree that was pruned or replaced is not
            part of the tree any more. A subtree that was recalled from the archive brings its
            splits back with the `seen` that they had; :meth:`changes` has the recall.
        """
        certificates = self._fitted().certificates(example_count("since", since))
        return splits_of(certificates, self._schema, self._learned_with)

    def pending(self) -> Certificates[Pending]:
        """For each leaf: what it would decide now, and how many examples it still needs."""
        return pending_of(self._fitted(), self._schema, self._learned_with)

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
        """
        return changes_of(self._fitted(), self._schema, example_count("since", since) or 0)

    def change_counts(self) -> dict[str, int]:
        """How often each kind of change happened since the first example.

        ``"started"`` and ``"dropped"`` count subtrees that began to grow next to a node, and
        that were given up again.
        """
        return totals_of(self._fitted())

    def guarantee(self) -> str:
        """What the bound of this tree promises, and what it does not, in a few sentences."""
        from riparian.guarantee import guarantee

        return guarantee(self)

    def _plain(self, allowed: Allowed, asked: str) -> PlainTree:
        from riparian.export.plain import refuse_inexpressible

        self._fitted()
        axes = self._learned_with
        options = axes["adaptation"].name == "options"
        refuse_inexpressible(allowed, asked, leaf=shortest(axes["leaf"]), options=options)
        return super()._plain(allowed, asked)

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

    def _new_engine(self, axes: Mapping[str, Any]) -> _core.Engine:
        return _core.Engine(check_settings(axes))

    def _restored_engine(
        self, axes: Mapping[str, Any], arrays: dict[str, NDArray[Any]]
    ) -> _core.Engine:
        return self._restorer(axes)(arrays)

    def _restorer(
        self, axes: Mapping[str, Any]
    ) -> Callable[[dict[str, NDArray[Any]]], _core.Engine]:
        # A function of the user is tried when settings are checked.
        return functools.partial(_core.Engine.restore, check_settings(axes))

    def _refuse_uncertain(self, axes: Mapping[str, Any]) -> None:
        refuse_uncertain(axes)

    def _refuse_weights(self, engine: _core.Engine, weights: NDArray[np.float64]) -> None:
        engine.demand_weights(weights)

    def _begin_pass(self, engine: _core.Engine) -> None:
        engine.begin_pass()

    @property
    def _calls_user_functions(self) -> bool:
        """Whether learning calls a function of the user."""
        axes = self._learned_with if self._engine is not None else self.__dict__
        hook = getattr(axes.get("adaptation"), "hook", None)
        return callable(axes.get("impurity")) or callable(axes.get("bound")) or hook is not None
