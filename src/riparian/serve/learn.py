"""``POST /v1/learn``: rows with labels. A 200 means that they are durable and learned once."""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from riparian.serve.body import ARROW, CSV, NDJSON
from riparian.serve.decode import decode, decode_lines
from riparian.serve.http import Problem, Reply, Request, encode_json
from riparian.serve.serving import Serving
from riparian.serve.tables import read_table
from riparian.sources.front import RowError
from riparian.sources.journal import Journal
from riparian.sources.labelled import Labelled
from riparian.sources.post import Conflict, Full, Post, Reused

__all__ = [
    "Label",
    "Value",
    "careful_rows",
    "durable",
    "journal_of",
    "learn",
    "plain_rows",
    "row_body",
]

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


#: Up to this many bytes are read on the event loop; more in a thread.
_FEW_BYTES = 1 << 16

_body = msgspec.json.Decoder(LearnBody)
_line = msgspec.json.Decoder(LearnRow)


async def learn(serving: Serving, request: Request) -> Reply:
    """Answer a request."""
    journal = journal_of(serving)
    if len(request.body) > _FEW_BYTES:
        rows = await asyncio.to_thread(_rows, serving, request)
    else:
        rows = _rows(serving, request)
    return await durable(serving, journal, request, Post(rows=rows))


def _rows(serving: Serving, request: Request) -> Labelled:
    """Return the rows of a request."""
    found, most = plain_rows(request), serving.limits.row_bytes
    if found is None or found.longest > most:
        rows = careful_rows(request)
        features = [row_body(row.features, i, most) for i, row in enumerate(rows)]
        found = Labelled.of(features, [row.label for row in rows])
    if len(found) > serving.limits.rows:
        raise Problem(413, "too_many_rows", f"a request may have {serving.limits.rows:,} rows")
    return found


def plain_rows(request: Request) -> Labelled | None:
    """Return the rows of a plain body, without an object for each; None if it is none."""
    if request.content_type in ("application/json", ""):
        return Labelled.from_json(request.body, lines=False)
    if request.content_type == NDJSON:
        return Labelled.from_json(request.body, lines=True)
    return None


def careful_rows(request: Request) -> Sequence[LearnRow]:
    """Return the rows of any body; a Problem says what is wrong with it."""
    kind = request.content_type
    if kind in ("application/json", ""):
        body = decode(_body, request.body)
        if body.rows is not None:
            return list(body.rows)
        if body.features is not None and body.label is not None:
            return [LearnRow(body.features, body.label)]
        raise Problem(422, "bad_shape", "the body must have features and label, or rows")
    if kind == NDJSON:
        return list[LearnRow](decode_lines(_line, request.body))
    if kind in (CSV, ARROW):
        target = request.asked().get("target", "label")
        return _rows_of_table(read_table(kind, request.body), target)
    raise Problem(415, "content_type", f"send application/json, {NDJSON}, {CSV} or {ARROW}")


def row_body(features: dict[str, Any], row: int, most: int) -> bytes:
    """Return the features of a row as they are stored."""
    body = encode_json(features)
    if len(body) > most:
        raise Problem(413, "row_too_large", f"a row may have {most:,} bytes", row=row)
    return body


def _rows_of_table(table: Any, target: str) -> list[LearnRow]:
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
    raise Problem(409, "read_only", "this server only predicts; serve a folder to learn")


async def durable(serving: Serving, journal: Journal, request: Request, post: Post) -> Reply:
    """Answer when all that a request posts is durable."""
    key = request.header(b"idempotency-key")
    if key is None and (event := request.header(b"ce-id")) is not None:
        key = f"{request.header(b'ce-source') or ''} {event}"
    if key is not None and len(key) > serving.limits.id_bytes:
        raise Problem(422, "bad_key", f"a key may have {serving.limits.id_bytes} bytes")
    if key is not None:
        parts = b"\0".join((request.path.encode(), request.query, request.body))
        post.key, post.digest = key, hashlib.sha256(parts).hexdigest()
    post.reply = encode_json({"accepted": len(post)})
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
