"""Plot the rates of wrong decisions against the number of examples."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from riparian.export.palette import DARK, LIGHT, class_colour, ink_on
from riparian.lab.outcome import Decisions
from riparian.show.pictures import save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot", "save_picture"]

# Verdicts differ in shape and fill, not in colour alone.
_MARKS = {"kept": ("o", 0), "open": ("D", 1), "broken": ("X", 3)}
_DASH: dict[str, Any] = {"markersize": 10.0, "markeredgewidth": 1.8, "linestyle": "none"}
_SIZE = 7.5
_LABEL = (13.0, 10.0)  # size of a two-digit number in points
_LINE = 13.5  # height of a line of the legend in points
# Possible offsets of a number from its mark, in points, the nearest first.
_PLACES = [
    (math.cos(angle * math.pi / 4.0) * far, math.sin(angle * math.pi / 4.0) * far)
    for far in (11.0, 17.0, 24.0, 32.0, 41.0)
    for angle in (0, 4, 1, 3, 7, 5, 2, 6)
]
# Numbers of the lowest marks are placed below them, not among the intervals above.
_PLACES_BELOW = [(x, y) for y in (-10.5, -20.0, -29.5) for x in (0.0, 14.0, -14.0)]
_BELOW = 5.0
_CROSSED = 40.0  # crossing a mark or number counts as this overlap, in square points


def plot(results: Mapping[str, Decisions], ax: Axes | None = None) -> Axes:
    """Plot the rate of wrong decisions of each method against the mean number of examples.

    Each mark is a method, with the 95 % interval of its rate. The legend on the right explains the
    numbers. A dashed line shows each `delta`. Where the rate of misjudged decisions clearly differs
    from the rate of wrong ones, a dotted line leads to it; only misjudged decisions are failures of
    the bound. Methods without a wrong decision are on the lowest line, with the interval of their
    rate.

    Parameters
    ----------
    results : mapping of str to Decisions
        The results of `compare`. Methods that never decided are omitted.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on. By default those of a new figure.

    Returns
    -------
    ax : matplotlib.axes.Axes
        The axes.
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
        raise ValueError("results must have at least one method that decided")
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
    """Plot the results to a file, without opening a window."""
    save_figure(lambda: plot(results), path)


def _mark(verdict: str, *, dark: bool) -> tuple[str, str]:
    mark, place = _MARKS[verdict]
    # The first colour, a blue, is hard to see as a thin line on a dark background.
    return mark, class_colour(4 if dark and place == 0 else place, dark=dark)


def _differs(result: Decisions) -> bool:
    """Return whether the rate of misjudged decisions is outside the interval of wrong ones."""
    low, high = result.interval
    return not low <= result.misjudged / result.repetitions <= high


def _lowest(results: Sequence[Decisions]) -> float:
    """Return the height of the line "none", below the smallest rate above 0."""
    return 0.4 / max(result.repetitions for result in results)


def _number(
    ax: Axes, results: Sequence[Decisions], lowest: float, colours: Mapping[str, str]
) -> None:
    """Place the number of each mark next to it, clear of other marks and numbers."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()  # fixes the position of the axes
    points = 72.0 / figure.dpi
    marks = [
        ax.transData.transform((r.mean_examples, max(r.rate, lowest))) * points for r in results
    ]
    solid = [(x, y, _SIZE, _SIZE) for x, y in marks]  # a line to a number must not cross these
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
    """Return the number of boxes that a straight line crosses."""
    steps = [i / 20.0 for i in range(21)]
    line = [(start[0] + t * (end[0] - start[0]), start[1] + t * (end[1] - start[1])) for t in steps]
    return sum(
        any(abs(x - c) < w / 2.0 and abs(y - d) < h / 2.0 for x, y in line) for c, d, w, h in boxes
    )


def _key(
    ax: Axes, shown: Mapping[str, Decisions], colours: Mapping[str, str], *, dark: bool
) -> None:
    """Add the legends: the numbered names to the right, and the meaning of the marks above."""
    from matplotlib.lines import Line2D

    def handle(verdict: str) -> Line2D:
        mark, colour = _mark(verdict, dark=dark)
        fill = colours["ground"] if verdict == "open" else colour
        return Line2D(
            [], [], marker=mark, color=fill, markeredgecolor=colour, linestyle="none", markersize=6
        )

    texts_of = {"kept": "δ kept", "open": "undecided", "broken": "δ broken"}
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
    handles, texts = [handle(verdict) for verdict in used], [texts_of[verdict] for verdict in used]
    if any(map(_differs, shown.values())):
        handles.append(Line2D([], [], marker="_", color=colours["ink"], **_DASH))
        texts.append("misjudged with its labels")
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
    if many / few < 100.0:  # at most one power of ten is visible
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
