"""Trees of hyperplanes without what they learn by: planes, and what inputs are made of."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riparian.costs import cost_matrix

if TYPE_CHECKING:
    from riparian.gradient import OADT
    from riparian.schema import Feature

__all__ = ["LARGEST", "STEEPEST", "Number", "PlainPlanes", "plain_planes"]

#: What inputs are cut off at, and the slope times the distance from a plane.
LARGEST, STEEPEST = 1e6, 60.0


@dataclass(frozen=True)
class Number:
    """How a numeric feature is made an input: ``(x - centre) / spread``, cut off.

    Attributes
    ----------
    feature : int
        Its place among the features.
    centre, spread : float
        What is subtracted, and divided by then.
    missing : float
        The input where the value is missing.
    """

    feature: int
    centre: float
    spread: float
    missing: float


@dataclass(frozen=True)
class PlainPlanes:
    """What a tree of hyperplanes predicts, or one tree per class, and nothing else.

    Attributes
    ----------
    features : sequence of Feature
        The columns.
    classes : list
        Labels.
    depth : int
        Levels of planes.
    slope : float
        How sharply a plane tells its sides apart.
    numbers : list of Number
        The first inputs.
    categories : list of (int, int)
        The inputs after them, each 1 or 0: feature and code of a category.
    weights : ndarray of shape (n_trees, 2 ** depth - 1, n_inputs)
        The planes, level by level.
    biases : ndarray of shape (n_trees, 2 ** depth - 1)
        Theirs.
    costs : ndarray or None
        [predicted][true]; None where the prediction is the most likely class.
    """

    features: Sequence[Feature]
    classes: list[Hashable]
    depth: int
    slope: float
    numbers: list[Number]
    categories: list[tuple[int, int]]
    weights: NDArray[np.float64]
    biases: NDArray[np.float64]
    costs: NDArray[np.float64] | None


def plain_planes(model: OADT, asked: str) -> PlainPlanes:
    """The planes of a model that has learned two classes or more."""
    arrays = model._fitted().snapshot()
    axes = model._learned_with
    classes = list(model._schema.classes)
    if len(classes) < 2:
        raise ValueError(f"{asked} needs two classes: one alone has no planes")
    features = list(model._schema.features)
    numbers, still = _numbers(features, arrays, axes["standardise"])
    known = iter(arrays["categories"].tolist())
    categories = [
        (place, code)
        for place, feature in enumerate(features)
        if feature.kind == "categorical"
        for code in range(next(known))
    ]
    if not numbers and not categories:
        raise ValueError(f"{asked} needs a value: this model has seen missing ones only")
    inner = 2 ** axes["depth"] - 1
    weights = arrays["weights"].reshape(-1, inner, len(numbers) + len(categories)).copy()
    weights[:, :, np.flatnonzero(still)] = 0.0
    return PlainPlanes(
        features=features,
        classes=classes,
        depth=int(axes["depth"]),
        slope=float(axes["slope"]),
        numbers=numbers,
        categories=categories,
        weights=weights,
        biases=arrays["biases"].reshape(-1, inner),
        costs=None if axes["costs"] is None else cost_matrix(axes["costs"], classes),
    )


def _numbers(
    features: Sequence[Feature], arrays: Mapping[str, NDArray[Any]], standardise: bool
) -> tuple[list[Number], NDArray[np.bool_]]:
    """The numeric inputs, and which of them are 0 whatever comes."""
    places = [i for i, feature in enumerate(features) if feature.kind == "numeric"]
    known, mean, squares = arrays["known"], arrays["mean"], arrays["squares"]
    if not standardise:
        cut = np.clip(mean, -LARGEST, LARGEST)
        raw = [Number(i, 0.0, 1.0, float(m)) for i, m in zip(places, cut, strict=True)]
        return raw, np.zeros(len(places), dtype=bool)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.where(known > 0.0, squares / known, 0.0)
    still = ~(variance > 0.0)
    spread = np.where(still, 1.0, np.sqrt(variance))
    numbers = [
        Number(i, float(m), float(s), 0.0) for i, m, s in zip(places, mean, spread, strict=True)
    ]
    return numbers, still
