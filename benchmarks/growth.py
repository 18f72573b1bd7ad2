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
from tables import Table, add_forms
from workloads import NAMES, Workload, load

from riparian import HoeffdingTree

OPTIONS: dict[str, dict[str, Any]] = {
    "adaptive_grace": {"adaptive_grace": True},
    "drop_poor_features": {"drop_poor_features": True},
    "short_memory=1000": {"short_memory": 1000},
}
RUNS = 5
#: Two close features tell the class, 98 do not, and without ties the root waits for ever.
TWINS = "twins"


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=(*NAMES, TWINS))
    parser.add_argument("--rows", type=int)
    add_forms(parser)
    options = parser.parse_args(arguments)

    results = []
    for name in (*NAMES, TWINS) if options.only is None else (options.only,):
        workload = _twins(options.rows or 100_000) if name == TWINS else load(name, options.rows)
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
        table.print(markdown=options.markdown, end="\n\n")
    return 0


def _twins(rows: int) -> Workload:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(rows, 100))
    X[:, 1] = X[:, 0] + 0.01 * rng.normal(size=rows)
    return Workload(TWINS, X, (X[:, 0] > 0).astype(np.int64))


def _measured(workload: Workload) -> list[dict[str, Any]]:
    def fresh(parameters: dict[str, Any]) -> HoeffdingTree:
        return HoeffdingTree(
            leaf="majority",
            tau=0.0 if workload.name == TWINS else 0.05,
            categorical_features=workload.nominal or "from_dtype",
            **parameters,
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
