"""``POST /v1/learn``: rows with labels. A 200 means that they are durable and learned once."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Iterable
from typing import Any

import msgspec

from riparian.serve.body import ARROW, CSV, NDJSON
from riparian.serve.decode import decode, decode_lines
from riparian.serve.http import Problem, Reply, Request, encode_json
from riparian.serve.serving import Serving
from riparian.serve.tables import read_table
from riparian.sources.front import RowError
from riparian.sources.journal import Conflict, Full, Journal, Post, Posted, Reused

__all__ = ["Label", "Value", "durable", "journal_of", "learn", "row_body"]

Value = str | int | float | bool | None
Label = str | int | bool


class LearnRow(msgspec.Struct):
    """A row and its label."""

    features: dict[str, Value]
    label: Label


class LearnBody(msgspec.Struct):
    """One row, or many."""

    features: dict[str, Value] | None = None
    label: Label | None = None
    rows: list[LearnRow] | None = None


_body = msgspec.json.Decoder(LearnBody)
_line = msgspec.json.Decoder(LearnRow)


async def learn(serving: Serving, request: Request) -> Reply:
    """Answer a request."""
    journal = journal_of(serving)
    if len(request.body) > 1 << 16:
        entries = await asyncio.to_thread(_entries, serving, request)
    else:
        entries = _entries(serving, request)
    return await durable(serving, journal, request, entries)


def _entries(serving: Serving, request: Request) -> list[Posted]:
    kind = request.content_type
    if kind in ("application/json", ""):
        body = decode(_body, request.body)
        if body.rows is not None:
            rows = body.rows
        elif body.features is not None and body.label is not None:
            rows = [LearnRow(body.features, body.label)]
        else:
            raise Problem(422, "bad_shape", "the body must have features and label, or rows")
    elif kind == NDJSON:
        rows = decode_lines(_line, request.body)
    elif kind in (CSV, ARROW):
        target = request.asked().get("target", "label")
        rows = _rows_of_table(read_table(kind, request.body), target)
    else:
        text = f"send application/json, {NDJSON}, {CSV} or {ARROW}"
        raise Problem(415, "content_type", text)
    if len(rows) > serving.limits.rows:
        raise Problem(413, "too_many_rows", f"a request may have {serving.limits.rows:,} rows")
    most = serving.limits.row_bytes
    return [
        Posted("learn", label=row.label, body=row_body(row.features, i, most))
        for i, row in enumerate(rows)
    ]


def row_body(features: dict[str, Any], row: int, most: int) -> bytes:
    """Return the features of a row as they are stored."""
    body = encode_json(features)
    if len(body) > most:
        raise Problem(413, "row_too_large", f"a row may have {most:,} bytes", row=row)
    return body


def _rows_of_table(table: Any, target: str) -> Iterable[Any]:
    if target not in table.column_names:
        raise Problem(422, "bad_shape", f"there is no column {target!r}; name it with ?target=")
    labels = table.column(target).to_pylist()
    features = table.drop_columns([target]).to_pylist()
    for row, label in enumerate(labels):
        if not isinstance(label, str | int):
            text = "a label must be a text or a whole number"
            raise Problem(422, "bad_value", text, row=row, column=target)
    return [LearnRow(*pair) for pair in zip(features, labels, strict=True)]


def journal_of(serving: Serving) -> Journal:
    """Return the journal; a Problem if this server does not learn what is posted."""
    if serving.journal is not None:
        return serving.journal
    if serving.writer is not None:
        address = serving.writer()
        text = "this server follows another one, which learns"
        headers = () if address is None else ((b"location", address.encode("ascii", "replace")),)
        text = text if address is None else f"{text}: {address}"
        raise Problem(421, "follower", text, headers=headers)
    if serving.learner is not None:
        name = serving.learner.feeds[0].source.name
        raise Problem(409, "learns_elsewhere", f"this model learns from {name}")
    raise Problem(409, "read_only", "this server only answers; serve a folder to learn")


async def durable(
    serving: Serving, journal: Journal, request: Request, entries: list[Posted]
) -> Reply:
    """Answer when all entries of a request are durable."""
    key = request.header(b"idempotency-key")
    if key is None and (event := request.header(b"ce-id")) is not None:
        key = f"{request.header(b'ce-source') or ''} {event}"
    if key is not None and len(key) > serving.limits.id_bytes:
        raise Problem(422, "bad_key", f"a key may have {serving.limits.id_bytes} bytes")
    digest = hashlib.sha256(b"\0".join((request.path.encode(), request.query, request.body)))
    reply = encode_json({"accepted": len(entries)})
    post = Post(entries, key=key, digest=digest.hexdigest(), reply=reply)
    done = await posted(journal, post)
    if not done.replayed:
        return Reply(body=done.reply)
    serving.traffic.replayed += 1
    return Reply(body=done.reply, headers=[(b"idempotency-replayed", b"true")])


async def posted(journal: Journal, post: Post) -> Any:
    """Wait until a request is durable; a Problem if it is refused."""
    try:
        return await asyncio.wrap_future(journal.post(post))
    except RowError as error:
        raise Problem(
            422, "bad_value", f"row {error.row}: {error}", row=error.row, column=_column(str(error))
        ) from None
    except Conflict as error:
        raise Problem(409, "conflict", str(error), row=error.row) from None
    except Reused as error:
        raise Problem(422, "key_reused", str(error)) from None
    except Full as error:
        raise Problem(429, "backlog", str(error), retry_after=1) from None
    except OSError as error:
        raise Problem(503, "journal", str(error), retry_after=1) from None


def _column(text: str) -> str | None:
    found = re.search(r"column '([^']*)'", text)
    return None if found is None else found.group(1)
