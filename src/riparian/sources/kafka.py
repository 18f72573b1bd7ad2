"""Kafka topics: ``kafka://host:9092,host:9092/topic,topic``.

Partitions are assigned, never subscribed to: one model has one writer, so a consumer group would
only add rebalances. Offsets are kept in the learner's checkpoint. With the option ``group`` they
are also committed to that group, for tools that show the lag; they are never read back.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from riparian.sources.address import Address, client
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
    "allow.auto.create.topics": False,
    "auto.offset.reset": "error",
    "enable.auto.commit": False,
    "enable.auto.offset.store": False,
    "enable.partition.eof": True,
    "isolation.level": "read_committed",
}
# Errors come through `error_cb`; librdkafka would log each vain attempt to connect.
_DEFAULTS = {
    "client.id": "riparian",
    "log_level": 2,
    # Bytes bound what is fetched ahead. With fewer messages the learner waits for each fetch.
    "queued.max.messages.kbytes": 65536,
    "queued.min.messages": 1_000_000,
}
_CONSUMER = {*_FIXED, "queued.max.messages.kbytes", "queued.min.messages", "group.id"}
_LOG = logging.getLogger(__name__)
#: Seconds that a request to the broker may take.
_PATIENCE = 10.0


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
        self._admin_module = client(
            "confluent_kafka.admin", package="confluent-kafka", extra="kafka"
        )
        parts = Address.parse(address)
        if parts.user or parts.password:
            raise ValueError(
                f"{parts.name}: give user and password as the options sasl.username and "
                "sasl.password"
            )
        if refused := sorted(set(options) & set(_FIXED)):
            raise ValueError(f"the option {refused[0]} cannot be changed")
        settings: dict[str, Any] = dict(options)
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
        self._consumer: Any = None
        self._admin: Any = None

    def open(self, positions: Mapping[str, Position], start: Start) -> None:
        self.close()
        self._ready: deque[Chunk | Exception] = deque()
        self._reached: dict[str, int] = {}  # offsets at which the end of a partition was seen
        self._goal: dict[str, int] = {}
        self._last: dict[str, int] = {}  # time of the last message, in milliseconds
        self._lag: tuple[float, dict[str, Lag]] = (0.0, {})
        self._fault: Exception | None = None
        self._described: tuple[float, Any] = (time.monotonic(), None)
        settings = {**self._settings, "error_cb": self._note, "logger": _LOG}
        try:
            self._consumer = self._kafka.Consumer(settings)
            found = [
                f"{topic}/{number}" for topic in self._topics for number in self._numbers(topic)
            ]
            self._identify()
            # A partition without a position appeared while nobody read: it is read from its start.
            begin: Start = "beginning" if positions else start
            opened = {p: self._check(p, positions[p]) for p in found if p in positions}
            for partition in found:
                if partition not in positions:
                    opened[partition] = {"offset": self._begin(partition, begin)}
            for partition in positions:
                if partition not in opened:
                    raise IdentityError(f"{self.name} has no partition {partition} any more")
            if self._ends_at_goal:
                self._goal = {p: self._watermarks(p)[1] for p in found}
            self._consumer.assign([self._at(p, position) for p, position in opened.items()])
        except self._kafka.KafkaException as error:
            raise self._raised(error) from error
        self.positions = dict(opened)

    def poll(self, most: int, timeout: float) -> Chunk | None:
        if not self._ready:
            if self._goal and all(
                max(_offset(self.positions[p]), self._reached.get(p, 0)) >= end
                for p, end in self._goal.items()
            ):
                raise EndOfSource(f"{self.name} is read to its end")
            try:
                self._look()
                # `consume` waits until it has all that it was asked for.
                messages = self._consumer.consume(most, 0)
                if not messages and (messages := self._consumer.consume(1, timeout)) and most > 1:
                    messages += self._consumer.consume(most - 1, 0)
            except self._kafka.KafkaException as error:
                raise self._raised(error) from error
            self._sort(messages)
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
        self._ready = deque(c for c in self._ready if getattr(c, "partition", None) != partition)
        self._reached.pop(partition, None)
        place = self._at(partition, position)
        self._consumer.incremental_unassign([place])
        self._consumer.incremental_assign([place])
        self.positions[partition] = position

    def behind(self) -> Mapping[str, Lag]:
        now = time.time()
        if now - self._lag[0] < 1:
            return self._lag[1]
        lags = {}
        for partition, position in self.positions.items():
            try:
                _, high = self._consumer.get_watermark_offsets(self._at(partition), cached=True)
            except self._kafka.KafkaException:
                high = self._kafka.OFFSET_INVALID
            if high < 0:
                lags[partition] = Lag()
                continue
            messages = max(0, high - max(_offset(position), self._reached.get(partition, 0)))
            last = self._last.get(partition)
            late = None if last is None else max(0.0, now - last / 1000)
            lags[partition] = Lag(messages, late if messages else 0.0)
        self._lag = (now, lags)
        return lags

    def committed(self, positions: Mapping[str, Position]) -> None:
        if self._group is not None and self._consumer is not None:
            places = [self._at(p, position) for p, position in positions.items()]
            try:
                self._consumer.commit(offsets=places, asynchronous=True)
            except self._kafka.KafkaException as error:  # it is a report only
                _LOG.warning("%s: offsets were not committed: %s", self.name, error)

    def close(self) -> None:
        consumer, self._consumer, self._admin = self._consumer, None, None
        if consumer is not None:
            consumer.close()

    def _at(self, partition: str, position: Position | None = None) -> Any:
        topic, _, number = partition.rpartition("/")
        if position is None:
            return self._kafka.TopicPartition(topic, int(number))
        # With the epoch the broker reports a log that was truncated and overwritten.
        epoch = {"leader_epoch": int(position["epoch"])} if "epoch" in position else {}
        return self._kafka.TopicPartition(topic, int(number), _offset(position), **epoch)

    def _numbers(self, topic: str) -> Iterable[int]:
        """The partitions of a topic."""
        described = self._metadata(topic)
        found = described.topics[topic]
        if found.error is not None:
            raise self._error(found.error, f"the topic {topic!r}")
        self.identity["cluster"] = described.cluster_id or ""
        # A cluster without a controller is librdkafka's mock: it cannot describe topics.
        if described.controller_id in described.brokers and self._admin is None:
            settings = {k: v for k, v in self._settings.items() if k not in _CONSUMER}
            self._admin = self._admin_module.AdminClient({**settings, "logger": _LOG})
        return sorted(found.partitions)

    def _metadata(self, topic: str) -> Any:
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                return self._consumer.list_topics(topic, timeout=1)
            except self._kafka.KafkaException as error:
                self._consumer.poll(0)  # calls `_note` with the reason, if there is one
                if self._fault is not None or time.monotonic() > end:
                    raise self._fault or self._raised(error) from error

    def _identify(self) -> None:
        if self._admin is not None:
            for topic, described in self._describe().items():
                self.identity[f"topic:{topic}"] = str(described.result().topic_id)

    def _describe(self) -> Mapping[str, Any]:
        topics = self._kafka.TopicCollection(self._topics)
        described: Mapping[str, Any] = self._admin.describe_topics(
            topics, request_timeout=_PATIENCE
        )
        return described

    def _watermarks(self, partition: str) -> tuple[int, int]:
        low, high = self._consumer.get_watermark_offsets(self._at(partition), timeout=_PATIENCE)
        return low, high

    def _begin(self, partition: str, start: Start) -> int:
        """The offset at which a partition without a position begins."""
        low, high = self._watermarks(partition)
        if isinstance(start, int):
            place = self._at(partition, {"offset": start})
            [found] = self._consumer.offsets_for_times([place], timeout=_PATIENCE)
            return found.offset if found.offset >= 0 else high
        return low if start == "beginning" else high

    def _check(self, partition: str, position: Position) -> Position:
        """Return a position that can be read; raise GapError if it cannot."""
        low, high = self._watermarks(partition)
        if not low <= _offset(position) <= high:
            raise self._gap(partition, position, low, high)
        return position

    def _gap(self, partition: str, position: Position, low: int, high: int) -> GapError:
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

    def _look(self) -> None:
        """Every few seconds: look for new partitions, and for topics that were made again."""
        when, answers = self._described
        if answers is None:
            if time.monotonic() - when >= self._refresh and self._admin is not None:
                self._described = (when, self._describe())
            return
        if not all(answer.done() for answer in answers.values()):
            return
        self._described = (time.monotonic(), None)
        for topic, answer in answers.items():
            if answer.exception() is not None:
                continue  # a topic that is gone is reported by `consume`
            described = answer.result()
            if self.identity[f"topic:{topic}"] != str(described.topic_id):
                raise IdentityError(f"the topic {topic!r} was deleted and made again")
            names = [f"{topic}/{part.id}" for part in described.partitions]
            for partition in (name for name in names if name not in self.positions):
                self.positions[partition] = {"offset": 0}
                self._consumer.incremental_assign([self._at(partition, {"offset": 0})])

    def _sort(self, messages: list[Any]) -> None:
        """Make chunks of messages: one for each partition."""
        message_type = self._kafka.Message
        faults: list[Exception] = []
        if events := [message for message in messages if message.error() is not None]:
            messages = [message for message in messages if message.error() is None]
            faults = [fault for m in events if (fault := self._fault_of(m)) is not None]
        numbers = list(map(message_type.partition, messages))
        if len(self._topics) == 1 and messages and numbers.count(numbers[0]) == len(numbers):
            self._ready.append(self._chunk(self._topics[0], numbers[0], messages))
        else:
            groups: dict[tuple[str, int], list[Any]] = {}
            for message, number in zip(messages, numbers, strict=True):
                groups.setdefault((message.topic(), number), []).append(message)
            for (topic, number), group in groups.items():
                self._ready.append(self._chunk(topic, number, group))
        self._ready.extend(faults)

    def _chunk(self, topic: str, number: int, messages: list[Any]) -> Chunk:
        """Return the messages of a partition as a chunk."""
        partition = f"{topic}/{number}"
        first, last = messages[0], messages[-1]
        following: dict[str, int | str] = {"offset": last.offset() + 1}
        if last.leader_epoch() is not None:
            following["epoch"] = last.leader_epoch()
        self._last[partition] = last.timestamp()[1]
        message_type = self._kafka.Message
        offsets: Sequence[int] = range(first.offset(), last.offset() + 1)
        if len(offsets) != len(messages):  # control records and compaction leave holes
            offsets = list(map(message_type.offset, messages))
        return Chunk(
            partition,
            self.positions[partition],
            following,
            list(map(message_type.value, messages)),
            list(map(message_type.key, messages)),
            [time for _, time in map(message_type.timestamp, messages)],
            offsets,
        )

    def _fault_of(self, message: Any) -> Exception | None:
        """What a message that reports an event means; None if it means no error."""
        error, codes = message.error(), self._kafka.KafkaError
        partition = f"{message.topic()}/{message.partition()}"
        if error.code() == codes._PARTITION_EOF:
            self._reached[partition] = message.offset()
            return None
        if error.code() in (codes._AUTO_OFFSET_RESET, codes._LOG_TRUNCATION):
            try:
                low, high = self._watermarks(partition)
            except self._kafka.KafkaException as failed:
                # The broker went away; the same place is asked for again.
                self.seek(partition, self.positions[partition])
                return self._raised(failed)
            return self._gap(partition, self.positions[partition], low, high)
        return self._error(error, partition)

    def _note(self, error: Any) -> None:
        """Keep what librdkafka reports in the background for the next `poll` without messages."""
        fault = self._error(error, self.name)
        if error.code() == self._kafka.KafkaError._ALL_BROKERS_DOWN or not isinstance(
            fault, ConnectionError
        ):
            self._fault = fault

    def _raised(self, failed: Any) -> Exception:
        return self._error(failed.args[0], self.name)

    def _error(self, error: Any, what: str) -> Exception:
        """The exception for an error of librdkafka: which ones are worth another try."""
        codes, text = self._kafka.KafkaError, f"{what}: {error.str()}"
        if error.code() in (
            codes._AUTHENTICATION,
            codes.SASL_AUTHENTICATION_FAILED,
            codes.TOPIC_AUTHORIZATION_FAILED,
            codes.CLUSTER_AUTHORIZATION_FAILED,
            codes.GROUP_AUTHORIZATION_FAILED,
        ):
            return PermissionError(text)
        unknown = (
            codes.UNKNOWN_TOPIC_OR_PART,
            codes._UNKNOWN_TOPIC,
            codes._UNKNOWN_PARTITION,
            codes.TOPIC_EXCEPTION,
        )
        if error.code() in unknown:
            return LookupError(text)
        if error.code() == codes._INVALID_ARG:
            return ValueError(text)
        return ConnectionError(text)


def _offset(position: Position) -> int:
    return int(position["offset"])


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
