"""How soon do trees learn small sets: those that restructure, and those that wait for confidence?

Each set is shuffled; a model learns the first 70 % row by row, and its accuracy on the others is
measured on the way. Mean over the shuffles. ITI takes the numbers, ID5R fifths of them (by the
quantiles of the rows learned from), VFDT and CTree their own defaults, and VFDT once more with a
grace period of 10. Real data sets must lie in the folder that RIPARIAN_DATA names.

    RIPARIAN_DATA=folder python benchmarks/small_sets.py [--shuffles 20]
"""

from __future__ import annotations

import argparse

import numpy as np
from riparian_experiments import datasets

import riparian as rp

SETS = ("iris", "seeds", "ecoli", "transfusion", "wifi")
SIZES = (10, 20, 40, 80, 160, 320, 640, 1280)
MODELS = {
    "ITI": lambda: rp.ITI(),
    "ITI, entropy": lambda: rp.ITI(metric="entropy"),
    "ID5R, fifths": lambda: rp.ID5R(),
    "VFDT": lambda: rp.VFDT(),
    "VFDT, eager": lambda: rp.VFDT(grace_period=10, leaf="adaptive"),
    "CTree": lambda: rp.CTree(),
}


def fifths(learned, X):
    edges = np.quantile(learned, [0.2, 0.4, 0.6, 0.8], axis=0)
    return np.stack([np.searchsorted(edges[:, f], X[:, f]) for f in range(X.shape[1])], axis=1)


def curves(name, shuffles):
    """Sizes, and for each model its mean accuracy at each of them."""
    sums = dict.fromkeys(MODELS, 0.0)
    for seed in range(1, shuffles + 1):
        X, y = datasets.load(name, as_="arrays", shuffle=seed, download=False)
        n = int(0.7 * len(y))
        sizes = [size for size in SIZES if size < n] + [n]
        for model, make in MODELS.items():
            rows = fifths(X[:n], X) if "fifths" in model else X
            learner, found, first = make(), [], 0
            for size in sizes:
                learner.partial_fit(rows[first:size], y[first:size])
                first = size
                found.append(float(np.mean(learner.predict(rows[n:]) == y[n:])))
            sums[model] = sums[model] + np.array(found) / shuffles
    return sizes, sums


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shuffles", type=int, default=20)
    shuffles = parser.parse_args().shuffles
    for name in SETS:
        sizes, found = curves(name, shuffles)
        print(f"| {name} | {' | '.join(map(str, sizes))} |")
        print(f"| --- |{' ---: |' * len(sizes)}")
        for model, accuracy in found.items():
            print(f"| {model} | {' | '.join(f'{100 * a:.1f}' for a in accuracy)} |")
        print(flush=True)


if __name__ == "__main__":
    main()
