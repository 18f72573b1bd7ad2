"""``riparian.learn``: learn from a source in a thread, with a checkpoint."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any, Literal

from riparian.models.base import StreamClassifier
from riparian.sources.checkpoint import Checkpoint
from riparian.sources.dead_letters import open_sink
from riparian.sources.decode.schema_file import read_schema
from riparian.sources.durations import duration, interval
from riparian.sources.events import Event, Report
from riparian.sources.job import Job, Team, open_learner
from riparian.sources.join import JoinSettings
from riparian.sources.learning import Learning
from riparian.sources.messages import Messages
from riparian.sources.metrics_server import serve_metrics
from riparian.sources.registry import is_path, open_source
from riparian.sources.settings import Settings
from riparian.sources.source import Source, Start

__all__ = [
    "declared_fields",
    "join_settings",
    "learn",
    "message_format",
    "messages_of",
    "with_labels",
]


def message_format(source: Source) -> str:
    """Return the usual format of a source's messages: that of its files, else JSON."""
    from riparian.sources.tables import GeneratedSource, TableSource
    from riparian.streams.readers.formats import file_format

    if isinstance(source, GeneratedSource | TableSource):
        return "arrow"
    if source.name == "-" or not hasattr(source, "header"):
        return "json"
    try:
        found = file_format(source.name)
    except ValueError:
        return "json"
    return found if found in ("csv", "tsv") else "json"


def messages_of(
    source: Source,
    target: str | None,
    format: str | None,
    *,
    categorical: Collection[str],
    drop: Collection[str],
    columns: Collection[str] | None,
    schema: str | os.PathLike[str] | Mapping[str, Any] | None,
    **others: Any,
) -> Messages:
    """Return what a user says about the messages of a source; the source decides the rest."""
    if target is None and source.name.startswith("synth:"):
        target = "class"
    return Messages(
        target,
        format or message_format(source),
        tuple(categorical),
        tuple(drop),
        None if columns is None else tuple(columns),
        **declared_fields(schema),
        **others,
    )


