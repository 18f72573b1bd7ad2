"""``riparian.cluster.spark_sink``: learn the batches of a Spark query, each exactly once."""

from __future__ import annotations

import functools
import os
import pickle
import time
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from riparian.cluster.evaluation import evaluate
from riparian.cluster.message import digest_of, pack, pack_arrays
from riparian.cluster.rounds import Learned
from riparian.cluster.shards import merged
from riparian.cluster.spark_frames import batches_in_order, partition_results, query_of
from riparian.cluster.summary import absorb, check_mergeable
from riparian.cluster.worker import Lesson, RowWorker, merge_parts, read_part
from riparian.errors import one_of
from riparian.evaluate.results import Result
from riparian.models.base import StreamClassifier
from riparian.sources.checkpoint import Checkpoint, Generation, Snapshot
from riparian.sources.dead import DeadLetter
from riparian.sources.events import Event
from riparian.sources.job import check_same_job, newest_generation
from riparian.sources.messages import Messages
from riparian.sources.prequential import Prequential
from riparian.sources.record_batches import one_batch
from riparian.sources.refused import Refused
from riparian.sources.settings import Settings
from riparian.sources.source import GapError
from riparian.sources.status import Status
from riparian.storage.modelfile import freeze, to_bytes

__all__ = ["SparkSink", "spark_sink"]

#: What is wrong with rows, by partition and number of the row: the reason, and what refused it.
_Bad = dict[tuple[int, int], tuple[str, str]]

#: The name of the only partition of a checkpoint: its position is the last batch.
_PARTITION = "spark"


def spark_sink(
    model: StreamClassifier[Any],
    checkpoint: str | os.PathLike[str],
    *,
    target: str,
    alone: int = 50_000,
    categorical: Collection[str] = (),
    drop: Collection[str] = (),
    on_bad: Literal["skip", "stop"] = "skip",
    max_bad: float = 0.1,
    on_gap: Literal["error", "skip"] = "error",
    keep: int | str = 2,
) -> SparkSink:
    """Return a function for ``writeStream.foreachBatch`` that learns one tree from a stream.

    Each batch is a round: the executors summarise the rows of their partitions, and the driver
    merges the summaries in the order of the partitions and grows the tree. Model and number of the
    batch are committed together, so that a batch which Spark gives again is not learned again.
    Needs ``pip install 'riparian[spark]'``, and riparian on all machines.

    Parameters
    ----------
    model : StreamClassifier
        A tree whose statistics can be merged. An error names what cannot. If the checkpoint has a
        model, that one goes on.
    checkpoint : str or path-like
        The folder of the checkpoint, on a disk of the driver. It is not that of Spark: both belong
        to one query.
    target : str
        The column of the class.
    alone : int, default=50_000
        The driver learns the first partitions alone, until it has read this many rows, because a
        small tree is looked at often.
    categorical, drop : collection of str
        Columns that are categories although they are numbers, and columns that are not read.
    on_bad : {'skip', 'stop'}, default='skip'
        Whether a row that cannot be learned, for example without a class, is kept as a dead letter
        or is an error.
    max_bad : float, default=0.1
        The greatest share of such rows in a batch.
    on_gap : {'error', 'skip'}, default='error'
        Whether a batch that was never given is an error. The first batch of a query is 0.
    keep : int or str, default=2
        How many generations of the checkpoint are kept, as in :func:`riparian.learn`.

    Returns
    -------
    SparkSink
        The function. ``sink.model`` and ``sink.result`` are those of the last batch.
    """
    check_mergeable(model)
    one_of("on_bad", on_bad, ("skip", "stop"))
    one_of("on_gap", on_gap, ("error", "skip"))
    if isinstance(alone, bool) or not isinstance(alone, int) or alone < 0:
        raise ValueError(f"alone must be a whole number from 0 on, got {alone!r}")
    messages = Messages(target, "arrow", tuple(categorical), tuple(drop))
    settings = Settings(on_gap=on_gap, on_bad=on_bad, max_bad=max_bad)
    return SparkSink(model, Path(checkpoint), messages, alone, settings, keep)


@dataclass
class _State:
    """All that moves with a batch."""

    model: StreamClassifier[Any]
    result: Result = field(default_factory=Result)
    status: Status = field(default_factory=Status)
    decoder: dict[str, Any] = field(
        default_factory=lambda: {"form": "arrow", "kinds": {}, "labels": None}
    )
    batch: int = -1
    query: str = ""
    #: The digest of the generation that has this state.
    digest: str = ""

    @property
    def begun(self) -> bool:
        """Whether the model has learned a row, or was given with what it knows."""
        return hasattr(self.model, "classes_")


