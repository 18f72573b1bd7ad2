"""Decoders for JSON and CSV messages, on the readers of files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from riparian.data.block import Block
from riparian.sources.decode.envelope import Opener
from riparian.sources.decode.rows import (
    FEW,
    Given,
    Rows,
    labels_from,
    labels_state,
    merged,
    reason,
)
from riparian.sources.labelled import JournalEntries, JournalLines
from riparian.sources.lines import Lines
from riparian.sources.payloads import Payloads
from riparian.streams.readers.columns import Selection
from riparian.streams.readers.delimited import DelimitedStream
from riparian.streams.readers.faults import Faults
from riparian.streams.readers.files import Decided, Part
from riparian.streams.readers.jsonlines import JsonLinesStream

__all__ = ["CsvDecoder", "JsonDecoder", "clean_json"]

_NAME = "the source"
_TYPES = {str(kind): kind for kind in (pa.string(), pa.int64(), pa.bool_(), pa.float64())}


def clean_json(value: bytes) -> bytes:
    """Return a JSON text on one line; a ValueError if it has several and is not JSON."""
    return json.dumps(json.loads(value), separators=(",", ":")).encode()


class JsonDecoder:
    """One JSON object per message.

    Parameters
    ----------
    selection : Selection
        The columns to read, and as what.
    decided : Decided
        What is known about them.
    max_features : int or None
        No feature is added beyond this many; None adds none at all.
    opener : Opener, default=None
        Takes the rows out of their envelopes.
    """

    def __init__(
        self,
        selection: Selection,
        decided: Decided,
        max_features: int | None,
        opener: Opener | None = None,
    ) -> None:
        self._selection = selection
        self._most = max_features
        self._opener = opener
        self._make(decided)

    @classmethod
    def from_sample(
        cls,
        values: Sequence[bytes | None],
        selection: Selection,
        max_features: int | None,
        opener: Opener | None = None,
    ) -> JsonDecoder:
        """Decide the kinds of the columns from the first messages."""
        wrong: dict[int, str] = {}
        if opener is not None:
            values, wrong = opener.open(values)
        lines, faults = _one_line_each(values)
        faults |= wrong
        data = b"\n".join(lines.values()) + b"\n"
        try:
            stream = JsonLinesStream(Given(data, _NAME), selection, Faults(skip=True))
        except ValueError:
            none = Decided({}, None)
            careful = JsonLinesStream(Given(b"", _NAME), selection, Faults(skip=True), none)
            where = list(lines)
            part = careful.parse(data, carefully=True) if lines else None
            rows = part.faults.messages if part is not None else {}
            faults |= {where[row - 1]: reason(row, text) for row, text in rows.items()}
            if len(faults) < len(values) - sum(value is None for value in values):
                raise
            first = min(faults)
            raise ValueError(
                f"none of the first {len(values):,} messages can be read; message {first + 1}: "
                f"{faults[first]}"
            ) from None
        return cls(selection, stream.decided, max_features, opener)

    @classmethod
    def from_state(
        cls,
        state: Mapping[str, Any],
        selection: Selection,
        max_features: int | None,
        opener: Opener | None = None,
    ) -> JsonDecoder:
        """Return the decoder of an earlier process."""
        return cls(selection, _decided(state), max_features, opener)

    def state(self) -> dict[str, Any]:
        decided = self._stream.decided
        types = {k: None if v is None else str(v) for k, v in decided.types.items()}
        labels = labels_state(decided.labels)
        return {"form": "json", "kinds": dict(decided.kinds), "types": types, "labels": labels}

    def _make(self, decided: Decided) -> None:
        selection = self._selection
        self._full = self._most is None or len(decided.kinds) >= self._most
        if self._full:
            selection = replace(selection, keep=frozenset(decided.kinds))
        self._stream = JsonLinesStream(Given(b"", _NAME), selection, Faults(skip=True), decided)

    def _parse(self, data: bytes, carefully: bool) -> Part | None:
        part = self._stream.parse(data, carefully=carefully)
        if carefully and not self._full and len(self._stream.kinds) >= (self._most or 0):
            self._make(self._stream.decided)
        return part

    def decode(self, values: Sequence[bytes | None]) -> Rows:
        wrong: dict[int, str] = {}
        if isinstance(values, JournalEntries | JournalLines) and values.state is not None:
            self._make(_decided(values.state))
        if isinstance(values, JournalLines) and values.rows and values.known == self.state():
            return values.rows
        if self._opener is not None:
            values, wrong = self._opener.open(values)
        elif (data := _joined(values)) is not None:
            part = self._stream.parse(data)
            if part is not None and len(part.places) == len(values):
                X = Block(dict(part.columns), len(values))
                return Rows(X, part.y, np.arange(len(values)))
        lines, faults = _one_line_each(values)
        faults |= wrong
        where = np.array(list(lines), dtype=np.int64)
        # Texts of several types are read one by one in any case.
        few = len(lines) if None in self._stream.decided.types.values() else FEW
        X, y, index, wrong = merged(self._parse, list(lines.values()), few=few)
        faults |= {int(where[i]): message for i, message in wrong.items()}
        return Rows(X, y, where[index], faults)


def _decided(state: Mapping[str, Any]) -> Decided:
    types = {k: None if v is None else _TYPES[v] for k, v in state["types"].items()}
    return Decided(state["kinds"], labels_from(state["labels"]), types)


def _joined(values: Sequence[bytes | None]) -> bytes | None:
    """Return messages of one line each as one text; None if one of them has no or several lines."""
    if isinstance(values, Lines):
        return values.data
    if isinstance(values, Payloads):
        return values.text
    if None in values:
        return None
    data = b"\n".join(values) + b"\n"  # type: ignore[arg-type]
    return data if data.count(b"\n") == len(values) else None


def _one_line_each(
    values: Sequence[bytes | None],
) -> tuple[dict[int, bytes], dict[int, str]]:
    """Return the messages that hold something, on one line each, and what is wrong with others."""
    lines: dict[int, bytes] = {}
    faults: dict[int, str] = {}
    for i, value in enumerate(values):
        if value is None or not value.strip():
            continue
        if b"\n" in value:
            try:
                lines[i] = clean_json(value)
            except (ValueError, RecursionError) as error:
                faults[i] = f"this is not JSON: {error}"
        else:
            lines[i] = value
    return lines, faults


class CsvDecoder:
    """One line of CSV per message.

    Parameters
    ----------
    selection : Selection
        The columns to read, and as what.
    decided : Decided
        What is known about them; it names the columns.
    delimiter : str
        What separates the fields.
    """

    def __init__(self, selection: Selection, decided: Decided, delimiter: str) -> None:
        self._decided = decided
        self._delimiter = delimiter
        self._stream = DelimitedStream(
            Given(b"", _NAME),
            selection,
            Faults(skip=True),
            delimiter=delimiter,
            encoding="utf-8",
            decided=decided,
        )

    @classmethod
    def from_sample(
        cls,
        values: Sequence[bytes],
        selection: Selection,
        columns: Sequence[str] | None,
        header: bytes | None = None,
        delimiter: str = ",",
    ) -> CsvDecoder:
        """Decide the kinds of the columns from the first messages and the header of a file."""
        lines, _ = _rows_of_csv(values)
        data = b"\n".join(lines.values()) + b"\n"
        if header is not None:
            data = header.removesuffix(b"\n") + b"\n" + data
        stream = DelimitedStream(
            Given(data, _NAME),
            selection,
            Faults(skip=True),
            delimiter=delimiter,
            encoding="utf-8",
            columns=columns,
            header=header is not None,
        )
        return cls(selection, stream.decide(), delimiter)

    @classmethod
    def from_state(cls, state: Mapping[str, Any], selection: Selection) -> CsvDecoder:
        """Return the decoder of an earlier process."""
        labels = labels_from(state["labels"])
        decided = Decided(state["kinds"], labels, columns=state["columns"])
        return cls(selection, decided, state["delimiter"])

    def state(self) -> dict[str, Any]:
        return {
            "form": "csv",
            "kinds": dict(self._decided.kinds),
            "columns": list(self._decided.columns),
            "labels": labels_state(self._decided.labels),
            "delimiter": self._delimiter,
        }

    def _parse(self, data: bytes, carefully: bool) -> Part | None:
        return self._stream.parse(data, carefully=carefully)

    def decode(self, values: Sequence[bytes | None]) -> Rows:
        data = _joined(values)
        plain = isinstance(values, Lines) or (data is not None and b"\r" not in data)
        if plain and data is not None and b'"' not in data:
            part = self._stream.parse(data)
            if part is not None and len(part.places) == len(values):
                X = Block(dict(part.columns), len(values))
                return Rows(X, part.y, np.arange(len(values)))
        lines, faults = _rows_of_csv(values)
        where = np.array(list(lines), dtype=np.int64)
        # A quoted field could go on in the next line, which is another message.
        X, y, index, wrong = merged(
            self._parse, list(lines.values()), singly=lambda data: b'"' in data
        )
        faults |= {int(where[i]): message for i, message in wrong.items()}
        return Rows(X, y, where[index], faults)


def _rows_of_csv(values: Sequence[bytes | None]) -> tuple[dict[int, bytes], dict[int, str]]:
    """Return the messages that hold something, and what is wrong with others."""
    lines: dict[int, bytes] = {}
    faults: dict[int, str] = {}
    for i, value in enumerate(values):
        if value is None or not value.strip():
            continue
        line = value.removesuffix(b"\n").removesuffix(b"\r")
        if b"\n" in line or b"\r" in line:
            faults[i] = "a message of CSV must be one line"
        else:
            lines[i] = line
    return lines, faults
