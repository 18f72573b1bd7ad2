"""How does UFFT fare on the tasks of the physiological data contest of 2004?

The data are not to be had, so a stream takes their place: eleven correlated numeric features, two
of them the same for all rows of a user, nine around means of the user and the session, with noise
that lasts for some rows; two rare contexts, 2 % of the rows each, in runs of 6 to 177. The first
500,000 of 580,264 rows are learned once, the rest is answered. Task 1 is the gender of the user,
decided for a session by the majority of its rows; tasks 2 and 3 are the contexts, with and without
the cost matrix of the contest. The time is that of learning the 500,000 rows, the best of the runs.

    python benchmarks/physiological.py [--markdown | --json] [--runs 3] [--leaf naive-bayes]
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from time import perf_counter, process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter
from tables import Table, add_forms

from riparian import UFFT

ROWS, LEARNED = 580_264, 500_000
USERS, SENSORS = 24, 9
#: A context that is missed, and one that is not there.
COSTS = {("no", "yes"): 10.0, ("yes", "no"): 0.1}
MIN_RUN = 3
#: How much of the noise of a row is that of the row before.
LASTING = 0.9


@dataclass(frozen=True)
class Contest:
    """The stream: features, the session of each row and the three targets."""

    X: NDArray[np.float64]
    session: NDArray[np.int64]
    gender: NDArray[Any]
    contexts: list[NDArray[Any]]


def contest(rows: int = ROWS, seed: int = 2004) -> Contest:
    """Sessions of users one after the other, with the contexts running across them."""
    rng = np.random.default_rng(seed)
    lengths = []
    while sum(lengths) < rows:
        lengths.append(int(rng.integers(300, 900)))
    user_of = rng.integers(0, USERS, size=len(lengths))
    session = np.repeat(np.arange(len(lengths)), lengths)[:rows]
    user = user_of[session]
    gender = np.arange(USERS) % 2

    characteristics = rng.normal(size=(USERS, 2)) + 0.5 * gender[:, None] * [1.0, 0.0]
    means = 0.8 * rng.normal(size=(USERS, SENSORS)) + 0.4 * gender[:, None] * rng.normal(
        size=SENSORS
    )
    moods = 0.3 * rng.normal(size=(len(lengths), SENSORS))
    mixing = rng.normal(size=(SENSORS, SENSORS)) / np.sqrt(SENSORS) + 0.5 * np.eye(SENSORS)
    noise = lfilter([np.sqrt(1 - LASTING**2)], [1.0, -LASTING], rng.normal(size=(rows, SENSORS)), 0)
    sensors = means[user] + moods[session] + noise @ mixing
    contexts = []
    for strength in (1.0, 1.6):
        present = _runs(rng, rows)
        sensors[present] += strength * rng.normal(size=SENSORS)
        contexts.append(np.where(present, "yes", "no"))
    X = np.hstack([characteristics[user], sensors])
    return Contest(X, session, np.where(gender[user] == 1, "f", "m"), contexts)


def _runs(rng: np.random.Generator, rows: int, share: float = 0.02) -> NDArray[np.bool_]:
    """Where a context is present: runs of 6 to 177 rows, 57 on average as in the contest."""
    present = np.zeros(rows, dtype=bool)
    at = 0
    while True:
        at += int(rng.exponential(57.0 * (1 - share) / share))
        length = 178
        while length > 177:
            length = 6 + int(rng.exponential(54.0))
        if at >= rows:
            return present
        present[at : at + length] = True
        at += length


def runs_of(positive: NDArray[np.bool_], least: int = 1) -> NDArray[np.int64]:
    """Lengths of the runs of at least so many rows.

    Examples
    --------
    >>> runs_of(np.array([1, 1, 0, 1, 1, 1, 0, 1], dtype=bool), least=2).tolist()
    [2, 3]
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[0], positive.astype(np.int8), [0]])))
    lengths = edges[1::2] - edges[::2]
    return lengths[lengths >= least]


