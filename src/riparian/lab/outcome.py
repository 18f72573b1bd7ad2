"""The results of many repetitions of one leaf: how many decisions were wrong."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from riparian.policies import Policy

__all__ = ["Decisions", "clopper_pearson", "evaluator_of", "judged_by_labels", "percent"]


@dataclasses.dataclass(frozen=True)
class Decisions:
    """The results of many repetitions of one leaf.

    Attributes
    ----------
    repetitions : int
        Number of repetitions.
    decided : int
        Number of repetitions that split. The others reached `max_examples`.
    wrong : int
        Number of repetitions that chose a feature which is not the best by the true gains. For the
        hybrid impurity these are the gains of the impurity that decided.
    interval : tuple of float
        95 % confidence interval of the rate of wrong decisions (Clopper and Pearson, exact).
    misjudged : int
        Number of repetitions that chose a feature which is not the best by the expected gains of
        the labels that the leaf used. Only these are failures of the bound; the other wrong
        decisions come from wrong labels, chosen from too few examples. Equal to `wrong` if the
        impurity does not use labels.
    mean_examples : float
        Mean number of examples over the repetitions that decided.
    quantiles : dict
        Quantiles of the number of examples over all repetitions. An undecided repetition counts as
        infinite.
    parameters : dict
        The parameters of `decisions`.
    """

    repetitions: int
    decided: int
    wrong: int
    interval: tuple[float, float]
    misjudged: int
    mean_examples: float
    quantiles: Mapping[float, float]
    parameters: Mapping[str, Any]

    @property
    def rate(self) -> float:
        """Rate of wrong decisions among the repetitions."""
        return self.wrong / self.repetitions

    @property
    def decided_rate(self) -> float:
        """Rate of wrong decisions among the repetitions that decided; 0 if none did."""
        return self.wrong / self.decided if self.decided else 0.0

    @property
    def decided_interval(self) -> tuple[float, float]:
        """95 % confidence interval of `decided_rate`; from 0 to 1 if nothing was decided."""
        return clopper_pearson(self.wrong, self.decided) if self.decided else (0.0, 1.0)

    @property
    def delta(self) -> float:
        """The rate of wrong decisions that the bound promises."""
        return float(self.parameters["delta"])

    @property
    def verdict(self) -> str:
        """ "kept", "broken" or "open", by all repetitions and by those that decided.

        A rule that rarely decides has few wrong decisions, however often its decisions are
        wrong. So delta is kept only if both intervals, of `rate` and of `decided_rate`, are at
        most delta. It is broken if one of them is above delta. Otherwise it is open. Where nothing
        was decided, `rate` alone counts.
        """
        verdicts = {self._verdict(self.interval)}
        if self.decided:
            verdicts.add(self._verdict(self.decided_interval))
        return next(v for v in ("broken", "open", "kept") if v in verdicts)

    @property
    def misjudged_interval(self) -> tuple[float, float]:
        """95 % confidence interval of the rate of misjudged decisions."""
        return clopper_pearson(self.misjudged, self.repetitions)

    @property
    def misjudged_verdict(self) -> str:
        """The verdict if only misjudged decisions count as wrong."""
        return self._verdict(self.misjudged_interval)

    @property
    def judges_labels(self) -> bool:
        """Whether gains are measured with labels, so that `misjudged` may differ from `wrong`."""
        return judged_by_labels(self.parameters)

    @property
    def method(self) -> str:
        """A short description of the method."""
        p = self.parameters
        judge = "fixed" if p["fixed_labels"] else evaluator_of(p["impurity"])
        evaluator = "" if judge == "resubstitution" else f" {judge}"
        spent = ", delta spent" if p["spend_delta"] else ""
        if p["bound"].name == "betting":
            return f"{p['impurity'].name}, betting, {_options(p)}"
        epsilons = "epsilon" if p["epsilons"] == 1 else "epsilons"
        return (
            f"{p['impurity'].name}{evaluator}, {p['bound'].name}, {p['epsilons']} {epsilons}{spent}"
        )

    def _verdict(self, interval: tuple[float, float]) -> str:
        low, high = interval
        return "kept" if high <= self.delta else "broken" if low > self.delta else "open"

    def __str__(self) -> str:
        low, high = self.interval
        waited = f", after {self.mean_examples:,.1f} examples on average" if self.decided else ""
        left = self.repetitions - self.decided
        missing = (
            f" ({left:,} were not decided; {percent(self.decided_rate)} of the others were wrong)"
            if left
            else ""
        )
        texts = {"kept": "is kept", "broken": "is broken", "open": "is neither kept nor broken"}
        by_labels = (
            f"; {self.misjudged:,} decisions were misjudged with the labels of the leaf, and by "
            f"these delta {texts[self.misjudged_verdict]}"
            if self.misjudged != self.wrong
            else ""
        )
        return (
            f"{self.method}: {self.wrong:,} of {self.repetitions:,} decisions were wrong"
            f"{missing}, {percent(self.rate)} (95 % interval {percent(low)} to {percent(high)})"
            f"{waited}; delta {self.delta:g} {texts[self.verdict]}{by_labels}"
        )


def clopper_pearson(successes: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Return the exact confidence interval of a probability.

    Parameters
    ----------
    successes, trials : int
        The observed counts.
    level : float, default=0.95
        Confidence level.

    Examples
    --------
    >>> low, high = clopper_pearson(0, 100)
    >>> low, round(high, 5)
    (0.0, 0.03622)
    """
    from scipy.special import betaincinv

    tail, rest = (1.0 - level) / 2.0, trials - successes
    low = float(betaincinv(successes, rest + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, rest, 1.0 - tail)) if rest else 1.0
    return low, high


def percent(rate: float) -> str:
    """Format a rate as in '15.7 %'. Rates below 1 % have two significant digits."""
    return f"{100.0 * rate:.1f} %" if rate == 0.0 or rate >= 0.01 else f"{100.0 * rate:.2g} %"


def evaluator_of(impurity: Policy) -> str:
    """Return the evaluator of an impurity."""
    return str(getattr(impurity, "evaluator", "resubstitution"))


def judged_by_labels(parameters: Mapping[str, Any]) -> bool:
    """Return whether gains are measured with labels."""
    return bool(
        parameters["fixed_labels"] or evaluator_of(parameters["impurity"]) != "resubstitution"
    )


def _options(p: Mapping[str, Any]) -> str:
    checks = ", checks at random" if p["random_checks"] else ""
    workers = f", {p['workers']} workers" if p["workers"] > 1 else ""
    return f"tau {p['tau']:g}{checks}{workers}"
