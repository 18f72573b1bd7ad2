"""Parquet and Arrow files, read in record batches with pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet

from riparian.data.block import Coded, Stored
from riparian.data.times import Times, times_of_arrow
from riparian.data.uncertain_structs import is_uncertain_type, structs_to_uncertain
from riparian.streams.readers.arrays import as_doubles, coded, finite
from riparian.streams.readers.columns import Column, Labels, Selection, check_finite, repeated
from riparian.streams.readers.dates import TextTime, time_column, times_of_texts
from riparian.streams.readers.faults import Faults
from riparian.streams.readers.files import FileStream, Part
from riparian.streams.readers.source import Source

__all__ = ["ArrowStream", "ParquetStream", "RecordBatches"]

#: Rows that are read at once. The first of them decide whether labels are whole numbers.
PART_ROWS = 10_000

_ARROW_FILE = b"ARROW1"


class _BatchStream(FileStream):
    """Record batches as blocks; the file's types say what the columns are."""

    def __init__(self, source: Source, selection: Selection, faults: Faults) -> None:
        super().__init__(source, selection, faults)

    def _set_schema(self, schema: Any) -> None:
        selection, names = self._selection, schema.names
        selection.check(names)
        self.names = selection.features(names)
        self._read = list(self.names)
        if (twice := repeated(names)) is not None:
            raise ValueError(f"column {names[twice[0]]!r} appears twice")
        for name in self.names:
            kind = schema.field(name).type
            if not (_is_learnable(kind) or is_uncertain_type(kind)):
                raise ValueError(
                    f"column {name!r}: {schema.field(name).type} cannot be learned; "
                    f"turn it into numbers or text, or leave it out (--drop {name})"
                )
            if selection.forced(name) == "numeric" and _is_words(kind):
                raise ValueError(f"column {name!r} holds text where numbers are expected")

    def _batches(self) -> Iterator[Any]:
        raise NotImplementedError(f"{type(self).__name__} must define _batches")

    def _parts(self) -> Iterator[Part]:
        batches = self._batches()
        while True:
            try:
                batch = next(batches, None)
            except (ValueError, OSError) as error:
                raise ValueError(f"row {self._at}: {_first_line(error)}") from None
            if batch is None:
                return
            for start in range(0, batch.num_rows, PART_ROWS):
                part = self._part(batch.slice(start, PART_ROWS))
                part.late = self._source.live
                self._count(part)
                yield part

    def _part(self, batch: Any) -> Part:
        places: Any = np.arange(self._at, self._at + batch.num_rows)
        faults = Faults(skip=True)
        columns: dict[str, Stored] = {}
        for name in self._read:
            array = batch.column(name)
            if is_uncertain_type(array.type):
                columns[name] = _distributions(name, array, places, faults)
            elif (kind := self._selection.forced(name)) in ("date", "time") and _is_text(
                array.type
            ):
                learned = name in self._selection.learned
                columns[name] = _written_times(name, array, places, faults, kind, learned=learned)
            elif _is_time(array.type):
                times = times_of_arrow(array)
                assert times is not None
                columns[name] = times
            elif name not in self._selection.categorical and _is_number(array.type):
                values = as_doubles(array)
                if not finite(values):
                    check_finite(name, values, places, faults)
                columns[name] = values
            else:
                columns[name] = _texts(array)
        y = None
        if self.target is not None:
            y = self._targets(batch.column(self.target), places, faults)
        return Part(columns, y, places, faults)

    def _targets(self, array: Any, places: Sequence[int], faults: Faults) -> Column:
        assert self.target is not None
        texts = _texts(array)
        if self.labels is None:
            whole = pa.types.is_integer(_value_type(array.type))
            self.labels = Labels(
                self.target, self.target in self._selection.categorical or not whole
            )
            if pa.types.is_floating(array.type):
                # Not text, though it is read as such: a quantity is to be noticed.
                self.labels.as_text = self.target in self._selection.categorical
            self.labels.decide(texts.values)
        try:
            if not (texts.codes < 0).any():
                return self.labels.array(list(map(self.labels.label, texts.values)))[texts.codes]
        except ValueError:
            pass
        rows = ["" if text is None else text for text in texts.objects().tolist()]
        return self.labels.column(rows, places, faults)


