"""A server that runs for tests: started, stopped, killed and started again on the same port."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

#: Where `make test-servers` puts the servers that it installs.
INSTALLED = Path(__file__).parents[2] / "build" / "servers"

#: How long a server may need to start on a busy machine, in seconds.
PATIENCE = 120.0


def missing(reason: str) -> None:
    """Skip the test, or fail if `make test-servers` promised that the server is there."""
    if os.environ.get("RIPARIAN_SERVERS") == "required":
        pytest.fail(reason)
    pytest.skip(f"{reason}; `make test-servers` installs it")


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def listens(port: int) -> bool:
    """Whether somebody accepts connections on a port of this machine."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_until(condition: Callable[[], bool], what: str, seconds: float = PATIENCE) -> None:
    """Wait for a condition; fail with its description if it does not come true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what} did not happen within {seconds:.0f} s"
        time.sleep(0.01)


class Server:
    """A server program with a port, a folder for its data and a log in that folder.

    Subclasses say how to start it and when it is ready.
    """

    #: How long it may need to start, in seconds.
    patience = PATIENCE

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def command(self) -> Sequence[str]:
        raise NotImplementedError

    def environment(self) -> Mapping[str, str]:
        return {}

    def is_ready(self) -> bool:
        return listens(self.port)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start the server and wait until it is ready."""
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                self.command(),
                cwd=self.folder,
                env={**os.environ, **self.environment()},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        wait_until(self._is_up, f"the start of {type(self).__name__}", self.patience)

    def _is_up(self) -> bool:
        assert self.process is not None
        if self.process.poll() is not None:
            log = (self.folder / "log").read_text(errors="replace")[-2000:]
            raise AssertionError(f"{type(self).__name__} ended with {self.process.poll()}:\n{log}")
        return self.is_ready()

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        """End the server by a signal. Does nothing if it does not run."""
        if self.process is None:
            return
        self.process.send_signal(how)
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process = None

    def kill(self) -> None:
        """End the server as a power cut would."""
        self.stop(signal.SIGKILL)
