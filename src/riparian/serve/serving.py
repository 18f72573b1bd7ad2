"""What a server serves: one model under one name, and what is known about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from riparian.serve.frames import Frames
from riparian.serve.guard import Guard, Open
from riparian.serve.limits import Limits
from riparian.serve.traffic import Traffic

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
        Learns the model in this process; None if the model only answers.
    limits : Limits
    guard : Guard
        Who may use which route.
    """

    name: str
    served: Served
    learner: Learner | None = None
    limits: Limits = field(default_factory=Limits)
    guard: Guard = field(default_factory=Open)
    traffic: Traffic = field(default_factory=Traffic)
    frames: Frames = field(default_factory=Frames)
    #: What has ended the learner or the journal; None while all is well.
    fault: str | None = None
    #: When the generation that a follower serves was written.
    written_at: float | None = None
    #: The model of the last request, ready to predict (model_of.py).
    prepared: Any = None

    @property
    def current(self) -> Served:
        """The model that answers now."""
        if self.learner is not None:
            return Served(self.learner.model, self.learner.status.generation)
        return self.served
