"""The evidence of each split, and what a leaf waits for."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from riparian.data.formatting import exact_text
from riparian.policies import Policy

if TYPE_CHECKING:
    from riparian._core import Engine
    from riparian.data.schema import Schema

__all__ = [
    "BY",
    "Certificates",
    "Pending",
    "Ranked",
    "Split",
    "describe_cut",
    "evidence_lines",
    "pending_of",
    "splits_of",
]

T = TypeVar("T")
Candidate = tuple[int, int, float, int, float]


def describe_cut(schema: Schema, candidate: Candidate) -> str:
    """A candidate as text: ``"age <= 31.5"``, ``"job = nurse"``, ``"job (each value)"``."""
    place, test, threshold, category, _ = candidate
    if place < 0:
        return "no split"
    feature = schema.features[place]
    if test == 1 and threshold != threshold:  # rough gains have no threshold for the second best
        return f"another cut of {feature.label}"
    if test == 1:
        return f"{feature.label} <= {feature.number_text(threshold)}"
    if test == 2:
        return f"{feature.label} = {exact_text(feature.categories[category])}"
    return f"{feature.label} (each value)"


class Certificates(list[T]):
    """Certificates as a list, as a table and as text.

    Examples
    --------
    >>> from riparian import VFDT
    >>> from riparian.streams import sea
    >>> X, y = sea(seed=1).take(20_000)
    >>> splits = VFDT().fit(X, y).splits()
    >>> table = splits.table()  # columns: pandas.DataFrame(table) shows them
    >>> table["feature"][0], table["reason"][0]
    ('x1', 'tie')
    """

    def records(self) -> list[dict[str, Any]]:
        """One dict per certificate."""
        return [asdict(c) for c in self]  # type: ignore[call-overload]

    def table(self) -> dict[str, list[Any]]:
        """One list per column."""
        records = self.records()
        return {name: [r[name] for r in records] for name in (records[0] if records else ())}

    def __str__(self) -> str:
        return "\n".join(str(c) for c in self)


@dataclass(frozen=True)
class Ranked:
    """A candidate cut and its gain."""

    cut: str
    gain: float


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
        Number of examples that the tree had learned.
    feature, cut : str
        The feature of the cut, and the whole test.
    gain : float
        Gain of the cut.
    runner_up : str
        The second-best cut; ``"no split"`` is the null cut, whose gain is 0.
    runner_up_gain : float
        Its gain.
    gap : float
        Difference between the two gains.
    epsilon : float
        Half-width of the interval around a gain, by `bound`; 0 with "betting", which has none.
    epsilons : int
        How many epsilons the gap had to exceed.
    delta : float
        The delta of this check; the bound ``"confidence-practical"`` does not use it.
    delta_spent : float
        Sum of delta over all checks of the tree so far, as in a union bound. If it is above 1,
        nothing follows for the tree as a whole.
    tau : float
        The tie threshold.
    impurity, bound : str
        Their names. For a hybrid, the impurity that decided. A seeded split has the bound
        ``"none"``.
    reason : str
        ``"bound"``: the gap exceeded it; ``"tie"``: epsilon fell below tau;
        ``"forced"``: there was no other cut (``missing_second="-inf"``); ``"seeded"``: the
        split came with a batch tree (:meth:`HoeffdingTree.from_sklearn`), and `n` counts the
        examples of that tree. There was no check, so `epsilon` and `delta` are 0. ``"round"``:
        ``bound="none"`` splits at every check that finds a gain. With
        ``bound="betting"``: ``"better"`` than every other nominated cut, or ``"within"`` `tau` of
        the best of them.
    pass_number : int
        The pass over the data in which the split was made. It is above 1 if the data were
        presented again (:meth:`HoeffdingTree.rescan`); no bound covers such a split.
    candidates : tuple of Ranked
        The best cuts with their gains, best first, at most five.
    branches : tuple of tuple of float
        Class weights estimated for each child when the split was made.
    evidence : float or None
        With ``bound="betting"``, the natural logarithm of the evidence against the closest rival,
        which is at least :math:`\\ln(1/\\delta)`. Gains and `n` then count the rows since the race
        began, and `epsilon` is 0. None for every other bound.
    replaced_at : int or None
        Number of examples that the tree had learned when the split was replaced, pruned or moved.
        The split then has the node -1 and no `branches`, and of the other cuts only the runner-up
        is kept. None for a split that the tree still has.
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
    delta_spent: float
    tau: float
    impurity: str
    bound: str
    reason: str
    candidates: tuple[Ranked, ...]
    branches: tuple[tuple[float, ...], ...]
    pass_number: int = 1
    evidence: float | None = None
    replaced_at: int | None = None

    def __str__(self) -> str:
        if self.reason == "seeded":
            return (
                f"split on {self.cut} by a batch tree of {self.n:,.0f} examples there: "
                f"gain {self.gain:.4g}, no bound{_replaced(self)}"
            )
        if self.evidence is not None:
            return (
                f"split on {self.cut} after {self.n:,.0f} rows of a race: gain {self.gain:.4g} "
                f"against {self.runner_up_gain:.4g} for {self.runner_up}, {_claim(self)}; "
                f"{_race(self.evidence, self.delta)}{_pass(self)}{_replaced(self)}"
            )
        why = {
            "bound": "",
            "tie": f", a tie below tau {self.tau:g}",
            "forced": ", the only cut",
            "round": ", without a bound",
        }[self.reason]
        return (
            f"split on {self.cut} after {self.n:,.0f} examples: gain {self.gain:.4g} "
            f"against {self.runner_up_gain:.4g} for {self.runner_up}, "
            f"epsilon {self.epsilon:.4g}{_times(self)}{_delta(self)}{why}{_pass(self)}"
            f"{_replaced(self)}"
        )


def _claim(split: Split) -> str:
    return "better" if split.reason == "better" else f"within {split.tau:g} of the best"


def _race(evidence: float, delta: float) -> str:
    """The race of wealth against its threshold."""
    return f"evidence {evidence:.2f} of {-math.log(delta):.2f} nats, alpha {delta:.3g}"


def _times(split: Split) -> str:
    return f" x {split.epsilons}" if split.epsilons > 1 else ""


def _delta(split: Split) -> str:
    return f", delta {split.delta:g}" if split.bound != "confidence-practical" else ""


def _pass(split: Split) -> str:
    return f", pass {split.pass_number}" if split.pass_number > 1 else ""


def _replaced(split: Split) -> str:
    return "" if split.replaced_at is None else f"; replaced at row {split.replaced_at:,}"


#: The reason of a split as text, after "by".
BY = {
    "bound": "the bound",
    "tie": "a tie",
    "forced": "lack of another cut",
    "seeded": "the batch tree",
    "better": "a race",
    "within": "a race",
    "round": "the round",
}


def evidence_lines(splits: Iterable[Split]) -> dict[int, str]:
    """A line about the certificate of each split, by the id of its node."""
    return {split.node: _evidence_line(split) for split in splits}


def _evidence_line(split: Split) -> str:
    if split.reason == "seeded":
        return f"split by {BY[split.reason]}: gain {split.gain:.4g}"
    if split.evidence is not None:
        return (
            f"split at row {split.seen:,} by {BY[split.reason]}: {_claim(split)}; "
            f"{_race(split.evidence, split.delta)}{_pass(split)}"
        )
    return (
        f"split at row {split.seen:,} by {BY[split.reason]}: gap {split.gap:.4g}, "
        f"epsilon {split.epsilon:.4g}{_times(split)}{_delta(split)}{_pass(split)}"
    )


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


def _ranked(schema: Schema, candidates: list[Candidate]) -> tuple[Ranked, ...]:
    return tuple(Ranked(describe_cut(schema, c), c[4]) for c in candidates)


def _impurity(parameters: Mapping[str, Any], criterion: int) -> str:
    name = _name(parameters["impurity"])
    if name == "hybrid":
        return "misclassification" if criterion == 0 else "gini"
    return name


def _name(policy: Any) -> str:
    return policy.name if isinstance(policy, Policy) else getattr(policy, "__name__", "callable")


def splits_of(
    certificates: list[Any], schema: Schema, parameters: Mapping[str, Any]
) -> Certificates[Split]:
    """The certificates of an engine as texts and numbers; the schema was read after them."""
    return Certificates(
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
            delta=delta,
            delta_spent=spent,
            tau=parameters["tau"],
            impurity=_impurity(parameters, criterion),
            bound="none" if reason == "seeded" else _name(parameters["bound"]),
            reason=reason,
            candidates=_ranked(schema, ranking),
            branches=tuple(map(tuple, branches)),
            pass_number=pass_number,
            evidence=None if math.isnan(evidence) else evidence,
            replaced_at=until or None,
        )
        for (
            node,
            depth,
            seen,
            n,
            best,
            second,
            _,
            epsilon,
            reason,
            delta,
            spent,
            criterion,
            ranking,
            pass_number,
            branches,
            evidence,
            until,
        ) in certificates
    )


def pending_of(
    engine: Engine, schema: Schema, parameters: Mapping[str, Any], nearest: int | None = None
) -> Certificates[Pending]:
    """Why each leaf of a tree waits, with the evidence of its last check.

    With `nearest` only so many leaves that have a cut, the nearest to a decision first.
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
        impurity=_impurity(parameters, criterion),
        examples_needed=needed,
        until_check=until,
        reason_waiting=why,
        dropped=tuple(schema.label(f) for f in dropped),
        evidence=None if math.isnan(evidence) else evidence,
        threshold=None if math.isnan(threshold) else threshold,
        ledger=tuple(ledger),
    )
