"""What does it cost, and what is it worth, to certify every split?

`streams` compares CertifiedTree with VFDT with adaptive leaves, CTree and StreamTree on the streams
of choosing_streams.py, each row predicted before it is learned. It prints accuracy, leaves, rows to
the first split and the kinds of certificates. `truth` counts splits whose own certificate is wrong,
on generators that make as many fresh rows as one likes: a split is wrong if a rival that it names
has a larger gain on 200,000 other rows (by `tau` or more for "within"), or if the split has none. A
difference within two standard errors counts as right. `cost` prints rows per second and bytes per
leaf.

    python benchmarks/certified_trees.py streams [--rows 50000] [--seeds 1]
    python benchmarks/certified_trees.py truth | cost

Real data sets must lie in the folder that the environment variable RIPARIAN_DATA names; those that
are not there are left out. The tables go to standard output, as markdown, for docs/certainty.md.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from time import process_time
from typing import Any

import choosing_streams
import numpy as np
from numpy.typing import NDArray
from tables import Table

import riparian as rp
from riparian import streams

MODELS: dict[str, Callable[[], Any]] = {
    "CertifiedTree": rp.CertifiedTree,
    "VFDT": lambda: rp.VFDT(leaf="adaptive"),
    "CTree": rp.CTree,
    "StreamTree": rp.StreamTree,
}
#: Wide streams are shorter, as each run takes longer there.
MOST_VALUES = 2_500_000


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("task", choices=["streams", "truth", "cost"])
    parser.add_argument("--rows", type=int, default=50_000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--only", help="streams to run, separated by semicolons")
    options = parser.parse_args(arguments)
    {"streams": on_streams, "truth": truth, "cost": cost}[options.task](options)
    return 0


# -- all streams -----------------------------------------------------------------------------------


def on_streams(options: argparse.Namespace) -> None:
    """Compare the trees on all streams."""
    every = [*choosing_streams.CHOOSING, *choosing_streams.REPORTING]
    chosen = options.only.split(";") if options.only else every
    rows: list[dict[str, Any]] = []
    kinds: dict[str, Counter[str]] = {label: Counter() for label in MODELS}
    for name in chosen:
        try:
            data = choosing_streams.load(name, 1, options.rows)
        except (OSError, ValueError) as error:
            print(f"{name} left out: {error}", file=sys.stderr)
            continue
        n = min(options.rows, MOST_VALUES // data.X.shape[1])
        X, y = data.X[:n], data.y[:n]
        row: dict[str, Any] = {"stream": name}
        for label, make in MODELS.items():
            model = make().set_params(categorical_features=data.nominal or None)
            hits = model.prequential(X, y) == y
            splits = model.splits()
            row[label] = 100.0 * float(np.mean(hits))
            row[f"{label} leaves"] = model.n_leaves_
            if splits:
                row[f"{label} first"] = splits[0].seen
            kinds[label].update(split.reason for split in splits)
        print(row, file=sys.stderr, flush=True)
        rows.append(row)
    means = {label: float(np.mean([row[label] for row in rows])) for label in MODELS}
    mean: dict[str, Any] = {"stream": f"mean of {len(rows)}", **means}
    columns = [("stream", "stream", "{}")]
    columns += [(label, label, "{:.1f}") for label in MODELS]
    columns += [(f"leaves, {label}", f"{label} leaves", "{:,}") for label in MODELS]
    columns += [(f"first split, {label}", f"{label} first", "{:,}") for label in MODELS]
    title = (
        "Prequential accuracy in percent, leaves, and rows before the first split, first "
        f"{options.rows:,} rows"
    )
    Table(title, columns, [*rows, mean]).print(markdown=True)
    for label, found in kinds.items():
        total = max(1, found.total())
        shares = (f"{n:,} {kind} ({100 * n / total:.0f} %)" for kind, n in found.most_common())
        print(f"\nSplits of {label} by kind: {', '.join(shares)}.")


def _declared(model: Any, stream: streams.Stream) -> Any:
    nominal = [name for name in stream.names if name in stream.categories]
    places = [stream.names.index(name) for name in nominal]
    return model.set_params(categorical_features=places) if places else model


# -- wrong splits ----------------------------------------------------------------------------------

#: Stationary generators; a seed makes the concept, and rows go on for ever.
KNOWN: dict[str, Callable[[], streams.Stream]] = {
    "sea": lambda: streams.sea(seed=1),
    "random_tree": lambda: streams.random_tree(seed=1),
    "random_rbf": lambda: streams.random_rbf(seed=1),
    "waveform": lambda: streams.waveform(seed=1),
    "sine": lambda: streams.sine(seed=1),
    "gaussian_clusters": lambda: streams.gaussian_clusters(n_classes=5, seed=1),
    "led": lambda: streams.led(seed=1),
    "hyperplane, still": lambda: streams.hyperplane(n_drifting=0, seed=1),
}
FRESH = 200_000


def truth(options: argparse.Namespace) -> None:
    """Count splits whose own certificate is wrong."""
    rows = []
    for name, make in KNOWN.items():
        stream = make()
        X, y = stream.take(options.rows + FRESH)
        row: dict[str, Any] = {"stream": name}
        for label, new in MODELS.items():
            model = _declared(new(), stream).fit(X[: options.rows], y[: options.rows])
            wrong, known = _wrong(model, stream, X[options.rows :], y[options.rows :])
            row[label] = f"{wrong} of {known}"
        print(row, file=sys.stderr, flush=True)
        rows.append(row)
    columns = [("stream", "stream", "{}"), *((label, label, "{}") for label in MODELS)]
    title = f"Wrong splits of those whose rivals are known, after {options.rows:,} rows"
    Table(title, columns, rows).print(markdown=True)


def _wrong(model: Any, stream: streams.Stream, X: NDArray[Any], y: NDArray[Any]) -> tuple[int, int]:
    """Count wrong splits, and all splits with enough fresh rows."""
    path = model.decision_path(X).tocsc()
    codes = np.unique(y, return_inverse=True)[1]
    wrong = known = 0
    for split in model.splits():
        here = path.indices[path.indptr[split.node] : path.indptr[split.node + 1]]
        if len(here) < 1000:
            continue
        known += 1
        gains = [
            _gain_per_row(cut, stream, X[here], codes[here], split.impurity)
            for cut in [split.cut, *(c.cut for c in split.candidates[1:])]
        ]
        allowed = split.tau if split.reason == "within" else 0.0
        gaps = [gains[0] - rival + allowed for rival in gains[1:]]
        wrong += gains[0].mean() <= 0 or any(_is_negative(gap) for gap in gaps)
    return wrong, known


def _is_negative(gap: NDArray[np.float64]) -> bool:
    return bool(gap.mean() < -2 * gap.std() / np.sqrt(len(gap)))


def _gain_per_row(
    cut: str, stream: streams.Stream, X: NDArray[Any], codes: NDArray[Any], impurity: str
) -> NDArray[np.float64]:
    """Return what each row of the second half adds to the gain; the first half fits the branches.

    The mean is the gain. It is negative on average if there is none.
    """
    branch = _branch(cut, stream, X)
    half = len(codes) // 2
    table = np.full((int(branch.max()) + 1, int(codes.max()) + 1), 1e-3)
    np.add.at(table, (branch[:half], codes[:half]), 1.0)
    branch, codes = branch[half:], codes[half:]
    inside = table / table.sum(1, keepdims=True)
    outside = table.sum(0) / table.sum()
    if impurity == "gini":
        # 1 - sum p^2 is the mean of the rows' squared distance from p.
        before = (outside**2).sum() - 2 * outside[codes]
        return np.asarray(before - (inside**2).sum(1)[branch] + 2 * inside[branch, codes])
    return np.asarray(np.log2(inside[branch, codes]) - np.log2(outside[codes]))


def _branch(cut: str, stream: streams.Stream, X: NDArray[Any]) -> NDArray[np.int64]:
    if cut.endswith(" (each value)"):
        column = X[:, stream.names.index(cut.removesuffix(" (each value)"))]
        return np.asarray(np.unique(column, return_inverse=True)[1])
    if " <= " in cut:
        name, value = cut.split(" <= ")
        return np.asarray(X[:, stream.names.index(name)] > float(value), dtype=np.int64)
    name, value = cut.split(" = ")
    column = X[:, stream.names.index(name)].astype(str)
    return np.asarray(column != value, dtype=np.int64)


# -- cost ------------------------------------------------------------------------------------------


def cost(options: argparse.Namespace) -> None:
    """Tell rows per second and bytes per leaf."""
    rows = []
    for name, make in {
        "sea (3 numbers, 2 classes)": lambda: streams.sea(seed=1),
        "random_rbf (10 numbers, 2 classes)": lambda: streams.random_rbf(seed=1),
        "waveform (21 numbers, 3 classes)": lambda: streams.waveform(seed=1),
        "led (24 numbers of two values, 10 classes)": lambda: streams.led(seed=1),
    }.items():
        stream = make()
        X, y = stream.take(options.rows)
        best: dict[str, float] = {}
        size: dict[str, float] = {}
        for _ in range(5):
            for label in ("CertifiedTree", "VFDT"):
                model = _declared(MODELS[label](), stream)
                start = process_time()
                model.partial_fit(X, y, classes=np.unique(y))
                best[label] = min(best.get(label, np.inf), process_time() - start)
                size[label] = model.memory_bytes_ / model.n_leaves_
        rows.append(
            {
                "stream": name,
                "certified": len(y) / best["CertifiedTree"] / 1000,
                "vfdt": len(y) / best["VFDT"] / 1000,
                "share": best["VFDT"] / best["CertifiedTree"],
                "bytes": size["CertifiedTree"],
                "bytes of vfdt": size["VFDT"],
            }
        )
    columns = [
        ("stream", "stream", "{}"),
        ("CertifiedTree, thousand rows per second", "certified", "{:,.0f}"),
        ("VFDT", "vfdt", "{:,.0f}"),
        ("share of VFDT's speed", "share", "{:.2f}"),
        ("bytes per leaf", "bytes", "{:,.0f}"),
        ("VFDT's", "bytes of vfdt", "{:,.0f}"),
    ]
    Table("Learning, adaptive leaves, CPU time, best of 5", columns, rows).print(markdown=True)


if __name__ == "__main__":
    raise SystemExit(main())
