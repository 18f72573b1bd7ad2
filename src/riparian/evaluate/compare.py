"""Models side by side: every model on every stream with every seed."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian.errors import one_of
from riparian.evaluate.runs import (
    FIGURES,
    SIZES,
    SMALLER,
    Cell,
    Job,
    Store,
    StreamSpec,
    check_end,
    open_spec,
    run_all,
    run_key,
)
from riparian.ranks import Ranks, rank_models

__all__ = ["Cell", "Comparison", "compare"]


class Comparison:
    """The cells of a comparison, and what they show together.

    Parameters
    ----------
    cells : iterable of Cell

    Attributes
    ----------
    cells : list of Cell
    models, streams : list of str
        In the order in which they were given.
    """

    def __init__(self, cells: Iterable[Cell]) -> None:
        self.cells = list(cells)
        self.models = list(dict.fromkeys(cell.model for cell in self.cells))
        self.streams = list(dict.fromkeys(cell.stream for cell in self.cells))

    def __repr__(self) -> str:
        return (
            f"Comparison({len(self.models)} models, {len(self.streams)} streams, "
            f"{len(self.cells)} runs)"
        )

    def table(self) -> dict[str, list[Any]]:
        """Give one list a column, a row a run, as `pandas.DataFrame` accepts them."""
        found: dict[str, list[Any]] = {}
        for cell in self.cells:
            row = asdict(cell)
            row.pop("curve")
            figures = row.pop("figures")
            for name, value in (row | figures).items():
                found.setdefault(name, []).append(value)
        return found

    def scores(self, metric: str = "accuracy") -> NDArray[np.float64]:
        """Give the mean over the seeds: a row a stream, a column a model.

        Parameters
        ----------
        metric : str, default='accuracy'
            A figure of the runs, or ``leaves``, ``depth``, ``memory``, ``seconds``.
        """
        one_of("metric", metric, (*FIGURES, *SIZES))
        found: dict[tuple[str, str], list[float]] = {}
        for cell in self.cells:
            value = getattr(cell, metric) if metric in SIZES else cell.figures[metric]
            found.setdefault((cell.stream, cell.model), []).append(float(value))
        return np.array(
            [
                [np.mean(found.get((stream, model), [math.nan])) for model in self.models]
                for stream in self.streams
            ]
        ).reshape(len(self.streams), len(self.models))

    def ranks(self, metric: str = "accuracy", *, alpha: float = 0.05) -> Ranks:
        """Rank the models over the streams, with Friedman's test and the critical difference.

        Parameters
        ----------
        metric : str, default='accuracy'
        alpha : float, default=0.05
        """
        return rank_models(self._larger_is_better(metric), alpha=alpha)

    def best(self, metric: str = "accuracy") -> NDArray[np.bool_]:
        """Say which model is the best on each stream, in the shape of `scores`.

        Parameters
        ----------
        metric : str, default='accuracy'
        """
        scores = self._larger_is_better(metric)
        found: NDArray[np.bool_] = scores == np.fmax.reduce(scores, axis=1, keepdims=True)
        return found

    def _larger_is_better(self, metric: str) -> NDArray[np.float64]:
        scores = self.scores(metric)
        return -scores if metric in SMALLER else scores

    def to_markdown(self, metric: str = "accuracy") -> str:
        """Give a table of a metric, models across, the best of each stream in bold.

        Parameters
        ----------
        metric : str, default='accuracy'
        """
        scores = self.scores(metric)
        lines = [f"| stream | {' | '.join(self.models)} |", "| --- |" + " ---: |" * scores.shape[1]]
        for stream, row, best in zip(self.streams, scores, self.best(metric), strict=True):
            texts = [f"**{v:.4f}**" if b else f"{v:.4f}" for v, b in zip(row, best, strict=True)]
            lines.append(f"| {stream} | {' | '.join(texts)} |")
        if np.isfinite(scores).all():
            ranks = self.ranks(metric)
            mean = " | ".join(f"{rank:.2f}" for rank in ranks.mean.tolist())
            lines.append(f"| *mean rank* | {mean} |")
        return "\n".join(lines) + "\n"

    def plot_ranks(self, metric: str = "accuracy", *, ax: Any = None) -> Any:
        """Draw the critical-difference diagram.

        Parameters
        ----------
        metric : str, default='accuracy'
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        matplotlib.axes.Axes
        """
        from riparian.evaluate.plots import plot_ranks

        return plot_ranks(self.models, self.ranks(metric), ax=ax)

    def plot_sizes(self, stream: str | None = None, *, ax: Any = None) -> Any:
        """Draw the accuracy so far against the leaves, as the C-Tree paper does.

        Parameters
        ----------
        stream : str, optional
            By default the first.
        ax : matplotlib.axes.Axes, optional

        Returns
        -------
        matplotlib.axes.Axes
        """
        from riparian.evaluate.plots import plot_sizes

        name = one_of("stream", self.streams[0] if stream is None else stream, self.streams)
        return plot_sizes([cell for cell in self.cells if cell.stream == name], ax=ax)


def compare(
    models: Mapping[str, Any],
    streams: Mapping[str, StreamSpec] | Sequence[str],
    *,
    seeds: Iterable[int] = (0,),
    rows: int | None = None,
    out: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Comparison:
    """Run every model on every stream with every seed, test-then-train.

    Parameters
    ----------
    models : mapping of str to classifier
        Each is cloned for each run; riparian's, River's, or scikit-learn's.
    streams : mapping of str to stream, or sequence of str
        A name such as ``"synth:sea?concept=2"``, to which the seed is added; a data set's, such as
        ``"dataset:elec2"``, whose rows the seed shuffles unless the name has ``?shuffle=``; a
        function of the seed that returns a stream; or a stream, the same for all seeds.
    seeds : iterable of int, default=(0,)
    rows : int, optional
        Rows of each run; needed where a stream is endless.
    out : path, optional
        A file of JSON lines to which each run is added as it ends. Runs that are in it already,
        with the same parameters, stream, seed and rows, are not done again: an interrupted
        comparison goes on where it was.
    n_jobs : int, optional
        Processes; by default one a processor.
    progress : bool, optional
        Show how far the whole grid has come. By default only on a terminal.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> import riparian as rp
    >>> models = {"majority": rp.VFDT(), "adaptive": rp.VFDT(leaf="adaptive")}
    >>> found = compare(models, ["synth:sea", "synth:led"], rows=20_000, n_jobs=1, progress=False)
    >>> found
    Comparison(2 models, 2 streams, 4 runs)
    >>> found.scores().shape
    (2, 2)
    """
    if not models:
        raise ValueError("models must name at least one model")
    named = dict(streams) if isinstance(streams, Mapping) else {name: name for name in streams}
    if not named:
        raise ValueError("streams must name at least one stream")
    if rows is not None and rows < 1:
        raise ValueError(f"rows must be at least 1, got {rows}")
    numbers = list(seeds)
    jobs = [
        Job(model, stream, seed, run_key(models[model], named[stream], seed, rows))
        for stream in named
        for seed in numbers
        for model in models
    ]
    for stream in named:
        check_end(stream, open_spec(named[stream], numbers[0] if numbers else 0), rows)
    with Store(out) as store:
        todo = [job for job in jobs if job.key not in store.cells]
        if todo:
            store.check_writable()
            found = run_all(todo, models, named, rows, n_jobs)
            for job, cell in _shown(found, len(todo), len(jobs) - len(todo), progress):
                store.add(job.key, cell)
    return Comparison(_renamed(store.cells[job.key], job.model, job.stream) for job in jobs)


def _renamed(cell: Cell, model: str, stream: str) -> Cell:
    """Runs are known by what was run; names may have changed since."""
    return Cell(**{**asdict(cell), "model": model, "stream": stream})


def _shown(
    found: Iterator[tuple[Job, Cell]], n: int, done: int, progress: bool | None
) -> Iterator[tuple[Job, Cell]]:
    if not (sys.stderr.isatty() if progress is None else progress):
        yield from found
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(f"{done} runs were there" if done else "runs", total=n + done)
        bar.update(task, completed=done)
        for job, cell in found:
            bar.update(task, advance=1, description=f"{job.model} on {job.stream}")
            yield job, cell
