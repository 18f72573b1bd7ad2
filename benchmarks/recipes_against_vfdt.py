"""How fast does each recipe learn, as a share of VFDT's speed?

RandomRBF (10 numbers, five classes), majority leaves, the same grace period for all. The recipes
take turns; the figure is the least processor time of VFDT's turns over the least of the recipe's.
Recipes that keep values and not Gaussians are left out.

    python benchmarks/recipes_against_vfdt.py [--markdown] [--rows 300000] [--repeats 5]
"""

from __future__ import annotations

import argparse
import sys
from time import process_time
from typing import Any

import numpy as np
import workloads
from tables import Table

from riparian.impurities import Accuracy
from riparian.models.registry import RECIPES

COSTS = 1.0 - np.eye(5)
CHOICES: list[tuple[str, str, dict[str, Any]]] = [
    ("VFDT", "VFDT", {}),
    *((name, name, {}) for name in RECIPES if name not in ("VFDT", "VFDTc", "NIP")),
    ("MDT, bins", "MDT", {"cuts": "bins"}),
    ("MDT, delayed", "MDT", {"cuts": "delayed"}),
    ("MDT, combined", "MDT", {"cuts": "combined"}),
    ("CorrectedVFDT, holdout", "CorrectedVFDT", {"impurity": Accuracy(evaluator="holdout")}),
    ("CorrectedVFDT, loss", "CorrectedVFDT", {"impurity": "loss", "costs": COSTS}),
]
GRACE_PERIOD = 200


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args(arguments)

    workload = workloads.load("rbf", options.rows)
    assert workload is not None
    seconds = {label: float("inf") for label, _, _ in CHOICES}
    leaves = {}
    for _ in range(options.repeats):
        for label, recipe, parameters in CHOICES:
            model = RECIPES[recipe](leaf="majority", grace_period=GRACE_PERIOD, **parameters)
            start = process_time()
            model.partial_fit(workload.X, workload.y)
            seconds[label] = min(seconds[label], process_time() - start)
            leaves[label] = model.n_leaves_
    rows = [
        {
            "recipe": label,
            "share": seconds["VFDT"] / seconds[label],
            "nanoseconds": seconds[label] / len(workload.y) * 1e9,
            "leaves": leaves[label],
        }
        for label, _, _ in CHOICES
    ]
    columns = [
        ("recipe", "recipe", "{}"),
        ("share of VFDT's speed", "share", "{:.2f}"),
        ("ns a row", "nanoseconds", "{:.0f}"),
        ("leaves", "leaves", "{}"),
    ]
    table = Table(f"Learning {workload}", columns, rows)
    table.print(markdown=options.markdown)
    return 0


if __name__ == "__main__":
    sys.exit(main())
