"""``riparian datasets`` and ``riparian reproduce``, which need the package of the experiments."""

from __future__ import annotations

import typer

from riparian.cli.messages import report_errors
from riparian.errors import NO_EXPERIMENTS

__all__ = ["add_experiments"]


def add_experiments(app: typer.Typer) -> None:
    """Add the commands of the experiments, or commands that explain how to install them."""
    try:
        from riparian_experiments.commands import datasets, reproduce
    except ModuleNotFoundError:
        anything = {"ignore_unknown_options": True, "allow_extra_args": True}
        app.command("datasets", context_settings=anything)(report_errors(_no_datasets))
        app.command("reproduce", context_settings=anything)(report_errors(_no_experiments))
    else:
        app.command()(report_errors(datasets))
        app.command()(report_errors(reproduce))


def _no_datasets(context: typer.Context) -> None:
    """List the data sets of the papers (needs riparian-experiments)."""
    raise ValueError(NO_EXPERIMENTS)


def _no_experiments(context: typer.Context) -> None:
    """Run an experiment of a paper again (needs riparian-experiments)."""
    raise ValueError(NO_EXPERIMENTS)
