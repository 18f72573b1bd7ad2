"""Forests compared with MOA's and River's: how fast, how accurate, how large?

All sides run on the same arrays. `speed` times AdaptiveRandomForest with ten members, on one thread
and on two, compared with MOA's (its JVM warm, instances built beforehand) and, on the first rows
only, River's with as many features per leaf; CPU seconds on one thread, wall-clock seconds on two,
the best of the repeats in turn within one run. `accuracy` prints the prequential accuracy of
AdaptiveRandomForest and StreamingRandomPatches with MOA's on the streams of choosing_streams.py,
the mean of the seeds, with the standard error of the difference. All of MOA's trees draw the same
features first whatever the seed, so that the order of the columns decides what they see:
`--shuffle-columns` gives every seed but the first another order, the same to both.

    python benchmarks/forests.py speed [--workloads rbf,covertype] [--rows 100000]
        [--river-rows 10000] [--markdown]
    python benchmarks/forests.py accuracy [--rows 30000] [--streams a;b] [--seeds 1]
        [--shuffle-columns] [--keep moa.json] [--markdown]

MOA takes most of the time that `accuracy` takes, and answers the same every time: what it answered
is kept in a file with `--keep`, and read from it in later runs. MOA is left out where no JDK is
present, and so are the real streams where RIPARIAN_DATA names no folder with them.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import workloads
from choosing_streams import CHOOSING, REPORTING
from numpy.typing import NDArray
from peers import moa_tree
from peers.moa_tree import MoaTree
from tables import Table
from workloads import Workload

import riparian as rp

MEMBERS = 10
OURS: dict[str, Callable[..., rp.Forest]] = {
    "ARF": rp.AdaptiveRandomForest,
    "SRP": rp.StreamingRandomPatches,
}
MOA = {
    "ARF": ("meta.AdaptiveRandomForest", f"-s {MEMBERS}"),
    "SRP": ("meta.StreamingRandomPatches", f"-s {MEMBERS}"),
}


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("task", choices=["speed", "accuracy"])
    parser.add_argument("--workloads", default="rbf,covertype")
    parser.add_argument("--streams", help="those to run, separated by semicolons")
    parser.add_argument("--rows", type=int)
    parser.add_argument("--seeds", type=int, default=1, help="forests of each kind, for accuracy")
    parser.add_argument("--shuffle-columns", action="store_true")
    parser.add_argument("--keep", type=Path, help="a JSON file for what MOA answered")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--river-rows", type=int, default=10_000, help="the first, for its speed")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args(arguments)
    if why := moa_tree.missing():
        print(f"MOA left out: {why}", file=sys.stderr)
    if options.task == "speed":
        _speed(options)
    else:
        _accuracy(options)
    return 0


def model_of(kind: str, workload: Workload, n_jobs: int, seed: int = 0) -> rp.Forest:
    """One of our forests for a workload."""
    kinds: Any = workload.nominal or "from_dtype"
    return OURS[kind](
        n_estimators=MEMBERS, n_jobs=n_jobs, random_state=seed, categorical_features=kinds
    )


def _speed(options: argparse.Namespace) -> None:
    rows: list[dict[str, Any]] = []
    for name in options.workloads.split(","):
        workload = workloads.load(name, options.rows or 100_000)
        if workload is None:
            print(f"{name} left out: it is not there", file=sys.stderr)
            continue
        print(workload, file=sys.stderr)
        rows.append(_timed(workload, options.repeats, options.river_rows))
    _print(
        "AdaptiveRandomForest, ten members",
        rows,
        {
            "one thread, s": "{:.2f}",
            "two threads, s": "{:.2f}",
            "scaling": "{:.2f}",
            "MOA, s": "{:.1f}",
            "MOA / one thread": "{:.1f}",
            "MOA / two threads": "{:.1f}",
            "River / one thread": "{:.0f}",
            "River / two threads": "{:.0f}",
            "accuracy": "{:.4f}",
            "MOA's": "{:.4f}",
            "bytes / MOA's": "{:.3f}",
        },
        options.markdown,
    )


def _timed(workload: Workload, repeats: int, river_rows: int) -> dict[str, Any]:
    found: dict[str, Any] = {"workload": workload.name}
    best: dict[str, float] = {}
    machine = None
    if not moa_tree.missing():
        machine = MoaTree(workload, "prequential", *MOA["ARF"][:1], 1, MOA["ARF"][1])
    try:
        for _ in range(repeats):
            for threads in (1, 2):
                model = model_of("ARF", workload, threads)
                wall, cpu = perf_counter(), process_time()
                answers = model.prequential(workload.X, workload.y)
                spent = {"wall": perf_counter() - wall, "cpu": process_time() - cpu}
                for clock, seconds in spent.items():
                    key = f"{clock} {threads}"
                    best[key] = min(seconds, best.get(key, seconds))
            found["accuracy"] = float((answers == workload.y).mean())
            if machine is not None:
                run = machine.run()
                best["moa"] = min(run.seconds, best.get("moa", run.seconds))
                found["MOA's"] = run.accuracy
                found["bytes / MOA's"] = model.memory_bytes_ / (run.n_bytes or 1)
    finally:
        if machine is not None:
            machine.__exit__()
    found |= {
        "one thread, s": best["cpu 1"],
        "two threads, s": best["wall 2"],
        "scaling": best["wall 1"] / best["wall 2"],
    }
    if "moa" in best:
        found |= {
            "MOA, s": best["moa"],
            "MOA / one thread": best["moa"] / best["cpu 1"],
            "MOA / two threads": best["moa"] / best["wall 2"],
        }
    first = Workload(
        workload.name, workload.X[:river_rows], workload.y[:river_rows], workload.nominal
    )
    if (river := _river(first)) is not None:
        for threads, name, clock in (
            (1, "one thread", process_time),
            (2, "two threads", perf_counter),
        ):
            seconds = []
            for _ in range(repeats):
                model = model_of("ARF", first, threads)
                start = clock()
                model.prequential(first.X, first.y)
                seconds.append(clock() - start)
            found[f"River / {name}"] = river / min(seconds)
    return found


def _river(workload: Workload) -> float | None:
    """Seconds of River's forest."""
    try:
        from river.forest import ARFClassifier
    except ImportError:
        print("River left out: it is not installed", file=sys.stderr)
        return None
    names = [f"x{j}" for j in range(workload.X.shape[1])]
    nominal = [names[j] for j in workload.nominal]
    model = ARFClassifier(
        n_models=MEMBERS, max_features=0.6, nominal_attributes=nominal or None, seed=1
    )
    rows = [dict(zip(names, row, strict=True)) for row in workload.X.tolist()]
    labels = workload.y.tolist()
    start = process_time()
    for x, label in zip(rows, labels, strict=True):
        model.predict_one(x)
        model.learn_one(x, label)
    return process_time() - start


