"""The results of ``riparian lab`` as a table and as JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from riparian.lab.outcome import Decisions, percent

__all__ = ["results_dict", "table_lines"]

_HEADS = (
    "method",
    "checks every",
    "wrong in 100,000",
    "misjudged",
    "rate, 95 % interval",
    "wrong of decided",
    "mean n",
    "95 % of n below",
    "delta",
)


def table_lines(results: Mapping[str, Decisions]) -> list[str]:
    """Return a table of the results, with a header and one line per method.

    Misjudged decisions are shown, per 100,000, for methods that use labels.

    Examples
    --------
    >>> from riparian import lab
    >>> found = lab.compare({"entropy, 1 ε": {}}, repetitions=1_000)
    >>> for line in table_lines(found):
    ...     print(line)
    method        checks every  wrong in 100,000  misjudged       rate, 95 % interval ...
    entropy, 1 ε             1            15,800          -  15.8 % (13.6 % - 18.2 %) ...
    """
    rows = [_HEADS, *(_row(name, result) for name, result in results.items())]
    widths = [max(len(row[j]) for row in rows) for j in range(len(_HEADS))]
    lines = []
    for row in rows:
        cells = [f"{row[0]:<{widths[0]}}"]
        cells += [f"{text:>{width}}" for text, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return lines


def _row(name: str, result: Decisions) -> tuple[str, ...]:
    low, high = result.interval
    last = result.quantiles[0.95]
    return (
        name,
        f"{result.parameters['grace_period']:,}",
        f"{100_000 * result.rate:,.0f}",
        f"{100_000 * result.misjudged / result.repetitions:,.0f}" if result.judges_labels else "-",
        f"{percent(result.rate)} ({percent(low)} - {percent(high)})",
        percent(result.decided_rate) if result.decided else "-",
        f"{result.mean_examples:,.1f}" if result.decided else "-",
        f"{last:,.0f}" if math.isfinite(last) else "not decided",
        f"{result.delta:g} {result.verdict}",
    )


def results_dict(results: Mapping[str, Decisions]) -> dict[str, Any]:
    """Return the results as JSON values. A quantile that was not reached is null."""
    return {
        name: {
            "repetitions": result.repetitions,
            "decided": result.decided,
            "wrong": result.wrong,
            "rate": result.rate,
            "interval": list(result.interval),
            "decided_rate": result.decided_rate if result.decided else None,
            "decided_interval": list(result.decided_interval),
            "misjudged": result.misjudged,
            "misjudged_interval": list(result.misjudged_interval),
            "mean_examples": result.mean_examples if result.decided else None,
            "quantiles": {
                f"{q:g}": n if math.isfinite(n) else None for q, n in result.quantiles.items()
            },
            "verdict": result.verdict,
            "misjudged_verdict": result.misjudged_verdict,
            "parameters": {
                **result.parameters,
                "impurity": result.parameters["impurity"].as_dict(),
                "bound": result.parameters["bound"].as_dict(),
                "costs": _costs(result.parameters["costs"]),
            },
        }
        for name, result in results.items()
    }


def _costs(costs: Any) -> Any:
    """Return costs in the form that ``--costs`` accepts."""
    if isinstance(costs, Mapping):
        return {",".join(map(_label, pair)): float(cost) for pair, cost in costs.items()}
    return None if costs is None else np.asarray(costs, dtype=np.float64).tolist()


def _label(label: Any) -> str:
    text = str(label)
    return '"' + text.replace('"', '""') + '"' if "," in text or '"' in text else text
