"""What the trees that restructure share outside."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.policies.parameter import whole
from riparian.tree_model import TreeModel

__all__ = ["EveryValue", "RestructuringModel", "example_limit"]

T = TypeVar("T", _core.Restructuring, _core.Id4)

#: Sums of weights, which are whole steps of 2^-20, are exact below this.
_MOST_WEIGHT = 2.0**33

#: Every node has a number for every class, and scores each of them for every test.
_MOST_CLASSES = 1_000


def example_limit(value: Any) -> int | None:
    """`max_examples` as the engine has it."""
    return None if value is None else whole("max_examples", value, 1, _core.MAX_EXAMPLES)


class RestructuringModel(TreeModel[T]):
    """A tree that revises itself after every example."""

    _max_classes = _MOST_CLASSES

    def _learn(self, X: Any, y: Any, classes: Any, sample_weight: Any, **options: Any) -> Any:
        if sample_weight is not None:
            try:
                sum_of_weights = float(np.sum(np.asarray(sample_weight, dtype=np.float64)))
            except (TypeError, ValueError):
                sum_of_weights = 0.0  # no numbers: an error where weights are read
            held = 0.0 if self._engine is None else self._engine.weight
            if _MOST_WEIGHT <= held + sum_of_weights < np.inf:
                raise ValueError(
                    "sample_weight must sum to less than 2**33 over all examples held: beyond "
                    "that the counts would not be exact"
                )
        return super()._learn(X, y, classes, sample_weight, **options)

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
    """One whose tests have a branch for every value: all features are categories."""

    def _axes(self) -> dict[str, Any]:
        return {**super()._axes(), "categorical_features": "all"}

    def _adopt(self, axes: Mapping[str, Any]) -> None:
        super()._adopt({k: v for k, v in axes.items() if k != "categorical_features"})


class Remembering(RestructuringModel[_core.Restructuring]):
    """One that keeps its examples, and equals the batch tree over them."""

    def _settings(self, axes: Mapping[str, Any]) -> dict[str, Any]:
        """The axes as the engine has them; a ValueError names a parameter that is wrong."""
        raise NotImplementedError

    def _new_engine(self, axes: Mapping[str, Any]) -> _core.Restructuring:
        return _core.Restructuring(self._settings(axes))

    def _restored_engine(
        self, axes: Mapping[str, Any], arrays: dict[str, NDArray[Any]]
    ) -> _core.Restructuring:
        return _core.Restructuring.restore(self._settings(axes), arrays)

    @property
    def n_examples_(self) -> int:
        return self._fitted().n_examples


def _impurity(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weight times entropy of each row, in bits."""
    sums = counts.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(counts > 0, counts * np.log2(sums / counts), 0.0)
    return np.asarray(terms.sum(axis=1))
