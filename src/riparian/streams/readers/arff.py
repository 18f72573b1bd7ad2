"""ARFF, the format of Weka and MOA: attributes that are declared, dense rows and sparse ones."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from riparian.streams.readers.columns import SAMPLE_ROWS, Kind, Labels, Selection
from riparian.streams.readers.delimited import checked_encoding
from riparian.streams.readers.faults import Faults
from riparian.streams.readers.source import Source, not_text
from riparian.streams.readers.text import Piece, lines_of
from riparian.streams.readers.texttable import TextTable, fields_text, transposed

__all__ = ["ArffStream"]

_NUMERIC = ("numeric", "real", "integer")
_REFUSED = ("relational",)

# A quoted or a plain name or value; in quotes a backslash takes away the meaning of what follows.
_TOKEN = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^\s,'"{}%][^\s,{}]*"""
_NAME = re.compile(rf"\s*({_TOKEN})\s*(.*)", re.DOTALL)
_ENTRY = re.compile(r"(\d+)\s+(\S.*)", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True)
class _Attribute:
    name: str
    kind: str
    values: tuple[str, ...] = ()


class ArffStream(TextTable):
    """ARFF: numeric, nominal, date and string attributes; ``?`` is missing, ``%`` a comment.

    What a sparse row leaves out is 0, or the first declared value; of a string or a date it is
    missing. Dates are read in the default format of ARFF, ISO 8601, whatever format is declared.
    """

    _special = (b'"', b"'", b"%", b"{", b"\\", b"\t")
    _missing = frozenset({"", "?"})

    def __init__(
        self, source: Source, selection: Selection, faults: Faults, *, encoding: str
    ) -> None:
        encoding = checked_encoding(encoding)
        super().__init__(source, selection, faults, delimiter=",", encoding=encoding)
        attributes = self._header()
        self._columns = [attribute.name for attribute in attributes]
        if selection.target is None and not selection.unlabelled:
            selection = selection.with_target(_class_name(self._columns))
            self._selection = selection
            self.target = selection.target
        selection.check(self._columns)
        self.names = selection.features(self._columns)
        self._defaults = [_default(attribute) for attribute in attributes]
        for attribute in attributes:
            self._take_in(attribute)

    def _take_in(self, attribute: _Attribute) -> None:
        name = attribute.name
        if name != self.target and not self._selection.has(name):
            return
        if attribute.kind in _REFUSED:
            raise ValueError(
                f"attribute {name!r}: {attribute.kind} cannot be learned; turn it into numbers, "
                f"or leave it out (--drop {name})"
            )
        if attribute.values:
            self._declared[name] = frozenset(attribute.values)
        if name == self.target:
            self.declared_classes = list(attribute.values) or None
            if self.labels is None:
                self.labels = Labels(name, bool(attribute.values) or self._is_text(name))
                self.labels.decide(() if attribute.values else self._first_targets())
        else:
            kind: Kind = "numeric" if attribute.kind in _NUMERIC else "categorical"
            if attribute.kind == "date":
                kind = "date"
            self.kinds[name] = self._selection.forced(name) or kind
            if attribute.values and self.kinds[name] == "categorical":
                self.declared_categories[name] = list(attribute.values)

    def _is_text(self, name: str) -> bool:
        return name in self._selection.categorical

    def _first_targets(self) -> Iterable[str]:
        piece = self._text.piece(n_lines=SAMPLE_ROWS)
        if piece is None:
            return []
        self._text.put_back(piece.data)
        place = self._columns.index(str(self.target))
        _, rows = self._rows(piece, Faults(skip=True))
        return list(transposed(rows, len(self._columns)))[place]

    def _header(self) -> list[_Attribute]:
        attributes: list[_Attribute] = []
        known: set[str] = set()
        for number in itertools.count(1):
            if not (line := self._text.first_line()):
                break
            try:
                text = line.decode(self._encoding).strip()
            except UnicodeDecodeError as error:
                raise ValueError(f"line {number}: {not_text(0, error)}") from None
            if not text or text.startswith("%"):
                continue
            keyword, _, rest = text.replace("\t", " ", 1).partition(" ")
            keyword = keyword.lower()
            if keyword == "@data":
                if not attributes:
                    raise ValueError(f"line {number}: @data comes before any @attribute")
                return attributes
            if keyword == "@attribute":
                attributes.append(_attribute(number, rest, known))
                known.add(attributes[-1].name)
            elif keyword != "@relation":
                raise ValueError(
                    f"line {number}: {text[:40]!r} is not ARFF; before @data a line begins with "
                    f"@relation, @attribute or %"
                )
        self._refuse_damage(self._text.damage)
        if not attributes:
            raise ValueError(f"{self.name} is empty; an ARFF file has @attribute and @data lines")
        raise ValueError(f"{self.name} has no line @data")

    def _stripped(self, text: str) -> str:
        return text.strip()

    def _rows(self, piece: Piece, faults: Faults) -> tuple[list[int], list[list[str]]]:
        places: list[int] = []
        rows: list[list[str]] = []
        row = self._at
        for line in lines_of(piece.data):
            try:
                text = line.decode(self._encoding).strip()
                if not text or text.startswith("%"):
                    continue
                rows.append(self._sparse(text) if text.startswith("{") else self._dense(text))
                places.append(row)
            except UnicodeDecodeError as error:
                faults.add(row, not_text(row, error))
            except ValueError as error:
                faults.add(row, f"row {row}: {error}")
            row += 1
        return places, rows

    def _dense(self, text: str) -> list[str]:
        width = len(self._columns)
        fields = _fields(text)
        if len(fields) == 1 < width and not text.startswith(("'", '"')):
            # Weka takes spaces and tabs for commas, too.
            fields = text.split()
        if len(fields) != width:
            raise ValueError(
                f"{fields_text(len(fields))}, but the header has {width} "
                f"attribute{'' if width == 1 else 's'}"
            )
        return fields

    def _sparse(self, text: str) -> list[str]:
        if not text.endswith("}"):
            raise ValueError("a sparse row begins with { and does not end with }")
        row = list(self._defaults)
        entries = _split(text[1:-1]) if text[1:-1].strip() else []
        seen: set[int] = set()
        for entry in entries:
            match = _ENTRY.fullmatch(entry.strip())
            if match is None:
                raise ValueError(f"{entry.strip()!r} is not an index and a value")
            index = int(match[1])
            if index >= len(row):
                raise ValueError(
                    f"there is no attribute {index}; they count from 0 to {len(row) - 1}"
                )
            if index in seen:
                raise ValueError(f"the attribute {index} appears twice")
            seen.add(index)
            row[index] = _unquoted(match[2].strip())
        return row


