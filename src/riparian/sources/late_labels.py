"""Rows whose labels come by another source: what waits, what is learned, what is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from riparian.data.block import Block, Coded
from riparian.data.times import Times
from riparian.sources.dead import DeadLetter
from riparian.sources.items import Read
from riparian.sources.join import Join, Joined, JoinSettings, block_of, values_of
from riparian.sources.prequential import Prequential
from riparian.sources.refused import Refused

__all__ = ["LateLabels"]


class LateLabels:
    """Lets rows wait for their labels, and learns those whose labels have come.

    Parameters
    ----------
    join : Join
        The rows and labels that wait.
    rows : Prequential
        Predicts and learns.
    refused : Refused
        Where messages go that cannot be learned.
    states : sequence of mapping
        The present states of the decoders of rows and labels.
    """

    def __init__(
        self,
        join: Join,
        rows: Prequential,
        refused: Refused,
        states: Sequence[Mapping[str, Any]],
    ) -> None:
        self.join = join
        self._rows = rows
        self._refused = refused
        self._states = states

    def learn(self, read: Read) -> None:
        """Let the rows of a chunk wait, or learn the rows whose labels these are."""
        join, settings = self.join, self.join.settings
        stored, n = dict(read.rows.X.stored), len(read.rows.index)
        if n:
            keys = stored.pop(settings.key, None)
            times = _event_times(read, stored, settings)
            block = Block(stored, n)
            if keys is None:
                for i in read.rows.index.tolist():
                    reason = f"the key {settings.key!r} is not there"
                    self._refused.add_message(read, i, reason, "key")
            else:
                kept = self._with_keys(read, keys)
                rows = np.flatnonzero([key is not None for key in kept])
                join.see(f"{read.source} {read.chunk.partition}", times)
                keys_kept = [str(kept[i]) for i in rows]
                times_kept = [times[i] for i in rows]
                mask = np.zeros(n, dtype=bool)
                mask[rows] = True
                if read.source == 0:
                    X = block.rows(mask)
                    predicted = self._rows.predict(X)
                    self._learn_found(read, join.add_rows(keys_kept, times_kept, predicted, X))
                else:
                    assert read.rows.y is not None
                    labels = read.rows.y[mask].tolist()
                    self._learn_found(read, join.add_labels(keys_kept, times_kept, labels))
        self._learn_found(read, join.expire())

    def _with_keys(self, read: Read, column: Any) -> list[Any]:
        keys = column.objects() if isinstance(column, Coded) else column
        for i in np.flatnonzero([key is None for key in keys]).tolist():
            self._refused.add_message(read, int(read.rows.index[i]), "the key is missing", "key")
        return list(keys)

    def _learn_found(self, read: Read, found: Joined) -> None:
        """Learn rows that have their labels now."""
        if not found.ids:
            return
        labels = [self._label(label) for label in found.labels]
        whole = all(isinstance(label, int) for label in labels)
        y = np.array(labels, dtype=np.int64 if whole else object)
        X, predicted = block_of(found.rows, self._states[0].get("kinds", {}))

        def refuse(i: int, reason: str) -> None:
            text = json.dumps(values_of(found.rows[i])).encode()
            letter = DeadLetter(read.source, read.chunk.partition, found.ids[i], reason, text)
            self._refused.add(letter, "model")

        self._rows.learn_predicted(X, y, predicted, found.weights, refuse)

    def _label(self, label: Any) -> Any:
        """Return a label as the labels of the second source are: the other label is a text."""
        whole = len(self._states) > 1 and (self._states[1].get("labels") or {}).get("integers")
        return int(label) if whole and isinstance(label, str) else label


def _event_times(read: Read, stored: dict[str, Any], settings: JoinSettings) -> list[int]:
    """Return the event time of each row in milliseconds; 0 if nobody knows it."""
    if settings.time is not None:
        column = stored.pop(settings.time, None)
        if column is None:
            return [0] * len(read.rows.index)
        seconds = column.seconds if isinstance(column, Times) else column
        return [0 if s != s else int(1000 * s) for s in np.asarray(seconds, float).tolist()]
    times = read.chunk.times
    return [0 if times is None else int(times[i]) for i in read.rows.index.tolist()]
