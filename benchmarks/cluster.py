"""What several workers cost and gain: goals C3 and C4, and the constants of the cost model.

    python benchmarks/cluster.py                  all figures but those of a forest
    python benchmarks/cluster.py --ray            the same on a Ray cluster of this machine
    python benchmarks/cluster.py --rows N         a file of N rows (2,000,000)
    python benchmarks/cluster.py --file FILE      rows in this file, with the column y
    python benchmarks/cluster.py --only speed     one of constants, overhead, speed, forest
    python benchmarks/cluster.py --only forest --rows N --pools processes

Each time is the best of a few, alternating, in one run. On a busy machine only ratios mean much.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import riparian as rp
from riparian.cluster.dealing import rounds_for
from riparian.cluster.pool import Pool
from riparian.cluster.rounds import Rounds
from riparian.cluster.shards import merged, slices
from riparian.cluster.summary import Summary, absorb
from riparian.cluster.worker import Lesson
from riparian.storage.modelfile import from_bytes, to_bytes
from riparian.streams import random_tree

POOLS: dict[str, Callable[[int], Pool]] = {
    "threads": rp.cluster.threads,
    "processes": rp.cluster.processes,
}


def best(repeats: int, call: Callable[[], Any]) -> float:
    times = []
    for _ in range(repeats):
        clock = time.perf_counter()
        call()
        times.append(time.perf_counter() - clock)
    return min(times)


def grown_tree(leaves: int) -> tuple[Any, Any, Any]:
    """A tree of about this many leaves, and rows for it."""
    model = rp.VFDT(leaf="majority", grace_period=50, tau=0.5)
    stream = random_tree(seed=1)
    for X, y in stream.blocks(20_000):
        model.partial_fit(X, y)
        if model.n_leaves_ >= leaves or model.n_seen_ >= 2_000_000:
            break
    X, y = random_tree(seed=1).take(40_000)
    return model, X, y


def constants() -> None:
    model, X, y = grown_tree(1000)
    data = to_bytes(model)
    seconds = best(3, lambda: Summary(model).learn(X, y))
    print(f"tree: {model.n_leaves_:,} leaves, file {len(data):,} bytes")
    print(f"summarise a row of arrays: {seconds / len(y) * 1e6:.3f} us")
    parts = {}
    for shard, (a, b) in enumerate(slices(len(y), 16)):
        parts[shard] = Summary(model)
        parts[shard].learn(X[a:b], y[a:b])
    saved = {shard: part.to_bytes() for shard, part in parts.items()}
    print(f"summary: {len(saved[0]):,} bytes")
    print(f"to bytes: {best(3, parts[0].to_bytes) * 1e3:.2f} ms")
    print(f"from bytes: {best(3, lambda: Summary.from_bytes(model, saved[0])) * 1e3:.2f} ms")

    def merge(low: Summary, high: Summary) -> Summary:
        low.merge(high)
        return low

    times = []
    for _ in range(3):
        found = {s: Summary.from_bytes(model, d) for s, d in saved.items()}
        twin = from_bytes(data)
        clock = time.perf_counter()
        whole = merged(found, 0, 16, merge)
        middle = time.perf_counter()
        assert whole is not None
        absorb(twin, whole)
        times.append((middle - clock, time.perf_counter() - middle))
    print(f"merge 16 shards: {min(t[0] for t in times) * 1e3:.1f} ms")
    print(f"grow: {min(t[1] for t in times) * 1e3:.1f} ms (goal of both together: 15 ms)")


def overhead(name: str, make: Callable[[int], Pool]) -> None:
    """A round with one row in one shard."""
    model = rp.VFDT()
    model.partial_fit(np.zeros((2, 2)), [0, 1])
    lessons: list[Lesson | None] = [None] * 16
    lessons[0] = Lesson(rows=[(np.zeros((1, 2)), np.array([0]))])
    with make(2) as pool:
        rounds = Rounds(pool, 16)
        rounds.learn(model, lessons)
        seconds = best(200, lambda: rounds.learn(model, lessons))
    print(f"a round of one row, {name}: {seconds * 1e3:.2f} ms")


@contextmanager
def json_file(rows: int) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        with path.open("w", encoding="utf-8") as file:
            for X, y in random_tree(seed=1, n_rows=rows).blocks(50_000):
                for x, label in zip(np.asarray(X).tolist(), np.asarray(y).tolist(), strict=True):
                    row = {f"f{i}": value for i, value in enumerate(x)} | {"y": label}
                    file.write(json.dumps(row) + "\n")
        yield path


def speed(path: Path, repeats: int, pools: dict[str, Callable[[int], Pool]]) -> None:
    """Rows per second of a file, by one process without workers, by one worker and by two."""

    def run(make: Callable[[int], Pool] | None, workers: int) -> tuple[float, int]:
        with tempfile.TemporaryDirectory() as folder:
            options: dict[str, Any] = {"target": "y", "checkpoint": folder, "every": "1h"}
            if make is None:
                clock = time.perf_counter()
                learning = rp.learn(rp.VFDT(), path, **options)
                learning.join()
                return time.perf_counter() - clock, learning.result.n
            with make(workers) as pool:
                clock = time.perf_counter()
                learning = rp.cluster.learn(rp.VFDT(), path, pool=pool, **options)
                learning.join()
                return time.perf_counter() - clock, learning.result.n

    for name, make in pools.items():
        times: dict[int, list[float]] = {0: [], 1: [], 2: []}
        for _ in range(repeats):
            for workers, found in times.items():
                seconds, rows = run(make if workers else None, workers)
                found.append(seconds)
        none, one, two = (min(times[w]) for w in (0, 1, 2))
        print(
            f"{rows:,} rows, {name}: {none:.2f} s without workers, {one:.2f} s with one, "
            f"{two:.2f} s with two: {one / two:.2f} times one worker, {none / two:.2f} times none",
            flush=True,
        )


def forest(rows: int, pools: dict[str, Callable[[int], Pool]]) -> None:
    """A forest of ten members over two workers, against one thread."""
    X, y = random_tree(seed=1).take(rows)

    def begun() -> Any:
        return rp.AdaptiveRandomForest(n_jobs=1).partial_fit(X[:1000], y[:1000])

    for name, make in pools.items():
        with make(2) as pool:
            times = []
            for _ in range(2):
                one, two, at = begun(), begun(), 1000
                rounds = rounds_for(two, pool, 16)
                rounds.learn(two, [Lesson(rows=[(X[at : at + 100], y[at : at + 100])])])
                one.prequential(X[at : at + 100], y[at : at + 100])
                clock = time.perf_counter()
                one.prequential(X[at + 100 :], y[at + 100 :])
                middle = time.perf_counter()
                a = at + 100
                while a < rows:
                    b = min(rows, a + rounds.size(two))
                    rounds.learn(two, [Lesson(rows=[(X[a:b], y[a:b])])])
                    a = b
                times.append((middle - clock, time.perf_counter() - middle))
                assert to_bytes(one) == to_bytes(two)
        one_, two_ = (min(t[i] for t in times) for i in (0, 1))
        print(
            f"a forest of ten, {rows:,} rows, {name}: {one_:.2f} s on one thread, {two_:.2f} s "
            f"with two workers, {one_ / two_:.2f} times"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--file", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--ray", action="store_true")
    parser.add_argument("--pools", nargs="*", choices=POOLS, default=[*POOLS])
    parser.add_argument("--only", choices=["constants", "overhead", "speed", "forest"])
    given = parser.parse_args()
    pools = {name: POOLS[name] for name in given.pools}
    if given.ray:
        pools = {"Ray": lambda n: rp.cluster.ray(n)}
    if given.only == "forest":
        forest(given.rows, pools)
    if given.only in (None, "constants"):
        constants()
    if given.only in (None, "overhead"):
        for name, make in pools.items():
            overhead(name, make)
    if given.only in (None, "speed") and given.file:
        speed(given.file, given.repeats, pools)
    elif given.only in (None, "speed"):
        with json_file(given.rows) as path:
            speed(path, given.repeats, pools)


if __name__ == "__main__":
    main()
