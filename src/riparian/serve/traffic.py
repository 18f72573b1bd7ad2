"""What the server has answered: counts and times, for metrics."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import Any

__all__ = ["BUCKETS", "Histogram", "Traffic"]

#: The upper ends of the classes of answer times in seconds.
BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
#: Predictions are counted for this many classes; those of further ones together.
_CLASSES = 50


class Histogram:
    """Counts of values by classes, and their sum."""

    __slots__ = ("counts", "ends", "total")

    def __init__(self, ends: tuple[float, ...]) -> None:
        self.ends = ends
        self.counts = [0] * (len(ends) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.ends, value)] += 1
        self.total += value

    def cumulated(self) -> list[tuple[str, float]]:
        """Return the counts as Prometheus has them: up to each end, and of all."""
        found, n = [], 0
        for end, count in zip((*map(str, self.ends), "+Inf"), self.counts, strict=True):
            n += count
            found.append((end, float(n)))
        return found


class Traffic:
    """Counts requests and predictions. Only the thread of the event loop writes."""

    def __init__(self) -> None:
        self.in_flight = 0
        self.last = 0.0  # when the last request came, by the counter of times
        self.event_clients = 0
        self.replayed = 0
        #: Rows with an id that could not be remembered, though their prediction was given.
        self.forgotten = 0
        self.requests: dict[tuple[str, str, int], Histogram] = {}
        self.predicted: Counter[str] = Counter()
        self.confidence = Histogram((0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0))

    def observe(self, route: str, method: str, status: int, seconds: float) -> None:
        """Count an answer."""
        found = self.requests.get((route, method, status))
        if found is None:
            found = self.requests[route, method, status] = Histogram(BUCKETS)
        found.counts[bisect_left(found.ends, seconds)] += 1
        found.total += seconds

    def predict(self, label: Any, n: int = 1) -> None:
        """Count predictions of a class."""
        name = str(label)
        if name not in self.predicted and len(self.predicted) >= _CLASSES:
            name = "other"
        self.predicted[name] += n
