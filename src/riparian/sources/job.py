"""A job: what is learned from what. A checkpoint folder belongs to one job."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any, Protocol

from riparian.errors import ModelFileError
from riparian.evaluate.results import Result
from riparian.models.base import StreamClassifier
from riparian.sources.checkpoint import Checkpoint, Generation
from riparian.sources.dead_letters import Sink
from riparian.sources.decode.rows import Decoder
from riparian.sources.events import Event, Report
from riparian.sources.join import JoinSettings
from riparian.sources.journal_source import JournalSource
from riparian.sources.learner import Learner
from riparian.sources.messages import Messages
from riparian.sources.plan import Plan
from riparian.sources.reading import Feed, Reader
from riparian.sources.settings import Settings
from riparian.sources.source import Source, Start
from riparian.storage.modelfile import freeze, functions_of
from riparian.storage.old_formats import with_renamed_values

__all__ = ["Job", "Team", "check_same_job", "newest_generation", "open_learner"]


@dataclass(frozen=True)
class Job:
    """What is learned from what.

    Parameters
    ----------
    model : StreamClassifier
        The model, as it is before the first row.
    source : Source
        Where the rows come from.
    messages : Messages
        What its messages hold.
    start : {'beginning', 'end'} or int
        Where to begin in a new checkpoint.
    sample : int
        How many messages decide the kinds of the columns.
    labels : Source, default=None
        Where labels come from that are later than their rows.
    label_messages : Messages, default=None
        What its messages hold.
    join : JoinSettings, default=None
        How labels find their rows.
    how : mapping
        What is stored to open the source again; it is not compared.
    shards, alone : int or None
        How the rows are dealt to a team of workers, if there is one: see `Team`.
    """

    model: StreamClassifier[Any]
    source: Source
    messages: Messages
    start: Start = "beginning"
    sample: int = 1000
    how: Mapping[str, Any] = field(default_factory=dict)
    labels: Source | None = None
    label_messages: Messages | None = None
    join: JoinSettings | None = None
    shards: int | None = None
    alone: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return what must not change while a checkpoint lives."""
        header = freeze(self.model).header
        found = {
            "recipe": header["recipe"],
            "parameters": header["parameters"],
            "source": self.source.name,
            "messages": self.messages.to_json(),
            "shards": self.shards,
            "alone": self.alone,
        }
        if self.labels is not None and self.label_messages is not None and self.join is not None:
            found["labels"] = self.labels.name
            found["label_messages"] = self.label_messages.to_json()
            found["join"] = asdict(self.join)
        elif self.posted and self.join is not None:
            found["join"] = asdict(self.join)
        return found

    @property
    def posted(self) -> bool:
        """Whether the source is a journal, which holds rows and labels."""
        return isinstance(self.source, JournalSource)

    @property
    def inputs(self) -> list[tuple[Source, Messages]]:
        """The sources with what their messages hold."""
        found = [(self.source, self.messages)]
        if self.labels is not None and self.label_messages is not None:
            found.append((self.labels, self.label_messages))
        return found


class Team(Protocol):
    """Workers that learn one model together (:mod:`riparian.cluster`)."""

    def job(self, job: Job) -> Job:
        """Return the job with the shards that its rows are dealt to; a ValueError if it cannot."""

    def reader(self, alone: int, *args: Any, **options: Any) -> Reader:
        """Return a reader; after `alone` more messages it leaves decoding to the workers."""

    def learner(self, job: Job, *args: Any, **options: Any) -> Learner:
        """Return a learner; both take what `Reader` and `Learner` take."""


def open_learner(
    job: Job,
    checkpoint: Checkpoint,
    settings: Settings,
    report: Report,
    sink: Sink | None = None,
    team: Team | None = None,
) -> Learner:
    """Return a learner that begins, or goes on where the checkpoint ends.

    Parameters
    ----------
    job : Job
        What is learned from what.
    checkpoint : Checkpoint
        The open checkpoint.
    settings : Settings
        How to run.
    report : callable
        Called with each event.
    sink : Sink, default=None
        Where dead letters are sent on to.
    team : Team, default=None
        The workers that learn; by default this thread does.

    Raises
    ------
    ValueError
        If the checkpoint belongs to another job.
    ModelFileError
        If no generation can be loaded.
    """
    if team is not None:
        job = team.job(job)
    elif job.shards is not None:
        raise ValueError(
            f"{checkpoint.folder} is learned by workers: name --workers or --ray again"
        )
    wanted, stored = job.to_json(), checkpoint.job
    if stored is not None:
        check_same_job(wanted, stored, checkpoint)
    functions = functions_of(job.model._axes())
    generation, model = newest_generation(checkpoint, functions, report)
    if model is None:
        model = job.model
    inputs = job.inputs
    states: list[Any] = [None] * len(inputs)
    if stored is not None:
        states = list(stored["decoders"])
    if generation is not None:
        now = generation.state["decoders"]
        states = [state or first for state, first in zip(now, states, strict=True)]
    feeds = []
    for number, (source, messages) in enumerate(inputs):
        feed = Feed(source, partial(_decoder, job, messages, source), messages.restored)
        feed.sample = job.sample if messages.schema is None and not job.posted else 1
        feed.start = job.start
        if states[number]:
            feed.decoder, feed.state = messages.restored(states[number]), states[number]
        if generation is not None:
            feed.positions = dict(generation.positions[number])
            feed.identity = generation.identity[number]
        feeds.append(feed)
    plan = Plan(checkpoint.folder / "plan", checkpoint.epoch)
    entries = plan.resume(0 if generation is None else generation.plan)
    _report_start(job, checkpoint, generation, sum(entry.n for entry in entries), report)

    def sampled(number: int, state: Mapping[str, Any]) -> None:
        states[number] = dict(state)
        checkpoint.write_job({**wanted, "how": dict(job.how), "decoders": states})
        _report_schema(inputs[number][0], state, report)

    counters = {} if generation is None else generation.counters
    reader: Callable[..., Reader] = Reader
    learner: Callable[..., Learner] = Learner
    if team is not None:
        reader = partial(team.reader, max(0, (job.alone or 0) - counters.get("messages", 0)))
        learner = partial(team.learner, job)
    return learner(
        model,
        Result() if generation is None else Result.from_bytes(generation.result),
        checkpoint,
        feeds,
        plan,
        reader(feeds, entries, block=settings.block, on_gap=settings.on_gap),
        settings,
        counters=counters,
        report=report,
        sampled=sampled,
        join=job.join,
        join_state=None if generation is None else generation.state.get("join"),
        sink=sink,
        posted=job.posted,
    )


