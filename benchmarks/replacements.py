"""Do bets replace the right subtrees? HAT, CVFDT, EFDT and option trees, by bets and without.

`streams` gives the accuracy, each row predicted before it is learned, and the number of
replacements on streams that change and on streams that do not. `judged` looks at each replacement
on the streams that do not change: the tree just before it and the tree just after it predict 50,000
other rows of the stream. The replacement was right if the errors fell by more than two standard
errors of the difference, and false if they rose by as much. `noise` learns labels that do not
depend on the features, with settings that start many alternates. There no subtree is better than
another, and bets may replace a share of `switch_delta` (CVFDT: `delta`) of them.

    python benchmarks/replacements.py streams | judged [--rows 100000] [--only sea] [--rules EFDT]
    python benchmarks/replacements.py noise [--repetitions 100]

The tables go to standard output, as markdown, for docs/certainty.md.
"""

from __future__ import annotations

import argparse
import copy
import sys
from collections.abc import Callable, Iterator
from typing import Any

import choosing_streams
import numpy as np
from numpy.typing import NDArray
from tables import Table

import riparian as rp
from riparian import streams
from riparian.adaptation import Alternates, Options, Reevaluation, Window

CHANGING = ("agrawal, gradual drift", "sea, recurring drift", "sine, abrupt drift")
CHANGING += ("stagger, recurring drift", "hyperplane, ten times as fast", "random_rbf, moving")
#: The same rows as those of choosing_streams.py, and more of them.
STILL: dict[str, Callable[[], streams.Stream]] = {
    "sea": lambda: streams.sea(seed=1),
    "agrawal": lambda: streams.agrawal(concept=2, seed=1),
    "random_tree": lambda: streams.random_tree(seed=1),
    "random_rbf": lambda: streams.random_rbf(seed=1),
    "led": lambda: streams.led(seed=1),
    "waveform": lambda: streams.waveform(seed=1),
    "sine": lambda: streams.sine(seed=1),
}
RULES: dict[str, Callable[[], Any]] = {
    "HAT, interval": rp.HAT,
    "HAT, betting": lambda: rp.HAT(adaptation=Alternates(replace_by="betting")),
    "CVFDT, test": lambda: rp.CVFDT(adaptation=Window(size=20_000, validity_period=2_000)),
    "CVFDT, betting": lambda: rp.CVFDT(
        adaptation=Window(size=20_000, validity_period=2_000, replace_by="betting")
    ),
    "EFDT, gain": rp.EFDT,
    "EFDT, betting": lambda: rp.EFDT(adaptation=Reevaluation(replace_by="betting")),
    "options, nothing": rp.HoeffdingOptionTree,
    "options, betting": lambda: rp.HoeffdingOptionTree(adaptation=Options(replace_by="betting")),
}
FRESH = 50_000
#: Rows between two copies of a tree; those of a replacement are learned again, one by one.
STRIDE = 200
REPLACEMENTS = ("replaced", "resplit", "pruned")


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("task", choices=["streams", "judged", "noise"])
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--repetitions", type=int, default=100, help="of noise")
    parser.add_argument("--only", help="streams to run, separated by semicolons")
    parser.add_argument("--rules", default="", help="the first letters of the rules to run")
    options = parser.parse_args(arguments)
    {"streams": on_streams, "judged": judged, "noise": noise}[options.task](options)
    return 0


def on_streams(options: argparse.Namespace) -> None:
    """Compare accuracy and replacements."""
    rules = _rules(options)
    rows, accuracies = [], []
    for name in _chosen(options, (*CHANGING, *STILL)):
        data = choosing_streams.load(name, 1, options.rows)
        row: dict[str, Any] = {"stream": name if name in CHANGING else f"{name} (no change)"}
        found = []
        for label, make in rules.items():
            model = make().set_params(categorical_features=data.nominal or None)
            found.append(100 * float(np.mean(model.prequential(data.X, data.y) == data.y)))
            row[label] = f"{found[-1]:.2f} ({_replacements(model)})"
        print(row, file=sys.stderr, flush=True)
        rows.append(row)
        accuracies.append((name in CHANGING, found))
    for changes, what in ((True, "changing"), (False, "still")):
        these = [found for of, found in accuracies if of is changes]
        if these:
            means = (f"{mean:.2f}" for mean in np.mean(these, axis=0))
            rows.append({"stream": f"mean, {what}", **dict(zip(rules, means, strict=True))})
    columns = [("stream", "stream", "{}"), *((label, label, "{}") for label in rules)]
    title = f"Prequential accuracy in percent (and replacements), {options.rows:,} rows"
    Table(title, columns, rows).print(markdown=True)


# -- replacements on streams that do not change ----------------------------------------------------


