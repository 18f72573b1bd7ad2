"""How far the laboratory has come, on standard error."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = ["Waiting"]

_PATIENCE_SECONDS = 2.0  # what takes less needs no bar
_LINE_SECONDS = 10.0


class Waiting:
    """A bar on a terminal once it takes over two seconds; elsewhere a line now and then.

    Parameters
    ----------
    n_methods : int
        How many methods there are.
    """

    def __init__(self, n_methods: int) -> None:
        self._n_methods = n_methods
        self._finished = 0
        self._bar: Progress | None = None
        self._terminal = sys.stderr.isatty()
        self._next = time.monotonic() + (_PATIENCE_SECONDS if self._terminal else _LINE_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, name: str, done: int, total: int) -> None:
        """Show a method's repetitions."""
        share = (self._finished + done / total) / self._n_methods
        if done == total:
            self._finished += 1
        now = time.monotonic()
        if now < self._next:
            return
        if not self._terminal:
            self._next = now + _LINE_SECONDS
            print(f"riparian: {share:4.0%}  {name}", file=sys.stderr, flush=True)
            return
        if self._bar is None:
            self._bar = _bar()
            self._bar.start()
            self._task = self._bar.add_task("", total=1.0, method=name)
        self._bar.update(self._task, completed=share, method=name)


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn
    from rich.progress import TimeElapsedColumn as Elapsed

    return Progress(
        TextColumn("{task.fields[method]}", markup=False),
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        Elapsed(),
        console=Console(stderr=True),
        transient=True,
    )
