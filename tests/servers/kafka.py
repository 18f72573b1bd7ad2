"""One Kafka node (KRaft: broker and controller in one) from the jars in build/servers/kafka."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.servers.process import INSTALLED, Server, free_port, listens

JARS = INSTALLED / "kafka"

#: A 16-byte id in base64: the cluster's name on disk.
CLUSTER = "cmlwYXJpYW4tdGVzdC0tLQ"


@functools.cache
def absent() -> str | None:
    """Why Kafka cannot be started, or None."""
    if not any(JARS.glob("kafka_*.jar")):
        return "the jars of Kafka are not in build/servers/kafka"
    java = shutil.which("java")
    if java is None:
        return "Kafka needs Java 17"
    text = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
    version = re.search(r'version "(\d+)', text)
    if version is None or int(version.group(1)) < 17:
        return "Kafka needs Java 17"
    return None


class KafkaServer(Server):
    """Kafka 4 that starts quickly: small heap, one compiler tier, no delay before a group meets."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.controller = free_port()
        settings = {
            "process.roles": "broker,controller",
            "node.id": "1",
            "controller.quorum.voters": f"1@127.0.0.1:{self.controller}",
            "listeners": f"PLAINTEXT://{self.address},CONTROLLER://127.0.0.1:{self.controller}",
            "controller.listener.names": "CONTROLLER",
            "log.dirs": str(folder / "data"),
            "auto.create.topics.enable": "false",
            "offsets.topic.replication.factor": "1",
            "offsets.topic.num.partitions": "1",
            "transaction.state.log.replication.factor": "1",
            "transaction.state.log.num.partitions": "1",
            "transaction.state.log.min.isr": "1",
            "group.initial.rebalance.delay.ms": "0",
            "message.max.bytes": "8000000",
            "log.retention.check.interval.ms": "1000",
            "log.initial.task.delay.ms": "0",
            "file.delete.delay.ms": "100",
        }
        text = "".join(f"{name}={value}\n" for name, value in settings.items())
        (folder / "server.properties").write_text(text)

    def java(self, *arguments: str) -> list[str]:
        flags = ["-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"]
        return ["java", *flags, "-cp", f"{JARS}/*", *arguments]

    def command(self) -> Sequence[str]:
        return self.java("kafka.Kafka", "server.properties")

    def start(self) -> None:
        if not (self.folder / "data").exists():
            subprocess.run(
                self.java(
                    "kafka.tools.StorageTool", "format", "-t", CLUSTER, "-c", "server.properties"
                ),
                cwd=self.folder,
                check=True,
                capture_output=True,
            )
        super().start()

    def is_ready(self) -> bool:
        if not listens(self.port):
            return False
        import confluent_kafka
        from confluent_kafka.admin import AdminClient

        try:
            settings = {"bootstrap.servers": self.address, "log_level": 0}
            return bool(AdminClient(settings).list_topics(timeout=5).brokers)
        except confluent_kafka.KafkaException:
            return False
