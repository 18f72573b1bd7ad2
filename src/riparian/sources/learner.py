"""The loop of `riparian learn`: read, predict, learn, and from time to time a checkpoint."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from riparian.evaluate.results import Result
from riparian.evaluate.saved_results import result_to_bytes
from riparian.models.base import StreamClassifier
from riparian.sources.checkpoint import Checkpoint, Generation, Snapshot
from riparian.sources.commits import Commits
from riparian.sources.dead import REMOVE_LAST
from riparian.sources.dead_letters import Sink
from riparian.sources.events import Event, Report
from riparian.sources.feature_drift import FeatureDrift
from riparian.sources.items import Gap, Idle, Note, Opened, Read, Rewound, Sampled
from riparian.sources.join import Join, JoinSettings
from riparian.sources.late_labels import LateLabels
from riparian.sources.notices import of_gap, of_generation, of_refused
from riparian.sources.pace import Pace
from riparian.sources.plan import Plan
from riparian.sources.posted import PostedRows
from riparian.sources.prequential import Prequential
from riparian.sources.reading import Back, Feed, Reader
from riparian.sources.refused import Refused
from riparian.sources.replacing import Asked, CannotGoBackError, why_not_back
from riparian.sources.settings import Settings
from riparian.sources.status import Status
from riparian.storage.modelfile import freeze
from riparian.streams.readers.ahead import Ahead

__all__ = ["Learner"]


class Learner:
    """Learns what a reader gives, exactly once in the line of checkpoints.

    Parameters
    ----------
    model : StreamClassifier
        The model, as it is in the last checkpoint.
    result : Result
        Its evaluation so far.
    checkpoint : Checkpoint
        Where generations are written.
    feeds : sequence of Feed
        The source of rows.
    plan : Plan
        The plan, which was resumed.
    reader : Reader
        Reads the plan, then on.
    settings : Settings
    counters : mapping of str to int
        The counters of the last checkpoint.
    report : callable
        Called with each event.
    sampled : callable
        Called with the number of a source and the state of its decoder, before the first row.
    join, join_state : JoinSettings, mapping
        How the labels of a second source find their rows, and the state of that.
    sink : Sink
        Where dead letters are sent on to.
    posted : bool
        Whether the source is a journal, which holds rows and labels.
    """

    def __init__(
        self,
        model: StreamClassifier[Any],
        result: Result,
        checkpoint: Checkpoint,
        feeds: Sequence[Feed],
        plan: Plan,
        reader: Reader,
        settings: Settings,
        *,
        counters: Mapping[str, int],
        report: Report,
        sampled: Callable[[int, Mapping[str, Any]], None],
        join: JoinSettings | None = None,
        join_state: Mapping[str, Any] | None = None,
        sink: Sink | None = None,
        posted: bool = False,
    ) -> None:
        self.model = model
        #: Whether the model had learned something before the first row of the checkpoint.
        self._begun = hasattr(model, "classes_")
        self.result = result
        self.settings = settings
        self.status = Status()
        self.status.counters |= counters
        self.feeds = list(feeds)
        self._checkpoint = checkpoint
        self._plan = plan
        self._reader = reader
        self._report = report
        self._sampled = sampled
        self._positions = [dict(feed.positions) for feed in feeds]
        self._states: list[Mapping[str, Any]] = [feed.state for feed in feeds]
        self._rows = Prequential(model, result, self.status.count)
        self._refused = Refused(settings, self.status)
        self._late: LateLabels | None = None
        if join is not None:
            waiting = Join(join, join_state or {}, self.status.count)
            waiting.restore(checkpoint.table)
            late = PostedRows if posted else LateLabels
            self._late = late(waiting, self._rows, self._refused, self._states)
        self._stop = threading.Event()
        self._look: Callable[[Learner], None] | None = None
        self._asked: deque[Asked] = deque()
        self._going_back: Asked | None = None  # while the reader looks for the rows since then
        self._commits = Commits(
            *(checkpoint, plan, settings, self.status, sink),
            take=self._snapshot,
            done=self._durable,
            failed=self._not_written,
        )
        self._unwritten: list[Any] = []  # changes of a generation that could not be written

    @property
    def epoch(self) -> int:
        """How often a learner was started on the checkpoint."""
        return self._checkpoint.epoch

    @property
    def join(self) -> Join | None:
        """The rows and labels that wait; None if the labels come with their rows."""
        return None if self._late is None else self._late.join

    @property
    def feature_figures(self) -> dict[str, dict[str, Any]]:
        """How the features drift, by their names; empty unless somebody looks on."""
        return {} if self._rows.features is None else self._rows.features.figures()

    @property
    def rows(self) -> int:
        """How many rows were learned in all."""
        return self.status.counters["learned"]

    def look_on(self, look: Callable[[Learner], None], pace: Pace | None = None) -> None:
        """Call a function in the learner's thread between blocks, whose length `pace` limits.

        From now on the learner also watches how its features drift.
        """
        self._look = look
        generations = self._checkpoint.generations()
        state = generations[0].state.get("features") if generations else None
        self._rows.features = FeatureDrift.from_state(state)
        self._rows.between = lambda: look(self)
        self._rows.pace = pace

    def replace_model(
        self,
        model: StreamClassifier[Any],
        reason: str,
        text: str,
        *,
        since: Generation | None = None,
    ) -> Future[int]:
        """Put another model in the place of this one, between two chunks, as a new generation.

        Parameters
        ----------
        model : StreamClassifier
            The model, which has learned.
        reason : str
            Why, for the list of generations.
        text : str
            The same for the operator.
        since : Generation, default=None
            The generation of the model, if the rows since then are to be learned again.

        Returns
        -------
        Future
            The number of the generation, when it is durable. An OSError if it could not be
            written: then the model stays as it was, unless rows are learned again. A
            CannotGoBackError if they cannot be learned again, and all stays as it was.
        """
        asked = Asked(model, reason, text, since)
        self._asked.append(asked)
        return asked.done

    def _replace(self) -> None:
        while self._asked and self._going_back is None:
            asked = self._asked.popleft()
            if not asked.done.set_running_or_notify_cancel():
                continue
            self._commits.collect(wait=True)
            if asked.since is not None:
                self._ask_back(asked, asked.since)
                continue
            before = self.model
            self._set_model(asked.model)
            if not self._commit_replaced(asked):
                self._set_model(before)

    def _ask_back(self, asked: Asked, since: Generation) -> None:
        """Have the reader go back; meanwhile the present model learns on."""
        reason = why_not_back(self._checkpoint, self.feeds, since)
        if reason is not None:
            asked.done.set_exception(CannotGoBackError(reason))
            return
        first = (self._checkpoint.job or {}).get("decoders", [None] * len(self.feeds))
        found = since.state["decoders"]
        states = [state or other or {} for state, other in zip(found, first, strict=True)]
        self._going_back = asked
        self._reader.go_back(Back(since.positions, states))

    def _rewound(self, item: Rewound) -> None:
        """Become the learner of a generation, whose following rows come next."""
        asked, self._going_back = self._going_back, None
        assert asked is not None
        since = asked.since
        assert since is not None
        if item.refused is not None:
            asked.done.set_exception(CannotGoBackError(item.refused))
            return
        # Letters of rows that come again.
        newest = self._checkpoint.generations()[0]
        again = newest.counters["rejected"] - since.counters["rejected"]
        self._refused.letters.clear()
        self._unwritten = [(REMOVE_LAST, [(again,)])]
        self.model, self.result = asked.model, Result.from_bytes(since.result)
        self._rows.go_back(self.model, self.result)
        if self._rows.features is not None:
            self._rows.features = FeatureDrift.from_state(since.state.get("features"))
        self.status.counters |= since.counters
        self._positions = [dict(positions) for positions in since.positions]
        self._states[:] = item.states
        if self._late is not None:
            settings = self._late.join.settings
            self._late.join = Join(settings, since.state.get("join", {}), self.status.count)
            self._late.join.restore(self._checkpoint.table)
        self._commit_replaced(asked)

    def _commit_replaced(self, asked: Asked) -> bool:
        """Write a generation with a model that has just taken its place."""
        failed = self.status.failed_checkpoints
        self._commits.begin(asked.reason)
        self._commits.collect(wait=True)
        if self.status.failed_checkpoints > failed:
            asked.done.set_exception(OSError("the checkpoint could not be written"))
            return False
        fields = {"reason": asked.reason, "rows": self.rows}
        self._report(Event("replaced", asked.text, "info", fields))
        asked.done.set_result(self.status.generation)
        return True

    def _set_model(self, model: StreamClassifier[Any]) -> None:
        self.model = model
        self._rows.set_model(model)

    def stop(self) -> None:
        """Ask the learner to finish its chunk, write a checkpoint and end."""
        self._stop.set()

    def run(self) -> str:
        """Learn until the sources end or `stop` is called; return which of them it was."""
        ahead = Ahead(self._reader.items())
        try:
            while (item := ahead.get()) is not None:
                self._take(item)
                self._commits.collect(wait=False)
                self._replace()
                if self._look is not None:
                    self._look(self)
                if self._stop.is_set():
                    return self._finish("signal")
                if self.settings.rows is not None and self.rows >= self.settings.rows:
                    return self._finish("rows")
                if self._commits.is_due() and self._may_commit() and self._going_back is None:
                    self._commits.begin("time" if self.settings.every_rows is None else "rows")
            return self._finish("end")
        finally:
            for asked in (*self._asked, *filter(None, (self._going_back,))):
                asked.done.set_exception(OSError("the learner has ended"))
            self._reader.stop()
            ahead.close()
            self._reader.close()
            self._commits.close()
            self._plan.close()

    def _may_commit(self) -> bool:
        """Whether everything that was read is learned, so that a checkpoint may be written."""
        return True

    def _finish(self, reason: str) -> str:
        self._commits.finish(reason)
        return reason

    # -- one item ---------------------------------------------------------------------------

    def _take(self, item: Any) -> None:
        if isinstance(item, Read):
            self._learn(item)
        elif isinstance(item, Opened):
            self._positions[item.source] = {**item.positions, **self._positions[item.source]}
            known = self.feeds[item.source].start == "beginning" and not self._begun
            if not known and not self._commits.any:
                # Where the end was, or what the model began with, nobody could tell after a crash.
                self._commits.begin("start")
                self._commits.collect(wait=True)
        elif isinstance(item, Sampled):
            self._states[item.source] = item.state
            self._sampled(item.source, item.state)
        elif isinstance(item, Gap):
            self.status.count("gaps", 1)
            self.status.count("lost", item.error.lost or 0)
            self._positions[item.source][item.error.partition] = dict(item.error.resume)
            self._commits.touch()
            self._report(of_gap(self.feeds[item.source], item.error))
        elif isinstance(item, Note):
            self._report(item.event)
        elif isinstance(item, Rewound):
            self._rewound(item)
        else:
            assert isinstance(item, Idle)

    def _learn(self, read: Read) -> None:
        self._refused.check_share(len(read.chunk.values), read.rows.faults)
        self._note(read)
        self._learn_rows(read)

    def _note(self, read: Read) -> None:
        """Write a chunk to the plan, before it is learned, unless it comes from there."""
        if read.replayed:
            self._plan.repeat()
        else:
            self._plan.append(read.entry)

    def _learn_rows(self, read: Read) -> None:
        chunk, rows = read.chunk, read.rows
        clock = time.perf_counter()
        refused = len(self._refused.letters)
        for i in sorted(rows.faults):
            self._refused.add_message(read, i, rows.faults[i], "message")
        if self._late is not None:
            self._late.learn(read)
        elif rows.y is not None and len(rows.index):

            def refuse(i: int, reason: str) -> None:
                self._refused.add_message(read, int(rows.index[i]), reason, "model")

            self._rows.learn(rows.X, rows.y, refuse)
        self.status.add_block(time.perf_counter() - clock)
        if len(self._refused.letters) > refused:
            self._report(of_refused(self.feeds[read.source], self._refused.letters[refused:]))
        self.status.count("messages", len(chunk.values))
        self._positions[read.source][chunk.partition] = dict(chunk.next)
        self._states[read.source] = read.state
        self._commits.touch()

    # -- checkpoints ------------------------------------------------------------------------

    def _snapshot(self, plan: int, reason: str) -> Snapshot:
        """Copy all state between two chunks."""
        positions = [dict(found) for found in self._positions]
        identity = [dict(feed.source.identity) for feed in self.feeds]
        self.model.positions_ = {"sources": positions, "identity": identity}
        state: dict[str, Any] = {"decoders": list(self._states)}
        changes, self._unwritten = self._unwritten, []
        if self._rows.features is not None:
            state["features"] = self._rows.features.state()
        if self._late is not None:
            state["join"] = self._late.join.state()
            changes = [*changes, *self._late.join.changes()]
        return Snapshot(
            freeze(self.model),
            self.rows,
            positions,
            identity,
            state,
            dict(self.status.counters),
            plan,
            # As a function, so that it is imported before the first checkpoint stops the learner.
            result_to_bytes(self.result),
            reason,
            list(self._refused.letters),
            changes,
        )

    def _durable(self, snapshot: Snapshot, generation: Generation) -> None:
        del self._refused.letters[: len(snapshot.dead)]
        self._reader.committed(snapshot.positions)
        self._report(of_generation(generation, self.status))

    def _not_written(self, snapshot: Snapshot, error: OSError) -> None:
        self._unwritten = list(snapshot.changes)
        text = f"the checkpoint could not be written, trying again: {error}"
        self._report(Event("checkpoint_failed", text, "error", {"rows": snapshot.rows}))
