"""Why a leaf was split, or why it is still waiting."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from riparian._core import Engine
    from riparian.schema import Schema

__all__ = ["Pending", "Split", "describe_cut", "pending_of", "splits_of"]

Candidate = tuple[int, int, float, int, float]


def describe_cut(schema: Schema, candidate: Candidate) -> str:
    """A candidate in words: ``"age <= 31.5"``, ``"job = nurse"``, ``"job (each value)"``."""
    place, test, threshold, category, _ = candidate
    if place < 0:
        return "no split"
    feature = schema.features[place]
    if test == 1:
        return f"{feature.label} <= {threshold:.6g}"
    if test == 2:
        return f"{feature.label} = {feature.categories[category]}"
    return f"{feature.label} (each value)"


@dataclass(frozen=True)
class Split:
    """The certificate of one split: the two best cuts and the bound between them.

    Attributes
    ----------
    node : int
        Id of the node that was split.
    depth : int
        Its depth; the root has 0.
    n : float
        Weight of the examples that the leaf had seen.
    seen : int
        Examples that the whole tree had learned.
    feature, cut : str
        The feature that was taken, and the whole test.
    gain : float
        Gain of the cut.
    runner_up : str
        The best competitor; ``"no split"`` is the null cut, whose gain is 0.
    runner_up_gain : float
        Its gain.
    gap : float
        How far the two are apart.
    epsilon : float
        Half-width of the interval around a gain, by `bound`.
    epsilons : int
        How many of them the gap had to exceed.
    delta, tau : float
        Accepted probability of error, and the tie threshold.
    bound : str
        The bound's name.
    reason : str
        ``"bound"``: the gap exceeded it; ``"tie"``: epsilon fell below tau.
    branches : tuple of tuple of float
        Class weights estimated for each child when the split was made.
    """

    node: int
    depth: int
    n: float
    seen: int
    feature: str
    cut: str
    gain: float
    runner_up: str
    runner_up_gain: float
    gap: float
    epsilon: float
    epsilons: int
    delta: float
    tau: float
    bound: str
    reason: str
    branches: tuple[tuple[float, ...], ...]

    def __str__(self) -> str:
        times = f" x {self.epsilons}" if self.epsilons > 1 else ""
        why = "" if self.reason == "bound" else f", a tie below tau {self.tau:g}"
        return (
            f"split on {self.cut} after {self.n:,.0f} examples: gain {self.gain:.4g} "
            f"against {self.runner_up_gain:.4g} for {self.runner_up}, "
            f"epsilon {self.epsilon:.4g}{times}, delta {self.delta:g}{why}"
        )


@dataclass(frozen=True)
class Pending:
    """What a leaf would decide now.

    Attributes
    ----------
    leaf, depth : int
        Its node id and depth.
    n : float
        Weight of the examples it has seen.
    feature, cut : str or None
        The best cut; None where no cut is possible.
    gain, runner_up, runner_up_gain, gap, epsilon
        As in :class:`Split`.
    examples_needed : float
        How many more examples the leaf would take to decide at this gap, or to
        reach the tie; infinity if that cannot be.
    until_check : float
        How many more until it is looked at again.
    reason_waiting : str
        ``"pure"``, ``"no cut"``, ``"no gain"``, ``"limit"``, ``"bound"`` or ``"check"``
        (it will split at its next check).
    """

    leaf: int
    depth: int
    n: float
    feature: str | None
    cut: str | None
    gain: float
    runner_up: str
    runner_up_gain: float
    gap: float
    epsilon: float
    examples_needed: float
    until_check: float
    reason_waiting: str

    def __str__(self) -> str:
        if self.cut is None:
            return f"leaf {self.leaf}: {self.n:,.0f} examples, {self.reason_waiting}"
        return (
            f"leaf {self.leaf}: {self.cut} leads after {self.n:,.0f} examples, "
            f"gain {self.gain:.4g} against {self.runner_up_gain:.4g} for {self.runner_up}, "
            f"epsilon {self.epsilon:.4g}; {self.examples_needed:,.0f} more examples at this gap"
        )


def splits_of(engine: Engine, schema: Schema, parameters: Mapping[str, Any]) -> list[Split]:
    """The certificates of a tree, oldest first."""
    # Certificates first: a learner may split on, and nodes only ever become more.
    certificates = engine.certificates()
    nodes = engine.nodes()
    children: dict[int, list[tuple[float, ...]]] = {}
    for child, parent in enumerate(nodes["parent"].tolist()):
        children.setdefault(parent, []).append(tuple(nodes["inherited"][child].tolist()))
    return [
        Split(
            node=node,
            depth=depth,
            n=n,
            seen=seen,
            feature=schema.label(best[0]),
            cut=describe_cut(schema, best),
            gain=best[4],
            runner_up=describe_cut(schema, second),
            runner_up_gain=second[4],
            gap=best[4] - second[4],
            epsilon=epsilon,
            epsilons=parameters["epsilons"],
            delta=parameters["delta"],
            tau=parameters["tau"],
            bound=parameters["bound"],
            reason=reason,
            branches=tuple(children[node]),
        )
        for node, depth, seen, n, best, second, _, epsilon, reason in certificates
    ]


def pending_of(engine: Engine, schema: Schema, parameters: Mapping[str, Any]) -> list[Pending]:
    """What each leaf of a tree would decide now."""
    found = []
    for state in engine.leaf_states():
        leaf, depth, classes, n, until, best, second, epsilon, needed, may_split = state
        has_cut = best[0] >= 0
        if not may_split:
            why = "limit"
        elif classes < 2:
            why = "pure"
        elif not has_cut:
            why = "no cut"
        elif best[4] <= parameters["min_gain"]:
            why = "no gain"
        else:
            why = "check" if needed == 0.0 else "bound"
        found.append(
            Pending(
                leaf=leaf,
                depth=depth,
                n=n,
                feature=schema.label(best[0]) if has_cut else None,
                cut=describe_cut(schema, best) if has_cut else None,
                gain=best[4],
                runner_up=describe_cut(schema, second),
                runner_up_gain=second[4],
                gap=best[4] - second[4],
                epsilon=epsilon,
                examples_needed=needed,
                until_check=until,
                reason_waiting=why,
            )
        )
    return found
