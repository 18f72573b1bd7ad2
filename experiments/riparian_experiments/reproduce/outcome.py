"""The results of an experiment, as HTML and as Markdown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from riparian.show.page import Markup, page_html, table_html

__all__ = ["Outcome", "Picture", "Table", "index_html", "tidy"]


@dataclass(frozen=True)
class Table:
    """A table of results. The first column names the row."""

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
    """A plot: a function that returns matplotlib axes, and a caption."""

    caption: str
    draw: Callable[[], Any]

    def svg(self) -> str:
        import io

        import matplotlib as mpl

        mpl.use("agg")
        # Without the salt and the date, equal results would give different files.
        with mpl.rc_context({"svg.hashsalt": "riparian", "svg.fonttype": "none"}):
            figure = self.draw().get_figure(root=True)
            out = io.StringIO()
            figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
        import matplotlib.pyplot as plt

        plt.close(figure)
        text = out.getvalue()
        return text[text.index("<svg") :]


def tidy(ax: Any) -> Any:
    """Give axes the look of all plots of the experiments, and return them."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    return ax


@dataclass
class Outcome:
    """The results of one experiment.

    Attributes
    ----------
    claims : list of str
        The claims of the paper, and whether they hold here.
    settings : dict
        The settings of the run.
    notes : list of str
        What was reduced or replaced.
    tables, pictures : list
        The tables and plots.
    name, title, source : str
        The experiment and its paper. The experiment sets them.
    seconds : float
        Duration.
    """

    claims: list[str]
    settings: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    name: str = ""
    title: str = ""
    source: str = ""
    seconds: float = 0.0

    def html(self) -> str:
        """Return the results as an HTML page."""
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
            "<p class='quiet'><a href='index.html'>all experiments</a></p>"
            f"</header><section>{claims}{notes}</section>"
        )
        return page_html(self.title, f"{head}{pictures}{tables}<section>{settings}</section>")

    def markdown(self) -> str:
        """Return the results as a Markdown section. The plots are files of their own."""
        parts = [f"## {self.title}", f"*{self.source}*", *self.claims, *self.notes]
        parts += [
            f"![{picture.caption}]({file})"
            for file, picture in zip(self.picture_files(), self.pictures, strict=True)
        ]
        parts += [table.markdown() for table in self.tables]
        settings = ", ".join(f"{name} {value}" for name, value in self._settings())
        return "\n\n".join([*parts, f"Settings: {settings}."]) + "\n"

    def picture_files(self) -> list[str]:
        """Return the name of the file of each plot."""
        return [f"{self.name}-{k}.svg" for k in range(1, len(self.pictures) + 1)]

    def _settings(self) -> list[tuple[str, str]]:
        return [
            *((name, str(value)) for name, value in self.settings.items()),
            ("time", f"{self.seconds:,.0f} s"),
        ]


def index_html(outcomes: list[Outcome], earlier: Mapping[str, str] | None = None) -> str:
    """Return the index of all pages, which are in the same folder.

    Parameters
    ----------
    outcomes : list of Outcome
        The results of this run.
    earlier : mapping of str to str, optional
        The titles of other pages in the folder, by the names of their experiments.
    """
    rows = [
        (
            Markup(f"<a href='{outcome.name}.html'>{escape(outcome.title)}</a>"),
            outcome.source,
            " ".join(outcome.claims),
            f"{outcome.seconds:,.0f} s",
        )
        for outcome in outcomes
    ]
    table = table_html("Results", ("experiment", "paper", "result", "time"), rows, (1, 2))
    links = "".join(
        f"<li><a href='{name}.html'>{escape(title)}</a></li>"
        for name, title in (earlier or {}).items()
    )
    if links:
        table += f"<p>Pages of earlier runs:</p><ul>{links}</ul>"
    head = (
        "<header><p class='quiet'>riparian reproduce</p><h1>The papers' experiments</h1></header>"
    )
    return page_html("The papers' experiments", f"{head}<section>{table}</section>")
