"""Parquet and Arrow files, read in blocks with pyarrow."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from riparian.streams.blocks import FileStream, PlacedBlock
from riparian.streams.columns import (
    Column,
    Columns,
    Labels,
    Selection,
    check_finite,
    objects,
    repeated,
)
from riparian.streams.faults import Faults
from riparian.streams.source import Source
from riparian.uncertain_structs import is_uncertain_type, structs_to_uncertain

__all__ = ["ArrowStream", "ParquetStream"]

_ARROW_FILE = b"ARROW1"


class _BatchStream(FileStream):
    """Record batches as blocks; the file's types say what the columns are."""

    def __init__(self, source: Source, selection: Selection, faults: Faults) -> None:
        super().__init__(source, selection, faults)
        self._labels: Labels | None = None

    def _set_schema(self, schema: Any) -> None:
        selection, names = self._selection, schema.names
        selection.check(names)
        self.names = selection.features(names)
        if (twice := repeated(names)) is not None:
            raise ValueError(f"column {names[twice[0]]!r} is there twice")
        for name in self.names:
            kind = schema.field(name).type
            if _reader(kind) is None and not is_uncertain_type(kind):
                raise ValueError(
                    f"column {name!r}: {schema.field(name).type} cannot be learned; "
                    f"turn it into numbers or text, or leave it out (--drop {name})"
                )

    def _batches(self, size: int) -> Iterator[Any]:
        raise NotImplementedError

    def _blocks(self, size: int) -> Iterator[PlacedBlock]:
        batches = self._batches(size)
        while True:
            try:
                batch = next(batches, None)
            except (ValueError, OSError) as error:
                raise ValueError(f"row {self._next_row}: {_first_line(error)}") from None
            if batch is None:
                return
            for start in range(0, batch.num_rows, size):
                yield self._block(batch.slice(start, size))

    def _block(self, batch: Any) -> PlacedBlock:
        places = range(self._next_row, self._next_row + batch.num_rows)
        X: Columns = {}
        for name in self.names:
            array = batch.column(name)
            if is_uncertain_type(array.type):
                X[name] = self._distributions(name, array, places)
                continue
            forced = name in self._selection.categorical
            read = _texts if forced else _reader(array.type)
            assert read is not None
            X[name] = read(array)
            if X[name].dtype == np.float64:
                check_finite(name, X[name], places, self._faults)
        if self.target is None:
            return X, None, places
        return X, self._targets(batch.column(self.target), places), places

    def _distributions(self, name: str, array: Any, places: Sequence[int]) -> Column:
        def wrong(row: int, message: str) -> None:
            self._faults.add(places[row], f"column {name!r}, row {places[row]}: {message}")

        return structs_to_uncertain(array.to_pylist(), wrong)

    def _targets(self, array: Any, places: Sequence[int]) -> Column:
        types = _pyarrow().types
        assert self.target is not None
        texts = ["" if text is None else text for text in _texts(array).tolist()]
        if self._labels is None:
            whole = types.is_integer(_value_type(array.type))
            self._labels = Labels(
                self.target, self.target in self._selection.categorical or not whole
            )
            if types.is_floating(array.type):
                # Not text, though it is read as such: a quantity is to be noticed.
                self._labels.as_text = self.target in self._selection.categorical
            self._labels.decide(texts)
        return self._labels.column(texts, places, self._faults)


class ParquetStream(_BatchStream):
    """Parquet, a row group at a time at most."""

    def __init__(self, source: Source, selection: Selection, faults: Faults) -> None:
        super().__init__(source, selection, faults)
        if source.is_input:
            raise ValueError("Parquet is read from its end, which standard input does not have")
        pyarrow, parquet = _pyarrow(), _pyarrow(".parquet")
        try:
            self._file = parquet.ParquetFile(source.plain(), pre_buffer=False)
        except (pyarrow.ArrowInvalid, OSError) as error:
            raise ValueError(f"{source.name}: {_first_line(error)}") from None
        self.n_rows = self._file.metadata.num_rows
        self._set_schema(self._file.schema_arrow)

    def _batches(self, size: int) -> Iterator[Any]:
        columns = [*self.names, *([self.target] if self.target is not None else [])]
        return iter(self._file.iter_batches(batch_size=size, columns=columns))


class ArrowStream(_BatchStream):
    """Arrow IPC, as a file or as a stream."""

    def __init__(self, source: Source, selection: Selection, faults: Faults) -> None:
        super().__init__(source, selection, faults)
        pyarrow, ipc = _pyarrow(), _pyarrow(".ipc")
        try:
            if source.starts_with(_ARROW_FILE):
                if source.is_input:
                    raise ValueError(
                        "an Arrow file is read from its end, which standard input does not have; "
                        "write the stream format instead"
                    )
                self._file = ipc.open_file(source.plain())
            else:
                self._file = ipc.open_stream(source.plain())
        except (pyarrow.ArrowInvalid, OSError) as error:
            raise ValueError(f"{source.name}: {_first_line(error)}") from None
        self._set_schema(self._file.schema)

    def _batches(self, size: int) -> Iterator[Any]:
        if hasattr(self._file, "num_record_batches"):
            return map(self._file.get_batch, range(self._file.num_record_batches))
        return iter(self._file)


def _pyarrow(part: str = "") -> Any:
    try:
        return importlib.import_module(f"pyarrow{part}")
    except ImportError:
        raise ImportError(
            "Parquet and Arrow files need pyarrow: pip install 'riparian[arrow]'"
        ) from None


def _value_type(kind: Any) -> Any:
    return kind.value_type if _pyarrow().types.is_dictionary(kind) else kind


def _reader(kind: Any) -> Callable[[Any], Column] | None:
    """Give what reads a column of this type, or None if nothing can."""
    types = _pyarrow().types
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return _numbers
    if types.is_null(kind):
        return _numbers
    if types.is_boolean(kind):
        return _texts
    value = _value_type(kind)
    if value is not kind and (types.is_integer(value) or types.is_boolean(value)):
        return _texts
    named = types.is_string(value) or types.is_large_string(value) or types.is_string_view(value)
    return _texts if named else None


def _numbers(array: Any) -> Column:
    numbers = array.cast(_pyarrow().float64(), safe=False)
    return np.array(numbers.to_numpy(zero_copy_only=False), dtype=np.float64)


def _texts(array: Any) -> Column:
    """Give categories as text, as the same values would stand in JSON."""
    return objects([None if value is None else _text(value) for value in array.to_pylist()])


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0]
