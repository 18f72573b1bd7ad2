"""How the messages of a source become rows: what a job says about them, and its decoders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import chain, islice
from typing import Any, Self

from riparian.errors import one_of
from riparian.sources.decode.batches import ArrowDecoder
from riparian.sources.decode.envelope import ENVELOPES, Opener
from riparian.sources.decode.rows import Decoder
from riparian.sources.decode.text import CsvDecoder, JsonDecoder
from riparian.sources.source import Source
from riparian.streams.readers.columns import Selection

__all__ = ["FORMATS", "Messages"]

FORMATS = ("json", "csv", "tsv", "arrow")


@dataclass(frozen=True)
class Messages:
    """What a message holds.

    Parameters
    ----------
    target : str or None
        The column of the class; None if the messages have none.
    format : {'json', 'csv', 'tsv', 'arrow'}
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
        Whether the names of nested JSON objects are joined with a dot.
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

    def __post_init__(self) -> None:
        one_of("format", self.format, FORMATS)
        one_of("envelope", self.envelope, ENVELOPES)
        if self._opener is not None and self.format != "json":
            raise ValueError("envelope and flatten are for JSON messages")

    def to_json(self) -> dict[str, Any]:
        """Return this as JSON."""
        return asdict(self)

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
    def _opener(self) -> Opener | None:
        plain = self.envelope == "plain" and not self.flatten
        return None if plain else Opener(self.envelope, self.flatten)

    @property
    def _most(self) -> int | None:
        return None if self.fixed_schema else self.max_features

    def decoder(self, samples: Sequence[Any], source: Source, most: int) -> Decoder:
        """Return a decoder that is set up with the first `most` of the sample messages."""
        selection = self._selection
        if self.format == "arrow":
            decoder = ArrowDecoder(selection, fixed=self.fixed_schema)
            decoder.decode(samples[0][:most])
            return decoder
        values = list(islice(chain.from_iterable(samples), most))
        if not any(value is not None and value.strip() for value in values):
            raise ValueError(f"{source.name}: the first {len(values):,} messages are empty")
        if self.format == "json":
            return JsonDecoder.from_sample(values, selection, self._most, self._opener)
        header = getattr(source, "header", None)
        if header is None and self.columns is None:
            raise ValueError(
                f"{source.name}: CSV messages have no header; name their columns (--columns)"
            )
        delimiter = "\t" if self.format == "tsv" else ","
        return CsvDecoder.from_sample(values, selection, self.columns, header, delimiter)

    def restored(self, state: Mapping[str, Any]) -> Decoder:
        """Return the decoder that an earlier process has left."""
        selection = self._selection
        if state["form"] == "json":
            return JsonDecoder.from_state(state, selection, self._most, self._opener)
        if state["form"] == "csv":
            return CsvDecoder.from_state(state, selection)
        return ArrowDecoder.from_state(state, selection, fixed=self.fixed_schema)
