"""Which tree should one take who does not know the stream?

The protocol is in docs/choosing.md: `choose` runs the candidates on the streams of the choice and
applies the rule; `report` runs the choice beside every recipe on the other half.

    python benchmarks/choosing.py choose --out runs.jsonl [--only NAME ...]
    python benchmarks/choosing.py report --out runs.jsonl
"""

from __future__ import annotations

from typing import Any

import choosing_tables as tables
import numpy as np
from choosing_streams import CHANGING, CHOOSING, REPORTING

import riparian as rp
from riparian.adaptation import Alternates, Reevaluation
from riparian.leaves import LinearUnits
from riparian.models.registry import RECIPES

BASELINE = "VFDT, adaptive"
TODAY = "today"
FOLLOWER = "HAT"
#: The limits of the rule.
MAY_LOSE = 1.0
TIMES_THE_SECONDS = 2.5
TIMES_THE_BYTES = 3.0
SAME_RANK = 0.2

#: StreamTree before this choice.
START: dict[str, Any] = {
    "leaf": ("majority", "naive-bayes", LinearUnits(step=0.003)),
    "categorical_cuts": "one-against-rest",
    "inherit_counts": "count",
}


def step(size: float, **others: Any) -> tuple[Any, ...]:
    """The three leaf predictors, with another first step of the linear units."""
    return ("majority", "naive-bayes", LinearUnits(step=size, **others))


#: One change of it each.
ALONE: dict[str, dict[str, Any]] = {
    "gini": {"impurity": "gini"},
    "no runner-up": {"runner_up": "none"},
    "delta 1e-3": {"delta": 1e-3},
    "delta 0.05": {"delta": 0.05},
    "tau 0.1": {"tau": 0.1},
    "grace 100": {"grace_period": 100},
    "empirical Bernstein": {"bound": "empirical-bernstein"},
    "delta method": {"bound": "delta-method"},
    "combined cuts": {"cuts": "combined"},
    "short memory 1000": {"short_memory": 1000},
    "step 0.01": {"leaf": step(0.01)},
    "step 0.001": {"leaf": step(0.001)},
    "step 0.05": {"leaf": step(0.05)},
    "softmax": {"leaf": ("majority", "naive-bayes", "softmax")},
    "alternates": {"adaptation": "alternates"},
    "alternates, bootstrap": {"adaptation": Alternates(bootstrap=True)},
    "re-evaluation": {"adaptation": "reevaluation"},
    "options": {"adaptation": "options"},
}


def candidates() -> dict[str, Any]:
    """Every composition that was tried, and what they are compared with."""
    first = {
        BASELINE: rp.VFDT(leaf="adaptive"),
        FOLLOWER: rp.HAT(),
        TODAY: rp.HoeffdingTree(**START),
    }
    return first | {name: rp.HoeffdingTree(**START | change) for name, change in ALONE.items()}


def models() -> dict[str, Any]:
    """The default, the one before it, and every recipe as it comes."""
    free = {name: recipe() for name, recipe in RECIPES.items() if name != "HoeffdingTree"}
    return {
        "StreamTree": free.pop("StreamTree"),
        TODAY: rp.HoeffdingTree(**START),
        BASELINE: rp.VFDT(leaf="adaptive"),
        **free,
    }


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    asked = tables.read_arguments(__doc__ or "", arguments)
    if asked.what == "choose":
        _choose(tables.Found.of(candidates(), CHOOSING, (1, 2), asked.out))
    else:
        found = tables.Found.of(models(), REPORTING, (3, 4), asked.out)
        print(found.summary(BASELINE))
        for other in (TODAY, BASELINE):
            print(found.against("StreamTree", other))
        print(found.per_stream(["StreamTree", TODAY, BASELINE, "HAT", "EFDT", "CertifiedTree"]))
    return 0


def _choose(found: tables.Found) -> None:
    print(found.summary(BASELINE))
    changing = [CHOOSING.index(name) for name in CHANGING]
    allowed = []
    for name in found.models:
        if name in (BASELINE, FOLLOWER):
            continue
        broken = []
        lost = found.gap(name, BASELINE).min()
        if lost < -MAY_LOSE - 1e-9:
            broken.append(f"{lost:+.2f} on {CHOOSING[int(found.gap(name, BASELINE).argmin())]}")
        followed = found.gap(name, FOLLOWER)[changing].mean()
        if followed < 0:
            broken.append(f"{followed:+.2f} below {FOLLOWER} on the streams that change")
        seconds = found.of_model("seconds", name).sum() / found.of_model("seconds", TODAY).sum()
        if seconds > TIMES_THE_SECONDS:
            broken.append(f"{seconds:.2f} times the seconds")
        ratio = found.of_model("bytes", name) / found.of_model("bytes", TODAY)
        size = float(np.exp(np.log(ratio).mean()))
        if size > TIMES_THE_BYTES:
            broken.append(f"{size:.2f} times the bytes")
        if broken:
            print(f"- {name}: {'; '.join(broken)}")
        else:
            allowed.append(name)
    if not allowed:
        print("\nNo candidate keeps the rule.")
        return
    ranks = dict(zip(found.models, found.ranks(), strict=True))
    best = min(ranks[name] for name in allowed)
    close = [name for name in allowed if ranks[name] < best + SAME_RANK]
    losses = {name: float(found.of_model("log_loss", name).mean()) for name in close}
    print(f"\nThe choice: {min(losses, key=losses.__getitem__)}")


if __name__ == "__main__":
    raise SystemExit(main())
