"""A server that plays frames to the page: `python -m tests.serve.page.player` for a look by hand.

It serves the bundle of `make page` with the headers of the real server, and the events that a test
puts into it. It can be stopped and started again on its port.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import riparian
from tests.serve.page import frames

DIST = Path(riparian.__file__).parent / "serve" / "page" / "dist"
TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript", ".css": "text/css"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class Player:
    """Keeps every event that was sent; a page that connects gets the last frame at once."""

    def __init__(self, port: int = 0) -> None:
        self.events: list[tuple[str, Any]] = []
        self.last_ids: list[str | None] = []  # of each connection, as the browser sent it
        self.changed = threading.Condition()
        self.port = port
        self.server: ThreadingHTTPServer | None = None
        self.start()
        self.address = f"http://127.0.0.1:{self.port}/"

    def start(self) -> None:
        server = ThreadingHTTPServer(("127.0.0.1", self.port), handler(self))
        server.daemon_threads = True
        self.server, self.port = server, server.server_port
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self) -> None:
        """Close the port and every open stream."""
        server, self.server = self.server, None
        if server is not None:
            server.shutdown()
            server.server_close()
        with self.changed:
            self.changed.notify_all()

    def send(self, data: Any, kind: str = "frame") -> None:
        with self.changed:
            self.events.append((kind, data))
            self.changed.notify_all()

    def last_frame(self) -> int | None:
        """The position of the last frame."""
        numbers = range(len(self.events) - 1, -1, -1)
        return next((i for i in numbers if self.events[i][0] == "frame"), None)


def handler(player: Player) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self.path.split("?")[0]
            if path == "/v1/events":
                return self.stream()
            if path == "/v1/frame":
                place = player.last_frame()
                data = b"null" if place is None else json.dumps(player.events[place][1]).encode()
                return self.reply(200, "application/json", data)
            file = DIST / ("index.html" if path == "/" else path.removeprefix("/static/"))
            if not file.is_file() or file.parent != DIST:
                return self.reply(404, "text/plain", b"not found")
            return self.reply(200, TYPES.get(file.suffix, "text/plain"), file.read_bytes())

        def reply(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Security-Policy", POLICY)
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(body)

        def stream(self) -> None:
            server = player.server
            last = self.headers.get("Last-Event-ID")
            player.last_ids.append(last)
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Cache-Control", "no-store")
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            place = int(last) + 1 if last is not None else (player.last_frame() or 0)
            while True:
                with player.changed:
                    while len(player.events) <= place and player.server is server:
                        player.changed.wait()
                    if player.server is not server:
                        return
                    kind, data = player.events[place]
                try:
                    text = f"retry: 300\nid: {place}\nevent: {kind}\ndata: {json.dumps(data)}\n\n"
                    self.wfile.write(text.encode())
                    self.wfile.flush()
                except OSError:
                    return
                place += 1

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


def play(make: Callable[[int], Any] = frames.tree) -> None:
    """One frame per second, and a split at the thirtieth, until interrupted."""
    player = Player()
    print(player.address)
    for step in range(10**6):
        if step % 60 == 30:
            event, _ = frames.after_split(step)
            player.send(event, "split")
        player.send(frames.after_split(step)[1] if step % 60 >= 30 else make(step % 60))
        time.sleep(1)


if __name__ == "__main__":
    play()
