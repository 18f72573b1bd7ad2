"""What a server serves: one model under one name, and what is known about it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from riparian.serve.frames import Frames
from riparian.serve.guard import Guard, Open
from riparian.serve.limits import Limits
from riparian.serve.patience import Patience
from riparian.serve.traffic import Traffic
from riparian.sources.journal import Journal
from riparian.sources.post import Full, Post

if TYPE_CHECKING:
    from riparian.sources.learner import Learner

__all__ = ["Served", "Serving"]


@dataclass(frozen=True, slots=True)
class Served:
    """A model and the number of its checkpoint. A swap replaces the whole object."""

    model: Any
    generation: int


@dataclass
class Serving:
    """One model, served under a name.

    Parameters
    ----------
    name : str
        The name of the model.
    served : Served
        The model. A request reads this reference once.
    learner : Learner or None
        Learns the model in this process; None if the model only predicts.
    limits : Limits
    guard : Guard
        Who may use which route.
    """

    name: str
    served: Served
    learner: Learner | None = None
    #: Takes what is posted to be learned; None if nothing may be.
    journal: Journal | None = None
    #: The folder of the checkpoint; None for a model file.
    folder: Path | None = None
    #: Of a follower: tells the address of the server that learns, if it is known.
    writer: Callable[[], str | None] | None = None
    #: Whether clients come by HTTPS.
    secure: bool = False
    #: Whether a remembered row is durable before it is answered.
    durable: bool = True
    limits: Limits = field(default_factory=Limits)
    guard: Guard = field(default_factory=Open)
    traffic: Traffic = field(default_factory=Traffic)
    frames: Frames = field(default_factory=Frames)
    patience: Patience = field(default_factory=Patience)
    #: What has ended the learner or the journal; None while all is well.
    fault: str | None = None
    #: When the generation that a follower serves was written.
    written_at: float | None = None
    #: The metrics, once they were asked for.
    registry: Any = None
    #: The model of the last request, ready to predict (model_of.py).
    prepared: Any = None

    def send(self, journal: Journal, post: Post) -> None:
        """Post without waiting; what is refused is counted."""
        try:
            journal.post(post).add_done_callback(self._sent)
        except (Full, OSError):
            self.traffic.forgotten += 1

    def _sent(self, done: Future[Any]) -> None:
        if done.exception() is not None:
            self.traffic.forgotten += 1

    @property
    def current(self) -> Served:
        """The model that answers now."""
        if self.learner is not None:
            return Served(self.learner.model, self.learner.status.generation)
        return self.served
