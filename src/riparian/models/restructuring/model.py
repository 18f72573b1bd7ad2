"""What the restructuring trees share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.models.tree_model import TreeModel
from riparian.policies.parameter import whole

__all__ = ["EveryValue", "RestructuringModel", "example_limit"]

T = TypeVar("T", _core.Restructuring, _core.Id4)

#: Sums of weights, which are whole steps of 2^-20, are exact below this.
_MOST_WEIGHT = 2.0**33

#: Every node has a number for every class, and scores each of them for every test.
_MOST_CLASSES = 1_000


def example_limit(value: Any) -> int | None:
    """Return `max_examples` as the engine accepts it."""
    return None if value is None else whole("max_examples", value, 1, _core.MAX_EXAMPLES)


class RestructuringModel(TreeModel[T], group="restructuring trees"):
    """A tree that revises itself after every example."""

    _max_classes = _MOST_CLASSES
    _watches = False

    def _refuse_weights(self, engine: T, weights: NDArray[np.float64]) -> None:
        if engine.weight + float(weights.sum()) >= _MOST_WEIGHT:
            raise ValueError(
                "sample_weight must sum to less than 2**33 over all examples kept: beyond "
                "that the counts would not be exact"
            )

    @property
    def n_count_additions_(self) -> int:
        return self._fitted().counters[0]

    @property
    def n_e_scores_(self) -> int:
        return self._fitted().counters[1]

    @property
    def n_restructurings_(self) -> int:
        return self._fitted().counters[2]

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        nodes = self._fitted().nodes()
        impurity = _impurity(nodes["reached"])
        inner = nodes["test"] != 0
        total = np.zeros(self.n_features_in_)
        np.add.at(total, nodes["feature"][inner], impurity[inner])
        below = np.flatnonzero(nodes["parent"] >= 0)
        np.add.at(total, nodes["feature"][nodes["parent"][below]], -impurity[below])
        gains = total.sum()
        return total / gains if gains > 0 else total


class EveryValue(RestructuringModel[T]):
    """A tree whose tests have a branch for every value: all features are categorical."""

    def _axes(self) -> dict[str, Any]:
        return {**super()._axes(), "categorical_features": "all"}


class Remembering(RestructuringModel[_core.Restructuring]):
    """A tree that keeps its examples, and equals the batch tree of them."""

    _native = _core.Restructuring
    #: The settings of the engine that make it this algorithm.
    _rule: ClassVar[dict[str, Any]] = {}

    def _settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        return {**self._rule, "max_examples": example_limit(axes["max_examples"])}

    @property
    def n_examples_(self) -> int:
        return self._fitted().n_examples


def _impurity(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight times the entropy of each row, in bits."""
    sums = counts.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(counts > 0, counts * np.log2(sums / counts), 0.0)
    return np.asarray(terms.sum(axis=1))