def _told(name: str, lengths: NDArray[np.int64]) -> dict[str, Any]:
    told = {"runs": name, "number": len(lengths)}
    if len(lengths):
        told |= {"mean": lengths.mean(), "min": int(lengths.min()), "max": int(lengths.max())}
    return told


def _trained(data: Contest, y: NDArray[Any], runs: int, **parameters: Any) -> tuple[UFFT, Any]:
    """A model of the first rows, with the seconds of the clock and of the processor."""
    clock, processor = [], []
    for _ in range(runs):
        model = UFFT(**parameters)
        before = perf_counter(), process_time()
        model.partial_fit(data.X[:LEARNED], y[:LEARNED])
        clock.append(perf_counter() - before[0])
        processor.append(process_time() - before[1])
    return model, {"seconds": min(clock), "processor": min(processor)}


def _gender(data: Contest, runs: int, **parameters: Any) -> dict[str, Any]:
    model, times = _trained(data, data.gender, runs, **parameters)
    said = model.predict(data.X[LEARNED:]) == "f"
    truth, session = data.gender[LEARNED:] == "f", data.session[LEARNED:]
    rows = [session == s for s in np.unique(session)]
    right = [bool(truth[r][0]) == (said[r].mean() > 0.5) for r in rows]
    return {
        "task": "1 gender",
        "accuracy": (said == truth).mean(),
        "sessions": f"{sum(right)} of {len(right)}",
        "leaves": model.estimators_[0].n_leaves_,
        **times,
    }


def _context(
    data: Contest, task: int, runs: int, costs: Any, **parameters: Any
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    y = data.contexts[task - 2]
    model, times = _trained(data, y, runs, costs=costs, **parameters)
    said, truth = model.predict(data.X[LEARNED:]) == "yes", y[LEARNED:] == "yes"
    missed, false = int((truth & ~said).sum()), int((said & ~truth).sum())
    name = f"{task} context {task - 1}, {'with' if costs else 'without'} costs"
    result = {
        "task": name,
        "accuracy": (said == truth).mean(),
        "found": (said & truth).sum() / truth.sum(),
        "precision": (said & truth).sum() / said.sum() if said.any() else float("nan"),
        "cost": 10.0 * missed + 0.1 * false,
        "leaves": model.estimators_[0].n_leaves_,
        **times,
    }
    told = [
        _told(f"{name}: predicted", runs_of(said)),
        _told(f"{name}: predicted, of {MIN_RUN} or more", runs_of(said, MIN_RUN)),
        _told(f"{task} context {task - 1}: observed", runs_of(truth)),
    ]
    return result, told


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--leaf", default="naive-bayes")
    add_forms(parser)
    options = parser.parse_args(arguments)

    data = contest()
    tasks = [_gender(data, options.runs, leaf=options.leaf)]
    runs: list[dict[str, Any]] = []
    for task in (2, 3):
        for costs in (None, COSTS):
            result, told = _context(data, task, options.runs, costs, leaf=options.leaf)
            tasks.append(result)
            runs += told if costs else told[:-1]
    if options.json:
        print(json.dumps({"tasks": tasks, "runs": runs}, indent=2, default=float))
        return 0
    for table in (
        Table(
            "tasks",
            [
                ("task", "task", "{}"),
                ("rows right", "accuracy", "{:.2%}"),
                ("sessions right", "sessions", "{}"),
                ("positives found", "found", "{:.1%}"),
                ("precision", "precision", "{:.1%}"),
                ("cost", "cost", "{:,.0f}"),
                ("leaves", "leaves", "{}"),
                ("seconds", "seconds", "{:.2f}"),
                ("of the processor", "processor", "{:.2f}"),
            ],
            tasks,
        ),
        Table(
            "runs of positives",
            [
                ("runs", "runs", "{}"),
                ("number", "number", "{:,}"),
                ("mean", "mean", "{:.1f}"),
                ("min", "min", "{}"),
                ("max", "max", "{}"),
            ],
            runs,
        ),
    ):
        table.print(markdown=options.markdown, end="\n\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
