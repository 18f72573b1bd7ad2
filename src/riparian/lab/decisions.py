"""Count the wrong decisions of a leaf, and the examples that it needed."""

from __future__ import annotations

import dataclasses
import os
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.data.costs import cost_matrix_of_all
from riparian.lab.node import Costs, Node, s1_node
from riparian.policies import Policy, resolve
from riparian.policies.literals import BoundChoice, ImpurityChoice

__all__ = ["Decisions", "decisions"]

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_HYBRID = ("misclassification", "gini")  # in the order in which they are checked
_EQUAL = 1e-12  # true gains closer than this are equal
_SLICE_SECONDS = 0.2  # between two checks for Ctrl-C
#: Bounds whose variance comes from counts. With other evaluators it is unknown: no leaf decides.
_BOUNDS_OF_COUNTS = ("delta-method", "empirical-bernstein")


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

        A rule that rarely decides has few wrong decisions, however often a decision of its is
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
        return _judges_labels(self.parameters)

    @property
    def method(self) -> str:
        """A short description of the method."""
        p = self.parameters
        judge = "fixed" if p["fixed_labels"] else _evaluator(p["impurity"])
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


def _options(p: Mapping[str, Any]) -> str:
    checks = ", checks at random" if p["random_checks"] else ""
    workers = f", {p['workers']} workers" if p["workers"] > 1 else ""
    return f"tau {p['tau']:g}{checks}{workers}"


def percent(rate: float) -> str:
    """Format a rate as in '15.7 %'. Rates below 1 % have two significant digits."""
    return f"{100.0 * rate:.1f} %" if rate == 0.0 or rate >= 0.01 else f"{100.0 * rate:.2g} %"


