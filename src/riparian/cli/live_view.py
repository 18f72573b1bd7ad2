"""What ``riparian learn`` is doing, on a terminal: a few lines that are drawn again and again."""

from __future__ import annotations

import contextlib
import time
from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from riparian.data.formatting import bytes_text, label_text, plural
from riparian.evidence.certificates import BY
from riparian.sources.new_splits import NewSplits

if TYPE_CHECKING:
    from rich.table import Table

    from riparian.sources.learner import Learner

__all__ = ["LiveView", "shown_live"]

#: The speed is that of the last seconds.
_SPEED_SECONDS = 10.0


class LiveView:
    """The state of a learner as a table: speed, lag, accuracy, size, last splits, checkpoint.

    Parameters
    ----------
    learner : Learner
        It is read in the thread that draws.
    n_splits : int
        Number of latest splits to show.
    """

    def __init__(self, learner: Learner, n_splits: int) -> None:
        self._learner = learner
        self._splits = NewSplits(learner.model, n_splits)
        self._rows: deque[tuple[float, int]] = deque([(time.monotonic(), learner.rows)])

    def table(self) -> Table:
        """Return what to draw now."""
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 2))
        table.add_column(style="bold", no_wrap=True)
        table.add_column(overflow="ellipsis", no_wrap=True)
        for name, text in self.lines():
            table.add_row(name, Text(text))
        return table

    def lines(self) -> Iterator[tuple[str, str]]:
        """Give the lines, each with its name."""
        status = self._learner.status
        yield "source", self._source()
        yield "rows", f"{self._learner.rows:,}  {self._speed():,.0f} rows/s  {self._lag()}"
        yield from self._model()
        yield "checkpoint", self._checkpoint()
        join = self._learner.join
        if join is not None:
            counts = {name: status.counters[name] for name in ("expired", "duplicate", "orphan")}
            others = ", ".join(f"{n:,} {name}" for name, n in counts.items())
            yield "labels", f"{plural(join.n_pending, 'row waits', 'rows wait')}; {others}"
        bad = {"refused": status.counters["rejected"], "lost": status.counters["lost"]}
        if any(bad.values()):
            yield "messages", ", ".join(f"{n:,} {name}" for name, n in bad.items() if n)
        for i, split in enumerate(self._splits.last):
            reason = f"row {split.seen:,}, by {BY[split.reason]}"
            yield "" if i else "last splits", f"{label_text(split.cut)}  ({reason})"

    def _source(self) -> str:
        texts = []
        for feed in self._learner.feeds:
            state = "" if feed.ready else " (opening)" if feed.up else " (cannot be reached)"
            texts.append(label_text(feed.source.name) + state)
        return " and ".join(texts)

    def _speed(self) -> float:
        now = time.monotonic()
        self._rows.append((now, self._learner.rows))
        while len(self._rows) > 2 and now - self._rows[0][0] > _SPEED_SECONDS:
            self._rows.popleft()
        (since, before), (_, rows) = self._rows[0], self._rows[-1]
        return (rows - before) / max(now - since, 1e-9)

    def _lag(self) -> str:
        lags = [lag for feed in self._learner.feeds for lag in list(feed.lag.values())]
        messages = [lag.messages for lag in lags if lag.messages is not None]
        seconds = max((lag.seconds for lag in lags if lag.seconds is not None), default=None)
        if not messages:
            return "lag unknown"
        text = f"lag {plural(sum(messages), 'message')}"
        return text if seconds is None else f"{text}, {seconds:,.1f} s"

    def _model(self) -> Iterator[tuple[str, str]]:
        model, result = self._learner.model, self._learner.result
        if result.n:
            recent = f"{result.sliding:.4f} of the last {result.sliding_rows:,}"
            yield "accuracy", f"{result.accuracy:.4f}, {recent}"
        name = type(model).__name__
        if hasattr(model, "classes_"):
            leaves = plural(model.n_leaves_, "leaf", "leaves")
            yield "model", f"{name}  {leaves}, {bytes_text(float(model.memory_bytes_))}"
        else:
            yield "model", f"{name}, which has learned nothing"

    def _checkpoint(self) -> str:
        status = self._learner.status
        if not status.generation:
            return "none yet"
        age = max(0.0, time.time() - status.committed_at)
        text = f"generation {status.generation}, {age:,.0f} s ago, {bytes_text(float(status.size))}"
        if status.failed_checkpoints:
            text += f", {status.failed_checkpoints:,} failed"
        return text


@contextlib.contextmanager
def shown_live(learner: Learner, n_splits: int) -> Iterator[None]:
    """Draw the state of a learner on standard error, twice a second, until it ends."""
    from rich.console import Console
    from rich.live import Live

    console = Console(stderr=True, highlight=False, markup=False, emoji=False)
    view = LiveView(learner, n_splits)
    live: Any = Live(
        get_renderable=view.table, console=console, refresh_per_second=2, transient=True
    )
    with live:
        # A second Ctrl-C ends the program at once: the cursor must not stay hidden.
        console.show_cursor(True)
        yield
