"""``POST /v1/explain``: why the model says what it says about one row."""

from __future__ import annotations

import asyncio
from dataclasses import fields, is_dataclass
from typing import Any

import msgspec

from riparian.serve.decode import decode
from riparian.serve.http import Problem, Reply, Request, json_reply
from riparian.serve.labels import label_name, plain_label
from riparian.serve.learn import Value
from riparian.serve.model_of import model_of
from riparian.serve.serving import Serving

__all__ = ["explain"]


class Asked(msgspec.Struct):
    """The body."""

    features: dict[str, Value]


_decoder = msgspec.json.Decoder(Asked)


async def explain(serving: Serving, request: Request) -> Reply:
    """Answer with the path of a tree, or the votes of a forest."""
    if request.content_type not in ("application/json", ""):
        raise Problem(415, "content_type", "send application/json")
    asked = decode(_decoder, request.body)
    found = model_of(serving)
    model = found.served.model
    if not hasattr(model, "classes_"):
        raise Problem(503, "not_ready", "the model has learned nothing yet", retry_after=1)
    if not hasattr(model, "explain_one"):
        raise Problem(409, "unexplained", f"{type(model).__name__} has no explanation of a row")
    row = found.columns.row(asked.features)
    try:
        steps = await asyncio.to_thread(model.explain_one, row)
    except (ValueError, TypeError) as error:
        raise Problem(422, "bad_value", str(error)) from None
    label, probabilities, seen = found.predict_one(asked.features, proba=True)
    answer = {
        "label": plain_label(label),
        "proba": {label_name(name): p for name, p in (probabilities or {}).items()},
        "steps": [{"text": str(step), **_plain(step)} for step in steps],
        "model": found.facts(seen),
    }
    return json_reply(answer)


def _plain(value: Any) -> Any:
    """Return an object as values of JSON."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {label_name(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return plain_label(value)
