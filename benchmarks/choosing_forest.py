"""Which forest should one take who wants the best accuracy?

The protocol is in docs/choosing.md: `choose` runs the candidates on the streams of the choice and
applies the rule; `report` runs the choice beside every forest and the default tree on the other
half. It was not better there, so StreamForest has not changed.

    python benchmarks/choosing_forest.py choose --out forests.jsonl
    python benchmarks/choosing_forest.py report --out forests.jsonl
"""

from __future__ import annotations

from typing import Any

import choosing_tables as tables
from choosing_streams import CHOOSING, REPORTING

import riparian as rp
from riparian.leaves import Softmax

TODAY = "StreamForest"
CHOICE = "rate 1.5, delta 0.2, step 0.1, grace 100, gini, no warning"
SLOWEST = "StreamingRandomPatches"
RIVALS = ("AdaptiveRandomForest", SLOWEST)

#: The members of StreamForest, and the forest around them.
MEMBER: dict[str, Any] = {
    "grace_period": 50,
    "delta": 0.01,
    "inherit_counts": "count",
    "categorical_cuts": "one-against-rest",
}
FOREST: dict[str, Any] = {"replacement": "background", "warning": 0.01, "drift": 0.001}


def softmax(
    step: float = 0.1, *, rate: float = 1.0, around: dict[str, Any] | None = None, **member: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """A change of the forest and one of its members: softmax leaves, and no runner-up."""
    leaf = ("majority", Softmax(step=step))
    return {"rate": rate} | (around or {}), {"runner_up": "none", "leaf": leaf} | member


NO_WARNING: dict[str, Any] = {"warning": None}
#: Changes of the forest, and of its members. docs/choosing.md says what shorter runs left out.
CHANGES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "softmax": softmax(0.05),
    "delta 0.2, step 0.1": softmax(delta=0.2),
    "delta 0.2, step 0.1, no warning": softmax(delta=0.2, around=NO_WARNING),
    "delta 0.2, step 0.1, gini": softmax(delta=0.2, impurity="gini"),
    "delta 0.2, step 0.1, gini, no warning": softmax(delta=0.2, impurity="gini", around=NO_WARNING),
    "rate 1.3, delta 0.2, step 0.1, gini, no warning": softmax(
        rate=1.3, delta=0.2, impurity="gini", around=NO_WARNING
    ),
    "rate 1.5, delta 0.2, step 0.1, grace 100, gini, no warning": softmax(
        rate=1.5, delta=0.2, grace_period=100, impurity="gini", around=NO_WARNING
    ),
    "rate 1.5, delta 0.1, step 0.1, grace 100, no warning": softmax(
        rate=1.5, delta=0.1, grace_period=100, around=NO_WARNING
    ),
    "rate 1.5, delta 0.1, step 0.1, grace 100, gini": softmax(
        rate=1.5, delta=0.1, grace_period=100, impurity="gini"
    ),
    "rate 1.5, delta 0.1, step 0.1, grace 100, gini, no warning": softmax(
        rate=1.5, delta=0.1, grace_period=100, impurity="gini", around=NO_WARNING
    ),
}


def forest(forest: dict[str, Any], member: dict[str, Any]) -> rp.Forest:
    """A forest that differs from StreamForest in what is given."""
    return rp.Forest(**FOREST | forest, estimator=rp.HoeffdingTree(**MEMBER | member), n_jobs=1)


def as_they_come() -> dict[str, Any]:
    """The forests of the papers with their defaults."""
    return {
        "AdaptiveRandomForest": rp.AdaptiveRandomForest(n_jobs=1),
        "StreamingRandomPatches": rp.StreamingRandomPatches(n_jobs=1),
        "LeveragingBagging": rp.LeveragingBagging(n_jobs=1),
    }


def candidates() -> dict[str, Any]:
    """The forests of the papers, StreamForest, and changes of it."""
    tried = {name: forest(*change) for name, change in CHANGES.items()}
    return as_they_come() | {TODAY: forest({}, {})} | tried


def models() -> dict[str, Any]:
    """The choice, the default, every forest as it comes, and the default tree."""
    return {
        CHOICE: forest(*CHANGES[CHOICE]),
        TODAY: rp.StreamForest(n_jobs=1),
        **as_they_come(),
        "OnlineBagging": rp.OnlineBagging(n_jobs=1),
        "AccuracyWeightedEnsemble": rp.AccuracyWeightedEnsemble(n_jobs=1),
        "StreamTree": rp.StreamTree(),
    }


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    asked = tables.read_arguments(__doc__ or "", arguments)
    if asked.what == "choose":
        _choose(tables.Found.of(candidates(), CHOOSING, (1, 2), asked.out))
    else:
        found = tables.Found.of(models(), REPORTING, (3, 4), asked.out)
        print(found.summary(TODAY))
        for other in (TODAY, *RIVALS):
            print(found.against(CHOICE, other))
        print(found.per_stream(list(models())))
    return 0


def _choose(found: tables.Found) -> None:
    print(found.summary(TODAY))
    most = found.of_model("seconds", SLOWEST).sum()
    seconds = {name: found.of_model("seconds", name).sum() for name in found.models}
    allowed = [name for name in found.models if seconds[name] <= most and name not in RIVALS]
    for name in CHANGES:
        if name not in allowed:
            print(f"- {name}: {seconds[name]:.1f} seconds; {SLOWEST} {most:.1f}")
    ranks = dict(zip(found.models, found.ranks(), strict=True))
    print(f"\nThe choice: {min(allowed, key=ranks.__getitem__)}")


if __name__ == "__main__":
    raise SystemExit(main())
