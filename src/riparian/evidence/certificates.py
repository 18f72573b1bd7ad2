"""The evidence of each split."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from riparian.data.formatting import exact_text
from riparian.policies import Policy

if TYPE_CHECKING:
    from riparian.data.schema import Schema

__all__ = [
    "BY",
    "Certificates",
    "Ranked",
    "Split",
    "describe_cut",
    "evidence_lines",
    "impurity_name",
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


def _ranked(schema: Schema, candidates: list[Candidate]) -> tuple[Ranked, ...]:
    return tuple(Ranked(describe_cut(schema, c), c[4]) for c in candidates)


def impurity_name(parameters: Mapping[str, Any], criterion: int) -> str:
    """The impurity that a check decided by; a hybrid decides by one of two."""
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
            impurity=impurity_name(parameters, criterion),
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
