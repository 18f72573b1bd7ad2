"""Compare models: every model on every stream with every seed."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian.errors import one_of
from riparian.evaluate.choices import Choice, StreamSpec
from riparian.evaluate.ranks import Ranks, rank_models
from riparian.evaluate.runs import (
    FIGURES,
    SIZES,
    SMALLER,
    Cell,
    Job,
    Store,
    check_end,
    run_all,
    run_key,
)

__all__ = ["Cell", "Comparison", "compare"]


class Comparison:
    """The results of a comparison.

    Parameters
    ----------
    cells : iterable of Cell
        The results of the runs.
    orders : mapping of str to str, optional
        The order of the rows of files and data sets, by the names of the streams.

    Attributes
    ----------
    cells : list of Cell
        The results of the runs.
    models, streams : list of str
        The names of models and streams, in order of appearance.
    orders : dict of str to str
        The order of the rows of files and data sets: ``"in its order"`` or ``"shuffled ..."``.
    """

    def __init__(self, cells: Iterable[Cell], *, orders: Mapping[str, str] | None = None) -> None:
        self.cells = list(cells)
        self.orders = dict(orders or {})
        self.models = list(dict.fromkeys(cell.model for cell in self.cells))
        self.streams = list(dict.fromkeys(cell.stream for cell in self.cells))

    def __repr__(self) -> str:
        return (
            f"Comparison({len(self.models)} models, {len(self.streams)} streams, "
            f"{len(self.cells)} runs)"
        )

    def table(self) -> dict[str, list[Any]]:
        """Return one list per column and one row per run, for `pandas.DataFrame`."""
        found: dict[str, list[Any]] = {}
        for cell in self.cells:
            row = asdict(cell)
            row.pop("curve")
            figures = row.pop("figures")
            for name, value in (row | figures).items():
                found.setdefault(name, []).append(value)
        return found

    def scores(self, metric: str = "accuracy") -> NDArray[np.float64]:
        """Return the mean of a metric over the seeds.

        Parameters
        ----------
        metric : str, default='accuracy'
            A metric of the runs, or ``leaves``, ``depth``, ``memory`` or ``seconds``.

        Returns
        -------
        scores : ndarray of shape (n_streams, n_models)
            The means; NaN if there is no run.
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
            As for `scores`.
        alpha : float, default=0.05
            Significance level.

        Returns
        -------
        ranks : Ranks
            The ranks and the test.
        """
        return rank_models(self._larger_is_better(metric), alpha=alpha)

    def best(self, metric: str = "accuracy") -> NDArray[np.bool_]:
        """Return which models are the best on each stream.

        Parameters
        ----------
        metric : str, default='accuracy'
            As for `scores`.

        Returns
        -------
        best : bool ndarray of shape (n_streams, n_models)
            True for the best model of each stream.
        """
        scores = self._larger_is_better(metric)
        found: NDArray[np.bool_] = scores == np.fmax.reduce(scores, axis=1, keepdims=True)
        return found

    def _larger_is_better(self, metric: str) -> NDArray[np.float64]:
        scores = self.scores(metric)
        return -scores if metric in SMALLER else scores

    def to_markdown(self, metric: str = "accuracy") -> str:
        """Return a Markdown table of a metric, with the best model of each stream in bold.

        Parameters
        ----------
        metric : str, default='accuracy'
            As for `scores`.
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
        """Plot the critical-difference diagram.

        Parameters
        ----------
        metric : str, default='accuracy'
            As for `scores`.
        ax : matplotlib.axes.Axes, optional
            The axes to draw on. By default those of a new figure.

        Returns
        -------
        ax : matplotlib.axes.Axes
            The axes.
        """
        from riparian.show.comparison import plot_ranks

        return plot_ranks(self.models, self.ranks(metric), ax=ax)

    def plot_sizes(self, stream: str | None = None, *, ax: Any = None) -> Any:
        """Plot the accuracy so far against the number of leaves, as in the C-Tree paper.

        Parameters
        ----------
        stream : str, optional
            Name of the stream. By default the first.
        ax : matplotlib.axes.Axes, optional
            The axes to draw on. By default those of a new figure.

        Returns
        -------
        ax : matplotlib.axes.Axes
            The axes.
        """
        from riparian.show.comparison import plot_sizes

        name = one_of("stream", self.streams[0] if stream is None else stream, self.streams)
        return plot_sizes([cell for cell in self.cells if cell.stream == name], ax=ax)


