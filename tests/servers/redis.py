"""A Redis server: the one on the PATH, or Debian's package in build/servers/redis."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.servers.process import INSTALLED, Server

FOLDER = INSTALLED / "redis"


def program() -> str | None:
    """The path of `redis-server`, or None."""
    own = FOLDER / "usr/bin/redis-server"
    return str(own) if own.exists() else shutil.which("redis-server")


class RedisServer(Server):
    """Redis with an append-only file that is synced at every write: nothing is lost when killed."""

    def __init__(self, folder: Path, options: Sequence[str] = ()) -> None:
        super().__init__(folder)
        self.options = options

    def command(self) -> Sequence[str]:
        path = program()
        assert path is not None
        fixed = f"--bind 127.0.0.1 --port {self.port} --dir {self.folder} --save  --appendonly yes"
        return [path, *fixed.split(" "), "--appendfsync", "always", *self.options]

    def environment(self) -> Mapping[str, str]:
        libraries = [str(path) for path in FOLDER.glob("usr/lib/*-linux-gnu")]
        known = os.environ.get("LD_LIBRARY_PATH")
        return {"LD_LIBRARY_PATH": ":".join([*libraries, *([known] if known else [])])}

    def is_ready(self) -> bool:
        import redis

        try:
            with redis.Redis(port=self.port) as client:
                return bool(client.ping())
        except redis.AuthenticationError:
            return True
        except redis.ConnectionError:  # also while it loads its file
            return False
