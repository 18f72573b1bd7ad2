"""The trees of a forest as a table: how large each is, what its vote counts, how it fares."""

from __future__ import annotations

from collections import Counter
from typing import Any

from riparian.changes import totals_of
from riparian.export.text import plural
from riparian.forests import Ensemble
from riparian.wording import label_text, share_text

__all__ = ["has_members", "leading_member", "member_changes", "member_columns"]


def has_members(model: Any) -> bool:
    """Whether a model is several trees that answer together."""
    return isinstance(model, Ensemble)


def member_columns(model: Any) -> dict[str, list[str]]:
    """Columns of texts by their heads, a row a tree; the first names the tree.

    Parameters
    ----------
    model : Ensemble
        A model that has learned.

    Examples
    --------
    >>> from riparian import OnlineBagging
    >>> columns = member_columns(OnlineBagging(n_estimators=2).fit([[0.0], [1.0]], [0, 1]))
    >>> columns["member"], columns["of the vote"]
    (['0', '1'], ['50%', '50%'])
    """
    members = model.members()
    pairs = getattr(model, "pairs_", None)
    if pairs is None:
        found = {"member": [f"{m.member:,}" for m in members]}
    else:
        found = {"pair": [" or ".join(map(label_text, pair)) for pair in pairs]}
    found["leaves"] = [f"{m.leaves:,}" for m in members]
    found["depth"] = [f"{m.depth:,}" for m in members]
    if pairs is None:
        found["weight"] = [f"{m.weight:.4f}" for m in members]
        found["of the vote"] = [share_text(share) for share in vote_shares(model)]
    accuracies = [getattr(m, "accuracy", None) for m in members]
    if members and None not in accuracies:
        found["accuracy"] = [f"{accuracy:.4f}" for accuracy in accuracies]
    if hasattr(model, "chunks_"):
        found["chunk"] = [f"{chunk:,}" for chunk in model.chunks_.tolist()] or ["0"]
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
    axes, members = model._learned_with, model.members()
    grown = model._tree_axes(axes)["adaptation"]
    lines = []
    if hasattr(model, "chunks_"):
        lines.append("A member keeps what it learned of its chunk; what its vote counts changes.")
    elif axes["drift"] is None:
        lines.append("Nobody watches the errors of the members (drift None): none is replaced.")
    else:
        # Without a warning no tree grows in the background.
        kinds = ["replacement"] if axes.get("warning") is None else ["warning", "replacement"]
        counts = [{"warning": m.warnings, "replacement": m.drifts} for m in members]
        lines.append(", ".join(plural(sum(of[k] for of in counts), k) for k in kinds))
        what, names = next(iter(member_columns(model).items()))
        for name, of in zip(names, counts, strict=True):
            if any(of.values()):
                lines.append(f"{what} {name}: {', '.join(plural(of[k], k) for k in kinds)}")
    if grown != "none":
        engine, within = model._fitted(), Counter[str]()
        for m in members:
            within.update(totals_of(engine.tree(m.member)))
        told = ", ".join(f"{n:,} {kind}" for kind, n in within.items() if n) or "nothing yet"
        lines.append(f"Within the trees of now (adaptation {grown}): {told}")
    return lines


def vote_shares(model: Ensemble[Any]) -> list[float]:
    """What part of all votes each member has; 0 for one that does not vote."""
    voters = dict(model._voters())
    total = sum(voters.values()) or 1.0
    return [voters.get(m.member, 0.0) / total for m in model.members()]


def leading_member(model: Any) -> int:
    """The member whose vote counts most; of pairs, the largest tree."""
    counts = [m.leaves for m in model.members()] if hasattr(model, "pairs_") else vote_shares(model)
    return max(range(len(counts)), key=counts.__getitem__)
