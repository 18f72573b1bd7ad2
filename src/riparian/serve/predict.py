"""``POST /v1/predict``: one row, many rows, lines of JSON, CSV or Arrow."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import msgspec

from riparian.serve.body import ARROW, CSV, NDJSON
from riparian.serve.bulk import predict_arrow, predict_csv
from riparian.serve.decode import decode, decode_lines
from riparian.serve.http import Problem, Reply, Request, encode_json
from riparian.serve.labels import label_name, plain_label
from riparian.serve.late import check_id, remember
from riparian.serve.learn import Value
from riparian.serve.model_of import ModelOf, model_of
from riparian.serve.serving import Serving

__all__ = ["predict"]

#: Up to this many rows are predicted on the event loop; more in a thread.
_FEW = 256


class One(msgspec.Struct):
    """The body of a request: one row, or many."""

    features: dict[str, Value] | None = None
    rows: list[dict[str, Value]] | None = None
    id: str | None = None
    proba: bool = False
    remember: bool | None = None


_decoder = msgspec.json.Decoder(One)


async def predict(serving: Serving, request: Request) -> Reply:
    """Answer a request."""
    kind = request.content_type
    if kind in ("application/json", ""):
        asked = decode(_decoder, request.body)
        if asked.features is not None:
            reply, waiting = _one(serving, asked, asked.features)
            if waiting is not None:
                await remember(serving, [waiting], wait=serving.durable)
            return reply
        if asked.rows is None:
            raise Problem(422, "bad_shape", "the body must have features or rows")
        return await _many(serving, asked.rows, proba=asked.proba)
    proba = request.asked().get("proba", "false").lower() in ("true", "1")
    found = model_of(serving)
    if kind == NDJSON:
        return await _lines(serving, found, request.body)
    if kind == ARROW:
        return await asyncio.to_thread(predict_arrow, found, request.body, proba)
    if kind == CSV:
        return await asyncio.to_thread(predict_csv, found, request.body, proba)
    raise Problem(415, "content_type", f"send {NDJSON}, {CSV}, {ARROW} or application/json")


def _one(
    serving: Serving, asked: One, features: dict[str, Any]
) -> tuple[Reply, tuple[str, dict[str, Any], Any] | None]:
    """Return the answer for one row, and what is to be remembered of it."""
    name = asked.id if asked.remember is not False and serving.journal is not None else None
    if name is not None:
        check_id(serving, name)
    found = model_of(serving)
    label, probabilities, seen = found.predict_one(features, proba=asked.proba)
    if type(label) is not str:
        label = plain_label(label)
    answer: dict[str, Any] = {} if asked.id is None else {"id": asked.id}
    answer["label"] = label
    if asked.proba:
        answer["proba"] = {label_name(name): p for name, p in (probabilities or {}).items()}
        serving.traffic.confidence.add(max((probabilities or {0: 0.0}).values()))
    answer["model"] = found.facts(seen)
    serving.traffic.predict(label)
    return Reply(body=encode_json(answer)), None if name is None else (name, features, label)


async def _many(serving: Serving, rows: list[dict[str, Any]], *, proba: bool) -> Reply:
    if len(rows) > serving.limits.rows:
        text = f"{len(rows):,} rows, and a request may have {serving.limits.rows:,}"
        raise Problem(413, "too_many_rows", text)
    found = model_of(serving)
    if len(rows) <= _FEW:
        labels, answer = _answers(found, rows, proba)
    else:
        labels, answer = await asyncio.to_thread(_answers, found, rows, proba)
    _count(serving, labels)
    return Reply(body=encode_json(answer))


def _answers(
    found: ModelOf, rows: list[dict[str, Any]], proba: bool
) -> tuple[list[Any], dict[str, Any]]:
    labels, probabilities, classes, seen = found.predict(rows, proba=proba)
    answer: dict[str, Any] = {"labels": labels}
    if proba:
        answer["proba"] = {"classes": classes, "values": probabilities}
    return labels, {**answer, "model": found.facts(seen)}


async def _lines(serving: Serving, found: ModelOf, body: bytes) -> Reply:
    """Answer lines of JSON, each like the body of a request for one row."""
    asked, labels, answer = await asyncio.to_thread(_answer_lines, found, body)
    if serving.journal is not None:
        rows = []
        for i, one in enumerate(asked):
            if one.id is not None and one.remember is not False:
                check_id(serving, one.id, i)
                rows.append((one.id, one.features or {}, labels[i]))
        if rows:
            await remember(serving, rows, wait=serving.durable)
    _count(serving, labels)
    return Reply(body=answer, content_type=NDJSON.encode())


def _count(serving: Serving, labels: list[Any]) -> None:
    for label, n in Counter(labels).items():
        serving.traffic.predict(label, n)


def _answer_lines(found: ModelOf, body: bytes) -> tuple[list[One], list[Any], bytes]:
    asked: list[One] = decode_lines(_decoder, body)
    if len(asked) > found.limits.rows:
        raise Problem(413, "too_many_rows", f"a request may have {found.limits.rows:,} rows")
    rows: list[dict[str, Any]] = []
    for i, one in enumerate(asked):
        if one.features is None:
            raise Problem(422, "bad_shape", f"row {i} has no features", row=i)
        rows.append(one.features)
    proba = any(one.proba for one in asked)
    labels, probabilities, classes, seen = found.predict(rows, proba=proba)
    facts = found.facts(seen)
    if not proba and all(one.id is None for one in asked):
        # Rows of a class have the same answer.
        lines = {label: _line({"label": label, "model": facts}) for label in set(labels)}
        return asked, labels, b"".join([lines[label] for label in labels])
    names = [label_name(label) for label in classes]
    answers = []
    for i, one in enumerate(asked):
        answer: dict[str, Any] = {} if one.id is None else {"id": one.id}
        answer["label"] = labels[i]
        if one.proba:
            answer["proba"] = dict(zip(names, probabilities[i], strict=True))
        answers.append(_line({**answer, "model": facts}))
    return asked, labels, b"".join(answers)


def _line(answer: dict[str, Any]) -> bytes:
    return encode_json(answer) + b"\n"
