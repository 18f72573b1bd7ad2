"""The changes of a tree that adapts, and their evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from riparian.data.formatting import exact_text
from riparian.evidence.certificates import Certificates, describe_cut

if TYPE_CHECKING:
    from riparian._core import Engine
    from riparian.data.schema import Schema

__all__ = ["Change", "changes_of", "totals_of"]

Cut = tuple[int, int, float, int]


@dataclass(frozen=True)
class Change:
    """One change of a tree that adapts.

    Attributes
    ----------
    seen : int
        Number of examples that the tree had learned.
    kind : str
        ``"replaced"``: an alternate replaced its node; ``"recalled"``: a subtree of the archive,
        which had been replaced there before, returned; ``"pruned"``: an inner node became a leaf
        again; ``"resplit"``: it got another test and new children; ``"moved"``: it got another
        threshold of the same feature and kept its children.
    where : str
        The condition that leads to the node; ``"the root"``.
    depth : int
        Its depth; the root has 0.
    before, after : str
        Its test before and after; ``"leaf"`` if it had none.
    leaves_before, leaves_after : int
        Number of leaves below it.
    measure : str
        What was compared: ``"error"`` (lower is better) or ``"gain"`` (higher is better).
    value_before, value_after : float
        The error or gain of the old part and of the new one.
    n_before, n_after : float
        Weight of the examples on which they were measured.
    bound : float
        The value that their difference had to exceed.
    """

    seen: int
    kind: str
    where: str
    depth: int
    before: str
    after: str
    leaves_before: int
    leaves_after: int
    measure: str
    value_before: float
    value_after: float
    n_before: float
    n_after: float
    bound: float

    def __str__(self) -> str:
        return (
            f"{self.seen:,}: {self.where}: {self.kind} {self.before} "
            f"({_leaves(self.leaves_before)}) by {self.after} ({_leaves(self.leaves_after)}); "
            f"{self.measure} {self.value_before:.4g} before, {self.value_after:.4g} after, "
            f"bound {self.bound:.3g}"
        )


def changes_of(engine: Engine, schema: Schema, since: int = 0) -> Certificates[Change]:
    """The changes that an engine remembers after the first `since` examples, oldest first."""
    found: Certificates[Change] = Certificates()
    for entry in engine.changes(since):
        seen, kind, depth, above, branch, before, after, *rest = entry
        leaves_before, leaves_after, ours, n_ours, theirs, n_theirs, bound = rest
        found.append(
            Change(
                seen=seen,
                kind=kind,
                where=_where(schema, above, branch),
                depth=depth,
                before=_test(schema, before),
                after=_test(schema, after),
                leaves_before=leaves_before,
                leaves_after=leaves_after,
                measure="error" if kind in ("replaced", "recalled") else "gain",
                value_before=ours,
                value_after=theirs,
                n_before=n_ours,
                n_after=n_theirs,
                bound=bound,
            )
        )
    return found


def totals_of(engine: Engine) -> dict[str, int]:
    """How often each kind of change happened; also alternates that were started or dropped."""
    return engine.change_totals()


def _test(schema: Schema, cut: Cut) -> str:
    return "leaf" if cut[0] < 0 else describe_cut(schema, (*cut, 0.0))


def _where(schema: Schema, above: Cut, branch: int) -> str:
    place, test, threshold, category = above
    if place < 0:
        return "the root"
    feature = schema.features[place]
    if test == 1:
        return f"{feature.label} {'>' if branch else '<='} {feature.number_text(threshold)}"
    if test == 2:
        return (
            f"{feature.label} {'!=' if branch else '='} {exact_text(feature.categories[category])}"
        )
    return f"{feature.label} = {exact_text(feature.categories[branch])}"


def _leaves(n: int) -> str:
    return "1 leaf" if n == 1 else f"{n:,} leaves"
