"""OADT: a tree of hyperplanes that learns by gradient descent."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

from numpy.typing import NDArray

from riparian import _core
from riparian.data.class_weights import check_class_weight
from riparian.data.costs import check_costs
from riparian.data.formatting import exact_text
from riparian.data.free_names import column_names, free_among
from riparian.data.table import read_example
from riparian.data.times import DateParts, check_parts
from riparian.errors import one_of
from riparian.models.base import StreamClassifier
from riparian.models.parts import Parts
from riparian.models.planes import Plane, SoftNode, planes_text
from riparian.models.settings import byte_count, check_categorical_features, check_seed
from riparian.policies.parameter import number, truth, whole

if TYPE_CHECKING:
    from riparian.export.allowed import Allowed
    from riparian.export.planes import PlainPlanes

__all__ = ["OADT", "Plane", "SoftNode"]

Rate = Literal["normalised", "constant"]
Loss = Literal["log", "squared"]
Step = Literal["tangent", "plain"]


class OADT(StreamClassifier[_core.GradientEngine], group="gradient trees", paper="basak2004"):
    r"""A complete binary tree of hyperplanes, all of which learn from every example.

    An example takes both branches of every node, in shares. Node :math:`i` sends the share
    :math:`f(v_i)` to the left, with :math:`v_i = w_i^\top x + \theta_i`, :math:`|w_i| = 1` and
    :math:`f(v) = 1 / (1 + e^{-mv})`. The share that reaches the left leaves is the probability of
    the class. Every example causes one step of gradient descent of all hyperplanes. There are no
    checks and no bound, and the tree does not grow: it has its full size from the beginning, and
    follows change because it never stops moving.

    Parameters
    ----------
    depth : int, default=5
        Levels of hyperplanes, 1 to 10; there are ``2 ** depth`` leaves.
    slope : float, default=3.0
        :math:`m`: how sharply a node separates its two sides. With a large slope the tree learns
        only from examples close to its hyperplanes.
    learning_rate : float, default=2.0
        :math:`\eta`, the size of the first step. The step of the n-th example is
        :math:`\eta / \sqrt{1 + n / (s d)}` with `settling` for :math:`s` and :math:`d` inputs.
    final_rate : float, default=0.2
        The smallest step, so that the tree always follows change. If it equals `learning_rate`,
        all steps have the size of the first.
    settling : float, default=100
        After this many examples per input the steps begin to shrink. With a small value the
        hyperplanes settle sooner and more precisely; a changing stream needs a large value.
    rate : {"normalised", "constant"}, default="normalised"
        Whether steps are divided by :math:`1 + m^2 (1 + |x|^2)`, so that no example moves a
        hyperplane too far. With "constant", 0.01 to 0.1 is a good `learning_rate`.
    loss : {"log", "squared"}, default="log"
        The loss that is minimised: :math:`-\ln p` of the true class, or
        :math:`(1 - y\,o)^2 / 2` with the output :math:`o = 2p - 1`, which learns less from
        examples that are far on the wrong side.
    step : {"tangent", "plain"}, default="tangent"
        Move the weights along the unit sphere, or in a straight line and then back onto it. With a
        single feature only "plain" can reverse a hyperplane.
    standardise : bool, default=True
        Subtract the running mean from each numeric feature and divide by its running standard
        deviation. Without it features should have a magnitude of about 1; values beyond a million
        are clipped to it.
    costs : array-like of shape (n_classes, n_classes), dict or None, default=None
        Cost of each (predicted, true) pair, as in :class:`HoeffdingTree`. The prediction is the
        class of least expected cost; learning and probabilities do not change.
    class_weight : dict or None, default=None
        Weights of classes, by label, as in :class:`HoeffdingTree`.
    random_state : int or None, default=None
        Seed of the first weights. None is the seed 0: the same rows always give the same tree.
    max_bytes : int, str or None, default=None
        Memory limit of the model. A batch whose new features, categories or classes would need
        more is refused.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Which features are categorical, as in :class:`HoeffdingTree`. Each category is an input of
        0 or 1.
    date_parts : str, list of str or None, default=None
        Parts of dates that become features, as in :class:`HoeffdingTree`.
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
        The classes seen so far, in the order of :class:`HoeffdingTree`.
    n_features_in_ : int
        Number of features seen so far.
    feature_names_in_ : ndarray of str
        Names of the features. Only available if every feature has a name.
    n_seen_ : int
        Number of examples learned.
    n_trees_ : int
        Number of trees: 1 for two classes, and one per class for more.
    n_nodes_, n_leaves_, depth_ : int
        Nodes and leaves of all trees, and the depth of each tree.
    memory_bytes_ : int
        Memory of the model, with its names and the overhead of the allocator.

    Notes
    -----
    Learning in batches of any size gives the same tree, bit for bit, as learning row by row. A
    missing number counts as the mean of its feature, a missing or unknown category as none. A
    sample weight multiplies the step: weight 2 is similar to learning an example twice, but not
    equal. A feature or category that comes late gets the weight that it would have had from the
    beginning, and all weights are scaled to norm 1. At a third class the one tree becomes two that
    predict the same, and a third tree begins. A row costs ``O(trees * 2 ** depth * inputs)``, where
    every category is an input.

    *Differs from the paper*: its objective, its learning rates and its labels of leaves were not
    available. The loss, the step on the sphere, the standardised inputs, the alternating labels of
    leaves and the one tree per class for more than two classes were chosen here. Nodes whose
    gradient is below 1e-8 are not moved.

    References
    ----------
    .. [1] J. Basak. Online adaptive decision trees. Neural Computation 16(9), 2004,
       pp. 1959-1981.

    Examples
    --------
    >>> import numpy as np
    >>> from riparian import OADT
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(5_000, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> tree = OADT(depth=2).fit(X, y)
    >>> float(np.mean(tree.predict(X) == y)) > 0.95
    True
    """

    def __init__(
        self,
        *,
        depth: int = 5,
        slope: float = 3.0,
        learning_rate: float = 2.0,
        final_rate: float = 0.2,
        settling: float = 100,
        rate: Rate = "normalised",
        loss: Loss = "log",
        step: Step = "tangent",
        standardise: bool = True,
        costs: Any = None,
        class_weight: Mapping[Any, float] | None = None,
        random_state: int | None = None,
        max_bytes: int | str | None = None,
        categorical_features: Any = "from_dtype",
        date_parts: DateParts = None,
        max_categories: int = 1000,
        max_features: int = 10_000,
        max_classes: int = 1000,
    ) -> None:
        self.depth = depth
        self.slope = slope
        self.learning_rate = learning_rate
        self.final_rate = final_rate
        self.settling = settling
        self.rate = rate
        self.loss = loss
        self.step = step
        self.standardise = standardise
        self.costs = costs
        self.class_weight = class_weight
        self.random_state = random_state
        self.max_bytes = max_bytes
        self.categorical_features = categorical_features
        self.date_parts = date_parts
        self.max_categories = max_categories
        self.max_features = max_features
        self.max_classes = max_classes

    def _unit_test_skips(self) -> set[str]:
        # The first weights of a feature depend on its position.
        return {"check_shuffle_features_no_impact"}

    # -- looking inside -----------------------------------------------------------------------

    def explain_one(self, x: Mapping[Any, Any]) -> list[SoftNode]:
        """Return the path of one example through every tree, node by node.

        Parameters
        ----------
        x : mapping
            Values by the names of features, as in ``predict_one``.

        Returns
        -------
        nodes : list of SoftNode
            One for each inner node of each tree; it prints as a sentence.

        Examples
        --------
        >>> from riparian import OADT
        >>> tree = OADT(depth=1).fit([[-1.0], [1.0], [-2.0], [2.0]], [0, 1, 0, 1])
        >>> print(tree.explain_one({0: 1.5})[0])
        class 1, node 1: reached by 1.000, value -0.983, 0.050 of it to the left
        """
        engine = self._fitted()
        batch = self._read(read_example(x)).batch
        found = engine.explain(batch)
        trees = 1 + max((tree for tree, *_ in found), default=-1)
        return [
            SoftNode(self._label(tree, trees), node, reached, value, left)
            for tree, node, reached, value, left in found
        ]

    def planes(self) -> list[Plane]:
        """Return the hyperplanes of all trees.

        Returns
        -------
        planes : list of Plane
            One for each inner node of each tree, in heap order: the children of node i are 2i and
            2i + 1.

        Examples
        --------
        >>> from riparian import OADT
        >>> tree = OADT(depth=1).fit([[-1.0], [1.0], [-2.0], [2.0]], [0, 1, 0, 1])
        >>> [plane.node for plane in tree.planes()]
        [1]
        """
        arrays = self._fitted().snapshot()
        inner = 2 ** self._learned_with["depth"] - 1
        names = self._inputs(arrays)
        trees = len(arrays["biases"]) // inner
        weights = arrays["weights"].reshape(trees * inner, len(names))
        return [
            Plane(
                self._label(i // inner, trees),
                i % inner + 1,
                dict(zip(names, weights[i].tolist(), strict=True)),
                float(arrays["biases"][i]),
            )
            for i in range(trees * inner)
        ]

    def export_text(self, *, n_terms: int = 4, decimals: int = 2) -> str:
        """Write the hyperplanes as indented text.

        Parameters
        ----------
        n_terms : int, default=4
            How many weights of a plane are written, the largest ones.
        decimals : int, default=2
            Digits after the point.

        Returns
        -------
        text : str
            One line per hyperplane and leaf; what lies on the left side of a plane comes first.

        Examples
        --------
        >>> from riparian import OADT
        >>> tree = OADT(depth=1).fit([[-1.0], [1.0], [-2.0], [2.0]], [0, 1, 0, 1])
        >>> print(tree.export_text(), end="")
        for 1:
        -1.00 x0 -0.03
        |   1
        |   not 1
        """
        terms = whole("n_terms", n_terms, 1, 2**31)
        digits = whole("decimals", decimals, 0, 17)
        return planes_text(self.planes(), self._learned_with["depth"], terms, digits)

    def _parts(self) -> Parts:
        sizes = {"trees": self.n_trees_, "leaves": self.n_leaves_, "depth": self.depth_}
        return replace(super()._parts(), sizes=sizes, text=("Planes", self.export_text()))

    def _plain(self, allowed: Allowed, asked: str) -> PlainPlanes:
        from riparian.export.planes import plain_planes

        for name in ("leaf", "missing"):
            if (given := getattr(allowed, name)) is not None:
                raise ValueError(
                    f"{name} must be None for OADT, whose nodes are hyperplanes, got {given!r}"
                )
        return plain_planes(self, asked)

    @property
    def n_trees_(self) -> int:
        return self._fitted().n_trees

    @property
    def n_nodes_(self) -> int:
        return self.n_trees_ * int(2 ** (self.depth_ + 1) - 1)

    @property
    def n_leaves_(self) -> int:
        return self.n_trees_ * int(2**self.depth_)

    @property
    def depth_(self) -> int:
        self._fitted()
        return int(self._learned_with["depth"])

    def _label(self, tree: int, trees: int) -> Hashable:
        """Return the class of a tree: the second of two classes; None before it was seen."""
        place = tree if trees > 1 else 1
        classes = self._schema.classes
        return classes[place] if place < len(classes) else None

    def _inputs(self, arrays: Mapping[str, NDArray[Any]]) -> list[str]:
        """Return the names of the inputs in the order of the weights; all are different."""
        features = self._schema.features[: len(arrays["kinds"])]
        labels = column_names(features)
        named = list(zip(features, labels, strict=True))
        names = [label for feature, label in named if feature.kind == "numeric"]
        taken = set(names)
        categorical = [(f, label) for f, label in named if f.kind == "categorical"]
        counts = arrays["categories"].tolist()
        for (feature, label), count in zip(categorical, counts, strict=True):
            for value in feature.categories[:count]:
                (name,) = free_among([f"{label} = {exact_text(value)}"], taken)
                taken.add(name)
                names.append(name)
        return names

    # -- the engine ---------------------------------------------------------------------------

    _native = _core.GradientEngine
    _watches = False

    def _settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        check_categorical_features(axes["categorical_features"])
        check_parts(axes["date_parts"])
        if axes["costs"] is not None:
            check_costs(axes["costs"])
        check_class_weight(axes["class_weight"])
        return {
            "depth": whole("depth", axes["depth"], 1, _core.MAX_GRADIENT_DEPTH),
            "slope": number("slope", axes["slope"], 1e-6, 1e3),
            "learning_rate": number("learning_rate", axes["learning_rate"], 0.0, 1e3),
            "final_rate": number("final_rate", axes["final_rate"], 0.0, 1e3),
            "settling": number("settling", axes["settling"], 1e-3, 2.0**53),
            "rate": one_of("rate", axes["rate"], get_args(Rate)),
            "loss": one_of("loss", axes["loss"], get_args(Loss)),
            "step": one_of("step", axes["step"], get_args(Step)),
            "standardise": truth("standardise", axes["standardise"]),
            "random_state": check_seed(axes["random_state"]),
            "max_bytes": byte_count("max_bytes", axes["max_bytes"]),
        }
