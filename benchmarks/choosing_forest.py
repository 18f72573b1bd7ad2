"""Which forest should one take who wants the best accuracy?

As choosing.py does for single trees, with forests of ten members and one seed. `choose` runs each
forest as it comes and compositions near the adaptive random forest on the streams of the choice,
one after the other. Who loses to AdaptiveRandomForest by more than one point of accuracy on one of
at least 1,000 rows is out, and runs on no other. The choice is the best mean rank of who is left.
`report` runs that choice, `StreamForest`, beside every forest, the default tree and trees that
follow change on all streams with another seed; half of the streams had no part in the choice.

    python benchmarks/choosing_forest.py choose --out runs.jsonl
    python benchmarks/choosing_forest.py report --out runs.jsonl [--images docs/images]
    python benchmarks/choosing_forest.py speed
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import choosing_tables as tables
from choosing_streams import CHOOSING, HELD_OUT

import riparian as rp

#: Changes of the forest, and of its members.
Change = tuple[dict[str, Any], dict[str, Any]]

SEEDS_TO_CHOOSE = (1,)
SEEDS_TO_REPORT = (3,)
MAY_LOSE = 1.0
ROWS_TO_JUDGE = 1_000

BASELINE = "AdaptiveRandomForest"
MAIN = (
    "StreamForest",
    BASELINE,
    "StreamingRandomPatches",
    "LeveragingBagging",
    "UFFT",
    "StreamTree",
    "HAT",
    "EFDT",
)

#: What all members share unless a candidate says otherwise: those of AdaptiveRandomForest.
MEMBER: dict[str, Any] = {"grace_period": 50, "delta": 0.01, "inherit_counts": "count"}
START: dict[str, Any] = {
    "replacement": "background",
    "warning": 0.01,
    "drift": 0.001,
    "leaf_features": 0.6,
}
ONE_VALUE: dict[str, Any] = {"categorical_cuts": "one-against-rest"}
PREDICT: dict[str, Any] = ONE_VALUE | {"inherit_counts": "predict"}
GINI: dict[str, Any] = ONE_VALUE | {"impurity": "gini"}
COMPOSITIONS: tuple[Change, ...] = (
    ({}, ONE_VALUE),
    ({"leaf_features": 0.8}, ONE_VALUE),
    ({"leaf_features": None}, ONE_VALUE),
    ({"rate": 1.0}, ONE_VALUE),
    ({"rate": 3.0}, ONE_VALUE),
    ({"rate": 4.0}, ONE_VALUE),
    ({}, ONE_VALUE | {"grace_period": 100}),
    ({}, PREDICT),
    ({}, PREDICT | {"delta": 0.05}),
    ({"leaf_features": 0.8}, PREDICT),
    ({"rate": 4.0}, PREDICT),
    ({}, GINI),
    ({"rate": 3.0}, GINI),
    ({}, GINI | {"delta": 1e-4}),
    ({"features": 0.8, "drawn_background": True}, ONE_VALUE),
    ({"features": 0.6, "leaf_features": None, "drawn_background": True}, ONE_VALUE),
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


def forest(forest: dict[str, Any], member: dict[str, Any]) -> rp.Forest:
    """A forest that differs from AdaptiveRandomForest in what is given."""
    tree = rp.HoeffdingTree(**MEMBER | member)
    return rp.Forest(**START | forest, estimator=tree, n_jobs=1)


def named(changes: dict[str, Any]) -> str:
    """What a candidate is called by."""
    return ", ".join(f"{name}={value}" for name, value in changes.items())


def candidates() -> dict[str, Any]:
    """The forests of the papers, and the compositions."""
    return as_they_come() | {named(f | m): forest(f, m) for f, m in COMPOSITIONS}


def as_they_come() -> dict[str, Any]:
    """The forests of the papers with their defaults."""
    return {
        BASELINE: rp.AdaptiveRandomForest(n_jobs=1),
        "StreamingRandomPatches": rp.StreamingRandomPatches(n_jobs=1),
        "LeveragingBagging": rp.LeveragingBagging(n_jobs=1),
        "OnlineBagging": rp.OnlineBagging(n_jobs=1),
        "AccuracyWeightedEnsemble": rp.AccuracyWeightedEnsemble(n_jobs=1),
        "UFFT": rp.UFFT(n_jobs=1),
    }


def models() -> dict[str, Any]:
    """The default, every forest as it comes, the default tree, and trees that follow change."""
    return {
        "StreamForest": rp.StreamForest(n_jobs=1),
        **as_they_come(),
        "StreamTree": rp.StreamTree(),
        "HAT": rp.HAT(),
        "EFDT": rp.EFDT(),
        "CVFDT": rp.CVFDT(),
    }


def _choose(out: str) -> None:
    left = candidates()
    tried = len(left)
    for name, make in CHOOSING.items():
        found = tables.runs(left, {name: make}, SEEDS_TO_CHOOSE, out)
        if found.cells[0].rows < ROWS_TO_JUDGE:
            continue
        for row in tables.summary(found, BASELINE):
            if row["worst"] < -MAY_LOSE - 1e-9:
                print(f"- out by {row['worst']:+.2f} on {name}: {row['model']}")
                del left[row["model"]]
    rows = tables.summary(tables.runs(left, CHOOSING, SEEDS_TO_CHOOSE, out), BASELINE)
    print(tables.ranked(f"Who is left of {tried}, on {len(CHOOSING)} streams", rows))
    print(f"\nThe choice: {rows[0]['model']}")


def _report(out: str, images: Path | None) -> None:
    found = tables.runs(models(), CHOOSING | HELD_OUT, SEEDS_TO_REPORT, out)
    tables.report(found, "StreamForest", [BASELINE, "StreamingRandomPatches"], MAIN)
    if images is not None:
        tables.draw_ranks(found, images, "choosing-forest")


if __name__ == "__main__":
    raise SystemExit(main())
