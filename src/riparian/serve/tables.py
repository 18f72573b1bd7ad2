"""Bodies that are tables: Arrow and CSV."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc

from riparian.serve.body import ARROW
from riparian.serve.http import Problem

__all__ = ["first_line", "read_table"]


def read_table(kind: str, body: bytes, types: Mapping[str, Any] | None = None) -> Any:
    """Return the table of a body; a Problem if it is none."""
    try:
        if kind == ARROW:
            with pa.ipc.open_stream(body) as reader:
                table = reader.read_all()
            table.validate(full=True)
        else:
            options = pyarrow.csv.ConvertOptions(column_types=types, strings_can_be_null=True)
            table = pyarrow.csv.read_csv(io.BytesIO(body), convert_options=options)
    except (pa.ArrowException, OSError, ValueError) as error:
        name = "Arrow stream" if kind == ARROW else "CSV"
        raise Problem(400, "bad_table", f"the body is no {name}: {first_line(error)}") from None
    if len(set(table.column_names)) < len(table.column_names):
        raise Problem(422, "bad_shape", "two columns have the same name")
    return table


def first_line(error: Exception) -> str:
    """Return the first line of an error."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