class SparkSink:
    """Learns batches; see :func:`spark_sink`.

    All state is in the checkpoint. What this object keeps is only used if it is that of the newest
    generation, so a copy of it may learn the next batch.
    """

    def __init__(
        self,
        model: StreamClassifier[Any],
        folder: Path,
        messages: Messages,
        alone: int,
        settings: Settings,
        keep: int | str,
    ) -> None:
        self._first = to_bytes(model) if hasattr(model, "classes_") else model
        self._folder = folder
        self._messages = messages
        self._alone = alone
        self._settings = settings
        self._keep = keep
        self._known: _State | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_known": None}

    def __repr__(self) -> str:
        return f"SparkSink({str(self._folder)!r})"

    @property
    def model(self) -> StreamClassifier[Any]:
        """The model of the last batch."""
        return self._opened().model

    @property
    def result(self) -> Result:
        """The evaluation: each row was predicted by the model before its batch."""
        return self._opened().result

    @property
    def counters(self) -> dict[str, int]:
        """Rows that were read, learned and rejected since the first batch."""
        return dict(self._opened().status.counters)

    @property
    def last_batch(self) -> int:
        """The number of the last batch that was learned; -1 before the first."""
        return self._opened().batch

    def __call__(self, frame: Any, batch_id: int) -> None:
        """Learn a batch, unless it was learned.

        Parameters
        ----------
        frame : DataFrame
            The rows of the batch.
        batch_id : int
            Its number, as Spark counts the batches of a query.
        """
        with Checkpoint(self._folder, keep=self._keep) as checkpoint:
            state = self._state(checkpoint)
            query = query_of(frame)
            if state.query and query and state.query != query:
                raise ValueError(
                    f"{self._folder} belongs to query {state.query}, not {query}: the checkpoint "
                    "of Spark and this one belong together; begin both again in new folders"
                )
            if batch_id <= state.batch:
                return
            if batch_id > state.batch + 1:
                self._miss(state, batch_id)
            # What is changed from here on counts only if it is committed.
            self._known = None
            refused = Refused(self._settings, state.status)
            self._learn(frame, batch_id, state, refused)
            state.batch, state.query = batch_id, query or state.query
            self._known = self._committed(checkpoint, state, refused.letters)

    def _miss(self, state: _State, batch_id: int) -> None:
        if self._settings.on_gap == "error":
            follows = f"follows batch {state.batch}" if state.batch >= 0 else "is the first one"
            raise GapError(
                f"batch {batch_id} {follows} in {self._folder}: those before it were not learned; "
                "begin with a new checkpoint of Spark, too, or on_gap='skip' goes on without them",
                partition=_PARTITION,
                resume={"batch": batch_id - 1},
            )
        state.status.count("gaps", 1)

    # -- the checkpoint -----------------------------------------------------------------------

    def _opened(self) -> _State:
        with Checkpoint(self._folder, keep=self._keep) as checkpoint:
            self._known = self._state(checkpoint)
            return self._known

    def _state(self, checkpoint: Checkpoint) -> _State:
        """Return the state of the newest generation, or that before the first batch."""
        fresh = self._fresh()
        wanted = self._job(fresh)
        stored = checkpoint.job
        if stored is None:
            checkpoint.write_job({**wanted, "decoders": [None]})
        else:
            check_same_job(wanted, stored, checkpoint)
        newest = next(iter(checkpoint.generations()), None)
        if newest is None:
            return fresh
        if self._known is not None and self._known.digest == _digest(newest):
            return self._known
        generation, model = newest_generation(checkpoint, {}, _ignore)
        if generation is None:
            return fresh
        state = _State(model, Result.from_bytes(generation.result), digest=_digest(generation))
        state.status.counters |= generation.counters
        state.decoder = generation.state["decoders"][0]
        state.batch = int(generation.positions[0][_PARTITION]["batch"])
        state.query = generation.identity[0].get("query", "")
        return state

    def _fresh(self) -> _State:
        from riparian.storage.modelfile import from_bytes

        if isinstance(self._first, bytes):
            return _State(from_bytes(self._first))
        return _State(type(self._first)(**self._first.get_params(deep=False)))

    def _job(self, fresh: _State) -> dict[str, Any]:
        header = freeze(fresh.model).header
        return {
            "recipe": header["recipe"],
            "parameters": header["parameters"],
            "source": "spark",
            "messages": self._messages.to_json(),
            "shards": None,
            "alone": self._alone,
        }

    def _committed(
        self, checkpoint: Checkpoint, state: _State, letters: list[DeadLetter]
    ) -> _State:
        positions = [{_PARTITION: {"batch": state.batch}}]
        identity = [{"query": state.query}]
        state.model.positions_ = {"sources": positions, "identity": identity}
        generation = checkpoint.commit(
            Snapshot(
                freeze(state.model),
                state.status.counters["learned"],
                positions,
                identity,
                {"decoders": [state.decoder]},
                dict(state.status.counters),
                0,
                state.result.to_bytes(),
                "batch",
                letters,
            )
        )
        state.digest = _digest(generation)
        return state

    # -- learning -----------------------------------------------------------------------------

    def _learn(self, frame: Any, batch_id: int, state: _State, refused: Refused) -> None:
        first: int | None = 0
        if not state.begun or state.status.counters["messages"] < self._alone:
            first = self._learn_alone(frame, batch_id, state, refused)
        if first is None:
            return
        clock = time.perf_counter()
        learned, n = self._summarized(frame, batch_id, state, first)
        if learned is None:
            return
        seconds = time.perf_counter() - clock
        state.result.seconds += seconds
        evaluate(state.result, state.model, learned, seconds)
        state.decoder = learned.decoder
        state.status.count("messages", n)
        state.status.count("learned", len(learned.true))
        bad = {
            (part, i): (reason, kind)
            for part, faults in learned.faults.items()
            for i, reason, kind in faults
        }
        self._refuse(batch_id, n, bad, refused)

    def _learn_alone(
        self, frame: Any, batch_id: int, state: _State, refused: Refused
    ) -> int | None:
        """Learn whole partitions here; return the first that is left, None if none is."""
        decoder = self._messages.restored(state.decoder)
        rows = Prequential(state.model, state.result, state.status.count)
        bad: _Bad = {}
        part, at, n = -1, 0, 0
        for number, batch in batches_in_order(frame):
            if number != part:
                if state.begun and state.status.counters["messages"] >= self._alone:
                    break
                part, at = number, 0
            found = decoder.decode(batch)
            bad |= {(part, at + int(i)): (why, "message") for i, why in found.faults.items()}
            if found.y is not None and len(found.y):
                note = functools.partial(_note, bad, part, at + found.index)
                rows.learn(found.X, found.y, note)
            state.status.count("messages", batch.num_rows)
            at += batch.num_rows
            n += batch.num_rows
        else:
            number = -1
        state.decoder = decoder.state()
        self._refuse(batch_id, n, bad, refused)
        return None if number < 0 else number

    def _summarized(
        self, frame: Any, batch_id: int, state: _State, first: int
    ) -> tuple[Learned | None, int]:
        """Have the executors summarise the partitions from one on, and grow the tree."""
        frozen = freeze(state.model)
        data = pack_arrays(frozen.header, frozen.arrays)
        key = {"job": str(self._folder), "round": batch_id, "version": digest_of(data)}
        begin = pack({**key, "decoder": state.decoder})
        messages = self._messages

        def work(part: int, batches: list[Any]) -> bytes | None:
            if part < first:
                return None
            whole = one_batch(batches)
            task = pickle.dumps((part, part + 1, {part: Lesson(whole)}))
            count = int(whole.num_rows).to_bytes(8, "little")
            return count + RowWorker(messages, part).summarize(data, begin, task)

        answers = {row.part: bytes(row.data) for row in partition_results(frame, work).collect()}
        if not answers:
            return None, 0
        parts = {
            part: read_part(state.model, answers[part][8:], (part, part + 1), part)
            for part in sorted(answers)
        }
        n = sum(int.from_bytes(answer[:8], "little") for answer in answers.values())
        whole = merged(parts, 0, 1 << max(parts).bit_length(), merge_parts)
        assert whole is not None
        absorb(state.model, whole.summary)
        return Learned(whole.true, whole.predicted, whole.faults, whole.decoder), n

    def _refuse(
        self,
        batch_id: int,
        n: int,
        bad: _Bad,
        refused: Refused,
    ) -> None:
        """Keep rows that cannot be learned as dead letters."""
        by_place = dict(sorted(bad.items()))
        unread = [why for why, kind in by_place.values() if kind == "message"]
        refused.check_share(n, dict(enumerate(unread)))
        for (part, row), (why, kind) in by_place.items():
            place = f"batch {batch_id}, row {row}"
            letter = DeadLetter(0, f"partition {part}", place, why, None)
            refused.add(letter, "model" if kind == "model" else "message")


def _note(bad: _Bad, part: int, places: Any, row: int, why: str) -> None:
    bad[part, int(places[row])] = why, "model"


def _digest(generation: Generation) -> str:
    return f"{generation.number}.{generation.epoch}.{generation.sha256}"


def _ignore(event: Event) -> None:
    """The error that follows a damaged generation says the same."""
