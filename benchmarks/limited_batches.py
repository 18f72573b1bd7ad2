"""Does a memory limit cost time where batches bring new names?

The same batches are learned by a model without a limit and by one with a limit that is far away,
so that both keep all leaves and differ only in what the limit itself costs. Each batch has a few
categories that are new, as a column of customers brings them; a third run has none. Both learn in
turn, batch by batch, and the figure is the ratio of their processor times.

    python benchmarks/limited_batches.py [--batches 200] [--rows 500] [--repeat 3] [--markdown]

``max_categories`` is high, so that names do not stop growing. The last line of each model has a
limit that is reached: names stop growing and leaves become inactive, so the model is another one.
"""

from __future__ import annotations

import argparse
from time import process_time
from typing import Any

import numpy as np
from tables import Table

import riparian as rp

MODELS = {
    "StreamTree": lambda **limits: rp.StreamTree(**limits),
    "StreamForest, 10 members": lambda **limits: rp.StreamForest(
        n_estimators=10, n_jobs=1, random_state=1, **limits
    ),
}
#: The limits that are compared, and how many categories of a batch are new.
CASES = [("1GB", 0), ("1GB", 1), ("1GB", 20), ("2MB", 20)]


def batch(number: int, rows: int, n_new: int) -> tuple[dict[str, Any], np.ndarray[Any, Any]]:
    """Return the rows of a batch and their classes."""
    rng = np.random.default_rng([3, number])
    X: dict[str, Any] = {f"x{i}": rng.normal(size=rows) for i in range(10)}
    known = [f"shop {i}" for i in range(20)]
    shops = np.array(known, dtype=object)[rng.integers(20, size=rows)]
    for i in range(n_new):
        shops[rng.integers(rows)] = f"shop {number}-{i}"
    X["shop"] = shops
    return X, (X["x0"] + X["x1"] > 0).astype(int) + (X["x2"] > 1)


def compare(make: Any, limit: str, n_new: int, options: argparse.Namespace) -> dict[str, Any]:
    """Learn the same batches without and with a limit, in turn."""
    least = np.full((2, options.batches), np.inf)
    for _ in range(options.repeat):
        # A feature whose categories are almost all new would be left out as an identifier.
        models = [
            make(max_bytes=bound, max_categories=100_000, categorical_features=["shop"])
            for bound in (None, limit)
        ]
        for number in range(options.batches):
            X, y = batch(number, options.rows, n_new)
            for which in (0, 1) if number % 2 else (1, 0):
                start = process_time()
                models[which].partial_fit(X, y)
                spent = process_time() - start
                least[which, number] = min(least[which, number], spent)
    without, limited = (1e3 * least.mean(axis=1)).tolist()
    return {
        "limit": limit,
        "new": n_new,
        "without": without,
        "limited": limited,
        "ratio": limited / without,
        "MB": models[1].memory_bytes_ / 1e6,
    }


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--batches", type=int, default=200)
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--repeat", type=int, default=3, help="the least time of a batch counts")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args(arguments)
    found = [
        {"model": name, **compare(make, limit, n_new, options)}
        for name, make in MODELS.items()
        for limit, n_new in CASES
    ]
    columns = [
        ("model", "model", "{}"),
        ("max_bytes", "limit", "{}"),
        ("new categories", "new", "{}"),
        ("no limit, ms", "without", "{:.2f}"),
        ("limited, ms", "limited", "{:.2f}"),
        ("limited / no limit", "ratio", "{:.2f}"),
        ("MB", "MB", "{:.1f}"),
    ]
    title = f"Batches of {options.rows} rows, milliseconds per batch"
    Table(title, columns, found).print(markdown=options.markdown)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
