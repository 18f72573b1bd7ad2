"""How long do `learn_one` and `predict_one` take, for riparian and for River?

Each example is a dict of ten floats (RandomRBF): it is predicted, then learned. The figure is the
median time of both calls, in microseconds, after a start on other rows.

    python benchmarks/one_at_a_time.py [--markdown | --json] [--only river] [--rows 20000]
"""

from __future__ import annotations

import argparse
import json
import sys
from time import perf_counter_ns
from typing import Any

import numpy as np
import workloads
from peers.riparian_tree import RiparianTree
from peers.river_tree import RiverTree
from tables import Table, add_forms

SIDES: dict[str, type[RiparianTree] | type[RiverTree]] = {
    "riparian": RiparianTree,
    "river": RiverTree,
}
START_ROWS = 20_000


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=list(SIDES))
    parser.add_argument("--rows", type=int, default=20_000, help="timed rows")
    add_forms(parser)
    options = parser.parse_args(arguments)

    workload = workloads.load("rbf", START_ROWS + options.rows)
    assert workload is not None
    names = [f"x{j}" for j in range(workload.X.shape[1])]
    examples = [dict(zip(names, row, strict=True)) for row in workload.X.tolist()]
    labels = workload.y.tolist()
    results = []
    for task, leaf in (("prequential", "adaptive"), ("learn", "majority")):
        result: dict[str, Any] = {"leaf": leaf}
        for name, side in SIDES.items():
            if options.only in (None, name):
                times = _times(side(workload, task).model(), examples, labels)
                result[name] = float(np.median(times))
                result[f"{name}_99"] = float(np.percentile(times, 99))
        if options.only is None:
            result["ratio"] = result["river"] / result["riparian"]
        results.append(result)

    if options.json:
        print(json.dumps(results, indent=2))
        return 0
    columns = [
        ("leaves", "leaf", "{}"),
        ("riparian us", "riparian", "{:.2f}"),
        ("99 % below", "riparian_99", "{:.2f}"),
        ("River us", "river", "{:.1f}"),
        ("99 % below", "river_99", "{:.1f}"),
        ("River / riparian", "ratio", "{:.0f}"),
    ]
    table = Table("predict_one and learn_one of one dict of 10 floats, median", columns, results)
    table.print(markdown=options.markdown)
    return 0


def _times(model: Any, examples: list[dict[str, float]], labels: list[int]) -> list[float]:
    pairs = list(zip(examples, labels, strict=True))
    for x, label in pairs[:START_ROWS]:
        model.predict_one(x)
        model.learn_one(x, label)
    times = []
    for x, label in pairs[START_ROWS:]:
        start = perf_counter_ns()
        model.predict_one(x)
        model.learn_one(x, label)
        times.append((perf_counter_ns() - start) * 1e-3)
    return times


if __name__ == "__main__":
    sys.exit(main())
