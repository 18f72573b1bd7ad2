"""A JetStream stream to write to and to read from."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import Any

from riparian import sources
from riparian.sources import Position, Source
from tests.servers.nats import NatsServer


class NatsBench:
    """One stream of a server, empty at first. Its subject is its name."""

    restart_cost = 1

    def __init__(self, server: NatsServer, retention: str = "limits") -> None:
        self.server = server
        self.retention = retention
        self.stream = uuid.uuid4().hex
        self.partitions = [self.stream]
        self.make()

    def run(self, work: Callable[[Any], Awaitable[Any]]) -> Any:
        """Run something with a JetStream context."""
        import nats

        async def connected() -> Any:
            connection = await nats.connect(f"nats://{self.server.address}")
            try:
                return await work(connection.jetstream(timeout=30))
            finally:
                await connection.close()

        return asyncio.run(connected())

    def make(self) -> None:
        self.run(
            lambda js: js.add_stream(
                name=self.stream, subjects=[self.stream], retention=self.retention
            )
        )

    @property
    def address(self) -> str:
        return f"nats://{self.server.address}/{self.stream}"

    def source(self, *, follow: bool | None = None, **options: str) -> Source:
        return sources.open(self.address, {"refresh": "0.2", **options}, follow=follow)

    def write(
        self, partition: str, values: Sequence[bytes | None], keys: Sequence[bytes] | None = None
    ) -> None:
        async def publish(js: Any) -> None:
            for i, value in enumerate(values):
                headers = {"Nats-Msg-Id": keys[i].decode()} if keys else None
                await js.publish_async(self.stream, value or b"", headers=headers)
            await js.publish_async_completed()

        self.run(publish)

    def remove_head(self, partition: str, position: Position) -> None:
        self.run(lambda js: js.purge_stream(self.stream, seq=position["seq"]))

    def remake(self) -> None:
        self.run(lambda js: js.delete_stream(self.stream))
        self.make()

    def info(self) -> Any:
        return self.run(lambda js: js.stream_info(self.stream))

    @contextlib.contextmanager
    def restart(self) -> Iterator[None]:
        self.server.kill()
        try:
            yield
        finally:
            self.server.start()
