"""``riparian serve``: predictions over HTTP, while the model learns what is posted."""

from __future__ import annotations

import os
from functools import partial
from typing import Annotated, Any

import typer

from riparian.cli.chosen_model import chosen_model
from riparian.cli.data_options import Block, Categorical, Drop, split_names
from riparian.cli.learn_options import (
    Assignments,
    Else,
    Every,
    FixedSchema,
    Grace,
    Keep,
    Log,
    MaxPending,
    Recipe,
    Schema,
    Wait,
)
from riparian.cli.model_options import parse_parameters, with_options
from riparian.cli.serve_options import (
    Address,
    FollowFolder,
    Insecure,
    ModelName,
    Remember,
    TlsCert,
    TlsKey,
    Tokens,
)

__all__ = ["serve"]

Model = Annotated[
    str,
    typer.Argument(
        metavar="DIR|MODEL.rip",
        help="A folder, which is made if it is not there: the server learns what is posted. Or a "
        "model file: the server only predicts.",
    ),
]


@with_options
def serve(
    model: Model,
    address: Address = "127.0.0.1:8080",
    name: ModelName = "model",
    follow: FollowFolder = False,
    tokens: Tokens = None,
    insecure: Insecure = False,
    tls_cert: TlsCert = None,
    tls_key: TlsKey = None,
    remember: Remember = "durable",
    wait: Wait = None,
    otherwise: Else = None,
    max_pending: MaxPending = 1_000_000,
    every: Every = "30s",
    keep: Keep = "2",
    schema: Schema = None,
    categorical: Categorical = None,
    drop: Drop = None,
    fixed_schema: FixedSchema = False,
    block: Block = 10_000,
    grace: Grace = "30s",
    log: Log = "text",
    recipe: Recipe = None,
    assignments: Assignments = None,
    **given: Any,
) -> None:
    """Serve a model over HTTP: predictions, learning, late labels, metrics and a page.

    With a folder the server learns what is posted, exactly once, and goes on where it ended.
    Options about the model and its rows are for a new folder. docs/serving.md explains all of it.
    """
    from riparian.cli.learn_run import Running, run_learner
    from riparian.cli.logs import LOGS, log_of
    from riparian.cli.serve_run import serve_file, serve_folder
    from riparian.errors import one_of
    from riparian.serve.options import ServeOptions
    from riparian.serve.posted_job import posted_job
    from riparian.sources.durations import duration, interval
    from riparian.sources.learn import declared_fields, join_settings
    from riparian.sources.messages import Messages
    from riparian.sources.process import prepare_process
    from riparian.sources.retention import Retention
    from riparian.sources.settings import Settings

    prepare_process(learns=not (follow or os.path.isfile(model)), serves=True)
    parameters = parse_parameters(given, labels_as_text=False)
    try:
        report = log_of(one_of("--log", log, LOGS))
        options = ServeOptions(
            *(address, name, tokens, insecure, tls_cert, tls_key),
            remember=one_of("--remember", remember, ("durable", "fast")),
        )
        join = join_settings("id", "label", wait, otherwise, None, max_pending, None)
        Retention.parse(keep)
        seconds, n_rows = interval(every)
        settings = Settings(seconds, n_rows, block)
        running = Running(
            *(report, None, duration(grace)),
            as_json=False,
            n_splits=0,
            live=False,
            serve=options,
        )
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    if follow:
        serve_folder(model, options, report)
        return
    if os.path.isfile(model):
        serve_file(model, options, report)
        return
    chosen = None
    if recipe is not None or parameters or assignments:
        chosen = chosen_model(
            recipe or "StreamTree", parameters, assignments or [], labels_as_text=False
        )
    messages = Messages(
        None,
        categorical=tuple(split_names(categorical)),
        drop=tuple(split_names(drop)),
        fixed_schema=fixed_schema,
        **declared_fields(schema),
    )
    job = partial(posted_job, model=chosen, messages=messages, join=join, limits=options.limits)
    run_learner(job, model, keep, settings, running, None)
