"""``riparian learn``: learn from a source for ever, exactly once across crashes and restarts."""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import typer

from riparian.cli.chosen_model import given_model
from riparian.cli.cluster_options import RayAddress, Shards, Workers, team_of
from riparian.cli.data_options import Block, Categorical, ColumnNames, Drop, NoHeader, split_names
from riparian.cli.learn_job import client_options, job_of, source_at, start_of, stored_job
from riparian.cli.learn_options import (
    Assignments,
    CheckpointFolder,
    ClientOption,
    DeadLetters,
    Decode,
    Dedupe,
    Else,
    Envelope,
    Every,
    FixedSchema,
    Flatten,
    Follow,
    Grace,
    IdleLine,
    Journal,
    Keep,
    Key,
    LabelColumn,
    LabelSource,
    Log,
    MaxBad,
    MaxPending,
    MessageFormat,
    MetricsAddress,
    ModelIn,
    OnBad,
    OnGap,
    OptionsFile,
    Recipe,
    Registry,
    Resume,
    Rows,
    Sample,
    Schema,
    ServeAddress,
    SourceAddress,
    StartAt,
    Target,
    TimeColumn,
    UntilEnd,
    Wait,
)
from riparian.cli.messages import Json, Quiet, Splits, errors_as
from riparian.cli.model_options import parse_parameters, with_options
from riparian.cli.serve_options import Insecure, ModelName, Tokens

__all__ = ["learn"]


