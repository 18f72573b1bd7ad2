"""The half-width of any bound, and the impurities that a bound supports."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from riparian import _core
from riparian.policies import classes as policy_classes
from riparian.policies.arguments import at_least, broadcast, positive, probabilities, served

__all__ = ["SERVES", "computed_width"]

#: The impurities that each bound supports. ``"hoeffding"`` is not listed: it supports all.
SERVES: dict[str, tuple[str, ...]] = {
    name: tuple(impurity for impurity in cls.declared["serves"] if impurity != "hybrid")
    for name, cls in policy_classes("bound").items()
    if cls.declared["serves"]
}


def computed_width(
    name: str,
    impurity: str,
    n: ArrayLike,
    *,
    delta: ArrayLike,
    gain_range: ArrayLike = 1.0,
    classes: ArrayLike = 2,
    depth: ArrayLike = 0,
    seen: ArrayLike = 1,
    features: ArrayLike = 1,
    variance: ArrayLike = np.nan,
    **parameters: Any,
) -> NDArray[np.float64]:
    """Return the half-width of a bound for each element of the broadcast arrays."""
    if name in SERVES:
        served(name, impurity, SERVES[name])
    arrays = broadcast(
        n=positive("n", n, "the interval of a leaf without examples is not defined"),
        gain_range=at_least("gain_range", gain_range, 0.0),
        delta=probabilities("delta", delta),
        classes=at_least("classes", classes, 0.0),
        depth=at_least("depth", depth, 0.0),
        seen=positive("seen", seen),
        features=at_least("features", features, 1.0),
        variance=np.asarray(variance, dtype=np.float64),
    )
    weight, r, chance, k, h, t, d, s2 = (a.ravel() for a in arrays)
    bound = policy_classes("bound")[name](**parameters).checked("bound")
    widths = _core.half_width(bound, impurity, weight, r, chance, k, h, t, d, s2)
    return widths.reshape(arrays[0].shape)
