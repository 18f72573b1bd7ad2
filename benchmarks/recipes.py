"""How accurate, how large and how fast is the tree of each recipe?

Streams of riparian.streams with seed 1; each row is predicted, then learned, in one call for all
rows. Parameters are each recipe's defaults, but leaves answer by majority everywhere, so that only
the splits differ. Accuracy is over all rows. The rate is rows by processor time, the best of three
runs (one, where a run takes more than five seconds).

    python benchmarks/recipes.py [--markdown | --json] [--only VFDT] [--rows 200000]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np
from tables import Table, add_forms

from riparian import streams
from riparian.bounds import ConfidencePractical
from riparian.models.registry import RECIPES

STREAMS: dict[str, Callable[..., Any]] = {
    "random tree": streams.random_tree,
    "SEA": streams.sea,
    "RandomRBF": streams.random_rbf,
}
#: Every recipe, and further choices that its paper names.
CHOICES: list[tuple[str, str, dict[str, Any]]] = [
    *((name, name, {}) for name in RECIPES if name != "HoeffdingTree"),
    ("CTree, c=0.05", "CTree", {"bound": ConfidencePractical(c=0.05)}),
    ("CTree, theoretical", "CTree", {"bound": "confidence"}),
    ("MDT, bins", "MDT", {"cuts": "bins"}),
    ("NIP, hoeffding", "NIP", {"bound": "hoeffding"}),
]
LONG = 5.0  # seconds


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", choices=list(RECIPES))
    parser.add_argument("--rows", type=int, default=200_000)
    add_forms(parser)
    options = parser.parse_args(arguments)

    results = []
    for stream, make in STREAMS.items():
        X, y = make(seed=1).take(options.rows)
        for label, recipe, parameters in sorted(CHOICES):
            if options.only in (None, recipe):
                found = _measured(RECIPES[recipe], {**parameters, "leaf": "majority"}, X, y)
                results.append({"stream": stream, "recipe": label, **found})
    if options.json:
        print(json.dumps(results, indent=2))
        return 0
    columns = [("recipe", "recipe", "{}")]
    rows: dict[str, dict[str, Any]] = {}
    for stream in STREAMS:
        for name in ("accuracy", "leaves (ties)", "k rows/s"):
            columns.append(
                (f"{stream}: {name}" if name == "accuracy" else name, stream + name, "{}")
            )
    for result in results:
        row, stream = (
            rows.setdefault(result["recipe"], {"recipe": result["recipe"]}),
            result["stream"],
        )
        row[stream + "accuracy"] = f"{result['accuracy']:.3f}"
        row[stream + "leaves (ties)"] = f"{result['leaves']} ({result['ties']})"
        rate = float(f"{result['rate'] / 1000:.2g}")  # two digits: more would not come again
        row[stream + "k rows/s"] = f"{rate:,.0f}"
    table = Table(f"{options.rows:,} rows of each stream", columns, list(rows.values()))
    table.print(markdown=options.markdown)
    return 0


def _measured(recipe: Any, parameters: dict[str, Any], X: Any, y: Any) -> dict[str, Any]:
    times: list[float] = []
    while len(times) < 3 and not (times and times[0] > LONG):
        model = recipe(**parameters)
        start = process_time()
        answers = model.prequential(X, y)
        times.append(process_time() - start)
    return {
        "accuracy": float(np.mean(answers == y)),
        "leaves": int(model.n_leaves_),
        "ties": sum(split.reason == "tie" for split in model.splits()),
        "rate": len(y) / min(times),
    }


if __name__ == "__main__":
    raise SystemExit(main())
