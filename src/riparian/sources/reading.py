"""A thread that polls the sources and decodes, ahead of the model; after a crash by the plan."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from riparian.sources.decode.rows import Decoder
from riparian.sources.events import Event, Level
from riparian.sources.items import Gap, Idle, Item, Note, Opened, Read, Rewound, Sampled
from riparian.sources.plan import Entry
from riparian.sources.replay import Waiting, drop_ahead, held, taken
from riparian.sources.source import (
    Chunk,
    EndOfSource,
    GapError,
    IdentityError,
    Lag,
    Position,
    Source,
    Start,
)

__all__ = ["Back", "Chosen", "Feed", "Reader"]

#: Seconds that a poll may take; signals, checkpoints and late labels wait no longer.
_POLL = 0.2
#: Seconds to wait after a broker could not be reached: the first time, and at most.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 30.0
#: While the plan is read again, this many blocks may wait. Others are read a second time.
_BLOCKS_AHEAD = 4
#: Seconds after which the sample is what has come so far.
_SAMPLE_SECONDS = 10.0


@dataclass(frozen=True)
class Chosen:
    """A chunk that is to be decoded."""

    source: int
    chunk: Chunk
    replayed: bool = False


@dataclass(frozen=True)
class Back:
    """Where to read the sources again: positions and the states of the decoders, by source."""

    positions: Sequence[Mapping[str, Position]]
    states: Sequence[Mapping[str, Any]]


@dataclass
class Feed:
    """A source with its decoder and what was read but not handed out yet."""

    source: Source
    #: Makes the decoder from the first messages; its state is kept from then on.
    make: Callable[[Sequence[Any]], Decoder]
    #: Makes a decoder from the state of an earlier one.
    restore: Callable[[Mapping[str, Any]], Decoder]
    decoder: Decoder | None = None
    sample: int = 1000
    since: float = 0.0  # when the first message of the sample came
    #: Behind what was handed out.
    positions: dict[str, Position] = field(default_factory=dict)
    start: Start = "beginning"
    ended: bool = False
    up: bool = True
    opened: bool = False
    lag: Mapping[str, Lag] = field(default_factory=dict)
    #: Chunks that were polled for the sample or for the plan, in their order.
    waiting: Waiting = field(default_factory=deque)
    #: Partitions that were read too far ahead of the plan, and where to go on in each.
    dropped: dict[str, Position] = field(default_factory=dict)
    state: Mapping[str, Any] = field(default_factory=dict)
    #: The identity of the source in the last checkpoint.
    identity: Mapping[str, str] = field(default_factory=dict)

    @property
    def ready(self) -> bool:
        """Whether the source is open and can be reached."""
        return self.opened and self.up


class Reader:
    """The chunks of some sources in the order in which they are to be learned.

    Parameters
    ----------
    feeds : sequence of Feed
        The sources.
    plan : sequence of Entry
        What to read first, in this order and with these borders.
    block : int
        The most messages of a chunk.
    on_gap : {'error', 'skip'}
        Whether lost messages are an error.
    """

    def __init__(
        self,
        feeds: Sequence[Feed],
        plan: Sequence[Entry],
        *,
        block: int,
        on_gap: Literal["error", "skip"] = "error",
    ) -> None:
        self.feeds = list(feeds)
        self._plan = list(plan)
        self._block = block
        self._skip = on_gap == "skip"
        self._stopped = threading.Event()
        self._waits = threading.Event()  # a chunk could not be decoded yet
        self._durable: deque[Sequence[Mapping[str, Position]]] = deque()
        self._back: deque[Back] = deque()
        self._looked = 0.0

    def stop(self) -> None:
        """End the items soon."""
        self._stopped.set()

    def committed(self, positions: Sequence[Mapping[str, Position]]) -> None:
        """Pass durable positions on to the sources, in the thread that calls them."""
        self._durable.append(positions)

    def go_back(self, back: Back) -> None:
        """Read the sources again from earlier positions; a `Rewound` tells when, or why not."""
        self._back.append(back)

    def items(self) -> Iterator[Item]:
        """Give what is to be learned, and what happens meanwhile; it ends with the sources."""
        for number, feed in enumerate(self.feeds):
            yield from self._trying(feed, partial(self._open, number, feed))
        with ThreadPoolExecutor(1, thread_name_prefix="decode") as pool:
            yield from self._decoded(pool)

    def _chunks(self) -> Iterator[Item | Chosen]:
        """Give the chunks in the order in which they are to be learned."""
        yield from self._replay()
        for number, feed in enumerate(self.feeds):
            for partition in list(feed.dropped):
                yield from self._trying(feed, partial(self._go_back, number, feed, partition))
        yield from self._read_on()

    def close(self) -> None:
        """Pass on what is durable and close the sources, after the thread has ended."""
        try:
            self._tell_durable()
        finally:
            for feed in self.feeds:
                feed.source.close()

    # -- calls of a source ------------------------------------------------------------------

    def _trying(self, feed: Feed, call: Callable[[], Iterator[Item]]) -> Iterator[Item]:
        """Call a source until it can be reached."""
        pause = _FIRST_PAUSE
        while not self._stopped.is_set():
            try:
                yield from call()
                if not feed.up:
                    feed.up = True
                    yield _note("reconnected", feed, "can be reached again")
                return
            except ConnectionError as error:
                if feed.up:
                    text = f"cannot be reached, trying again: {error}"
                    yield _note("retry", feed, text, "warning")
                feed.up = False
            until = time.monotonic() + pause
            pause = min(2 * pause, _LONGEST_PAUSE)
            while time.monotonic() < until and not self._stopped.wait(_POLL):
                yield Idle()

    def _open(self, number: int, feed: Feed) -> Iterator[Item]:
        while True:
            try:
                feed.source.open(feed.positions, feed.start)
                _check_identity(feed)
                feed.opened = True
                opened = dict(getattr(feed.source, "positions", {}))
                feed.positions = {**opened, **feed.positions}
                yield Opened(number, opened)
                return
            except GapError as gap:
                # A topic that was made again looks like a gap, too.
                _check_identity(feed)
                if not self._skip:
                    raise
                feed.positions[gap.partition] = gap.resume
                yield Gap(number, gap)

    def _poll(self, number: int, feed: Feed, timeout: float) -> Iterator[Item]:
        """Append the next chunk, if one comes, to those that wait."""
        try:
            chunk = feed.source.poll(self._block, timeout)
        except EndOfSource:
            feed.ended = True
            return
        except GapError as gap:
            if not self._skip:
                raise
            feed.source.seek(gap.partition, gap.resume)
            yield Gap(number, gap)
            return
        if chunk is not None and len(chunk.values) and chunk.partition not in feed.dropped:
            feed.waiting.append(chunk)

    def _go_back(self, number: int, feed: Feed, partition: str) -> Iterator[Item]:
        """Read a partition again from where its chunks were dropped."""
        try:
            feed.source.seek(partition, feed.dropped[partition])
        except GapError as gap:
            if not self._skip:
                raise
            feed.source.seek(gap.partition, gap.resume)
            yield Gap(number, gap)
        del feed.dropped[partition]
        feed.ended = False

    def _tell_durable(self) -> None:
        while self._durable:
            for feed, positions in zip(self.feeds, self._durable.popleft(), strict=True):
                feed.source.committed(positions)

    def _tell(self) -> None:
        """Tell the sources what is durable, and ask for the lag once a second."""
        self._tell_durable()
        if time.monotonic() - self._looked >= 1.0:
            self._looked = time.monotonic()
            for feed in self.feeds:
                feed.lag = feed.source.behind()

    # -- chunks -----------------------------------------------------------------------------

    def _replay(self) -> Iterator[Item | Chosen]:
        for done, entry in enumerate(self._plan):
            feed = self.feeds[entry.source]
            if entry.partition in feed.dropped and held(feed.waiting, entry) < entry.n:
                back = partial(self._go_back, entry.source, feed, entry.partition)
                yield from self._trying(feed, back)
            most = _BLOCKS_AHEAD * max(self._block, entry.n)
            while (
                not self._stopped.is_set()
                and not feed.ended
                and held(feed.waiting, entry) < entry.n
            ):
                before = len(feed.waiting)
                yield from self._trying(feed, partial(self._poll, entry.source, feed, _POLL))
                if len(feed.waiting) == before:
                    yield Idle()
                feed.dropped |= drop_ahead(feed.waiting, entry, most)
            if self._stopped.is_set():
                return
            chunk = taken(feed.waiting, entry)
            if chunk is None:
                left = len(self._plan) - done
                text = (
                    f"{entry.partition}: the messages at {dict(entry.first)} are not those of the "
                    f"plan; the last {left} chunks before the crash are learned in another order"
                )
                fields = {"partition": entry.partition, "chunks": left}
                yield Note(Event("reordered", text, "warning", fields))
                return
            yield Chosen(entry.source, chunk, replayed=True)

    def _read_on(self) -> Iterator[Item | Chosen]:
        timeout = _POLL / len(self.feeds) ** 2
        while not self._stopped.is_set():
            if self._back:
                yield Idle()  # what was read is decoded before the decoders go back
                yield from self._rewind(self._back.popleft())
            idle = True
            for number, feed in enumerate(self.feeds):
                if not feed.ended and (feed.decoder is None or not feed.waiting):
                    poll = partial(self._poll, number, feed, timeout)
                    yield from self._trying(feed, poll)
                if feed.decoder is None and _is_sampled(feed):
                    yield from self._trying(feed, partial(self._sample, number, feed))
                if feed.decoder is not None and feed.waiting:
                    idle = False
                    yield Chosen(number, feed.waiting.popleft())
            self._tell()
            if idle:
                if all(feed.ended for feed in self.feeds):
                    return
                yield Idle()

    def _rewind(self, back: Back) -> Iterator[Item]:
        """Read the sources again from earlier positions, or go on if one of them is gone."""
        refused = None
        try:
            for feed, positions in zip(self.feeds, back.positions, strict=True):
                feed.source.open(positions, feed.start)
        except (GapError, IdentityError, LookupError, ConnectionError) as error:
            refused = str(error)
        for number, (feed, positions) in enumerate(zip(self.feeds, back.positions, strict=True)):
            feed.waiting.clear()
            feed.dropped.clear()
            feed.ended = False
            if refused is None:
                state = feed.state = back.states[number]
                feed.positions = dict(positions)
                feed.decoder = feed.restore(state) if state else None
            else:
                yield from self._trying(feed, partial(self._open, number, feed))
        yield Rewound(back.states, refused)

    def _sample(self, number: int, feed: Feed) -> Iterator[Item]:
        feed.decoder = feed.make([chunk.values for chunk in feed.waiting])
        feed.state = feed.decoder.state()
        yield Sampled(number, feed.state)

    def _decoded(self, pool: ThreadPoolExecutor) -> Iterator[Item]:
        """Decode chunks in another thread; while more are there, the next one is polled meanwhile.

        Polling holds the interpreter for most of its time, and parsing does not.
        """
        decoding: deque[tuple[Chosen, Future[Read | None]]] = deque()
        for item in self._chunks():
            if isinstance(item, Chosen):
                chunk = item.chunk
                self.feeds[item.source].positions[chunk.partition] = chunk.next
                decoding.append((item, pool.submit(self._decode_ahead, item)))
            # A chunk that is not full was all there was: nobody waits for another one.
            full = isinstance(item, Chosen) and len(item.chunk.values) >= self._block // 2
            while len(decoding) > full:
                yield from self._finished(*decoding.popleft())
            if not isinstance(item, Chosen):
                yield item
        while decoding:
            yield from self._finished(*decoding.popleft())

    def _finished(self, chosen: Chosen, decoding: Future[Read | None]) -> Iterator[Item]:
        """Give a decoded chunk; one whose decoder could not reach what it needs is tried again."""
        ahead = [decoding]

        def read() -> Iterator[Item]:
            found = ahead.pop().result() if ahead else None
            found = found or self._decode(chosen)
            self._waits.clear()
            yield found

        yield from self._trying(self.feeds[chosen.source], read)

    def _decode_ahead(self, chosen: Chosen) -> Read | None:
        """Return a decoded chunk; None while the one before it could not be decoded."""
        if self._waits.is_set():
            return None
        try:
            return self._decode(chosen)
        except ConnectionError:
            self._waits.set()
            raise

    def _decode(self, chosen: Chosen) -> Read:
        number, feed, chunk = chosen.source, self.feeds[chosen.source], chosen.chunk
        assert feed.decoder is not None
        rows = feed.decoder.decode(chunk.values)
        state = feed.decoder.state()
        if state != feed.state:
            feed.state = state
        return Read(number, chunk, rows, feed.state, Entry.of(number, chunk), chosen.replayed)


def _note(name: str, feed: Feed, text: str, level: Level = "info") -> Note:
    source = feed.source.name
    return Note(Event(name, f"{source} {text}", level, {"source": source}))


def _is_sampled(feed: Feed) -> bool:
    """Return whether enough messages wait to decide the kinds of the columns."""
    n = sum(len(chunk.values) for chunk in feed.waiting)
    if n and not feed.since:
        feed.since = time.monotonic()
    late = time.monotonic() - feed.since > _SAMPLE_SECONDS
    return n >= feed.sample or bool(n and (feed.ended or late))


def _check_identity(feed: Feed) -> None:
    """Compare the source with the one of the last checkpoint."""
    for name, value in feed.source.identity.items():
        if feed.identity.get(name, value) != value:
            raise IdentityError(
                f"{feed.source.name} is not the source of the checkpoint: its {name} is {value}, "
                f"and was {feed.identity[name]}"
            )
