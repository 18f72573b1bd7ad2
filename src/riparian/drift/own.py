"""Drift detectors of users, in forests."""

from __future__ import annotations

import math
from typing import Any

from riparian.policies.objects import OwnObject

__all__ = ["OwnDetector", "is_own_detector"]


def is_own_detector(value: object) -> bool:
    """Return whether an object has ``update`` and ``drift_detected``, as River's detectors do."""
    return (
        not isinstance(value, type)
        and callable(getattr(value, "update", None))
        and hasattr(value, "drift_detected")
    )


class OwnDetector(OwnObject):
    """Detectors of one kind that a user wrote, or River's, as the core calls them."""

    def __init__(self, name: str, value: Any) -> None:
        super().__init__(name, value, is_own_detector, "update(x) and drift_detected")
        self.update(self.fresh(), 0)  # before anything is learned

    def update(self, detector: Any, x: int) -> tuple[bool, float | None, float]:
        """Return whether there is a drift, the mean of the concept if known, and its change."""
        before = self._estimate(detector)
        detector.update(x)
        drift = bool(detector.drift_detected)
        estimate = self._estimate(detector)
        if before is None or estimate is None:
            return drift, None, 1.0
        return drift, estimate, estimate - before

    def _estimate(self, detector: Any) -> float | None:
        for name in ("estimate", "estimation"):
            value = getattr(detector, name, None)
            if value is None or callable(value):
                continue
            if not (math.isfinite(value) and abs(value) <= 1e100):
                raise ValueError(
                    f"{self._name} {self._described}: {name} must be finite, got {value!r}"
                )
            return float(value)
        return None