def decisions(
    node: Node | None = None,
    *,
    impurity: ImpurityChoice = "entropy",
    fixed_labels: bool = False,
    costs: Costs | None = None,
    bound: BoundChoice = "hoeffding",
    epsilons: int = 1,
    delta: float = 0.05,
    spend_delta: bool = False,
    grace_period: int = 1,
    first_check: int = 1,
    max_examples: int = 10_000_000,
    repetitions: int = 100_000,
    null_cut: bool = False,
    tau: float = 0.0,
    random_checks: bool = False,
    workers: int = 1,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Decisions:
    """Count the wrong decisions of a leaf with a known distribution.

    Each repetition draws independent examples and counts the values of each feature. Every
    `grace_period` examples it checks whether the best gain exceeds the second best by more than
    `epsilons` times the bound. It ends with the first decision.

    Parameters
    ----------
    node : Node, optional
        The distribution. By default that of `s1_node`.
    impurity, costs
        As for `HoeffdingTree`.
    fixed_labels : bool, default=False
        For accuracy and loss: use the correct label of each branch, which follows from the
        distribution.
    bound, epsilons, delta, spend_delta
        As for `HoeffdingTree`, but the bound cannot be a callable.
        ``DeltaMethod(pairing="paired")`` uses the joint counts of both features.
    grace_period : int, default=1
        Number of examples between two checks.
    first_check : int, default=1
        Number of examples before the first check.
    max_examples : int, default=10_000_000
        Number of examples after which a repetition ends undecided.
    repetitions : int, default=100_000
        Number of repetitions.
    null_cut : bool, default=False
        Whether "no split", with gain 0, competes as in a tree. A split on a feature whose true
        gain is 0 is then wrong.
    tau : float, default=0.0
        Only for the bound "betting": the tolerance that is certified. A decision "within" is wrong
        if a feature is better by `tau` or more, and a decision "better" if one is at least as good.
        Not splitting always competes, and `delta` is that of the leaf, whatever the budget.
    random_checks : bool, default=False
        Only for "betting": the next check comes after 1 to ``2 * grace_period - 1`` examples, at
        random.
    workers : int, default=1
        Only for "betting": the examples are dealt to this many workers, whose evidence is merged
        at each check.
    seed : int, default=0
        Random seed.
    n_jobs : int, optional
        Number of threads. By default one per processor. The result does not depend on it.
    progress : callable, optional
        Called repeatedly with the number of finished repetitions and the total.

    Returns
    -------
    decisions : Decisions
        The counts of decisions and examples.

    Raises
    ------
    ValueError
        If a parameter is out of range, or the bound does not serve the impurity.

    Examples
    --------
    >>> from riparian.impurities import Accuracy
    >>> found = decisions(impurity=Accuracy(evaluator="prequential"), epsilons=2,
    ...                   repetitions=10_000)
    >>> found.verdict
    'kept'
    """
    node = s1_node() if node is None else node
    parameters: dict[str, Any] = {
        "impurity": _policy("impurity", impurity),
        "fixed_labels": fixed_labels,
        "costs": costs,
        "bound": _policy("bound", bound),
        "epsilons": epsilons,
        "delta": delta,
        "spend_delta": spend_delta,
        "grace_period": grace_period,
        "first_check": first_check,
        "max_examples": max_examples,
        "null_cut": null_cut,
        "tau": tau,
        "random_checks": random_checks,
        "workers": workers,
    }
    _check(node, parameters)
    _check_whole("repetitions", repetitions)
    _check_whole("seed", seed, least=0, most=2**64 - 1)
    if n_jobs is not None:
        _check_whole("n_jobs", n_jobs, most=1024)
    name = parameters["impurity"].name
    matrix = cost_matrix_of_all(costs, node.classes) if name == "loss" else np.zeros((0, 0))
    measured = _HYBRID if name == "hybrid" else (name,)
    best = (
        _certified(node.true_gains(name), tau)
        if parameters["bound"].name == "betting"
        else np.array([_best(node.true_gains(name, costs), null_cut) for name in measured])
    )

    lab = _core.Lab(
        node.probabilities.shape[:-1],
        len(node.classes),
        node.probabilities.ravel(),
        {
            **parameters,
            "impurity": parameters["impurity"].checked("impurity"),
            "bound": parameters["bound"].checked("bound"),
            "epsilons": float(epsilons),
            "delta": float(delta),
            "tau": float(tau),
        },
        matrix.ravel(),
        seed,
    )
    chosen, examples, criterion, misjudged = _run(
        lab, repetitions, n_jobs or _processors(), progress
    )
    decided = chosen >= 0
    wrong = int((decided & ~best[criterion, chosen]).sum())
    seen = np.where(decided, examples, np.inf)
    quantiles = np.quantile(seen, QUANTILES, method="inverted_cdf").tolist()
    return Decisions(
        repetitions=repetitions,
        decided=int(decided.sum()),
        wrong=wrong,
        interval=clopper_pearson(wrong, repetitions),
        misjudged=int(misjudged.sum()) if _judges_labels(parameters) else wrong,
        mean_examples=float(examples[decided].mean()) if decided.any() else float("nan"),
        quantiles=MappingProxyType(dict(zip(QUANTILES, quantiles, strict=True))),
        parameters=MappingProxyType({**parameters, "seed": seed}),
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


def _run(
    lab: _core.Lab, repetitions: int, threads: int, progress: Callable[[int, int], object] | None
) -> list[NDArray[Any]]:
    """Run all repetitions in slices that are short enough to react to Ctrl-C."""
    parts = []
    done, size = 0, 16 * threads
    while done < repetitions:
        size = min(size, repetitions - done)
        start = time.perf_counter()
        parts.append(lab.run(done, size, threads))
        done += size
        if progress is not None:
            progress(done, repetitions)
        share = _SLICE_SECONDS / max(time.perf_counter() - start, 1e-6)
        size = max(1, int(size * min(share, 8.0)))
    return [np.concatenate(columns) for columns in zip(*parts, strict=True)]


def _policy(axis: str, value: Any) -> Policy:
    found = resolve(axis, value)
    if not isinstance(found, Policy):
        raise TypeError(f"{axis} must be a policy: the laboratory does not support callables")
    return found


def _evaluator(impurity: Policy) -> str:
    return str(getattr(impurity, "evaluator", "resubstitution"))


def _judges_labels(parameters: Mapping[str, Any]) -> bool:
    return bool(
        parameters["fixed_labels"] or _evaluator(parameters["impurity"]) != "resubstitution"
    )


def _best(gains: NDArray[np.float64], null_cut: bool) -> NDArray[np.bool_]:
    least = gains.max() - _EQUAL
    return np.asarray(gains >= (max(least, _EQUAL) if null_cut else least))


def _certified(gains: NDArray[np.float64], tau: float) -> NDArray[np.bool_]:
    """Whether a feature is better than all others, and whether it is within `tau` of the best."""
    others = np.array([np.delete(gains, a).max(initial=0.0) for a in range(len(gains))])
    gain = gains > _EQUAL
    return np.array([gain & (gains > others + _EQUAL), gain & (gains > others - tau - _EQUAL)])


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _check(node: Node, parameters: Mapping[str, Any]) -> None:
    if not isinstance(node, Node):
        raise TypeError(f"node must be a riparian.lab.Node, got {type(node).__name__}")
    impurity, bound = parameters["impurity"], parameters["bound"]
    impurity.checked("impurity")
    bound.checked("bound")
    serves = bound.declared["serves"]
    if serves and impurity.name not in serves:
        listed = ", ".join(repr(name) for name in serves)
        raise ValueError(
            f"bound {bound.name!r} supports the impurities {listed}, got {impurity.name!r}"
        )
    if parameters["costs"] is not None and impurity.name != "loss":
        raise ValueError(f"costs are only for impurity 'loss', got {impurity.name!r}")
    if parameters["fixed_labels"] and "evaluator" not in impurity.parameters:
        raise ValueError(
            f"fixed_labels is only for the impurities 'accuracy' and 'loss', got {impurity.name!r}"
        )
    if _judges_labels(parameters) and bound.name in _BOUNDS_OF_COUNTS:
        raise ValueError(f"bound {bound.name!r} needs evaluator 'resubstitution'")
    if bound.name == "betting":
        if parameters["fixed_labels"] or _evaluator(impurity) != "resubstitution":
            raise ValueError("bound 'betting' judges predictions itself: it takes no evaluator")
        if parameters["epsilons"] != 1 or parameters["spend_delta"]:
            raise ValueError("bound 'betting' has no epsilon and spends delta itself")
    elif parameters["tau"] or parameters["random_checks"] or parameters["workers"] != 1:
        raise ValueError("tau, random_checks and workers are only for bound 'betting'")
    if not 0.0 <= parameters["tau"] <= 1.0:
        raise ValueError(f"tau must be between 0 and 1, got {parameters['tau']!r}")
    _check_whole("workers", parameters["workers"], most=1024)
    if parameters["epsilons"] not in (1, 2):
        raise ValueError(f"epsilons must be 1 or 2, got {parameters['epsilons']!r}")
    if not 0.0 < parameters["delta"] < 1.0:
        raise ValueError(
            f"delta must be a probability between 0 and 1, got {parameters['delta']!r}"
        )
    if not parameters["delta"] < bound.declared["most_delta"]:
        raise ValueError(
            f"delta must be below {bound.declared['most_delta']:g} with bound {bound.name!r}, "
            f"got {parameters['delta']!r}"
        )
    for name in ("grace_period", "first_check", "max_examples"):
        _check_whole(name, parameters[name])
    if len(node.features) < 2 and not parameters["null_cut"]:
        raise ValueError("a node with one feature has no second-best gain; use null_cut=True")


def _check_whole(name: str, value: Any, *, least: int = 1, most: int = 10**15) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    if not least <= value <= most:
        raise ValueError(f"{name} must be from {least} to {most}, got {value}")
