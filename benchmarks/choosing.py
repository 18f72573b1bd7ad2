"""Which tree should one take who does not know the stream?

The protocol is in docs/choosing.md: `choose` runs the candidates on the streams of the choice and
applies the rule; `report` compares the choice with every recipe on the other half.

    python benchmarks/choosing.py choose --out runs.jsonl [--only NAME ...]
    python benchmarks/choosing.py report --out runs.jsonl
"""

from __future__ import annotations

from typing import Any

import choosing_tables as tables
import numpy as np
from choosing_streams import CHANGING, CHOOSING, REPORTING

import riparian as rp
from riparian.adaptation import Alternates
from riparian.cuts import Bins
from riparian.leaves import LinearUnits, Softmax
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


def step(size: float) -> tuple[Any, ...]:
    """The three leaf predictors, with another first step of the linear units."""
    return ("majority", "naive-bayes", LinearUnits(step=size))


def softmax(size: float) -> tuple[Any, ...]:
    """The three leaf predictors, with multinomial logistic regression as the third."""
    return ("majority", "naive-bayes", Softmax(step=size))


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
    "softmax": {"leaf": softmax(0.02)},
    "alternates": {"adaptation": "alternates"},
    "alternates, bootstrap": {"adaptation": Alternates(bootstrap=True)},
    "re-evaluation": {"adaptation": "reevaluation"},
    "options": {"adaptation": "options"},
}


#: What helped most, together; and changes of it.
TOGETHER: dict[str, Any] = {"leaf": softmax(0.02), "runner_up": "none"}
WITH_TOGETHER: dict[str, dict[str, Any]] = {
    "nothing": {},
    "step 0.01": {"leaf": softmax(0.01)},
    "step 0.05": {"leaf": softmax(0.05)},
    "linear units": {"leaf": (*softmax(0.02), LinearUnits(step=0.003))},
    "no majority": {"leaf": softmax(0.02)[1:]},
    "alternates": {"adaptation": "alternates"},
    "alternates, bootstrap": {"adaptation": Alternates(bootstrap=True)},
    "re-evaluation": {"adaptation": "reevaluation"},
    "both kinds of cuts": {"categorical_cuts": "both"},
    "multiway cuts": {"categorical_cuts": "multiway"},
    "inherit to predict": {"inherit_counts": "predict"},
    "gini": {"impurity": "gini"},
    "delta 1e-3": {"delta": 1e-3},
    "tau 0.1": {"tau": 0.1},
    "short memory 1000": {"short_memory": 1000},
    "combined cuts": {"cuts": "combined"},
}
#: The same with alternates and larger steps, and changes of it.
FOLLOWING: dict[str, Any] = TOGETHER | {"leaf": softmax(0.05), "adaptation": "alternates"}
WITH_FOLLOWING: dict[str, dict[str, Any]] = {
    "nothing": {},
    "step 0.1": {"leaf": softmax(0.1)},
    "step 0.2": {"leaf": softmax(0.2)},
    "combined cuts": {"cuts": "combined"},
    "20 cuts": {"cuts": Bins(count=20)},
    "grace 100": {"grace_period": 100},
    "grace 400": {"grace_period": 400},
    "adaptive grace": {"adaptive_grace": True},
    "delta 1e-6": {"delta": 1e-6},
    "delta 1e-5": {"delta": 1e-5},
    "delta 1e-4": {"delta": 1e-4},
    "delta 1e-3": {"delta": 1e-3},
    "tau 0": {"tau": 0.0},
    "tau 0.02": {"tau": 0.02},
    "branches of 5 %": {"min_branch_fraction": 0.05},
    "branches of any size": {"min_branch_fraction": 0.0},
    "inherit to predict": {"inherit_counts": "predict"},
    "gini": {"impurity": "gini"},
    "drift delta 0.01": {"adaptation": Alternates(drift_delta=0.01)},
    "drift delta 0.05": {"adaptation": Alternates(drift_delta=0.05)},
    "switch after 100": {"adaptation": Alternates(switch_after=100.0)},
    "switch delta 0.2": {"adaptation": Alternates(switch_delta=0.2)},
    "linear units": {"leaf": (*softmax(0.05), LinearUnits(step=0.003))},
    "no majority": {"leaf": softmax(0.05)[1:]},
    "empirical Bernstein": {"bound": "empirical-bernstein"},
    "delta method": {"bound": "delta-method"},
    "delta 1e-5, no alternates": {"delta": 1e-5, "adaptation": "none"},
    "delta 1e-5, combined cuts": {"delta": 1e-5, "cuts": "combined"},
    "delta 1e-5, 20 cuts": {"delta": 1e-5, "cuts": Bins(count=20)},
    "delta 1e-5, grace 100": {"delta": 1e-5, "grace_period": 100},
    "delta 1e-5, gini": {"delta": 1e-5, "impurity": "gini"},
    "delta 1e-5, tau 0.07": {"delta": 1e-5, "tau": 0.07},
    "delta 1e-5, inherit to predict": {"delta": 1e-5, "inherit_counts": "predict"},
    "delta 1e-5, betting": {"delta": 1e-5, "adaptation": Alternates(replace_by="betting")},
}


def candidates() -> dict[str, Any]:
    """Every composition that was tried, and what they are compared with."""
    tried = {name: START | change for name, change in ALONE.items()}
    for name, change in WITH_TOGETHER.items():
        tried[f"together: {name}"] = START | TOGETHER | change
    for name, change in WITH_FOLLOWING.items():
        tried[f"following: {name}"] = START | FOLLOWING | change
    return {
        BASELINE: rp.VFDT(leaf="adaptive"),
        FOLLOWER: rp.HAT(),
        TODAY: rp.HoeffdingTree(**START),
        **{name: rp.HoeffdingTree(**parameters) for name, parameters in tried.items()},
    }


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
