"""The options of commands that read data files and model files."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = [
    "Block",
    "Categorical",
    "ColumnNames",
    "Data",
    "Delimiter",
    "Drop",
    "Encoding",
    "Format",
    "ModelFile",
    "NoHeader",
    "SkipBadRows",
    "Uncertain",
    "parse_delimiter",
    "split_names",
]

Data = Annotated[
    list[str],
    typer.Argument(
        metavar="DATA...",
        help="CSV, TSV, JSON-lines, ARFF or libsvm files (also compressed: .gz, .bz2, .xz, .zst), "
        "Parquet or Arrow files, patterns or folders; s3:// and gs:// addresses; or - for "
        "standard input.",
    ),
]
ModelFile = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model file, as written by run --model-out.")
]
Format = Annotated[
    str | None,
    typer.Option(
        help="File format: csv, tsv, jsonl, arff, libsvm, parquet or arrow.  "
        "[default: from the file name]"
    ),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(metavar="NAMES", help="Columns to read as text, comma-separated."),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="NAMES", help="Columns to ignore, comma-separated."),
]
Uncertain = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAMES",
        help="Uncertain features, comma-separated. Feature x is read from the columns x.lo and "
        "x.hi, or x.mean and x.sd. Struct columns of Parquet and Arrow files need no option.",
    ),
]
Delimiter = Annotated[str | None, typer.Option(help="Column separator of a CSV file.")]
Encoding = Annotated[str, typer.Option(help="Encoding of a CSV, TSV or ARFF file.")]
ColumnNames = Annotated[
    list[str] | None,
    typer.Option(
        "--columns",
        metavar="NAMES",
        help="Names for the columns of a CSV file, comma-separated, in place of its header.",
    ),
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        help="The first line of a CSV file is a row. Without --columns the columns are named "
        "'column 1', 'column 2' and so on.",
    ),
]
SkipBadRows = Annotated[
    bool,
    typer.Option("--skip-bad-rows", help="Skip and count rows that cannot be read."),
]
Block = Annotated[int, typer.Option(min=1, help="Number of rows to read at once.")]


def split_names(texts: list[str] | None) -> list[str]:
    """Split comma-separated names of an option that may be given several times."""
    return [name.strip() for text in texts or () for name in text.split(",") if name.strip()]


def parse_delimiter(text: str | None) -> str | None:
    r"""Return a tab for ``\t`` and ``tab``, because a tab is hard to type in a shell."""
    return "\t" if text in ("\\t", "tab") else text
