"""``riparian generate``: write a generated stream or a data set to a file."""

from __future__ import annotations

from typing import Annotated

import typer

from riparian.cli.signals import begin_work

__all__ = ["generate"]


def generate(
    stream: Annotated[
        str,
        typer.Argument(
            metavar="STREAM",
            help="A built-in generator, such as 'synth:sea?concept=2&seed=1', or dataset:NAME.",
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="Output file: .csv, .tsv, .jsonl, .parquet or .arrow; - for CSV on standard "
            "output.",
        ),
    ],
    rows: Annotated[
        int | None,
        typer.Option(min=1, help="Number of rows to write. Required if the stream is endless."),
    ] = None,
) -> None:
    """Write a stream to a file. The class is in the column 'target'."""
    from riparian.storage.outputs import check_output
    from riparian.streams.names import open_named
    from riparian.streams.write import write_stream

    if out != "-":
        check_output("--out", out)
    begin_work()
    found = open_named(stream)
    if rows is None and found.n_rows is None:
        raise typer.BadParameter(f"is required: {stream} is endless", param_hint="--rows")
    write_stream(found, out, rows=rows)
