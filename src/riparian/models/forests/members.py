"""The members of a forest: what each one predicts, its state, and what happened to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from riparian import _core
from riparian.data.formatting import plural, share_text
from riparian.evidence.changes import totals_of

__all__ = [
    "Member",
    "Standing",
    "Vote",
    "change_lines",
    "inner_changes",
    "member_columns",
]


@dataclass(frozen=True)
class Vote:
    """What one member of a forest predicts for an example."""

    member: int
    #: The weight of its vote.
    weight: float
    #: Its most likely class; None before it has learned anything.
    label: Hashable | None
    probabilities: dict[Hashable, float]

    def __str__(self) -> str:
        if self.label is None:
            return f"member {self.member}: has learned nothing yet"
        share = self.probabilities[self.label]
        return f"member {self.member}: {self.label!r} with {share:.3f}, weight {self.weight:.3f}"


@dataclass(frozen=True)
class Member:
    """The state of one member of a forest."""

    member: int
    leaves: int
    depth: int
    #: The weight of its vote.
    weight: float
    #: Its prequential accuracy since it began; None if the forest does not keep it.
    accuracy: float | None
    #: How often a tree began in its background.
    warnings: int
    #: How often it was replaced.
    drifts: int

    def __str__(self) -> str:
        text = f"member {self.member}: {self.leaves:,} leaves, depth {self.depth}, "
        text += f"weight {self.weight:.3f}"
        if self.accuracy is not None:
            text += f", accuracy {self.accuracy:.4f}, replaced {self.drifts:,} times"
        return text


@dataclass(frozen=True)
class Standing:
    """One member as it was at the moment when all of them were read.

    Its tree goes on learning; other members of that moment may have been replaced since.
    """

    tree: _core.Engine
    #: The weight of its vote.
    weight: float
    accuracy: float | None = None
    warnings: int = 0
    drifts: int = 0
    #: The features that the tree sees, if members draw some; None for all of them.
    drawn: list[int] | None = None
    #: The chunk that it learned, if members learn chunks.
    chunk: int | None = None
    #: The codes of its two classes, if members are pairwise.
    pair: tuple[int, int] | None = None
    #: Whether its tree is ``last_member``.
    is_last: bool = False

    def features(self, n: int) -> list[int] | None:
        """Return the first n features of the tree; None if it has got some of them since."""
        if self.drawn is None:
            return list(range(n))
        return self.drawn[:n] if n <= len(self.drawn) else None


def member_columns(members: Sequence[Member], *, replaced: bool) -> dict[str, list[str]]:
    """The members as columns of text; `replaced` adds how often each one was replaced.

    Examples
    --------
    >>> members = [Member(0, 5, 2, 3.0, None, 0, 0), Member(1, 4, 2, 1.0, None, 0, 0)]
    >>> member_columns(members, replaced=False)["of the vote"]
    ['75%', '25%']
    """
    total = sum(m.weight for m in members if m.weight > 0.0) or 1.0
    columns = {
        "member": [f"{m.member:,}" for m in members],
        "leaves": [f"{m.leaves:,}" for m in members],
        "depth": [f"{m.depth:,}" for m in members],
        "weight": [f"{m.weight:.4f}" for m in members],
        "of the vote": [share_text(max(m.weight, 0.0) / total) for m in members],
    }
    accuracies = [m.accuracy for m in members if m.accuracy is not None]
    if members and len(accuracies) == len(members):
        columns["accuracy"] = [f"{accuracy:.4f}" for accuracy in accuracies]
    if replaced:
        columns["replaced"] = [f"{m.drifts:,}" for m in members]
    return columns


def change_lines(
    members: Sequence[Member], columns: Mapping[str, list[str]], axes: Mapping[str, Any]
) -> list[str]:
    """Warnings and replacements: a line for the forest, and one for each member that has some."""
    if axes["drift"] is None:
        return ["No drift detector is set (drift None), so no member is replaced."]
    # Without a warning detector no tree grows in the background.
    kinds = ["replacement"] if axes.get("warning") is None else ["warning", "replacement"]
    counts = [{"warning": m.warnings, "replacement": m.drifts} for m in members]
    lines = [", ".join(plural(sum(of[kind] for of in counts), kind) for kind in kinds)]
    what, names = next(iter(columns.items()))
    for name, of in zip(names, counts, strict=True):
        if any(of.values()):
            lines.append(f"{what} {name}: {', '.join(plural(of[kind], kind) for kind in kinds)}")
    return lines


def inner_changes(trees: Iterable[_core.Engine], adaptation: str) -> str:
    """How often the trees of the members changed themselves."""
    totals = Counter[str]()
    for tree in trees:
        totals.update(totals_of(tree))
    found = ", ".join(f"{n:,} {kind}" for kind, n in totals.items() if n) or "none yet"
    return f"Changes inside the present trees (adaptation {adaptation}): {found}"
