"""Count the wrong decisions of a leaf, and the examples that it needed."""

from __future__ import annotations

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
from riparian.lab.outcome import Decisions, clopper_pearson, evaluator_of, judged_by_labels
from riparian.policies import Policy, resolve
from riparian.policies.literals import BoundChoice, ImpurityChoice

__all__ = ["decisions"]

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
_HYBRID = ("misclassification", "gini")  # in the order in which they are checked
_EQUAL = 1e-12  # true gains closer than this are equal
_SLICE_SECONDS = 0.2  # between two checks for Ctrl-C
#: Bounds whose variance comes from counts. With other evaluators it is unknown: no leaf decides.
_BOUNDS_OF_COUNTS = ("delta-method", "empirical-bernstein")


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
        misjudged=int(misjudged.sum()) if judged_by_labels(parameters) else wrong,
        mean_examples=float(examples[decided].mean()) if decided.any() else float("nan"),
        quantiles=MappingProxyType(dict(zip(QUANTILES, quantiles, strict=True))),
        parameters=MappingProxyType({**parameters, "seed": seed}),
    )


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
    if judged_by_labels(parameters) and bound.name in _BOUNDS_OF_COUNTS:
        raise ValueError(f"bound {bound.name!r} needs evaluator 'resubstitution'")
    if bound.name == "betting":
        if parameters["fixed_labels"] or evaluator_of(impurity) != "resubstitution":
            raise ValueError("bound 'betting' evaluates predictions itself: omit the evaluator")
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
