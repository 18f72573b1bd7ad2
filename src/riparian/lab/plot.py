"""Rates of wrong decisions against the examples that they took."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from riparian.lab.decisions import Decisions
from riparian.palette import DARK, LIGHT, class_colour, ink_on
from riparian.pictures import save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot", "save_picture"]

# Verdicts differ by shape and filling, not by colour alone.
_MARKS = {"kept": ("o", 0), "open": ("D", 1), "broken": ("X", 3)}
_DASH: dict[str, Any] = {"markersize": 10.0, "markeredgewidth": 1.8, "linestyle": "none"}
_SIZE = 7.5
_LABEL = (13.0, 10.0)  # points of a number of two digits
_LINE = 13.5  # points of a line of the key
# Where a number may stand next to its mark, in points, the nearest first.
_PLACES = [
    (math.cos(angle * math.pi / 4.0) * far, math.sin(angle * math.pi / 4.0) * far)
    for far in (11.0, 17.0, 24.0, 32.0, 41.0)
    for angle in (0, 4, 1, 3, 7, 5, 2, 6)
]
# Below the lowest line is room for numbers, so that none stands among the intervals above it.
_PLACES_BELOW = [(x, y) for y in (-10.5, -20.0, -29.5) for x in (0.0, 14.0, -14.0)]
_BELOW = 5.0
_CROSSED = 40.0  # square points of overlap that are as bad as a mark or number crossed


def plot(results: Mapping[str, Decisions], ax: Axes | None = None) -> Axes:
    """Draw the rate of wrong decisions of each method against the examples that it needed.

    A mark is a method, with the 95 % interval of its rate; its number is explained in the key on
    the right. A line is drawn at each `delta`. A dotted line leads to the rate of misjudged
    decisions, a dash, where it clearly differs: what the bound is to be blamed for. Methods
    without a wrong decision stand on the lowest line; their interval still shows how much could
    have been missed.

    Parameters
    ----------
    results : mapping
        Decisions by name, as `compare` gives them. Methods that never decided are left out.
    ax : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
    """
    try:
        import matplotlib.pyplot as plt
        from matplotlib.colors import to_hex
    except ImportError as error:
        raise ImportError(
            "plotting needs matplotlib; install it with: pip install 'riparian[plot]'"
        ) from error

    shown = {name: result for name, result in results.items() if result.decided}
    if not shown:
        raise ValueError("results must hold a method that decided")
    if ax is None:
        height = max(4.6, 1.1 + _LINE / 72.0 * len(shown))
        _, ax = plt.subplots(figsize=(9.6, height), layout="constrained")
    dark = ink_on(to_hex(ax.figure.get_facecolor())) == "#ffffff"
    colours = DARK if dark else LIGHT

    lowest = _lowest(list(shown.values()))
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_ylim(lowest / _BELOW, 1.0)
    needed = [result.mean_examples for result in shown.values()]
    ax.set_xlim(min(needed) / 2.0, max(needed) * 2.0)
    for delta in sorted({result.delta for result in shown.values()}):
        ax.axhline(delta, color=colours["ink"], linewidth=1.2, linestyle=(0, (5, 3)), zorder=1.0)
        ax.annotate(
            f"δ = {delta:g}",
            (1.0, delta),
            xycoords=("axes fraction", "data"),
            xytext=(-4, 3),
            textcoords="offset points",
            ha="right",
            color=colours["ink"],
        )
    for result in shown.values():
        mark, colour = _mark(result.verdict, dark=dark)
        x, y = result.mean_examples, max(result.rate, lowest)
        low, high = (max(end, lowest) for end in result.interval)
        ax.plot([x, x], [low, high], color=colour, linewidth=1.4, zorder=2.0)
        if _differs(result):
            _, its_colour = _mark(result.misjudged_verdict, dark=dark)
            end = max(result.misjudged / result.repetitions, lowest)
            dots: dict[str, Any] = {"color": its_colour, "linewidth": 1.2, "linestyle": (0, (1, 2))}
            ax.plot([x, x], [y, end], zorder=1.9, **dots)
            ax.plot([x], [end], marker="_", color=its_colour, zorder=2.1, **_DASH)
        fill = colours["ground"] if result.verdict == "open" else colour
        ax.plot(
            [x],
            [y],
            marker=mark,
            markersize=_SIZE,
            color=fill,
            markeredgecolor=colour,
            linestyle="none",
            zorder=3.0,
        )
    _key(ax, shown, colours, dark=dark)
    _axes(ax, lowest, colours)
    _number(ax, list(shown.values()), lowest, colours)
    return ax


def save_picture(results: Mapping[str, Decisions], path: str) -> None:
    """Draw the results into a file, without a window."""
    save_figure(lambda: plot(results), path)


def _mark(verdict: str, *, dark: bool) -> tuple[str, str]:
    mark, place = _MARKS[verdict]
    # The first blue is dim as a thin line on a dark ground; the fifth is not.
    return mark, class_colour(4 if dark and place == 0 else place, dark=dark)


def _differs(result: Decisions) -> bool:
    """Whether the rate of misjudged decisions lies outside of the interval of the wrong ones."""
    low, high = result.interval
    return not low <= result.misjudged / result.repetitions <= high


def _lowest(results: Sequence[Decisions]) -> float:
    """Height of "none wrong": below the smallest rate that the repetitions can show."""
    return 0.4 / max(result.repetitions for result in results)


def _number(
    ax: Axes, results: Sequence[Decisions], lowest: float, colours: Mapping[str, str]
) -> None:
    """Give each mark its number, next to it and clear of other marks and numbers."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # settles where the axes lie
    points = 72.0 / figure.dpi
    marks = [
        ax.transData.transform((r.mean_examples, max(r.rate, lowest))) * points for r in results
    ]
    solid = [(x, y, _SIZE, _SIZE) for x, y in marks]  # what a line to a number may not cross
    taken = list(solid)
    for result in results:
        ends = [(result.mean_examples, max(end, lowest)) for end in result.interval]
        if _differs(result):
            ends[0] = (result.mean_examples, max(result.misjudged / result.repetitions, lowest))
        (x, low), (_, high_end) = ax.transData.transform(ends) * points
        taken.append((x, (low + high_end) / 2.0, 2.0, high_end - low))
    for delta in {result.delta for result in results}:
        middle = ax.transData.transform((results[0].mean_examples, delta))[1] * points
        taken.append((0.0, middle, math.inf, 2.0))
    (left, bottom), (right, top) = ax.transAxes.transform([(0.0, 0.0), (1.0, 1.0)]) * points
    wide, high = _LABEL
    for i, (x, y) in enumerate(marks):

        def crowd(place: tuple[float, float], x: float = x, y: float = y, i: int = i) -> float:
            a, b = x + place[0], y + place[1]
            if not (left < a - wide / 2 and a + wide / 2 < right and bottom < b - high / 2 < top):
                return math.inf
            overlaps = (
                min(wide, max(0.0, (wide + w) / 2 - abs(a - c)))
                * min(high, max(0.0, (high + h) / 2 - abs(b - d)))
                for c, d, w, h in taken
            )
            others = [box for j, box in enumerate(solid) if j != i]
            return float(sum(overlaps)) + _CROSSED * _crossed((x, y), (a, b), others)

        below = results[i].wrong == 0
        dx, dy = min(_PLACES_BELOW if below else _PLACES, key=crowd)
        taken.append((x + dx, y + dy, wide, high))
        solid.append((x + dx, y + dy, wide, high))
        far = math.hypot(dx, dy) > 12.0
        ax.annotate(
            str(i + 1),
            (results[i].mean_examples, max(results[i].rate, lowest)),
            xytext=(dx, dy),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=8,
            color=colours["ink"],
            arrowprops=(
                {
                    "arrowstyle": "-",
                    "color": colours["quiet"],
                    "lw": 0.6,
                    "shrinkA": 4,
                    "shrinkB": _SIZE / 2,
                }
                if far
                else None
            ),
            zorder=4.0,
        )


