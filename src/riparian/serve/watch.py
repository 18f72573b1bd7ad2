"""What the page sees of a learner: frames between its blocks, and its events."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from riparian.serve.picture import Picture
from riparian.serve.serving import Serving
from riparian.sources.events import Event, Report
from riparian.sources.learner import Learner

__all__ = ["Watch"]

#: The speed is that of the last seconds.
_SPEED_SECONDS = 10.0
_LAST_DEAD = 5


class Watch:
    """Makes frames in the learner's thread.

    Parameters
    ----------
    serving : Serving
        What is served.
    """

    def __init__(self, serving: Serving) -> None:
        self._serving = serving
        self.picture = Picture(serving.name, serving.frames)
        self._rows: deque[tuple[float, int]] = deque()
        self._dead: deque[dict[str, Any]] = deque(maxlen=_LAST_DEAD)

    def look(self, learner: Learner) -> None:
        """Publish a frame if it is time for one."""
        if self.picture.due:
            self.publish(learner)

    def publish(self, learner: Learner) -> None:
        """Publish a frame."""
        self.picture.publish(
            learner.model,
            learner.status.generation,
            result=learner.result,
            learning=True,
            labels=self._labels(learner),
            stream=self._stream(learner),
            features=learner.feature_figures,
        )

    def reporting(self, report: Report) -> Report:
        """Return a function that also tells pages what is reported."""

        def also(event: Event) -> None:
            report(event)
            fields = event.fields
            if event.name == "checkpoint":
                data = {"generation": fields["generation"], "rows": fields["rows"]}
                self._serving.frames.event("checkpoint", data)
            elif event.name == "replaced":
                self.picture.replaced(fields["reason"], event.text)
            elif event.name == "dead_letter":
                at = f"{fields['partition']}, message {fields['place']}"
                letter = {"reason": event.text, "at": at}
                self._dead.append(letter)
                self._serving.frames.event("dead", letter)

        return also

    def _labels(self, learner: Learner) -> dict[str, Any] | None:
        join = learner.join
        if join is None:
            return None
        n, seconds = join.delay
        return {"pending": join.n_pending, "delay_seconds": seconds / n if n else None}

    def _stream(self, learner: Learner) -> dict[str, Any]:
        status = learner.status
        lags = [lag for feed in learner.feeds for lag in list(feed.lag.values())]
        messages = [lag.messages for lag in lags if lag.messages is not None]
        age = time.time() - status.committed_at if status.committed_at else None
        return {
            "rows_per_second": self._speed(learner),
            "lag": sum(messages) if messages else None,
            "journal_rows": 0 if self._serving.journal is None else self._serving.journal.rows,
            "dead_letters": status.counters["rejected"],
            "last_dead": list(self._dead),
            "checkpoint_age": age,
            "checkpoint_pause": status.pause if status.checkpoints else None,
            "checkpoints": status.checkpoints,
        }

    def _speed(self, learner: Learner) -> float:
        now = time.monotonic()
        if self._rows and learner.rows < self._rows[-1][1]:
            self._rows.clear()  # rows are learned again
        self._rows.append((now, learner.rows))
        while len(self._rows) > 2 and now - self._rows[0][0] > _SPEED_SECONDS:
            self._rows.popleft()
        (since, before), (_, rows) = self._rows[0], self._rows[-1]
        return (rows - before) / max(now - since, 1e-9) if len(self._rows) > 1 else 0.0
