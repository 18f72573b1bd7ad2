"""The streaming tree: one choice on each axis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from riparian.data.times import DateParts
from riparian.models.settings import resolved
from riparian.models.streaming_tree import StreamingTree
from riparian.policies import resolve, shortest
from riparian.policies.literals import (
    AdaptationChoice,
    BoundChoice,
    CategoricalCuts,
    CutsChoice,
    FeatureCount,
    ImpurityChoice,
    InheritCounts,
    LeafChoice,
    MissingSecond,
    RunnerUp,
    StatisticsChoice,
    Variance,
)

if TYPE_CHECKING:
    from sklearn.utils import Tags

__all__ = ["ALWAYS_TAKEN", "HoeffdingTree"]

#: What every recipe of a tree accepts unless it fixes it: no rule of a paper depends on these.
ALWAYS_TAKEN = (
    "leaf",
    "costs",
    "class_weight",
    "grace_period",
    "delta",
    "tau",
    "adaptive_grace",
    "drop_poor_features",
    "short_memory",
    "short_memory_in_bound",
    "max_depth",
    "max_leaves",
    "max_bytes",
    "categorical_features",
    "date_parts",
    "max_categories",
    "max_features",
    "max_classes",
)


class HoeffdingTree(StreamingTree, group="trees"):
    """A decision tree that learns from a stream: one choice on each axis.

    A leaf keeps statistics of the examples it sees. Every `grace_period` examples it compares the
    gains of its candidate cuts. It splits once the best cut is ahead of the runner-up by more
    than a confidence bound, or once the bound is so small that the difference does not matter.
    Each split keeps its evidence (:meth:`splits`).

    Parameters
    ----------
    statistics : str or policy, default="gaussian"
        What a leaf remembers about numeric features. "gaussian" keeps weight, mean, spread,
        minimum and maximum for each class. "exhaustive" also keeps every value (VFDTc).
        "intervals" keeps interval counts, with exact points where a cut may still be the best
        (NIP). "histogram" also keeps a streaming histogram for each class (SPDT). See
        :mod:`riparian.statistics`. Categorical features are counted.
    cuts : str or policy, default="bins"
        Candidate cuts of numeric features: "bins", "intersections", "delayed", "combined" or
        "qda"; see :mod:`riparian.cuts`.
    variance : {"sample", "population"}, default="sample"
        Variance of a class at a check: that of the sample, or that of the population and at
        least 1e-6, as in the released code of mDT.
    categorical_cuts : {"multiway", "one-against-rest", "both"}, default="multiway"
        Candidate cuts of categorical features: one branch per value, one value against all
        others, or both kinds.
    impurity : str, policy or callable, default="entropy"
        The impurity that a cut reduces; the reduction is its gain. One of "entropy", "gini",
        "kearns-mansour", "misclassification", "accuracy", "loss" or "hybrid"; see
        :mod:`riparian.impurities`. A callable gets the class weights of all candidates of a check,
        an array of shape (candidates, branches, classes), and returns impurities of shape
        (candidates, branches).
    costs : array-like of shape (n_classes, n_classes), dict or None, default=None
        Cost of each (predicted, true) pair; a matrix in the order of `classes_`. Pairs that
        are not in a dict cost 1, or 0 if the two classes are equal. The prediction is then the
        class of least expected cost. Probabilities do not change, and neither does what
        "adaptive" counts. Splits use costs only with ``impurity="loss"``, which needs them.
    class_weight : dict or None, default=None
        Weights of classes, by label: every row is learned with the weight of its class, times its
        own weight. A class that is not named has weight 1. Weights count as examples do, also in
        `grace_period` and in the bound. "balanced" is refused: a stream does not know the counts
        of all rows.
    bound : str, policy or callable, default="hoeffding"
        The half-width of the confidence interval of a gain: "hoeffding", "mcdiarmid",
        "confidence", "confidence-practical", "normal", "delta-method" or "empirical-bernstein";
        "betting", whose evidence holds at every moment and has no half-width; or "none", with
        which every check that finds a gain splits.
        See :mod:`riparian.bounds` for what each promises. A callable gets an
        :class:`riparian.bounds.Evidence` and returns epsilon.
    leaf : str, policy, object or sequence of them, default="adaptive"
        What a leaf predicts with: "majority", "naive-bayes", "adaptive" (whichever of the two was
        right more often at the leaf), "linear-units" or "softmax"; see :mod:`riparian.leaves`. If
        several are given, such as ``("majority", "naive-bayes", "linear-units")``, each leaf uses
        the one that was right most often there. An object of your own has ``learn(x, y, w)`` and
        ``predict_proba(x)``.
    adaptation : str or policy, default="none"
        How the tree follows change: "none", "alternates" (HAT), "window" (CVFDT), "reevaluation"
        (EFDT) or "options"; see :mod:`riparian.adaptation`.
    random_state : int or None, default=None
        Seed of the bootstrap of "alternates" and of `leaf_features`. None is the seed 0: the same
        rows always give the same tree.
    grace_period : float, default=200
        Weight of the examples between two checks of a leaf.
    adaptive_grace : bool, default=False
        After a check that waits, check the leaf again only when it could split, if the gap stays
        as it is: after `grace_period` at the earliest, and at the latest after an eighth of the
        weight that the leaf has seen. This saves checks. If the gap grows meanwhile, the split
        comes later by no more than that.
    delta : float, default=1e-7
        Accepted probability of a wrong decision in one check.
    tau : float, default=0.05
        Tie threshold: a leaf splits anyway once the bound is below it. 0 turns ties off. With
        ``bound="betting"`` it is the tolerance that is certified.
    spend_delta : bool, default=False
        Use delta / (j (j + 1)) at the j-th check of a leaf, so that all checks of the leaf
        together use at most `delta`.
    epsilons : {1, 2}, default=1
        How many bounds the gap must exceed: 1 as in VFDT, or 2, so that the two confidence
        intervals do not overlap.
    runner_up : {"feature", "cut", "none"}, default="feature"
        What the best cut must beat: the best cut of another feature, or any other cut. The null
        cut, "do not split" with gain 0, always competes as well. With "none" it is the only
        rival: the tree splits as soon as a cut is sure to gain (EFDT).
    missing_second : {"zero", "-inf"}, default="zero"
        What a cut without a rival is compared with: the null cut, or nothing, so that it wins.
    inherit_counts : {"none", "predict", "count"}, default="predict"
        What a new leaf does with the class weights that the split of its parent estimated for
        it: nothing; predict with them and its own; or also count them as examples seen. MOA does
        the last: trees grow faster, but `n` in the bound counts examples that the leaf never saw.
    drop_poor_features : bool, default=False
        After a check that waits, stop tracking the features of the leaf whose best gain is
        behind the best of all by more than the bound, times `epsilons` [2]_. The best two
        features and those without a cut yet are always kept. The memory of a dropped feature is
        freed; the children of the leaf track all features again. Only for ``leaf="majority"``,
        since other leaves predict with all features.
    leaf_features : int, float, "sqrt" or None, default=None
        How many features a leaf tracks, drawn at random when it opens: a number; a share of all
        features (rounded, plus one if that is less than two); the rounded square root plus one;
        or all. The leaf splits and predicts with these only; its children draw their own. Members
        of a random forest do this [3]_.
    short_memory : int, default=0
        Keep this many of the last examples. When a leaf splits, its children learn those that
        reached it (UFFT [1]_). What `inherit_counts` gives a child is reduced by them: no example
        counts twice in a prediction.
    short_memory_in_bound : bool, default=False
        Whether the examples of `short_memory` count in `n` of the bound, although the cut was
        chosen on them. The grace period counts only new examples in both cases.
    min_gain : float, default=1e-9
        Smallest gain that counts: a gain of at most this is no gain.
    min_branch_fraction : float, default=0.01
        At least two branches of a cut must hold more than this share of the weight.
    clip_to_range : bool, default=True
        Estimate no weight of a class outside the range of values that the class was seen with.
    max_depth, max_leaves : int or None, default=None
        Largest depth and largest number of leaves of the tree.
    max_bytes : int, str or None, default=None
        Memory limit of the model, in bytes or as a text such as ``"10MB"`` or ``"512KiB"``; it
        holds from the first row on. Near the limit the least promising leaves become inactive:
        they keep class counts only. Unlike all other parameters it may be changed between two
        calls (``set_params``).
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Which features are categorical: columns of strings and categories, or those given by
        names, indexes or a mask (as in scikit-learn), or none.
    date_parts : str, list of str or None, default=None
        Parts of dates and times of day that become features too, such as ``["hour", "weekday"]``:
        the column ``when`` gives ``when.hour`` and ``when.weekday``. Dates themselves are always
        learned as seconds.
    max_categories : int, default=1000
        Largest number of categories of a feature. Later ones share one category, "other". A text
        feature that is new in almost every row is an identifier: it is left out, with a warning,
        unless `categorical_features` names it.
    max_features : int, default=10000
        Largest number of features. The features of the first row are always kept. Features that
        come later than the limit allows are ignored, with a warning.
    max_classes : int, default=1000
        Largest number of classes. A batch with more is refused.

    Attributes
    ----------
    classes_ : ndarray
        The classes seen so far: sorted after `fit`, and in the order of their first appearance
        after `partial_fit` and `learn_one`, so that the columns of probabilities never move.
    n_features_in_ : int
        Number of features seen so far.
    feature_names_in_ : ndarray of str
        Names of the features. Only available if every feature has a name.
    n_seen_ : int
        Number of examples learned. :meth:`rescan` counts them again.
    n_passes_ : int
        How often the data were presented: 1, plus 1 for each pass of :meth:`rescan`.
    n_nodes_, n_leaves_, depth_ : int
        Size of the tree.
    n_active_leaves_ : int
        Number of leaves that keep statistics: all, unless `max_bytes` is too small.
    memory_bytes_ : int
        Memory of the model, with its names and the overhead of the allocator.
    feature_importances_ : ndarray
        Share of each feature in the gains of all splits, weighted by the number of examples.

    Notes
    -----
    Learning in batches of any size gives the same tree, bit for bit, as learning row by row. A
    missing value (NaN, None, an absent key) updates nothing for its feature, and takes the branch
    that was the heavier one when the node was split. A batch with an error changes nothing. Any
    number of threads may predict while one learns.

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

    _always_taken = ALWAYS_TAKEN

    def __init__(
        self,
        *,
        statistics: StatisticsChoice = "gaussian",
        cuts: CutsChoice = "bins",
        variance: Variance = "sample",
        categorical_cuts: CategoricalCuts = "multiway",
        impurity: ImpurityChoice = "entropy",
        costs: Any = None,
        class_weight: Mapping[Any, float] | None = None,
        bound: BoundChoice = "hoeffding",
        leaf: LeafChoice = "adaptive",
        adaptation: AdaptationChoice = "none",
        random_state: int | None = None,
        grace_period: float = 200,
        adaptive_grace: bool = False,
        delta: float = 1e-7,
        spend_delta: bool = False,
        tau: float = 0.05,
        epsilons: Literal[1, 2] = 1,
        runner_up: RunnerUp = "feature",
        missing_second: MissingSecond = "zero",
        inherit_counts: InheritCounts = "predict",
        drop_poor_features: bool = False,
        leaf_features: FeatureCount = None,
        short_memory: int = 0,
        short_memory_in_bound: bool = False,
        min_gain: float = 1e-9,
        min_branch_fraction: float = 0.01,
        clip_to_range: bool = True,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bytes: int | str | None = None,
        categorical_features: Any = "from_dtype",
        date_parts: DateParts = None,
        max_categories: int = 1000,
        max_features: int = 10_000,
        max_classes: int = 1000,
    ) -> None:
        self.statistics = statistics
        self.cuts = cuts
        self.variance = variance
        self.categorical_cuts = categorical_cuts
        self.impurity = impurity
        self.costs = costs
        self.class_weight = class_weight
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
        self.date_parts = date_parts
        self.max_categories = max_categories
        self.max_features = max_features
        self.max_classes = max_classes

    @classmethod
    def _resolved(cls, axes: dict[str, Any]) -> dict[str, Any]:
        """Return the same axes with policies in place of names."""
        return resolved(axes)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # A few hundred rows are not enough for a split with these parameters.
        tags.classifier_tags.poor_score = shortest(resolve("leaf", self.leaf)) == "majority"
        return tags
