"""A server whose process also learns the model."""

from __future__ import annotations

import time
from typing import Self

from riparian.serve.open_server import open_server
from riparian.serve.options import ServeOptions
from riparian.serve.serving import Served as Model
from riparian.serve.serving import Serving
from riparian.serve.watch import Watch
from riparian.sources.checkpoint import Checkpoint
from riparian.sources.dead_letters import Sink
from riparian.sources.events import Report
from riparian.sources.job import Job, open_learner
from riparian.sources.journal_source import JournalSource
from riparian.sources.pace import Pace
from riparian.sources.settings import Settings

__all__ = ["Served"]

#: Seconds after a request in which the next one is expected.
_RECENT = 0.05


class Served:
    """A learner, and a server of its model in another thread.

    Parameters
    ----------
    job, checkpoint, settings, report, sink
        As for `open_learner`.
    options : ServeOptions
        How the model is served.
    """

    def __init__(
        self,
        job: Job,
        checkpoint: Checkpoint,
        settings: Settings,
        options: ServeOptions,
        report: Report,
        sink: Sink | None = None,
    ) -> None:
        serving = Serving(options.name, Model(job.model, 0), limits=options.limits)
        watch = Watch(serving)
        self.report = watch.reporting(report)
        self.learner = open_learner(job, checkpoint, settings, self.report, sink)
        serving.learner = self.learner
        serving.folder = checkpoint.folder
        serving.durable = options.remember == "durable"
        if isinstance(job.source, JournalSource):
            serving.journal = job.source.journal
        traffic = serving.traffic
        pace = Pace(lambda: bool(traffic.in_flight) or time.perf_counter() < traffic.last + _RECENT)
        self.learner.look_on(watch.look, pace)
        watch.publish(self.learner)
        self.serving = serving
        self._server = open_server(serving, options, self.report)
        checkpoint.publish_address(self._server.url)

    @property
    def url(self) -> str:
        """Where the server is."""
        return self._server.url

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._server.close()
        if self.serving.journal is not None:
            self.serving.journal.close()
