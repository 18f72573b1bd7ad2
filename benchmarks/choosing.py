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

import argparse
import itertools
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from choosing_streams import CHOOSING, HELD_OUT, IN_ORDER, Maker, opened
from sklearn.base import clone
from tables import Table

import riparian as rp
from riparian.evaluate import Comparison, compare, prequential
from riparian.recipes import RECIPES

SEEDS_TO_CHOOSE = (1, 2)
SEEDS_TO_REPORT = (3, 4)
#: Points of accuracy that the default may lose to the baseline on a stream.
MAY_LOSE = 1.0

BASELINE = "VFDT, adaptive"
TIMED = ("agrawal", "led", "random_rbf", "sea", "waveform", "covertype")
TIMED_ROWS = 20_000
#: What stands in the table of each stream.
MAIN = ("StreamTree", "Gini, short memory", BASELINE, "VFDTc", "NIP", "MDT", "VFDT")
THREE = ("majority", "naive-bayes", "idbd")

#: Each axis by itself, from the best of three leaves and the other defaults of HoeffdingTree on.
STEPS: dict[str, dict[str, Any]] = {
    "best of three": {},
    "majority": {"leaf": "majority"},
    "naive-bayes": {"leaf": "naive-bayes"},
    "idbd": {"leaf": "idbd"},
    "naive-bayes or idbd": {"leaf": ("naive-bayes", "idbd")},
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
    "20 cuts": {"n_cuts": 20},
    "50 cuts": {"n_cuts": 50},
    "categories both": {"categorical_cuts": "both"},
    "categories one-against-rest": {"categorical_cuts": "one-against-rest"},
    "inherit count": {"inherit_counts": "count"},
    "inherit none": {"inherit_counts": "none"},
    "adaptive grace": {"adaptive_grace": True},
    "short memory": {"short_memory": 1000},
    "idbd theta 0.003": {"idbd_theta": 0.003},
    "idbd alpha 0.01": {"idbd_alpha": 0.01},
}
#: Values of the axes that helped, in all combinations.
GRID: dict[str, tuple[Any, ...]] = {
    "short_memory": (1000, 3000),
    "idbd_alpha": (0.01, 0.003),
    "categorical_cuts": ("multiway", "one-against-rest"),
    "impurity": ("entropy", "gini"),
    "delta": (1e-7, 1e-3),
}
#: The best of these, and what is changed in it once more: with the last examples kept, and without.
BEST: dict[str, Any] = {
    "short_memory": 3000,
    "idbd_alpha": 0.003,
    "categorical_cuts": "one-against-rest",
    "impurity": "gini",
    "delta": 1e-3,
}
LAST_STEPS: tuple[dict[str, Any], ...] = (
    {"delta": 0.05},
    {"tau": 0.1},
    {"idbd_alpha": 0.001},
    {"n_cuts": 20},
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
    {"idbd_alpha": 0.01},
    {"impurity": "entropy"},
    {"impurity": "entropy", "inherit_counts": "count"},
    {"impurity": "entropy", "delta": 1e-7},
    {"impurity": "entropy", "delta": 1e-7, "inherit_counts": "count"},
)


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=("choose", "report", "speed"))
    parser.add_argument("--out", help="where the runs are kept, as JSON lines")
    parser.add_argument("--images", type=Path, help="folder for the critical-difference diagram")
    options = parser.parse_args(arguments)
    if options.what == "speed":
        _speed()
    elif options.out is None:
        parser.error("--out is needed")
    elif options.what == "choose":
        _choose(options.out)
    else:
        _report(options.out, options.images)
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
        changed = {k: v for k, v in model.get_params().items() if v != getattr(plain, k)}
        name = ", ".join(f"{k}={v}" for k, v in changed.items())
        models[name or "best of three"] = model
    return {BASELINE: rp.VFDT(leaf="adaptive"), **models}


def models() -> dict[str, Any]:
    """The default, and every recipe as it comes, with the other leaves of VFDT."""
    free = {name: recipe() for name, recipe in RECIPES.items() if name != "HoeffdingTree"}
    first = {"StreamTree": free.pop("StreamTree"), BASELINE: rp.VFDT(leaf="adaptive")}
    return {
        **first,
        "Gini, short memory": rp.HoeffdingTree(**BEST | {"leaf": THREE, "short_memory": 10_000}),
        "VFDT, naive-bayes": rp.VFDT(leaf="naive-bayes"),
        "VFDT, best of three": rp.VFDT(leaf=THREE),
        **free,
    }


def runs(
    models: Mapping[str, Any], streams: Mapping[str, Maker], seeds: Iterable[int], out: str
) -> Comparison:
    """Run every model on every stream; one seed where it changes nothing."""
    cells = []
    for n, (name, make) in enumerate(streams.items(), start=1):
        used = [0] if name in IN_ORDER else list(seeds)
        print(f"{n} of {len(streams)}: {name}", file=sys.stderr, flush=True)
        found = compare(models, {name: make}, seeds=used, out=out, n_jobs=1, progress=False)
        cells += found.cells
    return Comparison(cells)


