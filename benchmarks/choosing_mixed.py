"""Is a forest with one other member, in which the better members decide, the most accurate one?

The protocol is in docs/choosing.md ("The protocol of the third choice"). `choose` runs the
candidates on all streams that had been seen and applies the rule; `report` runs the choice beside
the other forests and the default trees on fresh streams.

    python benchmarks/choosing_mixed.py choose --out mixed.jsonl
    python benchmarks/choosing_mixed.py report --out mixed-report.jsonl
"""

from __future__ import annotations

from typing import Any

import choosing_tables as tables
from choosing_forest import FOREST, MEMBER, NO_WARNING, RIVALS, SLOWEST, TODAY, as_they_come, forest
from choosing_streams import CHOOSING, FRESH, FRESHER, REPORTING, ROWS_OF_THIRD

import riparian as rp

CHOICE = "grace 120, no warning"
#: How votes are weighed, and the last member.
MIXED: dict[str, Any] = {"vote_power": 12, "vote_memory": 1000, "last_member": rp.StreamTree()}
CANDIDATES: dict[str, rp.Forest] = {
    "grace 100": forest(MIXED, {"grace_period": 100}),
    "grace 120": forest(MIXED, {"grace_period": 120}),
    "grace 100, no warning": forest(MIXED | NO_WARNING, {"grace_period": 100}),
    "grace 120, no warning": forest(MIXED | NO_WARNING, {"grace_period": 120}),
}


def today() -> rp.Forest:
    """StreamForest as it was before this choice."""
    return rp.Forest(**FOREST, estimator=rp.HoeffdingTree(**MEMBER), n_jobs=1)


def models() -> dict[str, Any]:
    """What the report compares: the choice, the default before it, other forests, and trees."""
    return {
        CHOICE: CANDIDATES[CHOICE],
        TODAY: today(),
        **as_they_come(),
        "StreamTree": rp.StreamTree(),
        "VFDT, adaptive": rp.VFDT(leaf="adaptive"),
    }


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    asked = tables.read_arguments(__doc__ or "", arguments)
    if asked.what == "choose":
        seen = CHOOSING + REPORTING + FRESH
        tried = as_they_come() | {TODAY: today()} | CANDIDATES
        _choose(tables.Found.of(tried, seen, (1,), asked.out, ROWS_OF_THIRD))
        return 0
    found = tables.Found.of(models(), FRESHER, (7, 8), asked.out, ROWS_OF_THIRD)
    print(found.summary(TODAY))
    for one in (CHOICE, TODAY):
        for other in (TODAY, *RIVALS, "LeveragingBagging"):
            if one != other:
                print(f"{one}: {found.against(one, other)}")
    print(found.per_stream(list(models())))
    return 0


def _choose(found: tables.Found) -> None:
    print(found.summary(TODAY))
    for name in CANDIDATES:
        for other in RIVALS:
            print(found.against(name, other))
    most = found.of_model("seconds", SLOWEST).sum()
    seconds = {name: found.of_model("seconds", name).sum() for name in found.models}
    ranks = dict(zip(found.models, found.ranks(), strict=True))
    allowed = [name for name in CANDIDATES if seconds[name] <= most]
    print(f"\nThe choice: {min(allowed, key=ranks.__getitem__, default='none is fast enough')}")


if __name__ == "__main__":
    raise SystemExit(main())
