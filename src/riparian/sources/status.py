"""What a learner is doing: its counters, its chunks and its last checkpoint."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Status"]

#: Everything that is counted for ever, from its beginning.
_COUNTED = ("messages", "learned", "rejected", "gaps", "lost", "expired", "duplicate", "orphan")


@dataclass
class Status:
    """What the learner is doing, for logs and metrics. Times are seconds."""

    #: Since the first row of the checkpoint.
    counters: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_COUNTED, 0))
    #: The refused messages of this process, by what refused them.
    refused: dict[str, int] = field(default_factory=dict)
    #: The last generation: its number, when it was written (0 if there is none), and its bytes.
    generation: int = 0
    committed_at: float = 0.0
    size: int = 0
    #: When the oldest change was made that no generation has; None if there is none.
    unsaved_since: float | None = None
    #: The parts of the last checkpoint: the learner's pause, writing the file, the transaction.
    pause: float = 0.0
    write: float = 0.0
    commit: float = 0.0
    checkpoints: int = 0
    failed_checkpoints: int = 0
    #: The chunks of this process, and how long they were learned.
    blocks: int = 0
    block_seconds: float = 0.0

    def refuse(self, kind: str) -> None:
        """Count a message that was refused."""
        self.count("rejected", 1)
        self.refused[kind] = self.refused.get(kind, 0) + 1

    def set_generation(self, number: int, written_at: float, size: int) -> None:
        """Set the last generation."""
        self.generation, self.committed_at, self.size = number, written_at, size

    def count(self, name: str, n: int) -> None:
        """Add to a counter."""
        self.counters[name] += n

    def add_block(self, seconds: float) -> None:
        """Count a chunk that was learned."""
        self.blocks += 1
        self.block_seconds += seconds
