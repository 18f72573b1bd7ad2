"""A Kafka topic to write to and to read from, on the real broker or on the mock."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from riparian import sources
from riparian.sources import Position, Source
from tests.servers.kafka_mock import PARTITIONS, KafkaMock
from tests.servers.process import Server, wait_until


class KafkaBench:
    """One topic of a broker, empty at first."""

    restart_cost = 5

    def __init__(self, server: Server, partitions: int = 2) -> None:
        from confluent_kafka.admin import AdminClient

        self.server = server
        self.topic = uuid.uuid4().hex
        self.settings = {"bootstrap.servers": server.address, "log_level": 0}
        self.producer = self.new_producer()
        self.admin = AdminClient(self.settings)
        if isinstance(server, KafkaMock):
            partitions = PARTITIONS
            self.producer.list_topics(self.topic, timeout=30)
        else:
            self.make(partitions)
        self.partitions = [f"{self.topic}/{i}" for i in range(partitions)]

    def new_producer(self, **settings: str) -> Any:
        from confluent_kafka import Producer

        # Without idempotence a message that is sent again may come behind a later one.
        quick = {"message.max.bytes": 8_000_000, "linger.ms": 1, "enable.idempotence": True}
        return Producer({**self.settings, **quick, **settings})

    def make(self, partitions: int) -> None:
        from confluent_kafka.admin import NewTopic

        self.finish(self.admin.create_topics([NewTopic(self.topic, partitions, 1)]))
        self.wait_for(partitions)

    def finish(self, futures: Mapping[Any, Any]) -> None:
        """Wait for what an administrator asked for."""
        for future in futures.values():
            future.result(timeout=60)

    def wait_for(self, partitions: int) -> None:
        """Wait until clients see this many partitions, with leaders; 0: no topic."""

        def is_there() -> bool:
            found = self.admin.list_topics(timeout=30).topics.get(self.topic)
            leaders = [part.leader for part in found.partitions.values()] if found else []
            return len(leaders) == partitions and -1 not in leaders

        wait_until(is_there, "the change of a topic")

    @property
    def address(self) -> str:
        return f"kafka://{self.server.address}/{self.topic}"

    def source(self, *, follow: bool | None = None, **options: str) -> Source:
        quick = {"refresh": "0.2", "fetch.wait.max.ms": "50", "reconnect.backoff.max.ms": "500"}
        return sources.open(self.address, {**quick, **options}, follow=follow)

    def write(
        self,
        partition: str,
        values: Sequence[bytes | None],
        keys: Sequence[bytes | None] | None = None,
    ) -> None:
        number = int(partition.rpartition("/")[2])
        failed = []
        for i, value in enumerate(values):
            self.producer.produce(
                self.topic,
                value,
                key=keys[i] if keys else None,
                partition=number,
                on_delivery=lambda error, _: failed.append(error) if error else None,
            )
        assert self.producer.flush(60) == 0
        assert not failed, failed

    def remove_head(self, partition: str, position: Position) -> None:
        from confluent_kafka import TopicPartition

        number = int(partition.rpartition("/")[2])
        place = TopicPartition(self.topic, number, position["offset"])
        self.finish(self.admin.delete_records([place]))

    def remake(self) -> None:
        self.finish(self.admin.delete_topics([self.topic]))
        self.wait_for(0)
        self.make(len(self.partitions))
        self.producer = self.new_producer()  # the other one knows the topic that is gone

    def add_partition(self) -> str:
        from confluent_kafka.admin import NewPartitions

        count = len(self.partitions) + 1
        self.finish(self.admin.create_partitions([NewPartitions(self.topic, count)]))
        self.wait_for(count)
        self.producer = self.new_producer()  # the other one does not know the partition yet
        self.partitions.append(f"{self.topic}/{count - 1}")
        return self.partitions[-1]

    @contextlib.contextmanager
    def restart(self) -> Iterator[None]:
        self.server.kill()
        try:
            yield
        finally:
            self.server.start()
            self.wait_for(len(self.partitions))
