"""The runs of a comparison, and the file that stores them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, nullcontext
from dataclasses import asdict, dataclass, field
from typing import Any, BinaryIO, Self

from riparian.evaluate.choices import Choice
from riparian.evaluate.passes import prequential
from riparian.evaluate.workers import on_processes
from riparian.policies import Policy
from riparian.storage.outputs import check_output, open_output

__all__ = [
    "FIGURES",
    "SIZES",
    "SMALLER",
    "Cell",
    "Job",
    "Store",
    "check_end",
    "run_all",
    "run_key",
]

#: The metrics that are stored for each run.
FIGURES = (
    "accuracy",
    "kappa",
    "kappa_m",
    "kappa_temporal",
    "macro_f1",
    "g_mean",
    "mean_cost",
)
#: The size of the model at the end of a run, and the time.
SIZES = ("leaves", "depth", "memory", "seconds")
#: Metrics for which smaller is better.
SMALLER = ("mean_cost", *SIZES)


@dataclass(frozen=True)
class Cell:
    """The result of one run: one model on one stream with one seed.

    Attributes
    ----------
    model, stream : str
        The names of model and stream.
    seed : int
        The seed.
    rows : int
        Number of rows.
    figures : dict
        Accuracy and the other metrics of `Result.figures`, by name.
    leaves, depth, memory : int
        Size of the model at the end; -1 if the model is not a tree.
    seconds : float
        Time to predict and learn.
    curve : dict of lists
        ``rows``, ``overall`` (accuracy so far) and ``leaves``.
    """

    model: str
    stream: str
    seed: int
    rows: int
    figures: dict[str, float]
    leaves: int
    depth: int
    memory: int
    seconds: float
    curve: dict[str, list[float]] = field(repr=False)


@dataclass(frozen=True)
class Job:
    model: str
    stream: str
    seed: int
    key: str


class Store:
    """The finished runs, in memory and optionally in a file.

    Parameters
    ----------
    path : path or None
        A file of JSON lines, which is read and extended. A device or FIFO is only written to.
    """

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        self._path = None if path is None else os.fspath(path)
        self._file: BinaryIO | None = None
        self._opened = ExitStack()
        self.cells: dict[str, Cell] = {}
        if self._path is not None and os.path.isfile(self._path):
            with open(self._path, encoding="utf-8") as file:
                for number, line in enumerate(file, start=1):
                    self._read(number, line)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._opened.close()

    def check_writable(self) -> None:
        """Raise an error if the file cannot be extended."""
        check_output("out", self._path, append=True)

    def _read(self, number: int, line: str) -> None:
        if not line.endswith("\n"):
            return  # the run that was being written when the program was stopped
        try:
            found = json.loads(line)
            key = found.pop("key")
            self.cells[key] = Cell(**found)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise ValueError(
                f"{self._path}, line {number}: not a run of a comparison ({error})"
            ) from None

    def add(self, key: str, cell: Cell) -> None:
        self.cells[key] = cell
        if self._path is None:
            return
        if self._file is None:
            if os.path.isfile(self._path):
                _cut_unfinished_line(self._path)
            self._file = self._opened.enter_context(open_output(self._path, "ab"))
        line = json.dumps({"key": key, **asdict(cell)}, allow_nan=True)
        self._file.write(line.encode() + b"\n")
        self._file.flush()
        if os.path.isfile(self._path):
            os.fsync(self._file.fileno())


def _cut_unfinished_line(path: str) -> None:
    """Remove an incomplete last line, so that the next run starts on a new line."""
    with open(path, "rb") as file:
        whole = file.read()
    os.truncate(path, whole.rfind(b"\n") + 1)


def run_key(model: Any, stream: Choice, seed: int, rows: int | None) -> str:
    """Return the key of a run, which depends on model, stream, seed and rows, not on names."""
    described = repr(_parameters(model)), stream.description, seed, rows
    return hashlib.sha256(repr(described).encode()).hexdigest()[:24]


def _parameters(model: Any) -> Any:
    kind = f"{type(model).__module__}.{type(model).__qualname__}"
    if hasattr(model, "_axes"):  # includes the parameters that a recipe fixes
        axes = {name: _with_parameters(value) for name, value in model._axes().items()}
        return kind, sorted(axes.items(), key=lambda item: item[0])
    if hasattr(model, "get_params"):
        return kind, sorted(model.get_params().items(), key=lambda item: item[0])
    return kind, repr(model)


def _with_parameters(value: Any) -> Any:
    """Return a policy with all its parameters, because defaults may change between versions."""
    if isinstance(value, tuple):
        return tuple(_with_parameters(one) for one in value)
    return value.as_dict() if isinstance(value, Policy) else value


def check_end(name: str, stream: Any, rows: int | None) -> None:
    if rows is None and getattr(stream, "n_rows", None) is None and hasattr(stream, "chunk"):
        raise ValueError(f"rows must be given, because the stream {name!r} is endless")


def run_all(
    jobs: list[Job],
    models: Mapping[str, Any],
    streams: Mapping[str, Choice],
    rows: int | None,
    n_jobs: int | None,
) -> Iterator[tuple[Job, Cell]]:
    wanted = os.cpu_count() or 1 if n_jobs is None else n_jobs
    if min(wanted, len(jobs)) == 1:
        return (_run(job, models[job.model], streams[job.stream], rows) for job in jobs)
    calls = ((job, models[job.model], streams[job.stream], rows) for job in jobs)
    return on_processes(_run, calls, min(wanted, len(jobs)), ordered=False)


def _run(job: Job, model: Any, stream: Choice, rows: int | None) -> tuple[Job, Cell]:
    fresh = _clone(model)
    try:
        source = stream.open(job.seed)
        with source if hasattr(source, "close") else nullcontext():
            result = prequential(fresh, source, rows=rows, progress=False)
    except Exception as error:
        error.add_note(f"in the run of {job.model!r} on {job.stream!r} with seed {job.seed}")
        raise
    curve = result.curve
    return job, Cell(
        job.model,
        job.stream,
        job.seed,
        result.n,
        {name: result.figures()[name] for name in FIGURES},
        int(curve.leaves[-1]),
        int(curve.depth[-1]),
        int(curve.memory[-1]),
        result.model_seconds,
        {
            "rows": curve.rows.tolist(),
            "overall": curve.overall.tolist(),
            "leaves": curve.leaves.tolist(),
        },
    )


def _clone(model: Any) -> Any:
    if hasattr(model, "get_params"):
        from sklearn.base import clone

        return clone(model)
    if hasattr(model, "clone"):
        return model.clone()
    raise TypeError(
        f"{type(model).__name__} cannot be cloned for each run: it has no get_params or clone"
    )
