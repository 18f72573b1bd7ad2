"""How many times faster is riparian than MOA, River, and how far from one plain C pass?

All sides run on the same arrays with the same settings, in turn within one run, so that what else
the machine does falls on all of them; only the ratios mean something. Every time is the best of
the repeats, in CPU seconds. MOA is timed inside its JVM on prebuilt instances with the JIT warm,
without its garbage collector's threads; River on prebuilt dicts, over the first 20,000 rows only,
once: its time is extrapolated by the row.

    python benchmarks/speed_against_peers.py [--markdown | --json] [--only moa,river]
        [--workloads rbf,sea] [--rows 100000] [--repeats 3]

The real streams take part when the environment variable RIPARIAN_DATA names the folder that
holds elec2.csv.gz and covertype.csv.gz.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import shutil
import sys
from collections.abc import Callable
from contextlib import ExitStack
from importlib import metadata
from typing import Any

import workloads
from peers import moa_tree, river_tree
from peers.moa_tree import MoaTree
from peers.plain_pass import PlainPass
from peers.riparian_tree import RiparianTree
from peers.river_tree import RiverTree
from peers.settings import DELTA, GRACE_PERIOD, LEAVES, N_CUTS, TAU, Run
from tables import Table, add_forms

SIDES = ("riparian", "moa", "river", "plain")

Row = dict[str, Any]


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    options = _options(arguments)
    notes: list[str] = []
    sides = _sides(options.only, notes)
    results: dict[str, list[Row]] = {task: [] for task in LEAVES}
    for name in options.workloads:
        workload = workloads.load(name, options.rows)
        if workload is None:
            notes.append(f"{name} left out: {workloads.DATA_VARIABLE} names no folder with it")
            continue
        for task in LEAVES:
            print(f"{workload}, {task}", file=sys.stderr)
            results[task].append(_measure(workload, task, sides, options.repeats))
    if "river" in sides:
        notes.append(
            f"River: timed on the first {river_tree.ROWS:,} rows and extrapolated by the row; "
            "its accuracy is that of these rows; riparian's on the same rows follows"
        )
    machine = _machine(sides)
    if options.json:
        print(json.dumps({"machine": machine, "notes": notes, **results}, indent=2))
    else:
        _report(results, machine, notes, options.markdown)
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    def names(known: tuple[str, ...]) -> Callable[[str], list[str]]:
        def parse(text: str) -> list[str]:
            wanted = text.split(",")
            for name in wanted:
                if name not in known:
                    rule = f"must be among {', '.join(known)}, got {name!r}"
                    raise argparse.ArgumentTypeError(rule)
            return wanted

        return parse

    def count(text: str) -> int:
        if not text.isdecimal() or int(text) == 0:
            raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, got {text!r}")
        return int(text)

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", type=names(SIDES), default=list(SIDES), help="sides to run")
    parser.add_argument("--workloads", type=names(workloads.NAMES), default=list(workloads.NAMES))
    parser.add_argument("--rows", type=count, help="only the first rows of each workload")
    parser.add_argument("--repeats", type=count, default=3, help="timed runs; the best one counts")
    add_forms(parser)
    return parser.parse_args(arguments)


def _sides(wanted: list[str], notes: list[str]) -> list[str]:
    sides = list(wanted)
    if "moa" in sides and (why := moa_tree.missing()):
        notes.append(f"MOA left out: {why}")
        sides.remove("moa")
    if "river" in sides and importlib.util.find_spec("river") is None:
        notes.append("River left out: it is not installed (pip install river)")
        sides.remove("river")
    if "plain" in sides and shutil.which("cc") is None:
        notes.append("the plain C pass left out: no C compiler found (no cc on PATH)")
        sides.remove("plain")
    return sides


def _measure(workload: workloads.Workload, task: str, sides: list[str], repeats: int) -> Row:
    row: Row = {"workload": workload.name, "rows": len(workload.y)}
    with ExitStack() as stack:
        timed: dict[str, Callable[[], Run]] = {}
        ours = RiparianTree(workload, task) if "riparian" in sides else None
        moa = stack.enter_context(MoaTree(workload, task)) if "moa" in sides else None
        if ours:
            timed["riparian"] = ours.run
        if moa:
            timed["moa"] = moa.run
        if "plain" in sides:
            timed["plain"] = PlainPass(workload).run
        runs = [{side: run() for side, run in timed.items()} for _ in range(repeats)]
        for side in timed:
            best = min((run[side] for run in runs), key=lambda run: run.seconds)
            row[f"{side}_seconds"] = best.seconds
            if best.n_bytes is not None:
                row[f"{side}_bytes"], row[f"{side}_leaves"] = best.n_bytes, best.n_leaves
        if ours:
            row["riparian_accuracy"] = ours.accuracy()
        if moa:
            row["moa_accuracy"] = moa.accuracy()
        if "river" in sides:
            river = RiverTree(workload, task)
            run = river.run()
            row["river_seconds"] = run.seconds * len(workload.y) / river.n_rows
            row["river_timed_rows"] = river.n_rows
            if run.accuracy is not None:
                row["river_accuracy"] = run.accuracy
                if ours:
                    row["riparian_accuracy_on_rivers_rows"] = ours.accuracy(river.n_rows)
    for over, under in (("moa", "riparian"), ("river", "riparian"), ("riparian", "plain")):
        a, b = row.get(f"{over}_seconds"), row.get(f"{under}_seconds")
        if a is not None and b:
            row[f"{over}_over_{under}"] = a / b
    if "riparian_bytes" in row and "moa_bytes" in row:
        row["riparian_over_moa_bytes"] = row["riparian_bytes"] / row["moa_bytes"]
    return row


def _machine(sides: list[str]) -> dict[str, str]:
    machine = {"cpu": _cpu(), "python": platform.python_version(), "cores": str(os.cpu_count())}
    for package in ("numpy", "riparian", "river"):
        try:
            machine[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    if "moa" in sides:
        machine["moa"] = moa_tree.version()
    return machine


def _cpu() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            models = (line.partition(":")[2].strip() for line in file if "model name" in line)
            return next(models, platform.machine())
    except OSError:
        return platform.processor() or platform.machine()


def _report(
    results: dict[str, list[Row]], machine: dict[str, str], notes: list[str], markdown: bool
) -> None:
    ours, moa, river = "riparian s", "MOA s", "River s"
    faster = [("MOA / riparian", "moa_over_riparian", "{:.1f}")]
    slower = [("River / riparian", "river_over_riparian", "{:.0f}")]
    times = [(ours, "riparian_seconds", "{:.3f}"), (moa, "moa_seconds", "{:.3f}"), *faster]
    times += [(river, "river_seconds", "{:.1f}"), *slower]
    accuracies = [
        ("riparian acc", "riparian_accuracy", "{:.4f}"),
        ("MOA acc", "moa_accuracy", "{:.4f}"),
    ]
    rivers = [
        ("River acc", "river_accuracy", "{:.4f}"),
        ("riparian, same rows", "riparian_accuracy_on_rivers_rows", "{:.4f}"),
    ]
    plain = [
        ("plain C s", "plain_seconds", "{:.4f}"),
        ("riparian / plain C", "riparian_over_plain", "{:.1f}"),
    ]
    memory = [
        ("riparian leaves", "riparian_leaves", "{:,}"),
        ("MOA leaves", "moa_leaves", "{:,}"),
        ("riparian bytes", "riparian_bytes", "{:,}"),
        ("MOA bytes", "moa_bytes", "{:,}"),
        ("riparian / MOA", "riparian_over_moa_bytes", "{:.2f}"),
    ]
    start = [("workload", "workload", "{}"), ("rows", "rows", "{:,}")]
    tables = [
        ("Predict, then learn: adaptive leaves", "prequential", times + accuracies + rivers),
        ("Learn: majority leaves", "learn", times + plain + accuracies),
        ("Model memory: adaptive leaves", "prequential", memory),
        ("Model memory: majority leaves", "learn", memory),
    ]
    for title, task, columns in tables:
        table = Table(title, start + columns, results[task])
        table.print(markdown=markdown, end="\n\n")
    print(f"grace period {GRACE_PERIOD}, delta {DELTA}, tau {TAU}, Gaussian, {N_CUTS} cuts")
    print(", ".join(f"{key} {value}" for key, value in machine.items()))
    for note in notes:
        print(f"- {note}" if markdown else note)


if __name__ == "__main__":
    sys.exit(main())
