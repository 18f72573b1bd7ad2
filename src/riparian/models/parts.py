"""What a model has to show: read at one moment, and the same for terminal, page and notebook."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from riparian.data.schema import Feature
from riparian.evidence.certificates import Certificates, Split
from riparian.evidence.changes import Change
from riparian.evidence.pending import Pending
from riparian.evidence.structure import Structure

__all__ = ["Parts", "parts_of"]


@dataclass(frozen=True, kw_only=True)
class Parts:
    """What a model has to show. Each base class of models fills in what its models have.

    Attributes
    ----------
    examples : int
        Number of examples learned.
    classes : sequence
        The class labels.
    features : sequence of Feature
        The features of the schema.
    memory_bytes : int
        Memory that the model holds.
    sizes : mapping of str to int
        ``"trees"``, ``"leaves"``, ``"active_leaves"``, ``"nodes"`` and ``"depth"``, as far as the
        model has them.
    limited : bool
        Whether `max_bytes` is set.
    left_out : mapping of str to str
        Features that are identifiers, and why.
    tree : Structure or None
        The tree to draw: of a forest, the tree of the member with the largest weight.
    tree_title : str
        Heading of that tree.
    text : tuple of str or None
        Heading and lines of a model whose nodes are not tests of one feature.
    members : sequence or None
        The members of a forest.
    member_columns : mapping of str to list of str
        The members as a table. The first column names the member.
    splits : Certificates of Split or None
        The splits of a tree that records them.
    pending : Certificates of Pending
        What the leaves wait for, while the tree has no split.
    guarantee : str or None
        What follows from the bound.
    changes : Certificates of Change or None
        The changes of a tree that adapts.
    change_counts : mapping of str to int
        How often each kind of change happened.
    former_splits : Certificates of Split or None
        Splits that a tree that adapts no longer has, in the order in which they were made.
    member_changes : sequence of str or None
        What happened to the members of a forest, as lines of text.
    """

    examples: int
    classes: Sequence[Any]
    features: Sequence[Feature]
    memory_bytes: int
    limited: bool = False
    left_out: Mapping[str, str] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    tree: Structure | None = None
    tree_title: str = "The tree"
    text: tuple[str, str] | None = None
    members: Sequence[Any] | None = None
    member_columns: Mapping[str, list[str]] = field(default_factory=dict)
    splits: Certificates[Split] | None = None
    pending: Certificates[Pending] = field(default_factory=Certificates)
    guarantee: str | None = None
    changes: Certificates[Change] | None = None
    change_counts: Mapping[str, int] = field(default_factory=dict)
    former_splits: Certificates[Split] | None = None
    member_changes: Sequence[str] | None = None


def parts_of(model: Any) -> Parts | None:
    """What a model has to show.

    None for a model that has learned nothing, and for a classifier of another library.
    """
    describe = getattr(model, "_parts", None)
    return describe() if describe is not None and model.__sklearn_is_fitted__() else None