def compare(
    models: Mapping[str, Any],
    streams: Mapping[str, StreamSpec] | Sequence[str | os.PathLike[str]],
    *,
    target: str | None = None,
    shuffle: bool = False,
    seeds: Iterable[int] = (0,),
    rows: int | None = None,
    out: str | os.PathLike[str] | None = None,
    n_jobs: int | None = None,
    progress: bool | None = None,
) -> Comparison:
    """Evaluate every model on every stream with every seed, prequentially.

    Parameters
    ----------
    models : mapping of str to classifier
        Classifiers of riparian, River or scikit-learn. They are cloned for each run.
    streams : mapping of str to stream, or sequence of str or path
        Each stream is a name such as ``"synth:sea?concept=2"``, to which the seed is added; a data
        set such as ``"dataset:elec2"``; the path of a file; a function of the seed that returns a
        stream; or a stream.
    target : str, optional
        The column of the labels, for files that do not define it.
    shuffle : bool, default=False
        Whether the rows of files and data sets are shuffled with the seed, in memory. By default
        they keep their order, except for data sets whose rows are grouped by class, and those whose
        name has ``?shuffle=``. `Comparison.orders` lists them.
    seeds : iterable of int, default=(0,)
        The seeds. A stream that does not depend on the seed is run once.
    rows : int, optional
        Number of rows per run. Required if a stream is endless.
    out : path, optional
        A file of JSON lines to which each finished run is added. Runs that are already in it, with
        the same parameters, stream, seed and rows, are not repeated, so an interrupted comparison
        can be continued.
    n_jobs : int, optional
        Number of processes. By default one per processor.
    progress : bool, optional
        Whether to show the progress on standard error. By default only on a terminal.

    Returns
    -------
    comparison : Comparison
        The results.

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
        raise ValueError("models must have at least one model")
    if not isinstance(streams, Mapping):
        streams = {os.fspath(name): name for name in streams}
    named = {name: Choice(stream, target, shuffle) for name, stream in streams.items()}
    if not named:
        raise ValueError("streams must have at least one stream")
    if rows is not None and rows < 1:
        raise ValueError(f"rows must be at least 1, got {rows}")
    numbers = list(seeds)
    jobs = [
        Job(model, stream, seed, run_key(models[model], named[stream], seed, rows))
        for stream in named
        for seed in (numbers if named[stream].uses_seed else numbers[:1])
        for model in models
    ]
    for stream in named:
        source = named[stream].open(numbers[0] if numbers else 0)
        check_end(stream, source, rows)
        if hasattr(source, "close"):
            source.close()
    with Store(out) as store:
        todo = [job for job in jobs if job.key not in store.cells]
        if todo:
            store.check_writable()
            found = run_all(todo, models, named, rows, n_jobs)
            for job, cell in _with_progress(found, len(todo), len(jobs) - len(todo), progress):
                store.add(job.key, cell)
    return Comparison(
        (_renamed(store.cells[job.key], job.model, job.stream) for job in jobs),
        orders={name: choice.order for name, choice in named.items() if choice.order is not None},
    )


def _renamed(cell: Cell, model: str, stream: str) -> Cell:
    """Return the cell with its current names, which are not part of the key of a run."""
    return Cell(**{**asdict(cell), "model": model, "stream": stream})


def _with_progress(
    found: Iterator[tuple[Job, Cell]], n: int, done: int, progress: bool | None
) -> Iterator[tuple[Job, Cell]]:
    from riparian.show.progress import ProgressBar

    text = f"{done} runs were finished before" if done else "runs"
    with ProgressBar(text, shown=progress) as bar:
        for finished, (job, cell) in enumerate(found, done + 1):
            bar.update(finished, n + done, f"{job.model} on {job.stream}")
            yield job, cell
