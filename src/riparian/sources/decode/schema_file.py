"""A schema that a user declares, in place of the one that the first messages decide."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_args

from riparian.errors import one_of
from riparian.streams.readers.columns import Kind

__all__ = ["Declared", "read_schema"]

_LABELS = ("text", "integers")


@dataclass(frozen=True)
class Declared:
    """The kinds of the columns, and what labels are.

    Parameters
    ----------
    columns : mapping of str to {'numeric', 'categorical', 'date', 'time'}
        The kinds of the features, in their order.
    labels : {'text', 'integers'}
        What the labels are.
    """

    columns: Mapping[str, str]
    labels: str = "text"

    def __post_init__(self) -> None:
        if not self.columns:
            raise ValueError("the schema must name at least one column")
        for name, kind in self.columns.items():
            one_of(f"the kind of column {name!r}", kind, get_args(Kind))
        one_of("labels of the schema", self.labels, _LABELS)

    def labels_state(self, target: str | None) -> dict[str, Any] | None:
        """Return what is decided about the labels, as decoders store it."""
        if target is None:
            return None
        if target in self.columns:
            raise ValueError(f"the schema names the target {target!r} among the features")
        text = self.labels == "text"
        return {"name": target, "as_text": text, "integers": not text}

    def types(self, target: str | None) -> dict[str, str]:
        """Return what JSON values are read as, as the decoder of JSON stores it."""
        found = {n: "double" if kind == "numeric" else "string" for n, kind in self.columns.items()}
        if target is not None:
            found[target] = "int64" if self.labels == "integers" else "string"
        return found


def read_schema(schema: str | os.PathLike[str] | Mapping[str, Any]) -> Declared:
    """Read a schema such as ``{"columns": {"age": "numeric"}, "labels": "text"}``, or its file."""
    found: Any = schema
    path = "the schema"
    if isinstance(schema, str | os.PathLike):
        path = os.fspath(schema)
        with open(path, encoding="utf-8") as file:
            try:
                found = json.load(file)
            except ValueError as error:
                raise ValueError(f"{path}: this is not JSON: {error}") from None
    columns = found.get("columns") if isinstance(found, dict) else None
    if not isinstance(columns, dict) or not set(found) <= {"columns", "labels"}:
        raise ValueError(
            f'{path} must be an object such as {{"columns": {{"age": "numeric", "job": '
            '"categorical"}, "labels": "text"}'
        )
    try:
        return Declared(columns, found.get("labels", "text"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
