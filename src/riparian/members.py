"""The trees of a forest as a table: how large each is, what its vote counts, how it fares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from riparian.changes import totals_of
from riparian.export.text import plural
from riparian.forests import Ensemble, PairMember
from riparian.forests.ensemble import Member, Standing
from riparian.tree import HoeffdingTree
from riparian.wording import label_text, share_text

__all__ = [
    "has_members",
    "leading_member",
    "member_changes",
    "member_columns",
    "members_and_leader",
]


def has_members(model: Any) -> bool:
    """Whether a model is several trees that predict together."""
    return isinstance(model, Ensemble)


def member_columns(model: Any, members: Sequence[Any] | None = None) -> dict[str, list[str]]:
    """Columns of texts by their heads, a row a tree; the first names the tree.

    Parameters
    ----------
    model : Ensemble
        A model that has learned.
    members : sequence of Member, optional
        Its members at one moment, by default as they are now.

    Examples
    --------
    >>> from riparian import OnlineBagging
    >>> columns = member_columns(OnlineBagging(n_estimators=2).fit([[0.0], [1.0]], [0, 1]))
    >>> columns["member"], columns["of the vote"]
    (['0', '1'], ['50%', '50%'])
    """
    if members is None:
        members = model.members()
    in_pairs = hasattr(type(model), "pairs_")
    if in_pairs:
        found = {"pair": [" or ".join(map(label_text, m.pair)) for m in members]}
    else:
        found = {"member": [f"{m.member:,}" for m in members]}
    found["leaves"] = [f"{m.leaves:,}" for m in members]
    found["depth"] = [f"{m.depth:,}" for m in members]
    if not in_pairs:
        found["weight"] = [f"{m.weight:.4f}" for m in members]
        found["of the vote"] = [share_text(share) for share in vote_shares(members)]
    accuracies = [getattr(m, "accuracy", None) for m in members]
    if members and None not in accuracies:
        found["accuracy"] = [f"{accuracy:.4f}" for accuracy in accuracies]
    if hasattr(type(model), "chunks_"):
        found["chunk"] = [f"{m.chunk:,}" for m in members]
    if model._learned_with.get("drift") is not None:
        found["replaced"] = [f"{m.drifts:,}" for m in members]
    return found


def member_changes(model: Ensemble[Any]) -> list[str]:
    """What became of the members as the stream changed: a line in all, and one for each changed.

    Examples
    --------
    >>> from riparian import AdaptiveRandomForest
    >>> member_changes(AdaptiveRandomForest(n_estimators=2).fit([[0.0], [1.0]], [0, 1]))
    ['0 warnings, 0 replacements']
    """
    axes, standings = model._learned_with, model._standings()
    members = model._members(standings)
    grown = model._tree_axes(axes)["adaptation"].name
    lines = []
    if hasattr(type(model), "chunks_"):
        lines.append("A member keeps what it learned of its chunk; what its vote counts changes.")
    elif axes["drift"] is None:
        lines.append("No detector is set (drift None): no member is replaced.")
    else:
        # Without a warning no tree grows in the background.
        kinds = ["replacement"] if axes.get("warning") is None else ["warning", "replacement"]
        counts = [{"warning": m.warnings, "replacement": m.drifts} for m in members]
        lines.append(", ".join(plural(sum(of[k] for of in counts), k) for k in kinds))
        what, names = next(iter(member_columns(model, members).items()))
        for name, of in zip(names, counts, strict=True):
            if any(of.values()):
                lines.append(f"{what} {name}: {', '.join(plural(of[k], k) for k in kinds)}")
    if grown != "none":
        within = Counter[str]()
        for standing in standings:
            within.update(totals_of(standing.tree))
        told = ", ".join(f"{n:,} {kind}" for kind, n in within.items() if n) or "nothing yet"
        lines.append(f"Within the trees of now (adaptation {grown}): {told}")
    return lines


def vote_shares(members: Sequence[Member]) -> list[float]:
    """What part of all votes each member has; 0 for one that does not vote."""
    total = sum(m.weight for m in members if m.weight > 0.0) or 1.0
    return [max(m.weight, 0.0) / total for m in members]


def leading_member(members: Sequence[Member]) -> int:
    """The member whose vote counts most; of pairs, the largest tree."""
    in_pairs = isinstance(members[0], PairMember)
    counts = [m.leaves for m in members] if in_pairs else [m.weight for m in members]
    return max(range(len(counts)), key=counts.__getitem__)


def members_and_leader(model: Ensemble[Any]) -> tuple[list[Member], int, HoeffdingTree | None]:
    """The members at one moment, which of them counts most, and a copy of its tree.

    There is no such tree while there are no members.
    """
    found: list[Member] = []

    def lead(standings: list[Standing]) -> list[Standing]:
        found[:] = model._members(standings)
        return [standings[leading_member(found)]] if found else []

    copies = model._copies(lead)
    return found, leading_member(found) if found else 0, copies[0][1] if copies else None
