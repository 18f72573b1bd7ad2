"""The streaming tree: one choice on each axis."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian import _core
from riparian.arguments import example_count
from riparian.certificates import (
    Certificates,
    Pending,
    Split,
    pending_of,
    splits_of,
)
from riparian.changes import Change, changes_of, totals_of
from riparian.compat import announce_to_river
from riparian.policies import Choice, resolve, shortest
from riparian.progress import Passes
from riparian.recipe import Recipe, document, signature
from riparian.settings import check_settings, resolved
from riparian.tree_model import TreeModel
from riparian.uncertain import refuse_settings

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from riparian.export.plain import Allowed, PlainTree

__all__ = ["HoeffdingTree"]


class HoeffdingTree(TreeModel[_core.Engine]):
    """A decision tree that learns a stream: one choice on each axis.

    A leaf keeps statistics of the examples it sees. Every `grace_period` examples
    it compares the gains of its candidate cuts, and it splits once the best is
    ahead of the runner-up by more than a confidence bound, or once the bound is
    so small that the difference does not matter. Each split keeps its evidence
    (:meth:`splits`).

    Parameters
    ----------
    statistics : str or policy, default="gaussian"
        What a leaf remembers of numeric features: "gaussian" keeps weight, mean, spread, minimum
        and maximum for each class; "exhaustive" also keeps every value (VFDTc), and "intervals"
        interval counts with exact points where a cut may still be the best (NIP); see
        :mod:`riparian.statistics`. Categorical features are counted.
    cuts : str or policy, default="bins"
        Candidate cuts of numeric features: "bins", "intersections", "delayed", "combined" or
        "qda"; see :mod:`riparian.cuts`.
    variance : {"sample", "population"}, default="sample"
        Variance of a class at a check: of the sample, or of the population and at least
        1e-6, as in the released code of mDT.
    categorical_cuts : {"multiway", "one-against-rest", "both"}, default="multiway"
        Candidate cuts of categorical features: a branch for each value, one value against all
        others, or both kinds.
    impurity : str, policy or callable, default="entropy"
        Whose reduction is the gain: "entropy", "gini", "kearns-mansour", "misclassification",
        "accuracy", "loss" or "hybrid"; see :mod:`riparian.impurities`. A callable gets the class
        weights of all candidates of a check, an array of shape (candidates, branches, classes),
        and returns impurities of shape (candidates, branches).
    costs : array-like of shape (n_classes, n_classes), dict or None, default=None
        Cost of each (predicted, true) pair; a matrix in the order of `classes_`. Pairs that
        a dict leaves out cost 1, or 0 where they agree. Predictions are then the classes of
        least expected cost; probabilities stay as they are, and so does what "adaptive"
        counts. Splits use costs with ``impurity="loss"`` only, which needs them.
    bound : str, policy or callable, default="hoeffding"
        How far an estimated gain may be off: "hoeffding", "mcdiarmid", "confidence",
        "confidence-practical", "normal", "delta-method" or "empirical-bernstein"; see
        :mod:`riparian.bounds` for what each promises. A callable gets an
        :class:`riparian.bounds.Evidence` and returns epsilon.
    leaf : str, policy or sequence of them, default="adaptive"
        What a leaf predicts with: "majority", "naive-bayes", "adaptive" (whichever of the two was
        right more often at the leaf), "linear-units" or "softmax"; see :mod:`riparian.leaves`. Of
        several, ``("majority", "naive-bayes", "linear-units")``, the one that was right more
        often at the leaf.
    adaptation : str or policy, default="none"
        How the tree follows change: "none", "alternates" (HAT), "window" (CVFDT), "reevaluation"
        (EFDT) or "options"; see :mod:`riparian.adaptation`.
    random_state : int or None, default=None
        Seed of the bootstrap of "alternates" and of `leaf_features`; None is 0, so that the same
        rows give the same tree.
    grace_period : float, default=200
        Weight of examples between two checks of a leaf.
    adaptive_grace : bool, default=False
        After a check that waits, look at the leaf again once the bound could be met at
        the gap as it is, or the tie: after `grace_period` at the earliest, and at the
        latest after an eighth of the weight that the leaf has seen. Fewer checks; where a
        gap grows meanwhile, the split comes later by no more than that.
    delta : float, default=1e-7
        Accepted probability of a wrong decision in one check.
    tau : float, default=0.05
        Tie threshold: split anyway once the bound is below it. 0 turns ties off.
    spend_delta : bool, default=False
        Use delta / (j (j + 1)) at the j-th check of a leaf, so that all its checks
        together use no more than `delta`.
    epsilons : {1, 2}, default=1
        How many bounds the gap must exceed: 1 as VFDT has it, or 2, so that the
        two confidence intervals do not overlap.
    runner_up : {"attribute", "cut", "none"}, default="attribute"
        Who the best cut must beat: the best cut of another feature, or any other
        cut. The null cut, "do not split" with gain 0, always competes too, and with
        "none" it is the only rival: the tree splits as soon as a cut is sure to gain
        (EFDT).
    missing_second : {"zero", "-inf"}, default="zero"
        What a cut without a rival is compared with: the null cut, or nothing, so that
        it has won.
    inherit_counts : {"none", "predict", "count"}, default="predict"
        What a new leaf does with the class weights that its parent's split estimated
        for it: nothing, answer with them besides its own, or also take them for
        examples seen. The last is what MOA does: trees grow faster, but `n` in the
        bound counts examples that the leaf never saw.
    drop_poor_features : bool, default=False
        After a check that waits, stop tracking a feature at that leaf whose best gain is
        behind the best one's by more than the bound, times `epsilons` [2]_; never the best
        two features, nor one that has no cut yet. Its memory is freed, and neither rows nor
        checks ask for it again; the leaf's children track all features anew. For
        ``leaf="majority"``: other leaves answer by all features.
    leaf_features : int, float, "sqrt" or None, default=None
        How many features a leaf tracks, drawn at random when it opens: a number, a share of
        them (rounded, and one more where that is less than two), the rounded root and one more,
        or all. It splits and answers by these alone; its children draw anew. What members of a
        random forest do [3]_.
    short_memory : int, default=0
        Keep so many of the last examples; when a leaf splits, its children learn those
        that reached it, so that they start warm (UFFT [1]_). What `inherit_counts` gives a child
        is less by as much: no example answers twice.
    short_memory_in_bound : bool, default=False
        Whether those examples count in `n` of the bound, though the cut was chosen on
        them. The grace period counts new ones only, either way.
    min_gain : float, default=1e-9
        Gains up to this are no gain.
    min_branch_fraction : float, default=0.01
        At least two branches of a cut must hold more than this share of the weight.
    clip_to_range : bool, default=True
        Put no weight of a class outside the range of values it was seen in.
    max_depth, max_leaves : int or None, default=None
        Limits of the tree.
    max_bytes : int, str or None, default=None
        Limit of the memory that the model holds, in bytes or as a text such as ``"10MB"``
        or ``"512KiB"``; it holds from the first row on. Near it the least promising leaves
        lose their statistics and go on with class counts. It may be set to another value
        between two calls (``set_params``), unlike all other parameters.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Which features are categorical: strings and category columns, or the given
        names, indexes or mask (as in scikit-learn), or none.

    Attributes
    ----------
    classes_ : ndarray
        The labels seen so far: sorted after `fit`, in the order of their first
        appearance when they came batch by batch, so that columns never move.
    n_features_in_ : int
        Number of features seen so far.
    feature_names_in_ : ndarray of str
        Their names; only where all have one.
    n_seen_ : int
        Number of examples learned; one that was presented again counts again.
    n_passes_ : int
        How often the data were presented: 1, and one more for each pass of :meth:`rescan`.
    n_nodes_, n_leaves_, depth_ : int
        Size of the tree.
    n_active_leaves_ : int
        How many leaves keep statistics: all of them, unless `max_bytes` is too little.
    memory_bytes_ : int
        Memory that the model holds, with its names and what the allocator adds.
    feature_importances_ : ndarray
        Share of each feature in the gains of all splits, weighted by examples.

    Notes
    -----
    Learning in batches of any size gives the same tree, bit for bit, as learning
    row by row. A missing value (NaN, None, an absent key) updates nothing for its
    feature and goes down the branch that was the heavier one when it was made. A
    batch with an error changes nothing. Any number of threads may predict while
    one learns.

    References
    ----------
    .. [1] J. Gama, P. Rodrigues. Learning in dynamic environments: decision trees for
       data streams, the section on UFFT's short-term memory.
    .. [2] P. Domingos, G. Hulten. Mining high-speed data streams. KDD 2000, section 3,
       "Poor attributes".
    .. [3] H. Gomes et al. Adaptive random forests for evolving data stream classification.
       Machine Learning 106, 2017.

    Examples
    --------
    >>> from riparian import HoeffdingTree
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> tree = HoeffdingTree().partial_fit(X, y)
    >>> tree.predict([[8.0, 7.0, 1.0]])
    array([1])
    >>> tree.n_seen_
    20000
    """

    #: What a recipe declares; None for the free composition.
    _recipe: ClassVar[Recipe | None] = None

    def __init_subclass__(
        cls,
        *,
        fixes: Mapping[str, Any] | None = None,
        defaults: Mapping[str, Any] | None = None,
        takes: Sequence[str] = (),
        allows: Mapping[str, Mapping[Any, Mapping[str, Any]]] | None = None,
    ) -> None:
        """Make a recipe of a class that declares what it fixes and what it leaves open.

        Parameters
        ----------
        fixes, defaults, takes, allows
            See :class:`riparian.recipe.Recipe`.
        """
        super().__init_subclass__()
        if fixes is None and defaults is None and allows is None and not takes:
            if cls._recipe is not None and "__init__" not in cls.__dict__:
                cls._document()  # another name for a recipe
            return
        cls._recipe = Recipe(fixes or {}, defaults or {}, takes, allows or {})
        taken = cls._recipe.taken(_free_defaults())

        def init(self: HoeffdingTree, **given: Any) -> None:
            for name in given:
                if name not in taken:
                    raise TypeError(
                        f"{type(self).__name__}.__init__() got an unexpected keyword argument "
                        f"{name!r}"
                    )
            self.__dict__.update({**taken, **given})
            announce_to_river(type(self))

        init.__signature__ = signature(taken)  # type: ignore[attr-defined]
        init.__qualname__ = f"{cls.__qualname__}.__init__"
        init.__name__ = "__init__"
        cls.__init__ = init  # type: ignore[method-assign]
        cls._document()

    @classmethod
    def _document(cls) -> None:
        if cls.__doc__ and HoeffdingTree.__doc__ and cls._recipe:  # python -OO leaves them out
            taken = cls._recipe.taken(_free_defaults())
            cls.__doc__ = document(cls.__doc__, HoeffdingTree.__doc__, taken, cls._recipe)

    def __init__(
        self,
        *,
        statistics: Choice = "gaussian",
        cuts: Choice = "bins",
        variance: str = "sample",
        categorical_cuts: str = "multiway",
        impurity: Choice = "entropy",
        costs: Any = None,
        bound: Choice = "hoeffding",
        leaf: Choice | Sequence[Choice] = "adaptive",
        adaptation: Choice = "none",
        random_state: int | None = None,
        grace_period: float = 200,
        adaptive_grace: bool = False,
        delta: float = 1e-7,
        spend_delta: bool = False,
        tau: float = 0.05,
        epsilons: int = 1,
        runner_up: str = "attribute",
        missing_second: str = "zero",
        inherit_counts: str = "predict",
        drop_poor_features: bool = False,
        leaf_features: int | float | str | None = None,
        short_memory: int = 0,
        short_memory_in_bound: bool = False,
        min_gain: float = 1e-9,
        min_branch_fraction: float = 0.01,
        clip_to_range: bool = True,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bytes: int | str | None = None,
        categorical_features: Any = "from_dtype",
    ) -> None:
        self.statistics = statistics
        self.cuts = cuts
        self.variance = variance
        self.categorical_cuts = categorical_cuts
        self.impurity = impurity
        self.costs = costs
        self.bound = bound
        self.leaf = leaf
        self.adaptation = adaptation
        self.random_state = random_state
        self.grace_period = grace_period
        self.adaptive_grace = adaptive_grace
        self.delta = delta
        self.spend_delta = spend_delta
        self.tau = tau
        self.epsilons = epsilons
        self.runner_up = runner_up
        self.missing_second = missing_second
        self.inherit_counts = inherit_counts
        self.drop_poor_features = drop_poor_features
        self.leaf_features = leaf_features
        self.short_memory = short_memory
        self.short_memory_in_bound = short_memory_in_bound
        self.min_gain = min_gain
        self.min_branch_fraction = min_branch_fraction
        self.clip_to_range = clip_to_range
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_bytes = max_bytes
        self.categorical_features = categorical_features
        announce_to_river(type(self))

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
        counts its examples anew, so `n` grows without new evidence: no bound holds from
        then on. Certificates tell the pass (``pass_number``), and :meth:`guarantee` says so.
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
        file up to 100 times. An example that chose a split is met again only below it.

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

        The inner nodes of the batch tree are taken over and never revised. Its leaves go on
        as active leaves without statistics, which answer with the class counts of the batch
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
            Of the class that was asked. Splits of the seed have the reason ``"seeded"``
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
        from riparian.seed import fit_pruned, read_batch, seeded_engine

        model = cls(**parameters)
        axes = model._axes()
        check_settings(axes)
        if (X is None) != (y is None):
            raise ValueError("X and y go together: give both or neither")
        batch = None if X is None else read_batch(X, y)
        rest = None
        if tree is None:
            if batch is None:
                raise ValueError("tree=None fits a tree to X and y: give them")
            if seed_size is not None:
                rows = len(batch.labels)
                whole = isinstance(seed_size, Integral) and not isinstance(seed_size, bool)
                if not (whole and 1 <= seed_size <= rows):
                    raise ValueError(
                        f"seed_size must be a whole number from 1 to {rows:,}, the rows of X, "
                        f"got {seed_size!r}"
                    )
                if seed_size < rows:
                    rest = batch.after(int(seed_size))
                batch = batch.before(int(seed_size))
            tree = fit_pruned(batch, axes["impurity"])
        elif seed_size is not None:
            raise ValueError("seed_size is for tree=None: this tree is fitted already")
        fresh = HoeffdingTree(**axes)
        fresh._learned_with = axes
        fresh._engine, fresh._schema = seeded_engine(tree, batch, axes, cls.__name__)
        model._become(fresh)
        if rest is not None:
            model.partial_fit(*rest)
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
            missing, also from what `since` asks for; :meth:`change_counts` counts them all. A tree
            with ``adaptation="none"`` has none.
        """
        return changes_of(self._fitted(), self._schema, example_count("since", since) or 0)

    def change_counts(self) -> dict[str, int]:
        """How often each kind of change happened since the first example.

        ``"started"`` and ``"dropped"`` count subtrees that began to grow beside a node, and
        that were given up again.
        """
        return totals_of(self._fitted())

    def guarantee(self) -> str:
        """What the bound of this tree promises, and what it does not, in a few sentences."""
        from riparian.guarantee import guarantee

        return guarantee(self)

    def _plain(self, allowed: Allowed, asked: str) -> PlainTree:
        from riparian.export.plain import refuse_unsaid

        self._fitted()
        axes = self._learned_with
        options = axes["adaptation"].name == "options"
        refuse_unsaid(allowed, asked, leaf=shortest(axes["leaf"]), options=options)
        return super()._plain(allowed, asked)

    # -- fitted attributes --------------------------------------------------------------------

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

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # A few hundred rows are not enough for a split with these parameters.
        tags.classifier_tags.poor_score = shortest(resolve("leaf", self.leaf)) == "majority"
        return tags

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
        refuse_settings(axes)

    def _refuse_weights(self, engine: _core.Engine, weights: NDArray[np.float64]) -> None:
        engine.demand_weights(weights)

    def _begin_pass(self, engine: _core.Engine) -> None:
        engine.begin_pass()

    @property
    def _asks(self) -> bool:
        """Whether learning calls a function of the user."""
        axes = self._learned_with if self._engine is not None else self.__dict__
        hook = getattr(axes.get("adaptation"), "hook", None)
        return callable(axes.get("impurity")) or callable(axes.get("bound")) or hook is not None

    @classmethod
    @functools.cache  # scikit-learn reads the signature at each call, which takes 50 us
    def _get_param_names(cls) -> list[str]:
        names: list[str] = super()._get_param_names()
        return names

    def _axes(self) -> dict[str, Any]:
        """All parameters of the free composition, whatever a recipe shows of them.

        They have policies in place of names.
        """
        own = {name: getattr(self, name) for name in self._get_param_names()}
        if self._recipe is not None:
            own = self._recipe.completed(type(self).__name__, own)
        axes = {**_free_defaults(), **{k: v for k, v in own.items() if k in _free_defaults()}}
        return resolved(axes)

    def _meant(self, axis: str, value: Any) -> Any:
        return value if self._recipe is None else self._recipe.meant(axis, value)

    def _adopt(self, axes: Mapping[str, Any]) -> None:
        """Takes over parameters of the free composition."""
        taken = set(self._get_param_names())
        for name in taken & set(axes):
            value = axes[name]
            short = shortest(value) if self._recipe is None else self._recipe.shortest(name, value)
            self.__dict__[name] = short
        now = self._axes()
        for name, value in axes.items():
            if name not in taken and resolved({name: value})[name] != now[name]:
                raise ValueError(f"{type(self).__name__} has no {name}={shortest(value)!r}")

    def _fresh_like(self) -> HoeffdingTree:
        """An unfitted free composition of the same parameters."""
        return HoeffdingTree(**self._axes())


@functools.cache
def _free_defaults() -> dict[str, Any]:
    """The parameters of the free composition, with their defaults."""
    parameters = inspect.signature(HoeffdingTree.__init__).parameters
    return {name: p.default for name, p in parameters.items() if name != "self"}
