"""Pictures of evaluations: accuracy over time, ranks, accuracy against size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from riparian.evaluate.ranks import Ranks
from riparian.export.palette import DARK, LIGHT, class_colour, ink_on
from riparian.show.pictures import pyplot

if TYPE_CHECKING:
    from riparian.evaluate.results import Result

__all__ = ["leaves_axis", "plot_ranks", "plot_result", "plot_sizes"]


def plot_result(result: Result, *, axes: Any = None, model: Any = None) -> Any:
    """Draw the accuracy of each window with the baselines, and the leaves below it.

    `axes` are two, for accuracy and leaves; by default those of a new figure. The changes of a
    `model` that was evaluated from its first row on are marked.
    """
    plt = pyplot("plotting")
    curve = result.curve
    if not len(curve.rows):
        raise ValueError("there is nothing to draw: the evaluation has no rows")
    if axes is None:
        _, axes = plt.subplots(
            2, 1, sharex=True, height_ratios=[3, 1], figsize=(8.0, 5.0), layout="constrained"
        )
    upper, lower = axes
    colours = _colours(upper)
    blue, orange = class_colour(0), class_colour(1)
    upper.plot(curve.rows, curve.accuracy, color=blue, linewidth=1.8, label="accuracy")
    styles = ((0, (5, 3)), (0, (1, 2)))
    for style, (name, level) in zip(styles, result.baselines.items(), strict=True):
        upper.axhline(level, color=colours["quiet"], linewidth=1.2, linestyle=style, label=name)
    upper.set_ylabel(f"accuracy of {result.window:,} rows")
    upper.legend(loc="lower right", frameon=False, fontsize=9)
    if (curve.leaves >= 0).any():
        lower.fill_between(curve.rows, curve.leaves, color=orange, alpha=0.2, linewidth=0)
        lower.plot(curve.rows, curve.leaves, color=orange, linewidth=1.5)
    lower.set_ylabel("leaves")
    lower.set_ylim(bottom=0)
    lower.set_xlabel("rows")
    lower.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    changes = model.changes() if model is not None else []
    for i, change in enumerate(changes):
        name = "change" if i == 0 else "_"  # a legend leaves out names with an underscore
        lower.axvline(change.seen, color=colours["quiet"], linewidth=0.8)
        upper.axvline(change.seen, color=colours["quiet"], linewidth=0.8, alpha=0.5, label=name)
    if changes:
        upper.legend(loc="lower right", frameon=False, fontsize=9)
    for axis in (upper, lower):
        _plain(axis, colours)
    return axes


def plot_ranks(models: Sequence[str], ranks: Ranks, *, ax: Any = None) -> Any:
    """Draw the critical-difference diagram: models on an axis of mean ranks, the best on the left.

    A bar joins models whose mean ranks differ by at most the critical difference.
    """
    plt = pyplot("plotting")
    k = len(models)
    order = np.argsort(ranks.mean, kind="stable")
    half = (k + 1) // 2
    groups = _groups(ranks.mean[order], ranks.critical_difference)
    rows = max(half, k - half)
    depth = 0.5 + 0.28 * len(groups)
    if ax is None:
        height = 0.34 * (rows + 2.2 + len(groups) * 0.6) + 0.5
        _, ax = plt.subplots(figsize=(8.4, height), layout="constrained")
    colours = _colours(ax)
    ink, quiet = colours["ink"], colours["quiet"]
    margin = 0.42 * max(k - 1, 1)
    ax.set_xlim(1 - margin, k + margin)
    ax.set_ylim(-(depth + rows * 0.62 + 0.2), 1.35)
    ax.axis("off")
    ax.plot([1, k], [0, 0], color=ink, linewidth=1.2)
    for rank in range(1, k + 1):
        ax.plot([rank, rank], [0, 0.14], color=ink, linewidth=1.2)
        if k <= 20 or rank % 2 == 1:  # more numbers would touch each other
            ax.text(rank, 0.22, str(rank), ha="center", va="bottom", fontsize=9, color=quiet)
    for level, (first, last) in enumerate(groups):
        y = -0.28 - 0.28 * level
        ends = [ranks.mean[order[first]] - 0.04, ranks.mean[order[last]] + 0.04]
        ax.plot(ends, [y, y], color=class_colour(0), linewidth=4.0, solid_capstyle="round")
    for place, model in enumerate(order):
        left = place < half
        row = place if left else k - 1 - place
        y = -(depth + 0.62 * row)
        x = float(ranks.mean[model])
        end = 1 - 0.06 * margin if left else k + 0.06 * margin
        ax.plot([x, x, end], [0, y, y], color=quiet, linewidth=1.0)
        text = f"{models[model]}  {x:.2f}" if left else f"{x:.2f}  {models[model]}"
        ha = "right" if left else "left"
        ax.text(end, y, f" {text} ", ha=ha, va="center", fontsize=10, color=ink)
    if np.isfinite(ranks.critical_difference):
        width = min(ranks.critical_difference, k - 1)
        ax.plot([1, 1 + width], [0.95, 0.95], color=ink, linewidth=1.6)
        for x in (1, 1 + width):
            ax.plot([x, x], [0.87, 1.03], color=ink, linewidth=1.2)
        tail = "" if width == ranks.critical_difference else " (longer than the axis)"
        ax.text(
            1 + width,
            0.95,
            f"  critical difference {ranks.critical_difference:.2f}{tail}",
            va="center",
            fontsize=9,
            color=quiet,
        )
    return ax


def _groups(mean: Any, difference: float) -> list[tuple[int, int]]:
    """The largest groups of models that do not differ, each as its first and last position."""
    if not np.isfinite(difference):
        return []
    runs: list[tuple[int, int]] = []
    for first in range(len(mean)):
        last = first
        while last + 1 < len(mean) and mean[last + 1] - mean[first] <= difference:
            last += 1
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def plot_sizes(cells: Sequence[Any], *, ax: Any = None) -> Any:
    """Draw the accuracy so far against the leaves, one line per model, averaged over the runs.

    `cells` are runs on one stream. Each bin of leaves is a fifth larger than the one before it.
    """
    plt = pyplot("plotting")
    if ax is None:
        _, ax = plt.subplots(figsize=(7.6, 4.6), layout="constrained")
    colours = _colours(ax)
    for i, model in enumerate(dict.fromkeys(cell.model for cell in cells)):
        mine = [cell for cell in cells if cell.model == model]
        leaves = np.concatenate([np.array(cell.curve["leaves"]) for cell in mine])
        overall = np.concatenate([np.array(cell.curve["overall"]) for cell in mine])
        kept = leaves >= 1
        leaves, overall = leaves[kept], overall[kept]
        if not len(leaves):
            continue
        bins = np.floor(np.log(leaves) / np.log(1.2)).astype(int)
        found = [(leaves[bins == b].mean(), overall[bins == b].mean()) for b in np.unique(bins)]
        x, y = np.array(found).T
        colour = class_colour(i)
        ax.plot(x, y, color=colour, linewidth=1.8, marker="o", markersize=3.5, label=model)
    leaves_axis(ax)
    ax.set_ylabel("accuracy so far")
    ax.legend(frameon=False, fontsize=9)
    _plain(ax, colours)
    return ax


def leaves_axis(ax: Any) -> None:
    """Make the lower axis of `ax` an axis of leaves, logarithmic and with plain numbers."""
    ax.set_xscale("log")
    first, last = ax.get_xlim()
    ticks = [k * 10**power for power in range(7) for k in (1, 2, 5)]
    ax.set_xticks([tick for tick in ticks if first <= tick <= last])
    ax.minorticks_off()
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    ax.set_xlabel("leaves")


def _plain(ax: Any, colours: dict[str, str]) -> None:
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    ax.grid(axis="y", color=colours["line"], linewidth=0.6)
    ax.set_axisbelow(True)


def _colours(ax: Any) -> dict[str, str]:
    from matplotlib.colors import to_hex

    dark = ink_on(to_hex(ax.figure.get_facecolor())) == "#ffffff"
    return DARK if dark else LIGHT
