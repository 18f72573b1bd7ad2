"""Experiments, and the processes that their runs are distributed over."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from riparian.evaluate.workers import on_processes
from riparian.show.progress import ProgressBar
from riparian_experiments.reproduce.outcome import Outcome

__all__ = ["SIZES", "Experiment", "Run"]

T = TypeVar("T")
R = TypeVar("R")

#: About a minute; a few minutes; the size of the paper.
SIZES = ("quick", "reduced", "full")


@dataclass(frozen=True)
class Run:
    """The settings of one run of an experiment.

    Attributes
    ----------
    size : {'quick', 'reduced', 'full'}
        How much data to use.
    seed : int
        Random seed.
    n_jobs : int
        Number of processes.
    progress : bool
        Whether to show a progress bar.
    """

    size: str = "quick"
    seed: int = 0
    n_jobs: int = 1
    progress: bool = False

    def map(self, do: Callable[[T], R], items: Iterable[T], what: str) -> list[R]:
        """Call `do` for each item, on all processes, and return the results in order."""
        todo = list(items)
        calls = ((item,) for item in todo)
        found = on_processes(do, calls, min(self.n_jobs, len(todo)) or 1, ordered=True)
        done: list[R] = []
        with ProgressBar(what, shown=self.progress) as bar:
            for result in found:
                done.append(result)
                bar.update(len(done), len(todo), f"{what}: {len(done)} of {len(todo)}")
        return done


@dataclass(frozen=True)
class Experiment:
    """An experiment of a paper.

    Attributes
    ----------
    name : str
        The name on the command line.
    title, source : str
        What the experiment shows, and the paper that it is from.
    perform : callable
        Called with a `Run`; returns an `Outcome`.
    """

    name: str
    title: str
    source: str
    perform: Callable[[Run], Outcome]

    def __call__(self, run: Run) -> Outcome:
        """Run the experiment, and record its name, settings and time."""
        clock = time.perf_counter()
        outcome = self.perform(run)
        outcome.name, outcome.title, outcome.source = self.name, self.title, self.source
        outcome.settings = {"size": run.size, "seed": run.seed, **outcome.settings}
        outcome.seconds = time.perf_counter() - clock
        return outcome


def cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def mean(values: Iterable[Any]) -> float:
    """Return the mean of the values, or NaN if there are none."""
    found = list(values)
    return float(sum(found) / len(found)) if found else float("nan")
