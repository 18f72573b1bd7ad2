"""The accuracy of an evaluation over time, with the leaves below it, as SVG for a page.

The drawing names roles such as ``grid`` and ``quiet``; `RULES` gives them the colours of the page.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from itertools import pairwise

from riparian.data.formatting import compact_text
from riparian.evaluate.results import Curve, Result

__all__ = ["RULES", "curve_svg"]

_WIDTH, _LEFT, _RIGHT = 960.0, 56.0, 176.0
_TOP, _HEIGHT = 16.0, 260.0
_GAP, _LOW_HEIGHT, _BOTTOM = 34.0, 84.0, 40.0
_LABEL_STEP = 17.0


class _Panel:
    """A rectangle of the drawing with its own scale."""

    def __init__(self, top: float, height: float, low: float, high: float, rows: float) -> None:
        self.top, self.height = top, height
        self.low, self.high, self.rows = low, high, rows

    def x(self, row: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * row / self.rows

    def y(self, value: float) -> float:
        return self.top + self.height * (self.high - value) / (self.high - self.low)

    def frame(self, ticks: list[float], texts: list[str]) -> str:
        right = _WIDTH - _RIGHT
        return "".join(
            f'<path class="grid" d="M{_LEFT} {self.y(tick):.1f}H{right}"/>'
            f'<text class="tick" x="{_LEFT - 8}" y="{self.y(tick) + 4:.1f}" '
            f'text-anchor="end">{text}</text>'
            for tick, text in zip(ticks, texts, strict=True)
        )


def curve_svg(result: Result, marks: Sequence[int] = ()) -> str:
    """Draw the accuracy of each window and, if the model has leaves, their number.

    The result has at least one row. Each of the rows in `marks` gets a vertical line.
    """
    curve = result.curve
    has_leaves = bool((curve.leaves >= 0).any())
    height = _TOP + _HEIGHT + _BOTTOM + (_GAP + _LOW_HEIGHT if has_leaves else 0.0)
    rows = float(curve.rows[-1])
    levels = {k: v for k, v in result.baselines.items() if not math.isnan(v)}
    lowest = min([*curve.accuracy.tolist(), *levels.values()])
    low, high, ticks = _scale(lowest, float(max(curve.accuracy.max(), *levels.values())), most=1.0)
    panel = _Panel(_TOP, _HEIGHT, low, high, rows)
    about = (
        f"Accuracy of the last {result.window:,} rows over {result.n:,} rows: "
        f"from {curve.accuracy[0]:.3f} to {curve.accuracy[-1]:.3f}, {result.accuracy:.3f} in all"
    )
    # Whole numbers of percent, unless the ticks are closer than that.
    texts = [f"{tick:.{_decimals(ticks, least=2)}f}" for tick in ticks]
    pieces = [
        f'<svg class="chart" role="img" viewBox="0 0 {_WIDTH:.0f} {height:.0f}" '
        f'aria-label="{escape(about)}">',
        panel.frame(ticks, texts),
        _levels(panel, levels, float(curve.accuracy[-1])),
        f'<path class="accuracy" d="{_line(panel, curve)}"/>',
    ]
    bottom = _TOP + _HEIGHT
    if has_leaves:
        lower = _leaves_panel(curve, bottom + _GAP)
        pieces.append(lower)
        bottom += _GAP + _LOW_HEIGHT
    pieces += [
        _marks(panel, marks, bottom),
        _rows_axis(panel, bottom),
        _tips(panel, curve, bottom),
        "</svg>",
    ]
    return "\n".join(pieces)


def _line(panel: _Panel, curve: Curve) -> str:
    points = [
        f"{panel.x(row):.1f} {panel.y(value):.1f}"
        for row, value in zip(curve.rows.tolist(), curve.accuracy.tolist(), strict=True)
    ]
    # The line begins at the left edge, so one window is a line too.
    start = f"M{_LEFT} {panel.y(float(curve.accuracy[0])):.1f}"
    return f"{start}L{'L'.join(points)}"


def _levels(panel: _Panel, levels: dict[str, float], last: float) -> str:
    """Dashed lines for the baselines, and each line's name at its right end."""
    right = _WIDTH - _RIGHT
    names = [("accuracy-name", "last window", last)]
    names += [("quiet", name, value) for name, value in levels.items()]
    pieces = [
        f'<path class="baseline" d="M{_LEFT} {panel.y(value):.1f}H{right}"/>'
        for value in levels.values()
    ]
    places = _apart([panel.y(value) for _, _, value in names], panel.top, panel.height)
    pieces += [
        f'<text class="{role}" x="{right + 10}" y="{y + 4:.1f}">{name} {value:.3f}</text>'
        for (role, name, value), y in zip(names, places, strict=True)
    ]
    return "".join(pieces)


def _apart(places: list[float], top: float, height: float) -> list[float]:
    """Move labels apart so that none overlaps another; their order stays."""
    order = sorted(range(len(places)), key=places.__getitem__)
    moved = list(places)
    for before, after in pairwise(order):
        moved[after] = max(moved[after], moved[before] + _LABEL_STEP)
    over = max(0.0, moved[order[-1]] - (top + height))
    for place in reversed(order):
        moved[place] -= over
        # A label that is pushed up pushes the label above it.
        above = [moved[other] for other in order[: order.index(place)]]
        over = max(0.0, max(above, default=-math.inf) - (moved[place] - _LABEL_STEP))
    return moved


