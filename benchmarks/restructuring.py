"""How fast are the restructuring trees, against building the tree again after every example?

ITI learns the rows of MAGIC one after another and has the exact tree after each. Beside it, in
the same process and in turn, scikit-learn's DecisionTreeClassifier is fitted to the rows so far
after every `--every`-th of them; its sum over all rows is that times `--every`. ID5R learns a
stream of ten categorical features. All times are process times.

    RIPARIAN_DATA=folder python benchmarks/restructuring.py
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from riparian_experiments import datasets
from sklearn.tree import DecisionTreeClassifier

import riparian as rp


def timed(job):
    start = time.process_time()
    job()
    return time.process_time() - start


def against_rebuilding(X, y, metric, every, report):
    """Seconds of ITI and of scikit-learn, and ITI's for each `report` rows."""
    model = rp.ITI(metric=metric)
    ours = theirs = 0.0
    steps = []
    last = 0.0
    for end in range(every, len(y) + 1, every):
        rows = slice(end - every, end)
        ours += timed(lambda rows=rows: model.partial_fit(X[rows], y[rows]))
        batch = DecisionTreeClassifier(criterion="entropy", random_state=0)
        theirs += every * timed(lambda batch=batch, end=end: batch.fit(X[:end], y[:end]))
        if end % report < every:
            steps.append((end, (ours - last) / report))
            last = ours
            print(f"  {end:6,} rows: ITI {ours:8.1f} s, rebuilding {theirs:8.1f} s", flush=True)
    return model, ours, theirs, steps


def categories(n, seed=1):
    """Ten features of two to five values; the label follows four of them, a tenth is noise."""
    rng = np.random.default_rng(seed)
    sizes = [2, 3, 4, 5, 2, 3, 4, 5, 2, 3]
    X = np.stack([rng.integers(0, k, n) for k in sizes], axis=1)
    y = ((X[:, 0] == 1) & (X[:, 1] != 2)) | ((X[:, 2] == 3) & (X[:, 4] == 0))
    return X, y ^ (rng.random(n) < 0.1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--metric", default="entropy", choices=["entropy", "gain-ratio"])
    parser.add_argument("--every", type=int, default=100)
    parser.add_argument("--rows", type=int, default=19_020)
    parser.add_argument("--categorical-rows", type=int, default=20_000)
    arguments = parser.parse_args()

    X, y = datasets.load("magic", as_="arrays", shuffle=1, download=False)
    X, y = X[: arguments.rows], y[: arguments.rows]
    print(f"ITI(metric={arguments.metric!r}) over {len(y):,} rows of MAGIC")
    model, ours, theirs, steps = against_rebuilding(X, y, arguments.metric, arguments.every, 2_000)
    print(f"  {theirs / ours:.1f} times faster; {model.n_leaves_} leaves, depth {model.depth_}")
    print(f"  {model.n_restructurings_:,} restructurings, {model.memory_bytes_ / 1e6:.0f} MB")
    for end, seconds in steps:
        print(f"  up to {end:6,} rows: {1e3 * seconds:6.2f} ms an example")

    X, y = categories(arguments.categorical_rows)
    model = rp.ID5R()
    print(f"ID5R over {len(y):,} rows of ten categorical features")
    for first in range(0, len(y), len(y) // 4):
        rows = slice(first, first + len(y) // 4)
        seconds = timed(lambda rows=rows: model.partial_fit(X[rows], y[rows]))
        rate = (rows.stop - rows.start) / seconds
        print(f"  up to {rows.stop:6,} rows: {rate:9,.0f} examples a second")
    print(f"  {model.n_leaves_:,} leaves, {model.n_restructurings_:,} pull-ups")


if __name__ == "__main__":
    main()