def _decoder(job: Job, messages: Messages, source: Source, samples: Sequence[Any]) -> Decoder:
    return messages.decoder(samples, source, job.sample)


def _report_start(
    job: Job, checkpoint: Checkpoint, generation: Generation | None, again: int, report: Report
) -> None:
    sources = [source.name for source, _ in job.inputs]
    fields: dict[str, Any] = {
        "sources": sources,
        "model": type(job.model).__name__,
        "checkpoint": str(checkpoint.folder),
        "epoch": checkpoint.epoch,
    }
    if generation is None:
        text = f"learning from {' and '.join(sources)}; the checkpoint is new"
        report(Event("start", text, "debug", fields))
        return
    text = (
        f"going on with generation {generation.number}, {generation.rows:,} rows; "
        f"{again:,} messages are learned again"
    )
    fields |= {"generation": generation.number, "rows": generation.rows, "replayed": again}
    report(Event("recovered", text, "info", fields))


def _report_schema(source: Source, state: Mapping[str, Any], report: Report) -> None:
    kinds: dict[str, str] = dict(state["kinds"])
    shown = ", ".join(f"{name} {kind}" for name, kind in list(kinds.items())[:20])
    more = f" and {len(kinds) - 20:,} more" if len(kinds) > 20 else ""
    text = f"the columns of {source.name} are: {shown}{more}"
    if not kinds:
        text = f"no column of {source.name} is known yet"
    report(Event("schema", text, "info", {"source": source.name, "columns": kinds}))


def check_same_job(wanted: Mapping[str, Any], stored: Mapping[str, Any], at: Checkpoint) -> None:
    """Raise a ValueError that names what differs, if a checkpoint holds another job."""
    current = {**stored, "parameters": with_renamed_values(stored.get("parameters"))}
    mine, theirs = _flat(json.loads(json.dumps(wanted))), _flat(current)
    for name, value in mine.items():
        if theirs.get(name) != value:
            raise ValueError(
                f"{at.folder} holds another job: its {name} is {theirs.get(name)!r}, not "
                f"{value!r}; name another folder, or go on with --resume {at.folder}"
            )


def _flat(job: Mapping[str, Any]) -> dict[str, Any]:
    """Return a job with the parts of its objects next to its other parts."""
    found = {name: value for name, value in job.items() if not isinstance(value, dict)}
    for name in ("parameters", "messages", "join"):
        found |= job.get(name) or {}
    of_labels = job.get("label_messages") or {}
    return found | {f"{name} of the labels": value for name, value in of_labels.items()}


def newest_generation(
    checkpoint: Checkpoint, functions: Mapping[str, Any], report: Report
) -> tuple[Generation | None, Any]:
    """Return the newest generation that can be loaded, and its model."""
    generations = checkpoint.generations()
    for generation in generations:
        try:
            return generation, checkpoint.load(generation, functions)
        except ModelFileError as error:
            text = f"DAMAGED: generation {generation.number} cannot be loaded: {error}"
            report(Event("damaged", text, "error", {"generation": generation.number}))
            if generation is generations[-1]:
                raise ModelFileError(
                    f"{checkpoint.folder}: no generation can be loaded; restore the folder from a "
                    "backup, or begin again in another folder"
                ) from None
            if checkpoint.table("SELECT 1 FROM pending UNION ALL SELECT 1 FROM early LIMIT 1"):
                raise ModelFileError(
                    f"{checkpoint.folder}: rows wait for labels, so the generation before cannot "
                    "be used; restore the folder from a backup"
                ) from None
            checkpoint.discard(generation)
    return None, None
