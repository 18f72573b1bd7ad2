"""Does CVFDT recover sooner where concepts recur, with an archive of what it replaced?

Two concepts take turns. Rows to recover are counted in parts of 500 rows, from each change to the
first part within 2 points of the best before the next change; the first visit of each concept is
left out, since there is nothing to take back. Of the rest the median is given.

    python benchmarks/archive.py [--rows 200000] [--every 20000] [--markdown]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
from tables import Table

import riparian as rp
from riparian import streams
from riparian.adaptation import Window

PART = 500
SIZES = (0, 1, 4)
#: A window that is short against the time between two changes, and checks that go with it.
WINDOW = Window(size=5_000, validity_period=500, test_period=2_000, test_size=300)
CONCEPTS: dict[str, Callable[[int], streams.Stream]] = {
    "SEA": lambda i: streams.sea(concept=(1, 3)[i], seed=1 + i),
    "hyperplane": lambda i: streams.hyperplane(n_drifting=0, seed=1 + i),
    "RandomRBF": lambda i: streams.random_rbf(seed=1 + i),
    "STAGGER": lambda i: streams.stagger(concept=(1, 3)[i], seed=1 + i),
    "Agrawal": lambda i: streams.agrawal(concept=(1, 4)[i], seed=1 + i),
}


def main(arguments: list[str] | None = None) -> int:
    """Print accuracy, rows to recover and subtrees taken back for each size of the archive."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--every", type=int, default=20_000)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args(arguments)
    found = []
    for name, make in CONCEPTS.items():
        stream = streams.recurring_drift([make(0), make(1)], every=options.every)
        X, y = stream.take(options.rows)
        nominal = [j for j, label in enumerate(stream.names) if label in stream.categories]
        row: dict[str, Any] = {"stream": name}
        for size in SIZES:
            model = rp.CVFDT(
                adaptation=WINDOW.replace(archive=size),
                categorical_features=nominal or "from_dtype",
            )
            right = model.prequential(X, y) == y
            row[f"accuracy {size}"] = right.mean()
            row[f"recovered {size}"] = median(rows_to_recover(right, options.every))
            row[f"back {size}"] = model.change_counts()["recalled"]
        found.append(row)
    columns = [("stream", "stream", "{}")]
    columns += [(f"accuracy, {s} kept", f"accuracy {s}", "{:.4f}") for s in SIZES]
    columns += [(f"rows to recover, {s} kept", f"recovered {s}", "{:,.0f}") for s in SIZES]
    columns += [(f"taken back, {s} kept", f"back {s}", "{}") for s in SIZES[1:]]
    table = Table("An archive of replaced subtrees", columns, found)
    table.print(markdown=options.markdown)
    return 0


def rows_to_recover(right: Any, every: int) -> list[int]:
    """Rows from each return of a concept until a part is as good as the best, within 2 points."""
    parts = right.reshape(-1, every // PART, PART).mean(axis=2)[2:]
    return [int(np.flatnonzero(p >= p.max() - 0.02)[0] + 1) * PART for p in parts]


if __name__ == "__main__":
    raise SystemExit(main())
