"""What each leaf waits for."""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from riparian.evidence.certificates import Certificates, describe_cut, impurity_name

if TYPE_CHECKING:
    from riparian._core import Engine
    from riparian.data.schema import Schema

__all__ = ["Pending", "pending_of"]


@dataclass(frozen=True)
class Pending:
    """Why a leaf has not split yet, with the evidence of its last check.

    Attributes
    ----------
    leaf, depth : int
        Id and depth of the node.
    n : float
        Weight of the examples that it has seen.
    checked_at : float
        Weight at the last check, as the bound counts it; 0 before the first check. The fields up
        to `impurity` are those of that check.
    feature, cut : str or None
        The best cut; None where no cut is possible.
    gain, runner_up, runner_up_gain, gap, epsilon, delta, impurity
        As in :class:`Split`, in single precision.
    gain_error : float
        Most checks that wait need only rough gains. These may be off by this much; 0 if the gains
        are exact.
    examples_needed : float
        How many more examples the leaf needs from now on to split at this gap, or by a tie;
        infinity if it never would.
    until_check : float
        How many more examples until its next check.
    reason_waiting : str
        ``"pure"``, ``"no check"`` (none so far), ``"no cut"``, ``"no gain"``, ``"limit"``
        (`max_depth` or `max_leaves`), ``"inactive"`` (memory is short, so the leaf keeps no
        statistics), ``"memory"`` (`max_bytes` leaves no room for a split), ``"bound"`` or
        ``"check"`` (at this gap it will split at its next check).
    dropped : tuple of str
        Features that the leaf no longer tracks (`drop_poor_features`).
    evidence, threshold : float or None
        With ``bound="betting"``, the race of the leaf: the natural logarithm of the evidence
        against the closest rival at the last check, and what it must reach. None for every other
        bound, and before the first race of the leaf.
    ledger : tuple of (float, float)
        With ``bound="betting"``, checks of the leaf that decided to wait, the oldest first: its
        weight and its evidence then. At most 16 are kept, evenly spaced over all of them.
    """

    leaf: int
    depth: int
    n: float
    checked_at: float
    feature: str | None
    cut: str | None
    gain: float
    runner_up: str
    runner_up_gain: float
    gap: float
    gain_error: float
    epsilon: float
    delta: float
    impurity: str
    examples_needed: float
    until_check: float
    reason_waiting: str
    dropped: tuple[str, ...] = ()
    evidence: float | None = None
    threshold: float | None = None
    ledger: tuple[tuple[float, float], ...] = ()

    def __str__(self) -> str:
        if self.cut is None:
            return f"leaf {self.leaf}: {self.n:,.0f} examples, {self.reason_waiting}"
        if self.evidence is not None and self.threshold is not None:
            return (
                f"leaf {self.leaf}: {self.cut} leads a race after {self.n:,.0f} examples, closest "
                f"rival {self.runner_up}; evidence {self.evidence:.2f} of {self.threshold:.2f} "
                f"nats {_bar(self.evidence / self.threshold)}"
            )
        return (
            f"leaf {self.leaf}: {self.cut} leads at the check after {self.checked_at:,.0f} "
            f"examples, gain {self.gain:.4g} against {self.runner_up_gain:.4g} for {self.runner_up}"
            f"{self._error()}, epsilon {self.epsilon:.4g}; "
            f"{self.examples_needed:,.0f} more examples at this gap"
        )

    def _error(self) -> str:
        return f" (rough gains, off by at most {self.gain_error:.2g})" if self.gain_error else ""


def _bar(share: float) -> str:
    """How far a race has come, as text."""
    full = round(10 * min(max(share, 0.0), 1.0))
    return f"[{'=' * full}{' ' * (10 - full)}]"


def pending_of(
    engine: Engine, schema: Schema, parameters: Mapping[str, Any], nearest: int | None = None
) -> Certificates[Pending]:
    """Why each leaf of a tree waits, with the evidence of its last check.

    With `nearest`, only this many leaves that have a cut, the nearest to a decision first.
    """
    states = engine.leaf_states()
    if nearest is not None:
        states = heapq.nsmallest(nearest, filter(_may_decide, states), key=_distance)
    return Certificates(_pending(state, schema, parameters) for state in states)


def _may_decide(state: tuple[Any, ...]) -> bool:
    """Whether a leaf has a cut, more than one class, and may split."""
    best, may_split, active, room = state[6], state[11], state[15], state[16]
    return bool(best[0] >= 0 and may_split and active and room and state[2] > 1)


def _distance(state: tuple[Any, ...]) -> tuple[float, float]:
    """How many examples a leaf needs to decide, and to its next check."""
    return state[10], state[4]


def _pending(state: tuple[Any, ...], schema: Schema, parameters: Mapping[str, Any]) -> Pending:
    leaf, depth, classes, n, until, checked_at, best, second, error, *rest = state
    epsilon, needed, may_split, delta, criterion, dropped, active, room, *race = rest
    evidence, threshold, ledger = race
    has_cut = best[0] >= 0
    if not active:
        why = "inactive"
    elif not may_split:
        why = "limit"
    elif not room:
        why = "memory"
    elif classes < 2:
        why = "pure"
    elif checked_at == 0.0:
        why = "no check"
    elif not has_cut:
        why = "no cut"
    elif best[4] + error <= parameters["min_gain"]:
        why = "no gain"
    else:
        why = "check" if needed == 0.0 else "bound"
    return Pending(
        leaf=leaf,
        depth=depth,
        n=n,
        checked_at=checked_at,
        feature=schema.label(best[0]) if has_cut else None,
        cut=describe_cut(schema, best) if has_cut else None,
        gain=best[4],
        runner_up=describe_cut(schema, second),
        runner_up_gain=second[4],
        gap=best[4] - second[4],
        gain_error=error,
        epsilon=epsilon,
        delta=delta,
        impurity=impurity_name(parameters, criterion),
        examples_needed=needed,
        until_check=until,
        reason_waiting=why,
        dropped=tuple(schema.label(f) for f in dropped),
        evidence=None if math.isnan(evidence) else evidence,
        threshold=None if math.isnan(threshold) else threshold,
        ledger=tuple(ledger),
    )
