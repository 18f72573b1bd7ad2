"""What every source must do. The tests of a source derive from these classes.

A test module gives a fixture `bench` that knows how to write to the source, and derives a class
from `Conformance` and from each of the other classes whose subject the source has.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import pytest

from riparian.sources import Chunk, EndOfSource, GapError, IdentityError, Position, Source, Start
from tests.effort import ATTACK

#: How long a message may take on a busy machine, in seconds.
PATIENCE = 60.0
#: How many positions of a source are tried.
POSITIONS = 200
#: How many of them in a source that is opened there; the others are reached by `seek`.
OPENED = min(POSITIONS, 10 * ATTACK)
#: How many times messages are removed.
GAPS = 15 * ATTACK
#: How often a server is killed; a server that is slow to start less often.
RESTARTS = int(os.environ.get("RIPARIAN_RESTARTS", "5"))


class Bench(Protocol):
    """A place to write messages to, and the source that reads them."""

    #: Where messages can be written to, by the name that chunks have.
    partitions: list[str]

    @property
    def address(self) -> str:
        """The address of the source."""

    def source(self, *, follow: bool | None = None) -> Source:
        """Return a new source that is not open."""

    def write(
        self,
        partition: str,
        values: Sequence[bytes | None],
        keys: Sequence[bytes | None] | None = None,
    ) -> None:
        """Write messages; they can be read when this returns."""


class ShrinkingBench(Bench, Protocol):
    """The oldest messages can be removed."""

    def remove_head(self, partition: str, position: Position) -> None:
        """Remove the messages before a position."""


class CutBench(Bench, Protocol):
    """The newest messages can be removed."""

    def cut(self, partition: str, count: int) -> None:
        """Keep so many messages."""


class RemadeBench(Bench, Protocol):
    """What is read can be deleted and made again under the same name."""

    def remake(self) -> None: ...


class GrowingBench(Bench, Protocol):
    """Partitions can be added."""

    def add_partition(self) -> str: ...


class ServedBench(Bench, Protocol):
    """A server stands behind it."""

    #: How slowly it starts.
    restart_cost: int

    def restart(self) -> contextlib.AbstractContextManager[None]:
        """Stop the server, run the body, start the server again."""


@contextlib.contextmanager
def opened(
    bench: Bench,
    positions: Mapping[str, Position] | None = None,
    start: Start = "beginning",
    *,
    follow: bool | None = None,
) -> Iterator[Source]:
    source = bench.source(follow=follow)
    try:
        source.open(positions or {}, start)
        yield source
    finally:
        source.close()


def current(source: Source) -> Mapping[str, Position]:
    """The positions of all partitions of a source that keeps them."""
    return source.positions  # type: ignore[attr-defined]


def patiently(source: Source, most: int) -> Chunk | None:
    """Poll as the learner does: a source that cannot be reached is tried again."""
    try:
        return source.poll(most, 0.05)
    except ConnectionError:
        time.sleep(0.02)
        return None


def read(source: Source, count: int, most: int = 10_000) -> list[Chunk]:
    """The next chunks with so many messages in all, not one more."""
    chunks: list[Chunk] = []
    end = time.monotonic() + PATIENCE
    while count > 0:
        chunk = patiently(source, min(most, count))
        if chunk is not None:
            assert 0 < len(chunk.values) <= min(most, count)
            chunks.append(chunk)
            count -= len(chunk.values)
        assert time.monotonic() < end, f"{count} messages did not come"
    return chunks


def gap_and_rest(
    source: Source,
    count: int,
    positions: Mapping[str, Position] | None = None,
    *,
    waits: bool = False,
) -> tuple[int | None, list[bytes | None]]:
    """How many messages were reported as lost, and the messages that are read then.

    `waits`: a gap is expected, which a busy server may report late.
    """
    lost: int | None = 0
    if positions is not None:
        try:
            source.open(positions, "beginning")
        except GapError as gap:
            lost = gap.lost
            source.open({gap.partition: gap.resume}, "beginning")
    rest: list[bytes | None] = []
    end = time.monotonic() + PATIENCE
    quiet = 0
    while (len(rest) < count or quiet < 2 or (waits and not lost)) and time.monotonic() < end:
        try:
            chunk = source.poll(1000, 0.02)
        except GapError as gap:
            lost = gap.lost
            source.seek(gap.partition, gap.resume)
            continue
        quiet = quiet + 1 if chunk is None else 0
        rest += chunk.values if chunk else []
    if positions is not None:
        source.close()
    return lost, rest


def messages(chunk: Chunk) -> list[bytes | None]:
    """The messages of a chunk; the row of a table as JSON."""
    if hasattr(chunk.values, "num_rows"):
        return [json.dumps(row).encode() for row in chunk.values.to_pylist()]
    return list(chunk.values)


def by_partition(chunks: Sequence[Chunk]) -> dict[str, list[bytes | None]]:
    found: dict[str, list[bytes | None]] = defaultdict(list)
    for chunk in chunks:
        found[chunk.partition].extend(messages(chunk))
    return found


def has_more(source: Source) -> bool:
    """Whether a source gives something now; one that does not follow may have ended."""
    try:
        return source.poll(10, 0.01) is not None
    except EndOfSource:
        return False


def numbered(count: int, first: int = 0) -> list[bytes | None]:
    return [b'{"x": %d}' % i for i in range(first, first + count)]


def filled(bench: Bench, count: int = 120) -> dict[str, list[bytes | None]]:
    """Write messages to each partition and return them; a generator knows what it gives."""
    if hasattr(bench, "generate"):
        return bench.generate(count)
    written = {name: numbered(count, 1000 * i) for i, name in enumerate(bench.partitions)}
    for name, values in written.items():
        bench.write(name, values)
    return written


def total(written: Mapping[str, Sequence[object]]) -> int:
    return sum(len(values) for values in written.values())


class Conformance:
    """What holds for every source that can be read again."""

    #: Where partitions without a position would begin; no partition of these tests lacks one.
    elsewhere: Start = "end"

    def test_all_messages_come_once_and_in_order(self, bench):
        written = filled(bench)
        with opened(bench) as source:
            chunks = read(source, total(written), most=7)
            assert not has_more(source)
            assert source.replayable
        assert by_partition(chunks) == written
        at: dict[str, Position] = {}
        for chunk in chunks:
            assert at.get(chunk.partition, chunk.first) == chunk.first
            at[chunk.partition] = chunk.next
            assert chunk.places is None or len(chunk.places) == len(chunk.values)

    def test_reading_goes_on_at_any_position(self, bench):
        written = filled(bench)
        chunks: list[Chunk] = []
        chance = random.Random(1)
        with opened(bench) as source:
            while sum(len(c.values) for c in chunks) < total(written):
                chunks += read(source, 1, most=1)
            rest = {
                (c.partition, i): [
                    m
                    for later in chunks[i + 1 :]
                    if later.partition == c.partition
                    for m in messages(later)
                ]
                for i, c in enumerate(chunks)
            }
            for name, i in chance.choices(list(rest), k=POSITIONS - OPENED):
                source.seek(name, json.loads(json.dumps(chunks[i].next)))
                wanted = rest[name, i][:5]
                assert by_partition(read(source, len(wanted))) == ({name: wanted} if wanted else {})
                # Go back to the end: the others have nothing more.
                last = max(j for n, j in rest if n == name)
                source.seek(name, chunks[last].next)
        for i in chance.choices(range(len(chunks)), k=OPENED):
            positions = {c.partition: c.first for c in reversed(chunks)}
            positions |= {c.partition: c.next for c in chunks[: i + 1]}
            with opened(bench, json.loads(json.dumps(positions)), self.elsewhere) as source:
                tail = by_partition(chunks[i + 1 :])
                assert by_partition(read(source, total(tail))) == tail
                assert not has_more(source)

    def test_a_source_that_does_not_follow_ends(self, bench):
        written = filled(bench, 50)
        found: dict[str, list[bytes | None]] = defaultdict(list)
        with opened(bench, follow=False) as source, contextlib.suppress(EndOfSource):
            end = time.monotonic() + PATIENCE
            while time.monotonic() < end:
                if chunk := source.poll(20, 0.05):
                    found[chunk.partition].extend(messages(chunk))
            pytest.fail("it did not end")
        assert found == written

    def test_it_can_be_closed_twice_and_opened_again(self, bench):
        written = filled(bench, 5)
        source = bench.source()
        source.close()
        for _ in range(2):
            source.open({}, "beginning")
            assert by_partition(read(source, total(written))) == written
            source.close()
            source.close()

    def test_the_identity_stays(self, bench):
        filled(bench, 3)
        seen = []
        for _ in range(2):
            with opened(bench) as source:
                seen.append(dict(source.identity))
        assert seen[0] == seen[1]
        assert json.loads(json.dumps(seen[0])) == seen[0]

    def test_the_lag_is_zero_at_the_end(self, bench):
        written = filled(bench, 20)
        with opened(bench) as source:
            read(source, total(written))
            end = time.monotonic() + PATIENCE
            while any(lag.messages for lag in source.behind().values()):
                source.poll(1, 0.1)
                assert time.monotonic() < end


class MessageConformance:
    """Sources of bytes that somebody else writes."""

    def test_large_and_empty_messages(self, bench):
        name = bench.partitions[0]
        values = [b"", b"x" * 5_000_000, b"", b'{"x": 1}']
        bench.write(name, values)
        with opened(bench) as source:
            assert by_partition(read(source, len(values))) == {name: values}

    def test_what_a_checkpoint_holds_may_be_reported(self, bench):
        written = filled(bench, 20)
        with opened(bench) as source:
            chunks = read(source, total(written))
            source.committed({chunk.partition: chunk.next for chunk in chunks})
            bench.write(bench.partitions[0], [b"later"])
            assert by_partition(read(source, 1)) == {bench.partitions[0]: [b"later"]}


class FollowingConformance:
    """Sources that wait for more."""

    def test_messages_that_come_later_are_read(self, bench):
        name = bench.partitions[0]
        bench.write(name, numbered(3))
        with opened(bench) as source:
            read(source, 3)
            for i in range(5):
                assert source.poll(10, 0.01) is None
                bench.write(name, [b"%d" % i])
                assert by_partition(read(source, 1)) == {name: [b"%d" % i]}

    def test_start_at_the_end_leaves_out_what_is_there(self, bench):
        filled(bench, 10)
        with opened(bench, start="end") as source:
            assert source.poll(10, 0.1) is None
            before = json.loads(json.dumps(current(source)))
            assert set(before) == set(bench.partitions)
            bench.write(bench.partitions[0], [b"new"])
            assert by_partition(read(source, 1)) == {bench.partitions[0]: [b"new"]}
        # The position of the end is known though nothing was read.
        with opened(bench, before) as source:
            assert by_partition(read(source, 1)) == {bench.partitions[0]: [b"new"]}


class TimeConformance:
    """Sources that know when a message was written."""

    def test_start_at_a_time(self, bench):
        filled(bench, 10)
        time.sleep(0.05)
        now = int(time.time() * 1000)
        time.sleep(0.05)
        bench.write(bench.partitions[0], [b"new"])
        with opened(bench, start=now) as source:
            [chunk] = read(source, 1)
            assert list(chunk.values) == [b"new"]
            assert now <= chunk.times[0] <= now + 1000 * PATIENCE
            assert source.poll(10, 0.1) is None


class KeyConformance:
    """Sources whose messages have keys, and messages without a value."""

    def test_keys_and_tombstones(self, bench):
        name = bench.partitions[0]
        values = [b"1", None, b"", b"4"]
        keys = [b"a", b"b", None, b""]
        bench.write(name, values, keys)
        with opened(bench) as source:
            chunks = read(source, 4)
        assert by_partition(chunks) == {name: values}
        assert [key for chunk in chunks for key in chunk.keys] == keys


class GapConformance:
    """Sources whose oldest messages can go."""

    @pytest.mark.parametrize("while_open", [False, True])
    def test_a_gap_is_noticed_and_can_be_passed(self, bench, while_open):
        name = bench.partitions[0]
        bench.write(name, numbered(100))
        with opened(bench) as source:
            first = read(source, 10)[-1]
            for chunk in read(source, 40, most=1):
                last = chunk
            if while_open:
                source.seek(name, first.next)
                bench.remove_head(name, last.next)
                gap = None
                # What the client had fetched may still come; nothing is left out in silence.
                try:
                    assert by_partition(read(source, 90, most=10)) == {name: numbered(90, 10)}
                except GapError as found:
                    gap = found
                if gap is not None:
                    assert (gap.partition, 0 < gap.lost <= 40) == (name, True)
                    source.seek(name, gap.resume)
                    assert by_partition(read(source, 50)) == {name: numbered(50, 50)}
                return
        bench.remove_head(name, last.next)
        with pytest.raises(GapError, match=name) as caught, opened(bench, {name: first.next}):
            pass
        assert caught.value.lost == 40
        # Where reading stopped behind what was removed, nothing is missing.
        for position in (last.next, caught.value.resume):
            with opened(bench, {name: json.loads(json.dumps(position))}) as source:
                assert by_partition(read(source, 50)) == {name: numbered(50, 50)}

    def test_every_gap_is_noticed_and_nothing_else_is_one(self, bench):
        name = bench.partitions[0]
        chance = random.Random(2)
        positions: list[Position] = []
        with opened(bench) as source:
            positions.append(current(source)[name])
            for _ in range(GAPS):
                written = len(positions) - 1
                bench.write(name, numbered(10, written))
                positions += [chunk.next for chunk in read(source, 10, most=1)]
                # The messages before `kept` go, and reading begins at `at`.
                kept = chance.randrange(written, written + 11)
                at = chance.randrange(written, written + 11)
                bench.remove_head(name, positions[kept])
                if chance.random() < 0.5:
                    with opened(bench, {name: positions[kept]}) as other:
                        other.seek(name, positions[at])
                        lost, rest = gap_and_rest(
                            other, written + 10 - max(at, kept), waits=kept > at
                        )
                else:
                    lost, rest = gap_and_rest(
                        bench.source(),
                        written + 10 - max(at, kept),
                        {name: positions[at]},
                        waits=kept > at,
                    )
                assert lost == max(0, kept - at), (lost, kept, at, written)
                assert rest == numbered(written + 10 - max(at, kept), max(at, kept))

    def test_all_read_messages_may_go(self, bench):
        name = bench.partitions[0]
        bench.write(name, numbered(30))
        with opened(bench) as source:
            last = read(source, 30)[-1].next
            bench.remove_head(name, last)
            bench.write(name, numbered(5, 30))
            assert by_partition(read(source, 5)) == {name: numbered(5, 30)}
        with opened(bench, {name: last}) as source:
            assert by_partition(read(source, 5)) == {name: numbered(5, 30)}


class CutConformance:
    """Sources that can become shorter."""

    def test_every_lost_end_is_noticed_and_nothing_else(self, bench):
        [name] = filled(bench, 100)
        with opened(bench) as source:
            chunks = read(source, 100, most=1)
        chance = random.Random(3)
        length = 100
        while length > 1:
            length -= chance.randrange(1, 3 + length // 3)
            bench.cut(name, length)
            for at in [length, *chance.choices(range(100), k=5 * ATTACK)]:
                position = json.loads(json.dumps(chunks[at].first))
                noticed = False
                try:
                    with opened(bench, {name: position}) as source:
                        rest = read(source, length - at) if at < length else []
                        noticed = at > length and has_more(source)
                except (GapError, IdentityError):
                    noticed = True
                assert noticed == (at > length), (at, length)
                if not noticed:
                    assert by_partition(rest) == by_partition(chunks[at:length])


class RemadeConformance:
    """Sources that can be deleted and made again under the same name."""

    @pytest.mark.parametrize("count", [10, 100])
    def test_it_is_noticed_when_opened(self, bench, count):
        written = filled(bench, 50)
        with opened(bench) as source:
            positions = {c.partition: c.next for c in read(source, total(written))}
            identity = dict(source.identity)
        bench.remake()
        filled(bench, count)
        source = bench.source()
        try:
            source.open(positions, "beginning")
            # The learner compares what the source says of itself with its checkpoint.
            changed = {k for k in identity if source.identity.get(k, identity[k]) != identity[k]}
            assert changed
        except GapError:
            assert not identity or any(source.identity[key] != identity[key] for key in identity)
        except IdentityError:
            pass
        finally:
            source.close()

    def test_it_is_noticed_while_open(self, bench):
        written = filled(bench, 50)
        with opened(bench) as source:
            read(source, total(written))
            bench.remake()
            filled(bench, 60)
            end = time.monotonic() + PATIENCE
            with contextlib.suppress(IdentityError, GapError, LookupError):
                while time.monotonic() < end:
                    patiently(source, 100)
                pytest.fail("it was not noticed")


class PartitionConformance:
    """Sources that get new partitions."""

    @pytest.mark.parametrize("while_open", [False, True])
    def test_a_new_partition_is_read_from_its_beginning(self, bench, while_open):
        written = filled(bench, 10)
        with opened(bench) as source:
            positions = {c.partition: c.next for c in read(source, total(written))}
            if while_open:
                name = bench.add_partition()
                bench.write(name, numbered(25))
                assert by_partition(read(source, 25)) == {name: numbered(25)}
                return
        name = bench.add_partition()
        bench.write(name, numbered(25))
        with opened(bench, positions, "end") as source:
            assert by_partition(read(source, 25)) == {name: numbered(25)}


class OutageConformance:
    """Sources whose server is killed and comes back, again and again."""

    def test_each_message_is_read_once_however_often_the_server_is_killed(self, bench):
        chance = random.Random(3)
        written: dict[str, list[bytes | None]] = {name: [] for name in bench.partitions}
        chunks: list[Chunk] = []
        with opened(bench) as source:
            for i in range(max(1, RESTARTS // bench.restart_cost)):
                for name, values in written.items():
                    values += numbered(200, 1000 * i)
                    bench.write(name, values[-200:])
                # Some are read before, some while it is down, some afterwards.
                waiting = total(written) - total(by_partition(chunks))
                chunks += read(source, chance.randrange(waiting), most=7)
                with bench.restart():
                    end = time.monotonic() + chance.random()
                    while time.monotonic() < end:
                        if chunk := patiently(source, 7):
                            chunks.append(chunk)
            chunks += read(source, total(written) - total(by_partition(chunks)), most=50)
            assert patiently(source, 10) is None
        assert by_partition(chunks) == written
