"""Which forest should one take who wants the best accuracy?

The protocol is in docs/choosing.md ("The protocol of the second choice"). `choose` runs the
candidates on all streams that had been seen and applies the rule; `report` compares the choice with
the other forests and the default trees on fresh streams.

    python benchmarks/choosing_forest.py choose --out forests.jsonl
    python benchmarks/choosing_forest.py report --out forests-report.jsonl
"""

from __future__ import annotations

from typing import Any

import choosing_tables as tables
from choosing_streams import CHOOSING, FRESH, REPORTING

import riparian as rp

TODAY = "StreamForest"
CHOICE = "grace 120, delta 0.05"
SLOWEST = "StreamingRandomPatches"
RIVALS = ("AdaptiveRandomForest", SLOWEST)

#: The members of the StreamForest of that time, and the forest around them.
MEMBER: dict[str, Any] = {
    "grace_period": 50,
    "delta": 0.01,
    "inherit_counts": "count",
    "categorical_cuts": "one-against-rest",
}
FOREST: dict[str, Any] = {"replacement": "background", "warning": 0.01, "drift": 0.001}


NO_WARNING: dict[str, Any] = {"warning": None}
#: Changes of the forest, and of its members. docs/choosing.md says what shorter runs left out.
CHANGES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "grace 100": ({}, {"grace_period": 100}),
    "grace 100, no warning": (NO_WARNING, {"grace_period": 100}),
    "grace 100, delta 0.05, no warning": (NO_WARNING, {"grace_period": 100, "delta": 0.05}),
    "grace 100, delta 0.1, no warning": (NO_WARNING, {"grace_period": 100, "delta": 0.1}),
    "grace 120, delta 0.05": ({}, {"grace_period": 120, "delta": 0.05}),
    "grace 120, delta 0.05, no warning": (NO_WARNING, {"grace_period": 120, "delta": 0.05}),
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
    """What the report compares: the choice, the default before it, other forests, and trees."""
    return {
        CHOICE: forest(*CHANGES[CHOICE]),
        TODAY: forest({}, {}),
        **as_they_come(),
        "StreamTree": rp.StreamTree(),
        "VFDT, adaptive": rp.VFDT(leaf="adaptive"),
    }


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    asked = tables.read_arguments(__doc__ or "", arguments)
    if asked.what == "choose":
        _choose(tables.Found.of(candidates(), CHOOSING + REPORTING, (1, 2), asked.out))
    else:
        found = tables.Found.of(models(), FRESH, (5, 6), asked.out)
        print(found.summary(TODAY))
        for one in (CHOICE, TODAY):
            for other in (TODAY, *RIVALS):
                if one != other:
                    print(f"{one}: {found.against(one, other)}")
        print(found.against("StreamTree", "VFDT, adaptive"))
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
