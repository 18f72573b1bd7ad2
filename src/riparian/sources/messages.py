"""How the messages of a source become rows: what a job says about them, and its decoders."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain, islice
from typing import Any, Self

from riparian.errors import one_of
from riparian.sources.decode.avro import AvroLoader
from riparian.sources.decode.batches import ArrowDecoder
from riparian.sources.decode.envelope import ENVELOPES, Opener
from riparian.sources.decode.functions import decoding_function
from riparian.sources.decode.rows import Decoder
from riparian.sources.decode.schema_file import Declared
from riparian.sources.decode.schema_registry import SchemaRegistry
from riparian.sources.decode.text import CsvDecoder, JsonDecoder
from riparian.sources.source import Source
from riparian.streams.readers.columns import Selection

__all__ = ["FORMATS", "Messages"]

FORMATS = ("json", "csv", "tsv", "arrow", "avro")


@dataclass(frozen=True)
class Messages:
    """What a message holds.

    Parameters
    ----------
    target : str or None
        The column of the class; None if the messages have none.
    format : {'json', 'csv', 'tsv', 'arrow', 'avro'}
        How a message is written.
    categorical, drop : tuple of str
        Columns that are text, and columns that are not read.
    columns : tuple of str or None
        The names of the columns of CSV messages; None takes them from the header of the file.
    fixed_schema : bool
        Whether new columns are ignored.
    max_features : int
        New columns are ignored beyond this many.
    only : tuple of str or None
        The columns that are read; None is all of them.
    envelope : {'plain', 'cloudevents', 'debezium'}
        What is around the row of a JSON message.
    flatten : bool
        Whether the names of nested objects are joined with a dot.
    decode : str or None
        A function ``module:function`` that makes a dict of a message; then the format does not
        count.
    registry : str or None
        The schema registry of Avro messages.
    schema, labels : mapping or None, str
        The kinds of the columns and what labels are, if the user declares them.
    registry_options : mapping
        The login at the registry; it is stored nowhere.
    """

    target: str | None
    format: str = "json"
    categorical: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    columns: tuple[str, ...] | None = None
    fixed_schema: bool = False
    max_features: int = 10_000
    only: tuple[str, ...] | None = None
    envelope: str = "plain"
    flatten: bool = False
    decode: str | None = None
    registry: str | None = None
    schema: Mapping[str, str] | None = None
    labels: str = "text"
    registry_options: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        one_of("format", self.format, FORMATS)
        one_of("envelope", self.envelope, ENVELOPES)
        if self.format == "avro" and self.registry is None:
            raise ValueError("Avro messages need the address of a schema registry: --registry URL")
        if self.format != "avro" and self.registry is not None:
            raise ValueError("only Avro messages have a registry: --format avro")
        if self.decode is not None and self.format != "json":
            raise ValueError("decode makes rows itself: leave out the format")
        if self._declared is not None:
            self._declared.labels_state(self.target)
        if self._opener is not None and self.format not in ("json", "avro"):
            raise ValueError("envelope and flatten are for JSON and Avro messages")

    def to_json(self) -> dict[str, Any]:
        """Return this as JSON."""
        found = asdict(self)
        del found["registry_options"]
        return found

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return what `to_json` wrote."""
        values: dict[str, Any] = {
            k: tuple(v) if isinstance(v, list) else v for k, v in data.items()
        }
        return cls(**values)

    @property
    def _selection(self) -> Selection:
        return Selection(
            self.target,
            categorical=frozenset(self.categorical),
            drop=frozenset(self.drop),
            keep=None if self.only is None else frozenset(self.only),
        )

    @property
    def _declared(self) -> Declared | None:
        return None if self.schema is None else Declared(self.schema, self.labels)

    @property
    def _opener(self) -> Opener | None:
        if self.registry is not None:
            loader = AvroLoader(SchemaRegistry(self.registry, self.registry_options))
            return Opener(self.envelope, self.flatten, loader)
        if self.decode is not None:
            return Opener(self.envelope, self.flatten, decoding_function(self.decode))
        plain = self.envelope == "plain" and not self.flatten
        return None if plain else Opener(self.envelope, self.flatten)

    @property
    def _most(self) -> int | None:
        return None if self.fixed_schema else self.max_features

    def decoder(self, samples: Sequence[Any], source: Source, most: int) -> Decoder:
        """Return a decoder that is set up with the first `most` of the sample messages."""
        decided: Mapping[str, Any] | None = getattr(source, "decided", None)
        if decided is not None:
            return self.restored(decided)
        if self._declared is not None:
            return self.restored(self._declared_state(self._declared, source))
        selection = self._selection
        if self.format == "arrow":
            decoder = ArrowDecoder(selection, fixed=self.fixed_schema)
            decoder.decode(samples[0][:most])
            return decoder
        values = list(islice(chain.from_iterable(samples), most))
        if not any(value is not None and value.strip() for value in values):
            raise ValueError(f"{source.name}: the first {len(values):,} messages are empty")
        if self.format in ("json", "avro"):
            return JsonDecoder.from_sample(values, selection, self._most, self._opener)
        header = self._header(source)
        return CsvDecoder.from_sample(values, selection, self.columns, header, self._delimiter)

    def sampled(self, values: Sequence[bytes | None]) -> dict[str, Any]:
        """Return the state of a decoder of JSON rows that is set up with messages."""
        selection, most = self._selection, self._most
        return JsonDecoder.from_sample(values, selection, most, self._opener).state()

    def declared_state(self) -> dict[str, Any] | None:
        """Return the state of a decoder of JSON rows with a declared schema; None without one."""
        declared = self._declared
        if declared is None:
            return None
        labels, types = declared.labels_state(self.target), declared.types(self.target)
        return {"form": "json", "types": types, "kinds": dict(declared.columns), "labels": labels}

    @property
    def _delimiter(self) -> str:
        return "\t" if self.format == "tsv" else ","

    def _header(self, source: Source) -> bytes | None:
        header: bytes | None = getattr(source, "header", None)
        if header is None and self.columns is None:
            raise ValueError(
                f"{source.name}: CSV messages have no header; name their columns (--columns)"
            )
        return header

    def _declared_state(self, declared: Declared, source: Source) -> dict[str, Any]:
        """Return the state of a decoder that knows the declared schema."""
        labels = declared.labels_state(self.target)
        state = {"kinds": dict(declared.columns), "labels": labels}
        if self.format == "arrow":
            return {"form": "arrow", **state}
        if self.format in ("json", "avro"):
            return {"form": "json", "types": declared.types(self.target), **state}
        header, columns = self._header(source), self.columns
        if columns is None and header is not None:
            columns = tuple(next(csv.reader([header.decode()], delimiter=self._delimiter)))
        kinds = {name: declared.columns[name] for name in columns or () if name in declared.columns}
        named = {*declared.columns, *filter(None, [self.target])}
        if absent := sorted(named - set(columns or ())):
            raise ValueError(f"{source.name} has no column {absent[0]!r}, which the schema names")
        form = {"form": "csv", "columns": list(columns or ()), "delimiter": self._delimiter}
        return {**form, **state, "kinds": kinds}

    def restored(self, state: Mapping[str, Any]) -> Decoder:
        """Return the decoder that an earlier process has left."""
        selection = self._selection
        if state["form"] == "json":
            return JsonDecoder.from_state(state, selection, self._most, self._opener)
        if state["form"] == "csv":
            return CsvDecoder.from_state(state, selection)
        return ArrowDecoder.from_state(state, selection, fixed=self.fixed_schema)