def _leaves_panel(curve: Curve, top: float) -> str:
    most = float(curve.leaves.max())
    low, high, ticks = _scale(0.0, most)
    ticks = [tick for tick in ticks if tick == round(tick)]
    panel = _Panel(top, _LOW_HEIGHT, low, high, float(curve.rows[-1]))
    steps = [f"M{_LEFT} {panel.y(float(curve.leaves[0])):.1f}"]
    steps += [
        f"L{panel.x(row):.1f} {panel.y(leaves):.1f}"
        for row, leaves in zip(curve.rows.tolist(), curve.leaves.tolist(), strict=True)
    ]
    ends = panel.y(float(curve.leaves[-1]))
    line = "".join(steps)
    area = f"{line}V{panel.y(low):.1f}H{_LEFT}Z"
    return (
        panel.frame(ticks, [compact_text(tick) for tick in ticks])
        + f'<path class="leaves-area" d="{area}"/><path class="leaves" d="{line}"/>'
        + f'<text class="leaves-name" x="{_WIDTH - _RIGHT + 10}" y="{ends + 4:.1f}">'
        f"leaves {int(curve.leaves[-1]):,}</text>"
    )


def _marks(panel: _Panel, marks: Sequence[int], bottom: float) -> str:
    places = sorted({f"{panel.x(row):.1f}" for row in marks}, key=float)
    lines = "".join(f"M{x} {_TOP}V{bottom:.1f}" for x in places)
    return f'<path class="mark" d="{lines}"/>' if lines else ""


def _rows_axis(panel: _Panel, bottom: float) -> str:
    _, _, ticks = _scale(0.0, panel.rows, wanted=6)
    pieces = [
        f'<text class="tick" x="{panel.x(tick):.1f}" y="{bottom + 20:.1f}" '
        f'text-anchor="middle">{compact_text(tick)}</text>'
        for tick in ticks
        if tick <= panel.rows
    ]
    pieces.append(
        f'<text class="tick" x="{_WIDTH - _RIGHT + 34}" y="{bottom + 20:.1f}">rows</text>'
    )
    return "".join(pieces)


def _tips(panel: _Panel, curve: Curve, bottom: float) -> str:
    """An invisible strip for each window that shows its figures under the mouse."""
    pieces = []
    before = 0
    for row, value, leaves in zip(
        curve.rows.tolist(), curve.accuracy.tolist(), curve.leaves.tolist(), strict=True
    ):
        left, right = panel.x(before), panel.x(row)
        tree = f", {leaves:,} leaves" if leaves >= 0 else ""
        pieces.append(
            f'<rect class="tip" x="{left:.1f}" y="{_TOP}" width="{right - left:.1f}" '
            f'height="{bottom - _TOP:.1f}"><title>rows {before + 1:,} to {row:,}: '
            f"accuracy {value:.4f}{tree}</title></rect>"
        )
        before = row
    return "".join(pieces)


def _scale(
    low: float, high: float, *, most: float = math.inf, wanted: int = 4
) -> tuple[float, float, list[float]]:
    """Round a range outwards to about `wanted` steps of 1, 2 or 5 times a power of ten."""
    span = max(high - low, 1e-3 if most == 1.0 else 1.0)
    rough = span / wanted
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(s * power for s in (1.0, 2.0, 5.0, 10.0) if s * power >= rough * (1 - 1e-9))
    first = math.floor(low / step + 1e-9)
    last = max(math.ceil(high / step - 1e-9), first + 1)
    if most == 1.0 and last * step > 1.0 + 1e-9:
        last = max(math.floor(1.0 / step + 1e-9), first + 1)
    ticks = [i * step for i in range(first, last + 1)]
    # The range may end between two ticks, at the largest value there can be.
    return ticks[0], max(ticks[-1], min(high, most)), ticks


def _decimals(ticks: list[float], least: int) -> int:
    step = min(b - a for a, b in pairwise(ticks))
    return max(least, -math.floor(math.log10(step) + 1e-9))


#: The style of the drawing, with the colours that `page.colours` declares.
RULES = """
.chart{display:block;width:100%;min-width:640px;height:auto}
.chart text{font-size:13px;fill:var(--quiet)}
.chart .tick{font-size:12px;font-variant-numeric:tabular-nums}
.chart .grid{stroke:var(--line);stroke-width:1;opacity:.6}
.chart path{fill:none}
.chart .baseline{stroke:var(--quiet);stroke-width:1.2;stroke-dasharray:5 4}
.chart .accuracy{stroke:var(--accent);stroke-width:2;stroke-linejoin:round}
.chart .accuracy-name{fill:var(--accent);font-weight:600}
.chart .leaves{stroke:var(--second);stroke-width:1.6}
.chart .leaves-area{fill:var(--second);opacity:.14}
.chart .leaves-name{fill:var(--second);font-weight:600}
.chart .tip{fill:var(--ink);opacity:0}
.chart .tip:hover{opacity:.07}
.chart .mark{stroke:var(--ink);stroke-width:1;opacity:.35}
"""
