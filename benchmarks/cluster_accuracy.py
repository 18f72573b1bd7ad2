"""Accuracy of rounds against the sequential tree (goal C2 of the cluster).

    python benchmarks/cluster_accuracy.py [--rows N] [--streams N]

Prequential accuracy in percent; each row is predicted by the tree before its round. The limits are
1.0 point for each stream and 0.4 in the mean for adaptive leaves, and 2.0 for majority leaves.
"""

from __future__ import annotations

import argparse

import numpy as np

import riparian as rp
from riparian.cluster.evaluation import steps
from riparian.cluster.team import ALONE, SHARDS
from riparian.evaluate.results import Result
from riparian.streams.names import open_named

STREAMS = [
    "agrawal?concept=1", "agrawal?concept=3", "agrawal?concept=7", "hyperplane", "led",
    "random_rbf", "random_rbf?n_classes=5", "random_tree", "random_tree?seed=2", "sea", "sine",
    "stagger", "waveform", "mixed", "drifting", "random_rbf?seed=2", "hyperplane?seed=2",
    "agrawal?concept=9", "led?seed=2", "sea?seed=2",
]  # fmt: skip


def accuracies(name: str, rows: int, leaf: str) -> tuple[float, float]:
    alone = rp.evaluate.prequential(
        rp.VFDT(leaf=leaf), open_named(f"synth:{name}", print), rows=rows, progress=False
    )
    result = Result()
    with rp.cluster.threads(2) as pool:
        stream = open_named(f"synth:{name}", print)
        dealt = {"shards": SHARDS, "alone": ALONE}
        for _ in steps(rp.VFDT(leaf=leaf), stream, result, pool, **dealt, block=10_000, rows=rows):
            pass
    return 100 * alone.accuracy, 100 * result.accuracy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--streams", type=int, default=len(STREAMS))
    given = parser.parse_args()
    for leaf in ("adaptive", "majority"):
        differences = []
        for name in STREAMS[: given.streams]:
            try:
                alone, rounds = accuracies(name, given.rows, leaf)
            except (ValueError, TypeError, LookupError) as error:
                print(f"{leaf:9} {name:22} {str(error)[:80]}")
                continue
            differences.append(rounds - alone)
            print(
                f"{leaf:9} {name:22} {alone:6.2f} {rounds:6.2f} {rounds - alone:+.2f}", flush=True
            )
        print(
            f"{leaf:9} mean {np.mean(differences):+.2f}, least {min(differences):+.2f}", flush=True
        )


if __name__ == "__main__":
    main()
