"""The server in a thread of its own: granian around the application."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from riparian.serve.app import make_app
from riparian.serve.serving import Serving
from riparian.sources.metrics_server import listening_address

__all__ = ["HttpServer", "Listening"]

#: Seconds that the server may take to begin and to end.
_PATIENCE = 30.0


@dataclass(frozen=True)
class Listening:
    """Where a server listens.

    Parameters
    ----------
    address : str
        ``HOST:PORT``; port 0 takes a free one.
    tls_cert, tls_key : str, default=None
        Files of a certificate and its key.
    """

    address: str
    tls_cert: str | None = None
    tls_key: str | None = None

    @property
    def host(self) -> str:
        return listening_address(self.address)[0]

    @property
    def local(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in ("127.0.0.1", "::1", "localhost")


class HttpServer:
    """Serves a model until it is closed.

    Parameters
    ----------
    serving : Serving
        What is served.
    listening : Listening
        Where.

    Raises
    ------
    OSError
        If the address cannot be used.
    """

    def __init__(self, serving: Serving, listening: Listening) -> None:
        self.serving = serving
        host, port = listening_address(listening.address)
        port = _usable(host, port)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server: Any = None
        self._error: BaseException | None = None
        shown = f"[{host}]" if ":" in host else host
        secure = listening.tls_cert is not None
        #: Where the server is.
        self.url = f"{'https' if secure else 'http'}://{shown}:{port}"
        args = (host, port, listening)
        self._thread = threading.Thread(target=self._run, args=args, name="http", daemon=True)
        self._thread.start()
        self._wait_until_open(host, port)

    def _run(self, host: str, port: int, listening: Listening) -> None:
        try:
            asyncio.run(self._serve(host, port, listening))
        except BaseException as error:
            self._error = error

    async def _serve(self, host: str, port: int, listening: Listening) -> None:
        from granian.constants import HTTPModes, Interfaces
        from granian.http import HTTP1Settings
        from granian.server.embed import Server

        limits = self.serving.limits
        self._loop = asyncio.get_running_loop()
        self._server = Server(
            make_app(self.serving),
            address=host,
            port=port,
            interface=Interfaces.ASGINL,
            http=HTTPModes.http1,
            websockets=False,
            backlog=1024,
            backpressure=limits.connections,
            http1_settings=HTTP1Settings(
                header_read_timeout=int(1000 * limits.header_seconds), max_buffer_size=64 << 10
            ),
            log_enabled=False,
            ssl_cert=None if listening.tls_cert is None else Path(listening.tls_cert),
            ssl_key=None if listening.tls_key is None else Path(listening.tls_key),
        )
        await self._server.serve()

    def _wait_until_open(self, host: str, port: int) -> None:
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until and self._thread.is_alive():
            try:
                socket.create_connection((host, port), timeout=1.0).close()
                return
            except OSError:
                time.sleep(0.01)
        self._thread.join(timeout=1.0)
        raise OSError(f"the server at {self.url} did not begin: {self._error}")

    def close(self) -> None:
        """End the server; requests that were read are answered."""
        self.serving.frames.close()
        if self._loop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._server.stop)
            self._thread.join(timeout=_PATIENCE)


def _usable(host: str, port: int) -> int:
    """Return the port, or a free one for 0; an OSError if it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise OSError(f"cannot serve at {host}:{port}: {error.strerror or error}") from None
        found: int = probe.getsockname()[1]
        return found
