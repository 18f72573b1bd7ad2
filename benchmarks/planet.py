"""How long does PLANET take for one tree on two processes, compared with LightGBM on two threads?

Both grow one tree of the same depth from the same rows, with the same number of bins and the same
smallest leaf. Rows are in memory when the clock starts: what is measured is finding the bins,
binning the rows and growing the tree. Rounds alternate within one run, so that what else the
machine does falls on both; a figure is the ratio of the best times, and of the medians.

    pip install --group benchmark
    python benchmarks/planet.py [--rows 10_000_000] [--features 20] [--depth 8] [--rounds 3]
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import riparian as rp
from riparian.cluster.crew import PoolCrew

FILES = 16


def rows_of(seed: int, rows: int, features: int) -> tuple[Any, Any]:
    """Rows whose class depends on all features, so that no node is pure."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, features))
    score = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + 0.3 * X[:, 3:].sum(axis=1)
    return X, (score + rng.normal(size=rows) > 0).astype(np.int64)


def write(folder: Path, rows: int, features: int) -> None:
    """Write the rows as Arrow files, which workers read without parsing."""
    for number in range(FILES):
        X, y = rows_of(number, rows // FILES, features)
        names = [f"x{f}" for f in range(features)]
        table = pa.table(
            [*(np.ascontiguousarray(X[:, f]) for f in range(features)), y], names=[*names, "y"]
        )
        with pa.ipc.new_file(str(folder / f"{number:02}.arrow"), table.schema) as writer:
            writer.write_table(table, max_chunksize=1 << 18)


class Clock:
    """The seconds of each method of the workers, noted by their coordinator."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._each = PoolCrew.each

    def __enter__(self) -> Clock:
        clock = self

        def timed(crew: PoolCrew, method: str, messages: Any) -> list[bytes]:
            began = time.perf_counter()
            answers = clock._each(crew, method, messages)
            spent = time.perf_counter() - began
            clock.seconds[method] = clock.seconds.get(method, 0.0) + spent
            return answers

        PoolCrew.each = timed  # type: ignore[method-assign]
        return self

    def __exit__(self, *error: object) -> None:
        PoolCrew.each = self._each  # type: ignore[method-assign]


def by_planet(
    folder: Path, depth: int, bins: int, least: int
) -> tuple[float, Any, dict[str, float]]:
    with Clock() as clock, rp.cluster.processes(2) as pool:
        began = time.perf_counter()
        model = rp.cluster.planet(
            str(folder / "*.arrow"),
            "y",
            pool=pool,
            model=rp.VFDT(leaf="majority", impurity="gini"),
            max_depth=depth,
            bins=bins,
            min_rows=least,
            in_memory=0,
        )
        total = time.perf_counter() - began
    return total - clock.seconds["load"], model, clock.seconds


def by_lightgbm(X: Any, y: Any, depth: int, bins: int, least: int) -> tuple[float, float, Any]:
    import lightgbm

    began = time.perf_counter()
    data = lightgbm.Dataset(X, y, params={"max_bin": bins, "verbosity": -1, "num_threads": 2})
    data.construct()
    binned = time.perf_counter() - began
    settings = {
        "objective": "binary",
        "max_depth": depth,
        "num_leaves": 2**depth,
        "max_bin": bins,
        "min_data_in_leaf": least,
        "num_threads": 2,
        "verbosity": -1,
        "learning_rate": 1.0,
    }
    model = lightgbm.train(settings, data, num_boost_round=1)
    return time.perf_counter() - began, binned, model


def cpu() -> float:
    """CPU seconds of this process and of those that have ended."""
    return sum(
        u.ru_utime + u.ru_stime
        for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument("--bins", type=int, default=64)
    parser.add_argument("--least", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    settings = given.depth, given.bins, given.least
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(folder, given.rows, given.features)
        parts = [rows_of(number, given.rows // FILES, given.features) for number in range(FILES)]
        X, y = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
        del parts
        test_X, test_y = rows_of(FILES, 100_000, given.features)
        for number in range(given.rounds):
            before = cpu()
            seconds, model, steps = by_planet(folder, *settings)
            spent = cpu() - before
            before = cpu()
            other, binned, booster = by_lightgbm(X, y, *settings)
            of_other = cpu() - before
            ours.append(seconds)
            theirs.append(other)
            named = {f"x{f}": test_X[:, f] for f in range(given.features)}
            print(
                f"round {number}: PLANET {seconds:.2f} s (cpu with reading {spent:.1f} s; "
                + ", ".join(f"{step} {s:.2f}" for step, s in steps.items())
                + f"), {model.n_leaves_} leaves, accuracy {model.score(named, test_y):.4f}; "
                f"LightGBM {other:.2f} s (cpu {of_other:.1f} s; bins {binned:.2f}), "
                f"{booster.num_trees()} tree, accuracy "
                f"{np.mean((booster.predict(test_X) > 0.5) == test_y):.4f}; "
                f"load average {os.getloadavg()[0]:.1f}",
                flush=True,
            )
    print(
        f"ratio of the best times {min(ours) / min(theirs):.2f}, of the medians "
        f"{statistics.median(ours) / statistics.median(theirs):.2f}"
    )


if __name__ == "__main__":
    main()
