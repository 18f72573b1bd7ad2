"""A run or a model as values that JSON can hold."""

from __future__ import annotations

import csv
import dataclasses
import io
import math
from collections.abc import Mapping
from typing import Any

from riparian.data.values import OTHER
from riparian.evaluate.results import Result
from riparian.policies import Policy
from riparian.show.view import ModelView

__all__ = ["model_dict", "run_dict"]


def run_dict(
    data: str,
    model: Any,
    result: Result,
    *,
    n_splits: int,
    interrupted: bool,
    damaged: str | None = None,
) -> dict[str, Any]:
    """The report of a run, with the parameters of :func:`riparian.show.summary.print_run`."""
    return {
        "data": data,
        **model_dict(model, n_splits=n_splits, schema=False),
        "result": result.to_dict(),
        "interrupted": interrupted,
        "damaged": damaged,
    }


def model_dict(
    model: Any, *, n_splits: int, schema: bool = True, changes: bool = False
) -> dict[str, Any]:
    """The description of a model, with its last `n_splits` splits and changes.

    `schema` adds the features; `changes` adds every change that the model remembers.
    """
    view = ModelView(model)
    parts = view.parts
    assert parts is not None, "the model has learned"
    found: dict[str, Any] = {
        "model": view.name,
        "parameters": {name: _value(value) for name, value in view.parameters.items()},
        "examples": float(parts.examples),
        **parts.sizes,
        "memory_bytes": parts.memory_bytes,
        "classes": [_value(label) for label in parts.classes],
    }
    if predictors := view.predictors():
        found["predicted_by"] = predictors
    if parts.members is not None:
        found["members"] = [_record(member) for member in parts.members]
    if parts.splits is not None:
        found["guarantee"] = parts.guarantee
        found["splits"] = [_record(split) for split in view.last_splits(n_splits)]
    if parts.changes is not None:
        found["change_counts"] = dict(parts.change_counts)
        last = view.last_changes(None if changes else n_splits)
        found["changes"] = [_record(change) for change in last]
        former = view.last_former_splits(None if changes else n_splits)
        found["former_splits"] = [_record(split) for split in former]
    if schema:
        found["features"] = [
            {
                "name": feature.label,
                "kind": feature.kind,
                "categories": [_value(value) for value in feature.categories],
                "left_out": parts.left_out.get(feature.label),
            }
            for feature in parts.features
        ]
    return found


def _record(found: Any) -> dict[str, Any]:
    """The fields of a dataclass."""
    return {f.name: _value(getattr(found, f.name)) for f in dataclasses.fields(found)}


def _value(value: Any) -> Any:
    """A value as JSON has it, else as text."""
    if value is OTHER:
        return "other"
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_value(part) for part in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _record(value)
    if isinstance(value, Policy):
        values = {name: _value(v) for name, v in value.get_params().items()}
        return {"policy": value.name, "parameters": values}
    if isinstance(value, Mapping):  # costs, in the form that --costs reads
        return {_pair_text(pair): _value(cost) for pair, cost in value.items()}
    return getattr(value, "__name__", None) or str(value)


def _pair_text(pair: tuple[Any, Any]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(pair)
    return text.getvalue()
