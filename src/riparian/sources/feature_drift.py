"""Feature drift: how far the values of recent rows are from those of the first rows.

One row in 50 is looked at, chosen by its number, so that a replay looks at the same rows. The first
5,000 of them are the reference: 20 bins of equal weight for a number, one bin for each category.
The population stability index of the last 5,000 against them is

    PSI = sum over bins (q - p) ln(q / p)

with the shares p of the reference and q of the recent rows, each at least 0.0001. Users of other
tools know the marks 0.1 (look at it) and 0.25 (it has changed).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian.data.block import Block, Coded
from riparian.data.times import Times

__all__ = ["FeatureDrift", "stability_index"]

_STEP, _ROWS, _BINS = 50, 5000, 20
#: The last rows are counted in blocks, of which the oldest goes.
_BLOCKS = 10
#: The index is reported once there are this many recent rows.
_FEW = 100
_LEAST_SHARE = 1e-4
#: Limits: further rare categories share a bin, and further features are left out.
_MOST_CATEGORIES, _MOST_FEATURES = 50, 100


def stability_index(reference: NDArray[Any], recent: NDArray[Any]) -> float:
    """Return the population stability index of two rows of shares."""
    p, q = (np.maximum(shares, _LEAST_SHARE) for shares in (reference, recent))
    return float(np.sum((q - p) * np.log(q / p)))


class FeatureDrift:
    """Samples the rows that are learned and compares them with the first ones."""

    def __init__(self) -> None:
        self._seen = 0
        self._features: dict[str, _Feature] = {}

    def add(self, X: Block) -> None:
        """Take in rows in the order in which they are learned."""
        first = -self._seen % _STEP
        self._seen += X.n_rows
        chosen = range(first, X.n_rows, _STEP)
        if not len(chosen):
            return
        for name in X.stored:
            if name not in self._features and len(self._features) < _MOST_FEATURES:
                self._features[name] = _Feature()
        for name, feature in self._features.items():
            feature.add(_values(X.stored.get(name), chosen))

    def figures(self) -> dict[str, dict[str, Any]]:
        """Return what is known about each feature, as frames have it."""
        return {name: feature.figures() for name, feature in list(self._features.items())}

    def state(self) -> dict[str, Any]:
        """Return everything as JSON."""
        features = {name: feature.state() for name, feature in self._features.items()}
        return {"seen": self._seen, "features": features}

    @classmethod
    def from_state(cls, state: Mapping[str, Any] | None) -> FeatureDrift:
        """Return what an earlier process has left."""
        found = cls()
        if state:
            found._seen = int(state["seen"])
            found._features = {k: _Feature.from_state(v) for k, v in state["features"].items()}
        return found


class _Feature:
    """The first values of a feature, then bins: their shares then, and counts of recent rows."""

    def __init__(self) -> None:
        self._first: list[Any] | None = []
        self._edges: list[float] = []
        self._words: list[str] = []
        self._places: dict[str, int] = {}
        self._others: set[str] = set()
        self._reference: list[float] = []
        # Blocks of counts, the last one still growing: of the bins, new values, missing values.
        self._blocks: deque[list[int]] = deque(maxlen=_BLOCKS)

    def add(self, values: Sequence[Any]) -> None:
        if self._first is not None:
            n = _ROWS - len(self._first)
            self._first.extend(values[:n])
            values = values[n:]
            if len(self._first) == _ROWS:
                self._decide(self._first)
                self._first = None
        size = _ROWS // _BLOCKS
        room = size - sum(self._blocks[-1]) if self._blocks else 0
        for place in map(self._place, values):
            if not room:
                self._blocks.append([0] * (self._n_bins + 2))
                room = size
            self._blocks[-1][place] += 1
            room -= 1

    @property
    def _n_bins(self) -> int:
        # The last bin of categories is for all that are rare.
        return len(self._words or self._edges) + 1

    def _decide(self, first: list[Any]) -> None:
        """Choose the bins by the first values."""
        known = [value for value in first if value is not None]
        if any(isinstance(value, str) for value in known):
            words, counts = np.unique([str(value) for value in known], return_counts=True)
            ranked = words[np.argsort(-counts, kind="stable")].tolist()
            self._words, others = ranked[:_MOST_CATEGORIES], ranked[_MOST_CATEGORIES:]
            self._others = set(others)
            self._places = {word: place for place, word in enumerate(self._words)}
        elif known:
            inner = np.quantile(known, np.linspace(0.0, 1.0, _BINS + 1)[1:-1])
            self._edges = sorted(set(inner.tolist()))
        counts = np.bincount([self._place(v) for v in first], minlength=self._n_bins + 2)
        self._reference = self._shares(counts).tolist()

    def _place(self, value: Any) -> int:
        """Return the bin of a value; behind the bins are those of new and of missing values."""
        if value is None:
            return self._n_bins + 1
        if self._words:
            word = str(value)
            place = self._places.get(word)
            if place is not None:
                return place
            return self._n_bins - 1 if word in self._others else self._n_bins
        if isinstance(value, str):
            return self._n_bins
        return bisect_left(self._edges, value)

    def _shares(self, counts: NDArray[Any]) -> NDArray[np.float64]:
        """Return the shares of the bins among known values; new ones are in the last bin."""
        bins = np.array(counts[: self._n_bins], dtype=np.float64)
        bins[-1] += counts[self._n_bins]
        shares: NDArray[np.float64] = bins / max(1.0, bins.sum())
        return shares

    def figures(self) -> dict[str, Any]:
        if self._first is not None:
            n = len(self._first)
            return {"missing": sum(v is None for v in self._first) / n if n else None}
        counts = np.sum(list(self._blocks) or [[0]], axis=0)
        total = int(counts.sum())
        if total < _FEW:
            return {}
        shares = self._shares(counts)
        return {
            "psi": stability_index(np.array(self._reference), shares),
            "missing": float(counts[-1] / total),
            "new_values": float(counts[-2] / total),
            "reference": self._reference,
            "recent": shares.tolist(),
            "bins": self._names(),
        }

    def _names(self) -> list[str]:
        if self._words:
            return [*self._words, "other"]
        ends = [f"<= {edge:.6g}" for edge in self._edges]
        return [*ends, f"> {self._edges[-1]:.6g}" if self._edges else "any"]

    def state(self) -> dict[str, Any]:
        return {
            "first": None if self._first is None else list(self._first),
            "edges": self._edges,
            "words": self._words,
            "others": sorted(self._others),
            "reference": self._reference,
            "blocks": [list(block) for block in self._blocks],
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> _Feature:
        found = cls()
        found._first, found._edges = state["first"], list(state["edges"])
        found._words, found._reference = list(state["words"]), list(state["reference"])
        found._others = set(state["others"])
        found._places = {word: place for place, word in enumerate(found._words)}
        found._blocks.extend(state["blocks"])
        return found


def _values(column: Any, rows: range) -> list[Any]:
    """Return some values of a column: numbers, texts, and None for missing ones."""
    if column is None:
        return [None] * len(rows)
    if isinstance(column, Coded):
        return [None if v is None else str(v) for v in column[rows.start :: rows.step].objects()]
    if isinstance(column, Times):
        column = column.seconds
    part = column[rows.start :: rows.step].tolist()
    known = [None if v is None or v != v else v for v in part]
    return [v if v is None or isinstance(v, float | int) else str(v) for v in known]