def _crossed(
    start: tuple[float, float],
    end: tuple[float, float],
    boxes: Sequence[tuple[float, float, float, float]],
) -> int:
    """How many boxes a straight line goes through."""
    steps = [i / 20.0 for i in range(21)]
    way = [(start[0] + t * (end[0] - start[0]), start[1] + t * (end[1] - start[1])) for t in steps]
    return sum(
        any(abs(x - c) < w / 2.0 and abs(y - d) < h / 2.0 for x, y in way) for c, d, w, h in boxes
    )


def _key(
    ax: Axes, shown: Mapping[str, Decisions], colours: Mapping[str, str], *, dark: bool
) -> None:
    """The names by number, and what the marks mean, right of the axes."""
    from matplotlib.lines import Line2D

    def handle(verdict: str) -> Line2D:
        mark, colour = _mark(verdict, dark=dark)
        fill = colours["ground"] if verdict == "open" else colour
        return Line2D(
            [], [], marker=mark, color=fill, markeredgecolor=colour, linestyle="none", markersize=6
        )

    says = {"kept": "δ kept", "open": "still open", "broken": "δ broken"}
    ax.legend(
        [handle(result.verdict) for result in shown.values()],
        [f"{i}  {name}" for i, name in enumerate(shown, 1)],
        loc="upper left",
        bbox_to_anchor=(1.01, 1.0),
        frameon=False,
        fontsize=8,
        labelcolor=colours["ink"],
        handletextpad=0.3,
        labelspacing=0.35,
        borderaxespad=0.0,
    )
    first = ax.get_legend()
    used = [verdict for verdict in _MARKS if any(r.verdict == verdict for r in shown.values())]
    handles, texts = [handle(verdict) for verdict in used], [says[verdict] for verdict in used]
    if any(map(_differs, shown.values())):
        handles.append(Line2D([], [], marker="_", color=colours["ink"], **_DASH))
        texts.append("misjudged, by its labels")
    ax.legend(
        handles,
        texts,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=len(texts),
        frameon=False,
        fontsize=9,
        labelcolor=colours["ink"],
        handletextpad=0.2,
        borderaxespad=0.2,
    )
    if first is not None:
        ax.add_artist(first)
        first.set_clip_on(False)


def _axes(ax: Axes, lowest: float, colours: Mapping[str, str]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    powers = [10.0**e for e in range(math.floor(math.log10(lowest)) + 1, 1)]
    ticks = [lowest, *(power for power in powers if power > 2.0 * lowest)]
    few, many = ax.get_xlim()
    if many / few < 100.0:  # one power of ten, or none
        ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    ax.set_yticks(ticks, ["none", *(f"{100.0 * t:g} %" for t in ticks[1:])])
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("examples until the decision, on average", color=colours["ink"])
    ax.set_ylabel("wrong decisions", color=colours["ink"])
    ax.tick_params(which="both", colors=colours["quiet"], length=0)
    ax.grid(axis="y", which="major", color=colours["line"], linewidth=0.8)
    ax.grid(axis="x", which="major", color=colours["line"], linewidth=0.4)
    ax.set_axisbelow(True)
    ax.spines[:].set_visible(False)
