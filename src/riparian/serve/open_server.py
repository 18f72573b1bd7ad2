"""Opens the server of a model by its options."""

from __future__ import annotations

from riparian.serve.options import ServeOptions
from riparian.serve.server import HttpServer, Listening
from riparian.serve.serving import Serving
from riparian.serve.tokens import Tokens
from riparian.sources.events import Event, Report

__all__ = ["open_server"]


def open_server(serving: Serving, options: ServeOptions, report: Report) -> HttpServer:
    """Serve a model and report where it is."""
    listening = Listening(options.address, options.tls_cert, options.tls_key)
    if (options.tls_cert is None) != (options.tls_key is None):
        raise ValueError("a certificate needs its key, and a key its certificate")
    serving.secure = options.tls_cert is not None
    if options.tokens is not None:
        serving.guard = Tokens(options.tokens)
    elif not (listening.local or options.insecure):
        raise ValueError(
            f"other machines can reach {options.address}: name a file of tokens (--tokens), or "
            "say --insecure"
        )
    server = HttpServer(serving, listening)
    text = f"{serving.name} is served at {server.url}"
    report(Event("serving", text, "info", {"url": server.url, "name": serving.name}))
    return server
