"""What an experiment is, and how its runs are spread over the processors."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from riparian.reproduce.outcome import Outcome
from riparian.workers import on_processes

__all__ = ["SIZES", "Experiment", "Run"]

T = TypeVar("T")
R = TypeVar("R")

#: A minute; what fits in some minutes; the paper's own size.
SIZES = ("quick", "reduced", "full")


@dataclass(frozen=True)
class Run:
    """How an experiment is to be run.

    Attributes
    ----------
    size : {'quick', 'reduced', 'full'}
    seed : int
    n_jobs : int
        Processes.
    progress : bool
        Whether to show how far it has come.
    """

    size: str = "quick"
    seed: int = 0
    n_jobs: int = 1
    progress: bool = False

    def map(self, do: Callable[[T], R], items: Iterable[T], what: str) -> list[R]:
        """Do it for each item, in their order, on all processes."""
        todo = list(items)
        calls = ((item,) for item in todo)
        found = on_processes(do, calls, min(self.n_jobs, len(todo)) or 1, ordered=True)
        if not self.progress:
            return list(found)
        from rich.console import Console
        from rich.progress import Progress

        done: list[R] = []
        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(what, total=len(todo))
            next_line = time.monotonic() + 5.0
            for one in found:
                done.append(one)
                bar.update(task, advance=1)
                if not sys.stderr.isatty() and time.monotonic() > next_line:
                    next_line += 5.0
                    print(f"riparian: {what}: {len(done)} of {len(todo)}", file=sys.stderr)
        return done


@dataclass(frozen=True)
class Experiment:
    """An experiment of a paper.

    Attributes
    ----------
    name : str
        As the command line writes it.
    title, source : str
    perform : callable
        Takes a `Run`, gives an `Outcome`.
    """

    name: str
    title: str
    source: str
    perform: Callable[[Run], Outcome]

    def __call__(self, run: Run) -> Outcome:
        """Run it, and note how long it took."""
        clock = time.perf_counter()
        outcome = self.perform(run)
        outcome.name, outcome.title, outcome.source = self.name, self.title, self.source
        outcome.settings = {"size": run.size, "seed": run.seed, **outcome.settings}
        outcome.seconds = time.perf_counter() - clock
        return outcome


def cores() -> int:
    """Processors that may be used."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def mean(values: Iterable[Any]) -> float:
    """Mean of numbers; NaN of none."""
    found = list(values)
    return float(sum(found) / len(found)) if found else float("nan")
