"""``riparian reproduce``: the papers' experiments by one command."""

from __future__ import annotations

from typing import Annotated

import typer

from riparian.commands.stopping import begin_work

__all__ = ["reproduce"]


def reproduce(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="An experiment, 'all', or 'list' to see them.")
    ] = "list",
    quick: Annotated[bool, typer.Option("--quick", help="About a minute each.")] = False,
    full: Annotated[
        bool, typer.Option("--full", help="The papers' own sizes; some take days.")
    ] = False,
    out: Annotated[
        str, typer.Option(metavar="FOLDER", help="Where the pages go.")
    ] = "reproduction",
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same figures.")] = 0,
    n_jobs: Annotated[
        int | None, typer.Option(min=1, help="Processes.  [default: one a processor]")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Rerun an experiment of a paper, with published and measured figures side by side.

    Without --quick or --full it takes some minutes. Real data sets are used where they are found
    (RIPARIAN_DATA or the cache); generated data stands in for the others and the page says so.
    """
    if quick and full:
        raise typer.BadParameter("cannot be given with --quick", param_hint="--full")
    from riparian.reproduce import EXPERIMENTS
    from riparian.reproduce import reproduce as rerun
    from riparian.summary import console

    if name == "list":
        width = max(map(len, EXPERIMENTS))
        for experiment in EXPERIMENTS.values():
            print(f"{experiment.name:<{width}}  {experiment.title}")
        return
    size = "quick" if quick else "full" if full else "reduced"
    names = list(EXPERIMENTS) if name == "all" else [name]
    begin_work()
    found = rerun(names, out=out, size=size, seed=seed, n_jobs=n_jobs, progress=not quiet)
    show = console()
    for outcome in found:
        show.print(f"{outcome.title} ({outcome.seconds:,.0f} s)", style="bold")
        for claim in outcome.claims:
            show.print(f"  {claim}")
    show.print(f"pages: {out}/index.html")
