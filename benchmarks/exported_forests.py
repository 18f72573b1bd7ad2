"""What does an exported forest lose where its leaves are read as majority leaves?

An AdaptiveRandomForest with its own adaptive leaves, the same as ONNX with leaf="majority", and one
whose members learn with majority leaves, which is exported as it answers. Each learns the first
rows of a stream and is asked about the next 10,000. Real streams are there where the environment
variable RIPARIAN_DATA names their folder. The table of docs/exports.md.

    python benchmarks/exported_forests.py [--rows 60000]
"""

from __future__ import annotations

import argparse
import os
from typing import Any

import numpy as np
import onnxruntime
from riparian_experiments import datasets
from tables import Table

import riparian as rp

ASKED = 10_000
SYNTHETIC = {
    "RandomRBF": rp.streams.random_rbf,
    "random tree": rp.streams.random_tree,
    "SEA": rp.streams.sea,
    "hyperplane": rp.streams.hyperplane,
}
REAL = ("elec2", "covertype") if "RIPARIAN_DATA" in os.environ else ()
#: The members that come by default, with other leaves.
MAJORITY = rp.HoeffdingTree(grace_period=50, delta=0.01, inherit_counts="count", leaf="majority")


def main(arguments: list[str] | None = None) -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=60_000, help="that are learned, at most")
    options = parser.parse_args(arguments)
    rows = []
    for name in (*SYNTHETIC, *REAL):
        X, y = taken(name, options.rows + ASKED)
        learned = len(y) - ASKED
        own = rp.AdaptiveRandomForest(random_state=1).fit(X[:learned], y[:learned])
        other = rp.AdaptiveRandomForest(estimator=MAJORITY, random_state=1)
        other.fit(X[:learned], y[:learned])
        asked, true = X[learned:], y[learned:]
        made = own.to_onnx(leaf="majority").SerializeToString()
        session = onnxruntime.InferenceSession(made, providers=["CPUExecutionProvider"])
        (exported,) = session.run(["label"], {"X": asked})
        rows.append(
            {
                "stream": name,
                "own": own.score(asked, true),
                "read": float(np.mean(exported == true)),
                "learned": other.score(asked, true),
                "leaves": own.n_leaves_,
                "bytes": len(made) / 1e6,
            }
        )
    columns = [
        ("stream", "stream", "{}"),
        ("adaptive leaves", "own", "{:.2%}"),
        ("exported with majority leaves", "read", "{:.2%}"),
        ("learned with majority leaves", "learned", "{:.2%}"),
        ("leaves", "leaves", "{:,}"),
        ("MB of ONNX", "bytes", "{:.2f}"),
    ]
    print(Table("Accuracy", columns, rows).as_markdown())


def taken(name: str, rows: int) -> tuple[Any, Any]:
    """Give the first rows of a stream as numbers."""
    if name in SYNTHETIC:
        return SYNTHETIC[name](seed=1).take(rows)
    X, y = datasets.load(name, as_="arrays")
    codes = np.unique(y, return_inverse=True)[1]
    return np.ascontiguousarray(X[:rows], dtype=np.float64), codes[:rows]


if __name__ == "__main__":
    main()
