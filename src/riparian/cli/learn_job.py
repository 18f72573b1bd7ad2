"""The job of ``riparian learn``: what its options say is learned from what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from riparian.sources.checkpoint import Checkpoint
    from riparian.sources.job import Job
    from riparian.sources.source import Source

__all__ = ["client_options", "job_of", "source_at", "start_of", "stored_job"]


def start_of(text: str) -> Any:
    """Return where to begin, as a source takes it."""
    from datetime import datetime

    if text in ("beginning", "end"):
        return text
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"--start must be beginning, end or a time, got {text!r}") from None
    return int(found.timestamp() * 1000)


def client_options(given: list[str], path: str | None) -> tuple[dict[str, str], dict[str, str]]:
    """Return the options of the source's client, from a file and as given, and the registry's."""
    import json

    found: dict[str, str] = {}
    if path is not None:
        with open(path, encoding="utf-8") as file:
            stored = json.load(file)
        if not isinstance(stored, dict):
            raise ValueError(f"{path} must hold a JSON object of options")
        found = {str(name): str(value) for name, value in stored.items()}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise typer.BadParameter(f"must be NAME=VALUE, got {name!r}", param_hint="--option")
        found[name] = value
    login = {name: value for name, value in found.items() if name.startswith("registry.")}
    client = {name: value for name, value in found.items() if name not in login}
    return client, {name.removeprefix("registry."): value for name, value in login.items()}


def source_at(address: str, how: Mapping[str, Any], client: Mapping[str, str]) -> Source:
    """Return the source at an address."""
    from riparian.sources.registry import is_path, open_source

    options = dict(client)
    if is_path(address):
        for name in ("idle-line", "journal", "header", "format"):
            if how.get(name) is not None:
                options[name] = how[name]
        if options.get("format") == "json":
            options["format"] = "jsonl"
    return open_source(address, options, follow=how["follow"])


def job_of(
    model: Any,
    source: Source,
    target: str | None,
    how: Mapping[str, Any],
    *,
    start: Any,
    sample: int,
    with_target: bool,
    **messages: Any,
) -> Job:
    """Return the job of a new checkpoint; `messages` are the options of its messages."""
    from riparian.sources.job import Job
    from riparian.sources.learn import messages_of

    found = messages_of(source, target, _message_format(how["format"]), **messages)
    if found.target is None and with_target:
        raise typer.BadParameter("is required: the column of the class", param_hint="--target")
    return Job(model, source, found, start, sample, dict(how))


def _message_format(asked: str | None) -> str | None:
    names = {"jsonl": "json", "parquet": "arrow"}
    return None if asked is None else names.get(asked, asked)


def stored_job(
    checkpoint: Checkpoint,
    client: Mapping[str, str],
    login: Mapping[str, str],
    decode: str | None,
) -> Job:
    """Return the job of a checkpoint; it runs no function that the user does not name."""
    from dataclasses import replace

    from riparian.sources.job import Job
    from riparian.sources.join import JoinSettings
    from riparian.sources.messages import Messages
    from riparian.storage.modelfile import unfitted

    stored = checkpoint.job
    if stored is None:
        raise ValueError(
            f"{checkpoint.folder} holds no job: its learner ended before the first row; give its "
            "whole command again"
        )
    how = stored["how"]
    model = unfitted(stored["recipe"], stored["parameters"])
    if stored["messages"].get("decode") != decode:
        raise ValueError(
            f"{checkpoint.folder} decodes its messages with {stored['messages'].get('decode')}: "
            "give --decode again as it was"
        )
    messages = replace(Messages.from_json(stored["messages"]), registry_options=login)
    source = source_at(stored["source"], how, client)
    dealt = {"shards": stored.get("shards"), "alone": stored.get("alone")}
    job = Job(model, source, messages, "beginning", 1000, how, **dealt)
    if "labels" in stored:
        job = replace(
            job,
            labels=source_at(stored["labels"], {**how, "format": None}, client),
            label_messages=replace(
                Messages.from_json(stored["label_messages"]), registry_options=login
            ),
            join=JoinSettings(**stored["join"]),
        )
    return job
