"""Trees of hyperplanes without their learning state: the planes and the inputs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riparian.data.costs import cost_matrix
from riparian.data.values import OTHER

if TYPE_CHECKING:
    from riparian.data.schema import Feature
    from riparian.models.gradient import OADT

__all__ = ["LARGEST", "STEEPEST", "Number", "PlainPlanes", "plain_planes"]

#: Limits of the inputs, and of the slope times the distance from a plane.
LARGEST, STEEPEST = 1e6, 60.0


@dataclass(frozen=True)
class Number:
    """A numeric input: ``(x - centre) / spread``, clipped.

    Attributes
    ----------
    feature : int
        Index of the feature.
    centre, spread : float
        The centre and the spread.
    missing : float
        The input if the value is missing.
    """

    feature: int
    centre: float
    spread: float
    missing: float


@dataclass(frozen=True)
class PlainPlanes:
    """The planes of one tree of hyperplanes, or of one tree per class.

    Attributes
    ----------
    features : sequence of Feature
        The columns.
    classes : list
        The labels.
    depth : int
        Number of levels of planes.
    slope : float
        Slope of the sigmoid of a plane.
    numbers : list of Number
        The numeric inputs, which come first.
    categories : list of (int, int)
        The other inputs, each 1 or 0: feature and code of a category.
    weights : ndarray of shape (n_trees, 2 ** depth - 1, n_inputs)
        The weights of the planes, level by level.
    biases : ndarray of shape (n_trees, 2 ** depth - 1)
        The biases of the planes.
    costs : ndarray or None
        Costs [predicted][true]. With None the prediction is the most likely class.
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
    """Return the planes of a model that has learned at least two classes."""
    arrays = model._fitted().snapshot()
    axes = model._learned_with
    classes = list(model._schema.classes)
    if len(classes) < 2:
        raise ValueError(f"{asked} needs a model with at least two classes, got {len(classes)}")
    features = list(model._schema.features)
    for place, feature in enumerate(features):
        if OTHER in feature.codes or model._schema.left_out(place):
            raise ValueError(
                f"{asked} cannot express the feature {feature.label!r}, which has more categories "
                "than max_categories or is an identifier; raise max_categories or drop the column"
            )
    numbers, still = _numbers(features, arrays, axes["standardise"])
    known = iter(arrays["categories"].tolist())
    categories = [
        (place, code)
        for place, feature in enumerate(features)
        if feature.kind == "categorical"
        for code in range(next(known))
    ]
    if not numbers and not categories:
        raise ValueError(f"{asked} needs a model that has seen values, not only missing ones")
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
    """Return the numeric inputs, and which of them are always 0."""
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
