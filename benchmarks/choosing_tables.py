"""The tables of a choice: what its runs gave, model by model and stream by stream."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from choosing_runs import Runs
from choosing_streams import ROWS
from numpy.typing import NDArray
from scipy.stats import rankdata, wilcoxon
from tables import Table

__all__ = ["Found", "read_arguments"]


def read_arguments(about: str, arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line of a choice: what to do, and where its runs are kept."""
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    parser.add_argument("what", choices=("choose", "report"))
    parser.add_argument("--out", type=Path, required=True, help="where the runs are kept")
    return parser.parse_args(arguments)


@dataclass(frozen=True)
class Found:
    """Measures of models on streams: arrays of shape (n_streams, n_models)."""

    models: list[str]
    streams: list[str]
    measures: dict[str, NDArray[np.float64]]

    @classmethod
    def of(
        cls,
        models: Mapping[str, Any],
        streams: Sequence[str],
        seeds: Iterable[int],
        out: Path,
        rows: int = ROWS,
    ) -> Found:
        """Run what is missing."""
        return cls(list(models), list(streams), Runs(out, rows).measure(models, streams, seeds))

    def of_model(self, measure: str, model: str) -> NDArray[np.float64]:
        """Return a measure of a model on each stream."""
        return self.measures[measure][:, self.models.index(model)]

    def gap(self, model: str, other: str) -> NDArray[np.float64]:
        """Return the points of accuracy by which a model is ahead of another one."""
        return 100 * (self.of_model("accuracy", model) - self.of_model("accuracy", other))

    def ranks(self) -> NDArray[np.float64]:
        """Return the mean rank of each model in accuracy; 1 is the best."""
        ranks: NDArray[np.float64] = rankdata(
            -self.measures["accuracy"].round(6), axis=1, method="average"
        ).mean(axis=0)
        return ranks

    def summary(self, baseline: str) -> str:
        """Return a line for each model, the best mean rank first."""
        rows = []
        for i, model in enumerate(self.models):
            gap = self.gap(model, baseline)
            rows.append(
                {
                    "model": model,
                    "rank": self.ranks()[i],
                    "accuracy": 100 * self.of_model("accuracy", model).mean(),
                    "kappa": 100 * self.of_model("kappa", model).mean(),
                    "log_loss": self.of_model("log_loss", model).mean(),
                    "worst": gap.min(),
                    "worst_on": self.streams[int(gap.argmin())],
                    "best": gap.max(),
                    "seconds": self.of_model("seconds", model).sum(),
                    "megabytes": self.of_model("bytes", model).mean() / 1e6,
                    "leaves": np.median(self.of_model("leaves", model)),
                }
            )
        columns = [
            ("model", "model", "{}"),
            ("mean rank", "rank", "{:.2f}"),
            ("accuracy", "accuracy", "{:.2f}"),
            ("kappa", "kappa", "{:.2f}"),
            ("log loss", "log_loss", "{:.3f}"),
            ("most lost", "worst", "{:+.2f}"),
            ("on", "worst_on", "{}"),
            ("most won", "best", "{:+.2f}"),
            ("seconds", "seconds", "{:.2f}"),
            ("MB", "megabytes", "{:.2f}"),
            ("leaves", "leaves", "{:,.0f}"),
        ]
        rows.sort(key=lambda row: float(row["rank"]))
        title = f"{len(self.models)} models on {len(self.streams)} streams"
        return Table(title, columns, rows).as_markdown()

    def against(self, model: str, other: str) -> str:
        """Return a sentence with Wilcoxon's signed-rank test of two models."""
        gap = self.gap(model, other)
        p = wilcoxon(gap).pvalue if np.any(gap) else 1.0
        return (
            f"{model} against {other}: better on {int((gap > 0.05).sum())}, worse on "
            f"{int((gap < -0.05).sum())} of {len(gap)}, median {np.median(gap):+.2f}, mean "
            f"{gap.mean():+.2f}, worst {gap.min():+.2f}; Wilcoxon p = {p:.2g}."
        )

    def per_stream(self, models: Sequence[str]) -> str:
        """Return the accuracies of some models, a line for each stream."""
        rows = [
            {"stream": stream}
            | {model: 100 * self.of_model("accuracy", model)[i] for model in models}
            for i, stream in enumerate(self.streams)
        ]
        columns = [("stream", "stream", "{}"), *((model, model, "{:.2f}") for model in models)]
        return Table("Accuracy in percent", columns, rows).as_markdown()
