"""``riparian learn``: learn from a source for ever, exactly once across crashes and restarts."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riparian.cli.chosen_model import chosen_model
from riparian.cli.data_options import Block, Categorical, ColumnNames, Drop, NoHeader, split_names
from riparian.cli.messages import Json, Splits, print_json, print_message
from riparian.cli.model_options import parse_parameters, with_options

if TYPE_CHECKING:
    from riparian.sources.checkpoint import Checkpoint
    from riparian.sources.job import Job
    from riparian.sources.learner import Learner
    from riparian.sources.source import Source

__all__ = ["learn"]

#: Exit status after lost messages, and for a second learner on one checkpoint.
_GAP, _FENCED = 3, 4


@with_options
def learn(
    source: Annotated[
        str | None,
        typer.Argument(
            metavar="SOURCE",
            help="Where the rows come from: a file of JSON lines, CSV or TSV (also compressed), a "
            "Parquet or Arrow file, a folder or a pattern such as 'rows/*.jsonl', - for standard "
            "input, synth:NAME for a generator, or the address of a broker. Left out with "
            "--resume.",
        ),
    ] = None,
    target: Annotated[
        str | None, typer.Option(help="Column of the class. Generators need none.")
    ] = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Folder of the checkpoint, on a disk of this machine. If it holds one of the "
            "same job, learning goes on where it ended.",
        ),
    ] = None,
    resume: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Go on with the checkpoint in this folder: its source, its target, its model.",
        ),
    ] = None,
    every: Annotated[
        str,
        typer.Option(
            metavar="TIME|ROWS",
            help="Write a checkpoint this often: 30s, 5m, or a number of rows.",
        ),
    ] = "30s",
    keep: Annotated[int, typer.Option(min=2, help="Number of generations to keep.")] = 2,
    start: Annotated[
        str,
        typer.Option(
            metavar="beginning|end|TIME",
            help="Where to begin without a checkpoint. TIME is ISO 8601; files have no times.",
        ),
    ] = "beginning",
    follow: Annotated[
        bool, typer.Option("--follow", help="Wait for more at the end of a file or a folder.")
    ] = False,
    until_end: Annotated[
        bool, typer.Option("--until-end", help="End where a broker ends now, as files do.")
    ] = False,
    idle_line: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="With --follow: an unfinished line counts after the file did not grow for so "
            "long.",
        ),
    ] = None,
    journal: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="For standard input: keep the lines here until a checkpoint has them, so that a "
            "crash loses none.",
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            help="How a message is written: json, csv, tsv or arrow.  [default: by SOURCE]"
        ),
    ] = None,
    categorical: Categorical = None,
    drop: Drop = None,
    columns: ColumnNames = None,
    no_header: NoHeader = False,
    fixed_schema: Annotated[
        bool,
        typer.Option("--fixed-schema", help="Ignore columns that the first messages do not have."),
    ] = False,
    envelope: Annotated[
        str,
        typer.Option(
            metavar="plain|cloudevents|debezium", help="What is around the row of a JSON message."
        ),
    ] = "plain",
    flatten: Annotated[
        bool,
        typer.Option("--flatten", help='Turn {"a": {"b": 1}} into {"a.b": 1}, to depth 3.'),
    ] = False,
    sample: Annotated[
        int, typer.Option(min=1, help="Number of messages that decide the kinds of the columns.")
    ] = 1000,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="SOURCE",
            help="Where labels come from that are later than their rows. A row is predicted when "
            "it comes and learned when its label comes. Needs --key and --label in place of "
            "--target.",
        ),
    ] = None,
    key: Annotated[
        str | None, typer.Option(help="Column of rows and labels that names a row.")
    ] = None,
    label: Annotated[str | None, typer.Option(help="Column of the label in --labels.")] = None,
    wait: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="How much event time a row waits for its label: 10m, 7d."
        ),
    ] = None,
    otherwise: Annotated[
        str | None,
        typer.Option(
            "--else", metavar="LABEL", help="Label of a row that has waited so long; else dropped."
        ),
    ] = None,
    dedupe: Annotated[
        str | None,
        typer.Option(
            metavar="TIME", help="Leave out a second row with a key within so much event time."
        ),
    ] = None,
    max_pending: Annotated[
        int, typer.Option(min=1, help="Number of rows that may wait; the oldest expire first.")
    ] = 1_000_000,
    time: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Column of the event time, a date or seconds.  [default: the source's times]",
        ),
    ] = None,
    on_gap: Annotated[
        str, typer.Option(metavar="error|skip", help="What to do if messages were lost.")
    ] = "error",
    on_bad: Annotated[
        str,
        typer.Option(
            metavar="skip|stop",
            help="What to do with a message that cannot be learned: keep it as a dead letter, or "
            "stop.",
        ),
    ] = "skip",
    max_bad: Annotated[
        float,
        typer.Option(
            min=0.0,
            max=1.0,
            help="Stop if more than this share of the last 1,000 messages cannot be learned.",
        ),
    ] = 0.1,
    rows: Annotated[
        int | None, typer.Option(min=1, help="Stop with the chunk that reaches this many rows.")
    ] = None,
    block: Block = 10_000,
    option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE", help="Set an option of the source's client. Can be repeated."
        ),
    ] = None,
    options_file: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="JSON file with options of the source's client, such as passwords. They are "
            "written nowhere.",
        ),
    ] = None,
    json: Json = False,
    splits: Splits = 5,
    recipe: Annotated[
        str | None,
        typer.Option(
            help="Name of the model; 'riparian models' lists them. The options below are "
            "parameters of the model and have its own defaults.  [default: StreamTree]"
        ),
    ] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Set any parameter of the model: n_estimators=5, drift=DDM. Can be repeated.",
        ),
    ] = None,
    **given: Any,
) -> None:
    """Learn from a source, exactly once, and survive kill -9.

    Each row is predicted before it is learned. SIGTERM and SIGINT (Ctrl-C) finish the chunk, write
    a checkpoint and end with status 0; a second SIGINT ends at once, which is safe. The status is
    1 for a failure, 2 for wrong usage, 3 if messages were lost, 4 if another learner writes to the
    checkpoint. docs/learning.md explains all of it.
    """
    from riparian.errors import one_of
    from riparian.sources.durations import duration, interval
    from riparian.sources.learner import Settings

    as_text = target is not None and target in split_names(categorical)
    parameters = parse_parameters(given, labels_as_text=as_text)
    if (checkpoint is None) == (resume is None):
        raise typer.BadParameter("name one of --checkpoint and --resume", param_hint="--checkpoint")
    try:
        seconds, n_rows = interval(every)
        settings = Settings(
            seconds,
            n_rows,
            min(block, rows or block),
            rows,
            one_of("--on-gap", on_gap, ("error", "skip")),  # type: ignore[arg-type]
            one_of("--on-bad", on_bad, ("skip", "stop")),  # type: ignore[arg-type]
            max_bad,
        )
        begin = _start(start)
        idle = None if idle_line is None else str(duration(idle_line))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    client = _client_options(option or [], options_file)
    how: dict[str, Any] = {
        "follow": True if follow else (False if until_end else None),
        "idle-line": idle,
        "journal": None if journal is None else os.path.abspath(journal),
        "header": "no" if no_header else None,
        "format": format,
    }
    folder = checkpoint or resume
    assert folder is not None
    from riparian.sources.checkpoint import Checkpoint
    from riparian.sources.lock import FencedError

    if resume is not None and not os.path.exists(os.path.join(resume, "state.db")):
        raise typer.BadParameter(f"{resume} holds no checkpoint", param_hint="--resume")
    try:
        opened = Checkpoint(folder, keep=keep)
    except FencedError as error:
        print_message(str(error))
        raise typer.Exit(_FENCED) from None
    with opened:
        if resume is not None:
            if source is not None or target is not None or recipe is not None or parameters:
                raise typer.BadParameter(
                    "the checkpoint has its own source, target and model; leave them out",
                    param_hint="--resume",
                )
            job, how = _stored_job(opened, client)
        else:
            if source is None:
                raise typer.BadParameter("name where the rows come from", param_hint="SOURCE")
            model = chosen_model(
                recipe or "StreamTree", parameters, assignments or [], labels_as_text=as_text
            )
            job = _job(
                *(model, _source(source, how, client), target, how),
                categorical=split_names(categorical),
                drop=split_names(drop),
                columns=split_names(columns) or None,
                fixed_schema=fixed_schema,
                envelope=envelope,
                flatten=flatten,
                start=begin,
                sample=sample,
                with_target=labels is None,
            )
            if labels is not None:
                from riparian.sources.learn import join_settings, with_labels

                join = join_settings(key, label, wait, otherwise, dedupe, max_pending, time)
                job = with_labels(job, _source(labels, {**how, "format": None}, client), join)
        _run(job, opened, settings, how, as_json=json, n_splits=splits)


def _start(text: str) -> Any:
    from datetime import datetime

    if text in ("beginning", "end"):
        return text
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"--start must be beginning, end or a time, got {text!r}") from None
    return int(found.timestamp() * 1000)


def _client_options(given: list[str], path: str | None) -> dict[str, str]:
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
    return found


def _source(address: str, how: Mapping[str, Any], client: Mapping[str, str]) -> Source:
    from riparian.sources.registry import is_path, open_source

    options = dict(client)
    if is_path(address):
        for name in ("idle-line", "journal", "header", "format"):
            if how.get(name) is not None:
                options[name] = how[name]
        if options.get("format") == "json":
            options["format"] = "jsonl"
    return open_source(address, options, follow=how["follow"])


def _job(
    model: Any,
    source: Source,
    target: str | None,
    how: Mapping[str, Any],
    *,
    categorical: list[str],
    drop: list[str],
    columns: list[str] | None,
    fixed_schema: bool,
    envelope: str,
    flatten: bool,
    start: Any,
    sample: int,
    with_target: bool,
) -> Job:
    from riparian.sources.job import Job
    from riparian.sources.learn import message_format
    from riparian.sources.messages import Messages

    if target is None and source.name.startswith("synth:"):
        target = "class"
    if target is None and with_target:
        raise typer.BadParameter("is required: the column of the class", param_hint="--target")
    messages = Messages(
        target,
        _message_format(how["format"]) or message_format(source),
        tuple(categorical),
        tuple(drop),
        None if columns is None else tuple(columns),
        fixed_schema,
        envelope=envelope,
        flatten=flatten,
    )
    return Job(model, source, messages, start, sample, dict(how))


def _message_format(asked: str | None) -> str | None:
    names = {"jsonl": "json", "parquet": "arrow"}
    return None if asked is None else names.get(asked, asked)


def _stored_job(checkpoint: Checkpoint, client: Mapping[str, str]) -> tuple[Job, dict[str, Any]]:
    """Return the job of a checkpoint."""
    from dataclasses import replace

    from riparian.sources.job import Job
    from riparian.sources.join import JoinSettings
    from riparian.sources.messages import Messages
    from riparian.storage.modelfile import unfitted

    stored = checkpoint.job
    if stored is None:
        raise ValueError(
            f"{checkpoint.folder} holds no job: its learner ended before the first row"
        )
    how = stored["how"]
    model = unfitted(stored["recipe"], stored["parameters"])
    messages = Messages.from_json(stored["messages"])
    source = _source(stored["source"], how, client)
    job = Job(model, source, messages, "beginning", 1000, how)
    if "labels" in stored:
        job = replace(
            job,
            labels=_source(stored["labels"], {**how, "format": None}, client),
            label_messages=Messages.from_json(stored["label_messages"]),
            join=JoinSettings(**stored["join"]),
        )
    return job, how


def _run(
    job: Job,
    checkpoint: Checkpoint,
    settings: Any,
    how: Mapping[str, Any],
    *,
    as_json: bool,
    n_splits: int,
) -> None:
    import sqlite3

    from riparian.sources.job import open_learner
    from riparian.sources.learner import BadMessagesError
    from riparian.sources.lock import FencedError
    from riparian.sources.source import GapError, IdentityError

    if not job.source.replayable:
        print_message(
            f"{job.source.name} cannot be read again: a crash loses what the last checkpoint does "
            "not have; use --journal"
        )
    learner = open_learner(job, checkpoint, settings, print_message)
    try:
        with _stopped_by_signals(learner):
            learner.run()
    except GapError as error:
        print_message(f"messages are lost: {error}; --on-gap skip goes on behind them")
        raise typer.Exit(_GAP) from None
    except FencedError as error:
        print_message(str(error))
        raise typer.Exit(_FENCED) from None
    except (BadMessagesError, IdentityError, LookupError, sqlite3.Error) as error:
        print_message(str(error))
        raise typer.Exit(1) from None
    _print_report(job, learner, checkpoint, as_json=as_json, n_splits=n_splits)


@contextlib.contextmanager
def _stopped_by_signals(learner: Learner) -> Iterator[None]:
    """Let SIGTERM and SIGINT end the learner; a second SIGINT ends the program."""
    asked: list[int] = []

    def handle(number: int, frame: Any) -> None:
        asked.append(number)
        if asked.count(signal.SIGINT) > 1:
            os._exit(128 + signal.SIGINT)
        learner.stop()

    before = {
        number: signal.signal(number, handle)
        for number in (signal.SIGINT, signal.SIGTERM)
        if signal.getsignal(number) != signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _print_report(
    job: Job, learner: Learner, checkpoint: Checkpoint, *, as_json: bool, n_splits: int
) -> None:
    counters = learner.status.counters
    print_message(
        f"generation {checkpoint.generations()[0].number} in {checkpoint.folder}: "
        + ", ".join(f"{n:,} {name}" for name, n in counters.items() if n)
    )
    if not learner.result.n:
        return
    if as_json:
        from riparian.show.as_json import run_dict

        found = run_dict(
            *(job.source.name, learner.model, learner.result), n_splits=n_splits, interrupted=False
        )
        print_json({**found, "counters": counters})
    elif sys.stdout.isatty():
        from riparian.show.summary import console, print_run

        print_run(
            *(console(), job.source.name, learner.model, learner.result),
            n_splits=n_splits,
            interrupted=False,
        )
