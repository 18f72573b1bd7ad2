"""The streaming tree as a scikit-learn classifier that also takes one example at a time."""

from __future__ import annotations

import copy
import sys
import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from numbers import Integral
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from riparian import _core, modelfile
from riparian.certificates import Certificates, Pending, Split, pending_of, splits_of
from riparian.changes import Change, changes_of, totals_of
from riparian.compat import announce_to_river
from riparian.costs import cost_matrix
from riparian.errors import one_of
from riparian.labels import (
    declared_labels,
    encode_labels,
    label_array,
    read_labels,
    read_weights,
    sort_classes,
)
from riparian.progress import Passes
from riparian.schema import Feature, Reading, Schema
from riparian.settings import check_settings
from riparian.table import Table, read_example, read_table, refuse_uncertain
from riparian.uncertain import refuse_settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from onnx import ModelProto
    from sklearn.tree import DecisionTreeClassifier
    from sklearn.utils import Tags

    from riparian.export import Step

__all__ = ["HoeffdingTree"]


class HoeffdingTree(ClassifierMixin, BaseEstimator):
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
        Seed of the bootstrap; None is 0, so that the same rows give the same tree.
    reevaluate_every : float, default=2000
        Weight of examples between two looks at an inner node of "reevaluation".
    option_delta : float, default=0.1
        Accepted probability that a further test of "options" is no better than those that
        a node has.
    max_options : int, default=5
        How many leaves one example may reach with "options"; 1 for a tree without any.
    window : int, default=50_000
        Examples that "window" remembers; older ones are forgotten. Under `max_bytes` as many
        as a quarter of it holds.
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
        and "rows" learned so far, and the "window". Gives the new length, or None.
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

    # What River's pipelines and evaluation ask of a classifier.
    _supervised = True
    _multiclass = True

    _engine: _core.Engine | None = None
    _schema: Schema
    _learning: threading.Lock
    #: The parameters that the engine was made with; `set_params` takes effect at the next fit.
    _learned_with: dict[str, Any]
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

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Forgets everything, then learns the rows of `X` in their order, once."""
        fresh = self._fresh_like()
        fresh._learn(X, y, None, sample_weight, in_order=True)
        if fresh._engine is None or fresh._engine.seen == 0:
            raise ValueError(
                "Sample weights must contain at least one non-zero number; nothing was learned"
            )
        self._become(fresh)
        return self

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learns the rows of `X` in their order.

        Parameters
        ----------
        X : array, frame or mapping of columns, of shape (n_rows, n_features)
            NaN and None are missing values. New categories and, in frames and
            mappings, new and absent columns are welcome.
        y : array-like of shape (n_rows,)
            Labels; new ones are welcome.
        classes : array-like, optional
            All labels that may come, as scikit-learn has it. Not needed.
        sample_weight : array-like of shape (n_rows,), optional
            Weights, 0 or more; a row of weight 0 is as if it were not there.
        """
        self._learn(X, y, classes, sample_weight)
        return self

    def learn_one(self, x: Mapping[Any, Any], y: Hashable, w: float = 1.0) -> None:
        """Learns one example, given as a dict."""
        engine = self._engine
        if (
            engine is not None
            and type(x) is dict
            and 0.0 < w < 2.0**53
            and not self._asks
            and self.max_bytes == self._learned_with["max_bytes"]
        ):
            schema = self._schema
            code = schema.class_codes.get(y)
            if code is not None:
                with self._learning:
                    if engine.learn_one(x, schema.index, schema.codes, code, w):
                        return
        self._learn(x, [y], None, [w], one=True)

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

    def prequential(
        self,
        X: Any,
        y: Any,
        sample_weight: ArrayLike | None = None,
        *,
        proba: bool = False,
    ) -> Any:
        """Predicts each row, then learns it, in one pass.

        Returns
        -------
        labels : ndarray of shape (n_rows,)
            What was predicted before each row was learned. A row that came before
            anything was learned gets ``classes_[0]``.
        probabilities : ndarray of shape (n_rows, n_classes), only with `proba`
            Likewise, in the order of ``classes_`` after the last row.
        """
        return self._learn(X, y, None, sample_weight, answers="both" if proba else "labels")

    def _learn(
        self,
        X: Any,
        y: Any,
        classes: Any,
        sample_weight: Any,
        *,
        answers: str | None = None,
        in_order: bool = False,
        one: bool = False,
        passes: Iterable[int] | None = None,
    ) -> Any:
        """Checks everything, then changes everything: nothing fails after the first change."""
        first = self._engine is None
        axes = self._axes() if first else self._learned_with
        engine = _core.Engine(check_settings(axes)) if first else self._engine
        schema = Schema(type(self).__name__) if first else self._schema
        learning = threading.Lock() if first else self._learning
        assert engine is not None
        with learning:
            table = read_example(X) if one else read_table(X)
            if table.n_rows == 0 or not (table.columns or table.example):
                raise ValueError(
                    f"Found array with {table.n_rows} sample(s) and {len(table.columns)} "
                    f"feature(s) (shape=({table.n_rows}, {len(table.columns)})) "
                    "while a minimum of 1 is required."
                )
            labels = read_labels(y, table.n_rows)
            weights = read_weights(sample_weight, table.n_rows)
            whole = table
            if weights is not None and not weights.all():
                # A row of weight 0 is as if it were not there: it brings no category either.
                counted = weights > 0.0
                table = whole.only(counted)
                if table.n_rows == 0:
                    return None if answers is None else self._answer_only(whole, answers)
                if answers is None:
                    labels, weights = labels[counted], weights[counted]
            reading = schema.read(table, grow=True, categorical=axes["categorical_features"])
            _refuse_infinite(reading, schema)
            if reading.uncertain:
                refuse_settings(axes)
            declared = [] if classes is None else declared_labels(classes)
            codes, added = _learned_codes(labels, weights, schema, declared)
            if in_order:
                codes, added = sort_classes(codes, added)
            costs = None
            if axes["costs"] is not None:
                before = schema.classes or declared
                costs = cost_matrix(axes["costs"], [*before, *added])
            if not first and self.max_bytes != axes["max_bytes"]:
                axes = {**axes, "max_bytes": self.max_bytes}
                engine.set_max_bytes(check_settings(axes)["max_bytes"])
                self._learned_with = axes
            # A function of the user may fail at any check, and new names may not fit.
            may_fail = self._asks or not _names_fit(engine, reading, added)
            undo = self._undo_point() if may_fail else None
            result = None
            try:
                if first and engine.max_bytes is not None:
                    _demand_least(check_settings(axes), reading)
                self._grow(engine, schema, reading, declared, added, first=first)
                if costs is not None:
                    engine.set_costs(costs)
                if whole is not table and answers is not None:
                    reading = schema.read(whole, grow=False)
                if passes is not None:
                    for _ in passes:
                        engine.begin_pass()
                        engine.learn(reading.batch, codes, weights)
                elif answers is None:
                    engine.learn(reading.batch, codes, weights)
                else:
                    width = len(schema.classes) if answers == "both" else 0
                    result = engine.prequential(reading.batch, codes, weights, width)
            except BaseException:
                if undo is not None:
                    self._engine, self._schema = undo()
                raise
            if first:
                self._schema, self._learning, self._learned_with = schema, learning, axes
                self._engine = engine
        if result is None:
            return None
        predicted, probabilities = result
        labelled = self._labels(predicted)
        return labelled if answers == "labels" else (labelled, probabilities)

    @staticmethod
    def _grow(
        engine: _core.Engine,
        schema: Schema,
        reading: Reading,
        declared: list[Hashable],
        added: list[Hashable],
        *,
        first: bool,
    ) -> None:
        """Gives schema and engine what a batch brings; names count from their row on."""
        before = 0 if first else schema.bytes
        categories = schema.adopt(reading)
        engine.add_names(schema.bytes - before - sum(map(sum, categories.values())))
        if reading.new_features:
            engine.add_features([f.kind == "categorical" for f in reading.new_features])
        for place, held in categories.items():
            engine.expect_categories(place, held)
        if declared and not schema.classes:
            engine.expect_classes(schema.add_classes(declared))
            engine.declare_classes(len(schema.classes))
        engine.expect_classes(schema.add_classes(added))

    @property
    def _asks(self) -> bool:
        """Whether learning calls a function of the user."""
        axes = self._learned_with if self._engine is not None else self.__dict__
        return any(callable(axes[name]) for name in ("impurity", "bound", "window_hook"))

    def _undo_point(self) -> Callable[[], tuple[_core.Engine, Schema]] | None:
        """What gives back the model as it is now; None before anything was learned."""
        if self._engine is None:
            return None
        settings = check_settings(self._learned_with)
        arrays, schema = self._engine.snapshot(), copy.deepcopy(self._schema)
        costs = self._learned_with["costs"]

        def undo() -> tuple[_core.Engine, Schema]:
            engine = _core.Engine.restore(settings, arrays)
            engine.add_names(schema.bytes)
            if costs is not None:
                engine.set_costs(cost_matrix(costs, schema.classes))
            return engine, schema

        return undo

    def _answer_only(self, table: Table, answers: str) -> Any:
        """What prequential gives where no row has weight."""
        engine = self._fitted()
        width = len(self._schema.classes) if answers == "both" else 0
        codes, probabilities = engine.predict(self._read(table).batch, width)
        labelled = self._labels(codes)
        return labelled if answers == "labels" else (labelled, probabilities)

    # -- answering ----------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[Any]:
        """The most likely class of each row; with `costs` the one of least expected cost."""
        engine, reading = self._asked(X)
        codes, _ = engine.predict(reading.batch, 0)
        return self._labels(codes)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities of each row, in the order of ``classes_``."""
        engine, reading = self._asked(X)
        _, probabilities = engine.predict(reading.batch, len(self._schema.classes))
        assert probabilities is not None
        return probabilities

    def predict_one(self, x: Mapping[Any, Any]) -> Hashable | None:
        """The class of one example, as `predict`; None before anything was learned."""
        engine = self._engine
        if engine is None:
            return None
        schema = self._schema
        code = None
        if type(x) is dict:
            code = engine.predict_one(x, schema.index, schema.codes)
        if code is None:
            code = int(engine.predict(self._read_one(x).batch, 0)[0][0])
        return schema.classes[code] if code >= 0 else None

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Hashable, float]:
        """Class probabilities of one example; empty before anything was learned."""
        engine = self._engine
        if engine is None:
            return {}
        batch = self._read_one(x).batch
        classes = list(self._schema.classes)
        _, probabilities = engine.predict(batch, len(classes))
        assert probabilities is not None
        return dict(zip(classes, probabilities[0].tolist(), strict=True))

    def explain_one(self, x: Mapping[Any, Any]) -> list[Step]:
        """The path of one example from the root to its leaf, with the counts on the way."""
        from riparian.export import path_steps
        from riparian.structure import Structure

        engine = self._fitted()
        row = {self._schema.index[k]: v for k, v in x.items() if k in self._schema.index}
        table = read_example(x)
        refuse_uncertain(table, "a single path")
        path = engine.path(self._read(table).batch)
        return path_steps(Structure.of(self), path, row)

    def _asked(self, X: Any) -> tuple[_core.Engine, Reading]:
        engine = self._fitted()
        table = read_table(X)
        if table.n_rows == 0:
            raise ValueError(
                f"Found array with 0 sample(s) (shape=(0, {len(table.columns)})) "
                "while a minimum of 1 is required."
            )
        return engine, self._read(table)

    def _read_one(self, x: Mapping[Any, Any]) -> Reading:
        return self._read(read_example(x))

    def _read(self, table: Table) -> Reading:
        reading = self._schema.read(table, grow=False)
        _refuse_infinite(reading, self._schema)
        if reading.uncertain:
            refuse_settings(self._learned_with)
        return reading

    def _labels(self, codes: NDArray[np.int32]) -> NDArray[Any]:
        if codes.size and codes.min() < 0:
            codes = np.maximum(codes, 0)
        return label_array(self._schema.classes)[codes]

    # -- looking inside -----------------------------------------------------------------------

    def splits(self) -> Certificates[Split]:
        """The certificates of all splits, oldest first: a list that is also a table."""
        return splits_of(self._fitted(), self._schema, self._learned_with)

    def pending(self) -> Certificates[Pending]:
        """For each leaf: what it would decide now, and how many examples it still needs."""
        return pending_of(self._fitted(), self._schema, self._learned_with)

    def changes(self) -> Certificates[Change]:
        """What the tree replaced, pruned or moved as its stream changed, oldest first.

        The last 500 are kept. A tree with ``adaptation="none"`` has none.
        """
        return changes_of(self._fitted(), self._schema)

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

    def to_onnx(self, **options: Any) -> ModelProto:
        """The tree as an ONNX model; options as in :func:`riparian.export.to_onnx`."""
        from riparian.export import to_onnx

        return to_onnx(self, **options)

    def to_code(self, language: str, **options: Any) -> str:
        """The tree as SQL, Python or C; options as in :func:`riparian.export.to_code`."""
        from riparian.export import to_code

        return to_code(self, language, **options)

    def plot(self, ax: Axes | None = None, **options: Any) -> Axes:
        """Draws the tree with matplotlib; options as in :func:`riparian.plot.plot_tree`."""
        from riparian.plot import plot_tree

        return plot_tree(self, ax=ax, **options)

    def _repr_html_(self) -> str:
        from riparian.repr_html import repr_html

        return repr_html(self)

    # scikit-learn's notebook display asks for this one.
    _html_repr = _repr_html_

    # -- fitted attributes --------------------------------------------------------------------

    @property
    def classes_(self) -> NDArray[Any]:
        self._fitted()
        return label_array(self._schema.classes)

    @property
    def n_features_in_(self) -> int:
        self._fitted()
        return len(self._schema.features)

    @property
    def feature_names_in_(self) -> NDArray[Any]:
        self._fitted()
        names = [f.name for f in self._schema.features]
        if not all(isinstance(name, str) for name in names):
            raise AttributeError("features have positions, not names")
        return np.array(names, dtype=object)

    @property
    def n_seen_(self) -> int:
        return self._fitted().seen

    @property
    def n_passes_(self) -> int:
        return self._fitted().passes

    @property
    def n_nodes_(self) -> int:
        return self._fitted().n_nodes

    @property
    def n_leaves_(self) -> int:
        return self._fitted().n_leaves

    @property
    def n_active_leaves_(self) -> int:
        return self._fitted().n_active_leaves

    @property
    def depth_(self) -> int:
        return self._fitted().depth

    @property
    def memory_bytes_(self) -> int:
        return self._fitted().memory_bytes

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        certificates = self._fitted().certificates()
        total = np.zeros(self.n_features_in_)
        for _, _, _, n, best, *_ in certificates:
            total[best[0]] += n * best[4]
        whole = total.sum()
        return total / whole if whole > 0 else total

    def _fitted(self) -> _core.Engine:
        if self._engine is None:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit', "
                "'partial_fit' or 'learn_one' before using this estimator."
            )
        return self._engine

    def __sklearn_is_fitted__(self) -> bool:
        return self._engine is not None

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        # A few hundred rows are not enough for a split with these parameters.
        tags.classifier_tags.poor_score = self.leaf == "majority"
        return tags

    # -- saving -------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the model to a file that :func:`riparian.load` reads; all or nothing."""
        modelfile.write(path, modelfile.to_bytes(self))

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = {"parameters": {**self._axes(), **self.get_params(deep=False)}}
        if self._engine is not None:
            state["model"] = modelfile.to_bytes(self)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state["parameters"])
        if "model" in state:
            functions = {k: v for k, v in state["parameters"].items() if callable(v)}
            self._become(modelfile.from_bytes(state["model"], functions))
            self.__dict__.update(state["parameters"])
        announce_to_river(type(self))

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

    def _become(self, other: HoeffdingTree) -> None:
        self._adopt(other._axes())
        self._schema, self._learned_with = other._schema, other._learned_with
        self._schema.owner = type(self).__name__
        self._learning = threading.Lock()
        self._engine = other._engine


