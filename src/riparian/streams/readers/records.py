"""Any Python iterable of rows as a stream: dicts, or pairs of a dict and a label."""

from __future__ import annotations

import math
import numbers
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Sized
from itertools import compress, islice
from typing import Any

import numpy as np

from riparian.data.times import TimeKind, Times, is_time_type, kind_text, times_of_objects
from riparian.streams.readers.blocks import BlockStream, PlacedBlock
from riparian.streams.readers.columns import (
    Column,
    Kind,
    Selection,
    check_finite,
    names_text,
    not_a_number,
    objects,
)
from riparian.streams.readers.faults import Faults

__all__ = ["from_iterable"]


def from_iterable(
    rows: Iterable[Any],
    *,
    target: str | None = None,
    categorical: Collection[str] = (),
    numeric: Collection[str] = (),
    drop: Collection[str] = (),
    n_rows: int | None = None,
    skip_bad_rows: bool = False,
) -> BlockStream:
    """Make a stream of rows that any Python code gives, one by one.

    A feature is numeric if its first known value is a number, a boolean, a date, a time or a
    duration, else categorical, as for ``learn_one``. None and NaN are missing, as is a key that a
    row lacks; a new key is a new feature. Nothing is read ahead of the block.

    Parameters
    ----------
    rows : iterable
        Pairs ``(x, y)`` of a dict and a label, as River's data sets give them, or dicts. A
        generator is gone through once; a list may be gone through again by a new stream.
    target : str, optional
        The key of the label, for rows that are dicts. Without it such rows have no labels.
    categorical, numeric : collection of str
        Features read as text or as numbers, whatever their first value is.
    drop : collection of str
        Keys that are not read.
    n_rows : int, optional
        How many rows there are, if it is known, for the progress. By default ``len(rows)``, if the
        iterable has it.
    skip_bad_rows : bool, default=False
        As for `open_stream`.

    Returns
    -------
    stream : BlockStream

    Examples
    --------
    >>> rows = (({"age": age, "job": "nurse"}, age > 40) for age in (31, 44))
    >>> X, y = next(from_iterable(rows).blocks())
    >>> X["age"], X["job"], y
    (array([31., 44.]), array(['nurse', 'nurse'], dtype=object), array([False,  True]))
    """
    selection = Selection(target, frozenset(categorical), frozenset(numeric), frozenset(drop))
    stream = RecordStream(rows, selection, Faults(skip_bad_rows))
    stream.n_rows = n_rows
    if n_rows is None and isinstance(rows, Sized):
        stream.n_rows = len(rows)
    return stream


