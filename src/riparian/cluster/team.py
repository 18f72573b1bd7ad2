"""A team: a learner of a source whose rows are learned by the workers of a pool."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from riparian.cluster.dealing import check_workers, rounds_for
from riparian.cluster.evaluation import evaluate
from riparian.cluster.pool import Pool
from riparian.cluster.rounds import Rounds
from riparian.cluster.shards import check_shards, dealt
from riparian.cluster.worker import Lesson
from riparian.data.block import Block
from riparian.models.forests.forest import Forest
from riparian.sources.decode.rows import Rows
from riparian.sources.items import Idle, Read
from riparian.sources.job import Job
from riparian.sources.learner import Learner
from riparian.sources.notices import of_refused
from riparian.sources.parts import part_of
from riparian.sources.plan import Entry
from riparian.sources.reading import Chosen, Reader

__all__ = ["ALONE", "SHARDS", "Team"]

#: The number of shards, and how many first messages the coordinator learns alone.
SHARDS, ALONE = 16, 50_000
#: A round that is not full ends after this many seconds without a message.
_IDLE = 1.0


@dataclass(frozen=True)
class Team:
    """Workers that learn one tree in rounds.

    Parameters
    ----------
    pool : Pool
        The workers.
    shards, alone : int, default=None
        The number of shards, and how many first messages the coordinator learns alone; None is that
        of the checkpoint, or 16 and 50,000. The model depends on both.
    """

    pool: Pool
    shards: int | None = None
    alone: int | None = None

    def job(self, job: Job) -> Job:
        """Return the job with its shards; a ValueError if a team cannot learn it."""
        if job.labels is not None:
            raise ValueError("labels from another source cannot be learned by several workers")
        check_workers(job.model)
        shards = self.shards if self.shards is not None else job.shards
        alone = self.alone if self.alone is not None else job.alone
        return replace(
            job,
            shards=check_shards(SHARDS if shards is None else shards),
            alone=_alone(job.model) if alone is None else alone,
        )

    def reader(self, alone: int, *args: Any, **options: Any) -> Reader:
        """Return a reader that decodes the first messages only."""
        return _RawReader(alone, *args, **options)

    def learner(self, job: Job, *args: Any, **options: Any) -> Learner:
        """Return a learner that has the pool learn."""
        assert job.shards is not None
        rounds = rounds_for(job.model, self.pool, job.shards, job.messages, job=job.source.name)
        return _TeamLearner(rounds, job, *args, **options)


def _alone(model: Any) -> int:
    """Return how many first messages are learned alone: until a forest can be dealt, if it is one.

    A forest does not depend on it.
    """
    return 1 if isinstance(model, Forest) else ALONE


@dataclass(frozen=True)
class _Raw(Rows):
    """Rows that a worker will decode."""


_RAW = _Raw(Block({}, 0), None, np.empty(0, dtype=np.int64))


class _RawReader(Reader):
    """Leaves decoding to the workers after the first messages."""

    def __init__(self, alone: int, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._alone = alone

    def _decode(self, chosen: Chosen) -> Read:
        if self._alone > 0:
            read = super()._decode(chosen)
            self._alone -= len(chosen.chunk.values)
            return read
        entry = Entry.of(chosen.source, chosen.chunk)
        state = self.feeds[chosen.source].state
        return Read(chosen.source, chosen.chunk, _RAW, state, entry, chosen.replayed)


class _TeamLearner(Learner):
    """Collects chunks until a round is full. Checkpoints are written between rounds."""

    def __init__(self, rounds: Rounds, job: Job, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._rounds = rounds
        self._messages = job.messages
        self._round: list[Read] = []
        self._came = 0.0

    def _may_commit(self) -> bool:
        return not self._round

    def _finish(self, reason: str) -> str:
        self._end_round()
        self._rounds.finish()
        return super()._finish(reason)

    def _take(self, item: Any) -> None:
        if isinstance(item, Idle) and self._round and time.monotonic() - self._came > _IDLE:
            # Where such a round ended cannot be found again, so it is made durable at once.
            self._end_round()
            self._commits.collect(wait=True)
            self._commits.begin("idle")
            self._commits.collect(wait=True)
        super()._take(item)

    def _learn(self, read: Read) -> None:
        if not isinstance(read.rows, _Raw):
            super()._learn(read)
            return
        self._note(read)
        self._round.append(read)
        self._came = time.monotonic()
        read_so_far = sum(len(found.chunk.values) for found in self._round)
        if not hasattr(self.model, "classes_") or read_so_far >= self._rounds.size(self.model):
            self._end_round()

    def _end_round(self) -> None:
        """Have the pool learn the chunks that were collected, in one or more rounds."""
        reads, self._round = self._round, []
        if not reads:
            return
        if not hasattr(self.model, "classes_"):  # none of the first messages could be learned
            decoder = self._messages.restored(self._states[0])
            for read in reads:
                rows = decoder.decode(read.chunk.values)
                self._refused.check_share(len(read.chunk.values), rows.faults)
                self._learn_rows(replace(read, rows=rows, state=decoder.state()))
            return
        clock = time.perf_counter()
        chunks = [read.chunk.values for read in reads]
        messages = sum(map(len, chunks))
        faults: dict[int, tuple[str, str]] = {}
        at = 0
        while at < messages:
            n = self._rounds.next(messages - at, self.model)
            faults |= self._run_round(chunks, at, n)
            at += n
        refused = len(self._refused.letters)
        self._refuse(reads, faults)
        self.status.add_block(time.perf_counter() - clock)
        if len(self._refused.letters) > refused:
            self._report(of_refused(self.feeds[0], self._refused.letters[refused:]))
        self.status.count("messages", messages)
        for read in reads:
            self._positions[read.source][read.chunk.partition] = dict(read.chunk.next)
        self._commits.touch()

    def _run_round(self, chunks: list[Any], first: int, n: int) -> dict[int, tuple[str, str]]:
        """Have the pool learn one round; return what is wrong with messages, by their number."""
        clock = time.perf_counter()
        shards = dealt(n, self._rounds.shards)
        lessons = [
            Lesson(part_of(chunks, first + a, first + b)) if a < b else None for a, b in shards
        ]
        found = self._rounds.learn(self.model, lessons, self._states[0])
        self._states[0] = self.feeds[0].state = found.decoder
        seconds = time.perf_counter() - clock
        self.result.seconds += seconds
        evaluate(self.result, self.model, found, seconds)
        self.status.count("learned", len(found.true))
        return {
            first + shards[shard][0] + i: (reason, kind)
            for shard, faults in found.faults.items()
            for i, reason, kind in faults
        }

    def _refuse(self, reads: list[Read], faults: dict[int, tuple[str, str]]) -> None:
        first = 0
        for read in reads:
            end = first + len(read.chunk.values)
            mine = {i - first: faults[i] for i in sorted(faults) if first <= i < end}
            bad = {i: reason for i, (reason, kind) in mine.items() if kind == "message"}
            self._refused.check_share(end - first, bad)
            for i, (reason, kind) in mine.items():
                self._refused.add_message(
                    read, i, reason, "model" if kind == "model" else "message"
                )
            first = end
