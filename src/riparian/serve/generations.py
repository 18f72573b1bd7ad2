"""Generations: their list, rollback, and the model file up and down."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from riparian.errors import ModelFileError
from riparian.serve.http import Problem, Reply, Request, json_reply
from riparian.serve.rows import schema_of
from riparian.serve.serving import Serving
from riparian.sources.checkpoint import Generation, load, read_generations
from riparian.sources.replacing import CannotGoBackError
from riparian.storage.modelfile import from_bytes, to_bytes

__all__ = ["activate", "download", "generations", "upload"]

_FILE = b"application/octet-stream"


async def generations(serving: Serving, request: Request) -> Reply:
    """Answer with the generations that are kept, the newest first."""
    found = await asyncio.to_thread(_read, _folder(serving))
    entries = [
        {
            "generation": one.number,
            "rows": one.rows,
            "bytes": one.size,
            "sha256": one.sha256,
            "reason": one.reason,
            "written_at": one.written_at,
        }
        for one in found
    ]
    return json_reply({"generations": entries})


async def activate(serving: Serving, request: Request) -> Reply:
    """Make the model of a generation the present one, as a new generation.

    What was learned since then is not in it. The positions stay as they are, unless the rows since
    then are to be learned again.
    """
    text = str(request.parameters.get("number", ""))
    if not (text.isascii() and text.isdecimal() and len(text) < 18):
        raise Problem(404, "no_generation", "a generation is a number")
    replay = request.asked().get("replay", "false")
    if replay not in ("true", "false"):
        raise Problem(400, "bad_query", "replay must be true or false")
    folder = _folder(serving)
    chosen = [one for one in await asyncio.to_thread(_read, folder) if one.number == int(text)]
    if not chosen:
        raise Problem(404, "no_generation", f"generation {text} is not kept")
    try:
        model = await asyncio.to_thread(load, folder, chosen[0])
    except ModelFileError as error:
        raise Problem(409, "damaged", str(error)) from None
    said = f"rolled back to generation {text}"
    if replay == "false":
        return await _replace(serving, model, "rollback", said)
    said += "; the rows since then are learned again"
    return await _replace(serving, model, "rollback", said, since=chosen[0])


async def download(serving: Serving, request: Request) -> Reply:
    """Answer with the model file of the newest generation, or of the model that is served."""
    served = serving.current
    if serving.folder is None:
        data = await asyncio.to_thread(to_bytes, served.model)
        return Reply(body=data, content_type=_FILE)
    found = await asyncio.to_thread(_read, serving.folder)
    if not found:
        raise Problem(404, "no_generation", "there is no generation yet")
    try:
        path = serving.folder / "models" / found[0].file
        data = await asyncio.to_thread(path.read_bytes)
    except OSError as error:
        raise Problem(503, "gone", str(error.strerror), retry_after=1) from None
    headers = [(b"riparian-generation", str(found[0].number).encode())]
    return Reply(body=data, content_type=_FILE, headers=headers)


async def upload(serving: Serving, request: Request) -> Reply:
    """Replace the model by that of a file, as a new generation. Loading runs no code."""
    if request.content_type not in ("application/octet-stream", ""):
        raise Problem(415, "content_type", "send application/octet-stream")
    try:
        model = await asyncio.to_thread(from_bytes, request.body)
    except (ModelFileError, ValueError, MemoryError) as error:
        raise Problem(422, "bad_model", str(error)[:500]) from None
    _check_schema(serving.current.model, model)
    return await _replace(serving, model, "upload", "a model was uploaded")


def _check_schema(now: Any, new: Any) -> None:
    """Refuse a model that lacks a feature of the present one, or has it with another kind."""
    if not hasattr(new, "classes_"):
        raise Problem(422, "bad_schema", "the model has learned nothing")
    kinds = {f.name: (f.kind, f.time) for f in list(schema_of(new).features)}
    for feature in list(schema_of(now).features):
        if feature.name not in kinds:
            raise Problem(422, "bad_schema", "a feature is not there", column=feature.label)
        if kinds[feature.name] != (feature.kind, feature.time):
            raise Problem(422, "bad_schema", "a feature has another kind", column=feature.label)
    old, given = list(schema_of(now).classes), list(schema_of(new).classes)
    if old and isinstance(old[0], int) != isinstance(given[0], int):
        raise Problem(422, "bad_schema", "labels are texts in one model and numbers in the other")


async def _replace(
    serving: Serving, model: Any, reason: str, text: str, since: Generation | None = None
) -> Reply:
    learner = serving.learner
    if learner is None:
        raise Problem(409, "read_only", "this server does not write its model")
    rows = int(model.n_seen_)  # it may have learned more when the reply is made
    try:
        asked = learner.replace_model(model, reason, text, since=since)
        number = await asyncio.wrap_future(asked)
    except CannotGoBackError as error:
        raise Problem(409, "no_replay", str(error)) from None
    except OSError as error:
        raise Problem(503, "not_written", str(error), retry_after=5) from None
    return json_reply({"generation": number, "rows": rows})


def _folder(serving: Serving) -> Path:
    if serving.folder is None:
        raise Problem(409, "no_folder", "this server has no checkpoint; serve a folder")
    return serving.folder


def _read(folder: Path) -> list[Generation]:
    path = (folder / "state.db").absolute()
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=10.0)) as db:
        return read_generations(db)
