"""A Redis stream to write to and to read from."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterator, Sequence

from riparian import sources
from riparian.sources import Position, Source
from tests.servers.redis import RedisServer


class RedisBench:
    """Two streams of a server, empty at first."""

    restart_cost = 1
    database = 0

    def __init__(self, server: RedisServer, streams: int = 2) -> None:
        import redis

        self.server = server
        self.client = redis.Redis(port=server.port)
        name = uuid.uuid4().hex
        self.partitions = [f"{name}:{i}" for i in range(streams)]
        for key in self.partitions:
            self.make(key)

    def make(self, key: str) -> None:
        self.client.xgroup_create(key, "maker", mkstream=True)
        self.client.xgroup_destroy(key, "maker")

    @property
    def address(self) -> str:
        keys = ",".join(self.partitions)
        return f"redis://{self.server.address}/{self.database}/{keys}"

    def source(self, *, follow: bool | None = None, **options: str) -> Source:
        return sources.open(self.address, options, follow=follow)

    def write(
        self, partition: str, values: Sequence[bytes | None], keys: Sequence[object] | None = None
    ) -> None:
        pipeline = self.client.pipeline(transaction=False)
        for value in values:
            pipeline.xadd(partition, {b"data": value})
        pipeline.execute()

    def remove_head(self, partition: str, position: Position) -> None:
        time, _, number = str(position["id"]).partition("-")
        self.client.xtrim(partition, minid=f"{time}-{int(number) + 1}", approximate=False)

    def remake(self) -> None:
        for key in self.partitions:
            self.client.delete(key)
            self.make(key)

    @contextlib.contextmanager
    def restart(self) -> Iterator[None]:
        self.server.kill()
        try:
            yield
        finally:
            self.server.start()
