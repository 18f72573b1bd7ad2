"""The list of the data sets, for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_datasets"]


def print_datasets(out: Console, listing: Sequence[Mapping[str, Any]]) -> None:
    """Print a table of the data sets and their files.

    Parameters
    ----------
    out : rich.console.Console
        The console to print to.
    listing : sequence of mappings
        The result of `riparian_experiments.datasets.listing`.
    """
    heads = ("name", "rows", "features", "classes")
    cells = [[*(f"{found[k]:,}" if k != "name" else found[k] for k in heads)] for found in listing]
    widths = [max(len(head), *(len(row[j]) for row in cells)) for j, head in enumerate(heads)]

    def line(texts: Sequence[str]) -> str:
        return "  ".join(
            [f"{texts[0]:<{widths[0]}}"]
            + [f"{text:>{width}}" for text, width in zip(texts[1:], widths[1:], strict=True)]
        )

    out.print(f"{line(heads)}  file", style="bold")
    for found, row in zip(listing, cells, strict=True):
        file = found["file"] or f"not downloaded; from {found['urls'][0]}"
        out.print(f"{line(row)}  {file}")
