"""How fast is one build of riparian, compared with another one?

``python benchmarks/speed_of_builds.py BEFORE AFTER`` takes the Python interpreters of two
environments, each with its own build. Both run the workloads of ``speed_against_peers.py``, every
recipe and every forest, and single rows, in turn within one run, so that what else the machine does
falls on both. Times are CPU seconds. A figure above 1 says that AFTER is faster: once for the best
times, once for the lower quartiles.

    python benchmarks/speed_of_builds.py BEFORE AFTER [--rounds 15] [--only VFDT,one]
        [--benchmarks-before FOLDER]

FOLDER is the folder ``benchmarks`` of the older build, for one whose parameters have other names.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from time import process_time
from typing import IO, Any

import workloads
from peers.riparian_tree import RiparianTree
from peers.settings import LEAVES

#: Rows of each task. Trees that restructure keep their examples, and take much longer.
ROWS = {"task": 200_000, "recipe": 200_000, "forest": 20_000, "restructuring": 200, "one": 3_000}
STREAM = "random_rbf"
BENCHMARKS = Path(__file__).parent


def tasks() -> Iterator[tuple[str, str]]:
    """Every task: what it does, and the workload or the model."""
    from riparian.models.registry import MODELS

    for name in workloads.NAMES:
        for kind in LEAVES:
            yield kind, name
    for name, model_class in sorted(MODELS.items()):
        yield kind_of(model_class), name
    for name in ("VFDT", "StreamTree", "HAT", "StreamForest"):
        for kind in ("predict", "learn_one", "predict_one"):
            yield kind, name


def kind_of(model_class: type) -> str:
    """Whether a model is a recipe, a forest, or one that restructures."""
    parts = model_class.__module__.split(".")
    if "restructuring" in parts:
        return "restructuring"
    return "forest" if "n_estimators" in model_class().get_params(deep=False) else "recipe"


class Timer:
    """Times tasks in this process."""

    def __init__(self) -> None:
        self._workloads: dict[str, Any] = {}
        self._rows: dict[int, Any] = {}

    def seconds(self, kind: str, name: str) -> float | None:
        """Return the CPU seconds of a task, or None if this build does not have it."""
        if kind in LEAVES:
            if name not in self._workloads:
                self._workloads[name] = workloads.load(name, ROWS["task"])
            workload = self._workloads[name]
            return None if workload is None else RiparianTree(workload, kind).run().seconds
        import riparian as rp

        model_class = getattr(rp, name, None)
        if model_class is None:
            return None
        model = model_class()
        if kind in ("recipe", "forest", "restructuring"):
            X, y = self._take(ROWS[kind])
            start = process_time()
            model.partial_fit(X, y)
            return process_time() - start
        return self._reading(model, kind, "n_estimators" in model.get_params(deep=False))

    def _reading(self, model: Any, kind: str, forest: bool) -> float:
        X, y = self._take(ROWS["forest" if forest else "one"] if kind != "predict" else 40_000)
        if kind == "predict":
            model.partial_fit(X[: ROWS["forest"]], y[: ROWS["forest"]])
            start = process_time()
            model.predict(X)
            return process_time() - start
        rows = [{f"x{i}": value for i, value in enumerate(row)} for row in X[:1000].tolist()]
        labels = y[:1000].tolist()
        start = process_time()
        for row, label in zip(rows, labels, strict=True):
            model.learn_one(row, label)
        if kind == "learn_one":
            return process_time() - start
        start = process_time()
        for row in rows:
            model.predict_one(row)
        return process_time() - start

    def _take(self, n_rows: int) -> tuple[Any, Any]:
        if n_rows not in self._rows:
            from riparian import streams

            self._rows[n_rows] = getattr(streams, STREAM)(seed=1).take(n_rows)
        return self._rows[n_rows]


def serve() -> None:
    """Time the tasks that come on standard input."""
    timer = Timer()
    for line in sys.stdin:
        print(json.dumps(timer.seconds(*json.loads(line))), flush=True)


class Build:
    """A process with one of the builds.

    Each task has processes of its own: what earlier models left in the heap decides whether the
    pages of a copied batch are new, which costs up to a fifth of the time of the fastest models.
    """

    def __init__(self, python: str, benchmarks: Path) -> None:
        self._process = subprocess.Popen(
            [python, "-P", __file__, "--serve"],
            env={**os.environ, "PYTHONPATH": str(benchmarks)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Build:
        return self

    def __exit__(self, *raised: object) -> None:
        self._process.communicate()

    def seconds(self, task: tuple[str, str]) -> float | None:
        """Return the CPU seconds of a task, or None if this build does not have it."""
        assert self._process.stdin is not None
        print(json.dumps(task), file=self._process.stdin, flush=True)
        out: IO[str] | None = self._process.stdout
        assert out is not None
        answer = out.readline()
        if not answer:
            raise SystemExit(f"{task} ended the process of a build")
        seconds: float | None = json.loads(answer)
        return seconds


def compare(builds: list[Build], task: tuple[str, str], rounds: int) -> str | None:
    """Return the line of a task, or None if one of the builds does not have it."""
    times: list[list[float]] = [[], []]
    for turn in range(rounds + 1):
        for i in (0, 1) if turn % 2 else (1, 0):
            seconds = builds[i].seconds(task)
            if seconds is None:
                return None
            if turn:
                times[i].append(seconds)
    before, after = (sorted(values) for values in times)
    quartile = len(before) // 4
    kind, name = task
    return (
        f"{kind:14}{name:28}{before[0] * 1e3:10.2f} ms{after[0] * 1e3:10.2f} ms"
        f"{before[0] / after[0]:8.3f}{before[quartile] / after[quartile]:8.3f}"
    )


def main() -> int:
    """Print a line for each task."""
    if sys.argv[1:] == ["--serve"]:
        serve()
        return 0
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", help="kinds or names, with commas between them")
    parser.add_argument("--benchmarks-before", type=Path, default=BENCHMARKS)
    options = parser.parse_args()
    only = set(filter(None, options.only.split(",")))
    builds = (options.before, options.benchmarks_before), (options.after, BENCHMARKS)
    print(f"{'task':42}{'before':>13}{'after':>13}{'best':>8}{'quart.':>8}")
    for task in tasks():
        if only and not only & set(task):
            continue
        with ExitStack() as stack:
            two = [stack.enter_context(Build(*build)) for build in builds]
            line = compare(two, task, options.rounds)
        print(line or f"{task[0]:14}{task[1]:28} only one build has it", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
