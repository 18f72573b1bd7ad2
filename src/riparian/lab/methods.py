"""Compare the published methods on one node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from riparian.lab.decisions import decisions
from riparian.lab.node import Node
from riparian.lab.outcome import Decisions
from riparian.policies import make_policy

__all__ = ["METHODS", "compare"]

_PREQUENTIAL = {"impurity": make_policy("impurity", "accuracy", evaluator="prequential")}
# With wrong labels from the first examples a repetition may never decide.
_HOLDOUT = {
    "impurity": make_policy("impurity", "accuracy", evaluator="holdout"),
    "max_examples": 100_000,
}


def _every(examples: int) -> dict[str, int]:
    """Return the checks of a wide bound: one check per example would take days."""
    most = max(10_000_000, 1000 * examples)
    return {"grace_period": examples, "first_check": examples, "max_examples": most}


#: The methods of ``riparian lab --all``: a name, and parameters of `decisions`.
METHODS: Mapping[str, Mapping[str, Any]] = {
    "entropy, 1 ε": {},
    "entropy, 2 ε": {"epsilons": 2},
    "entropy, 1 ε, δ spent": {"spend_delta": True},
    "entropy, 2 ε, δ spent": {"epsilons": 2, "spend_delta": True},
    "gini, 1 ε": {"impurity": "gini"},
    "gini, 2 ε": {"impurity": "gini", "epsilons": 2},
    "gini, betting": {"impurity": "gini", "bound": "betting"},
    "gini, betting, tau 0.05": {"impurity": "gini", "bound": "betting", "tau": 0.05},
    "accuracy, betting": {"impurity": "accuracy", "bound": "betting"},
    "kearns-mansour, 1 ε": {"impurity": "kearns-mansour"},
    "kearns-mansour, 2 ε": {"impurity": "kearns-mansour", "epsilons": 2},
    "accuracy, 1 ε": {"impurity": "accuracy"},
    "accuracy, 2 ε": {"impurity": "accuracy", "epsilons": 2},
    "accuracy prequential, 1 ε": {**_PREQUENTIAL},
    "accuracy prequential, 2 ε": {**_PREQUENTIAL, "epsilons": 2},
    "accuracy prequential, 1 ε, δ spent": {**_PREQUENTIAL, "spend_delta": True},
    "accuracy prequential, 2 ε, δ spent": {**_PREQUENTIAL, "epsilons": 2, "spend_delta": True},
    "accuracy holdout, 1 ε": {**_HOLDOUT},
    "accuracy holdout, 2 ε": {**_HOLDOUT, "epsilons": 2},
    "accuracy holdout, 2 ε, δ spent": {**_HOLDOUT, "epsilons": 2, "spend_delta": True},
    "accuracy, normal": {"impurity": "accuracy", "bound": "normal"},
    "hybrid, normal": {"impurity": "hybrid", "bound": "normal"},
    "gini, normal": {"impurity": "gini", "bound": "normal", **_every(100)},
    "entropy, delta method": {"bound": "delta-method"},
    "entropy, McDiarmid": {"bound": "mcdiarmid", **_every(1_000_000)},
    "gini, McDiarmid": {"impurity": "gini", "bound": "mcdiarmid", **_every(100)},
    "entropy, confidence in practice": {"bound": "confidence-practical", **_every(10_000)},
    "gini, confidence in practice": {
        "impurity": "gini",
        "bound": "confidence-practical",
        **_every(100),
    },
    "gini, confidence, 2 ε": {
        "impurity": "gini",
        "bound": "confidence",
        "epsilons": 2,
        **_every(1000),
    },
    "kearns-mansour, confidence, 2 ε": {
        "impurity": "kearns-mansour",
        "bound": "confidence",
        "epsilons": 2,
        **_every(10_000),
    },
    "entropy, confidence, 2 ε": {"bound": "confidence", "epsilons": 2, **_every(1_000_000)},
}


def compare(
    methods: Mapping[str, Mapping[str, Any]] | None = None,
    node: Node | None = None,
    *,
    progress: Callable[[str, int, int], object] | None = None,
    **common: Any,
) -> dict[str, Decisions]:
    """Run several methods on one node.

    Parameters
    ----------
    methods : mapping, optional
        Parameters of `decisions` by the name of the method. By default `METHODS`.
    node : Node, optional
        The distribution. By default that of `s1_node`.
    progress : callable, optional
        Called repeatedly with the name of a method, the number of finished repetitions and the
        total.
    **common
        Parameters of `decisions` for all methods. Those of a method take precedence.

    Returns
    -------
    results : dict of str to Decisions
        The results by name, in the order of `methods`.

    Examples
    --------
    >>> found = compare({"1 ε": {}, "2 ε": {"epsilons": 2}}, delta=0.05, repetitions=2_000)
    >>> {name: result.verdict for name, result in found.items()}
    {'1 ε': 'broken', '2 ε': 'kept'}
    """
    found = {}
    for name, own in (METHODS if methods is None else methods).items():

        def report(done: int, total: int, name: str = name) -> None:
            if progress is not None:
                progress(name, done, total)

        found[name] = decisions(node, **{**common, **own}, progress=report)
    return found
