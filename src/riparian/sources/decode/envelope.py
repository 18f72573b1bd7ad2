"""Messages that are no flat JSON object: they are loaded, opened, flattened, and become one."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from datetime import time as clock
from decimal import Decimal
from typing import Any
from uuid import UUID

__all__ = ["ENVELOPES", "Opener"]

ENVELOPES = ("plain", "cloudevents", "debezium")

#: Nested objects are flattened to this depth, and to this many names.
_DEPTH, _NAMES = 3, 200


class Opener:
    """Turns messages into flat JSON objects.

    Parameters
    ----------
    envelope : {'plain', 'cloudevents', 'debezium'}
        What is around the row. CloudEvents in structured mode have it in ``data``; one in binary
        mode is the row itself. Debezium has it in ``after``; deleted rows are left out.
    flatten : bool
        Whether ``{"a": {"b": 1}}`` becomes ``{"a.b": 1}``.
    load : callable, default=json.loads
        Makes an object of a message; a ValueError says what is wrong with it. None is a message
        without a row.
    """

    def __init__(
        self, envelope: str, flatten: bool, load: Callable[[bytes], Any] = json.loads
    ) -> None:
        self._envelope = envelope
        self._flatten = flatten
        self._load = load

    def open(self, values: Sequence[bytes | None]) -> tuple[list[bytes | None], dict[int, str]]:
        """Return the rows as JSON, None for messages without one, and what is wrong with others."""
        found: list[bytes | None] = []
        faults: dict[int, str] = {}
        for i, value in enumerate(values):
            row: bytes | None = None
            if value is not None and (self._load is not json.loads or value.strip()):
                try:
                    row = self._row(self._load(value))
                except (ValueError, RecursionError) as error:
                    faults[i] = str(error) or "the message is nested too deeply"
            found.append(row)
        return found, faults

    def _row(self, message: Any) -> bytes | None:
        if message is None:
            return None
        if not isinstance(message, dict):
            raise ValueError('a message must be an object such as {"age": 31}')
        row: Any = message
        if self._envelope == "cloudevents" and "specversion" in message:
            if "data" not in message:
                raise ValueError("the CloudEvent has no 'data'; data_base64 is not read")
            row = message["data"]
        elif self._envelope == "debezium":
            row = _after(message)
        if row is None:
            return None
        if not isinstance(row, dict):
            raise ValueError(f"the row in the envelope must be an object, got {type(row).__name__}")
        if self._flatten:
            row = _flat(row)
        missing = [name for name, value in row.items() if value != value]
        if missing:
            row = {**row, **dict.fromkeys(missing)}
        return json.dumps(row, separators=(",", ":"), default=_plain).encode()


def _plain(value: Any) -> Any:
    """Return a value that JSON has no type for as a number or a text."""
    if isinstance(value, date | clock):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, UUID):
        return str(value)
    raise ValueError(f"a value of type {type(value).__name__} cannot be learned")


def _after(message: Mapping[str, Any]) -> Any:
    """Return the row after a change of a table; None if it was deleted."""
    payload = message.get("payload", message)
    if payload is None:
        return None
    if not isinstance(payload, dict) or "op" not in payload:
        raise ValueError("the message is no change of Debezium: it has no 'op'")
    return payload.get("after") if payload["op"] in ("c", "r", "u") else None


def _flat(row: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    waiting: list[tuple[str, Any, int]] = [(name, row[name], 1) for name in reversed(row)]
    while waiting:
        name, value, depth = waiting.pop()
        if isinstance(value, dict) and depth < _DEPTH:
            waiting += [(f"{name}.{key}", value[key], depth + 1) for key in reversed(value)]
        elif name in found:
            raise ValueError(f"the name {name!r} appears twice after flattening")
        elif len(found) >= _NAMES:
            raise ValueError(f"the message has more than {_NAMES} names")
        else:
            found[name] = value
    return found
