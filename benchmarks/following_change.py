"""How soon does each tree recover from a change, and how fast is it? MOA's HAT and EFDT run too.

All sides run on the same arrays with the same settings. Recovery is the prequential accuracy
in hundredths of the stream; times are the best of the repeats, in CPU seconds, in turn within one
run (see speed_against_peers.py for how MOA is timed).

    python benchmarks/following_change.py recovery [--markdown] [--out curves.json]
    python benchmarks/following_change.py speed [--workloads rbf,wide] [--rows 300000]
    python benchmarks/following_change.py long [--rows 10000000] [--max-leaves 100]

`long` prints what a row costs in each tenth of a stream whose concept changes every 500,000 rows.

MOA is left out where no JDK is present, and so are the real streams where RIPARIAN_DATA names no
folder with them.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import workloads
from numpy.typing import NDArray
from peers import moa_tree
from peers.moa_tree import MoaTree
from peers.settings import DELTA, GRACE_PERIOD, N_CUTS, TAU
from tables import Table
from workloads import Workload

import riparian as rp
from riparian import streams
from riparian.cuts import Bins

ROWS = 100_000
PARTS = 100
LONG = 10_000_000

#: What all trees share, as in speed_against_peers.py; a recipe's own rule stays its own.
SHARED: dict[str, Any] = {
    "leaf": "adaptive",
    "grace_period": GRACE_PERIOD,
    "delta": DELTA,
    "tau": TAU,
    "cuts": Bins(count=N_CUTS),
    "inherit_counts": "count",
    "categorical_cuts": "both",
}
#: Adaptations that are there; each with the peer of MOA's that it is compared with.
OURS: dict[str, dict[str, Any]] = {
    "VFDT": {},
    "HAT": {"adaptation": "alternates"},
    # Inherited weight would never be forgotten.
    "CVFDT": {"adaptation": "window", "inherit_counts": "predict"},
    "EFDT": {"adaptation": "reevaluation", "runner_up": "none"},
    "option tree": {"adaptation": "options"},
}
MOA = {"MOA HAT": "trees.HoeffdingAdaptiveTree", "MOA EFDT": "trees.EFDT"}
PEERS = {"HAT": "MOA HAT", "EFDT": "MOA EFDT"}


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("task", choices=["recovery", "speed", "long"])
    parser.add_argument("--workloads", default="rbf,wide")
    parser.add_argument("--rows", type=int, help="of speed, 300000, and of long, 10000000")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--max-leaves", type=int, help="of each tree, for long")
    parser.add_argument("--only", help="trees to run, separated by commas")
    parser.add_argument("--out", type=Path, help="where the curves go, as JSON")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args(arguments)
    wanted = options.only.split(",") if options.only else [*OURS, *MOA]
    if why := moa_tree.missing():
        print(f"MOA left out: {why}", file=sys.stderr)
        wanted = [name for name in wanted if name not in MOA]
    if options.task == "recovery":
        _recovery(wanted, options.out, options.markdown)
    elif options.task == "long":
        _long([name for name in wanted if name in OURS], options)
    else:
        _speed(wanted, options)
    return 0


# -- streams that change ---------------------------------------------------------------------------


def changing() -> Iterator[tuple[Workload, int | None]]:
    """Each stream that changes, with the row of its (first) change; None for a real one."""
    concepts: dict[str, Callable[[int], streams.Stream]] = {
        "SEA": lambda i: streams.sea(concept=(1, 3)[i], seed=1 + i),
        "hyperplane": lambda i: streams.hyperplane(n_drifting=0, seed=1 + i),
        "RandomRBF": lambda i: streams.random_rbf(seed=1 + i),
        "STAGGER": lambda i: streams.stagger(concept=(1, 3)[i], seed=1 + i),
        "Agrawal": lambda i: streams.agrawal(concept=(1, 4)[i], seed=1 + i),
    }
    for name, make in concepts.items():
        pair = make(0), make(1)
        half = ROWS // 2
        kinds = {
            "abrupt": streams.abrupt_drift(*pair, at=half),
            "gradual": streams.gradual_drift(*pair, center=half, width=ROWS // 5, seed=1),
            "recurring": streams.recurring_drift(pair, every=ROWS // 5),
        }
        for kind, stream in kinds.items():
            nominal = [j for j, label in enumerate(stream.names) if label in stream.categories]
            at = ROWS // 5 if kind == "recurring" else half
            yield Workload(f"{name}, {kind}", *stream.take(ROWS), nominal), at
    for name in workloads.REAL:
        real = workloads.load(name, None)
        if real is not None:
            yield real, None


def rows_to_recover(
    curves: dict[str, NDArray[np.float64]], at: int, n_rows: int
) -> dict[str, int | None]:
    """For each tree, rows from a change to the first part that is good again; None if none is.

    Good is, within 2 points, what the best of the trees has on the last tenth of the rows before
    the next change, which is as far from the first as that is from the beginning.
    """
    part = n_rows // PARTS
    first = at // part
    after = {name: curve[first : 2 * first] for name, curve in curves.items()}
    level = max(curve[-(first // 10) :].mean() for curve in after.values()) - 0.02
    good = {name: np.flatnonzero(curve >= level) for name, curve in after.items()}
    return {name: int(found[0] + 1) * part if found.size else None for name, found in good.items()}


# -- sides -----------------------------------------------------------------------------------------


def model_of(name: str, workload: Workload) -> rp.HoeffdingTree:
    """One of our trees for a workload."""
    kinds: Any = workload.nominal or "from_dtype"
    return rp.HoeffdingTree(**{**SHARED, **OURS[name]}, categorical_features=kinds)


def curve_of(name: str, workload: Workload) -> NDArray[np.float64]:
    """Prequential accuracy in each hundredth of the rows."""
    n = len(workload.y)
    part = np.arange(n) * PARTS // n
    if name in MOA:
        with MoaTree(workload, "prequential", MOA[name], 0) as moa:
            right = np.array(moa.right(), dtype=float)
    else:
        answers = model_of(name, workload).prequential(workload.X, workload.y)
        right = np.bincount(part, answers == workload.y, PARTS)
    return right / np.bincount(part, minlength=PARTS)


def measured(
    wanted: list[str],
) -> Iterator[tuple[Workload, int | None, dict[str, NDArray[np.float64]]]]:
    """Each stream, the row of its change, and the curve of each tree."""
    for workload, at in changing():
        print(workload, file=sys.stderr)
        yield workload, at, {name: curve_of(name, workload) for name in wanted}


def _recovery(wanted: list[str], out: Path | None, markdown: bool) -> None:
    accuracy: list[dict[str, Any]] = []
    recovered: list[dict[str, Any]] = []
    curves: dict[str, Any] = {}
    for workload, at, found in measured(wanted):
        curves[workload.name] = {"at": at, **{k: v.round(4).tolist() for k, v in found.items()}}
        accuracy.append({"stream": workload.name, **{k: v.mean() for k, v in found.items()}})
        if at is not None:
            rows = rows_to_recover(found, at, len(workload.y))
            told = {name: f"{n:,}" if n else "never" for name, n in rows.items()}
            recovered.append({"stream": workload.name, **told})
        if out:
            out.write_text(json.dumps(curves, indent=1), encoding="utf-8")
    mean = {name: np.mean([row[name] for row in accuracy]) for name in wanted}
    accuracy.append({"stream": "mean", **mean})
    columns = ["stream", *wanted]
    _print("Accuracy", accuracy, columns, "{:.4f}", markdown)
    _print("Rows to recover", recovered, columns, "{}", markdown)


def _speed(wanted: list[str], options: argparse.Namespace) -> None:
    rows: list[dict[str, Any]] = []
    for name in options.workloads.split(","):
        workload = workloads.load(name, options.rows or 300_000)
        if workload is None:
            print(f"{name} left out: it is not there", file=sys.stderr)
            continue
        print(workload, file=sys.stderr)
        machines = {m: MoaTree(workload, "prequential", MOA[m]) for m in MOA if m in wanted}
        seconds: dict[str, float] = {}
        right: dict[str, float] = {}
        try:
            for _ in range(options.repeats):
                for tree in wanted:
                    if tree in machines:
                        run = machines[tree].run()
                        spent, share = run.seconds, run.accuracy or 0.0
                    else:
                        model = model_of(tree, workload)
                        start = process_time()
                        answers = model.prequential(workload.X, workload.y)
                        spent = process_time() - start
                        share = float((answers == workload.y).mean())
                    seconds[tree] = min(spent, seconds.get(tree, spent))
                    right[tree] = share
        finally:
            for machine in machines.values():
                machine.__exit__()
        for tree in wanted:
            peer = PEERS.get(tree, "")
            rows.append(
                {
                    "workload": workload.name,
                    "tree": tree,
                    "seconds": f"{seconds[tree]:.3f}",
                    "times VFDT's time": f"{seconds[tree] / seconds['VFDT']:.2f}"
                    if "VFDT" in seconds
                    else "",
                    "MOA / riparian": f"{seconds[peer] / seconds[tree]:.1f}"
                    if peer in seconds
                    else "",
                    "accuracy": f"{right[tree]:.4f}",
                }
            )
    _print("Speed", rows, list(rows[0]) if rows else [], "{}", options.markdown)


def _long(wanted: list[str], options: argparse.Namespace) -> None:
    """Processor time a row in each tenth of a long stream, and what the tree is then."""
    n_rows = options.rows or LONG
    most = {"max_leaves": options.max_leaves}
    concepts = [streams.random_rbf(seed=1), streams.random_rbf(seed=2)]
    stream = streams.recurring_drift(concepts, every=n_rows // 20)
    models = {name: rp.HoeffdingTree(**{**SHARED, **OURS[name], **most}) for name in wanted}
    rows: list[dict[str, Any]] = []
    blocks = iter(stream.blocks(n_rows // 100))
    for part in range(10):
        spent = dict.fromkeys(wanted, 0.0)
        for X, y in itertools.islice(blocks, 10):
            for name, model in models.items():
                start = process_time()
                model.prequential(X, y)
                spent[name] += process_time() - start
        row: dict[str, Any] = {"rows": f"{(part + 1) * n_rows // 10:,}"}
        for name, model in models.items():
            row[name] = f"{spent[name] / (n_rows // 10) * 1e6:.2f}"
            row[f"{name}, leaves"] = f"{model.n_leaves_:,}"
        rows.append(row)
        print(row, file=sys.stderr)
    _print("Microseconds a row", rows, list(rows[0]), "{}", options.markdown)


def _print(
    title: str, rows: list[dict[str, Any]], columns: list[str], form: str, markdown: bool
) -> None:
    known = [{k: v for k, v in row.items() if v is not None and v != ""} for row in rows]
    table = Table(title, [(c, c, "{}" if c == columns[0] else form) for c in columns], known)
    table.print(markdown=markdown, end="\n\n")


if __name__ == "__main__":
    raise SystemExit(main())
