"""What do adaptive_grace, drop_poor_features and short_memory change: speed, size, accuracy?

Each option alone against the same tree without it, on the benchmark streams with a seed of 1, and
on elec2 and covertype where RIPARIAN_DATA names their folder. Leaves answer by majority. The time
is processor time of learning all rows in one call, both sides in turn, the best of five; accuracy
is that of a run that predicts each row before it is learned.

    python benchmarks/growth.py [--markdown | --json] [--only rbf] [--rows 200000]
"""

from __future__ import annotations

import argparse
import json
from time import process_time
from typing import Any

import numpy as np
from tables import Table
from workloads import NAMES, Workload, load

from riparian import HoeffdingTree

OPTIONS: dict[str, dict[str, Any]] = {
    "adaptive_grace": {"adaptive_grace": True},
    "drop_poor_features": {"drop_poor_features": True},
    "short_memory=1000": {"short_memory": 1000},
}
RUNS = 5


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=NAMES)
    parser.add_argument("--rows", type=int)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true")
    form.add_argument("--markdown", action="store_true")
    options = parser.parse_args(arguments)

    results = []
    for name in NAMES if options.only is None else (options.only,):
        workload = load(name, options.rows)
        if workload is not None:
            results += _measured(workload)
    if options.json:
        print(json.dumps(results, indent=2))
        return 0
    columns = [
        ("stream", "stream", "{}"),
        ("time without / with", "speed", "{:.2f}"),
        ("bytes with / without", "bytes", "{:.2f}"),
        ("checks without", "checks_without", "{:,}"),
        ("with", "checks", "{:,}"),
        ("leaves without", "leaves_without", "{:,}"),
        ("with ", "leaves", "{:,}"),
        ("accuracy without", "accuracy_without", "{:.2%}"),
        (" with", "accuracy", "{:.2%}"),
    ]
    for option in OPTIONS:
        rows = [result for result in results if result["option"] == option]
        table = Table(option, columns, rows)
        print((table.as_markdown() if options.markdown else table.as_text()) + "\n")
    return 0


def _measured(workload: Workload) -> list[dict[str, Any]]:
    def fresh(parameters: dict[str, Any]) -> HoeffdingTree:
        return HoeffdingTree(
            leaf="majority", categorical_features=workload.nominal or "from_dtype", **parameters
        )

    sides = {"": {}, **OPTIONS}
    times: dict[str, list[float]] = {side: [] for side in sides}
    trees = {}
    for _ in range(RUNS):
        for side, parameters in sides.items():
            tree = fresh(parameters)
            start = process_time()
            tree.partial_fit(workload.X, workload.y)
            times[side].append(process_time() - start)
            trees[side] = tree
    found = {}
    for side, parameters in sides.items():
        answers = fresh(parameters).prequential(workload.X, workload.y)
        found[side] = {
            "seconds": min(times[side]),
            "checks": round(trees[side]._engine.delta_spent / trees[side].delta),
            "leaves": int(trees[side].n_leaves_),
            "bytes": int(trees[side].memory_bytes_),
            "accuracy": float(np.mean(answers == workload.y)),
        }
    plain = found.pop("")
    return [
        {
            "stream": workload.name,
            "option": option,
            "speed": plain["seconds"] / with_it["seconds"],
            "bytes": with_it["bytes"] / plain["bytes"],
            **{f"{key}_without": plain[key] for key in ("checks", "leaves", "accuracy")},
            **{key: with_it[key] for key in ("checks", "leaves", "accuracy")},
        }
        for option, with_it in found.items()
    ]


if __name__ == "__main__":
    raise SystemExit(main())
