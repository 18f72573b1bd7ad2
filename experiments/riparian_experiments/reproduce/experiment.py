"""Experiments, their sizes, and the processes that their runs are distributed over."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from riparian.errors import one_of
from riparian.evaluate.workers import on_processes
from riparian.show.progress import ProgressBar
from riparian_experiments.reproduce.outcome import Outcome

__all__ = ["SIZES", "Experiment", "Run"]

T = TypeVar("T")
R = TypeVar("R")

#: About a minute; a few minutes; the size of the paper.
SIZES = ("quick", "reduced", "full")

#: A number, None for all that there is, or several numbers or names.
Parameter = int | None | tuple[int, ...] | tuple[str, ...]


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
    changes : mapping of str to str
        Parameters of the size to change, as they are written on the command line.
    """

    size: str = "quick"
    seed: int = 0
    n_jobs: int = 1
    progress: bool = False
    changes: Mapping[str, str] = field(default_factory=dict)

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
        Called with a `Run` and the parameters of its size; returns an `Outcome`.
    sizes : mapping
        The parameters of each size. Those of 'full' are the paper's, where they are known.
    """

    name: str
    title: str
    source: str
    perform: Callable[..., Outcome]
    sizes: Mapping[str, Mapping[str, Parameter]]

    def parameters(self, run: Run) -> dict[str, Parameter]:
        """Return the parameters of the size of a run, with its changes.

        Examples
        --------
        >>> sizes = {size: {"trees": 10, "rows": None} for size in SIZES}
        >>> Experiment("x", "", "", Outcome, sizes).parameters(Run(changes={"trees": "20"}))
        {'trees': 20, 'rows': None}
        """
        found = dict(self.sizes[run.size])
        for name, text in run.changes.items():
            one_of(f"a parameter of {self.name}", name, found)
            found[name] = _parsed(name, text, [self.sizes[size][name] for size in SIZES])
        return found

    def __call__(self, run: Run) -> Outcome:
        """Run the experiment, and record its name, settings and time."""
        parameters = self.parameters(run)
        clock = time.perf_counter()
        outcome = self.perform(run, **parameters)
        outcome.name, outcome.title, outcome.source = self.name, self.title, self.source
        shown = {name: shown_parameter(value) for name, value in parameters.items()}
        changed = ", changed" if run.changes else ""
        outcome.settings = {
            "size": run.size + changed,
            "seed": run.seed,
            **shown,
            **outcome.settings,
        }
        full = self.sizes["full"]
        smaller = [name for name in full if parameters[name] != full[name]]
        if smaller:
            paper = ", ".join(f"{name} {shown_parameter(full[name])}" for name in smaller)
            outcome.notes.append(f"Not the full size, which is: {paper}.")
        outcome.seconds = time.perf_counter() - clock
        return outcome


def _parsed(name: str, text: str, known: list[Parameter]) -> Parameter:
    """Return the value that a text stands for, of the kind that the sizes have."""
    several = [value for value in known if isinstance(value, tuple)]
    if several and isinstance(several[0][0], str):
        return tuple(text.split(","))
    if text == "all" and None in known:
        return None
    try:
        numbers = tuple(int(part.replace("_", "")) for part in text.split(","))
    except ValueError:
        numbers = ()
    if not numbers or min(numbers) < 1 or (len(numbers) > 1 and not several):
        kind = "whole numbers, separated by commas," if several else "a whole number"
        also = " or 'all'" if None in known else ""
        raise ValueError(f"{name} must be {kind}{also} of at least 1, got {text!r}")
    return numbers if several else numbers[0]


def shown_parameter(value: Parameter) -> str:
    """Return a parameter as the settings show it."""
    if value is None:
        return "all"
    if isinstance(value, int):
        return f"{value:,}"
    return " ".join(map(str, value))


def cores() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def verdict(holds: bool) -> str:
    """Return the word for a claim that holds, or does not."""
    return "holds" if holds else "does not hold"


def mean(values: Iterable[Any]) -> float:
    """Return the mean of the values, or NaN if there are none."""
    found = list(values)
    return float(sum(found) / len(found)) if found else float("nan")
