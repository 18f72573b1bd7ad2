"""How ``riparian learn`` runs: signals, the exit status, the log, metrics and the last report."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import typer

from riparian.cli.messages import print_json
from riparian.sources.checkpoint import Checkpoint
from riparian.sources.dead_letters import Sink
from riparian.sources.events import Event, Report
from riparian.sources.job import Job, Team, open_learner
from riparian.sources.lock import FencedError
from riparian.sources.metrics_server import serve_metrics
from riparian.sources.refused import BadMessagesError
from riparian.sources.source import GapError, IdentityError

if TYPE_CHECKING:
    from riparian.serve.options import ServeOptions
    from riparian.sources.learner import Learner
    from riparian.sources.settings import Settings

__all__ = ["Running", "run_learner"]

#: Exit status after lost messages, and for a second learner on one checkpoint.
_GAP, _FENCED = 3, 4


@dataclass(frozen=True)
class Running:
    """What the operator sees of a learner.

    Parameters
    ----------
    report : callable
        Writes the log.
    metrics : str or None
        Where metrics are served.
    grace : float
        Seconds that a signal may take.
    as_json : bool
        Whether the last report is printed as JSON.
    n_splits : int
        Number of latest splits to show.
    live : bool
        Whether the state is shown on a terminal meanwhile.
    serve : ServeOptions, default=None
        How the model is served meanwhile.
    """

    report: Report
    metrics: str | None
    grace: float
    as_json: bool
    n_splits: int
    live: bool
    serve: ServeOptions | None = None


def run_learner(
    job: Job | Callable[[Checkpoint], Job],
    folder: str,
    keep: str,
    settings: Settings,
    running: Running,
    sink: Sink | None,
    team: Team | None = None,
) -> None:
    """Run a job, or the one that is found in the checkpoint, until it ends."""
    status = _status_of(job, folder, keep, settings, running, sink, team)
    if running.serve is not None:
        from riparian.cli.serve_run import leave

        leave(status)
    if status:
        raise typer.Exit(status)


def _status_of(
    job: Job | Callable[[Checkpoint], Job],
    folder: str,
    keep: str,
    settings: Settings,
    running: Running,
    sink: Sink | None,
    team: Team | None,
) -> int:
    """Run a job until it ends; return the status of the process."""
    import sqlite3

    try:
        with Checkpoint(folder, keep=keep) as checkpoint:
            job = job if isinstance(job, Job) else job(checkpoint)
            if not job.source.replayable:
                text = (
                    f"{job.source.name} cannot be read again: a crash loses what the last "
                    "checkpoint does not have; use --journal"
                )
                running.report(Event("not_replayable", text, "warning"))
            if running.serve is not None:
                learner, reason = _run_served(job, checkpoint, settings, running, sink)
            else:
                learner = open_learner(job, checkpoint, settings, running.report, sink, team)
                reason = _run(learner, running)
            _report_end(learner, checkpoint, reason, running)
            _print_report(job, learner, running)
    except GapError as error:
        text = f"messages are lost: {error}; --on-gap skip goes on behind them"
        running.report(Event("gap", text, "error", {"partition": error.partition}))
        return _GAP
    except FencedError as error:
        running.report(Event("fenced", str(error), "error"))
        return _FENCED
    except (BadMessagesError, IdentityError, LookupError, sqlite3.Error) as error:
        name = "breaker" if isinstance(error, BadMessagesError) else "error"
        running.report(Event(name, str(error), "error"))
        return 1
    return 0


def _run_served(
    job: Job, checkpoint: Checkpoint, settings: Settings, running: Running, sink: Sink | None
) -> tuple[Learner, str]:
    """Run a learner whose model is served meanwhile."""
    from riparian.cli.serve_run import reload_tokens
    from riparian.serve.learning import Served

    assert running.serve is not None
    with Served(job, checkpoint, settings, running.serve, running.report, sink) as served:
        reload_tokens(served.serving, running.report)
        return served.learner, _run(served.learner, replace(running, report=served.report))


def _run(learner: Learner, running: Running) -> str:
    with contextlib.ExitStack() as stack:
        if running.metrics is not None:
            stack.enter_context(serve_metrics(learner, running.metrics, running.report))
        if running.live and sys.stderr.isatty():
            from riparian.cli.live_view import shown_live

            stack.enter_context(shown_live(learner, running.n_splits))
        stack.enter_context(_stopped_by_signals(learner, running))
        stack.enter_context(warnings.catch_warnings())
        warnings.showwarning = lambda message, *_: running.report(
            Event("warning", str(message), "warning")
        )
        return learner.run()


@contextlib.contextmanager
def _stopped_by_signals(learner: Learner, running: Running) -> Iterator[None]:
    """Let SIGTERM and SIGINT end the learner; a second SIGINT ends the program."""
    asked: list[int] = []

    def give_up() -> None:
        text = (
            f"the learner did not end within {running.grace:g} seconds; generation "
            f"{learner.status.generation} stays, and the next start goes on there"
        )
        running.report(Event("grace", text, "error"))
        os._exit(1)

    timer = threading.Timer(running.grace, give_up)
    timer.daemon = True

    def handle(number: int, frame: Any) -> None:
        asked.append(number)
        if asked.count(signal.SIGINT) > 1:
            os._exit(128 + signal.SIGINT)
        learner.stop()
        if len(asked) == 1:
            timer.start()

    before = {
        number: signal.signal(number, handle)
        for number in (signal.SIGINT, signal.SIGTERM)
        if signal.getsignal(number) != signal.SIG_IGN
    }
    try:
        yield
    finally:
        timer.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)


def _report_end(learner: Learner, checkpoint: Checkpoint, reason: str, running: Running) -> None:
    status = learner.status
    counted = ", ".join(f"{n:,} {name}" for name, n in status.counters.items() if n)
    text = f"generation {status.generation} in {checkpoint.folder}: {counted or 'no messages'}"
    fields = {"reason": reason, "generation": status.generation, "counters": status.counters}
    running.report(Event("stop", text, "info", fields))


def _print_report(job: Job, learner: Learner, running: Running) -> None:
    if not learner.result.n:
        return
    shown = (job.source.name, learner.model, learner.result)
    if running.as_json:
        from riparian.show.as_json import run_dict

        found = run_dict(*shown, n_splits=running.n_splits, interrupted=False)
        print_json({**found, "counters": learner.status.counters})
    elif sys.stdout.isatty():
        from riparian.show.summary import console, print_run

        print_run(console(), *shown, n_splits=running.n_splits, interrupted=False)
