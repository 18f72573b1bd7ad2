"""The decoder for Arrow: record batches, or messages that each hold some."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc
from numpy.typing import NDArray

from riparian.data.block import Block, Coded, joined
from riparian.data.times import Times
from riparian.sources.decode.rows import Given, Rows, labels_from, labels_state, reason
from riparian.streams.readers.arrow import RecordBatches
from riparian.streams.readers.columns import Kind, Labels, Selection
from riparian.streams.readers.faults import Faults

__all__ = ["ArrowDecoder"]


class ArrowDecoder:
    """Record batches, whose types say what the columns are.

    Parameters
    ----------
    selection : Selection
        The columns to read.
    kinds : mapping of str to str, default={}
        The kinds of the columns so far.
    labels : Labels, default=None
        What was decided about the labels.
    fixed : bool, default=False
        Whether columns that are not among `kinds` are ignored.
    """

    def __init__(
        self,
        selection: Selection,
        kinds: Mapping[str, Kind] | None = None,
        labels: Labels | None = None,
        *,
        fixed: bool = False,
    ) -> None:
        self._selection = selection
        self._fixed = fixed
        self._kinds: dict[str, Kind] = dict(kinds or {})
        self._seen: Any = None  # the schema of the last batch
        self._make(labels)

    @classmethod
    def from_state(
        cls, state: Mapping[str, Any], selection: Selection, *, fixed: bool
    ) -> ArrowDecoder:
        """Return the decoder of an earlier process."""
        return cls(selection, state["kinds"], labels_from(state["labels"]), fixed=fixed)

    def state(self) -> dict[str, Any]:
        labels = labels_state(self._stream.labels)
        return {"form": "arrow", "kinds": dict(self._kinds), "labels": labels}

    def _make(self, labels: Labels | None) -> None:
        selection = replace(self._selection.with_kinds(self._kinds), labels=labels)
        if self._fixed and self._kinds:
            selection = replace(selection, keep=frozenset(self._kinds))
        self._stream = RecordBatches(Given(b"", "the source"), selection, Faults(skip=True))

    def decode(self, values: Any) -> Rows:
        blocks: list[Block] = []
        labels: list[NDArray[Any]] = []
        index: list[NDArray[np.int64]] = []
        faults: dict[int, str] = {}
        waiting = deque(_grouped(_batches(values, faults), self._seen))
        while waiting:
            group = waiting.popleft()
            batch = group[0][1] if len(group) == 1 else _combined([found for _, found in group])
            # Which message each row is from.
            owners = np.concatenate([_owners(i, found) for i, found in group])
            try:
                part = self._stream.parse(batch)
            except (ValueError, pa.ArrowException) as error:
                if len(group) > 1:
                    waiting.extendleft([one] for one in reversed(group))
                    continue
                text = str(error).strip().split("\n")[0]
                faults |= dict.fromkeys(owners.tolist(), text)
                continue
            self._seen = batch.schema
            places = np.asarray(part.places, dtype=np.int64)
            X, y = Block(dict(part.columns), len(places)), part.y
            if part.faults:
                for row, message in part.faults.messages.items():
                    faults[int(owners[row - 1])] = reason(row, message)
                kept = part.faults.kept(places.tolist())
                X, places = X.rows(kept), places[kept]
                y = None if y is None else y[kept]
            self._learn_kinds(X)
            blocks.append(X)
            index.append(owners[places - 1])
            if y is not None:
                labels.append(y)
        if not blocks:
            return Rows(Block({}, 0), None, np.empty(0, dtype=np.int64), faults)
        y = np.concatenate(labels) if labels else None
        return Rows(joined(blocks), y, np.concatenate(index), faults)

    def _learn_kinds(self, X: Block) -> None:
        new = {name: _kind(column) for name, column in X.stored.items() if name not in self._kinds}
        if new:
            self._kinds |= new
            self._make(self._stream.labels)


def _kind(column: Any) -> Kind:
    if isinstance(column, Times):
        return "time" if column.kind == "time" else "date"
    if isinstance(column, Coded) or column.dtype == object:
        return "categorical"
    return "numeric"


def _grouped(batches: Iterator[tuple[int, Any]], seen: Any) -> Iterator[list[tuple[int, Any]]]:
    """Put batches with the schema of the one before them together.

    The first batch of a schema stays alone: it may decide the kinds of new columns.
    """
    group: list[tuple[int, Any]] = []
    for i, batch in batches:
        same = seen is not None and batch.schema.equals(seen)
        if group and not same:
            yield group
            group = []
        if same:
            group.append((i, batch))
        else:
            yield [(i, batch)]
        seen = batch.schema
    if group:
        yield group


def _combined(batches: list[Any]) -> Any:
    """Return record batches of one schema as one."""
    [whole] = pa.Table.from_batches(batches).combine_chunks().to_batches() or batches[:1]
    return whole


def _owners(i: int, batch: Any) -> NDArray[np.int64]:
    """Return which message each row of a batch is from."""
    return np.arange(batch.num_rows) if i < 0 else np.full(batch.num_rows, i, dtype=np.int64)


def _batches(
    values: pa.RecordBatch | Sequence[bytes | None], faults: dict[int, str]
) -> Iterator[tuple[int, Any]]:
    """Give record batches with the index of their message; -1 if each row is a message."""
    if isinstance(values, pa.RecordBatch):
        yield -1, values
        return
    for i, value in enumerate(values):
        if not value:
            continue
        try:
            with pa.ipc.open_stream(value) as reader:
                found = list(reader)
        except (pa.ArrowException, OSError, ValueError) as error:
            faults[i] = f"this is no Arrow stream: {str(error).strip().splitlines()[0]}"
            continue
        for batch in found:
            yield i, batch
