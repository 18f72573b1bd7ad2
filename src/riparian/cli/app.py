"""The command line: ``riparian run``, ``predict``, ``show``, ``compare`` and the other commands.

Each command is a thin function over the library in a file of its own. A command imports what it
needs when it runs, so that ``riparian --help`` stays fast.
"""

from __future__ import annotations

from typing import Annotated

import typer

from riparian.cli.checkpoints import checkpoints
from riparian.cli.compare import compare
from riparian.cli.experiments import add_experiments
from riparian.cli.export import export
from riparian.cli.generate import generate
from riparian.cli.lab import lab
from riparian.cli.learn import learn
from riparian.cli.messages import report_errors
from riparian.cli.models import models
from riparian.cli.predict import predict
from riparian.cli.replay import replay
from riparian.cli.run import run
from riparian.cli.serve import serve
from riparian.cli.show import show
from riparian.cli.token import token

__all__ = ["app"]

app = typer.Typer(
    name="riparian",
    help="Learn decision trees and forests from data streams.",
    epilog="Example: riparian run data.csv --target class --report report.html",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from riparian import __version__

        print(f"riparian {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """Read the options that come before a command."""


_COMMANDS = (
    *(run, learn, serve, replay, checkpoints, predict, show, export),
    *(lab, models, compare, generate),
)
for _command in _COMMANDS:
    app.command()(report_errors(_command))
app.add_typer(token, name="token")
add_experiments(app)
