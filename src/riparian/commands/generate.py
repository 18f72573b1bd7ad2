"""``riparian generate``: a generated stream or a real data set as a file."""

from __future__ import annotations

from typing import Annotated

import typer

from riparian.commands.stopping import begin_work

__all__ = ["generate"]


def generate(
    stream: Annotated[
        str,
        typer.Argument(
            metavar="STREAM",
            help="synth:NAME, such as 'synth:sea?concept=2&seed=1', or dataset:NAME.",
        ),
    ],
    out: Annotated[
        str,
        typer.Option(metavar="FILE", help="A .csv or .parquet file; - for CSV on standard output."),
    ],
    rows: Annotated[
        int | None, typer.Option(min=1, help="Rows to write; needed if the stream has no end.")
    ] = None,
) -> None:
    """Write a stream to a file; the class is the column 'target'."""
    from riparian.named import open_named
    from riparian.outputs import check_output
    from riparian.streams.written import write_stream

    if out != "-":
        check_output("--out", out)
    begin_work()
    found = open_named(stream)
    if rows is None and found.n_rows is None:
        raise typer.BadParameter(f"is needed: {stream} has no end", param_hint="--rows")
    write_stream(found, out, rows=rows)