@with_options
def learn(
    source: SourceAddress = None,
    target: Target = None,
    checkpoint: CheckpointFolder = None,
    resume: Resume = None,
    every: Every = "30s",
    keep: Keep = "2",
    start: StartAt = "beginning",
    follow: Follow = False,
    until_end: UntilEnd = False,
    idle_line: IdleLine = None,
    journal: Journal = None,
    format: MessageFormat = None,
    categorical: Categorical = None,
    drop: Drop = None,
    columns: ColumnNames = None,
    no_header: NoHeader = False,
    fixed_schema: FixedSchema = False,
    envelope: Envelope = "plain",
    flatten: Flatten = False,
    decode: Decode = None,
    registry: Registry = None,
    schema: Schema = None,
    sample: Sample = 1000,
    labels: LabelSource = None,
    key: Key = None,
    label: LabelColumn = None,
    wait: Wait = None,
    otherwise: Else = None,
    dedupe: Dedupe = None,
    max_pending: MaxPending = 1_000_000,
    time: TimeColumn = None,
    on_gap: OnGap = "error",
    on_bad: OnBad = "skip",
    max_bad: MaxBad = 0.1,
    dead_letters: DeadLetters = None,
    rows: Rows = None,
    block: Block = 10_000,
    option: ClientOption = None,
    options_file: OptionsFile = None,
    grace: Grace = "30s",
    metrics: MetricsAddress = None,
    serve: ServeAddress = None,
    name: ModelName = "model",
    tokens: Tokens = None,
    insecure: Insecure = False,
    log: Log = "text",
    quiet: Quiet = False,
    json: Json = False,
    splits: Splits = 5,
    workers: Workers = None,
    ray: RayAddress = None,
    shards: Shards = None,
    model_in: ModelIn = None,
    recipe: Recipe = None,
    assignments: Assignments = None,
    **given: Any,
) -> None:
    """Learn from a source, exactly once, and survive kill -9.

    Each row is predicted before it is learned. SIGTERM and SIGINT (Ctrl-C) finish the chunk, write
    a checkpoint and end with status 0; a second SIGINT ends at once, which is safe. The status is
    1 for a failure, 2 for wrong usage, 3 if messages were lost, 4 if another learner writes to the
    checkpoint. docs/learning.md explains all of it.
    """
    from riparian.cli.learn_run import Running, run_learner
    from riparian.cli.logs import LOGS, log_of
    from riparian.errors import one_of
    from riparian.sources.dead_letters import open_sink
    from riparian.sources.durations import duration, interval
    from riparian.sources.events import Event
    from riparian.sources.metrics_server import listening_address
    from riparian.sources.process import prepare_process
    from riparian.sources.retention import Retention
    from riparian.sources.settings import Settings

    prepare_process(serves=serve is not None)
    as_text = target is not None and target in split_names(categorical)
    parameters = parse_parameters(given, labels_as_text=as_text)
    folder = checkpoint or resume
    if folder is None or (checkpoint is not None and resume is not None):
        raise typer.BadParameter("give either --checkpoint or --resume", param_hint="--checkpoint")
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
        Retention.parse(keep)
        begin = start_of(start)
        idle = None if idle_line is None else str(duration(idle_line))
        report = log_of(one_of("--log", log, LOGS))
        if metrics is not None:
            listening_address(metrics)
        live = not quiet and log == "text"
        options = None
        if serve is not None and (workers is not None or ray is not None):
            raise ValueError("--serve cannot be combined with --workers or --ray")
        if serve is None and (tokens is not None or insecure or name != "model"):
            raise ValueError("--name, --tokens and --insecure need --serve")
        if serve is not None:
            from riparian.serve.options import ServeOptions

            options = ServeOptions(serve, name, tokens, insecure)
        running = Running(
            *(report, metrics, duration(grace)),
            as_json=json,
            n_splits=splits,
            live=live,
            serve=options,
        )
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    client, login = client_options(option or [], options_file)
    how: dict[str, Any] = {
        "follow": True if follow else (False if until_end else None),
        "idle-line": idle,
        "journal": None if journal is None else os.path.abspath(journal),
        "header": "no" if no_header else None,
        "format": format,
    }
    with errors_as(lambda text: report(Event("error", text, "error"))):
        job = None
        if resume is not None:
            if not os.path.exists(os.path.join(resume, "state.db")):
                raise typer.BadParameter(f"{resume} holds no checkpoint", param_hint="--resume")
            own = (source, target, recipe, model_in)
            if any(value is not None for value in own) or parameters:
                raise typer.BadParameter(
                    "the checkpoint has its own source, target and model; leave them out",
                    param_hint="--resume",
                )
            kept = {
                "--follow": follow,
                "--until-end": until_end,
                "--start": start != "beginning",
                "--idle-line": idle_line,
                "--journal": journal,
                "--format": format,
                "--categorical": categorical,
                "--drop": drop,
                "--columns": columns,
                "--no-header": no_header,
                "--fixed-schema": fixed_schema,
                "--schema": schema,
                "--envelope": envelope != "plain",
                "--flatten": flatten,
                "--registry": registry,
                "--labels": labels,
                "--key": key,
                "--label": label,
                "--wait": wait,
                "--else": otherwise,
                "--dedupe": dedupe,
                "--time": time,
            }
            if ignored := [name for name, value in kept.items() if value]:
                raise typer.BadParameter(
                    f"the checkpoint reads its source as it did before; leave {ignored[0]} out",
                    param_hint="--resume",
                )
        else:
            if source is None:
                raise typer.BadParameter("name where the rows come from", param_hint="SOURCE")
            model = given_model(model_in, recipe, parameters, assignments, labels_as_text=as_text)
            job = job_of(
                *(model, source_at(source, how, client), target, how),
                categorical=split_names(categorical),
                drop=split_names(drop),
                columns=split_names(columns) or None,
                fixed_schema=fixed_schema,
                envelope=envelope,
                flatten=flatten,
                decode=decode,
                registry=registry,
                registry_options=login,
                schema=schema,
                start=begin,
                sample=sample,
                with_target=labels is None,
            )
            if labels is not None:
                from riparian.sources.learn import join_settings, with_labels

                join = join_settings(key, label, wait, otherwise, dedupe, max_pending, time)
                job = with_labels(job, source_at(labels, {**how, "format": None}, client), join)
        sink = None if dead_letters is None else open_sink(dead_letters, client)
        find_job = partial(stored_job, client=client, login=login, decode=decode)
        with team_of(workers, ray, shards) as team:
            run_learner(job or find_job, folder, keep, settings, running, sink, team)
