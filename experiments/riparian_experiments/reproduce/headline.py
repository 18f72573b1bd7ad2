"""The headline table of a paper: errors of several models on several streams, each row once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from riparian.evaluate import prequential
from riparian.streams.stream import Stream
from riparian_experiments import datasets
from riparian_experiments.reproduce.experiment import Experiment, Parameter, Run, mean
from riparian_experiments.reproduce.outcome import Outcome, Table

__all__ = ["Errors", "Headline", "Scene"]

#: The mean error of each model, by stream and model.
Errors = Mapping[str, Mapping[str, float]]

UNQUOTED = (
    "The text of this paper is not among the documents of the project, so its claim is compared "
    "and its numbers are not quoted."
)


@dataclass(frozen=True)
class Scene:
    """What a stream of a headline table is made from: a seed, and the number of rows to read."""

    seed: int
    rows: int


@dataclass(frozen=True)
class Headline:
    """The declaration of such a table.

    Attributes
    ----------
    name, title, source : str
        The experiment and its paper.
    models : mapping of str to callable
        Called with a seed and the number of members; returns a model.
    streams : mapping of str to callable
        Called with a `Scene`; returns a stream.
    claims : callable
        Called with the errors and the numbers of nodes; returns the claims and whether they hold.
    sizes : mapping
        The rows of a stream, the number of seeds, and for forests the members.
    real : mapping of str to str
        The data set that a stream reads. It is left out if the data set is not available.
    notes : list of str
        What differs from the paper, and which of its streams are missing.
    """

    name: str
    title: str
    source: str
    models: Mapping[str, Callable[[int, int], Any]]
    streams: Mapping[str, Callable[[Scene], Stream]]
    claims: Callable[[Errors, Errors], list[str]]
    sizes: Mapping[str, Mapping[str, Parameter]]
    real: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def experiment(self) -> Experiment:
        """Return the experiment that measures the table."""
        return Experiment(self.name, self.title, self.source, self.perform, self.sizes)

    def perform(self, run: Run, *, rows: int, seeds: int, members: int = 1) -> Outcome:
        """Measure every model on every stream, and return both tables."""
        absent = [name for name, data in self.real.items() if datasets.where(data) is None]
        shown = [stream for stream in self.streams if stream not in absent]
        jobs = [
            _Job(self, stream, model, Scene(run.seed + i, rows), members)
            for stream in shown
            for model in self.models
            for i in range(seeds)
        ]
        found = run.map(_measured, jobs, self.title)
        errors: dict[str, dict[str, float]] = {stream: {} for stream in shown}
        nodes: dict[str, dict[str, float]] = {stream: {} for stream in shown}
        for stream in shown:
            for model in self.models:
                mine = [
                    result
                    for job, result in zip(jobs, found, strict=True)
                    if (job.stream, job.model) == (stream, model)
                ]
                errors[stream][model] = mean(error for error, _ in mine)
                nodes[stream][model] = mean(size for _, size in mine)
        heads = ("stream", *self.models)
        return Outcome(
            claims=self.claims(errors, nodes),
            notes=[
                UNQUOTED,
                *self.notes,
                *([f"Not available and left out: {', '.join(absent)}."] if absent else []),
            ],
            tables=[
                Table("Prequential error", heads, _lines(errors, "{:.2%}")),
                Table("Nodes at the end", heads, _lines(nodes, "{:,.0f}")),
            ],
        )


@dataclass(frozen=True)
class _Job:
    headline: Headline
    stream: str
    model: str
    scene: Scene
    members: int


def _measured(job: _Job) -> tuple[float, float]:
    """Return the prequential error of a model on a stream, and its nodes at the end."""
    model = job.headline.models[job.model](job.scene.seed, job.members)
    stream = job.headline.streams[job.stream](job.scene)
    result = prequential(model, stream, rows=job.scene.rows, progress=False)
    sizes = [member.n_nodes_ for member in getattr(model, "estimators_", [model])]
    return 1.0 - result.accuracy, float(sum(sizes))


def _lines(values: Errors, form: str) -> list[tuple[str, ...]]:
    lines = [
        (stream, *(form.format(value) for value in by_model.values()))
        for stream, by_model in values.items()
    ]
    columns = zip(*(by_model.values() for by_model in values.values()), strict=True)
    return [*lines, ("mean", *(form.format(mean(column)) for column in columns))]
