"""Reads posted rows before they are written, exactly as the learner will read them.

The front decodes the rows of the journal in their order, so its decoder is in the state in which
the learner's will be. A row that it can read can be learned, whatever was posted meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from riparian.sources.decode.rows import Decoder, Rows
from riparian.sources.labelled import Labelled
from riparian.sources.lines import Lines
from riparian.sources.messages import Messages

if TYPE_CHECKING:
    from riparian.sources.post import Posted

__all__ = ["Front", "RowError"]

#: The state of a decoder that knows no column yet.
_NOTHING: dict[str, Any] = {"form": "json", "kinds": {}, "types": {}, "labels": None}


class RowError(Exception):
    """A row of a request cannot be learned.

    Parameters
    ----------
    row : int
        Which one, counted from 0.
    message : str
        Why.
    """

    def __init__(self, row: int, message: str) -> None:
        super().__init__(message)
        self.row = row


class Front:
    """The decoder of posted rows, and what labels are.

    Parameters
    ----------
    messages : Messages
        What rows hold.
    integers : bool, default=None
        Whether labels are whole numbers, not texts; None lets the first label decide.
    """

    def __init__(self, messages: Messages, integers: bool | None = None) -> None:
        self._messages = messages
        self._decoder: Decoder | None = None
        self._integers = integers
        #: The state before the first row, from which the learner's decoder begins.
        self.first: dict[str, Any] | None = None
        declared = messages.declared_state()
        if declared is not None:
            self.begin(declared)

    def begin(self, first: Mapping[str, Any], now: Mapping[str, Any] | None = None) -> None:
        """Begin with the state before the first row, and go on with a later one."""
        self.first = dict(first)
        self._decoder = self._messages.restored(now or first)

    def begun(self) -> dict[str, Any]:
        """Return what a restarted server has to know, as JSON."""
        return {"first": self.first, "integers": self._integers}

    def state(self) -> tuple[Any, ...]:
        """Return the present state."""
        now = None if self._decoder is None else self._decoder.state()
        return self.first, now, self._integers

    def restore(self, state: tuple[Any, ...]) -> None:
        """Go back to a state."""
        self.first, now, self._integers = state
        self._decoder = None if now is None else self._messages.restored(now)

    def known(self) -> dict[str, Any] | None:
        """Return the state of the decoder; that before the first row if there was none yet."""
        return self.first if self._decoder is None else self._decoder.state()

    def check_rows(self, posted: Labelled) -> tuple[Labelled, Rows]:
        """Read rows with labels; return them with the labels that are learned, and decoded.

        Raises
        ------
        RowError
            If one of them cannot be learned; then the state is as it was.
        """
        with self._unchanged_by_errors():
            labels = []
            for code, label in enumerate(posted.labels):
                try:
                    labels.append(self._learned(label))
                except ValueError as error:
                    raise RowError(posted.row_with(code), str(error)) from None
            rows = self._decoded(Lines(posted.lines), range(len(posted)))
        return posted.with_labels(labels), rows

    def check(self, entries: Sequence[Posted]) -> list[Any]:
        """Read the rows of a request; return their labels as they are learned.

        Raises
        ------
        RowError
            If one of them cannot be learned; then the state is as it was.
        """
        with self._unchanged_by_errors():
            labels = [self._label(row, entry) for row, entry in enumerate(entries)]
            self._read(entries)
        return labels

    @contextmanager
    def _unchanged_by_errors(self) -> Iterator[None]:
        before = self.state()
        try:
            yield
        except RowError:
            self.restore(before)
            raise

    def _label(self, row: int, entry: Posted) -> Any:
        if entry.kind != "label":
            return None
        try:
            return self._learned(entry.label)
        except ValueError as error:
            raise RowError(row, str(error)) from None

    def _learned(self, label: Any) -> Any:
        """Return a label as a text, or as a whole number if the first one was one."""
        if isinstance(label, bool):
            label = "true" if label else "false"
        if self._integers is None:
            self._integers = isinstance(label, int)
        if not self._integers:
            return str(label)
        if isinstance(label, str) and label.lstrip("-").isdecimal() and label.isascii():
            label = int(label) if len(label) < 20 else label
        if not isinstance(label, int) or not -(2**63) <= label < 2**63:
            raise ValueError(f"the label {label!r}: labels are whole numbers here")
        return label

    def _read(self, entries: Sequence[Posted]) -> None:
        where = [i for i, entry in enumerate(entries) if entry.body is not None]
        if where:
            self._decoded([entries[i].body for i in where], where)
        elif self._decoder is None:
            self.begin(_NOTHING)

    def _decoded(self, bodies: Sequence[bytes | None], where: Sequence[int]) -> Rows:
        """Return rows that can all be learned; `where` says which ones of the request they are."""
        try:
            if self._decoder is None:
                self.begin(self._messages.sampled(bodies))
            assert self._decoder is not None
            rows = self._decoder.decode(bodies)
        except ValueError as error:
            raise RowError(where[0], str(error)) from None
        if rows.faults:
            row = min(rows.faults)
            raise RowError(where[row], rows.faults[row])
        for name, column in rows.X.stored.items():
            if isinstance(column, np.ndarray) and column.dtype == np.float64:
                infinite = np.flatnonzero(np.isinf(column))
                if infinite.size:
                    row = where[int(rows.index[infinite[0]])]
                    raise RowError(row, f"column {name!r}: infinity cannot be learned; send null")
        return rows
