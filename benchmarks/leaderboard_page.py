"""The page of the leaderboard: its tables and diagrams, made from the file of runs.

docs/leaderboard.md is written by hand, except for the blocks between ``<!-- begin NAME -->`` and
``<!-- end NAME -->``, which are replaced.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from choosing_streams import CHOOSING, REPORTING
from choosing_tables import Found
from leaderboard_models import BOARDS
from leaderboard_runs import BoardRuns
from numpy.typing import NDArray
from tables import Table

from riparian.evaluate.ranks import Ranks, rank_models

__all__ = ["Board", "replaced", "write_page"]

#: The measures of a table: heading, name, how streams are put together, factor and format.
_COLUMNS = (
    ("accuracy", "accuracy", np.mean, 100, "{:.2f}"),
    ("kappa", "kappa", np.mean, 100, "{:.2f}"),
    ("log loss", "log_loss", np.mean, 1, "{:.3f}"),
    ("CPU seconds", "seconds", np.sum, 1, "{:.1f}"),
)
_LIBRARIES = {"riparian": "riparian", "moa": "MOA", "river": "River"}
DOTS_PER_INCH = 144
#: The default model of each board.
_DEFAULTS = {"trees": "StreamTree", "forests": "StreamForest"}


@dataclass(frozen=True)
class Board:
    """The trees or the forests on some streams.

    Attributes
    ----------
    models : list of str
        The models that finished every stream; only these are ranked.
    incomplete : list of str
        The other models.
    """

    runs: BoardRuns
    streams: list[str]
    models: list[str]
    incomplete: list[str]

    @classmethod
    def of(cls, runs: BoardRuns, board: str, streams: Sequence[str]) -> Board:
        """Read a board from the runs; models and streams without any run are left out."""
        ran = {(run["model"], run["stream"]) for run in runs.all if run["stream"] in streams}
        streams = [stream for stream in streams if any(stream == other for _, other in ran)]
        models = [name for name in runs.models(board) if any(name == other for other, _ in ran)]
        whole = np.isfinite(runs.means("accuracy", models, streams)).all(axis=0)
        kept = [model for model, complete in zip(models, whole, strict=True) if complete]
        return cls(runs, streams, kept, [model for model in models if model not in kept])

    def accuracies(self) -> NDArray[np.float64]:
        """Return the accuracies of the models that are ranked: (n_streams, n_models)."""
        return self.runs.means("accuracy", self.models, self.streams)

    def ranks(self) -> Ranks:
        """Rank the models by accuracy; accuracies that differ by less than 1e-6 are equal."""
        return rank_models(self.accuracies().round(6))

    def summary(self) -> str:
        """Return a line per model: those that are ranked first, then what the others finished."""
        ranks = self.ranks().mean
        rows = []
        for i in np.argsort(ranks, kind="stable").tolist():
            row = {"model": self.models[i], "rank": f"{ranks[i]:.2f}", "streams": "all"}
            for _, measure, together, factor, form in _COLUMNS:
                values = self.runs.means(measure, [self.models[i]], self.streams)
                row[measure] = form.format(factor * together(values))
            rows.append(row)
        for model in self.incomplete:
            done = np.isfinite(self.runs.means("accuracy", [model], self.streams)).sum()
            rows.append({"model": model, "streams": f"{done} of {len(self.streams)}"})
        columns = [
            ("model", "model", "{}"),
            ("mean rank", "rank", "{}"),
            *((heading, measure, "{}") for heading, measure, *_ in _COLUMNS),
            ("streams", "streams", "{}"),
        ]
        return _without_title(Table("", columns, rows))

    def per_stream(self) -> str:
        """Return the accuracy of each model on each stream, the best of a stream in bold."""
        models = [self.models[i] for i in np.argsort(self.ranks().mean, kind="stable")]
        models += self.incomplete
        accuracies = self.runs.means("accuracy", models, self.streams).round(6)
        rows = []
        for stream, found in zip(self.streams, accuracies, strict=True):
            best = np.nanmax(found)
            row = {"stream": stream}
            for model, value in zip(models, found.tolist(), strict=True):
                if np.isfinite(value):
                    text = f"{100 * value:.2f}"
                    row[model] = f"**{text}**" if value == best else text
            rows.append(row)
        columns = [(name, name, "{}") for name in ("stream", *models)]
        return _without_title(Table("", columns, rows))

    def against(self, model: str) -> str:
        """Return Wilcoxon's signed-rank tests of a model against each other one, a line each."""
        found = Found(self.models, self.streams, {"accuracy": self.accuracies()})
        others = [self.models[i] for i in np.argsort(self.ranks().mean, kind="stable")]
        lines = [f"- {found.against(model, other)}" for other in others if other != model]
        return "\n".join(lines)

    def described(self) -> str:
        """Return the diagram in words."""
        ranks = self.ranks()
        order = np.argsort(ranks.mean, kind="stable").tolist()
        listed = ", ".join(f"{self.models[i]} {ranks.mean[i]:.2f}" for i in order)
        return (
            f"Mean ranks on an axis from 1 to {len(order)}: {listed}. The critical difference is "
            f"{ranks.critical_difference:.2f}."
        )

    def draw(self, folder: Path, name: str) -> None:
        """Write the critical-difference diagram in two colours."""
        import matplotlib as mpl
        import matplotlib.pyplot as plt

        from riparian.export.palette import DARK, LIGHT
        from riparian.show.comparison import plot_ranks

        for shade, colours in (("light", LIGHT), ("dark", DARK)):
            ground = {"figure.facecolor": colours["ground"], "axes.facecolor": colours["ground"]}
            with mpl.rc_context({**ground, "savefig.facecolor": "auto"}):
                figure = plot_ranks(self.models, self.ranks()).figure
                figure.savefig(
                    folder / f"{name}-{shade}.png",
                    dpi=DOTS_PER_INCH,
                    bbox_inches="tight",
                    metadata={"Software": None},
                )
                plt.close(figure)


