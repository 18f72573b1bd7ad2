"""The table of the README: River, scikit-learn and riparian in one loop over the same rows.

Each row is predicted, then learned. Needs the file of the electricity data set
(``riparian datasets``).
"""

from __future__ import annotations

import argparse
import itertools
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from riparian_experiments import datasets
from river import forest
from sklearn.linear_model import SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

import riparian as rp


def river_loop(model: Any, rows: list[dict[str, float]], labels: list[str]) -> float:
    """Accuracy of a model in River's loop."""
    hits = 0
    for x, y in zip(rows, labels, strict=True):
        hits += model.predict_one(x) == y
        model.learn_one(x, y)
    return hits / len(labels)


def sklearn_loop(model: Any, X: Any, y: Any, batch: int) -> float:
    """Accuracy of a model that learns batches; each batch is predicted first."""
    scaler, classes, hits = StandardScaler(), np.unique(y), 0
    for start in range(0, len(y), batch):
        rows, labels = X[start : start + batch], y[start : start + batch]
        if start:
            hits += int((model.predict(scaler.transform(rows)) == labels).sum())
        model.partial_fit(scaler.partial_fit(rows).transform(rows), labels, classes=classes)
    return hits / len(y)


def batches(model: Any, X: Any, y: Any) -> float:
    """Accuracy of a riparian model over whole arrays: rows are predicted, then learned."""
    return float((model.prequential(X, y) == y).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=15_000)
    args = parser.parse_args()
    X, y = (part[: args.rows] for part in datasets.load("elec2", as_="arrays"))
    names = [str(name) for name in datasets.info("elec2").features]
    rows = [dict(zip(names, values, strict=True)) for values in X.tolist()]
    labels = y.tolist()
    runs: dict[str, Callable[[], float]] = {
        "River, ARFClassifier, one row at a time": lambda: river_loop(
            forest.ARFClassifier(seed=1), rows, labels
        ),
        "scikit-learn, SGDClassifier, batches of 100": lambda: sklearn_loop(
            SGDClassifier(loss="log_loss", random_state=1), X, y, 100
        ),
        "scikit-learn, GaussianNB, batches of 100": lambda: sklearn_loop(GaussianNB(), X, y, 100),
        "riparian, StreamForest, one row at a time": lambda: river_loop(
            rp.StreamForest(), rows, labels
        ),
        "riparian, StreamForest, one array": lambda: batches(rp.StreamForest(), X, y),
        "riparian, StreamTree, one row at a time": lambda: river_loop(
            rp.StreamTree(), rows, labels
        ),
    }
    print(f"elec2, first {args.rows:,} rows")
    print("| model | accuracy | seconds |\n| --- | ---: | ---: |")
    with warnings.catch_warnings(action="ignore"):
        for name, run in runs.items():
            times = []
            for _ in itertools.repeat(None, 1 if "River" in name else 3):
                start = time.process_time()
                accuracy = run()
                times.append(time.process_time() - start)
            print(f"| {name} | {accuracy:.1%} | {min(times):.2f} |", flush=True)


if __name__ == "__main__":
    main()