class RecordBatches(_BatchStream):
    """Record batches that are parsed one by one, each with a schema of its own.

    Parameters
    ----------
    source : Source
        Only its name is used.
    selection : Selection
        The columns to read, and the kinds of those that are known.
    faults : Faults
    """

    def parse(self, batch: Any) -> Part:
        """Read a record batch, whose rows are numbered from 1."""
        self._at = 1
        self._set_schema(batch.schema)
        return self._part(batch)


class ParquetStream(_BatchStream):
    """Parquet, a row group at a time at most."""

    def __init__(self, source: Source, selection: Selection, faults: Faults) -> None:
        super().__init__(source, selection, faults)
        if source.is_input:
            raise ValueError("Parquet is read from its end, which standard input does not have")
        try:
            self._file = self._opened()
            self._set_schema(self._file.schema_arrow)
            if self.target is not None:
                # Classes are few, and the file mostly has them as codes already.
                self._file = self._opened(read_dictionary=[self.target])
        except (pa.ArrowInvalid, OSError) as error:
            raise ValueError(f"{source.name}: {_first_line(error)}") from None
        self.n_rows = self._file.metadata.num_rows

    def _opened(self, **options: Any) -> Any:
        return pyarrow.parquet.ParquetFile(self._source.native(), pre_buffer=False, **options)

    @property
    def bytes_read(self) -> int:
        """How much of `n_bytes` the rows that were handed out take, about."""
        return (self.n_bytes or 0) * self.row // (self.n_rows or 1)

    def _batches(self) -> Iterator[Any]:
        columns = [*self._read, *([self.target] if self.target is not None else [])]
        return iter(
            self._file.iter_batches(batch_size=PART_ROWS, columns=columns, use_threads=False)
        )


class ArrowStream(_BatchStream):
    """Arrow IPC, as a file or as a stream."""

    def __init__(self, source: Source, selection: Selection, faults: Faults) -> None:
        super().__init__(source, selection, faults)
        try:
            if source.starts_with(_ARROW_FILE):
                if source.is_input:
                    raise ValueError(
                        "an Arrow file is read from its end, which standard input does not have; "
                        "write the stream format instead"
                    )
                self._file = pa.ipc.open_file(source.plain())
            else:
                self._file = pa.ipc.open_stream(source.plain())
        except (pa.ArrowInvalid, OSError) as error:
            raise ValueError(f"{source.name}: {_first_line(error)}") from None
        self._set_schema(self._file.schema)

    def _batches(self) -> Iterator[Any]:
        if hasattr(self._file, "num_record_batches"):
            return map(self._file.get_batch, range(self._file.num_record_batches))
        return iter(self._file)


def _value_type(kind: Any) -> Any:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_learnable(kind: Any) -> bool:
    return _is_number(kind) or _is_text(kind) or _is_time(kind)


def _is_time(kind: Any) -> bool:
    types = pa.types
    return bool(types.is_temporal(kind) and not types.is_interval(kind))


def _is_number(kind: Any) -> bool:
    types = pa.types
    whole = types.is_integer(kind) or types.is_decimal(kind)
    return bool(whole or types.is_floating(kind) or types.is_null(kind))


def _is_text(kind: Any) -> bool:
    types, value = pa.types, _value_type(kind)
    if types.is_boolean(value) or (value is not kind and types.is_integer(value)):
        return True
    return bool(
        types.is_string(value) or types.is_large_string(value) or types.is_string_view(value)
    )


def _is_words(kind: Any) -> bool:
    return _is_text(kind) and not pa.types.is_boolean(_value_type(kind))


def _written_times(
    name: str,
    array: Any,
    places: Sequence[int],
    faults: Faults,
    kind: TextTime,
    *,
    learned: bool,
) -> Times:
    """Read dates that the file holds as text."""
    texts = array.cast(pa.string())
    found = times_of_texts(texts, kind)
    return found or time_column(name, texts.to_pylist(), places, faults, kind, learned=learned)


def _texts(array: Any) -> Coded:
    """Give categories as texts, as the same values are written in JSON."""
    if pa.types.is_null(array.type):
        return Coded(np.full(len(array), -1, dtype=np.int32), [])
    found = coded(array)
    return Coded(found.codes, [None if v is None else _text(v) for v in found.values])


def _distributions(name: str, array: Any, places: Sequence[int], faults: Faults) -> Column:
    def wrong(row: int, message: str) -> None:
        faults.add(places[row], f"column {name!r}, row {places[row]}: {message}")

    return structs_to_uncertain(array.to_pylist(), wrong)


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]
