"""What a rerun of an experiment found, as HTML and as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from riparian.page import Markup, page_html, table_html

__all__ = ["Outcome", "Picture", "Table", "index_html"]


@dataclass(frozen=True)
class Table:
    """Figures side by side; the first column names the row."""

    caption: str
    heads: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    def html(self) -> str:
        return table_html(self.caption, self.heads, self.rows)

    def markdown(self) -> str:
        lines = [f"| {' | '.join(self.heads)} |", "| --- |" + " ---: |" * (len(self.heads) - 1)]
        lines += [f"| {' | '.join(row)} |" for row in self.rows]
        return f"{self.caption}\n\n" + "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Picture:
    """A drawing: a function that gives matplotlib axes, and what it shows."""

    caption: str
    draw: Callable[[], Any]

    def svg(self) -> str:
        import io

        import matplotlib as mpl

        mpl.use("agg")
        # Equal results give equal files.
        with mpl.rc_context({"svg.hashsalt": "riparian", "svg.fonttype": "none"}):
            figure = self.draw().get_figure(root=True)
            out = io.StringIO()
            figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
        import matplotlib.pyplot as plt

        plt.close(figure)
        text = out.getvalue()
        return text[text.index("<svg") :]


@dataclass
class Outcome:
    """One experiment, rerun.

    Attributes
    ----------
    name, title, source : str
        The experiment, and where it is printed.
    claims : list of str
        Plain sentences: what the paper says, and whether it came out.
    settings : dict
        What was run, the size among it.
    notes : list of str
        What was reduced, or stands in for something else.
    tables, pictures : list
    seconds : float
    """

    name: str
    title: str
    source: str
    claims: list[str]
    settings: dict[str, Any]
    notes: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    seconds: float = 0.0

    def html(self) -> str:
        """Give a page of its own."""
        claims = "".join(f"<p><b>{escape(claim)}</b></p>" for claim in self.claims)
        notes = "".join(f"<p class='quiet'>{escape(note)}</p>" for note in self.notes)
        pictures = "".join(
            f"<section><h2>{escape(picture.caption)}</h2>"
            f"<div class='scroll paper'>{picture.svg()}</div></section>"
            for picture in self.pictures
        )
        tables = "".join(
            f"<section><div class='scroll'>{table.html()}</div></section>" for table in self.tables
        )
        settings = table_html(
            "Settings", ("setting", "value"), list(self._settings()), text_columns=(1,)
        )
        head = (
            f"<header><p class='quiet'>{escape(self.source)}</p><h1>{escape(self.title)}</h1>"
            f"</header><section>{claims}{notes}</section>"
        )
        return page_html(self.title, f"{head}{pictures}{tables}<section>{settings}</section>")

    def markdown(self) -> str:
        """Give a section for a document; pictures are left out."""
        parts = [f"## {self.title}", f"*{self.source}*", *self.claims, *self.notes]
        parts += [table.markdown() for table in self.tables]
        settings = ", ".join(f"{name} {value}" for name, value in self._settings())
        return "\n\n".join([*parts, f"Settings: {settings}."]) + "\n"

    def _settings(self) -> list[tuple[str, str]]:
        return [
            *((name, str(value)) for name, value in self.settings.items()),
            ("time", f"{self.seconds:,.0f} s"),
        ]


def index_html(outcomes: list[Outcome]) -> str:
    """Give the page that collects the others, which lie next to it."""
    rows = [
        (
            Markup(f"<a href='{outcome.name}.html'>{escape(outcome.title)}</a>"),
            outcome.source,
            " ".join(outcome.claims),
            f"{outcome.seconds:,.0f} s",
        )
        for outcome in outcomes
    ]
    table = table_html(
        "What the papers print, rerun", ("experiment", "from", "found", "time"), rows, (1, 2)
    )
    head = (
        "<header><p class='quiet'>riparian reproduce</p><h1>The papers' experiments</h1></header>"
    )
    return page_html("The papers' experiments", f"{head}<section>{table}</section>")
