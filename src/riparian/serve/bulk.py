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
from riparian.serve.tables import first_line, read_table

__all__ = ["predict_arrow", "predict_csv"]


def predict_arrow(found: ModelOf, body: bytes, proba: bool) -> Reply:
    """Answer an Arrow stream with another one: a column ``label``, and one for each class."""
    answer = _answer(found, read_table(ARROW, body), proba)
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, answer.schema) as writer:
        writer.write_table(answer)
    return Reply(body=sink.getvalue(), content_type=ARROW.encode())


def predict_csv(found: ModelOf, body: bytes, proba: bool) -> Reply:
    """Answer CSV with a header by CSV."""
    types = {
        name: pa.float64() if kind == "numeric" else pa.string()
        for name, kind in found.columns.kinds.items()
    }
    sink = io.BytesIO()
    pyarrow.csv.write_csv(_answer(found, read_table(CSV, body, types), proba), sink)
    return Reply(body=sink.getvalue(), content_type=CSV.encode())


def _answer(found: ModelOf, table: Any, proba: bool) -> Any:
    if table.num_rows > found.limits.arrow_rows:
        text = f"{table.num_rows:,} rows, and a request may have {found.limits.arrow_rows:,}"
        raise Problem(413, "too_many_rows", text)
    known = [name for name in table.column_names if name in found.columns.names]
    chosen = table.select(known).rename_columns([str(name) for name in known])
    columns = {found.columns.names[name]: chosen.column(name) for name in known}
    model = found.served.model
    try:
        rows = columns or {
            next(iter(found.columns.names.values())): np.full(table.num_rows, np.nan)
        }
        codes, values, classes, seen = model._predict_at_once(read_rows(rows), proba=proba)
    except (ValueError, TypeError, pa.ArrowException) as error:
        raise Problem(422, "bad_value", first_line(error)) from None
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
