"""Kafka topics: ``kafka://host:9092,host:9092/topic,topic``.

Partitions are assigned, never subscribed to: one model has one writer, so a consumer group would
only add rebalances. Offsets are kept in the learner's checkpoint. With the option ``group`` they
are also committed to that group, for tools that show the lag; they are never read back.

The package confluent-kafka asks for topics and offsets. Messages are read from its librdkafka by
the native `KafkaConsumer`, because a Python object for each message costs more than the message.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from riparian._core import KafkaConsumer
from riparian.sources.address import Address, client
from riparian.sources.kafka_cluster import Cluster, place_of
from riparian.sources.kafka_errors import exception_of
from riparian.sources.payloads import Payloads
from riparian.sources.source import (
    Chunk,
    EndOfSource,
    GapError,
    IdentityError,
    Lag,
    Position,
    Start,
)

__all__ = ["KafkaSource"]

#: What the positions depend on: a user cannot change it.
_FIXED = {
    "allow.auto.create.topics": "false",
    "auto.offset.reset": "error",
    "enable.auto.commit": "false",
    "enable.auto.offset.store": "false",
    "enable.partition.eof": "true",
    "isolation.level": "read_committed",
}
# Errors come as events; librdkafka would log each vain attempt to connect.
_DEFAULTS = {
    "client.id": "riparian",
    "log_level": "2",
    # Bytes bound what is fetched ahead; librdkafka needs some 300 more for each message. With fewer
    # messages the learner waits for each fetch.
    "queued.max.messages.kbytes": "16384",
    "queued.min.messages": "1000000",
    # Once so much is fetched ahead, librdkafka fetches nothing for a second by default. A tree has
    # learned it all in a fifth of that.
    "fetch.queue.backoff.ms": "10",
}
_CONSUMER = {
    *_FIXED,
    "queued.max.messages.kbytes",
    "queued.min.messages",
    "fetch.queue.backoff.ms",
    "group.id",
}


class KafkaSource:
    """Messages of Kafka topics.

    A partition is ``topic/number``, a position an offset with its leader epoch.

    Parameters
    ----------
    address : str
        ``kafka://host:9092/topic``, with more hosts or topics after commas.
    options : mapping
        Settings of librdkafka by name, ``group`` (see above), and ``refresh``: seconds between two
        looks for new partitions and changed topics, 10 by default.
    follow : bool or None
        False ends at the end that the topics have when they are opened.
    """

    replayable = True

    def __init__(self, address: str, options: Mapping[str, str], follow: bool | None) -> None:
        self._kafka = client("confluent_kafka", package="confluent-kafka", extra="kafka")
        parts = Address.parse(address)
        if parts.user or parts.password:
            raise ValueError(
                f"{parts.name}: give user and password as the options sasl.username and "
                "sasl.password"
            )
        if refused := sorted(set(options) & set(_FIXED)):
            raise ValueError(f"the option {refused[0]} cannot be changed")
        settings = {name: str(value) for name, value in options.items()}
        self._group = settings.pop("group", None)
        self._refresh = float(settings.pop("refresh", 10))
        self._settings = {
            **_DEFAULTS,
            **settings,
            **_FIXED,
            "bootstrap.servers": parts.servers,
            "group.id": self._group or "riparian",
        }
        self.name = parts.name
        self.identity: dict[str, str] = {}
        self.positions: dict[str, Position] = {}
        self._topics = parts.path.split(",")
        self._ends_at_goal = follow is False
        self._cluster: Cluster | None = None
        self._consumer: KafkaConsumer | None = None
        self._busy = threading.Lock()

    def open(self, positions: Mapping[str, Position], start: Start) -> None:
        self.close()
        self._ready: deque[Chunk | Exception] = deque()
        self._reached: dict[str, int] = {}  # offsets at which the end of a partition was seen
        self._goal: dict[str, int] = {}
        self._last: dict[str, int] = {}  # time of the last message, in milliseconds
        self._lag: tuple[float, dict[str, Lag]] = (0.0, {})
        self._fault: Exception | None = None
        try:
            cluster = self._cluster = Cluster(
                self._settings, _CONSUMER, self._topics, self.name, self._refresh
            )
            found = cluster.partitions()
            self.identity = cluster.identity
            # A partition without a position appeared while nobody read: it is read from its start.
            begin: Start = "beginning" if positions else start
            opened = {p: self._check(cluster, p, positions[p]) for p in found if p in positions}
            for partition in found:
                if partition not in positions:
                    opened[partition] = {"offset": cluster.begin(partition, begin)}
            for partition in positions:
                if partition not in opened:
                    raise IdentityError(f"{self.name} has no partition {partition} any more")
            if self._ends_at_goal:
                self._goal = {p: cluster.watermarks(p)[1] for p in found}
        except self._kafka.KafkaException as error:
            raise self._exception(error.args[0], self.name) from error
        self._consumer = KafkaConsumer(self._kafka.cimpl.__file__, self._settings)
        self._consumer.assign([place_of(p, position) for p, position in opened.items()])
        self.positions = dict(opened)

    def poll(self, most: int, timeout: float) -> Chunk | None:
        if not self._ready:
            if self._goal and all(
                max(_offset(self.positions[p]), self._reached.get(p, 0)) >= end
                for p, end in self._goal.items()
            ):
                raise EndOfSource(f"{self.name} is read to its end")
            self._fetch(most, timeout)
        if not self._ready:
            fault, self._fault = self._fault, None
            if fault is not None:
                raise fault
            return None
        if isinstance(self._fault, ConnectionError):
            self._fault = None  # it can be reached again
        found = self._ready.popleft()
        if isinstance(found, Exception):
            raise found
        if len(found.values) > most:
            found, rest = _split(found, most)
            self._ready.appendleft(rest)
        self.positions[found.partition] = found.next
        return found

    def seek(self, partition: str, position: Position) -> None:
        assert self._consumer is not None
        self._ready = deque(c for c in self._ready if getattr(c, "partition", None) != partition)
        self._reached.pop(partition, None)
        place = place_of(partition, position)
        self._consumer.unassign([place])
        self._consumer.assign([place])
        self.positions[partition] = position

    def behind(self) -> Mapping[str, Lag]:
        assert self._consumer is not None
        now = time.time()
        if now - self._lag[0] < 1:
            return self._lag[1]
        lags = {}
        for partition, position in self.positions.items():
            topic, number, offset, _ = place_of(partition, position)
            high = self._consumer.end(topic, number)
            if high < 0:
                lags[partition] = Lag()
                continue
            messages = max(0, high - max(offset, self._reached.get(partition, 0)))
            last = self._last.get(partition)
            late = None if last is None else max(0.0, now - last / 1000)
            lags[partition] = Lag(messages, late if messages else 0.0)
        self._lag = (now, lags)
        return lags

    def committed(self, positions: Mapping[str, Position]) -> None:
        if self._group is not None and self._cluster is not None:
            self._cluster.commit(positions)

    def close(self) -> None:
        with self._busy:  # a thread that did not end in time may still wait for messages
            consumer, self._consumer = self._consumer, None
            if consumer is not None:
                consumer.close()
        cluster, self._cluster = self._cluster, None
        if cluster is not None:
            cluster.close()

    def _check(self, cluster: Cluster, partition: str, position: Position) -> Position:
        """Return a position that can be read; raise GapError if it cannot."""
        low, high = cluster.watermarks(partition)
        if not low <= _offset(position) <= high:
            raise _gap(partition, position, low, high)
        return position

    def _fetch(self, most: int, timeout: float) -> None:
        """Wait for messages; make chunks of them, one for each partition."""
        with self._busy:
            if self._consumer is None or self._cluster is None:
                raise ConnectionError(f"{self.name} is closed")
            for partition in self._cluster.new_partitions(self.positions):
                self.positions[partition] = {"offset": 0}
                self._consumer.assign([place_of(partition, {"offset": 0})])
            batches, events, errors = self._consumer.consume(most, timeout)
        for code, reason in errors:
            self._note(self._kafka.KafkaError(code, reason))
        self._ready.extend(self._chunk(*batch) for batch in batches)
        found = (self._fault_of(*event) for event in events)
        self._ready.extend(fault for fault in found if fault is not None)

    def _chunk(
        self, topic: str, number: int, epoch: int, offsets: Any, times: Any, values: Any, keys: Any
    ) -> Chunk:
        """Return the messages of a partition as a chunk."""
        partition = f"{topic}/{number}"
        first, last = int(offsets[0]), int(offsets[-1])
        following: dict[str, int | str] = {"offset": last + 1}
        if epoch >= 0:
            following["epoch"] = epoch
        self._last[partition] = int(times[-1])
        places: Sequence[int] = range(first, last + 1)
        if len(places) != len(offsets):  # control records and compaction leave holes
            places = offsets.tolist()
        found = Payloads(*values)
        no_keys = Payloads(b"\n" * len(offsets), np.full(len(offsets), -1))
        return Chunk(
            partition,
            self.positions[partition],
            following,
            found,
            no_keys if keys is None else Payloads(*keys),
            times.tolist(),
            places,
        )

    def _fault_of(
        self, topic: str, number: int, offset: int, code: int, reason: str
    ) -> Exception | None:
        """Return what an event of a partition means; None if it means no error."""
        assert self._cluster is not None
        codes, partition = self._kafka.KafkaError, f"{topic}/{number}"
        if code == codes._PARTITION_EOF:
            self._reached[partition] = offset
            return None
        if code in (codes._AUTO_OFFSET_RESET, codes._LOG_TRUNCATION):
            try:
                low, high = self._cluster.watermarks(partition)
            except self._kafka.KafkaException as failed:
                # The broker went away; the same place is asked for again.
                self.seek(partition, self.positions[partition])
                return self._exception(failed.args[0], self.name)
            return _gap(partition, self.positions[partition], low, high)
        return self._exception(codes(code, reason), partition)

    def _note(self, error: Any) -> None:
        """Keep what librdkafka reports in the background for the next `poll` without messages."""
        fault = self._exception(error, self.name)
        down = error.code() == self._kafka.KafkaError._ALL_BROKERS_DOWN
        if down or not isinstance(fault, ConnectionError):
            self._fault = fault

    def _exception(self, error: Any, what: str) -> Exception:
        return exception_of(self._kafka.KafkaError, error, what)


def _offset(position: Position) -> int:
    return int(position["offset"])


def _gap(partition: str, position: Position, low: int, high: int) -> GapError:
    offset = _offset(position)
    if offset < low:
        return GapError(
            f"{partition}: the messages from offset {offset} to {low - 1} are no longer there",
            partition=partition,
            resume={"offset": low},
            lost=low - offset,
        )
    return GapError(
        f"{partition}: the log was cut: it ends at offset {high}, but was read up to {offset}",
        partition=partition,
        resume={"offset": min(offset, high)},
    )


def _split(chunk: Chunk, most: int) -> tuple[Chunk, Chunk]:
    """Cut a chunk behind its first `most` messages."""
    assert chunk.places is not None
    middle: Position = {**chunk.next, "offset": int(chunk.places[most - 1]) + 1}
    return (
        _part(chunk, chunk.first, middle, slice(None, most)),
        _part(chunk, middle, chunk.next, slice(most, None)),
    )


def _part(chunk: Chunk, first: Position, following: Position, part: slice) -> Chunk:
    return Chunk(
        chunk.partition,
        first,
        following,
        chunk.values[part],
        chunk.keys and chunk.keys[part],
        chunk.times and chunk.times[part],
        chunk.places and chunk.places[part],
    )