def _class_name(names: Sequence[str]) -> str:
    """The attribute that is the class where nothing is said: the one named so, or the last."""
    named = [name for name in names if name.lower() == "class"]
    return named[0] if named else names[-1]


def _default(attribute: _Attribute) -> str:
    if attribute.values:
        return attribute.values[0]
    return "0" if attribute.kind in _NUMERIC else "?"


def _attribute(number: int, text: str, known: Collection[str]) -> _Attribute:
    match = _NAME.match(text)
    if match is None or not match[2]:
        raise ValueError(f"line {number}: an attribute needs a name and a type, got {text!r}")
    name, kind = _unquoted(match[1]), match[2].strip()
    if name in known:
        raise ValueError(f"line {number}: attribute {name!r} appears twice")
    if kind.startswith("{"):
        inside, brace, _ = kind[1:].rpartition("}")
        if not brace or not inside.strip():
            raise ValueError(f"line {number}: attribute {name!r}: the values must be in {{ and }}")
        try:
            values = tuple(dict.fromkeys(_fields(inside)))
        except ValueError as error:
            raise ValueError(f"line {number}: attribute {name!r}: {error}") from None
        return _Attribute(name, "nominal", values)
    word = kind.split()[0].lower()
    if word not in (*_NUMERIC, *_REFUSED, "date", "string"):
        raise ValueError(
            f"line {number}: attribute {name!r}: the type must be numeric, real, integer, date, "
            f"string or values in {{ and }}, got {kind!r}"
        )
    return _Attribute(name, word)


def _fields(text: str) -> list[str]:
    return [_unquoted(part.strip()) for part in _split(text)]


def _split(text: str) -> list[str]:
    """Cut at commas, but not at those inside quotes."""
    if "'" not in text and '"' not in text:
        return text.split(",")
    parts: list[str] = []
    start = at = 0
    quote = ""
    while at < len(text):
        character = text[at]
        if quote:
            if character == "\\":
                at += 1
            elif character == quote:
                quote = ""
        elif character in "'\"" and (not text[start:at].strip() or text[at - 1] == " "):
            # Inside a plain value, as in O'Neil, it is a letter.
            quote = character
        elif character == ",":
            parts.append(text[start:at])
            start = at + 1
        at += 1
    if quote:
        raise ValueError("a quotation mark is opened and never closed")
    parts.append(text[start:])
    return parts


def _unquoted(text: str) -> str:
    if text[:1] not in ("'", '"'):
        return text
    if len(text) < 2 or text[-1] != text[0]:
        raise ValueError(f"text follows a closing quotation mark: {text!r}")
    return _ESCAPED.sub(lambda match: _ESCAPES.get(match[1], match[1]), text[1:-1])