def write_page(runs: BoardRuns, docs: Path) -> None:
    """Replace the tables and diagrams of docs/leaderboard.md."""
    blocks = {"runs": _about(runs)}
    reporting = {board: Board.of(runs, board, REPORTING) for board in BOARDS}
    choosing = {board: Board.of(runs, board, CHOOSING) for board in BOARDS}
    for name, board in reporting.items():
        board.draw(docs / "images", f"leaderboard-{name}")
        parts = [_picture(name, board), board.summary()]
        default = _DEFAULTS[name]
        if default in board.models:
            parts.append(_fold(f"{default} against each other model", board.against(default)))
        blocks[name] = "\n\n".join(parts)
    choosing = {name: board for name, board in choosing.items() if board.models}
    tables = [f"**{name.capitalize()}**\n\n{board.summary()}" for name, board in choosing.items()]
    blocks["choosing"] = "\n\n".join(tables or ["This half was not run."])
    blocks["streams"] = "\n\n".join(
        _fold(f"Accuracy of {name} on each stream of the {half} half", board.per_stream())
        for half, boards in (("reporting", reporting), ("choosing", choosing))
        for name, board in boards.items()
    )
    blocks["stopped"] = _stopped(runs)
    path = docs / "leaderboard.md"
    text = path.read_text(encoding="utf-8")
    for name, block in blocks.items():
        text = replaced(text, name, block)
    path.write_text(text, encoding="utf-8")


def replaced(text: str, name: str, block: str) -> str:
    """Return a page with another block between the marks of this name."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
    if len(pattern.findall(text)) != 1:
        raise ValueError(f"the page must have one block from {begin} to {end}")
    return pattern.sub(lambda _: f"{begin}\n\n{block}\n\n{end}", text)


def _about(runs: BoardRuns) -> str:
    versions = {run["library"]: run["version"] for run in runs.all}
    seeds = sorted({run["seed"] for run in runs.all})
    lines = [
        f"- Rows: at most {runs.all[0]['rows']:,} per stream, the same for all models.",
        f"- Seeds: {', '.join(map(str, seeds))}.",
        f"- Time limit: {max(run['limit'] for run in runs.all):g} CPU seconds per run.",
        *(f"- {_LIBRARIES[library]}: {version}." for library, version in versions.items()),
    ]
    return "\n".join(lines)


def _picture(name: str, board: Board) -> str:
    file = f"images/leaderboard-{name}"
    return (
        f'<picture>\n  <source media="(prefers-color-scheme: dark)" srcset="{file}-dark.png">\n'
        f'  <img src="{file}-light.png" alt="{board.described()}">\n</picture>'
    )


def _fold(title: str, table: str) -> str:
    return f"<details>\n<summary>{title}</summary>\n\n{table}\n\n</details>"


def _stopped(runs: BoardRuns) -> str:
    """List the runs that did not finish, with the reason."""
    lines = [
        f"- {run['model']} on `{run['stream']}`: {run['stopped']}"
        for run in runs.all
        if "stopped" in run
    ]
    return (
        _fold(f"{len(lines)} runs did not finish", "\n".join(lines))
        if lines
        else ("All runs finished.")
    )


def _without_title(table: Table) -> str:
    return table.as_markdown().partition("\n\n")[2]