class RecordStream(BlockStream):
    """Rows of an iterable; see `from_iterable`."""

    def __init__(self, rows: Iterable[Any], selection: Selection, faults: Faults) -> None:
        super().__init__(f"{type(rows).__name__} of rows", selection, faults)
        if isinstance(rows, str | bytes | Mapping):
            raise TypeError(f"rows must be an iterable of dicts or of pairs, got {rows!r:.60}")
        self._rows = iter(rows)
        self._pairs: bool | None = None
        self._kinds: dict[str, Kind] = {}
        self._time_kinds: dict[str, TimeKind] = {}

    def _blocks(self, size: int) -> Iterator[PlacedBlock]:
        while taken := list(islice(self._rows, size)):
            if self._pairs is None:
                self._pairs = self._are_pairs(taken[0])
            yield self._block(taken, range(self._next_row, self._next_row + len(taken)))

    def _are_pairs(self, row: Any) -> bool:
        pairs = _is_pair(row)
        if pairs and self.target is not None:
            raise ValueError("target is for rows that are dicts, and these are pairs with a label")
        return pairs

    def _block(self, rows: list[Any], places: Sequence[int]) -> PlacedBlock:
        examples: list[Mapping[str, Any]] = []
        labels: list[Any] = []
        for row, place in zip(rows, places, strict=True):
            example, label = self._apart(row, place)
            examples.append(example)
            labels.append(label)
        y = _labels(labels) if self._pairs or self.target is not None else None
        kept = self._faults.kept(places)
        # A feature that only rows have that are left out is none.
        self._meet(examples if kept is None else compress(examples, kept))
        X: dict[str, Any] = {}
        for name in self.names:
            values = [_known(example.get(name)) for example in examples]
            if self._kinds[name] == "date":
                X[name] = self._times(name, values, places)
                continue
            read = self._numbers if self._kinds[name] == "numeric" else self._texts
            X[name] = read(name, values, places)
        return X, y, places

    def _apart(self, row: Any, place: int) -> tuple[Mapping[str, Any], Any]:
        """Give the features and the label of a row."""
        if self._pairs:
            if not _is_pair(row):
                self._faults.add(place, f"row {place}: must be a pair of a dict and a label")
                return {}, None
            example, label = row
        elif not isinstance(row, Mapping):
            self._faults.add(
                place,
                f"row {place}: a row must be a dict, or a pair of a dict and a label, "
                f"got {type(row).__name__}",
            )
            return {}, None
        else:
            example = row
            if self.target is None:
                return example, None
            if self.target not in example:
                keys = names_text(self.target, [str(key) for key in example])
                self._faults.add(
                    place,
                    f"row {place}: the target {self.target!r} is not there; the keys are {keys}",
                )
                return example, None
            label = example[self.target]
        if _known(label) is None:
            self._faults.add(place, f"row {place}: the label is missing; leave such rows out")
        return example, label

    def _meet(self, examples: Iterable[Mapping[str, Any]]) -> None:
        """Take in the features that have their first known value here, in the order of the rows."""
        known = self._kinds
        for example in examples:
            if known.keys() >= example.keys():
                continue
            for name, value in example.items():
                value = _known(value)
                if value is not None and name not in known and self._selection.has(name):
                    kind: Kind = "numeric" if isinstance(value, numbers.Real) else "categorical"
                    if is_time_type(type(value)):
                        kind = "date"
                    known[name] = self._selection.forced(name) or kind
                    self.names.append(name)

    def _numbers(self, name: str, values: list[Any], places: Sequence[int]) -> Column:
        column = np.full(len(values), np.nan)
        for i, value in enumerate(values):
            if value is None:
                continue
            if isinstance(value, numbers.Real):
                try:
                    column[i] = float(value)
                except OverflowError:
                    column[i] = math.copysign(math.inf, value)
            else:
                self._faults.add(places[i], not_a_number(name, places[i], str(value)))
        check_finite(name, column, places, self._faults)
        return column

    def _times(self, name: str, values: list[Any], places: Sequence[int]) -> Times:
        """Read dates, times of day or durations, as the first value of the feature was."""
        found = list(values)
        for i, value in enumerate(values):
            if value is None:
                continue
            problem = f"{value!r} in a feature of dates; use None for a missing value"
            if is_time_type(type(value)):
                kind = times_of_objects([value], name).kind
                if self._time_kinds.setdefault(name, kind) == kind:
                    continue
                problem = f"{value!r} in a feature of {kind_text(self._time_kinds[name])}"
            found[i] = None
            self._faults.add(places[i], f"column {name!r}, row {places[i]}: {problem}")
        times = times_of_objects(found, name)
        return Times(times.seconds, self._time_kinds.get(name, times.kind), times.local)

    def _texts(self, name: str, values: list[Any], places: Sequence[int]) -> Column:
        for i, value in enumerate(values):
            if value is not None and not isinstance(value, str | bytes | numbers.Number):
                self._faults.add(
                    places[i],
                    f"column {name!r}, row {places[i]}: {type(value).__name__} cannot be learned; "
                    f"turn it into numbers or text, or leave it out (drop)",
                )
        return objects([None if value is None else str(value) for value in values])


def _is_pair(row: Any) -> bool:
    return isinstance(row, tuple | list) and len(row) == 2 and isinstance(row[0], Mapping)


def _known(value: Any) -> Any:
    """Give None for NaN, too."""
    return None if isinstance(value, numbers.Real) and value != value else value


def _labels(labels: list[Any]) -> Column:
    kinds = {type(label) for label in labels}
    if kinds <= {bool} or (kinds <= {int} and all(-(2**63) <= k < 2**63 for k in labels)):
        return np.array(labels)
    return objects(labels)
