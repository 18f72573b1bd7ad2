"""Serves the metrics of a learner and its health over HTTP, in a thread of its own."""

from __future__ import annotations

import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Self

from riparian.sources.events import Event, Report

if TYPE_CHECKING:
    from riparian.sources.learner import Learner

__all__ = ["MetricsServer", "listening_address", "serve_metrics"]

#: Where metrics are served if only a port is named.
_LOOPBACK = "127.0.0.1"


def listening_address(text: str) -> tuple[str, int]:
    """Return host and port of ``HOST:PORT``, ``[IPV6]:PORT`` or ``PORT``; the latter is local.

    Examples
    --------
    >>> listening_address("9464"), listening_address("[::1]:9464")
    (('127.0.0.1', 9464), ('::1', 9464))
    """
    host, colon, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65535 or (colon and host.count(":") and host[0] != "["):
        raise ValueError(f"metrics must be HOST:PORT such as {_LOOPBACK}:9464, got {text!r}")
    return host.strip("[]") or _LOOPBACK, int(port)


class MetricsServer:
    """Serves ``/metrics``, ``/health/live`` and ``/health/ready`` in a thread.

    Parameters
    ----------
    learner : Learner
        Whose metrics.
    address : str
        Where to listen: ``HOST:PORT``; without a host only this machine can ask. Port 0 takes a
        free one.

    Raises
    ------
    ImportError
        If prometheus-client is not installed.
    OSError
        If the address cannot be used.
    """

    def __init__(self, learner: Learner, address: str) -> None:
        host, port = listening_address(address)
        try:
            from prometheus_client import CollectorRegistry, GCCollector, ProcessCollector
            from prometheus_client.exposition import choose_encoder

            from riparian.sources.metrics import Metrics
        except ModuleNotFoundError as error:
            raise ImportError(
                "metrics need prometheus-client; install it with: pip install 'riparian[metrics]'"
            ) from error
        registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        GCCollector(registry)
        registry.register(Metrics(learner))

        class Handler(BaseHTTPRequestHandler):
            # A client that sends nothing holds its thread no longer than this.
            timeout = 10.0

            def do_GET(self) -> None:
                path = self.path.partition("?")[0]
                if path == "/metrics":
                    encode, kind = choose_encoder(self.headers.get("Accept", ""))
                    self._reply(200, kind, encode(registry))
                elif path == "/health/live":
                    self._reply(200, "text/plain", b"live\n")
                elif path == "/health/ready":
                    down = [feed.source.name for feed in learner.feeds if not feed.ready]
                    text = "".join(f"{name} is not open\n" for name in down) or "ready\n"
                    self._reply(503 if down else 200, "text/plain", text.encode())
                else:
                    self._reply(404, "text/plain", b"/metrics, /health/live, /health/ready\n")

            def _reply(self, status: int, kind: str, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *args: Any) -> None:
                """Log nothing: the log is the learner's."""

        class Server(ThreadingHTTPServer):
            address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
            daemon_threads = True

            def handle_error(self, request: Any, client_address: Any) -> None:
                """Say nothing about clients that go away."""

        try:
            self._server = Server((host, port), Handler)
        except OSError as error:
            raise OSError(f"cannot serve metrics at {address}: {error.strerror or error}") from None
        shown = f"[{host}]" if ":" in host else host
        #: Where the metrics are.
        self.url = f"http://{shown}:{self._server.server_port}/metrics"
        self._thread = threading.Thread(
            target=self._server.serve_forever, name="metrics", daemon=True
        )
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def serve_metrics(learner: Learner, address: str, report: Report) -> MetricsServer:
    """Serve metrics and report where they are."""
    server = MetricsServer(learner, address)
    report(Event("metrics", f"metrics are at {server.url}", "info", {"url": server.url}))
    return server