def judged(options: argparse.Namespace) -> None:
    """Judge each replacement by rows that the tree has not learned."""
    rules = _rules(options)
    rows = []
    totals = {label: np.zeros(3, dtype=int) for label in rules}
    for name in _chosen(options, tuple(STILL)):
        stream = STILL[name]()
        X, y = stream.take(options.rows + FRESH)
        fresh = X[options.rows :], y[options.rows :]
        row: dict[str, Any] = {"stream": name}
        for label, make in rules.items():
            places = [stream.names.index(feature) for feature in stream.categories]
            model = make().set_params(categorical_features=places or None)
            verdicts = [
                _verdict(before, after, *fresh)
                for before, after in _pairs(model, X[: options.rows], y[: options.rows])
            ]
            counts = np.bincount(verdicts, minlength=3) if verdicts else np.zeros(3, dtype=int)
            totals[label] += counts
            row[label] = _said(counts)
        print(row, file=sys.stderr, flush=True)
        rows.append(row)
    rows.append({"stream": "all", **{label: _said(counts) for label, counts in totals.items()}})
    columns = [("stream", "stream", "{}"), *((label, label, "{}") for label in rules)]
    title = f"Right / undecided / false replacements, {options.rows:,} rows without change"
    Table(title, columns, rows).print(markdown=True)


def _pairs(model: Any, X: NDArray[Any], y: NDArray[Any]) -> Iterator[tuple[Any, Any]]:
    """Give the tree just before and just after each row that replaced something."""
    classes = np.unique(y)
    for first in range(0, len(y), STRIDE):
        before = copy.deepcopy(model) if first else None
        end = min(first + STRIDE, len(y))
        model.partial_fit(X[first:end], y[first:end], classes=classes)
        if before is None or _replacements(before) == _replacements(model):
            continue
        for i in range(first, end):
            if _replacements(before) == _replacements(model):
                break
            after = copy.deepcopy(before).partial_fit(X[i : i + 1], y[i : i + 1])
            if _replacements(after) > _replacements(before):
                yield before, after
            before = after


def _verdict(before: Any, after: Any, X: NDArray[Any], y: NDArray[Any]) -> int:
    """Return 0 if the errors fell, 2 if they rose, and 1 if neither is sure."""
    gain = (after.predict(X) == y).astype(float) - (before.predict(X) == y)
    error = 2 * gain.std() / np.sqrt(len(gain))
    return 0 if gain.mean() > error else 2 if gain.mean() < -error else 1


def _said(counts: NDArray[np.int64]) -> str:
    return " / ".join(f"{count:,}" for count in counts)


# -- labels that do not depend on the features -----------------------------------------------------

#: Ties split, and any lead or error starts an alternate, which may be bet on at once.
RESTLESS: dict[str, Callable[[], Any]] = {
    "HAT, interval": lambda: _hat(Alternates(drift_delta=0.9, switch_after=20, switch_delta=0.05)),
    "HAT, betting": lambda: _hat(
        Alternates(drift_delta=0.9, switch_after=0, switch_delta=0.05, replace_by="betting")
    ),
    "CVFDT, test": lambda: _cvfdt(test_size=20),
    "CVFDT, betting": lambda: _cvfdt(test_size=1, replace_by="betting"),
    "EFDT, betting": lambda: rp.EFDT(
        grace_period=50,
        delta=0.9,
        tau=0.0,
        leaf="majority",
        max_leaves=6,
        adaptation=Reevaluation(every=50, replace_by="betting", switch_after=0, switch_delta=0.05),
    ),
    "options, betting": lambda: rp.HoeffdingOptionTree(
        grace_period=50,
        delta=0.9,
        tau=1.0,
        leaf="majority",
        max_leaves=10,
        adaptation=Options(delta=0.9, replace_by="betting", switch_after=0, switch_delta=0.05),
    ),
}


def _hat(how: Any) -> Any:
    return rp.HAT(grace_period=100, tau=1.0, leaf="majority", max_leaves=4, adaptation=how)


def _cvfdt(**how: Any) -> Any:
    # CVFDT bets at its own delta, and an alternate begins only if another test leads at that delta.
    window = Window(size=1_000, validity_period=100, test_period=200, **how)
    return rp.CVFDT(grace_period=100, delta=0.2, tau=0.2, leaf="majority", adaptation=window)


def noise(options: argparse.Namespace) -> None:
    """Count alternates that replaced a subtree where none is better."""
    rows = []
    for label, make in RESTLESS.items():
        counts = {"started": 0, "replaced": 0, "dropped": 0}
        for seed in range(options.repetitions):
            rng = np.random.default_rng(seed)
            X, y = rng.normal(size=(6000, 4)), rng.integers(2, size=6000)
            model = make().fit(X, y)
            for kind in counts:
                counts[kind] += model.change_counts()[kind]
        rows.append({"rule": label, **counts, "share": counts["replaced"] / counts["started"]})
        print(rows[-1], file=sys.stderr, flush=True)
    columns = [("rule", "rule", "{}"), ("alternates started", "started", "{:,}")]
    columns += [("given up", "dropped", "{:,}"), ("replaced", "replaced", "{:,}")]
    columns.append(("share", "share", "{:.3f}"))
    title = (
        f"Labels that do not depend on the features, {options.repetitions} streams of 6,000 rows"
    )
    Table(title, columns, rows).print(markdown=True)


# -- what both tasks do ----------------------------------------------------------------------------


def _replacements(model: Any) -> int:
    counts = model.change_counts()
    return sum(counts[kind] for kind in REPLACEMENTS)


def _chosen(options: argparse.Namespace, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(options.only.split(";")) if options.only else names


def _rules(options: argparse.Namespace) -> dict[str, Callable[[], Any]]:
    return {label: make for label, make in RULES.items() if label.startswith(options.rules)}


if __name__ == "__main__":
    raise SystemExit(main())
