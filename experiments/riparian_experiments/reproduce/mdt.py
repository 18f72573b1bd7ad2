"""mDT: Gaussian clusters (table 1), random trees (table 2), real data (table 3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from riparian import MDT, evaluate, impurities, streams
from riparian.errors import one_of
from riparian.streams.stream import Stream
from riparian_experiments import datasets
from riparian_experiments.reproduce.experiment import Experiment, Parameter, Run, mean
from riparian_experiments.reproduce.mdt_tables import (
    GAINS,
    Figures,
    Published,
    accuracy_claims,
    figure_tables,
    ratio_table,
    size_claims,
)
from riparian_experiments.reproduce.outcome import Outcome, Table
from riparian_experiments.reproduce.published import (
    MDT_CLUSTERS,
    MDT_REAL,
    MDT_SOURCE,
    MDT_TREES,
    VARIANTS,
)

__all__ = ["EXPERIMENTS"]

_ROWS, _FOLDS = 1000, 10
_TREE_FRACTIONS = (0.1, 0.15, 0.2, 0.25)
# The grace period and the number of passes of each data set.
_REAL = {
    "iris": (150, 100),
    "seeds": (200, 100),
    "transfusion": (200, 100),
    "ecoli": (100, 100),
    "wifi": (100, 100),
    "htru2": (500, 70),
    "magic": (500, 1),
    "covertype": (500, 1),
}

_PAIRS = tuple(f"{d}/{k}" for d, k in MDT_TREES)
_SOME = ("4/2", "6/4", "10/10")
#: Pairs of features and classes, the number of data sets per pair, folds, and passes over the rows.
#: The paper has ten seeds in table 1, and in table 2 three seeds with each of four leaf
#: probabilities. Table 2 is measured with the published height of the generating trees, 10, and
#: with 6, which gives about the published numbers of nodes.
TABLE_1: dict[str, dict[str, Parameter]] = {
    "quick": {"pairs": _SOME, "sets": 4, "folds": 3, "passes": 100},
    "reduced": {"pairs": _PAIRS, "sets": 4, "folds": 5, "passes": 100},
    "full": {"pairs": _PAIRS, "sets": 10, "folds": 10, "passes": 100},
}
TABLE_2: dict[str, dict[str, Parameter]] = {
    "quick": {"pairs": _SOME, "sets": 4, "folds": 3, "passes": 100, "heights": (10, 6)},
    "reduced": {"pairs": _PAIRS, "sets": 4, "folds": 5, "passes": 100, "heights": (10, 6)},
    "full": {"pairs": _PAIRS, "sets": 12, "folds": 10, "passes": 100, "heights": (10, 6)},
}
#: Data sets, and number of folds.
_SMALL = ("iris", "seeds", "transfusion", "ecoli")
TABLE_3: dict[str, dict[str, Parameter]] = {
    "quick": {"data": _SMALL, "folds": 5},
    "reduced": {"data": (*_SMALL, "wifi", "htru2", "magic"), "folds": 3},
    "full": {"data": tuple(_REAL), "folds": 10},
}


def _figures(stream: Stream, *, grace_period: int, passes: int, folds: int) -> Figures:
    """Return training and test accuracy, nodes, depth and seconds of each variant and gain."""
    found: Figures = {}
    for gain in GAINS:
        for cuts in VARIANTS:
            # The released code has max_depth 60 and counts the root as level 1.
            model = MDT(
                cuts=cuts,
                impurity=impurities.Misclassification(legacy_gain=gain == "legacy"),
                grace_period=grace_period,
                max_depth=59,
            )
            each = evaluate.folds(model, stream, k=_FOLDS, passes=passes, only=folds)
            found[cuts, gain] = (
                float(each.train_accuracy.mean()),
                float(each.test_accuracy.mean()),
                float(each.nodes.mean()),
                float(each.depth.mean()) + 1.0,
                float(each.seconds.mean()),
            )
    return found


@dataclass(frozen=True)
class _Job:
    """One synthetic data set of table 1 or 2."""

    pair: str
    seed: int
    folds: int
    passes: int
    height: int = 10

    @property
    def shape(self) -> dict[str, int]:
        features, classes = self.pair.split("/")
        return {"n_features": int(features), "n_classes": int(classes), "seed": self.seed}


def _clusters(job: _Job) -> Figures:
    stream = streams.gaussian_clusters(**job.shape, n_rows=_ROWS)
    return _figures(stream, grace_period=500, passes=job.passes, folds=job.folds)


def _trees(job: _Job) -> Figures:
    stream = streams.mdt_tree(
        **job.shape,
        max_height=job.height,
        leaf_fraction=_TREE_FRACTIONS[job.seed % len(_TREE_FRACTIONS)],
        n_rows=_ROWS,
    )
    return _figures(stream, grace_period=500, passes=job.passes, folds=job.folds)


def _real(job: tuple[str, int, int]) -> Figures:
    name, seed, folds = job
    grace_period, passes = _REAL[name]
    published = {"covertype": (10, 7), "magic": (10, 2), "htru2": (8, 2), "transfusion": (4, 2)}
    if datasets.where(name) is None:
        features, classes = published.get(name, (4, 3))
        stream = streams.gaussian_clusters(
            n_features=features, n_classes=classes, separation=1.0, seed=seed, n_rows=_ROWS
        )
    else:
        # The folds are contiguous, so the rows must not be grouped by class.
        stream = _numbers_only(datasets.load(name, shuffle=seed))
    return _figures(stream, grace_period=grace_period, passes=passes, folds=folds)


def _numbers_only(stream: Stream) -> Stream:
    """Drop the categorical features: of cover type the paper uses the ten numeric ones only."""
    kept = [i for i, name in enumerate(stream.names) if name not in stream.categories]
    if len(kept) == len(stream.names):
        return stream

    def make_chunk(number: int) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        X, y = stream.chunk(number)
        return np.ascontiguousarray(X[:, kept]), y

    names = [stream.names[i] for i in kept]
    return Stream(names, stream.classes, stream.n_rows, make_chunk)


def _averaged(found: Sequence[Figures]) -> Figures:
    return {
        key: tuple(mean(f[key][i] for f in found) for i in range(5))  # type: ignore[misc]
        for key in found[0]
    }


def _by_pair(
    run: Run, do: Callable[[_Job], Figures], jobs: list[_Job], what: str
) -> dict[str, Figures]:
    found = run.map(do, jobs, what)
    pairs = dict.fromkeys(job.pair for job in jobs)
    return {
        pair: _averaged([f for job, f in zip(jobs, found, strict=True) if job.pair == pair])
        for pair in pairs
    }


def _labelled(
    published: Mapping[tuple[int, int], Published], found: Mapping[str, Figures]
) -> dict[str, tuple[Published, Figures]]:
    """Return the published and the measured figures by the name of their row."""
    shown = {}
    for pair, figures in found.items():
        features, classes = map(int, pair.split("/"))
        shown[f"D = {features}, K = {classes}"] = (published[features, classes], figures)
    return shown


_SYNTHETIC_SETTINGS = {
    "rows": f"{_ROWS:,}",
    "model": "MDT(grace_period=500, delta=1e-7, tau=0.15, max_depth=59)",
}
_SYNTHETIC_NOTES = [
    "The released code passes over the same 1,000 rows a hundred times, which the paper does not "
    "mention. The bound does not hold for repeated rows.",
    "The pairs of D (features) and K (classes) are inferred: the text of the paper that is "
    "available has lost these columns. The order is that of the released list of experiments. The "
    "rows with K = 2 are recognised by their small trees of intersections, and the order within a "
    "K by the training times, which rise with D.",
]


def _table_1(run: Run, *, pairs: tuple[str, ...], sets: int, folds: int, passes: int) -> Outcome:
    jobs = [_Job(pair, run.seed + i, folds, passes) for pair in pairs for i in range(sets)]
    found = _by_pair(run, _clusters, jobs, "mDT, table 1")
    shown = _labelled(MDT_CLUSTERS, found)
    return Outcome(
        claims=size_claims(found) + accuracy_claims(shown),
        settings=dict(_SYNTHETIC_SETTINGS),
        notes=[
            *_SYNTHETIC_NOTES,
            "The parameters of the paper's Gaussian data are not known; separation is 2.",
        ],
        tables=[ratio_table({"": shown}), *figure_tables(shown)],
    )


def _table_2(
    run: Run,
    *,
    pairs: tuple[str, ...],
    sets: int,
    folds: int,
    passes: int,
    heights: tuple[int, ...],
) -> Outcome:
    claims: list[str] = []
    tables: list[Table] = []
    shown = {}
    for height in heights:
        jobs = [
            _Job(pair, run.seed + i, folds, passes, height) for pair in pairs for i in range(sets)
        ]
        found = _by_pair(run, _trees, jobs, f"mDT, table 2, height {height}")
        name = f"heights 3 to {height}"
        shown[name] = _labelled(MDT_TREES, found)
        claims += [
            f"{name.capitalize()}: {claim}"
            for claim in size_claims(found) + accuracy_claims(shown[name])
        ]
        tables += figure_tables(shown[name], f", {name}")
    return Outcome(
        claims=claims,
        settings=dict(_SYNTHETIC_SETTINGS),
        notes=[
            *_SYNTHETIC_NOTES,
            "The published height of the generating trees is 10. With 10 all accuracies are below "
            "the published ones. Height 6 is not published; it is shown because the numbers of "
            "nodes come closest with it. Its accuracies are above the published ones, so that "
            "neither height gives the whole table.",
        ],
        tables=[ratio_table(shown), *tables],
    )


def _table_3(run: Run, *, data: tuple[str, ...], folds: int) -> Outcome:
    jobs = [(one_of("data", name, _REAL), run.seed, folds) for name in data]
    found = dict(zip(data, run.map(_real, jobs, "mDT, table 3"), strict=True))
    absent = [name for name in data if datasets.where(name) is None]
    shown = {
        name if name not in absent else f"generated, for {name}": (MDT_REAL[name], found[name])
        for name in data
    }
    return Outcome(
        claims=size_claims(found) + accuracy_claims(shown),
        settings={"passes and checks": "as in the released code, where it has them"},
        notes=[
            "Rows are shuffled before they are divided into folds, because several of the files "
            "are grouped by class.",
            *(
                [
                    "The released settings do not give the number of passes over MAGIC and cover "
                    "type. Here it is one; the published tree sizes suggest more."
                ]
                if {"magic", "covertype"} & set(data)
                else []
            ),
            *(
                [f"Not available and replaced by generated data: {', '.join(absent)}."]
                if absent
                else []
            ),
        ],
        tables=[ratio_table({"": shown}), *figure_tables(shown)],
    )


EXPERIMENTS = (
    Experiment("mdt-table-1", "mDT, table 1: Gaussian clusters", MDT_SOURCE, _table_1, TABLE_1),
    Experiment("mdt-table-2", "mDT, table 2: random trees", MDT_SOURCE, _table_2, TABLE_2),
    Experiment("mdt-table-3", "mDT, table 3: real data", MDT_SOURCE, _table_3, TABLE_3),
)
