"""What every choice of a default needs: the runs, their tables, the diagram of ranks."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from choosing_streams import CHOOSING, HELD_OUT, IN_ORDER, Maker, opened
from scipy.stats import wilcoxon
from sklearn.base import clone
from tables import Table

from riparian.evaluate import Comparison, compare, prequential

__all__ = [
    "draw_ranks",
    "print_speed",
    "ranked",
    "read_arguments",
    "report",
    "runs",
    "summary",
]

TIMED = ("agrawal", "led", "random_rbf", "sea", "waveform", "covertype")
TIMED_ROWS = 20_000


def read_arguments(about: str, arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line of a choice: what to do, and where its runs and pictures are."""
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    parser.add_argument("what", choices=("choose", "report", "speed"))
    parser.add_argument("--out", help="where the runs are kept, as JSON lines")
    parser.add_argument("--images", type=Path, help="folder for the critical-difference diagram")
    asked = parser.parse_args(arguments)
    if asked.out is None and asked.what != "speed":
        parser.error("--out is needed")
    return asked


def runs(
    models: Mapping[str, Any], streams: Mapping[str, Maker], seeds: Iterable[int], out: str
) -> Comparison:
    """Run every model on every stream; one seed where it changes nothing."""
    cells = []
    for n, (name, make) in enumerate(streams.items(), start=1):
        used = [0] if name in IN_ORDER else list(seeds)
        print(f"{n} of {len(streams)}: {name}", file=sys.stderr, flush=True)
        found = compare(models, {name: make}, seeds=used, out=out, n_jobs=1, progress=False)
        cells += found.cells
    return Comparison(cells)


def report(found: Comparison, choice: str, baselines: Sequence[str], shown: Sequence[str]) -> None:
    """Print how all models did, the choice against each baseline, and each stream by itself."""
    parts = {
        "All streams": found,
        "Held-out streams": Comparison(c for c in found.cells if c.stream in HELD_OUT),
        "Streams of the choice": Comparison(c for c in found.cells if c.stream in CHOOSING),
    }
    for title, part in parts.items():
        ranks = part.ranks()
        print(ranked(f"{title} ({len(part.streams)})", summary(part, baselines[0])))
        print(f"\nFriedman: chi-square {ranks.statistic:.1f}, p = {ranks.p:.2g}; ", end="")
        print(f"critical difference {ranks.critical_difference:.2f}.")
        print("\n".join(_against(part, choice, baseline) for baseline in baselines) + "\n")
    print(_per_stream(found, shown))


def summary(found: Comparison, baseline: str) -> list[dict[str, Any]]:
    """A row a model, the best mean rank first; gaps are to the baseline."""
    scores = 100 * found.scores()
    against = scores[:, found.models.index(baseline)]
    rows = np.array([next(c.rows for c in found.cells if c.stream == s) for s in found.streams])
    long = rows >= 10_000
    table = []
    for i, model in enumerate(found.models):
        gap = scores[:, i] - against
        row = {
            "model": model,
            "rank": float(found.ranks().mean[i]),
            "accuracy": float(scores[:, i].mean()),
            "better": int((gap > 0.05).sum()),
            "worse": int((gap < -0.05).sum()),
            "worst": float(gap.min()),
            "best": float(gap.max()),
            "leaves": float(np.median(found.scores("leaves")[long, i])),
        }
        table.append(row)
    return sorted(table, key=lambda row: row["rank"])


def ranked(title: str, rows: list[dict[str, Any]]) -> str:
    """Such rows as a table."""
    columns = [
        ("model", "model", "{}"),
        ("mean rank", "rank", "{:.2f}"),
        ("mean accuracy", "accuracy", "{:.2f}"),
        ("better on", "better", "{}"),
        ("worse on", "worse", "{}"),
        ("most lost", "worst", "{:+.2f}"),
        ("most won", "best", "{:+.2f}"),
        ("leaves", "leaves", "{:,.0f}"),
    ]
    return Table(title, columns, rows).as_markdown()


def _per_stream(found: Comparison, shown: Sequence[str]) -> str:
    """Accuracies of the models that a reader is most likely to take."""
    scores = 100 * found.scores()
    rows = [
        {
            "stream": stream,
            "rows": next(c.rows for c in found.cells if c.stream == stream),
            **{model: scores[i, found.models.index(model)] for model in shown},
        }
        for i, stream in enumerate(found.streams)
    ]
    columns = [("stream", "stream", "{}"), ("rows", "rows", "{:,}")]
    columns += [(model, model, "{:.2f}") for model in shown]
    parts = {"Streams of the choice": CHOOSING, "Held-out streams": HELD_OUT}
    return "\n\n".join(
        Table(title, columns, [row for row in rows if row["stream"] in part]).as_markdown()
        for title, part in parts.items()
    )


def _against(found: Comparison, model: str, baseline: str) -> str:
    scores = found.scores()
    gap = scores[:, found.models.index(model)] - scores[:, found.models.index(baseline)]
    p = wilcoxon(gap).pvalue
    return f"{model} against {baseline}: Wilcoxon p = {p:.2g}, median {100 * np.median(gap):+.2f}."


def print_speed(models: Mapping[str, Any]) -> None:
    """Print thousand rows a second of each model by processor time, the best of three in turn."""
    table = []
    for stream in TIMED:
        rows = opened(stream, 1)
        rows.take(TIMED_ROWS)
        best = dict.fromkeys(models, np.inf)
        for _ in range(3):
            for name, model in models.items():
                start = process_time()
                prequential(clone(model), rows, rows=TIMED_ROWS, progress=False)
                best[name] = min(best[name], process_time() - start)
        rates = {name: TIMED_ROWS / seconds / 1000 for name, seconds in best.items()}
        table.append({"stream": stream} | rates)
    columns = [("stream", "stream", "{}"), *((name, name, "{:,.0f}") for name in models)]
    print(Table("Thousand rows a second", columns, table).as_markdown())


def draw_ranks(found: Comparison, folder: Path, name: str) -> None:
    """Draw the critical-difference diagram, light and dark."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    from riparian.export.palette import DARK, LIGHT

    mpl.use("agg")
    for scheme, colours in (("light", LIGHT), ("dark", DARK)):
        with mpl.rc_context({"figure.facecolor": colours["ground"], "savefig.facecolor": "auto"}):
            figure = found.plot_ranks().figure
            figure.savefig(folder / f"{name}-{scheme}.png", dpi=144, metadata={"Software": None})
            plt.close(figure)
