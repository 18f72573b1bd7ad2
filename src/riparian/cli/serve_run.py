"""How ``riparian serve`` runs until a signal ends it."""

from __future__ import annotations

import os
import signal
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from riparian.serve.open_server import open_server
from riparian.serve.options import ServeOptions
from riparian.serve.reading import Following, show_once, writer_of
from riparian.serve.serving import Served, Serving
from riparian.serve.tokens import Tokens
from riparian.sources.events import Event, Report

__all__ = ["leave", "reload_tokens", "serve_file", "serve_folder"]


def serve_file(path: str, options: ServeOptions, report: Report) -> None:
    """Serve the model of a file."""
    import riparian

    serving = Serving(options.name, Served(riparian.load(path), 0), limits=options.limits)
    show_once(serving)
    server = open_server(serving, options, report)
    reload_tokens(serving, report)
    _until_signal()
    server.close()
    leave()


def serve_folder(folder: str, options: ServeOptions, report: Report) -> None:
    """Serve each new generation of a folder."""
    serving = Serving(options.name, Served(None, 0), limits=options.limits)
    serving.folder = Path(folder)
    serving.writer = partial(writer_of, Path(folder))
    following = Following(folder, serving, report)
    following.start()
    server = open_server(serving, options, report)
    reload_tokens(serving, report)
    _until_signal()
    following.stop()
    server.close()
    leave()


def leave(status: int = 0) -> NoReturn:
    """End the process, in which nothing is left to be written.

    Native threads of the server may still run, and abort if the interpreter ends under them.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def reload_tokens(serving: Serving, report: Report) -> None:
    """Read the tokens again after SIGHUP."""

    def again(number: int, frame: Any) -> None:
        if isinstance(serving.guard, Tokens):
            try:
                serving.guard.reload()
                report(Event("tokens", "the tokens were read again", "info"))
            except (OSError, ValueError) as error:
                report(Event("tokens", f"the tokens stay as they were: {error}", "error"))

    signal.signal(signal.SIGHUP, again)


def _until_signal() -> None:
    """Wait for SIGINT or SIGTERM."""
    ended = threading.Event()

    def end(number: int, frame: Any) -> None:
        ended.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    while not ended.wait(1.0):
        pass
