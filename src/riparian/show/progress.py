"""Progress bars on standard error and in notebooks."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from html import escape
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from riparian.evaluate.results import Result

__all__ = ["Passes", "Progress", "ProgressBar"]

# Often enough on a terminal to look alive; rarely in a log file.
_REFRESH_SECONDS = 0.1
_LINE_SECONDS = 5.0


class ProgressBar:
    """A bar on a terminal or in a notebook; elsewhere, one line every few seconds.

    Parameters
    ----------
    text : str, default=""
        What to show before the first update.
    shown : bool, optional
        Whether to show anything. By default, show a bar on a terminal and in a notebook, and no
        lines elsewhere.
    delay : float, default=0.0
        Seconds before the bar appears.
    """

    def __init__(self, text: str = "", *, shown: bool | None = None, delay: float = 0.0) -> None:
        self._text = text
        self._terminal = sys.stderr.isatty()
        self._notebook = None if self._terminal else _notebook()
        self._has_bar = self._terminal or self._notebook is not None
        self._shown = self._has_bar if shown is None else shown
        self._bar: Bar | _NotebookBar | None = None
        self._next = time.monotonic() + (delay if self._has_bar else _LINE_SECONDS)

    def __enter__(self) -> Self:
        if self._has_bar:
            self.update(0, None, self._text)
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    @property
    def is_due(self) -> bool:
        """Whether `update` would show something now."""
        return self._shown and time.monotonic() >= self._next

    def update(self, done: float, total: float | None, text: str) -> None:
        """Show the progress, unless it was shown a moment ago.

        Parameters
        ----------
        done, total : float
            The part that is done, and the whole. None is an unknown total.
        text : str
            What to show next to the bar.
        """
        if not self.is_due:
            return
        if self._has_bar:
            self._next = time.monotonic() + _REFRESH_SECONDS
            if self._bar is None:
                self._bar = _bar() if self._notebook is None else _NotebookBar(self._notebook)
                self._bar.start()
                self._task = self._bar.add_task("", total=total, text=text)
            self._bar.update(self._task, completed=done, total=total, text=text)
        else:
            self._next = time.monotonic() + _LINE_SECONDS
            share = f"{done / total:4.0%}  " if total else ""
            print(f"riparian: {share}{text}", file=sys.stderr, flush=True)


class Progress:
    """The progress of an evaluation: rows, speed, accuracy and leaves.

    Parameters
    ----------
    stream : stream
        The stream that is read. Its `n_rows` or `n_bytes` give the total.
    result : Result
        The figures to show.
    rows : int, optional
        Number of rows after which reading stops.
    lines : bool, default=True
        Whether to print lines if standard error is not a terminal.
    """

    def __init__(
        self, stream: Any, result: Result, *, rows: int | None = None, lines: bool = True
    ) -> None:
        self._stream = stream
        self._result = result
        known = [n for n in (rows, getattr(stream, "n_rows", None)) if n is not None]
        self._rows = min(known, default=None)
        self._bar = ProgressBar("reading", shown=True if lines else None)

    def __enter__(self) -> Self:
        self._bar.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.__exit__(*error)

    def update(self, model: Any) -> None:
        """Show the figures, unless they were shown a moment ago."""
        if self._bar.is_due:
            done, total = self._position()
            self._bar.update(done, total, self._figures(model))

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
    """The numbers of passes over data, with a progress bar.

    Parameters
    ----------
    n : int
        Number of passes.
    shown : bool, optional
        As for `ProgressBar`.
    """

    def __init__(self, n: int, shown: bool | None) -> None:
        self._n = n
        self._bar = ProgressBar(f"{n:,} passes", shown=shown)

    def __enter__(self) -> Self:
        self._bar.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.__exit__(*error)

    def __iter__(self) -> Iterator[int]:
        for done in range(self._n):
            yield done
            self._bar.update(done + 1, self._n, f"pass {done + 1:,} of {self._n:,}")


def _notebook() -> Callable[..., Any] | None:
    """Return the function that displays an object in a notebook; None elsewhere."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    # The shell of a terminal has no kernel.
    if ipython is None or getattr(shell, "kernel", None) is None:
        return None
    display: Callable[..., Any] = ipython.display.display
    return display


class _NotebookBar:
    """A bar of HTML with the methods of rich's, which needs ipywidgets in a notebook."""

    def __init__(self, display: Callable[..., Any]) -> None:
        self._display = display
        self._handle: Any = None

    def start(self) -> None:
        self._handle = self._display(_Html(""), display_id=True)

    def add_task(self, description: str, *, total: float | None, text: str) -> Any:
        return None

    def update(self, task: Any, *, completed: float, total: float | None, text: str) -> None:
        place = f" value='{completed:g}' max='{total:g}'" if total else ""
        share = f"{completed / total:.0%} " if total else ""
        bar = f"<progress{place} style='width: 12em'></progress>"
        self._handle.update(_Html(f"<div>{bar} {share}{escape(text)}</div>"))

    def stop(self) -> None:
        """Remove the bar, as on a terminal."""
        self._handle.update(_Html(""))


class _Html:
    """An object that a notebook displays as HTML."""

    def __init__(self, text: str) -> None:
        self._text = text

    def _repr_html_(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return ""


def _bar() -> Bar:
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    return Bar(
        TextColumn("{task.fields[text]}", markup=False),
        BarColumn(bar_width=20),
        TaskProgressColumn(),
        TimeRemainingColumn(compact=True),
        console=Console(stderr=True),
        transient=True,
    )
