"""OADT: a tree of hyperplanes and sigmoids that learns by gradient, from every example."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.compat import announce_to_river
from riparian.costs import check_costs
from riparian.errors import one_of
from riparian.free_names import column_names, free_among
from riparian.model import StreamClassifier
from riparian.policies.parameter import number, truth, whole
from riparian.settings import byte_count, check_categorical_features
from riparian.table import read_example
from riparian.wording import exact_text, exact_value, label_text

if TYPE_CHECKING:
    from riparian.export.plain import Allowed
    from riparian.export.planes import PlainPlanes

__all__ = ["OADT", "Plane", "SoftNode"]


@dataclass(frozen=True)
class SoftNode:
    """What one example does at one inner node: it goes both ways, in shares."""

    label: Hashable
    """The class whose tree it is: left leaves speak for it, right ones against it."""
    node: int
    """Heap order: the root is 1, the children of i are 2i and 2i + 1."""
    reached: float
    """The share of the example that comes here."""
    value: float
    """Where it lies from the hyperplane: above 0 on the left side."""
    left: float
    """The share of what comes here that goes left."""

    def __str__(self) -> str:
        return (
            f"{self.label!r} node {self.node}: {self.reached:.3f} of it here, value "
            f"{self.value:+.3f}, {self.left:.3f} left"
        )


@dataclass(frozen=True)
class Plane:
    """The hyperplane of one inner node, over the inputs as the tree sees them."""

    label: Hashable
    node: int
    weights: dict[str, float]
    """By input: a numeric feature, or a category (``"job = nurse"``). Their length is 1."""
    bias: float


class OADT(StreamClassifier[_core.GradientEngine]):
    r"""A complete binary tree of hyperplanes that are all moved by every example.

    An example goes down both branches of every node, in shares. Node :math:`i` sends
    :math:`f(v_i)` of what it gets to the left, with :math:`v_i = w_i^\top x + \theta_i`,
    :math:`|w_i| = 1` and :math:`f(v) = 1 / (1 + e^{-mv})`; what reaches the left ones of all
    leaves is the probability of the class. Every example takes one step of gradient descent
    with all planes. There is no check, no bound and no growth: the tree has its size from the
    beginning and follows change because it never stops moving.

    Parameters
    ----------
    depth : int, default=5
        Levels of hyperplanes, 1 to 10; there are ``2 ** depth`` leaves.
    slope : float, default=3.0
        :math:`m`: how sharply a node tells its two sides apart. With a large one the tree is
        hard, and learns only from what lies close to its planes.
    learning_rate : float, default=2.0
        :math:`\eta`, the length of the first step. The step of the n-th example is
        :math:`\eta / \sqrt{1 + n / (s d)}` with `settling` for :math:`s` and :math:`d` inputs.
    final_rate : float, default=0.2
        What it does not fall below, so that the tree follows change for ever. With
        `learning_rate` for both, all steps are as long as the first.
    settling : float, default=100
        After so many examples for each input steps begin to shrink. With a small one planes lie
        still sooner, and closer to where they belong; a changing stream wants a large one.
    rate : {"normalised", "constant"}, default="normalised"
        Divide steps by :math:`1 + m^2 (1 + |x|^2)`, so that no example moves a plane too far, or
        not; 0.01 to 0.1 is then a good `learning_rate`.
    loss : {"log", "squared"}, default="log"
        What is made smaller: :math:`-\ln p` of the right class, or :math:`(1 - y\,o)^2 / 2` with
        the output :math:`o = 2p - 1`, which learns less from what is far wrong.
    step : {"tangent", "plain"}, default="tangent"
        Move weights along the sphere of length 1, or straight and back onto it. With one
        feature alone only the second can turn a plane round.
    standardise : bool, default=True
        Subtract the running mean from each numeric feature and divide by its running standard
        deviation. Without it features should be of the size of 1, and values beyond a million
        are used for it.
    costs : array-like of shape (n_classes, n_classes), dict or None, default=None
        Cost of each (predicted, true) pair, as in :class:`HoeffdingTree`: predictions are the
        classes of least expected cost; learning and probabilities stay as they are.
    random_state : int or None, default=None
        Seed of the first weights; None is 0, so that the same rows give the same tree.
    max_bytes : int, str or None, default=None
        Limit of the memory that the model holds. A model that would need more for a new
        feature, category or class refuses the batch.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Which features are categorical, as in :class:`HoeffdingTree`. Each category is an input
        that is 1 or 0.

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
        Number of examples learned.
    n_trees_ : int
        1 for two classes; for more, one a class.
    n_nodes_, n_leaves_, depth_ : int
        Size of all trees together, and depth of each.
    memory_bytes_ : int
        Memory that the model holds, with its names and what the allocator adds.

    Notes
    -----
    Learning in batches of any size gives the same tree, bit for bit, as learning row by row. A
    missing value counts as the mean of its feature, a missing or unknown category as none. A
    sample weight multiplies the step: the weight 2 is close to learning an example twice, but
    not the same. A feature or category that comes late has the weight that the seed had for it
    from the beginning, and all weights are shortened to the length 1. A third class turns the
    one tree into two that predict the same as it did, and brings a third. A row costs
    ``O(trees * 2 ** depth * inputs)``, with every category an input.

    *Differs from the paper*: the paper's objective, learning rates and labels of leaves were
    not at hand. The loss, the step on the sphere, the standardised inputs and the leaves whose
    labels alternate are choices of this package; so is a tree a class for more than two classes.
    Nodes whose gradient is below 1e-8 are not moved.

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
        rate: str = "normalised",
        loss: str = "log",
        step: str = "tangent",
        standardise: bool = True,
        costs: Any = None,
        random_state: int | None = None,
        max_bytes: int | str | None = None,
        categorical_features: Any = "from_dtype",
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
        self.random_state = random_state
        self.max_bytes = max_bytes
        self.categorical_features = categorical_features
        announce_to_river(type(self))

    # -- looking inside -----------------------------------------------------------------------

    def explain_one(self, x: Mapping[Any, Any]) -> list[SoftNode]:
        """The way of one example through every tree, node by node."""
        engine = self._fitted()
        batch = self._read(read_example(x)).batch
        found = engine.explain(batch)
        trees = 1 + max((tree for tree, *_ in found), default=-1)
        return [
            SoftNode(self._label(tree, trees), node, reached, value, left)
            for tree, node, reached, value, left in found
        ]

    def planes(self) -> list[Plane]:
        """The hyperplanes of all trees, in heap order."""
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
        """The hyperplanes as indented text: left above right, and what the leaves speak for.

        Parameters
        ----------
        n_terms : int, default=4
            How many weights of a plane are written, the largest ones.
        decimals : int, default=2
            Their digits after the point.
        """
        terms = whole("n_terms", n_terms, 1, 2**31)
        digits = whole("decimals", decimals, 0, 17)
        planes = self.planes()
        inner = 2 ** self._learned_with["depth"] - 1
        lines = []
        for first in range(0, len(planes), inner):
            tree = planes[first : first + inner]
            lines.append(f"for {exact_value(tree[0].label)!r}:")
            waiting = [(1, 1)]
            while waiting:
                node, level = waiting.pop()
                indent = "|   " * (level - 1)
                if node > inner:
                    word = "" if node % 2 == 0 else "not "
                    lines.append(f"{indent}{word}{exact_value(tree[0].label)!r}")
                    continue
                lines.append(indent + _formula(tree[node - 1], terms, digits))
                waiting += [(2 * node + 1, level + 1), (2 * node, level + 1)]
        return "\n".join(lines) + "\n"

    def _plain(self, allowed: Allowed, asked: str) -> PlainPlanes:
        from riparian.export.planes import plain_planes

        for name in ("leaf", "missing"):
            if (given := getattr(allowed, name)) is not None:
                raise ValueError(
                    f"{name} must be None for OADT, whose nodes are planes, got {given!r}"
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
        """The class that a tree speaks for: of two, the second; before it came, there is none."""
        place = tree if trees > 1 else 1
        classes = self._schema.classes
        return classes[place] if place < len(classes) else None

    def _inputs(self, arrays: Mapping[str, NDArray[Any]]) -> list[str]:
        """Names of the inputs, in the order of the weights, all different."""
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

    def _new_engine(self, axes: Mapping[str, Any]) -> _core.GradientEngine:
        return _core.GradientEngine(_checked(axes))

    def _restored_engine(
        self, axes: Mapping[str, Any], arrays: dict[str, NDArray[Any]]
    ) -> _core.GradientEngine:
        return _core.GradientEngine.restore(_checked(axes), arrays)


def _checked(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The engine's settings, or a ValueError that names parameter, rule and value."""
    p = parameters
    check_categorical_features(p["categorical_features"])
    if p["costs"] is not None:
        check_costs(p["costs"])
    seed = p["random_state"]
    return {
        "depth": whole("depth", p["depth"], 1, _core.MAX_GRADIENT_DEPTH),
        "slope": number("slope", p["slope"], 1e-6, 1e3),
        "learning_rate": number("learning_rate", p["learning_rate"], 0.0, 1e3),
        "final_rate": number("final_rate", p["final_rate"], 0.0, 1e3),
        "settling": number("settling", p["settling"], 1e-3, 2.0**53),
        "rate": one_of("rate", p["rate"], ["normalised", "constant"]),
        "loss": one_of("loss", p["loss"], ["log", "squared"]),
        "step": one_of("step", p["step"], ["tangent", "plain"]),
        "standardise": truth("standardise", p["standardise"]),
        "random_state": 0 if seed is None else whole("random_state", seed, 0, 2**32 - 1),
        "max_bytes": byte_count("max_bytes", p["max_bytes"]),
    }


def _formula(plane: Plane, n_terms: int, decimals: int) -> str:
    names, weights = list(plane.weights), np.array(list(plane.weights.values()))
    largest = np.sort(np.argsort(-np.abs(weights), kind="stable")[:n_terms])
    terms = [f"{weights[i]:+.{decimals}f} {label_text(names[i])}" for i in largest]
    more = ["..."] if len(names) > n_terms else []
    return " ".join([*terms, *more, f"{plane.bias:+.{decimals}f}"])
