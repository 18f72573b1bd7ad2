"""Posted rows with labels as the journal stores them: features as lines, labels as codes.

Requests of thousands of rows stay bytes and arrays on their whole way from the body of a request
to the model. An object per row would cost more than to learn it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, overload

import numpy as np
from numpy.typing import NDArray

from riparian._core import split_labelled_rows
from riparian.sources.decode.rows import Rows
from riparian.sources.lines import Lines

__all__ = ["JournalEntries", "JournalLines", "LabelKeys", "Labelled"]

_CODE = np.dtype("<u4")


@dataclass(frozen=True, slots=True)
class Labelled:
    """Rows with labels.

    Parameters
    ----------
    lines : bytes
        The features: a JSON object per line.
    ends : array of uint64
        Where each line ends, behind its line end.
    labels : list
        The labels. One may be listed twice.
    codes : array of uint32
        The label of each row, as a place in `labels`.
    """

    lines: bytes
    ends: NDArray[np.uint64]
    labels: list[Any]
    codes: NDArray[np.uint32]

    @classmethod
    def from_json(cls, body: bytes, *, lines: bool) -> Self | None:
        """Return the rows of a body, which is one object or a row per line.

        None if the body has to be read with more care, or is wrong.
        """
        try:
            if not body.isascii():
                body.decode()
        except UnicodeDecodeError:
            return None
        found = split_labelled_rows(body, lines)
        if found is None:
            return None
        text, ends, labels, codes = found
        return cls(text, ends, [json.loads(label) for label in labels], codes)

    @classmethod
    def of(cls, features: Sequence[bytes], labels: list[Any]) -> Self:
        """Return rows whose features are JSON objects of one line each."""
        ends = np.cumsum([len(row) + 1 for row in features], dtype=np.uint64)
        text = b"".join([part for row in features for part in (row, b"\n")])
        return cls(text, ends, labels, np.arange(len(labels), dtype=np.uint32))

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def longest(self) -> int:
        """The bytes of the longest line, without its line end."""
        return int(np.diff(self.ends, prepend=np.uint64(0)).max(initial=1)) - 1

    def row_with(self, code: int) -> int:
        """Return the first row with a label."""
        return int(np.flatnonzero(self.codes == code)[0])

    def with_labels(self, labels: list[Any]) -> Labelled:
        """Return the same rows with other labels in the places of these."""
        return replace(self, labels=labels)

    def piece(self, start: int, stop: int) -> Labelled:
        """Return some of the rows, with the labels that they have."""
        if start == 0 and stop >= len(self):
            return self
        ends = self.ends[start:stop]
        begin = int(self.ends[start - 1]) if start else 0
        used, codes = np.unique(self.codes[start:stop], return_inverse=True)
        labels = [self.labels[code] for code in used.tolist()]
        lines = self.lines[begin : int(ends[-1])]
        return Labelled(lines, ends - np.uint64(begin), labels, codes.astype(np.uint32))

    def head(self) -> bytes:
        """Return the labels as the journal stores them."""
        labels = json.dumps(self.labels, separators=(",", ":")).encode()
        return labels + b"\n" + self.codes.astype(_CODE, copy=False).tobytes()


class LabelKeys(Sequence[bytes]):
    """The labels of learned rows, in the place of their keys.

    Parameters
    ----------
    labels : list
        The labels. One may be listed twice.
    codes : array of uint32
        The label of each row.
    """

    def __init__(self, labels: list[Any], codes: NDArray[np.uint32]) -> None:
        self._labels = labels
        self._codes = codes

    @classmethod
    def stored(cls, heads: Sequence[bytes]) -> LabelKeys:
        """Return the labels of entries of the journal, one after the other."""
        known: dict[bytes, list[Any]] = {}
        labels: list[Any] = []
        codes: list[NDArray[np.uint32]] = []
        for head in heads:
            text, _, data = head.partition(b"\n")
            if text not in known:
                known[text] = json.loads(text)
            codes.append(np.frombuffer(data, dtype=_CODE) + np.uint32(len(labels)))
            labels += known[text]
        return cls(labels, codes[0] if len(codes) == 1 else np.concatenate(codes))

    def column(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return the labels of rows as a model learns them: whole numbers, or texts."""
        codes = self._codes[rows]
        if all(type(label) is int for label in self._labels):
            return np.array(self._labels, dtype=np.int64)[codes]
        values = np.empty(len(self._labels), dtype=object)
        values[:] = self._labels
        return values[codes]

    def __len__(self) -> int:
        return len(self._codes)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> LabelKeys: ...
    def __getitem__(self, index: int | slice) -> bytes | LabelKeys:
        if isinstance(index, slice):
            return LabelKeys(self._labels, self._codes[index])
        label = self._labels[int(self._codes[index])]
        return b"learn " + json.dumps({"label": label}, separators=(",", ":")).encode()


class JournalLines(Lines):
    """Rows of the journal as messages, with what was found out when they were posted.

    Parameters
    ----------
    data : bytes
        The features: a JSON object per line.
    state : mapping, default=None
        The state of the decoder after the first of the rows; None if they have not changed it.
        It makes the kinds of new columns independent of how many rows are decoded at once.
    rows, known : Rows, mapping, default=None
        The decoded rows, and the state of the decoder that made them and was not changed by them.
    """

    def __init__(
        self,
        data: bytes,
        state: Mapping[str, Any] | None = None,
        rows: Rows | None = None,
        known: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(data)
        self.state = state
        self.rows = rows
        self.known = known


class JournalEntries(list[bytes | None]):
    """Rows of the journal that wait for their labels, and labels, which are no rows.

    Parameters
    ----------
    bodies : sequence of bytes or None
        The features of rows.
    state : mapping, default=None
        As for `JournalLines`.
    """

    def __init__(
        self, bodies: Sequence[bytes | None], state: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(bodies)
        self.state = state
