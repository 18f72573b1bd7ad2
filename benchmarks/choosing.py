"""Which tree should one take who does not know the stream?

`choose` runs the candidates for the default on one half of the streams (choosing_streams.py) with
two seeds: every axis by itself, the combinations of what helped, and changes of the best of these.
The choice is the candidate with the best mean rank among those that keep no examples and that lose
to VFDT with adaptive leaves by more than one point of accuracy on none of these streams. `report`
then runs that choice, `StreamTree`, beside every recipe on all streams with two other seeds; half
of the streams had no part in the choice.

Each row is predicted before it is learned; accuracy is over all rows. Runs are kept in a file, so
what is broken off goes on where it was. Real data sets must lie in the folder that the environment
variable RIPARIAN_DATA names. Progress goes to standard error, the tables of docs/choosing.md to
standard output.

    python benchmarks/choosing.py choose --out runs.jsonl
    python benchmarks/choosing.py report --out runs.jsonl [--images docs/images]
    python benchmarks/choosing.py speed

`speed` tells thousand rows a second by processor time, predicted, learned and evaluated, the best
of three runs that alternate.
"""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import choosing_tables as tables
from choosing_streams import CHOOSING, HELD_OUT

import riparian as rp
from riparian.cuts import Bins
from riparian.leaves import LinearUnits
from riparian.models.registry import RECIPES

SEEDS_TO_CHOOSE = (1, 2)
SEEDS_TO_REPORT = (3, 4)
#: Points of accuracy that the default may lose to the baseline on a stream.
MAY_LOSE = 1.0

BASELINE = "VFDT, adaptive"
#: What stands in the table of each stream.
MAIN = ("StreamTree", "Gini, short memory", BASELINE, "VFDTc", "NIP", "MDT", "VFDT")
THREE = ("majority", "naive-bayes", "linear-units")


def with_step(step: float) -> tuple[Any, ...]:
    """The best of three leaves, whose linear units begin with another step size."""
    return (*THREE[:2], LinearUnits(step=step))


#: Each axis by itself, from the best of three leaves and the other defaults of HoeffdingTree on.
STEPS: dict[str, dict[str, Any]] = {
    "best of three": {},
    "majority": {"leaf": "majority"},
    "naive-bayes": {"leaf": "naive-bayes"},
    "linear-units": {"leaf": "linear-units"},
    "naive-bayes or linear-units": {"leaf": ("naive-bayes", "linear-units")},
    "gini": {"impurity": "gini"},
    "misclassification, normal": {"impurity": "misclassification", "bound": "normal"},
    "hybrid, normal": {"impurity": "hybrid", "bound": "normal"},
    "hybrid, hoeffding": {"impurity": "hybrid"},
    "delta-method": {"bound": "delta-method"},
    "two epsilons": {"epsilons": 2},
    "tau 0.02": {"tau": 0.02},
    "tau 0.1": {"tau": 0.1},
    "tau 0.2": {"tau": 0.2},
    "grace 50": {"grace_period": 50},
    "grace 100": {"grace_period": 100},
    "grace 400": {"grace_period": 400},
    "delta 1e-5": {"delta": 1e-5},
    "delta 1e-3": {"delta": 1e-3},
    "delta 0.05": {"delta": 0.05},
    "cuts combined": {"cuts": "combined"},
    "cuts intersections": {"cuts": "intersections"},
    "20 cuts": {"cuts": Bins(count=20)},
    "50 cuts": {"cuts": Bins(count=50)},
    "categories both": {"categorical_cuts": "both"},
    "categories one-against-rest": {"categorical_cuts": "one-against-rest"},
    "inherit count": {"inherit_counts": "count"},
    "inherit none": {"inherit_counts": "none"},
    "adaptive grace": {"adaptive_grace": True},
    "short memory": {"short_memory": 1000},
    "meta step 0.003": {"leaf": (*THREE[:2], LinearUnits(meta_step=0.003))},
    "first step 0.01": {"leaf": with_step(0.01)},
}
#: Values of the axes that helped, in all combinations.
GRID: dict[str, tuple[Any, ...]] = {
    "short_memory": (1000, 3000),
    "leaf": (with_step(0.01), with_step(0.003)),
    "categorical_cuts": ("multiway", "one-against-rest"),
    "impurity": ("entropy", "gini"),
    "delta": (1e-7, 1e-3),
}
#: The best of these, and what is changed in it once more: with the last examples kept, and without.
BEST: dict[str, Any] = {
    "short_memory": 3000,
    "leaf": with_step(0.003),
    "categorical_cuts": "one-against-rest",
    "impurity": "gini",
    "delta": 1e-3,
}
LAST_STEPS: tuple[dict[str, Any], ...] = (
    {"delta": 0.05},
    {"tau": 0.1},
    {"leaf": with_step(0.001)},
    {"cuts": Bins(count=20)},
    {"inherit_counts": "count"},
    {"grace_period": 100},
)
WITH_MEMORY: tuple[dict[str, Any], ...] = (
    {"short_memory": 10_000},
    {"short_memory_in_bound": True},
)
WITHOUT: tuple[dict[str, Any], ...] = (
    {},
    {"delta": 1e-5},
    {"leaf": with_step(0.01)},
    {"impurity": "entropy"},
    {"impurity": "entropy", "inherit_counts": "count"},
    {"impurity": "entropy", "delta": 1e-7},
    {"impurity": "entropy", "delta": 1e-7, "inherit_counts": "count"},
)


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    asked = tables.read_arguments(__doc__ or "", arguments)
    if asked.what == "speed":
        tables.print_speed({name: model for name, model in models().items() if name in MAIN})
    elif asked.what == "choose":
        _choose(asked.out)
    else:
        _report(asked.out, asked.images)
    return 0


