"""The streaming tree: one choice on each axis."""

from __future__ import annotations

import functools
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
from riparian.errors import one_of
from riparian.progress import Passes
from riparian.settings import check_settings
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
    statistics : {"gaussian", "exhaustive", "intervals"}, default="gaussian"
        What a leaf remembers of numeric features: weight, mean, spread, minimum and
        maximum for each class; besides these every value (VFDTc; memory grows with the
        distinct values), or `n_intervals` interval counts with exact points where a cut
        may still be the best (NIP). Categorical features are counted.
    n_intervals : int, default=100
        Intervals of ``statistics="intervals"``, two open ones besides.
    cuts : {"bins", "intersections", "delayed", "combined", "qda"}, default="bins"
        Numeric candidates: `n_cuts` equally spaced points between the smallest and the
        largest value at the leaf; where the weighted normal densities of two classes
        meet; bins while deciding and intersections of the winner when splitting; both;
        or one root of quadratic discriminant analysis a feature.
    n_cuts : int, default=10
        How many bins.
    equal_variance : {"linear", "skip"}, default="linear"
        What two classes of equal variance give: their one crossing, or nothing.
    variance : {"sample", "population"}, default="sample"
        Variance of a class at a check: of the sample, or of the population and at least
        1e-6, as the released code of mDT has it.
    categorical_cuts : {"multiway", "one-against-rest", "both"}, default="multiway"
        Categorical candidates: a branch for each value, one value against all
        others, or both kinds.
    impurity : str or callable, default="entropy"
        Whose reduction is the gain: "entropy", "gini", "kearns-mansour",
        "misclassification", "accuracy" or "loss" (quality gains, see `evaluator`), or
        "hybrid" (misclassification, and Gini where that waits). A callable gets the
        class weights of all candidates of a check, an array of shape (candidates,
        branches, classes), and gives impurities of shape (candidates, branches).
    evaluator : {"resubstitution", "prequential", "holdout"}, default="resubstitution"
        Who judges the gain of "accuracy" and "loss": the counts themselves, each example
        before it is counted, or all examples after the first `holdout_examples`.
    holdout_examples : float, default=30
        Weight of the first examples of a leaf, which fix labels and numeric cuts.
    costs : array-like of shape (n_classes, n_classes), dict or None, default=None
        Cost of each (predicted, true) pair; a matrix in the order of `classes_`. Pairs that
        a dict leaves out cost 1, or 0 where they agree. Answers are then the classes of
        least expected cost; probabilities stay as they are, and so does what "adaptive"
        counts. Splits read costs with ``impurity="loss"`` only, which needs them.
    legacy_gain : bool, default=False
        Misclassification gains with the rounding of the released mDT code, and any gain
        above 0 counts.
    bound : str or callable, default="hoeffding"
        How far an estimated gain may be off: "hoeffding", "mcdiarmid", "confidence",
        "confidence-practical", "normal" or "delta-method"; see :mod:`riparian.bounds`
        for what each promises. A callable gets an :class:`riparian.bounds.Evidence` and
        gives epsilon.
    confidence_c : float, default=1.0
        Factor of "confidence-practical".
    confidence_form : {"printed", "derived"}, default="printed"
        Its logarithm, as the paper prints it or as it follows from equation 7.
    pairing : {"independent", "conservative", "paired"}, default="independent"
        How "delta-method" takes the two best gains together.
    leaf : str or sequence of str, default="adaptive"
        What a leaf answers: its most frequent class ("majority"), naive Bayes over its
        statistics ("naive-bayes"), whichever of the two was right more often there
        ("adaptive"), or linear units that learn their step sizes ("idbd"). Several names,
        ``("majority", "naive-bayes", "idbd")``, give whichever of them was right more
        often there; see :mod:`riparian.leaves`.
    idbd_theta : float, default=0.01
        Step size of the step sizes of "idbd"; with 0 they stay as they are (Sutton 1992,
        figure 2).
    idbd_alpha : float, default=0.05
        The step size that each weight of "idbd" begins with.
    adaptation : str, default="none"
        How the tree follows change. "none": not at all. "alternates": by a detector at every
        node; where the errors of a subtree rise, another grows beside it and takes its place
        once it errs less (HAT). "window": by a window of the last examples, whose statistics
        every node holds; where another attribute has become the better one, a subtree on it
        grows beside the node and takes its place once it errs less (CVFDT). "reevaluation": an
        inner node whose test is no longer the best gets another one, with fresh children
        (EFDT). "options": it keeps the test that it has and gets a better one besides, and
        both subtrees answer (option tree).
    drift_delta : float, default=0.002
        Confidence of the detectors of "alternates".
    switch_delta : float, default=0.05
        Confidence at which an alternate takes over, or is given up.
    switch_after : float, default=300
        Answers in both windows before the two are compared.
    bootstrap : bool, default=False
        Whether the leaves of "alternates" learn each row as often as a Poisson variable of
        mean 1 says, and once at least, as MOA's do: they split sooner on fewer examples
        than the bound counts.
    random_state : int or None, default=None
        Seed of the bootstrap and of `leaf_features`; None is 0, so that the same rows give the
        same tree.
    reevaluate_every : float, default=2000
        Weight of examples between two looks at an inner node of "reevaluation".
    option_delta : float, default=0.1
        Accepted probability that a further test of "options" is no better than those that
        a node has.
    max_options : int, default=5
        How many leaves one example may reach with "options"; 1 for a tree without any.
    window : int, default=50_000
        Examples that "window" remembers; older ones are forgotten. Under `max_bytes` as many
        as a quarter of it holds. A weight is at most 2**33 divided by the longest window, so
        that it is forgotten exactly.
    validity_period : int, default=10_000
        Examples from one check of all splits to the next.
    alt_test_period : float, default=10_000
        Weight of the examples that reach a node before the subtrees beside it are tested.
    alt_test_size : float, default=1_000
        Weight of the examples of such a test.
    alt_prune_margin : float, default=0.01
        A subtree beside a node is given up once its error, less that of the node, exceeds
        the smallest such difference so far by more than this.
    archive_size : int, default=0
        Replaced subtrees that are kept, the oldest given up first. When a check finds their
        place doubtful again, they are tried there beside the fresh subtree, at once.
    dynamic_window : bool, default=False
        Halve the window, down to `validity_period`, when a check starts subtrees beside more
        than a quarter of the inner nodes; else lengthen it by a hundredth, up to `max_window`.
    max_window : int or None, default=None
        Longest window of `dynamic_window`; None for `window`.
    window_hook : callable or None, default=None
        Called after each check of all splits with a dict: "inner" nodes, "questionable" ones
        (with subtrees beside them) and those "started" by this check, subtrees "replaced"
        and "rows" learned so far, and the "window". Gives the new length, up to 2**24, or None.
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

    #: Axes that a recipe shows under a name of its own: axis -> (name, value -> axis value).
    _renamed: ClassVar[dict[str, tuple[str, dict[str, Any]]]] = {}

    def __init__(
        self,
        *,
        statistics: str = "gaussian",
        n_intervals: int = 100,
        cuts: str = "bins",
        n_cuts: int = 10,
        equal_variance: str = "linear",
        variance: str = "sample",
        categorical_cuts: str = "multiway",
        impurity: Any = "entropy",
        evaluator: str = "resubstitution",
        holdout_examples: float = 30,
        costs: Any = None,
        legacy_gain: bool = False,
        bound: Any = "hoeffding",
        confidence_c: float = 1.0,
        confidence_form: str = "printed",
        pairing: str = "independent",
        leaf: str | Sequence[str] = "adaptive",
        idbd_theta: float = 0.01,
        idbd_alpha: float = 0.05,
        adaptation: str = "none",
        drift_delta: float = 0.002,
        switch_delta: float = 0.05,
        switch_after: float = 300,
        bootstrap: bool = False,
        random_state: int | None = None,
        reevaluate_every: float = 2000,
        option_delta: float = 0.1,
        max_options: int = 5,
        window: int = 50_000,
        validity_period: int = 10_000,
        alt_test_period: float = 10_000,
        alt_test_size: float = 1_000,
        alt_prune_margin: float = 0.01,
        archive_size: int = 0,
        dynamic_window: bool = False,
        max_window: int | None = None,
        window_hook: Callable[[dict[str, int]], int | None] | None = None,
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
        self.n_intervals = n_intervals
        self.cuts = cuts
        self.n_cuts = n_cuts
        self.equal_variance = equal_variance
        self.variance = variance
        self.categorical_cuts = categorical_cuts
        self.impurity = impurity
        self.evaluator = evaluator
        self.holdout_examples = holdout_examples
        self.costs = costs
        self.legacy_gain = legacy_gain
        self.bound = bound
        self.confidence_c = confidence_c
        self.confidence_form = confidence_form
        self.pairing = pairing
        self.leaf = leaf
        self.idbd_theta = idbd_theta
        self.idbd_alpha = idbd_alpha
        self.adaptation = adaptation
        self.drift_delta = drift_delta
        self.switch_delta = switch_delta
        self.switch_after = switch_after
        self.bootstrap = bootstrap
        self.random_state = random_state
        self.reevaluate_every = reevaluate_every
        self.option_delta = option_delta
        self.max_options = max_options
        self.window = window
        self.validity_period = validity_period
        self.alt_test_period = alt_test_period
        self.alt_test_size = alt_test_size
        self.alt_prune_margin = alt_prune_margin
        self.archive_size = archive_size
        self.dynamic_window = dynamic_window
        self.max_window = max_window
        self.window_hook = window_hook
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
        options = axes["adaptation"] == "options"
        refuse_unsaid(allowed, asked, leaf=axes["leaf"], options=options)
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
        tags.classifier_tags.poor_score = self.leaf == "majority"
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
        # Spelled out, because learn_one comes here: a loop over the names takes 0.2 us more.
        return (
            callable(axes["impurity"]) or callable(axes["bound"]) or callable(axes["window_hook"])
        )

    def _axes(self) -> dict[str, Any]:
        """All parameters of the free composition, whatever a recipe shows of them."""
        axes = {name: getattr(self, name) for name in _AXES}
        for axis, (own, values) in self._renamed.items():
            axes[axis] = values[one_of(own, getattr(self, own), values)]
        return axes

    def _adopt(self, axes: Mapping[str, Any]) -> None:
        """Takes over parameters of the free composition."""
        self.__dict__.update({k: v for k, v in axes.items() if k not in self._renamed})
        for axis, (own, values) in self._renamed.items():
            if axis in axes:
                names = [name for name, value in values.items() if value == axes[axis]]
                if not names:
                    raise ValueError(f"{type(self).__name__} has no {axis}={axes[axis]!r}")
                self.__dict__[own] = names[0]

    def _fresh_like(self) -> HoeffdingTree:
        """An unfitted free composition of the same parameters."""
        return HoeffdingTree(**self._axes())


_AXES = tuple(HoeffdingTree._get_param_names())