def _choose(out: str) -> None:
    found = runs(candidates(), CHOOSING, SEEDS_TO_CHOOSE, out)
    rows = _summary(found)
    print(_table(f"{len(rows) - 1} candidates on {len(found.streams)} streams", rows))
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
    found = runs(models(), CHOOSING | HELD_OUT, SEEDS_TO_REPORT, out)
    parts = {
        "All streams": found,
        "Held-out streams": Comparison(c for c in found.cells if c.stream in HELD_OUT),
        "Streams of the choice": Comparison(c for c in found.cells if c.stream in CHOOSING),
    }
    for title, part in parts.items():
        ranks = part.ranks()
        print(_table(f"{title} ({len(part.streams)})", _summary(part)))
        print(f"\nFriedman: chi-square {ranks.statistic:.1f}, p = {ranks.p:.2g}; ", end="")
        print(f"critical difference {ranks.critical_difference:.2f}.")
        print(_against_baseline(part, "StreamTree") + "\n")
    print(_per_stream(found))
    if images is not None:
        _draw(found, images)


def _summary(found: Comparison) -> list[dict[str, Any]]:
    """A row a model, the best mean rank first."""
    scores = 100 * found.scores()
    baseline = scores[:, found.models.index(BASELINE)]
    rows = np.array([next(c.rows for c in found.cells if c.stream == s) for s in found.streams])
    long = rows >= 10_000
    table = []
    for i, model in enumerate(found.models):
        gap = scores[:, i] - baseline
        row = {
            "model": model,
            "rank": float(found.ranks().mean[i]),
            "accuracy": float(scores[:, i].mean()),
            "better": int((gap > 0.05).sum()),
            "worse": int((gap < -0.05).sum()),
            "worst": float(gap.min()),
            "best": float(gap.max()),
            "leaves": float(np.median(found.scores("leaves")[long, i])),
        }
        table.append(row)
    return sorted(table, key=lambda row: row["rank"])


def _table(title: str, rows: list[dict[str, Any]]) -> str:
    columns = [
        ("model", "model", "{}"),
        ("mean rank", "rank", "{:.2f}"),
        ("mean accuracy", "accuracy", "{:.2f}"),
        ("better on", "better", "{}"),
        ("worse on", "worse", "{}"),
        ("most lost", "worst", "{:+.2f}"),
        ("most won", "best", "{:+.2f}"),
        ("leaves", "leaves", "{:,.0f}"),
    ]
    return Table(title, columns, rows).as_markdown()


def _per_stream(found: Comparison) -> str:
    """Accuracies of the models that a reader is most likely to take."""
    scores = 100 * found.scores()
    rows = [
        {
            "stream": stream,
            "rows": next(c.rows for c in found.cells if c.stream == stream),
            **{model: scores[i, found.models.index(model)] for model in MAIN},
        }
        for i, stream in enumerate(found.streams)
    ]
    columns = [("stream", "stream", "{}"), ("rows", "rows", "{:,}")]
    columns += [(model, model, "{:.2f}") for model in MAIN]
    parts = {"Streams of the choice": CHOOSING, "Held-out streams": HELD_OUT}
    return "\n\n".join(
        Table(title, columns, [row for row in rows if row["stream"] in part]).as_markdown()
        for title, part in parts.items()
    )


def _against_baseline(found: Comparison, model: str) -> str:
    from scipy.stats import wilcoxon

    scores = found.scores()
    gap = scores[:, found.models.index(model)] - scores[:, found.models.index(BASELINE)]
    p = wilcoxon(gap).pvalue
    return f"{model} against {BASELINE}: Wilcoxon p = {p:.2g}, median {100 * np.median(gap):+.2f}."


def _speed() -> None:
    timed = {name: model for name, model in models().items() if name in MAIN}
    table = []
    for stream in TIMED:
        rows = opened(stream, 1)
        rows.take(TIMED_ROWS)
        best = dict.fromkeys(timed, np.inf)
        for _ in range(3):
            for name, model in timed.items():
                start = process_time()
                prequential(clone(model), rows, rows=TIMED_ROWS, progress=False)
                best[name] = min(best[name], process_time() - start)
        rates = {name: TIMED_ROWS / seconds / 1000 for name, seconds in best.items()}
        table.append({"stream": stream} | rates)
    columns = [("stream", "stream", "{}"), *((name, name, "{:,.0f}") for name in MAIN)]
    print(Table("Thousand rows a second", columns, table).as_markdown())


def _draw(found: Comparison, folder: Path) -> None:
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    from riparian.palette import DARK, LIGHT

    mpl.use("agg")
    for scheme, colours in (("light", LIGHT), ("dark", DARK)):
        with mpl.rc_context({"figure.facecolor": colours["ground"], "savefig.facecolor": "auto"}):
            figure = found.plot_ranks().figure
            figure.savefig(folder / f"choosing-{scheme}.png", dpi=144, metadata={"Software": None})
            plt.close(figure)


if __name__ == "__main__":
    raise SystemExit(main())
