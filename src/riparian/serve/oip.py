"""The Open Inference Protocol, version 2, over REST: what KServe and MLServer clients speak."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import msgspec

import riparian
from riparian.serve.decode import decode
from riparian.serve.health import why_not_ready
from riparian.serve.http import Problem, Reply, Request, json_reply
from riparian.serve.labels import plain_label
from riparian.serve.model_of import ModelOf, model_of
from riparian.serve.rows import schema_of
from riparian.serve.serving import Serving

__all__ = ["infer", "metadata", "model_metadata", "model_ready", "server_live", "server_ready"]

_NUMBERS = frozenset(
    {"BOOL", "FP16", "FP32", "FP64", "BF16"}
    | {f"{sign}INT{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)}
)


class Tensor(msgspec.Struct):
    """One input: the values of one feature."""

    name: str
    shape: list[int]
    datatype: str
    data: list[Any]
    parameters: dict[str, Any] = {}


class Output(msgspec.Struct):
    """An output that is asked for."""

    name: str


class Inference(msgspec.Struct):
    """The body of a request."""

    inputs: list[Tensor]
    id: str | None = None
    outputs: list[Output] | None = None
    parameters: dict[str, Any] = {}


_decoder = msgspec.json.Decoder(Inference)


async def metadata(serving: Serving, request: Request) -> Reply:
    """Answer what the server is."""
    found = {"name": "riparian", "version": riparian.__version__, "extensions": []}
    return json_reply(found)


async def server_live(serving: Serving, request: Request) -> Reply:
    """Answer that the process runs."""
    return json_reply({"live": True})


async def server_ready(serving: Serving, request: Request) -> Reply:
    """Answer whether requests can be answered."""
    reason = why_not_ready(serving)
    return json_reply({"ready": reason is None}, 200 if reason is None else 503)


async def model_ready(serving: Serving, request: Request) -> Reply:
    """Answer whether the model can be used."""
    _named(serving, request)
    reason = why_not_ready(serving)
    found = {"name": serving.name, "ready": reason is None}
    return json_reply(found, 200 if reason is None else 503)


async def model_metadata(serving: Serving, request: Request) -> Reply:
    """Answer what the inputs and outputs of the model are."""
    served = _named(serving, request)
    schema = schema_of(served.model)
    inputs = [
        {
            "name": feature.label,
            "datatype": "FP64" if feature.kind == "numeric" and not feature.time else "BYTES",
            "shape": [-1],
        }
        for feature in list(schema.features)
    ]
    classes = list(schema.classes)
    kind = "INT64" if classes and all(isinstance(c, int) for c in classes) else "BYTES"
    outputs = [
        {"name": "label", "datatype": kind, "shape": [-1]},
        {"name": "proba", "datatype": "FP64", "shape": [-1, len(classes)]},
    ]
    return json_reply(
        {
            "name": serving.name,
            "versions": [str(served.generation)],
            "platform": "riparian",
            "inputs": inputs,
            "outputs": outputs,
        }
    )


async def infer(serving: Serving, request: Request) -> Reply:
    """Answer with classes and probabilities."""
    _named(serving, request)
    if request.header(b"inference-header-content-length") is not None:
        raise Problem(415, "binary", "tensors are sent as JSON")
    if request.content_type not in ("application/json", ""):
        raise Problem(415, "content_type", "send application/json")
    asked: Inference = decode(_decoder, request.body)
    wanted = [output.name for output in asked.outputs or ()] or ["label", "proba"]
    for name in wanted:
        if name not in ("label", "proba"):
            raise Problem(422, "bad_output", f"there is no output {name[:100]!r}: label, proba")
    rows = _rows(asked.inputs, serving.limits.rows)
    found = model_of(serving)
    answer = await asyncio.to_thread(_answer, found, rows, wanted)
    if asked.id is not None:
        answer["id"] = asked.id
    return json_reply(answer)


def _answer(found: ModelOf, rows: list[dict[str, Any]], wanted: list[str]) -> dict[str, Any]:
    labels, probabilities, classes, seen = found.predict(rows, proba="proba" in wanted)
    whole = all(isinstance(label, int) for label in labels)
    outputs: dict[str, Any] = {
        "label": {
            "name": "label",
            "datatype": "INT64" if whole else "BYTES",
            "shape": [len(labels)],
            "data": labels if whole else ["" if y is None else str(y) for y in labels],
        },
        "proba": {
            "name": "proba",
            "datatype": "FP64",
            "shape": [len(labels), len(classes)],
            "data": [p for row in probabilities for p in row],
            "parameters": {"classes": [plain_label(label) for label in classes]},
        },
    }
    return {
        "model_name": found.name,
        "model_version": str(found.served.generation),
        "parameters": {"rows": seen},
        "outputs": [outputs[name] for name in wanted],
    }


def _named(serving: Serving, request: Request) -> Any:
    """Return the model of the path; a Problem if another one is served."""
    served = serving.current
    if request.parameters.get("name") != serving.name:
        raise Problem(404, "no_model", f"the model here is {serving.name!r}")
    version = request.parameters.get("version")
    if version is not None and version != str(served.generation):
        text = f"the version here is {served.generation}"
        raise Problem(404, "no_version", text)
    return served


def _rows(inputs: list[Tensor], most: int) -> list[dict[str, Any]]:
    """Return the rows of tensors: one tensor for each feature, of shape [n] or [n, 1]."""
    columns: dict[str, list[Any]] = {}
    n: int | None = None
    for tensor in inputs:
        values = _values(tensor)
        if tensor.name in columns:
            raise Problem(422, "bad_shape", f"two inputs are named {tensor.name[:100]!r}")
        if n is not None and len(values) != n:
            raise Problem(422, "bad_shape", "the inputs have different numbers of rows")
        n = len(values)
        columns[tensor.name] = values
    if not n:
        raise Problem(422, "bad_shape", "there is no row")
    if n > most:
        raise Problem(413, "too_many_rows", f"a request may have {most:,} rows")
    names = list(columns)
    return [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _values(tensor: Tensor) -> list[Any]:
    """Return the values of a tensor as numbers or texts."""
    shape, name = tensor.shape, tensor.name[:100]
    if not (len(shape) == 1 or (len(shape) == 2 and shape[1] == 1)) or shape[0] < 0:
        raise Problem(422, "bad_shape", f"input {name!r}: the shape must be [n] or [n, 1]")
    data = tensor.data
    if any(isinstance(value, list) for value in data):
        if not all(isinstance(value, list) and len(value) == 1 for value in data):
            raise Problem(422, "bad_shape", f"input {name!r}: the data must have the shape")
        data = [value[0] for value in data]
    if len(data) != shape[0]:
        text = f"input {name!r}: {len(data):,} values for the shape {shape}"
        raise Problem(422, "bad_shape", text)
    if tensor.datatype not in _NUMBERS and tensor.datatype != "BYTES":
        raise Problem(422, "bad_type", f"input {name!r}: {tensor.datatype[:20]!r} is no datatype")
    number = tensor.datatype in _NUMBERS
    for row, value in enumerate(data):
        if value is None:
            continue
        if number and not isinstance(value, bool | int | float):
            raise Problem(422, "bad_value", f"input {name!r}: no number", row=row, column=name)
        if not number and not isinstance(value, str):
            raise Problem(422, "bad_value", f"input {name!r}: no text", row=row, column=name)
    if number:
        return [_number(value) for value in data]
    return data


def _number(value: Any) -> float | None:
    if value is None:
        return None
    try:
        found = float(value)
    except OverflowError:
        return math.inf
    return None if math.isnan(found) else found
