"""Where dead letters are sent on to: a file, or a topic of Kafka, at least once.

They are sent before the generation that counts them is committed. So none is missing there after a
crash, and those since the last generation may be there twice.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from riparian.sources.address import Address, client
from riparian.sources.dead import DeadLetter
from riparian.sources.registry import is_path

__all__ = ["Sink", "open_sink"]

#: Seconds that a topic may take to accept the letters of a chunk.
_PATIENCE = 30.0


class Sink(Protocol):
    """Where dead letters go."""

    def send(self, letters: Sequence[DeadLetter]) -> None:
        """Send letters; an OSError if they could not be sent, and the learner tries again."""

    def close(self) -> None:
        """Release everything."""


def open_sink(address: str, options: Mapping[str, str]) -> Sink:
    """Return the sink at an address: a path, or ``kafka://host:9092/topic``."""
    if address.startswith("kafka://"):
        return _Topic(address, options)
    if is_path(address) and address != "-":
        return _File(address.removeprefix("file://").removeprefix("file:"))
    raise ValueError(f"dead letters go to a file or to kafka://host:port/topic, not to {address}")


class _File:
    """One JSON object per letter, appended and synced."""

    def __init__(self, path: str) -> None:
        self._descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)

    def send(self, letters: Sequence[DeadLetter]) -> None:
        lines = []
        for letter in letters:
            value = None if letter.value is None else letter.value.decode("utf-8", "replace")
            where = {"partition": letter.partition, "place": letter.place}
            lines.append(json.dumps({**where, "reason": letter.reason, "value": value}) + "\n")
        left = memoryview("".join(lines).encode())
        while left:
            left = left[os.write(self._descriptor, left) :]
        os.fsync(self._descriptor)

    def close(self) -> None:
        os.close(self._descriptor)


class _Topic:
    """The letters as messages of a topic: the value as it came, partition and place as the key."""

    def __init__(self, address: str, options: Mapping[str, str]) -> None:
        kafka = client("confluent_kafka", package="confluent-kafka", extra="kafka")
        parts = Address.parse(address)
        settings = {name: value for name, value in options.items() if name not in _NOT_OURS}
        servers = {"bootstrap.servers": parts.servers, "enable.idempotence": True}
        self._name, self._topic = parts.name, parts.path
        self._errors = kafka.KafkaException
        self._producer = kafka.Producer({**settings, **servers})

    def send(self, letters: Sequence[DeadLetter]) -> None:
        failed: list[str] = []

        def delivered(error: Any, message: Any) -> None:
            if error is not None:
                failed.append(str(error))

        try:
            for letter in letters:
                self._producer.produce(
                    self._topic,
                    value=letter.value,
                    key=f"{letter.partition} {letter.place}".encode(),
                    headers={"reason": letter.reason[:1000].encode()},
                    on_delivery=delivered,
                )
                self._producer.poll(0)
        except (self._errors, BufferError) as error:
            failed.append(str(error))
        left = self._producer.flush(_PATIENCE)
        if failed or left:
            waited = f"{left:,} are not accepted after {_PATIENCE:g} seconds; is the topic there?"
            what = failed[0] if failed else waited
            # What is still in the queue is sent again with the next attempt.
            self._producer.purge()
            self._producer.flush(1.0)
            raise ConnectionError(f"dead letters cannot be sent to {self._name}: {what}")

    def close(self) -> None:
        self._producer.flush(1.0)


#: Options of the source that a producer does not have.
_NOT_OURS = {"group", "refresh", "queued.max.messages.kbytes"}
