"""The runs of the leaderboard, kept as JSON lines, and their means."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["BoardRuns"]


class BoardRuns:
    """The runs in a file; all of them have the same limit on the rows of a stream.

    Parameters
    ----------
    path : Path
        The file. It need not exist.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        self.all: list[dict[str, Any]] = [json.loads(line) for line in lines]

    def has(self, model: str, stream: str, seed: int, rows: int) -> bool:
        """Return whether a run is in the file."""
        if self.all and self.all[0]["rows"] != rows:
            kept = self.all[0]["rows"]
            raise SystemExit(f"{self._path} has runs of {kept:,} rows; use --rows {kept}")
        return (model, stream, seed) in {(r["model"], r["stream"], r["seed"]) for r in self.all}

    def add(self, run: dict[str, Any]) -> None:
        """Add a run to the file."""
        self.all.append(run)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(run) + "\n")

    def drop(self, models: Collection[str]) -> None:
        """Take the runs of some models out of the file."""
        self.all = [run for run in self.all if run["model"] not in models]
        text = "".join(json.dumps(run) + "\n" for run in self.all)
        self._path.write_text(text, encoding="utf-8")

    def models(self, board: str) -> list[str]:
        """Return the names of the models of a board."""
        return list(dict.fromkeys(run["model"] for run in self.all if run["board"] == board))

    def means(
        self, measure: str, models: Sequence[str], streams: Sequence[str]
    ) -> NDArray[np.float64]:
        """Return the means of a measure over the seeds.

        Returns
        -------
        means : ndarray of shape (n_streams, n_models)
            NaN where there is no run, or where one was stopped.
        """
        found: dict[tuple[str, str], list[float]] = {}
        for run in self.all:
            found.setdefault((run["stream"], run["model"]), []).append(run.get(measure, np.nan))
        means = [np.mean(found.get((s, m), [np.nan])) for s in streams for m in models]
        return np.array(means, dtype=float).reshape(len(streams), len(models))
