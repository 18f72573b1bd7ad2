"""The accuracy of a model as the page draws it."""

from __future__ import annotations

import math
from typing import Any

from riparian.evaluate.results import Result

__all__ = ["accuracy_picture"]

_MOST_POINTS = 300


def accuracy_picture(result: Result | None) -> dict[str, Any]:
    """Return figures and points of an evaluation; nothing is known without one."""
    if result is None or not result.n:
        names = ("overall", "sliding", "window", "majority", "no_change")
        return {**dict.fromkeys(names), "rows": 0, "points": []}
    baselines, curve = result.baselines, result.curve
    step = math.ceil(len(curve.rows) / _MOST_POINTS) or 1
    # The last point is always there.
    chosen = slice((len(curve.rows) - 1) % step, None, step)
    columns = (curve.rows[chosen], curve.sliding[chosen], curve.overall[chosen])
    return {
        "overall": result.accuracy,
        "sliding": result.sliding,
        "window": result.sliding_rows,
        "majority": baselines["majority class"],
        "no_change": baselines["no change"],
        "rows": result.n,
        "points": list(zip(*(column.tolist() for column in columns), strict=True)),
    }
