"""The splits of a tree since a learner began, as they come."""

from __future__ import annotations

import threading
from collections import Counter, deque
from typing import Any

from riparian.evidence.certificates import Split
from riparian.models.streaming_tree import StreamingTree

__all__ = ["NewSplits"]


class NewSplits:
    """Counts the splits of a tree while it learns. Any thread may ask; forests have none.

    Parameters
    ----------
    model : StreamClassifier
        The model.
    most : int
        How many of the last splits are kept.
    """

    def __init__(self, model: Any, most: int = 5) -> None:
        self._model = model if isinstance(model, StreamingTree) else None
        self._counts: Counter[str] = Counter()
        self._last: deque[Split] = deque(maxlen=most)
        self._lock = threading.Lock()
        self._seen = self._examples()

    @property
    def counts(self) -> dict[str, int]:
        """The number of splits by their reason. A split whose subtree was pruned may be missing."""
        with self._lock:
            self._read_new()
            return dict(self._counts)

    @property
    def last(self) -> list[Split]:
        """The last splits, oldest first."""
        with self._lock:
            self._read_new()
            return list(self._last)

    def _examples(self) -> int:
        fitted = self._model is not None and hasattr(self._model, "classes_")
        return self._model.n_seen_ if self._model is not None and fitted else 0

    def _read_new(self) -> None:
        seen = self._examples()
        if self._model is None or seen == self._seen:
            return
        for split in self._model.splits(since=self._seen):
            # A split of a moment after `seen` is found the next time as well.
            if split.seen <= seen:
                self._counts[split.reason] += 1
                self._last.append(split)
        self._seen = seen
