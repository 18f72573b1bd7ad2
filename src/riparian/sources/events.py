"""What a learner reports to its operator: a name for machines, and a sentence for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

__all__ = ["Event", "Level", "Report"]

#: Events of level debug are for logs only.
Level: TypeAlias = Literal["debug", "info", "warning", "error"]


@dataclass(frozen=True)
class Event:
    """Something that happened. It holds no secret: names of sources are without passwords.

    Parameters
    ----------
    name : str
        What happened, for example "gap"; docs/learning.md lists the names.
    text : str
        A sentence about it.
    level : {'debug', 'info', 'warning', 'error'}
        How much it matters.
    fields : mapping
        The figures, as JSON.
    """

    name: str
    text: str
    level: Level = "info"
    fields: Mapping[str, Any] = field(default_factory=dict)


#: Called with each event, in the thread that learns.
Report: TypeAlias = Callable[[Event], None]
