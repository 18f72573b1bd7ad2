"""What becomes of the entries of a journal: rows are learned, or wait for their labels."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian.data.block import Block
from riparian.sources.items import Read
from riparian.sources.join import Join, Joined
from riparian.sources.labelled import LabelKeys
from riparian.sources.late_labels import LateLabels
from riparian.sources.prequential import Prequential
from riparian.sources.refused import Refused

__all__ = ["PostedRows"]


class PostedRows(LateLabels):
    """Learns the entries of a journal in their order.

    Parameters
    ----------
    join, rows, refused, states
        As for `LateLabels`.
    """

    def __init__(
        self,
        join: Join,
        rows: Prequential,
        refused: Refused,
        states: Sequence[Mapping[str, Any]],
    ) -> None:
        super().__init__(join, rows, refused, states)

    def learn(self, read: Read) -> None:
        """Learn the rows of a chunk that have labels; the others wait."""
        chunk, join = read.chunk, self.join
        assert chunk.keys is not None
        assert chunk.times is not None
        for number in ("0", "1"):
            join.see(f"{number} {chunk.partition}", chunk.times)
        found = Joined([], [], [], [])
        if isinstance(chunk.keys, LabelKeys):
            self._learn_rows(read, read.rows.X, chunk.keys.column(read.rows.index), read.rows.index)
        else:
            self._take(read, chunk.keys, chunk.times, found)
        _extend(found, join.expire())
        self._flush(read, found)

    def _take(
        self, read: Read, keys: Sequence[bytes | None], times: Sequence[int], found: Joined
    ) -> None:
        """Take entries of several kinds."""
        join = self.join
        place = {int(i): row for row, i in enumerate(read.rows.index.tolist())}
        kinds, heads = _opened(keys)
        for kind, run in groupby(range(len(kinds)), key=kinds.__getitem__):
            messages = list(run)
            if kind == "label":
                ids = [heads[i]["id"] for i in messages]
                labels = [heads[i]["label"] for i in messages]
                weights = [heads[i].get("weight", 1.0) for i in messages]
                _extend(found, join.add_labels(ids, [times[i] for i in messages], labels, weights))
            elif kind == "row":
                kept = [i for i in messages if i in place]
                X = self._part(read, [place[i] for i in kept])
                ids = [heads[i]["id"] for i in kept]
                said = [heads[i]["said"] for i in kept]
                _extend(found, join.add_rows(ids, [times[i] for i in kept], said, X))
            elif kind == "learn":
                self._flush(read, found)
                self._learn_now(read, [i for i in messages if i in place], place, heads)

    def _flush(self, read: Read, found: Joined) -> None:
        """Learn the rows that have got their labels so far."""
        if found.ids:
            self._learn_found(read, found)
            for part in (found.ids, found.rows, found.labels, found.weights):
                part.clear()

    def _learn_now(
        self, read: Read, messages: list[int], place: Mapping[int, int], heads: Sequence[Any]
    ) -> None:
        labels = [heads[i]["label"] for i in messages]
        whole = all(type(label) is int for label in labels)
        y = np.array(labels, dtype=np.int64 if whole else object)
        X = self._part(read, [place[i] for i in messages])
        self._learn_rows(read, X, y, messages)

    def _learn_rows(self, read: Read, X: Block, y: NDArray[Any], messages: Any) -> None:
        def refuse(row: int, reason: str) -> None:
            self._refused.add_message(read, int(messages[row]), reason, "model")

        if len(messages):
            self._rows.learn(X, y, refuse)

    def _part(self, read: Read, rows: list[int]) -> Block:
        X = read.rows.X
        if len(rows) == X.n_rows:
            return X
        return X.rows(slice(rows[0], rows[-1] + 1)) if rows else X.rows(slice(0, 0))

    def _label(self, label: Any) -> Any:
        """Return a label as those of the model are: the other label is a text."""
        if isinstance(label, str) and hasattr(self._rows.model, "classes_"):
            classes = self._rows.model._schema.classes
            if classes and all(isinstance(one, int) for one in classes):
                return int(label)
        return label


def _opened(keys: Sequence[bytes | None]) -> tuple[list[str], list[Any]]:
    """Return the kinds and the heads of entries. Many share a head, which nobody changes."""
    known = {key: _open(key) for key in set(keys)}
    found = [known[key] for key in keys]
    return [kind for kind, _ in found], [head for _, head in found]


def _open(key: bytes | None) -> tuple[str, Any]:
    kind, _, head = (key or b"tick {}").partition(b" ")
    return kind.decode(), json.loads(head)


def _extend(found: Joined, more: Joined) -> None:
    found.ids += more.ids
    found.rows += more.rows
    found.labels += more.labels
    found.weights += more.weights
