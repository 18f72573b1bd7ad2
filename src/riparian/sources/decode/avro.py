"""Avro messages with the number of their schema in front, as Confluent's serializers write them."""

from __future__ import annotations

import importlib
import io
from typing import Any

from riparian.sources.decode.schema_registry import SchemaRegistry

__all__ = ["AvroLoader"]

#: The first byte of a message; the number of the schema follows in four bytes.
_MAGIC = 0


class AvroLoader:
    """Reads each message with the schema that it was written with.

    So a producer may change its schema: a new field becomes a new feature, and one that is gone is
    missing.

    Parameters
    ----------
    registry : SchemaRegistry
        Where the schemas are.
    """

    def __init__(self, registry: SchemaRegistry) -> None:
        try:
            self._avro: Any = importlib.import_module("fastavro")
        except ModuleNotFoundError as error:
            raise ImportError(
                "Avro messages need fastavro; install it with: pip install 'riparian[avro]'"
            ) from error
        self._registry = registry
        self._schemas: dict[int, Any] = {}

    def __call__(self, value: bytes) -> Any:
        """Return the record of a message; a ValueError says what is wrong with it."""
        if len(value) < 5 or value[0] != _MAGIC:
            raise ValueError(
                "this is no Avro message of a schema registry: it must begin with byte 0 and the "
                "4 bytes of a schema's number"
            )
        number = int.from_bytes(value[1:5], "big")
        if number not in self._schemas:
            self._schemas[number] = self._parsed(number)
        data = io.BytesIO(value[5:])
        try:
            found = self._avro.schemaless_reader(data, self._schemas[number], None)
        except Exception as error:  # fastavro raises what Python raises at the damaged place
            what = str(error) or type(error).__name__
            raise ValueError(f"this is not Avro of schema {number}: {what}") from error
        if data.tell() < len(value) - 5:
            left = len(value) - 5 - data.tell()
            raise ValueError(f"this is not Avro of schema {number}: {left} bytes are left")
        return found

    def _parsed(self, number: int) -> Any:
        schema = self._registry.schema(number)
        try:
            return self._avro.parse_schema(schema)
        except Exception as error:
            raise ValueError(f"schema {number} cannot be used: {error}") from error