_AXES = tuple(HoeffdingTree._get_param_names())


def _refuse_infinite(reading: Reading, schema: Schema) -> None:
    place = reading.batch.find_infinite()
    if place is None:
        return
    row, column = place
    known = len(schema.features)
    label = schema.label(column) if column < known else reading.new_features[column - known].label
    raise ValueError(
        f"column {label!r}, row {row}: inf cannot be learned; use NaN for a missing value"
    )


def _demand_least(settings: dict[str, Any], reading: Reading) -> None:
    """An error that says how much a model of these features needs, if `max_bytes` is less."""
    schema = Schema()
    limit, settings["max_bytes"] = settings["max_bytes"], 2**61
    engine = _core.Engine(settings)
    for feature in reading.new_features:
        schema.add_feature(Feature(feature.name, feature.kind))
    engine.add_names(schema.bytes)
    engine.add_features([f.kind == "categorical" for f in schema.features])
    if engine.least_bytes > limit:
        raise ValueError(
            f"max_bytes must be at least {engine.least_bytes:,} for {len(schema.features)} "
            f"features, got {limit:,}"
        )


def _names_fit(engine: _core.Engine, reading: Reading, added: list[Hashable]) -> bool:
    """Whether all that is new in a batch has room below `max_bytes`, whatever its rows do."""
    if engine.max_bytes is None:
        return True
    if added or reading.new_features:
        return False
    values = [value for found in reading.new_categories.values() for value in found]
    # At most what a value and its code take, and the growth of the table that it is in.
    return not values or engine.surely_fits(sum(sys.getsizeof(v) + 256 for v in values))


def _learned_codes(
    labels: NDArray[Any],
    weights: NDArray[np.float64] | None,
    schema: Schema,
    declared: list[Hashable],
) -> tuple[NDArray[np.int32], list[Hashable]]:
    """Class codes, -1 for a row of weight 0, whose label is not looked at."""
    staged = schema
    if declared and not schema.classes:
        staged = Schema()
        staged.add_classes(declared)
    elif declared:
        unknown = [label for label in declared if label not in schema.class_codes]
        if unknown:
            raise ValueError(
                f"`classes={declared}` is not the same as on last call to partial_fit, "
                f"was: {schema.classes}"
            )
    if weights is None or weights.all():
        return encode_labels(labels, staged, grow=True)
    learned = weights > 0.0
    codes = np.full(labels.shape[0], -1, dtype=np.int32)
    codes[learned], added = encode_labels(labels[learned], staged, grow=True)
    return codes, added
