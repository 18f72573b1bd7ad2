"""``riparian serve``: predictions over HTTP, with a page to watch the model."""

from __future__ import annotations

import os
from typing import Annotated

import typer

__all__ = ["serve"]

Model = Annotated[
    str,
    typer.Argument(
        metavar="DIR|MODEL.rip",
        help="A model file, or the folder of a checkpoint.",
    ),
]


def serve(
    model: Model,
    address: Annotated[
        str,
        typer.Option(metavar="HOST:PORT", help="Where to listen. A port alone is local."),
    ] = "127.0.0.1:8080",
    name: Annotated[str, typer.Option(metavar="NAME", help="The name of the model.")] = "model",
    follow: Annotated[
        bool,
        typer.Option("--follow", help="Only answer, with each new generation that another writes."),
    ] = False,
    log: Annotated[
        str,
        typer.Option(metavar="text|json", help="How events are written to standard error."),
    ] = "text",
) -> None:
    """Serve a model over HTTP: predictions, metrics, and a page that shows how it decides."""
    from riparian.cli.logs import LOGS, log_of
    from riparian.cli.serve_run import serve_file, serve_folder
    from riparian.errors import one_of
    from riparian.serve.options import ServeOptions
    from riparian.sources.process import prepare_process

    prepare_process()
    report = log_of(one_of("--log", log, LOGS))
    options = ServeOptions(address, name)
    if os.path.isdir(model):
        serve_folder(model, options, report)
    else:
        serve_file(model, options, report)
