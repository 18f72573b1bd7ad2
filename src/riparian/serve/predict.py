"""``POST /v1/predict``: one row, many rows, lines of JSON, CSV or Arrow."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from riparian.serve.body import ARROW, CSV, NDJSON
from riparian.serve.bulk import predict_arrow, predict_csv
from riparian.serve.http import Problem, Reply, Request, encode_json
from riparian.serve.labels import label_name, plain_label
from riparian.serve.model_of import ModelOf, model_of
from riparian.serve.serving import Serving

__all__ = ["One", "decode", "predict"]

#: So many rows are predicted on the event loop; more in a thread.
_FEW = 256


class One(msgspec.Struct):
    """The body of a request: one row, or many."""

    features: dict[str, Any] | None = None
    rows: list[dict[str, Any]] | None = None
    id: str | None = None
    proba: bool = False
    remember: bool | None = None


_decoder = msgspec.json.Decoder(One)


def decode(decoder: Any, body: bytes, what: str = "the body") -> Any:
    """Return what a JSON body says; a Problem if it is none, or has another shape."""
    try:
        return decoder.decode(body)
    except msgspec.ValidationError as error:
        raise Problem(422, "bad_shape", f"{what}: {error}") from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise Problem(400, "bad_json", f"{what} is not JSON: {str(error)[:200]}") from None


async def predict(serving: Serving, request: Request) -> Reply:
    """Answer a request."""
    kind = request.content_type
    if kind in ("application/json", ""):
        asked = decode(_decoder, request.body)
        if asked.features is not None:
            return await _one(serving, asked)
        if asked.rows is None:
            raise Problem(422, "bad_shape", "the body must have features or rows")
        return await _many(serving, asked.rows, proba=asked.proba)
    proba = request.asked().get("proba", "false").lower() in ("true", "1")
    found = model_of(serving)
    if kind == NDJSON:
        return await asyncio.to_thread(_lines, found, request.body)
    if kind == ARROW:
        return await asyncio.to_thread(predict_arrow, found, request.body, proba)
    if kind == CSV:
        return await asyncio.to_thread(predict_csv, found, request.body, proba)
    raise Problem(415, "content_type", f"send {NDJSON}, {CSV}, {ARROW} or application/json")


async def _one(serving: Serving, asked: One) -> Reply:
    found = model_of(serving)
    label, probabilities, seen = found.predict_one(asked.features or {}, proba=asked.proba)
    answer: dict[str, Any] = {} if asked.id is None else {"id": asked.id}
    answer["label"] = plain_label(label)
    if asked.proba:
        answer["proba"] = {label_name(name): p for name, p in (probabilities or {}).items()}
        serving.traffic.confidence.add(max((probabilities or {0: 0.0}).values()))
    answer["model"] = found.facts(seen)
    serving.traffic.predict(answer["label"])
    return Reply(body=encode_json(answer))


async def _many(serving: Serving, rows: list[dict[str, Any]], *, proba: bool) -> Reply:
    if len(rows) > serving.limits.rows:
        text = f"{len(rows):,} rows, and a request may have {serving.limits.rows:,}"
        raise Problem(413, "too_many_rows", text)
    found = model_of(serving)
    if len(rows) <= _FEW:
        labels, answer = _answers(found, rows, proba)
    else:
        labels, answer = await asyncio.to_thread(_answers, found, rows, proba)
    for label in labels:
        serving.traffic.predict(label)
    return Reply(body=encode_json(answer))


def _answers(
    found: ModelOf, rows: list[dict[str, Any]], proba: bool
) -> tuple[list[Any], dict[str, Any]]:
    labels, probabilities, classes, seen = found.predict(rows, proba=proba)
    answer: dict[str, Any] = {"labels": labels}
    if proba:
        answer["proba"] = {"classes": classes, "values": probabilities}
    return labels, {**answer, "model": found.facts(seen)}


def _lines(found: ModelOf, body: bytes) -> Reply:
    """Answer lines of JSON, each like the body of a request for one row."""
    asked: list[One] = []
    for number, line in enumerate(body.splitlines()):
        if line.strip():
            one = decode(_decoder, line, f"line {number + 1}")
            if one.features is None:
                raise Problem(422, "bad_shape", f"line {number + 1} has no features", row=number)
            asked.append(one)
    if len(asked) > found.limits.rows:
        raise Problem(413, "too_many_rows", f"a request may have {found.limits.rows:,} rows")
    proba = any(one.proba for one in asked)
    rows = [one.features or {} for one in asked]
    labels, probabilities, classes, seen = found.predict(rows, proba=proba)
    facts = found.facts(seen)
    names = [label_name(label) for label in classes]
    lines = []
    for i, one in enumerate(asked):
        answer: dict[str, Any] = {} if one.id is None else {"id": one.id}
        answer["label"] = labels[i]
        if one.proba:
            answer["proba"] = dict(zip(names, probabilities[i], strict=True))
        answer["model"] = facts
        lines.append(encode_json(answer))
    return Reply(body=b"\n".join(lines) + b"\n", content_type=NDJSON.encode())
