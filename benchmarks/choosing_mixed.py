"""Is a forest with one other member, in which the better members decide, the most accurate one?

The protocol is in docs/choosing.md ("The protocol of the third choice"). `choose` runs the
candidates on all streams that had been seen and applies the rule; `report` compares the choice with
the other forests and the default trees on fresh streams, and with MOA's where a JDK is found.

    python benchmarks/choosing_mixed.py choose --out mixed.jsonl
    python benchmarks/choosing_mixed.py report --out mixed-report.jsonl
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

import choosing_tables as tables
from choosing_forest import FOREST, MEMBER, NO_WARNING, RIVALS, SLOWEST, TODAY, as_they_come, forest
from choosing_runs import Runs
from choosing_streams import CHOOSING, FRESH, FRESHER, REPORTING, ROWS_OF_THIRD, load
from leaderboard_models import entrants

import riparian as rp

CHOICE = "grace 120, no warning"
#: CPU seconds that a forest of MOA may take for a stream.
LIMIT = 600.0
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
    seeds = (7, 8)
    moa = _run_moa(asked.out, seeds)
    compared = models() | dict.fromkeys(moa)
    found = tables.Found.of(compared, FRESHER, seeds, asked.out, ROWS_OF_THIRD)
    print(found.summary(TODAY))
    for one in (CHOICE, TODAY):
        for other in (TODAY, *RIVALS, "LeveragingBagging", *moa):
            if one != other:
                print(found.against(one, other))
    print(found.per_stream(list(compared)))
    return 0


def _run_moa(out: Path, seeds: tuple[int, ...]) -> list[str]:
    """Run MOA's forests of the same names; return their names, none where there is no JDK."""
    if shutil.which("javac") is None:
        print("MOA left out: no JDK is found", file=sys.stderr)
        return []
    runs = Runs(out, ROWS_OF_THIRD)
    names = [f"MOA {name}" for name in RIVALS]
    for one in entrants(("moa",)):
        for stream in FRESHER if one.name in names else ():
            for seed in seeds:
                if not runs.has(one.name, stream, seed):
                    found = one.run(load(stream, seed, ROWS_OF_THIRD), seed, LIMIT)
                    runs.add(one.name, stream, seed, {"bytes": 0.0, "leaves": 0.0} | found)
    return names


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
