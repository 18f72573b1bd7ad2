"""Leaf predictors of users."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from riparian.policies.objects import OwnObject
from riparian.policies.parameter import Parameter
from riparian.policies.policy import Policy, is_own_leaf

__all__ = ["Example", "OwnLeaf", "has_own_leaf", "refuse_limit"]


class Example(NamedTuple):
    """An example as a leaf predictor of a user gets it.

    Attributes
    ----------
    numbers : float64 array
        The numeric features, in the order in which they came; NaN is missing.
    codes : int32 array
        The categorical features: the number of the category, in the order in which they came;
        -1 is missing, -2 is a category that was never learned.
    """

    numbers: NDArray[np.float64]
    codes: NDArray[np.int32]


class OwnLeaf(Policy):
    """A leaf predictor of a user as a value of the axis."""

    axis = "leaf"
    name = "custom"
    about = "A leaf predictor of your own."
    parameters: ClassVar[dict[str, Parameter]] = {}
    declared: ClassVar[Mapping[str, Any]] = {
        "rules": [
            (None, ("adaptation", ["window"], False), "it cannot forget an example"),
            (None, ("leaf_features", ["None"], True), "it gets all features"),
            (None, ("max_bytes", ["None"], True), "its memory cannot be counted"),
        ],
        "certain_only": [("predictor", [], False)],
        "mean_gains": [],
    }
    is_default = False

    predictor: Any

    def __init__(self, predictor: Any) -> None:
        self.__dict__["predictor"] = predictor

    def replace(self, **changes: Any) -> Self:
        """Return the policy itself: it has no parameters."""
        return self

    def __repr__(self) -> str:
        return repr(self.predictor)

    def __hash__(self) -> int:
        return hash((type(self), id(self.predictor)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OwnLeaf) and other.predictor is self.predictor

    def __reduce__(self) -> tuple[Any, ...]:
        return OwnLeaf, (self.predictor,)

    def adapter(self) -> LeafAdapter:
        """Return the object that the core calls."""
        return LeafAdapter(self.predictor)


class LeafAdapter(OwnObject):
    """Leaf predictors of one kind that a user wrote, as the core calls them."""

    def __init__(self, value: Any) -> None:
        super().__init__("leaf", value, is_own_leaf, "learn(x, y, w) and predict_proba(x)")
        self.fresh()  # before anything is learned

    def learn(
        self, own: Any, numbers: NDArray[np.float64], codes: NDArray[np.int32], y: int, w: float
    ) -> None:
        """Learn one example."""
        own.learn(Example(numbers, codes), y, w)

    def predict(
        self, own: Any, numbers: NDArray[np.float64], codes: NDArray[np.int32], n_classes: int
    ) -> NDArray[np.float64] | None:
        """Return the probabilities of all classes, or None for the majority class."""
        returned = own.predict_proba(Example(numbers, codes))
        if returned is None:
            return None
        given = np.asarray(returned, dtype=np.float64)
        if given.ndim != 1:
            raise ValueError(
                f"leaf {self._described}: predict_proba must return one number per class, got an "
                f"array of shape {given.shape}"
            )
        if not (np.isfinite(given).all() and (given >= 0.0).all()):
            raise ValueError(
                f"leaf {self._described}: probabilities must be finite and at least 0, got "
                f"{given.tolist()}"
            )
        shares = np.zeros(n_classes)
        shares[: len(given)] = given[:n_classes]
        total = shares.max(initial=0.0)
        if not total > 0.0:
            return None
        shares /= total  # the sum of large numbers may overflow
        shares /= shares.sum()
        return shares

    def child(self, own: Any) -> Any:
        """Return the object of a new leaf below the leaf of this one."""
        make = getattr(own, "child", None)
        return make() if callable(make) else self.copy(own)


def has_own_leaf(leaf: Any) -> bool:
    """Return whether a value of the parameter `leaf` contains an object of the user."""
    every = leaf if isinstance(leaf, list | tuple) else (leaf,)
    return any(isinstance(one, OwnLeaf) or is_own_leaf(one) for one in every)


def refuse_limit(leaf: Any, limit: int | None) -> None:
    """Raise an error if the memory of a forest with such leaves is to be limited."""
    if limit is not None and has_own_leaf(leaf):
        raise ValueError(
            "leaf='custom' needs max_bytes=None: the memory of an object of your own cannot be "
            "counted"
        )
