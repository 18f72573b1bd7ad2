"""``riparian datasets`` and ``riparian reproduce``."""

from __future__ import annotations

from typing import Annotated

import typer

from riparian.cli.messages import Json, Quiet, print_json
from riparian.cli.signals import begin_work

__all__ = ["datasets", "reproduce"]


def datasets(json: Json = False) -> None:
    """List the data sets of the papers and where their files are.

    ``riparian run dataset:NAME`` reads a data set, and downloads it first if it is not on this
    machine. Set the environment variable RIPARIAN_DATA to a folder of data sets.
    """
    from riparian.show.summary import console
    from riparian_experiments.datasets import listing
    from riparian_experiments.listing import print_datasets

    if json:
        print_json(listing())
    else:
        print_datasets(console(), listing())


def reproduce(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="An experiment, 'all', or 'list' to list them.")
    ] = "list",
    quick: Annotated[
        bool, typer.Option("--quick", help="Small sizes: about a minute each.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="The sizes of the papers; some take days.")
    ] = False,
    out: Annotated[
        str, typer.Option(metavar="FOLDER", help="Folder for the pages.")
    ] = "reproduction",
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 0,
    n_jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Number of processes.  [default: one per processor]"),
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Change a parameter of the size, such as trees=100. May be repeated.",
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Run an experiment of a paper and compare the results with the published ones.

    Without --quick or --full an experiment takes a few minutes. --set changes single parameters of
    the chosen size; the settings on each page name them. Data sets are read from
    RIPARIAN_DATA or the cache. A data set that is not there is replaced by generated data, and the
    page says so.
    """
    if quick and full:
        raise typer.BadParameter("cannot be given with --quick", param_hint="--full")
    from riparian.show.summary import console
    from riparian_experiments.reproduce import EXPERIMENTS
    from riparian_experiments.reproduce import reproduce as rerun

    if name == "list":
        width = max(map(len, EXPERIMENTS))
        for experiment in EXPERIMENTS.values():
            print(f"{experiment.name:<{width}}  {experiment.title}")
        return
    changes = {}
    for text in change or []:
        parameter, equals, value = text.partition("=")
        if not equals:
            raise typer.BadParameter(f"must be NAME=VALUE, got {text!r}", param_hint="--set")
        changes[parameter] = value
    size = "quick" if quick else "full" if full else "reduced"
    names = list(EXPERIMENTS) if name == "all" else [name]
    begin_work()
    found = rerun(
        names,
        out=out,
        size=size,
        seed=seed,
        n_jobs=n_jobs,
        progress=not quiet,
        changes=changes,
    )
    show = console()
    for outcome in found:
        show.print(f"{outcome.title} ({outcome.seconds:,.0f} s)", style="bold")
        for claim in outcome.claims:
            show.print(f"  {claim}")
    show.print(f"pages: {out}/index.html")
