"""What a Kafka cluster says of topics: their partitions, ids and offsets. No message is read."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from riparian.sources.address import client
from riparian.sources.kafka_errors import exception_of
from riparian.sources.source import IdentityError, Position, Start

__all__ = ["Cluster", "Place", "place_of"]

_LOG = logging.getLogger(__name__)
#: Seconds that a request to the broker may take.
_PATIENCE = 10.0

#: Topic, number of the partition, offset and leader epoch; -1 is an unknown epoch.
Place = tuple[str, int, int, int]


def place_of(partition: str, position: Position) -> Place:
    """Return a position as librdkafka takes it."""
    topic, _, number = partition.rpartition("/")
    # With the epoch the broker reports a log that was truncated and overwritten.
    return topic, int(number), int(position["offset"]), int(position.get("epoch", -1))


class Cluster:
    """A cluster with some topics.

    Parameters
    ----------
    settings : mapping
        Settings of a consumer of librdkafka.
    own : set of str
        The settings that only a consumer has.
    topics : sequence of str
    name : str
        The address without secrets.
    refresh : float
        Seconds between two looks at the topics.
    """

    def __init__(
        self,
        settings: Mapping[str, Any],
        own: set[str],
        topics: Sequence[str],
        name: str,
        refresh: float,
    ) -> None:
        self._kafka = client("confluent_kafka", package="confluent-kafka", extra="kafka")
        self._admin_module = client(
            "confluent_kafka.admin", package="confluent-kafka", extra="kafka"
        )
        self._topics = list(topics)
        self._name = name
        self._refresh = refresh
        self._fault: Exception | None = None
        self._described: tuple[float, Any] = (time.monotonic(), None)
        #: The ids of the cluster and of the topics.
        self.identity: dict[str, str] = {}
        self._consumer = self._kafka.Consumer({**settings, "error_cb": self._note, "logger": _LOG})
        self._settings = {k: v for k, v in settings.items() if k not in own}
        self._admin: Any = None

    def partitions(self) -> list[str]:
        """Ask for the partitions of all topics, and for their ids."""
        found = [f"{topic}/{number}" for topic in self._topics for number in self._numbers(topic)]
        if self._admin is not None:
            for topic, described in self._describe().items():
                self.identity[f"topic:{topic}"] = str(described.result().topic_id)
        return found

    def watermarks(self, partition: str) -> tuple[int, int]:
        """Ask for the first offset of a partition, and for the one behind its last."""
        place = self._at(place_of(partition, {"offset": 0}))
        low, high = self._consumer.get_watermark_offsets(place, timeout=_PATIENCE)
        return low, high

    def begin(self, partition: str, start: Start) -> int:
        """Ask for the offset at which a partition without a position begins."""
        low, high = self.watermarks(partition)
        if isinstance(start, int):
            place = self._at(place_of(partition, {"offset": start}))
            [found] = self._consumer.offsets_for_times([place], timeout=_PATIENCE)
            return found.offset if found.offset >= 0 else high
        return low if start == "beginning" else high

    def new_partitions(self, known: Mapping[str, Position]) -> Iterator[str]:
        """Every few seconds: look for new partitions, and for topics that were made again."""
        when, answers = self._described
        if answers is None:
            if time.monotonic() - when >= self._refresh and self._admin is not None:
                self._consumer.poll(0)  # else what it reports would wait for ever
                self._described = (when, self._describe())
            return
        if not all(answer.done() for answer in answers.values()):
            return
        self._described = (time.monotonic(), None)
        for topic, answer in answers.items():
            if answer.exception() is not None:
                continue  # a topic that is gone is reported with its messages
            described = answer.result()
            if self.identity[f"topic:{topic}"] != str(described.topic_id):
                raise IdentityError(f"the topic {topic!r} was deleted and made again")
            names = [f"{topic}/{part.id}" for part in described.partitions]
            yield from (name for name in names if name not in known)

    def commit(self, positions: Mapping[str, Position]) -> None:
        """Report offsets to the group of the settings."""
        places = [self._at(place_of(p, position)) for p, position in positions.items()]
        try:
            self._consumer.commit(offsets=places, asynchronous=True)
        except self._kafka.KafkaException as error:  # it is a report only
            _LOG.warning("%s: offsets were not committed: %s", self._name, error)

    def close(self) -> None:
        """Release everything."""
        self._consumer.close()
        self._admin = None

    def _at(self, place: Place) -> Any:
        topic, number, offset, epoch = place
        known = {"leader_epoch": epoch} if epoch >= 0 else {}
        return self._kafka.TopicPartition(topic, number, offset, **known)

    def _numbers(self, topic: str) -> list[int]:
        """Ask for the partitions of a topic."""
        described = self._metadata(topic)
        found = described.topics[topic]
        if found.error is not None:
            raise exception_of(self._kafka.KafkaError, found.error, f"the topic {topic!r}")
        self.identity["cluster"] = described.cluster_id or ""
        # A cluster without a controller is librdkafka's mock: it cannot describe topics.
        if described.controller_id in described.brokers and self._admin is None:
            self._admin = self._admin_module.AdminClient({**self._settings, "logger": _LOG})
        return sorted(found.partitions)

    def _metadata(self, topic: str) -> Any:
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                return self._consumer.list_topics(topic, timeout=1)
            except self._kafka.KafkaException as error:
                self._consumer.poll(0)  # calls `_note` with the reason, if there is one
                if self._fault is not None or time.monotonic() > end:
                    failed = exception_of(self._kafka.KafkaError, error.args[0], self._name)
                    raise self._fault or failed from error

    def _describe(self) -> Mapping[str, Any]:
        topics = self._kafka.TopicCollection(self._topics)
        described: Mapping[str, Any] = self._admin.describe_topics(
            topics, request_timeout=_PATIENCE
        )
        return described

    def _note(self, error: Any) -> None:
        fault = exception_of(self._kafka.KafkaError, error, self._name)
        down = error.code() == self._kafka.KafkaError._ALL_BROKERS_DOWN
        if down or not isinstance(fault, ConnectionError):
            self._fault = fault
