"""What do columns that never end cost: memory and accuracy with and without them?

Four streams have two features that decide the class, and something that never ends:

- ``id``: a text column of ids, new in every row
- ``categories``: the same column, declared as categorical, so that it is kept
- ``date``: a column of dates and times, which never stop
- ``features``: a new feature in every row, as dicts of keys bring them, up to 100,000 of them

Each is learned with and without a memory limit, and compared with the stream without it. Accuracy
is prequential. Memory is ``memory_bytes_`` after the last block, and the most after any block.

    python benchmarks/endless_names.py                      # 200,000 rows
    python benchmarks/endless_names.py --rows 10_000_000 --stream categories --model StreamTree
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

import riparian as rp

BLOCK = 50_000
STREAMS = ["none", "id", "date", "categories", "features"]


Columns = dict[str, NDArray[Any]]


def rows(n: int, first: int, seed: int) -> tuple[Columns, NDArray[Any]]:
    """Return rows of the two features that decide, and their classes."""
    rng = np.random.default_rng([seed, first])
    number, code = rng.uniform(size=n), rng.integers(8, size=n)
    right = (number > 0.5) ^ (code % 2 == 1)
    labels = np.where(rng.uniform(size=n) < 0.05, ~right, right)
    jobs = np.array([f"job {i}" for i in range(8)], dtype=object)[code]
    return {"number": number, "job": jobs}, labels


def block_of(stream: str, n: int, first: int) -> tuple[Columns, NDArray[Any]]:
    """Return the rows of a stream from one on."""
    X, y = rows(n, first, seed=1)
    if stream in ("id", "categories"):
        X["id"] = np.array([f"user-{i:09d}" for i in range(first, first + n)], dtype=object)
    if stream == "date":
        X["at"] = np.datetime64("2026-01-01T00:00:00", "s") + np.arange(first, first + n)
    return X, y


def run(model: Any, stream: str, n_rows: int) -> tuple[float, int, int, float]:
    """Learn a stream; return the accuracy, the bytes now and at most, and the seconds."""
    right, most, start = 0, 0, time.process_time()
    size = BLOCK
    for first in range(0, n_rows, size):
        n = min(size, n_rows - first)
        X, y = block_of(stream, n, first)
        if stream == "features":
            right += one_by_one(model, X, y, first)
        else:
            right += int((model.prequential(X, y) == y).sum())
        most = max(most, model.memory_bytes_)
    return right / n_rows, model.memory_bytes_, most, time.process_time() - start


def one_by_one(model: Any, X: Columns, y: NDArray[Any], first: int) -> int:
    """Predict and learn rows as dicts, each with a key of its own; return how many were right."""
    right = 0
    names, columns = list(X), [c.tolist() for c in X.values()]
    for row, label in enumerate(y.tolist()):
        x = dict(zip(names, (column[row] for column in columns), strict=True))
        x[f"key {min(first + row, 99_999)}"] = 1.0
        right += model.predict_one(x) == label
        model.learn_one(x, label)
    return right


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--stream", choices=STREAMS, nargs="*")
    parser.add_argument("--model", choices=["StreamTree", "StreamForest"], nargs="*")
    parser.add_argument("--max-bytes", default="4MB")
    given = parser.parse_args()
    warnings.simplefilter("ignore", UserWarning)
    print("| model | max_bytes | stream | accuracy | bytes | most bytes | features | CPU s |")
    print("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |")
    for name in given.model or ["StreamTree", "StreamForest"]:
        for limit in (None, given.max_bytes):
            for stream in given.stream or STREAMS:
                declared = ["job", "id"] if stream == "categories" else "from_dtype"
                model = getattr(rp, name)(max_bytes=limit, categorical_features=declared)
                accuracy, now, most, seconds = run(model, stream, given.rows)
                print(
                    f"| {name} | {limit or 'none'} | {stream} | {accuracy:.4f} | {now:,} | "
                    f"{most:,} | {model.n_features_in_:,} | {seconds:.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
