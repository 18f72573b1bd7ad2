"""Rows of figures as text or markdown; a column that no row has is left out."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["Table", "add_forms"]


def add_forms(parser: ArgumentParser) -> None:
    """Add the options for the form of the results: ``--json`` or ``--markdown``, else text."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true")
    form.add_argument("--markdown", action="store_true")


class Table:
    """A titled table.

    Parameters
    ----------
    title : str
    columns : sequence of (heading, key, format)
    rows : sequence of mappings
        A row without a column's key has an empty cell there.
    """

    def __init__(
        self,
        title: str,
        columns: Sequence[tuple[str, str, str]],
        rows: Sequence[Mapping[str, Any]],
    ) -> None:
        used = [column for column in columns if any(column[1] in row for row in rows)]
        self.title = title
        self.headings = [heading for heading, _, _ in used]
        self.cells = [
            [form.format(row[key]) if key in row else "" for _, key, form in used] for row in rows
        ]

    def as_text(self) -> str:
        """Give the table with columns set off by spaces, for a terminal."""
        lines = [self.headings, *self.cells]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join([self.title, *("  ".join(self._aligned(line, widths)) for line in lines)])

    def as_markdown(self) -> str:
        """Give the table for a page."""
        rule = ["---", *["---:"] * (len(self.headings) - 1)]
        lines = [self.headings, rule, *self.cells]
        return "\n".join([f"**{self.title}**", "", *(f"| {' | '.join(line)} |" for line in lines)])

    def print(self, *, markdown: bool, end: str = "\n") -> None:
        """Print the table in one of its two forms."""
        print(self.as_markdown() if markdown else self.as_text(), end=end)

    @staticmethod
    def _aligned(line: Sequence[str], widths: Sequence[int]) -> list[str]:
        first = line[0].ljust(widths[0])
        rest = zip(line[1:], widths[1:], strict=True)
        return [first, *(cell.rjust(width) for cell, width in rest)]
