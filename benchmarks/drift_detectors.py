"""How often is each drift detector wrong, how late is it, and how fast?

1,000 stationary series of 10,000 values and 1,000 series each that change after 5,000 of 10,000
values. Errors are 0 or 1, wrong at a rate of 0.2; the change is to 0.3, to 0.5, or from 0.2 to
0.5 along 2,000 values. Numbers are normal, N(0, 1); the change is of the mean, to 1, or of the
deviation, to 2. Detectors have their defaults. An alarm is a drift in a stationary series; the
delay is from the change to the next drift, and a change without one within 5,000 values is missed.
Series are numbered and have a seed each, so that all detectors see the same ones.

With --trade the main parameter of each detector is changed, on errors from 0.2 to 0.4: the figures
of the picture in docs/drift.md. With --speed processor time a value, the best of five: `find` over
an array, `update` value by value, and River's detector where River is installed.

    python benchmarks/drift_detectors.py [--series 1000] [--trade | --speed] [--json]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from time import process_time
from typing import Any

import numpy as np
from tables import Table

from riparian import drift

LENGTH = 10_000
CHANGE = 5_000

NAMES = ("ADWIN", "DDM", "EDDM", "HDDM_A", "HDDM_W", "PageHinkley", "KSWIN")
FOR_NUMBERS = ("ADWIN", "PageHinkley", "KSWIN")
#: What makes a detector more or less careful.
CAREFUL: dict[str, tuple[str, tuple[float, ...]]] = {
    "ADWIN": ("delta", (0.9, 0.3, 0.05, 0.002, 1e-4, 1e-6)),
    "DDM": ("drift_threshold", (2.0, 2.5, 3.0, 3.5, 4.0, 5.0)),
    "EDDM": ("beta", (0.95, 0.9, 0.8, 0.7, 0.6, 0.5)),
    "HDDM_A": ("drift_confidence", (0.1, 0.03, 0.01, 0.001, 1e-4, 1e-6)),
    "HDDM_W": ("drift_confidence", (0.03, 0.01, 0.001, 1e-4, 1e-5, 1e-6)),
    "PageHinkley": ("threshold", (10.0, 20.0, 30.0, 50.0, 80.0, 120.0)),
    "KSWIN": ("alpha", (0.1, 0.03, 0.01, 0.005, 0.002)),
}


def errors(seed: int, before: float, after: float, along: int = 0) -> Any:
    """Errors whose rate changes at once, or over this many values."""
    rates = np.full(LENGTH, before)
    rates[CHANGE:] = after
    rates[CHANGE : CHANGE + along] = np.linspace(before, after, along)
    return (np.random.default_rng([seed, 1]).random(LENGTH) < rates).astype(np.float64)


def numbers(seed: int, mean: float, deviation: float) -> Any:
    """Normal numbers, N(0, 1) before the change."""
    values = np.random.default_rng([seed, 2]).normal(size=LENGTH)
    values[CHANGE:] = mean + deviation * values[CHANGE:]
    return values


Series = Callable[[int], Any]
ERRORS: dict[str, Series] = {
    "0.2 to 0.3": lambda seed: errors(seed, 0.2, 0.3),
    "0.2 to 0.5": lambda seed: errors(seed, 0.2, 0.5),
    "0.2 to 0.5 slowly": lambda seed: errors(seed, 0.2, 0.5, 2000),
}
NUMBERS: dict[str, Series] = {
    "mean 0 to 1": lambda seed: numbers(seed, 1.0, 1.0),
    "deviation 1 to 2": lambda seed: numbers(seed, 0.0, 2.0),
}


def alarms(make: Callable[[], drift.Detector], quiet: Series, seeds: Iterable[int]) -> Any:
    """The number of drifts that was reported for each stationary series."""
    return np.array([len(make().find(quiet(seed))) for seed in seeds])


def delays(make: Callable[[], drift.Detector], changing: Series, seeds: Iterable[int]) -> Any:
    """From the change to the next drift; infinite if there is none."""
    out = []
    for seed in seeds:
        found = make().find(changing(seed))
        late = found[found >= CHANGE]
        out.append(late[0] - CHANGE if len(late) else np.inf)
    return np.array(out)


def figures(names: Iterable[str], quiet: Series, changing: dict[str, Series], n: int) -> list[Any]:
    """A row for each detector."""
    rows = []
    for name in names:
        make = getattr(drift, name)
        count = alarms(make, quiet, range(n))
        row = {"detector": name, "alarms": count.mean(), "with": (count > 0).mean() * 100}
        for change, series in changing.items():
            late = delays(make, series, range(n))
            row[change] = _median(late)
            row[f"{change} missed"] = np.isinf(late).mean() * 100
        _say(row)
        rows.append(row)
    return rows


def trade(n: int) -> list[dict[str, Any]]:
    """Alarms and delays of each detector, for each value of its main parameter."""
    rows = []
    for name, (parameter, values) in CAREFUL.items():
        for value in values:
            parameters = {parameter: value}
            if name == "DDM":
                parameters["warning_threshold"] = 2.0
            if name.startswith("HDDM"):
                parameters["warning_confidence"] = max(0.005, value)

            def make(name: str = name, parameters: Any = parameters) -> drift.Detector:
                return getattr(drift, name)(**parameters)  # type: ignore[no-any-return]

            count = alarms(make, lambda seed: errors(seed, 0.2, 0.2), range(n))
            late = delays(make, lambda seed: errors(seed, 0.2, 0.4), range(n))
            row = {
                "detector": name,
                "parameter": f"{parameter}={value:g}",
                "default": getattr(drift, name)().get_params()[parameter] == value,
                "alarms": count.mean(),
                "delay": _median(late),
                "missed": np.isinf(late).mean() * 100,
            }
            _say(row)
            rows.append(row)
    return rows


def speed() -> list[dict[str, Any]]:
    """Nanoseconds of processor time a value."""
    try:
        from river import drift as river
    except ImportError:
        river = None
    values = np.tile(errors(0, 0.2, 0.2), 10)
    few = values[:10_000].astype(int).tolist()
    rows = []
    for name in NAMES:
        row: dict[str, Any] = {"detector": name, "find": _nanoseconds(values, getattr(drift, name))}
        row["update"] = _nanoseconds_each(few, getattr(drift, name))
        if river is not None:
            short = few if name != "KSWIN" else few[:1000]
            theirs = getattr(river, name, None) or getattr(river.binary, name.replace("_", ""))
            row["river"] = _nanoseconds_each(short, theirs)
            row["ratio"] = row["river"] / row["find"]
        row["bytes"] = _after(values, getattr(drift, name)).memory_bytes
        _say(row)
        rows.append(row)
    return rows


def _after(values: Any, make: Callable[[], drift.Detector]) -> drift.Detector:
    detector = make()
    detector.find(values)
    return detector


def _nanoseconds(values: Any, make: Callable[[], drift.Detector]) -> float:
    times = []
    for _ in range(5):
        detector = make()
        start = process_time()
        detector.find(values)
        times.append(process_time() - start)
    return min(times) * 1e9 / len(values)


def _nanoseconds_each(values: list[int], make: Callable[[], Any]) -> float:
    times = []
    for _ in range(5):
        detector = make()
        start = process_time()
        for x in values:
            detector.update(x)
        times.append(process_time() - start)
    return min(times) * 1e9 / len(values)


def _median(delays: Any) -> float:
    middle = np.sort(delays)[len(delays) // 2]
    return float(middle)


def _say(row: object) -> None:
    print(json.dumps(row), file=sys.stderr, flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--series", type=int, default=1000)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--trade", action="store_true", help="delays against alarms")
    what.add_argument("--speed", action="store_true", help="time a value")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)

    head = [("detector", "detector", "{}")]
    false = [*head, ("alarms", "alarms", "{:.3g}"), ("series with one, %", "with", "{:.1f}")]

    def columns(changes: Iterable[str]) -> list[tuple[str, str, str]]:
        pairs = [(c, c, "{:,.0f}", f"{c} missed") for c in changes]
        return [
            *false,
            *(
                column
                for name, key, form, missed in pairs
                for column in ((name, key, form), ("missed, %", missed, "{:.1f}"))
            ),
        ]

    if options.trade:
        rows = trade(options.series)
        form = [*head, ("parameter", "parameter", "{}"), ("alarms", "alarms", "{:.3g}")]
        form += [("delay", "delay", "{:,.0f}"), ("missed, %", "missed", "{:.1f}")]
        tables = [Table("Alarms in 10,000 values, and delay", form, rows)]
    elif options.speed:
        rows = speed()
        form = [*head, ("find", "find", "{:,.0f}"), ("update", "update", "{:,.0f}")]
        form += [("River", "river", "{:,.0f}"), ("River / find", "ratio", "{:,.0f}")]
        tables = [Table("Nanoseconds a value", [*form, ("bytes", "bytes", "{:,}")], rows)]
    else:
        n = options.series
        wrong = figures(NAMES, lambda seed: errors(seed, 0.2, 0.2), ERRORS, n)
        normal = figures(FOR_NUMBERS, lambda seed: numbers(seed, 0.0, 1.0), NUMBERS, n)
        rows = [*wrong, *normal]
        tables = [
            Table("Errors: alarms in 10,000 values, median delay", columns(ERRORS), wrong),
            Table("Numbers: alarms in 10,000 values, median delay", columns(NUMBERS), normal),
        ]
    if options.json:
        print(json.dumps(rows, indent=2))
    else:
        print("\n\n".join(table.as_markdown() for table in tables))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