def _accuracy(options: argparse.Namespace) -> None:
    wanted = options.streams.split(";") if options.streams else [*CHOOSING, *REPORTING]
    rows: list[dict[str, Any]] = []
    for name in wanted:
        make = (CHOOSING | REPORTING)[name]
        try:
            stream = make(1)
        except (OSError, ValueError, LookupError) as error:
            print(f"{name} left out: {error}", file=sys.stderr)
            continue
        n = min(options.rows or 30_000, stream.n_rows or 10**9)
        X, y = stream.take(n)
        nominal = [j for j, label in enumerate(stream.names) if label in stream.categories]
        workload = Workload(name, X, np.unique(y, return_inverse=True)[1], nominal)
        found: dict[str, Any] = {"workload": name, "rows": len(y)}
        orders = [np.arange(X.shape[1])] * options.seeds
        if options.shuffle_columns:
            orders[1:] = [_order(seed, X.shape[1]) for seed in range(1, options.seeds)]
        for kind in OURS:
            pairs = np.column_stack(
                [_ours(kind, workload, orders), _moas(kind, workload, orders, options.keep)]
            )
            found[kind] = float(pairs[:, 0].mean())
            if not moa_tree.missing():
                found[f"MOA's {kind}"] = float(pairs[:, 1].mean())
                less = 100.0 * (pairs[:, 0] - pairs[:, 1])
                found[f"{kind} less MOA's"] = float(less.mean())
                if options.seeds > 1:
                    found[f"{kind} error"] = float(less.std(ddof=1) / np.sqrt(options.seeds))
        rows.append(found)
        print(found, file=sys.stderr)
    forms = {"rows": "{:,}"}
    for kind in OURS:
        forms |= {kind: "{:.4f}", f"MOA's {kind}": "{:.4f}", f"{kind} less MOA's": "{:+.2f}"}
        forms |= {f"{kind} error": "{:.2f}"}
    _print("Prequential accuracy", rows, forms, options.markdown)


def _order(seed: int, n: int) -> NDArray[np.int64]:
    return np.random.default_rng(seed).permutation(n)


def _ours(kind: str, workload: Workload, orders: list[NDArray[np.int64]]) -> list[float]:
    """Give the accuracies of our forests that see the columns in these orders."""
    found = []
    for seed, order in enumerate(orders):
        nominal = [j for j, column in enumerate(order) if column in workload.nominal]
        moved = Workload(
            workload.name, np.ascontiguousarray(workload.X[:, order]), workload.y, nominal
        )
        answers = model_of(kind, moved, 2, seed).prequential(moved.X, moved.y)
        found.append(float((answers == moved.y).mean()))
    return found


def _moas(
    kind: str, workload: Workload, orders: list[NDArray[np.int64]], keep: Path | None
) -> list[float]:
    """Give the same of MOA's, NaN where it cannot run."""
    if moa_tree.missing():
        return [np.nan] * len(orders)
    known = json.loads(keep.read_text()) if keep and keep.exists() else {}
    rows = f"{kind} {workload.name} {len(workload.y)}"
    names = [f"{rows} {seed} {order.tolist()}" for seed, order in enumerate(orders)]
    if any(name not in known for name in names):
        with MoaTree(workload, "prequential", MOA[kind][0], 0, MOA[kind][1]) as machine:
            for seed, (name, order) in enumerate(zip(names, orders, strict=True)):
                if name not in known:
                    known[name] = machine.accuracy(seed + 1, order.tolist())
        if keep:
            keep.write_text(json.dumps(known, indent=0))
    return [known[name] for name in names]


def _print(title: str, rows: list[dict[str, Any]], forms: dict[str, str], markdown: bool) -> None:
    columns = [("stream", "workload", "{}"), *((c, c, form) for c, form in forms.items())]
    table = Table(title, columns, rows)
    table.print(markdown=markdown, end="\n\n")


if __name__ == "__main__":
    raise SystemExit(main())
