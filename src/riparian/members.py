"""The trees of a forest as a table: how large each is, what its vote counts, how it fares."""

from __future__ import annotations

from typing import Any

from riparian.forests import Ensemble
from riparian.wording import label_text, share_text

__all__ = ["has_members", "leading_member", "member_columns"]


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


def vote_shares(model: Ensemble[Any]) -> list[float]:
    """What part of all votes each member has; 0 for one that does not vote."""
    voters = dict(model._voters())
    total = sum(voters.values()) or 1.0
    return [voters.get(m.member, 0.0) / total for m in model.members()]


def leading_member(model: Any) -> int:
    """The member whose vote counts most; of pairs, the largest tree."""
    counts = [m.leaves for m in model.members()] if hasattr(model, "pairs_") else vote_shares(model)
    return max(range(len(counts)), key=counts.__getitem__)
