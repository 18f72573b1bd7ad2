"""The options by which commands read data and models."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = [
    "Block",
    "Categorical",
    "Data",
    "Delimiter",
    "Drop",
    "Encoding",
    "Format",
    "ModelFile",
    "SkipBadRows",
    "Uncertain",
    "character",
    "names",
]

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A CSV, TSV, JSON-lines, ARFF, libsvm (each also .gz, .bz2 or .xz), Parquet or Arrow "
        "file; - for standard input.",
    ),
]
ModelFile = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model file of riparian run --model-out.")
]
Format = Annotated[
    str | None,
    typer.Option(
        help="csv, tsv, jsonl, arff, libsvm, parquet or arrow.  [default: by the file's ending]"
    ),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(metavar="NAMES", help="Columns read as text, comma-separated."),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="NAMES", help="Columns that are not read, comma-separated."),
]
Uncertain = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAMES",
        help="Features that stand in two columns, comma-separated: x for x.lo and x.hi, or x.mean "
        "and x.sd. Structs in Parquet and Arrow files need no naming.",
    ),
]
Delimiter = Annotated[str | None, typer.Option(help="What separates the columns of a CSV file.")]
Encoding = Annotated[str, typer.Option(help="Encoding of a CSV, TSV or ARFF file.")]
SkipBadRows = Annotated[
    bool,
    typer.Option("--skip-bad-rows", help="Leave out and count rows that cannot be read."),
]
Block = Annotated[int, typer.Option(min=1, help="Rows that are read at once.")]


def names(texts: list[str] | None) -> list[str]:
    """Take apart comma-separated names, given once or several times."""
    return [name.strip() for text in texts or () for name in text.split(",") if name.strip()]


def character(text: str | None) -> str | None:
    r"""Take ``\t`` for a tab, which is hard to type in a shell."""
    return "\t" if text in ("\\t", "tab") else text
