"""Many rows at once: Arrow and CSV in, the same out."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc

from riparian.models.batch import read_rows
from riparian.serve.body import ARROW, CSV
from riparian.serve.http import Problem, Reply
from riparian.serve.labels import label_name, plain_label
from riparian.serve.model_of import ModelOf

__all__ = ["predict_arrow", "predict_csv"]


def predict_arrow(found: ModelOf, body: bytes, proba: bool) -> Reply:
    """Answer an Arrow stream with another one: a column ``label``, and one for each class."""
    try:
        with pa.ipc.open_stream(body) as reader:
            table = reader.read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise Problem(400, "bad_arrow", f"the body is no Arrow stream: {_line(error)}") from None
    answer = _answer(found, table, proba)
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, answer.schema) as writer:
        writer.write_table(answer)
    return Reply(body=sink.getvalue(), content_type=ARROW.encode())


def predict_csv(found: ModelOf, body: bytes, proba: bool) -> Reply:
    """Answer CSV with a header by CSV."""
    texts = {
        name: pa.string()
        for name, kind in found.columns.kinds.items()
        if kind in ("categorical", "time")
    }
    numbers = {
        name: pa.float64() for name, kind in found.columns.kinds.items() if kind == "numeric"
    }
    options = pyarrow.csv.ConvertOptions(
        column_types={**texts, **numbers}, strings_can_be_null=True
    )
    try:
        table = pyarrow.csv.read_csv(io.BytesIO(body), convert_options=options)
    except (pa.ArrowException, ValueError) as error:
        raise Problem(400, "bad_csv", f"the body is no CSV: {_line(error)}") from None
    sink = io.BytesIO()
    pyarrow.csv.write_csv(_answer(found, table, proba), sink)
    return Reply(body=sink.getvalue(), content_type=CSV.encode())


def _answer(found: ModelOf, table: Any, proba: bool) -> Any:
    if table.num_rows > found.limits.arrow_rows:
        text = f"{table.num_rows:,} rows, and a request may have {found.limits.arrow_rows:,}"
        raise Problem(413, "too_many_rows", text)
    known = [name for name in table.column_names if name in found.columns.names]
    if len(set(table.column_names)) < len(table.column_names):
        raise Problem(422, "bad_shape", "two columns have the same name")
    chosen = table.select(known).rename_columns([str(name) for name in known])
    columns = {found.columns.names[name]: chosen.column(name) for name in known}
    model = found.served.model
    try:
        rows = columns or {
            next(iter(found.columns.names.values())): np.full(table.num_rows, np.nan)
        }
        codes, values, classes, seen = model._predict_at_once(read_rows(rows), proba=proba)
    except (ValueError, TypeError, pa.ArrowException) as error:
        raise Problem(422, "bad_value", _line(error)) from None
    labels = [plain_label(label) for label in classes]
    if not all(isinstance(label, type(labels[0])) for label in labels):
        labels = [label_name(label) for label in labels]
    missing = codes < 0
    said = pa.array(labels).take(pa.array(np.where(missing, 0, codes), mask=missing))
    answer = {"label": said}
    if proba:
        names = [label_name(label) for label in classes]
        answer |= {f"proba {name}": values[:, k] for k, name in enumerate(names)}
    facts = {key: str(value) for key, value in found.facts(seen).items()}
    return pa.table(answer).replace_schema_metadata(facts)


def _line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]
