"""Labels that come later than their rows, and by another source: the rows wait for them.

A row is predicted when it comes and learned when its label comes. All that waits is part of the
checkpoint: it moves in the transaction of a generation. What becomes of a row depends on the order
of the chunks and on event time only, so a replayed plan gives the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from riparian.data.block import Block, Coded
from riparian.data.times import Times
from riparian.storage.values import value_from_json, value_to_json

__all__ = ["Join", "JoinSettings", "Joined", "block_of", "values_of"]

_Key = TypeVar("_Key")
_Entry = TypeVar("_Entry")

#: A row that waits, as its table has it: its number, its id, its event time in milliseconds, and as
#: JSON what was predicted and its values. With Python objects for the values a row would need more
#: than twice the memory.
Waiting = tuple[int, str, int, str]

#: So many rows are Python objects at a time. After an outage thousands come at once, and what is
#: kept of them would lie between what is not.
_FEW = 100


#: The tables: what names a row, and how many columns it has.
_ROWS = {"pending": ("seq = ?", 4), "early": ("id = ?", 4), "seen": ("kind = ? AND id = ?", 3)}
#: Why a key is done: a row with it has come, its label has come, or its row has expired.
_KINDS = {"r": "row", "l": "label", "g": "gone"}


@dataclass(frozen=True)
class JoinSettings:
    """How labels find their rows.

    Parameters
    ----------
    key : str
        The column of both sources that names a row.
    label : str
        The column of the labels.
    wait : float or None
        Seconds of event time that a row waits for its label; None is for ever.
    otherwise : str or None
        The label of a row that has waited so long; None drops the row.
    dedupe : float or None
        Seconds of event time in which a second row with a key is left out.
    max_pending : int
        At most this many rows wait; the oldest expire first.
    time : str or None
        The column of the rows and labels with their event time; None is that of the source.
    """

    key: str
    label: str
    wait: float | None = None
    otherwise: str | None = None
    dedupe: float | None = None
    max_pending: int = 1_000_000
    time: str | None = None


@dataclass
class Joined:
    """Rows that have their labels, in the order in which they are learned."""

    ids: list[str]
    #: What was predicted for each row and its values, as JSON; `block_of` reads them.
    rows: list[str]
    labels: list[Any]
    weights: list[float]


class Join:
    """Rows that wait for labels, labels that wait for rows, and keys that are done.

    Parameters
    ----------
    settings : JoinSettings
    state : mapping
        The state of the last generation, as JSON; empty at first.
    count : callable
        Called with the name of a counter and a number.
    """

    def __init__(
        self, settings: JoinSettings, state: Mapping[str, Any], count: Callable[[str, int], None]
    ) -> None:
        self.settings = settings
        self._count = count
        self._seq = int(state.get("seq", 0))
        #: How often a table has changed: equal numbers mean equal tables.
        self._changes = int(state.get("changes", 0))
        #: The greatest event time of each partition; its name begins with the number of its source.
        self._times: dict[str, int] = dict(state.get("times", {}))
        self._pending: dict[int, Waiting] = {}
        self._seq_of: dict[str, int] = {}
        self._early: dict[str, tuple[Any, int, float]] = {}
        #: The event times of keys that are done, by the letter of their kind and the key.
        self._done: dict[str, int] = {}
        #: How many labels came after their rows in this process, and the event time between.
        self.delay = (0, 0.0)
        # What has changed since the last generation, by table and key; None is removed.
        self._dirty: dict[str, dict[Any, Any]] = {table: {} for table in _ROWS}

    def restore(self, query: Callable[[str], Iterable[tuple[Any, ...]]]) -> None:
        """Read what waits from the tables of a checkpoint."""
        for seq, key, at, row in query("SELECT seq, id, at, row FROM pending ORDER BY seq"):
            self._pending[seq] = (seq, key, at, row)
            self._seq_of[key] = seq
        early = "SELECT id, label, at, weight FROM early ORDER BY rowid"
        for key, label, at, weight in query(early):
            self._early[key] = (value_from_json(json.loads(label)), at, weight)
        for key, kind, at in query("SELECT id, kind, at FROM seen ORDER BY rowid"):
            self._done[kind[0] + key] = at

    @property
    def n_pending(self) -> int:
        """How many rows wait."""
        return len(self._pending)

    @property
    def n_early(self) -> int:
        """How many labels wait."""
        return len(self._early)

    def state(self) -> dict[str, Any]:
        """Return what the tables do not have, as JSON."""
        return {"seq": self._seq, "times": dict(self._times), "changes": self._changes}

    def changes(self) -> list[tuple[str, Iterable[tuple[Any, ...]]]]:
        """Return the statements that update the tables, and forget that there were changes."""
        dirty, self._dirty = self._dirty, {table: {} for table in _ROWS}
        found: list[tuple[str, Iterable[tuple[Any, ...]]]] = []
        for table, (where, n) in _ROWS.items():
            if changed := dirty[table]:
                found += [
                    (f"DELETE FROM {table} WHERE {where}", _Gone(table, changed)),
                    (f"INSERT INTO {table} VALUES ({', '.join('?' * n)})", _New(table, changed)),
                ]
        return found

    # -- rows and labels --------------------------------------------------------------------

    def see(self, partition: str, times: Sequence[int]) -> None:
        """Take in the event times of a chunk."""
        if len(times):
            self._times[partition] = max(self._times.get(partition, 0), max(times))

    def add_rows(
        self, keys: Sequence[str], times: Sequence[int], predicted: Sequence[Any], X: Block
    ) -> Joined:
        """Let rows wait; return those whose labels were faster."""
        found = Joined([], [], [], [])
        for key, at, said, row in zip(keys, times, predicted, _values(X), strict=True):
            if self.settings.dedupe is not None:
                if "r" + key in self._done:
                    self._count("duplicate", 1)
                    continue
                self._mark("r" + key, at)
            if key in self._seq_of:
                self._count("duplicate", 1)
                continue
            if key in self._early:
                label, _, weight = self._early.pop(key)
                self._change("early", key, None)
                self._mark("l" + key, at)
                _append(found, key, _text(said, row), label, weight)
                continue
            self._seq += 1
            text = _text(said, row)
            waiting = self._pending[self._seq] = (self._seq, key, at, text)
            self._seq_of[key] = self._seq
            self._change("pending", self._seq, waiting)
        surplus = len(self._pending) - self.settings.max_pending
        for seq in list(islice(self._pending, max(surplus, 0))):
            self._expire(seq, found)
        return found

    def add_labels(
        self,
        keys: Sequence[str],
        times: Sequence[int],
        labels: Sequence[Any],
        weights: Sequence[float] | None = None,
    ) -> Joined:
        """Give labels to the rows that wait; other labels wait for their rows.

        Without weights each row has the weight 1.
        """
        weights = [1.0] * len(keys) if weights is None else weights
        found = Joined([], [], [], [])
        for key, at, label, weight in zip(keys, times, labels, weights, strict=True):
            if key in self._seq_of:
                waiting = self._take(self._seq_of[key])
                n, seconds = self.delay
                self.delay = (n + 1, seconds + (at - waiting[2]) / 1000)
                self._mark("l" + key, at)
                _append(found, key, waiting[3], label, weight)
            elif key in self._early or "l" + key in self._done:
                self._count("duplicate", 1)
            elif "g" + key in self._done:
                self._count("orphan", 1)
            else:
                self._early[key] = (label, at, weight)
                text = json.dumps(value_to_json(label))
                self._change("early", key, (key, text, at, weight))
        return found

    def expire(self) -> Joined:
        """Drop what has waited too long; return the rows that are learned with the other label."""
        found = Joined([], [], [], [])
        # While one of the sources has not come yet, nobody knows how late it is.
        if len({name.partition(" ")[0] for name in self._times}) < 2:
            return found
        now, wait = min(self._times.values()), self.settings.wait
        if wait is not None:
            limit = now - 1000 * wait
            for seq in _first(self._pending, lambda waiting: waiting[2] <= limit):
                self._expire(seq, found)
            for key in _first(self._early, lambda early: early[1] <= limit):
                del self._early[key]
                self._change("early", key, None)
                self._count("orphan", 1)
        keep = max(self.settings.wait or 86400.0, self.settings.dedupe or 0.0)
        for done in _first(self._done, lambda at: at <= now - 1000 * keep):
            del self._done[done]
            self._change("seen", done, None)
        return found

    def _expire(self, seq: int, found: Joined) -> None:
        waiting = self._take(seq)
        _, key, at, _ = waiting
        self._count("expired", 1)
        if self.settings.otherwise is None:
            self._mark("g" + key, at)
            return
        self._mark("l" + key, at)
        _append(found, key, waiting[3], self.settings.otherwise, 1.0)

    def _take(self, seq: int) -> Waiting:
        waiting = self._pending.pop(seq)
        del self._seq_of[waiting[1]]
        self._change("pending", seq, None)
        return waiting

    def _mark(self, done: str, at: int) -> None:
        # At the end: the tables give what was written last at the end, too.
        self._done.pop(done, None)
        self._done[done] = at
        self._change("seen", done, at)

    def _change(self, table: str, key: Any, row: Any) -> None:
        self._changes += 1
        changed = self._dirty[table]
        changed.pop(key, None)
        changed[key] = row


class _Gone:
    """What names the rows of a table that have changed."""

    def __init__(self, table: str, changed: Mapping[Any, Any]) -> None:
        self._table = table
        self._changed = changed

    # They are made one by one: after an outage there are thousands.
    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        if self._table == "seen":
            return ((_KINDS[done[0]], done[1:]) for done in self._changed)
        return ((key,) for key in self._changed)


class _New(_Gone):
    """The rows of a table that are new or were written again."""

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        rows = ((key, row) for key, row in self._changed.items() if row is not None)
        if self._table == "seen":
            return ((done[1:], _KINDS[done[0]], at) for done, at in rows)
        return (row for _, row in rows)


def _first(entries: Mapping[_Key, _Entry], fits: Callable[[_Entry], bool]) -> list[_Key]:
    """Return the keys of the first entries, up to one that does not fit.

    A dict steps over what was removed from its front each time that it is asked for its first key,
    so all keys are found in one pass.
    """
    return [key for key, _ in takewhile(lambda entry: fits(entry[1]), entries.items())]


def _text(predicted: Any, values: Mapping[str, Any]) -> str:
    """Return what is kept of a row that waits."""
    known = None if predicted is None else value_to_json(predicted)
    return json.dumps([known, values], separators=(",", ":"))


def _append(found: Joined, key: str, text: str, label: Any, weight: float) -> None:
    found.ids.append(key)
    found.rows.append(text)
    found.labels.append(label)
    found.weights.append(weight)


def _values(X: Block) -> Iterator[dict[str, Any]]:
    """Give the known values of each row: numbers, texts, and dates as lists of seconds."""
    for start in range(0, X.n_rows, _FEW):
        yield from _values_of_few(X.rows(slice(start, start + _FEW)))


def _values_of_few(X: Block) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = [{} for _ in range(X.n_rows)]
    for name, column in X.stored.items():
        values: list[Any]
        if isinstance(column, Times):
            clock = column.seconds if column.local is None else column.local
            pairs = zip(column.seconds.tolist(), clock.tolist(), strict=True)
            values = [None if s != s else [column.kind, s, local] for s, local in pairs]
        elif isinstance(column, Coded):
            values = column.objects().tolist()
        else:
            values = [None if value != value else value for value in column.tolist()]
        for row, value in zip(rows, values, strict=True):
            if value is not None:
                row[name] = value
    return rows


def values_of(row: str) -> dict[str, Any]:
    """Return the known values of a row of `Joined`."""
    values: dict[str, Any] = json.loads(row)[1]
    return values


def block_of(rows: Sequence[str], order: Iterable[str]) -> tuple[Block, list[Any]]:
    """Return rows of `Joined` as a block, and what was predicted for them.

    The block has the columns that one of the rows has: those of `order`, then the others.
    """
    columns: dict[str, NDArray[Any] | Times] = {}
    predicted: list[Any] = []
    for i, row in enumerate(rows):
        said, values = json.loads(row)
        predicted.append(None if said is None else value_from_json(said))
        for name, value in values.items():
            column = columns.get(name)
            if column is None:
                column = columns[name] = _empty_column(value, len(rows))
            if isinstance(column, Times):
                _, column.seconds[i], column.clock[i] = value
            else:
                column[i] = value
    names = dict.fromkeys([*(name for name in order if name in columns), *columns])
    return Block({name: columns[name] for name in names}, len(rows)), predicted


def _empty_column(value: Any, n: int) -> NDArray[Any] | Times:
    """Return a column without known values, for values like this one."""
    if isinstance(value, list):
        return Times(np.full(n, np.nan), value[0], np.full(n, np.nan))
    return np.empty(n, dtype=object) if isinstance(value, str) else np.full(n, np.nan)
