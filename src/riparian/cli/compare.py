"""``riparian compare``: models on streams over several seeds, with ranks and plots."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from riparian.cli.messages import Quiet, print_json
from riparian.cli.signals import begin_work

__all__ = ["DEFAULT_STREAMS", "compare"]


def compare(
    model: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A model, with parameters in brackets: VFDT, 'VFDT(leaf=adaptive, tau=0.1)', "
            "'OnlineBagging(estimator=HAT, n_estimators=5)'. 'riparian models' lists them. Can be "
            "repeated.  [default: VFDT and VFDT(leaf=adaptive)]",
        ),
    ] = None,
    stream: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A generator, such as 'synth:sea?concept=2', a data set, such as dataset:elec2, "
            "or a file. Can be repeated.  [default: six generators]",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The column of the class, for files."),
    ] = None,
    shuffle: Annotated[
        bool,
        typer.Option(
            "--shuffle",
            help="Shuffle files and data sets with the seed. By default they keep their order, "
            "except for data sets that are grouped by class.",
        ),
    ] = False,
    seeds: Annotated[
        int, typer.Option(min=1, help="Number of runs per pair, with seeds 0, 1, ...")
    ] = 3,
    rows: Annotated[int, typer.Option(min=1, help="Number of rows per run.")] = 100_000,
    metric: Annotated[str, typer.Option(help="Metric of the table and of the ranks.")] = "accuracy",
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="File of finished runs, one JSON line each. Runs that are in it are not repeated.",
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Plot the critical-difference diagram: PNG, SVG or PDF."),
    ] = None,
    plot_sizes: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Plot accuracy against leaves for the first stream."),
    ] = None,
    n_jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Number of processes.  [default: one per processor]"),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print all runs as JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    """Compare models on streams: each pair over several seeds, in parallel."""
    from riparian import evaluate
    from riparian.cli.parse_models import parse_model
    from riparian.errors import one_of
    from riparian.evaluate.runs import FIGURES, SIZES
    from riparian.show.pictures import check_picture, save_figure
    from riparian.storage.outputs import check_output

    one_of("metric", metric, (*FIGURES, *SIZES))
    for option, path in (("--plot", plot), ("--plot-sizes", plot_sizes)):
        if path is not None:
            check_output(option, path)
            check_picture(option, path)
    models = {text: parse_model(text) for text in model or ("VFDT", "VFDT(leaf=adaptive)")}
    begin_work()
    found = evaluate.compare(
        models,
        stream or DEFAULT_STREAMS,
        target=target,
        shuffle=shuffle,
        seeds=range(seeds),
        rows=rows,
        out=out,
        n_jobs=n_jobs,
        progress=False if quiet else None,
    )
    if plot is not None:
        save_figure(lambda: found.plot_ranks(metric), plot)
    if plot_sizes is not None:
        save_figure(found.plot_sizes, plot_sizes)
    if json:
        print_json({"runs": _runs(found), "orders": found.orders})
    else:
        _print_table(found, metric)


DEFAULT_STREAMS = [
    "synth:random_rbf",
    "synth:random_tree",
    "synth:sea",
    "synth:led",
    "synth:agrawal",
    "synth:hyperplane",
]


def _runs(found: Any) -> list[dict[str, Any]]:
    """Return the runs as JSON values: NaN becomes null."""
    import math

    table = found.table()
    runs = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    for run in runs:
        for name, value in run.items():
            if isinstance(value, float) and math.isnan(value):
                run[name] = None
    return runs


def _print_table(found: Any, metric: str) -> None:
    import numpy as np
    from rich.table import Table
    from rich.text import Text

    from riparian.show.summary import console

    scores = found.scores(metric)
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column(metric.replace("_", " "))
    for name in found.models:
        table.add_column(Text(name), justify="right")
    for stream, row, best in zip(found.streams, scores, found.best(metric), strict=True):
        cells = [
            Text(f"{v:.4f}", style="bold" if b else "") for v, b in zip(row, best, strict=True)
        ]
        table.add_row(Text(stream), *cells)
    out = console()
    if np.isfinite(scores).all():
        ranks = found.ranks(metric)
        table.add_row(Text("mean rank"), *(f"{rank:.2f}" for rank in ranks.mean.tolist()))
        out.print(table)
        if np.isfinite(ranks.p):
            out.print(f"Friedman's test: chi-square {ranks.statistic:.2f}, p = {ranks.p:.3g}")
        if np.isfinite(ranks.critical_difference):
            out.print(
                f"mean ranks that differ by more than {ranks.critical_difference:.2f} are "
                f"significantly different (alpha = {ranks.alpha:g})"
            )
    else:
        out.print(table)
    for name, order in found.orders.items():
        out.print(Text(f"{name}: {order}"))
