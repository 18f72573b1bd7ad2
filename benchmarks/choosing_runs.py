"""Runs of models on the streams of a choice, kept in a file.

Each row is predicted before it is learned. A run has the measures that docs/choosing.md fixes:
accuracy, Cohen's kappa, log loss with probabilities of at least 1e-6, CPU seconds of predicting and
learning, bytes and leaves at the end. Runs are kept as JSON lines, so that what was interrupted
goes on where it was. Another version of the library needs another file.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from choosing_streams import ROWS, Data, load
from numpy.typing import NDArray
from sklearn.base import clone

__all__ = ["LEAST", "MEASURES", "Runs", "measures"]

LEAST = 1e-6
MEASURES = ("accuracy", "kappa", "log_loss", "seconds", "bytes", "leaves")


class Runs:
    """The runs of models on streams.

    Parameters
    ----------
    path : Path
        The file in which they are kept.
    rows : int
        Rows of a stream at most.
    """

    def __init__(self, path: Path, rows: int = ROWS) -> None:
        self._path = path
        self._rows = rows
        self._kept: dict[tuple[str, str, int], dict[str, float]] = {}
        if path.exists():
            for line in path.read_text(encoding="utf-8").splitlines():
                run = json.loads(line)
                self._kept[run.pop("model"), run.pop("stream"), run.pop("seed")] = run

    def measure(
        self, models: Mapping[str, Any], streams: Sequence[str], seeds: Iterable[int]
    ) -> dict[str, NDArray[np.float64]]:
        """Run what is missing.

        Returns
        -------
        found : dict
            By the name of a measure, an array of shape (n_streams, n_models): means over the seeds.
        """
        seeds = list(seeds)
        found = {name: np.empty((len(streams), len(models))) for name in MEASURES}
        for i, stream in enumerate(streams):
            print(f"{i + 1} of {len(streams)}: {stream}", file=sys.stderr, flush=True)
            for j, (name, model) in enumerate(models.items()):
                runs = [self._run(name, model, stream, seed) for seed in seeds]
                for measure in MEASURES:
                    found[measure][i, j] = np.mean([run[measure] for run in runs])
        return found

    def _run(self, name: str, model: Any, stream: str, seed: int) -> dict[str, float]:
        key = name, stream, seed
        if key not in self._kept:
            run = measures(model, load(stream, seed, self._rows), seed)
            self.add(name, stream, seed, run)
        return self._kept[key]

    def has(self, model: str, stream: str, seed: int) -> bool:
        """Return whether a run is there."""
        return (model, stream, seed) in self._kept

    def add(self, model: str, stream: str, seed: int, run: dict[str, float]) -> None:
        """Keep a run."""
        self._kept[model, stream, seed] = run
        with self._path.open("a", encoding="utf-8") as file:
            named = {"model": model, "stream": stream, "seed": seed}
            file.write(json.dumps(named | run) + "\n")


def measures(model: Any, data: Data, seed: int) -> dict[str, float]:
    """Predict and learn each row, and return the measures."""
    model = clone(model)
    known = model.get_params(deep=False)
    given = {"categorical_features": data.nominal, "random_state": seed, "n_jobs": 1}
    model.set_params(**{name: value for name, value in given.items() if name in known})
    start = process_time()
    predicted, probabilities = model.prequential(data.X, data.y, proba=True)
    seconds = process_time() - start
    columns = {label: i for i, label in enumerate(model.classes_.tolist())}
    places = np.array([columns[label] for label in data.y.tolist()])
    of_truth = probabilities[np.arange(len(places)), places]
    return {
        "accuracy": float(np.mean(predicted == data.y)),
        "kappa": kappa(predicted, data.y),
        "log_loss": float(-np.log(np.clip(of_truth, LEAST, 1.0)).mean()),
        "seconds": seconds,
        "bytes": float(model.memory_bytes_),
        "leaves": float(model.n_leaves_) if hasattr(model, "n_leaves_") else 0.0,
    }


def kappa(predicted: NDArray[np.int64], y: NDArray[np.int64]) -> float:
    """Return Cohen's kappa: 1 is perfect, 0 is what chance with the same shares would give."""
    n_classes = int(max(predicted.max(), y.max())) + 1
    shares = np.bincount(predicted, minlength=n_classes) / len(y)
    expected = float(shares @ (np.bincount(y, minlength=n_classes) / len(y)))
    right = float(np.mean(predicted == y))
    return 1.0 if expected == 1.0 else (right - expected) / (1 - expected)
