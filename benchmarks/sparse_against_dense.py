"""How much less does a sparse row cost than the same row with all its zeros?

The data are made to resemble 20 newsgroups: 20 classes, 50,000 words with the frequencies of Zipf's
law, 100 different words in each text, some of them of the class, and weights of length 1 as tf-idf
has them. A VFDT learns and predicts the same rows as a CSR matrix and as dense arrays, in batches,
and both must make the same splits. Making the rows dense is not timed.

    python benchmarks/sparse_against_dense.py [--rows 2000] [--markdown]

The first table has processor time per row, with a check every 200 rows and without. The second
shows how the time of a sparse row depends on the columns and on the non-zeros. The third has the
memory of a leaf.
"""

from __future__ import annotations

import argparse
from time import process_time
from typing import Any

import numpy as np
from scipy import sparse
from tables import Table

from riparian import VFDT

BATCH = 250
CLASSES = 20


def texts(
    rows: int, columns: int, nonzeros: int, seed: int = 0
) -> tuple[sparse.csr_array, np.ndarray[Any, Any]]:
    """Rows of exactly this many non-zeros, and their classes."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, CLASSES, rows)
    indices = np.empty((rows, nonzeros), dtype=np.int32)
    own = max(1, nonzeros // 10)
    for row, label in enumerate(labels):
        # Words of the class are among the frequent ones; rank r has a frequency of about 1 / r.
        words = set((CLASSES + 50 * label + rng.integers(0, 50, own)).tolist())
        while len(words) < nonzeros:
            words.update((columns ** rng.random(nonzeros)).astype(int).tolist())
        chosen = rng.permutation(np.fromiter(words, dtype=np.int32))[:nonzeros]
        indices[row] = np.sort(chosen % columns)
    values = rng.gamma(2.0, 1.0, (rows, nonzeros))
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    starts = np.arange(rows + 1) * nonzeros
    matrix = sparse.csr_array((values.ravel(), indices.ravel(), starts), shape=(rows, columns))
    matrix.sum_duplicates()
    return matrix, labels


def model(*, checks: bool) -> VFDT:
    return VFDT(tau=0.4, grace_period=200 if checks else 1e9)


def microseconds(
    X: sparse.csr_array, y: np.ndarray[Any, Any], *, checks: bool, dense: bool
) -> tuple[float, float, VFDT]:
    """Processor time per row to learn and to predict, and the model.

    The first batch, which brings the names of the features, is not timed.
    """
    first_rows = X[:BATCH].toarray() if dense else X[:BATCH]
    tree = model(checks=checks).partial_fit(first_rows, y[:BATCH])
    spent = {"learn": 0.0, "predict": 0.0}
    for name, call in (
        ("learn", tree.partial_fit),
        ("predict", lambda rows, _: tree.predict(rows)),
    ):
        for first in range(BATCH, X.shape[0], BATCH):
            part = X[first : first + BATCH]
            rows = part.toarray() if dense else part
            start = process_time()
            call(rows, y[first : first + BATCH])
            spent[name] += process_time() - start
    return *(1e6 * spent[name] / (X.shape[0] - BATCH) for name in ("learn", "predict")), tree


def same_splits(one: VFDT, other: VFDT) -> bool:
    def cuts(tree: VFDT) -> list[str]:
        return [split.cut for split in tree.splits()]

    return cuts(one) == cuts(other)


def main(arguments: list[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--columns", type=int, default=50_000)
    parser.add_argument("--nonzeros", type=int, default=100)
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args(arguments)
    compared, memory = compare(options.rows, options.columns, options.nonzeros)
    compared.print(markdown=options.markdown, end="\n\n")
    by_size(options.rows).print(markdown=options.markdown, end="\n\n")
    memory.print(markdown=options.markdown)
    return 0


def compare(rows: int, columns: int, nonzeros: int) -> tuple[Table, Table]:
    """Time and memory of sparse rows and of dense ones."""
    X, y = texts(rows, columns, nonzeros)
    times, memory, splits = [], [], 0
    for checks in (True, False):
        learn, predict, tree = microseconds(X, y, checks=checks, dense=False)
        slow_learn, slow_predict, other = microseconds(X, y, checks=checks, dense=True)
        if not same_splits(tree, other):
            raise AssertionError("sparse and dense rows gave other splits")
        splits += len(tree.splits())
        what = f"learn, {'a check every 200 rows' if checks else 'no checks'}"
        times.append({"what": what, "sparse": learn, "dense": slow_learn})
        if checks:
            times.append({"what": "predict", "sparse": predict, "dense": slow_predict})
        leaves = f"{tree.n_leaves_} {'leaf' if tree.n_leaves_ == 1 else 'leaves'}"
        memory.append(
            {"what": leaves, "sparse": tree.memory_bytes_ / 1e6, "dense": other.memory_bytes_ / 1e6}
        )
    for row in (*times, *memory):
        row["ratio"] = row["dense"] / row["sparse"]
    figures = [("sparse", "sparse", "{:,.1f}"), ("dense", "dense", "{:,.1f}")]
    ratio = ("dense / sparse", "ratio", "{:,.1f}")
    title = f"{rows:,} rows, {columns:,} columns, {nonzeros} non-zeros, {splits} equal splits"
    return (
        Table(f"{title}: us per row", [("", "what", "{}"), *figures, ratio], times),
        Table("memory of the tree, MB", [("", "what", "{}"), *figures, ratio], memory),
    )


def by_size(rows: int) -> Table:
    """Time of sparse rows, by columns and non-zeros."""
    found = []
    for columns, nonzeros in (
        (5_000, 100),
        (50_000, 100),
        (500_000, 100),
        (50_000, 10),
        (50_000, 1_000),
    ):
        X, y = texts(rows, columns, nonzeros)
        learn, predict, _ = microseconds(X, y, checks=False, dense=False)
        found.append({"columns": columns, "nonzeros": nonzeros, "learn": learn, "predict": predict})
    return Table(
        "sparse rows without checks: us per row",
        [
            ("columns", "columns", "{:,}"),
            ("non-zeros", "nonzeros", "{:,}"),
            ("learn", "learn", "{:,.2f}"),
            ("predict", "predict", "{:,.2f}"),
        ],
        found,
    )


if __name__ == "__main__":
    raise SystemExit(main())
