"""How far an evaluation has come, on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from riparian.results import Result

__all__ = ["Passes", "Progress"]

# On a terminal the bar changes often enough to look alive; in a log file a line is rare.
_REFRESH_SECONDS = 0.1
_LINE_SECONDS = 5.0


class Progress:
    """A live bar on a terminal; elsewhere, if wanted, a line every few seconds.

    Parameters
    ----------
    stream : stream
        What is read; its `n_rows` or `n_bytes` say how long it will take.
    result : Result
        The figures to show.
    rows : int, optional
        Where the reading stops, if before the stream's end.
    lines : bool, default=True
        Whether to write lines where standard error is no terminal.
    """

    def __init__(
        self, stream: Any, result: Result, *, rows: int | None = None, lines: bool = True
    ) -> None:
        self._stream = stream
        self._result = result
        known = [n for n in (rows, getattr(stream, "n_rows", None)) if n is not None]
        self._rows = min(known, default=None)
        self._terminal = sys.stderr.isatty()
        self._lines = lines
        self._bar: Bar | None = None
        self._next = time.monotonic() + (0.0 if self._terminal else _LINE_SECONDS)

    def __enter__(self) -> Self:
        if self._terminal:
            self._bar = _bar()
            self._bar.start()
            self._task = self._bar.add_task("", total=None, figures="reading")
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def update(self, model: Any) -> None:
        """Show the figures, unless they were shown a moment ago."""
        now = time.monotonic()
        if now < self._next:
            return
        if self._bar is not None:
            self._next = now + _REFRESH_SECONDS
            done, total = self._position()
            self._bar.update(self._task, completed=done, total=total, figures=self._figures(model))
        elif self._lines:
            self._next = now + _LINE_SECONDS
            done, total = self._position()
            share = f"{done / total:4.0%}  " if total else ""
            print(f"riparian: {share}{self._figures(model)}", file=sys.stderr, flush=True)

    def _position(self) -> tuple[int, int | None]:
        if self._rows is not None:
            return self._result.n, self._rows
        size = getattr(self._stream, "n_bytes", None)
        return (self._stream.bytes_read if size else self._result.n), size

    def _figures(self, model: Any) -> str:
        result = self._result
        leaves = getattr(model, "n_leaves_", None)
        return "  ".join(
            [
                f"{result.n:,} rows",
                f"{result.rate:,.0f} rows/s",
                f"accuracy {result.accuracy:.4f}",
                f"last {result.recent:.4f}",
                *([] if leaves is None else [f"{leaves:,} {'leaf' if leaves == 1 else 'leaves'}"]),
            ]
        )


class Passes:
    """The numbers of passes over data, shown while they run.

    Parameters
    ----------
    n : int
        How many passes.
    wanted : bool, optional
        Whether to show them: a bar on a terminal, else a line every few seconds. By default
        only on a terminal.
    """

    def __init__(self, n: int, wanted: bool | None) -> None:
        self._n = n
        self._terminal = sys.stderr.isatty()
        self._shown = self._terminal if wanted is None else wanted
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        if self._shown and self._terminal:
            self._bar = _bar()
            self._bar.start()
            self._task = self._bar.add_task("", total=self._n, figures=f"{self._n:,} passes")
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __iter__(self) -> Iterator[int]:
        due = time.monotonic() + _LINE_SECONDS
        for done in range(self._n):
            yield done
            text = f"pass {done + 1:,} of {self._n:,}"
            if self._bar is not None:
                self._bar.update(self._task, completed=done + 1, figures=text)
            elif self._shown and time.monotonic() >= due:
                due = time.monotonic() + _LINE_SECONDS
                print(f"riparian: {(done + 1) / self._n:4.0%}  {text}", file=sys.stderr, flush=True)


def _bar() -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    return Bar(
        TextColumn("{task.fields[figures]}", markup=False),
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        TimeRemainingColumn(compact=True),
        console=Console(stderr=True),
        transient=True,
    )
