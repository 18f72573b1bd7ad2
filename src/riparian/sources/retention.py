"""Which generations of a checkpoint are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from riparian.sources.durations import duration

__all__ = ["Retention"]

_HOUR, _DAY = 3600.0, 86400.0


@dataclass(frozen=True)
class Retention:
    """The last generations; one of each hour, and one of each day, for some time.

    Parameters
    ----------
    last : int
        How many of the last ones are kept, at least two.
    hourly, daily : float
        For how many seconds the last one of each hour, and of each day, is kept.
    """

    last: int = 2
    hourly: float = 0.0
    daily: float = 0.0

    def __post_init__(self) -> None:
        if self.last < 2:
            raise ValueError(f"keep must be at least 2, got {self.last}")

    @classmethod
    def parse(cls, text: str | int) -> Retention:
        """Return what a user writes: a number, or a number and two durations.

        Examples
        --------
        >>> Retention.parse("2,24h,30d")
        Retention(last=2, hourly=86400.0, daily=2592000.0)
        """
        parts = [part.strip() for part in str(text).split(",")]
        if not parts[0].isdecimal() or len(parts) > 3:
            raise ValueError(
                f"keep must be a number of generations, or as in 2,24h,30d, got {text!r}"
            )
        return cls(int(parts[0]), *(duration(part) for part in parts[1:]))

    def gone(self, generations: Sequence[tuple[int, float]], now: float) -> list[int]:
        """Return the numbers of generations that go.

        Parameters
        ----------
        generations : sequence of (int, float)
            Number and time of each, the newest first.
        now : float
            The time.
        """
        kept = {number for number, _ in generations[: self.last]}
        for age, unit in ((self.hourly, _HOUR), (self.daily, _DAY)):
            seen: set[int] = set()
            for number, at in generations:
                if now - at <= age and int(at // unit) not in seen:
                    seen.add(int(at // unit))
                    kept.add(number)
        return [number for number, _ in generations if number not in kept]