def declared_fields(schema: str | os.PathLike[str] | Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the fields of messages whose schema is declared."""
    if schema is None:
        return {}
    declared = read_schema(schema)
    return {"schema": dict(declared.columns), "labels": declared.labels}


def learn(
    model: StreamClassifier[Any],
    source: Source | str | os.PathLike[str],
    *,
    target: str | None = None,
    checkpoint: str | os.PathLike[str],
    every: str | int = "30s",
    format: str | None = None,
    categorical: Collection[str] = (),
    drop: Collection[str] = (),
    columns: Collection[str] | None = None,
    fixed_schema: bool = False,
    envelope: Literal["plain", "cloudevents", "debezium"] = "plain",
    flatten: bool = False,
    decode: str | None = None,
    registry: str | None = None,
    registry_options: Mapping[str, str] | None = None,
    schema: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    labels: Source | str | os.PathLike[str] | None = None,
    key: str | None = None,
    label: str | None = None,
    wait: str | None = None,
    otherwise: str | None = None,
    dedupe: str | None = None,
    max_pending: int = 1_000_000,
    time: str | None = None,
    start: Start = "beginning",
    sample: int = 1000,
    block: int = 10_000,
    rows: int | None = None,
    keep: int | str = 2,
    on_gap: Literal["error", "skip"] = "error",
    on_bad: Literal["skip", "stop"] = "skip",
    max_bad: float = 0.1,
    dead_letters: str | None = None,
    metrics: str | None = None,
    report: Callable[[str], None] | None = None,
    team: Team | None = None,
) -> Learning:
    """Learn from a source in a thread, exactly once across crashes and restarts.

    If the folder `checkpoint` holds a checkpoint of the same job, its model is loaded and learning
    goes on where it ended; `model` then only has to have the same parameters.

    Parameters
    ----------
    model : StreamClassifier
        The model: a new one, or one that goes on, for example from a history. Use the model of the
        returned handle to predict.
    source : Source, str or path-like
        A source of `riparian.sources`, or the address of one.
    target : str, default=None
        The column of the class. Generated streams have it in ``class``.
    checkpoint : str or path-like
        The folder of the checkpoint, on a disk of this machine.
    every : str or int, default='30s'
        How often a checkpoint is written: a time such as ``'30s'`` or a number of rows.
    format : {'json', 'csv', 'tsv', 'arrow', 'avro'}, default=None
        How a message is written. By default known from the source. Avro needs `registry`.
    categorical, drop : collection of str
        Columns that are text whatever they look like, and columns that are not read.
    columns : collection of str, default=None
        The names of the columns of CSV messages without a header.
    fixed_schema : bool, default=False
        Whether columns that the first messages do not have are ignored.
    envelope : {'plain', 'cloudevents', 'debezium'}, default='plain'
        What is around the row of a JSON message.
    flatten : bool, default=False
        Whether ``{"a": {"b": 1}}`` becomes ``{"a.b": 1}``, to depth 3 and 200 names.
    decode : str, default=None
        A function of yours that makes a dict of the bytes of a message: ``'module:function'``.
    registry : str, default=None
        The address of the schema registry of Avro messages. Needs
        ``pip install 'riparian[avro]'``.
    registry_options : mapping, default=None
        Its ``user`` and ``password``, or ``token``. They are stored nowhere.
    schema : str, path-like or mapping, default=None
        The kinds of the columns, in place of those that the first messages decide:
        ``{"columns": {"age": "numeric", "job": "categorical"}, "labels": "text"}``, or a JSON file
        of it. Kinds are numeric, categorical, date and time; labels are text or integers.
    labels : Source, str or path-like, default=None
        Where labels come from that are later than their rows. A row is predicted when it comes and
        learned when its label comes. Then `key` and `label` are required, and `target` is left out.
    key, label : str, default=None
        The column of both sources that names a row, and the column of the labels.
    wait : str, default=None
        How much event time a row waits for its label, such as ``'7d'``; by default for ever.
    otherwise : str, default=None
        The label of a row that has waited so long. By default such a row is dropped.
    dedupe : str, default=None
        Leave out a second row with a key within this much event time.
    max_pending : int, default=1_000_000
        At most this many rows wait; the oldest expire first.
    time : str, default=None
        The column of both sources with the event time, a date or seconds. By default the times of
        the source's messages.
    start : {'beginning', 'end'} or int, default='beginning'
        Where to begin in a partition without a position; a number is milliseconds since 1970.
    sample : int, default=1000
        How many messages decide the kinds of the columns.
    block : int, default=10_000
        The most messages that are learned at once.
    rows : int, default=None
        Stop with the chunk in which this many rows are reached.
    keep : int or str, default=2
        How many generations of the checkpoint are kept; ``'2,24h,30d'`` also keeps one of each
        hour for a day, and one of each day for 30 days.
    on_gap : {'error', 'skip'}, default='error'
        Whether lost messages are an error or are counted.
    on_bad : {'skip', 'stop'}, default='skip'
        Whether a message that cannot be learned is kept as a dead letter or is an error.
    max_bad : float, default=0.1
        The greatest share of refused messages among the last 1,000.
    dead_letters : str, default=None
        A file or ``kafka://host:port/topic`` to which messages that cannot be learned are sent on,
        at least once.
    metrics : str, default=None
        Where to serve metrics for Prometheus: ``'127.0.0.1:9464'``; a port alone is open to this
        machine only. Needs ``pip install 'riparian[metrics]'``.
    report : callable, default=None
        Called with a sentence for each event that an operator should know.
    team : Team, default=None
        Workers that learn the model together; :func:`riparian.cluster.learn` makes one.

    Returns
    -------
    Learning
        The running learner, with `result`, `stop` and `join`.

    Examples
    --------
    >>> import tempfile
    >>> import riparian as rp
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     learning = rp.learn(rp.StreamTree(), "synth:sea?rows=5000", checkpoint=folder)
    ...     learning.join().n
    5000
    """
    found = _opened(source)
    seconds, n_rows = interval(every)
    messages = messages_of(
        found,
        target,
        format,
        categorical=categorical,
        drop=drop,
        columns=columns,
        schema=schema,
        fixed_schema=fixed_schema,
        envelope=envelope,
        flatten=flatten,
        decode=decode,
        registry=registry,
        registry_options=registry_options or {},
    )
    job = Job(model, found, messages, start, sample)
    if labels is not None:
        join = join_settings(key, label, wait, otherwise, dedupe, max_pending, time)
        job = with_labels(job, _opened(labels), join)
    elif messages.target is None:
        raise ValueError("target must name the column of the class")
    settings = Settings(seconds, n_rows, block, rows, on_gap, on_bad, max_bad)
    sink = None if dead_letters is None else open_sink(dead_letters, {})
    opened = Checkpoint(checkpoint, keep=keep)
    try:
        events = _as_text(report)
        learner = open_learner(job, opened, settings, events, sink, team)
        server = None if metrics is None else serve_metrics(learner, metrics, events)
    except BaseException:
        if sink is not None:
            sink.close()
        opened.close()
        raise
    return Learning(learner, opened, server)


def _as_text(report: Callable[[str], None] | None) -> Report:
    def show(event: Event) -> None:
        if report is not None and event.level != "debug":
            report(event.text)

    return show


def _opened(source: Source | str | os.PathLike[str]) -> Source:
    return open_source(os.fspath(source)) if isinstance(source, str | os.PathLike) else source


def join_settings(
    key: str | None,
    label: str | None,
    wait: str | None,
    otherwise: str | None,
    dedupe: str | None,
    max_pending: int,
    time: str | None,
) -> JoinSettings:
    """Return how labels find their rows; a ValueError names what is missing."""
    if key is None or label is None:
        raise ValueError("labels need key and label: the columns that name a row and its label")
    if otherwise is not None and wait is None:
        raise ValueError("the label of rows that waited needs wait: how long they wait")
    return JoinSettings(
        key,
        label,
        None if wait is None else duration(wait),
        otherwise,
        None if dedupe is None else duration(dedupe),
        max_pending,
        time,
    )


def with_labels(job: Job, labels: Source, join: JoinSettings) -> Job:
    """Return a job whose labels come from another source."""
    if job.messages.target is not None:
        raise ValueError("the labels come from another source: leave out target")
    rows = replace(job.messages, categorical=(*job.messages.categorical, join.key))
    only = (join.key,) if join.time is None else (join.key, join.time)
    messages = Messages(join.label, message_format(labels), categorical=(join.key,), only=only)
    if job.messages.registry is not None and not is_path(labels.name):
        messages = replace(
            messages,
            format="avro",
            registry=job.messages.registry,
            registry_options=job.messages.registry_options,
        )
    return replace(job, messages=rows, labels=labels, label_messages=messages, join=join)
