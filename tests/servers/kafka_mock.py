"""librdkafka's mock broker in a process of its own: Kafka's protocol without Java.

It has no controller: topics come into being with four partitions when they are first used, they
have no id and cannot be deleted. It keeps the last 5 MB or so of each partition.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.servers.process import Server

#: The number of partitions of each topic of the mock broker.
PARTITIONS = 4


class KafkaMock(Server):
    """The mock broker; it forgets everything when it stops."""

    def command(self) -> Sequence[str]:
        return [sys.executable, "-m", "tests.servers.kafka_mock"]

    def environment(self) -> Mapping[str, str]:
        return {"PYTHONPATH": str(Path(__file__).parents[2])}

    def is_ready(self) -> bool:
        found = (self.folder / "port").exists() and (self.folder / "port").read_text()
        if found:
            self.port = int(found)
        return bool(found)


def serve() -> None:
    """Start the broker, write its port to the file "port" and wait to be killed."""
    from confluent_kafka import Producer

    client = Producer({"bootstrap.servers": "none", "test.mock.num.brokers": 1, "log_level": 0})
    [broker] = client.list_topics(timeout=30).brokers.values()
    part = Path("port.part")
    part.write_text(str(broker.port))
    part.rename("port")
    signal.pause()


if __name__ == "__main__":
    serve()
