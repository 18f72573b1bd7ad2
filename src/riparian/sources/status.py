"""What a learner is doing: its counters, and its last checkpoint."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Status"]

#: Everything that is counted for ever, from its beginning.
_COUNTED = ("messages", "learned", "rejected", "gaps", "lost", "expired", "duplicate", "orphan")


@dataclass
class Status:
    """What the learner is doing, for logs and metrics. Times are seconds."""

    counters: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_COUNTED, 0))
    generation: int = 0
    committed_at: float = 0.0
    pause: float = 0.0
    write: float = 0.0
    size: int = 0
    block_seconds: float = 0.0
    failed_checkpoints: int = 0
    checkpoints: int = 0

    def count(self, name: str, n: int) -> None:
        """Add to a counter."""
        self.counters[name] += n
