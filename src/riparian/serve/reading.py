"""Servers that only answer: the model of a file, or the newest of a folder that another writes."""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from riparian.errors import ModelFileError
from riparian.evaluate.results import Result
from riparian.serve.picture import Picture
from riparian.serve.serving import Served, Serving
from riparian.sources.checkpoint import Generation, load, read_generations
from riparian.sources.events import Event, Report

__all__ = ["Following", "show_once", "writer_of"]

#: Seconds between two looks at the folder.
_EVERY = 0.5


def show_once(serving: Serving) -> None:
    """Make the one frame of a model that does not change."""
    Picture(serving.name, serving.frames).publish(serving.served.model, serving.served.generation)


def newest(folder: Path) -> Generation | None:
    """Return the newest generation of a folder, which another process may be writing to."""
    path = (folder / "state.db").absolute()
    if not path.exists():
        return None
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=10.0)) as db:
        found = read_generations(db)
    return found[0] if found else None


def writer_of(folder: Path) -> str | None:
    """Return the address of the server that writes to a folder, as far as it is known."""
    try:
        text = (folder / "lock").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return None
    address = text.strip().rpartition(", ")[2]
    return address if address.startswith("http") else None


class Following:
    """Serves each new generation of a folder.

    Parameters
    ----------
    folder : str
        The folder of a checkpoint.
    serving : Serving
        What is served. Its model is replaced by each new generation.
    report : callable
        Called with each event.
    """

    def __init__(self, folder: str, serving: Serving, report: Report) -> None:
        self._folder = Path(folder)
        self._serving = serving
        self._report = report
        self._picture = Picture(serving.name, serving.frames)
        self._stopped = threading.Event()
        self._generation: Generation | None = None
        self._result: Any = None
        self._thread = threading.Thread(target=self._run, name="follow", daemon=True)

    def start(self) -> None:
        """Load the newest generation, and follow the folder in a thread."""
        self._look()
        if self._generation is None:
            raise ValueError(f"{self._folder} has no generation yet")
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(_EVERY):
            try:
                self._look()
            except (OSError, sqlite3.Error, ModelFileError) as error:
                # The writer may have removed the file meanwhile; the next look finds the next one.
                self._report(Event("retry", f"{self._folder}: {error}", "warning"))

    def _look(self) -> None:
        found = newest(self._folder)
        if found is None:
            return
        before = self._generation
        if before is None or found.number != before.number:
            model = load(self._folder, found)
            self._generation, self._result = found, Result.from_bytes(found.result)
            self._serving.served = Served(model, found.number)
            self._serving.written_at = found.written_at
            data = {"generation": found.number, "rows": found.rows}
            self._serving.frames.event("checkpoint", data)
            text = f"generation {found.number} is served: {found.rows:,} rows"
            self._report(Event("loaded", text, "debug", data))
        elif not self._picture.due:
            return
        served = self._serving.served
        age = time.time() - found.written_at
        self._picture.publish(
            served.model, found.number, result=self._result, stream={"checkpoint_age": age}
        )
