"""How long does a prediction of one row take, and how long does it wait while a thread learns?

Each example is a dict of ten floats (RandomRBF). Its class and its probabilities are predicted by a
model that does not learn: the median time of a call, in microseconds. Then another thread learns
all rows in one `partial_fit`: the longest time of a `predict_one`, in milliseconds, and the rows
learned per second.

    python benchmarks/predicting_while_learning.py [--markdown] [--rows 50000] [--members 100]
"""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable
from time import perf_counter, perf_counter_ns, sleep
from typing import Any

import numpy as np
import workloads
from tables import Table

import riparian as rp

START_ROWS = 20_000
CALLS = 20_000


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=50_000, help="rows that are learned")
    parser.add_argument("--members", type=int, default=100, help="of the forest")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args(arguments)

    workload = workloads.load("rbf", START_ROWS + options.rows)
    assert workload is not None
    models: dict[str, Any] = {
        "StreamTree": rp.StreamTree(),
        "VFDT": rp.VFDT(),
        "HAT": rp.HAT(),
        f"StreamForest of {options.members}": rp.StreamForest(n_estimators=options.members),
    }
    results = []
    for name, model in models.items():
        names = [f"x{j}" for j in range(workload.X.shape[1])]
        columns = dict(zip(names, workload.X.T, strict=True))
        model.partial_fit({n: c[:START_ROWS] for n, c in columns.items()}, workload.y[:START_ROWS])
        x = dict(zip(names, workload.X[0].tolist(), strict=True))
        result: dict[str, Any] = {"model": name}
        result["label"] = _median(lambda: model.predict_one(x))  # noqa: B023
        result["proba"] = _median(lambda: model.predict_proba_one(x))  # noqa: B023
        rest = {n: c[START_ROWS:] for n, c in columns.items()}
        result["longest"], result["speed"] = _wait(model, x, rest, workload.y[START_ROWS:])
        results.append(result)
    columns_of_table = [
        ("model", "model", "{}"),
        ("predict_one us", "label", "{:.2f}"),
        ("predict_proba_one us", "proba", "{:.2f}"),
        ("longest wait ms", "longest", "{:.1f}"),
        ("rows learned / s", "speed", "{:,.0f}"),
    ]
    table = Table("Predicting one dict of 10 floats", columns_of_table, results)
    table.print(markdown=options.markdown)
    return 0


def _median(call: Callable[[], Any]) -> float:
    times = []
    for _ in range(CALLS):
        start = perf_counter_ns()
        call()
        times.append(perf_counter_ns() - start)
    return float(np.median(times)) * 1e-3


def _wait(model: Any, x: dict[str, float], rows: dict[str, Any], y: Any) -> tuple[float, float]:
    """The longest call in milliseconds, and the rows that were learned per second meanwhile."""
    seconds: list[float] = []

    def learn() -> None:
        start = perf_counter()
        model.partial_fit(rows, y)
        seconds.append(perf_counter() - start)

    learner = threading.Thread(target=learn)
    learner.start()
    longest = 0
    while learner.is_alive():
        start = perf_counter_ns()
        model.predict_one(x)
        longest = max(longest, perf_counter_ns() - start)
        sleep(1e-4)
    learner.join()
    return longest * 1e-6, len(y) / seconds[0]


if __name__ == "__main__":
    sys.exit(main())
