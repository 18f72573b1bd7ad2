"""``POST /v1/labels``: the labels of rows that were predicted with an id."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from riparian.serve.body import NDJSON
from riparian.serve.decode import decode, decode_lines
from riparian.serve.http import Problem, Reply, Request
from riparian.serve.learn import Label, durable, journal_of, posted, row_body
from riparian.serve.serving import Serving
from riparian.sources.post import Post, Posted

__all__ = ["check_id", "labels", "remember"]


class OneLabel(msgspec.Struct):
    """The label of an id."""

    id: str
    label: Label
    weight: float = 1.0


_list = msgspec.json.Decoder(list[OneLabel])
_line = msgspec.json.Decoder(OneLabel)


async def labels(serving: Serving, request: Request) -> Reply:
    """Answer a request."""
    journal = journal_of(serving)
    if request.content_type == NDJSON:
        found = decode_lines(_line, request.body)
    elif request.content_type in ("application/json", ""):
        found = decode(_list, request.body)
    else:
        raise Problem(415, "content_type", f"send application/json or {NDJSON}")
    if len(found) > serving.limits.rows:
        raise Problem(413, "too_many_rows", f"a request may have {serving.limits.rows:,} labels")
    for row, one in enumerate(found):
        check_id(serving, one.id, row)
        if not 0.0 < one.weight < math.inf:
            text = "a weight must be a number above 0"
            raise Problem(422, "bad_value", text, row=row, column="weight")
    entries = [Posted("label", one.id, one.label, weight=one.weight) for one in found]
    return await durable(serving, journal, request, Post(entries))


async def remember(
    serving: Serving, rows: list[tuple[str, dict[str, Any], Any]], *, wait: bool
) -> None:
    """Let rows wait for their labels: ids, features, and the classes that were predicted."""
    journal = journal_of(serving)
    most = serving.limits.row_bytes
    entries = [
        Posted("row", name, said=said, body=row_body(features, i, most))
        for i, (name, features, said) in enumerate(rows)
    ]
    if wait:
        await posted(journal, Post(entries))
    else:
        serving.send(journal, Post(entries))


def check_id(serving: Serving, name: str, row: int | None = None) -> None:
    """Refuse an id that is empty or too long."""
    if not name or len(name.encode("utf-8", "replace")) > serving.limits.id_bytes:
        text = f"an id must have 1 to {serving.limits.id_bytes} bytes"
        raise Problem(422, "bad_id", text, row=row, column="id")
