"""The streaming tree: one choice on each axis."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from riparian.compat import announce_to_river
from riparian.policies import Choice, resolve, shortest
from riparian.recipe import Recipe, document, signature
from riparian.settings import resolved
from riparian.streaming_tree import StreamingTree

if TYPE_CHECKING:
    from sklearn.utils import Tags

__all__ = ["HoeffdingTree"]


class HoeffdingTree(StreamingTree):
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
        After a check that waits, check the leaf again once the bound could be met at
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
        for it: nothing, predict with them and its own, or also count them as
        examples seen. The last is what MOA does: trees grow faster, but `n` in the
        bound counts examples that the leaf never saw.
    drop_poor_features : bool, default=False
        After a check that waits, stop tracking a feature at that leaf whose best gain is
        behind the best one's by more than the bound, times `epsilons` [2]_; never the best
        two features, nor one that has no cut yet. Its memory is freed, and neither rows nor
        checks use it again; the leaf's children track all features. For
        ``leaf="majority"``: other leaves predict by all features.
    leaf_features : int, float, "sqrt" or None, default=None
        How many features a leaf tracks, drawn at random when it opens: a number, a share of
        them (rounded, and one more where that is less than two), the rounded root and one more,
        or all. It splits and predicts by these alone; its children draw their own. Members of a
        random forest do this [3]_.
    short_memory : int, default=0
        Keep this many of the last examples; when a leaf splits, its children learn those
        that reached it, so that they start warm (UFFT [1]_). What `inherit_counts` gives a child
        is reduced accordingly: no example counts twice in a prediction.
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

    # -- parameters ---------------------------------------------------------------------------

    @classmethod
    @functools.cache  # scikit-learn reads the signature at each call, which takes 50 us
    def _get_param_names(cls) -> list[str]:
        names: list[str] = super()._get_param_names()
        return names

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        # A few hundred rows are not enough for a split with these parameters.
        tags.classifier_tags.poor_score = shortest(resolve("leaf", self.leaf)) == "majority"
        return tags

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