def candidates() -> dict[str, Any]:
    """Every composition that was tried for the default, and the baseline."""
    tried = [*STEPS.values()]
    for values in itertools.product(*GRID.values()):
        tried.append(dict(zip(GRID, values, strict=True)))
    tried += [BEST | step for step in (*LAST_STEPS, *WITH_MEMORY)]
    tried += [BEST | {"short_memory": 0} | step for step in (*LAST_STEPS, *WITHOUT)]
    plain = rp.HoeffdingTree(leaf=THREE)
    models = {}
    for parameters in tried:
        model = rp.HoeffdingTree(**{"leaf": THREE} | parameters)
        changed = {k: v for k, v in model.get_params(deep=False).items() if v != getattr(plain, k)}
        name = ", ".join(f"{k}={v}" for k, v in changed.items())
        models[name or "best of three"] = model
    return {BASELINE: rp.VFDT(leaf="adaptive"), **models}


def models() -> dict[str, Any]:
    """The default, and every recipe as it comes, with the other leaves of VFDT."""
    free = {name: recipe() for name, recipe in RECIPES.items() if name != "HoeffdingTree"}
    first = {"StreamTree": free.pop("StreamTree"), BASELINE: rp.VFDT(leaf="adaptive")}
    return {
        **first,
        "Gini, short memory": rp.HoeffdingTree(**BEST | {"short_memory": 10_000}),
        "VFDT, naive-bayes": rp.VFDT(leaf="naive-bayes"),
        "VFDT, best of three": rp.VFDT(leaf=THREE),
        **free,
    }


def _choose(out: str) -> None:
    found = tables.runs(candidates(), CHOOSING, SEEDS_TO_CHOOSE, out)
    rows = tables.summary(found, BASELINE)
    print(tables.ranked(f"{len(rows) - 1} candidates on {len(found.streams)} streams", rows))
    named = candidates()
    allowed = [
        row["model"]
        for row in rows
        if row["worst"] > -MAY_LOSE - 1e-9
        and row["model"] != BASELINE
        and not named[row["model"]].short_memory
    ]
    print(f"\nThe choice: {allowed[0] if allowed else 'none'}")


def _report(out: str, images: Path | None) -> None:
    found = tables.runs(models(), CHOOSING | HELD_OUT, SEEDS_TO_REPORT, out)
    tables.report(found, "StreamTree", [BASELINE], MAIN)
    if images is not None:
        tables.draw_ranks(found, images, "choosing")


if __name__ == "__main__":
    raise SystemExit(main())
