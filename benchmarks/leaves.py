"""How accurate, and how fast, is each kind of leaf?

Five streams of riparian.streams with seed 1, and elec2 and covertype where the environment
variable RIPARIAN_DATA names the folder with `elec2.csv.gz` and `covertype.csv.gz`, their nominal
columns as categories. The tree is HoeffdingTree with its defaults but for the leaf. Each row is
predicted, then learned, in one call for all rows; accuracy is over all of them. "No change" is the
share of rows whose class is that of the row before. The rate is rows by processor time, the best of
three runs (one, where a run takes more than five seconds). Progress goes to standard error, the
tables of docs/leaves.md to standard output.

    python benchmarks/leaves.py [--json] [--only elec2] [--shuffle] [--rows 200000]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from tables import Table

import riparian as rp
from riparian import streams

SYNTHETIC: dict[str, Callable[..., Any]] = {
    "RandomRBF": streams.random_rbf,
    "random tree": streams.random_tree,
    "SEA": streams.sea,
    "LED": streams.led,
    "hyperplane": streams.hyperplane,
}
#: Real streams, with what the names of their nominal columns begin with.
REAL = {"elec2": ("day",), "covertype": ("Wilderness_Area", "Soil_Type")}
DATA_VARIABLE = "RIPARIAN_DATA"

LEAVES: dict[str, str | tuple[str, ...]] = {
    "majority": "majority",
    "naive-bayes": "naive-bayes",
    "adaptive": "adaptive",
    "linear-units": "linear-units",
    "best of three": ("majority", "naive-bayes", "linear-units"),
}
BLOCK = 10_000
LONG = 5.0  # seconds


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=[*SYNTHETIC, *REAL])
    parser.add_argument("--rows", type=int, default=200_000, help="of each generator")
    parser.add_argument("--shuffle", action="store_true", help="the rows, which ends all runs")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)

    results = []
    for name in [*SYNTHETIC, *REAL]:
        if options.only not in (None, name):
            continue
        loaded = _load(name, options.rows)
        if loaded is None:
            _say(f"{name}: not there; {DATA_VARIABLE} names no folder that has it")
            continue
        X, y, nominal = loaded
        if options.shuffle:
            order = np.random.default_rng(1).permutation(len(y))
            X, y = X[order], y[order]
        result = {"stream": name, "rows": len(y), "no change": float(np.mean(y[1:] == y[:-1]))}
        for leaf, value in LEAVES.items():
            result[leaf], result[f"{leaf} rate"] = _measured(value, X, y, nominal)
            _say(f"{name}, {leaf}: {result[leaf]:.4f}")
        results.append(result)

    if options.json:
        print(json.dumps(results, indent=2))
        return 0
    head = [
        ("stream", "stream", "{}"),
        ("rows", "rows", "{:,}"),
        ("no change", "no change", "{:.3f}"),
    ]
    accuracy = [*head, *((leaf, leaf, "{:.3f}") for leaf in LEAVES)]
    rates = [head[0], *((leaf, f"{leaf} rate", "{:,.0f}") for leaf in LEAVES)]
    print(Table("Share of rows predicted rightly", accuracy, results).as_markdown())
    print()
    print(Table("Thousand rows a second, predicted and learned", rates, results).as_markdown())
    return 0


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _load(name: str, rows: int) -> tuple[Any, Any, list[int]] | None:
    """The rows and labels of a stream, and which columns hold codes of categories."""
    if name in SYNTHETIC:
        return (*SYNTHETIC[name](seed=1).take(rows), [])
    path = Path(os.environ.get(DATA_VARIABLE, "")) / f"{name}.csv.gz"
    if DATA_VARIABLE not in os.environ or not path.exists():
        return None
    _say(f"{name}: reading {path}")
    with streams.open_stream(path, target="target") as stream:
        names = stream.names
        blocks = list(stream.blocks(BLOCK))
    nominal = [j for j, column in enumerate(names) if column.startswith(REAL[name])]
    # Codes once for all runs: what is timed is the tree.
    X = np.column_stack([np.concatenate([X[column] for X, _ in blocks]) for column in names])
    return X, np.concatenate([y for _, y in blocks]), nominal


def _measured(
    leaf: str | tuple[str, ...], X: Any, y: Any, nominal: list[int]
) -> tuple[float, float]:
    """The share of right answers, and thousand rows a second to two digits."""
    times: list[float] = []
    right = 0.0
    while len(times) < 3 and not (times and times[0] > LONG):
        model = rp.HoeffdingTree(leaf=leaf, categorical_features=nominal or None)
        start = process_time()
        answers = model.prequential(X, y)
        times.append(process_time() - start)
        right = float(np.mean(answers == y))
    return right, float(f"{len(y) / min(times) / 1000:.2g}")


if __name__ == "__main__":
    raise SystemExit(main())
