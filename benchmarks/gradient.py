"""How accurate, and how fast, is OADT, compared with Hoeffding trees?

Three real streams where the environment variable RIPARIAN_DATA names their folder, in their own
order (magic, which is grouped by class, shuffled with seed 1); and three generators with seed 1.
Each row is predicted, then learned, in one call for all rows; accuracy is over all of them. The
rate is rows by processor time, the best of three runs. The tables of docs/gradient.md.

    python benchmarks/gradient.py [--rows 200000]
"""

from __future__ import annotations

import argparse
from time import process_time
from typing import Any

import numpy as np
from riparian_experiments import datasets
from tables import Table

import riparian as rp

REAL = ("elec2", "adult", "magic")
SYNTHETIC = {
    "RandomRBF": rp.streams.random_rbf,
    "SEA": rp.streams.sea,
    "hyperplane": rp.streams.hyperplane,
}
MODELS = {
    "oadt": rp.OADT,
    "deep": lambda: rp.OADT(depth=7),
    "vfdt": lambda: rp.VFDT(leaf="adaptive"),
    "tree": rp.StreamTree,
}


def main(arguments: list[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000, help="of each generator")
    options = parser.parse_args(arguments)
    rows = []
    for name in (*REAL, *SYNTHETIC):
        X, y = real(name) if name in REAL else SYNTHETIC[name](seed=1).take(options.rows)
        row: dict[str, Any] = {"stream": name}
        for model, new in MODELS.items():
            row[model], row[f"{model}_rate"] = measured(new, X, y)
        rows.append(row)
    names = {"oadt": "OADT", "deep": "depth 7", "vfdt": "VFDT(adaptive)", "tree": "StreamTree"}
    shown = [(title, key, "{:.2%}") for key, title in names.items()]
    rates = [(title, f"{key}_rate", "{:,.0f}") for key, title in names.items()]
    print(Table("Accuracy", [("stream", "stream", "{}"), *shown], rows).as_markdown())
    print(Table("Rows a second", [("stream", "stream", "{}"), *rates], rows).as_markdown())


def real(name: str) -> tuple[Any, Any]:
    """Give a data set with its categories."""
    frame = datasets.load(name, as_="frame", shuffle=1 if name == "magic" else False)
    return frame, frame.pop("target").astype(str).to_numpy()


def measured(new: Any, X: Any, y: Any) -> tuple[float, float]:
    """Give the accuracy before learning, and the rows a second of learning."""
    accuracy = float(np.mean(new().prequential(X, y) == np.asarray(y)))
    best = float("inf")
    for _ in range(3):
        model = new()
        start = process_time()
        model.partial_fit(X, y)
        best = min(best, process_time() - start)
    return accuracy, len(y) / best


if __name__ == "__main__":
    main()
