"""The handle of a learner that runs in a thread of its own."""

from __future__ import annotations

import threading
from typing import Any, Protocol

from riparian.evaluate.results import Result
from riparian.models.base import StreamClassifier
from riparian.sources.checkpoint import Checkpoint
from riparian.sources.metrics_server import MetricsServer
from riparian.sources.status import Status

__all__ = ["Learning", "Running"]


class Running(Protocol):
    """What a thread runs: the learner of a source, or of rows in memory."""

    model: StreamClassifier[Any]
    result: Result
    status: Status

    @property
    def rows(self) -> int: ...

    def run(self) -> Any: ...

    def stop(self) -> None: ...


class Learning:
    """A learner that runs in a thread of its own.

    Attributes
    ----------
    model : StreamClassifier
        The model. Any thread may predict with it while it learns.
    result : Result
        The evaluation of all rows so far: each was predicted before it was learned.
    """

    def __init__(
        self,
        learner: Running,
        checkpoint: Checkpoint | None = None,
        metrics: MetricsServer | None = None,
    ) -> None:
        self._learner = learner
        self._checkpoint = checkpoint
        self._metrics = metrics
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="riparian-learn", daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        state = "learning" if self.running else "ended"
        where = "" if self._checkpoint is None else f"{self._checkpoint.folder}, "
        return f"Learning({where}{self._learner.rows:,} rows, {state})"

    def _run(self) -> None:
        try:
            self._learner.run()
        except BaseException as error:
            self._error = error
        finally:
            if self._metrics is not None:
                self._metrics.close()
            if self._checkpoint is not None:
                self._checkpoint.close()

    @property
    def model(self) -> StreamClassifier[Any]:
        return self._learner.model

    @property
    def result(self) -> Result:
        return self._learner.result

    @property
    def running(self) -> bool:
        """Whether the learner has not ended yet."""
        return self._thread.is_alive()

    @property
    def counters(self) -> dict[str, int]:
        """Messages that were read, learned, rejected, lost and so on since the first row."""
        return dict(self._learner.status.counters)

    def stop(self) -> None:
        """Ask the learner to finish its chunk, write a checkpoint and end."""
        self._learner.stop()

    def join(self, timeout: float | None = None) -> Result:
        """Wait for the end.

        Parameters
        ----------
        timeout : float, default=None
            The longest time to wait, in seconds.

        Returns
        -------
        Result
            The evaluation.

        Raises
        ------
        TimeoutError
            If the learner still runs.
        Exception
            The error that ended the learner, if one did.
        """
        self._thread.join(timeout)
        if self._thread.is_alive():
            raise TimeoutError(f"the learner still runs after {timeout} seconds")
        if self._error is not None:
            raise self._error
        return self.result
