"""Leaves that compute their prediction: each class has a score, which is a sum over the values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["LARGEST", "LARGEST_INPUT", "LEAST_SCORE", "Formula", "Lines", "Squares", "read_formula"]

#: Numeric values are clipped to plus or minus this before they are used.
LARGEST = 2.0**450
#: The standardised inputs of lines are clipped to plus or minus this.
LARGEST_INPUT = 1e6
#: The score of a class that a leaf cannot predict, in targets without infinity.
LEAST_SCORE = -1.7976931348623157e308


@dataclass(frozen=True)
class Squares:
    """Terms ``offset - precision * (x - centre) ** 2``, each of shape (n_classes, n_numeric)."""

    centre: NDArray[np.float64]
    precision: NDArray[np.float64]
    offset: NDArray[np.float64]


@dataclass(frozen=True)
class Lines:
    """Terms ``weight * z`` with ``z = (x - centre) / spread``, clipped to `LARGEST_INPUT`.

    `centre` and `spread` have the shape (n_numeric,), and `weight` (n_classes, n_numeric).
    """

    centre: NDArray[np.float64]
    spread: NDArray[np.float64]
    weight: NDArray[np.float64]


@dataclass(frozen=True)
class Formula:
    """The prediction of a leaf: a score for each class, and how scores become probabilities.

    A score is a constant plus a term for each value that is not missing.

    Attributes
    ----------
    weight : float
        The weight of the tree. The leaf adds its probabilities times this to the sum.
    link : {"softmax", "clipped"}
        "softmax": exp(score) divided by the sum. "clipped": the scores clipped to [0, 1], divided
        by their sum. If all scores are -inf, or all are 0 after clipping, the leaf predicts with
        its class weights.
    constant : ndarray of shape (n_classes,)
        The constants, -inf for a class that the leaf cannot predict.
    numeric : list of int
        The numeric features that have terms.
    terms : Squares or Lines
        Their terms.
    categorical : dict of int to ndarray of shape (n_categories + 1, n_classes)
        For each categorical feature the terms of its first categories, by their codes; and in the
        last row those of every other category.
    """

    weight: float
    link: str
    constant: NDArray[np.float64]
    numeric: list[int]
    terms: Squares | Lines
    categorical: dict[int, NDArray[np.float64]]

    @property
    def kind(self) -> tuple[bool, str]:
        """What is computed in the same way: whether the terms are squares, and the link."""
        return isinstance(self.terms, Squares), self.link


def read_formula(
    found: Mapping[str, Any],
    *,
    features: Sequence[int] | None,
    classes: NDArray[np.intp],
    n_classes: int,
    weight: float,
) -> Formula:
    """Return a formula of the engine over the features and classes of the model.

    Parameters
    ----------
    found : mapping
        The formula as returned by the engine.
    features : sequence of int or None
        The features of the model that its codes stand for. None is all, in order.
    classes : ndarray of int
        The classes of the model that its columns stand for.
    n_classes : int
        Number of classes of the model.
    weight : float
        The weight of the tree.
    """

    def wide(values: NDArray[np.float64], axis: int = 0, other: float = 0.0) -> Any:
        """Return the numbers of all classes; those of classes of other trees are `other`."""
        values = np.moveaxis(values, axis, 0)
        out = np.full((n_classes, *values.shape[1:]), other)
        out[classes] = values
        return np.moveaxis(out, 0, axis)

    terms: Squares | Lines
    if "spread" in found:
        terms = Lines(found["centre"], found["spread"], wide(found["weight"]))
    else:
        terms = Squares(wide(found["centre"]), wide(found["precision"]), wide(found["offset"]))
    places = found["numeric"].tolist()
    of_categories = found["categorical"].items()
    return Formula(
        weight=weight,
        link=found["link"],
        constant=wide(found["constant"], other=-np.inf if found["link"] == "softmax" else 0.0),
        numeric=places if features is None else [int(features[f]) for f in places],
        terms=terms,
        categorical={
            f if features is None else int(features[f]): wide(rows, axis=1)
            for f, rows in of_categories
        },
    )
