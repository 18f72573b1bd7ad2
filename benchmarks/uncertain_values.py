"""Is it worth to learn distributions rather than their midpoints?

Streams whose values are known by an interval, by a mean and a deviation, or by what a classifier
believes, each learned twice: as distributions, and as the middle of the interval, the mean, or the
likeliest category. Each row is predicted before it is learned. Writes the table of
docs/uncertain.md.

    python benchmarks/uncertain_values.py [ROWS]
"""

from __future__ import annotations

import sys
import time

import numpy as np

import riparian as rp
from riparian import Uncertain
from riparian.adaptation import Window
from riparian.streams import led, random_rbf, sea

SEEDS = (1, 2, 3)


def brackets(x, parts):
    """Each number by the bracket that it is in: equally wide ones over the range of its feature."""
    low, width = x.min(axis=0), np.ptp(x, axis=0) / parts
    first = low + np.minimum(np.floor((x - low) / width), parts - 1) * width
    return first, first + width


def as_intervals(x, parts, rng):
    lo, hi = brackets(x, parts)
    cells = np.empty(x.shape, dtype=object)
    for i, j in np.ndindex(*x.shape):
        cells[i, j] = Uncertain.interval(lo[i, j], hi[i, j])
    return cells, (lo + hi) / 2.0


def as_readings(x, share, rng):
    """Numbers read with an error that is known, from 0 to `share` of the feature's spread."""
    sd = rng.uniform(0.0, share, x.shape) * x.std(axis=0)
    read = x + sd * rng.normal(size=x.shape)
    cells = np.empty(x.shape, dtype=object)
    for i, j in np.ndindex(*x.shape):
        cells[i, j] = Uncertain.normal(read[i, j], sd[i, j])
    return cells, read


def as_beliefs(x, least, rng):
    """Categories from a classifier that is right as often as it believes."""
    belief = rng.uniform(least, 1.0, x.shape)
    told = np.where(rng.random(x.shape) < belief, x, 1 - x).astype(int)
    names = np.array(["off", "on"], dtype=object)
    cells = np.empty(x.shape, dtype=object)
    for i, j in np.ndindex(*x.shape):
        p = belief[i, j]
        cells[i, j] = Uncertain.categories({names[told[i, j]]: p, names[1 - told[i, j]]: 1.0 - p})
    return cells, names[told]


def changing(seed, n):
    """Three numbers, the first of which says the class, after half of the rows the last one."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    y = (x[:, 0] > 0).astype(int)
    y[n // 2 :] = x[n // 2 :, 2] > 0
    return x, y


NUMBERS = {
    "4 brackets": (as_intervals, 4),
    "10 brackets": (as_intervals, 10),
    "readings, error up to 1 sd": (as_readings, 1.0),
    "readings, error up to 3 sd": (as_readings, 3.0),
}
WORDS = {
    "beliefs from 0.5 on": (as_beliefs, 0.5),
    "beliefs from 0.8 on": (as_beliefs, 0.8),
}
STREAMS = {
    "SEA": (lambda seed, n: sea(seed=seed).take(n), NUMBERS),
    "RandomRBF": (lambda seed, n: random_rbf(seed=seed).take(n), NUMBERS),
    "changing": (changing, NUMBERS),
    "LED": (lambda seed, n: led(seed=seed).take(n), WORDS),
}
TREES = {
    "VFDT": lambda n: rp.VFDT(leaf="adaptive"),
    "UCVFDT": lambda n: rp.UCVFDT(
        adaptation=Window(
            size=n // 5, validity_period=n // 20, test_period=n // 20, test_size=n // 100
        )
    ),
}


def accuracy(model, X, y):
    start = time.process_time()
    right = np.mean(model.prequential(X, y) == y)
    return 100.0 * right, time.process_time() - start


def main(n):
    print("| stream | values | tree | one value | distributions | difference | time |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for stream, (make, forms) in STREAMS.items():
        for form, (blur, how) in forms.items():
            for tree, build in TREES.items():
                found = []
                for seed in SEEDS:
                    x, y = make(seed, n)
                    cells, middle = blur(x, how, np.random.default_rng(seed))
                    found.append((*accuracy(build(n), middle, y), *accuracy(build(n), cells, y)))
                middle, t0, spread, t1 = np.mean(found, axis=0)
                print(
                    f"| {stream} | {form} | {tree} | {middle:.2f} | {spread:.2f} "
                    f"| {spread - middle:+.2f} | {t1 / t0:.0f} x |",
                    flush=True,
                )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
