"""The picture of a tree on matplotlib's axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from riparian.evidence.structure import Structure
from riparian.export.palette import DARK, LIGHT, class_colour, ink_on
from riparian.show.cards import FONT, SMALL, Measure
from riparian.show.layout import (
    CARD_HEIGHT,
    CARD_PADDING,
    LABEL_HEIGHT,
    MARGIN,
    STRIPE,
    Box,
    Card,
    Edge,
    Key,
    Picture,
    lay_out,
)
from riparian.show.pictures import pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_tree"]

_UNITS_PER_INCH = 96.0
_LARGEST_INCHES = 200.0  # a larger figure fails when it is drawn
_POINTS_PER_INCH = 72.0


def plot_tree(
    model: Any, ax: Axes | None = None, *, max_depth: int | None = 4, max_branches: int = 12
) -> Axes:
    """Draw the tree on axes, as :meth:`riparian.HoeffdingTree.plot` describes."""
    plt = pyplot("plotting a tree")
    structure = Structure.of(model)
    picture = lay_out(structure, max_depth=max_depth, max_branches=max_branches, measure=_measure())
    if ax is None:
        inches = max(picture.width, picture.height) / _UNITS_PER_INCH
        per_inch = _UNITS_PER_INCH * max(1.0, inches / _LARGEST_INCHES)
        figure = plt.figure(figsize=(picture.width / per_inch, picture.height / per_inch))
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    _Canvas(ax, picture).draw()
    return ax


class _Canvas:
    """Draws the pieces of a picture on axes that have its units."""

    def __init__(self, ax: Axes, picture: Picture) -> None:
        self._ax = ax
        self._picture = picture
        ax.set_xlim(0.0, picture.width)
        ax.set_ylim(picture.height, 0.0)
        ax.set_aspect("equal")
        ax.set_axis_off()
        place, whole = ax.get_position(original=True), ax.figure.bbox
        fits = min(
            place.width * whole.width / picture.width, place.height * whole.height / picture.height
        )
        self._points = fits / ax.figure.dpi * _POINTS_PER_INCH  # in one unit of the picture
        self._dark = ink_on(_hex_colour(ax.figure.get_facecolor())) == "#ffffff"
        self._colours = DARK if self._dark else LIGHT

    def draw(self) -> None:
        """Put everything on the axes, what lies below first."""
        for edge in self._picture.edges:
            self._edge(edge)
        for card in self._picture.cards:
            self._card(card)
        for key in self._picture.legend:
            self._key(key)
        y = self._picture.height - MARGIN
        self._text("quiet", MARGIN, y, self._picture.caption, SMALL)

    def _edge(self, edge: Edge) -> None:
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        bend = (edge.x0 + edge.x1) / 2.0
        points = [
            (edge.x0, edge.y0),
            (bend, edge.y0),
            (bend, edge.y1),
            (edge.x1, edge.y1),
            (edge.x2, edge.y1),
        ]
        codes = [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4, Path.LINETO]
        flow = self._colours["flow"]
        width = edge.thickness * self._points
        curve = Path(points, codes)
        self._ax.add_patch(
            PathPatch(curve, fill=False, edgecolor=flow, linewidth=width, capstyle="butt")
        )
        box = edge.label_box
        self._box(box, flow, radius=LABEL_HEIGHT / 2.0)
        self._text("ink", box.x + box.width / 2.0, edge.y1, edge.label, SMALL, align="center")

    def _card(self, card: Card) -> None:
        box, line = card.box, card.box.y + 13.5
        ground = self._colours["leaf" if card.leading >= 0 else "card"]
        self._box(box, ground, radius=5.0, frame=True, dashed=bool(card.note))
        if card.leading >= 0:
            stripe = Box(box.x, box.y + 5.0, STRIPE, CARD_HEIGHT - 10.0)
            self._box(stripe, class_colour(card.leading, dark=self._dark))
        right = box.x + box.width
        self._text("ink", box.x + CARD_PADDING, line, card.title, FONT, bold=True)
        self._text("quiet", right - CARD_PADDING, line, card.detail, SMALL, align="right")
        for position, part in card.segments:
            self._box(part, class_colour(position, dark=self._dark))
        if card.note:
            middle = box.y + CARD_HEIGHT / 2.0
            self._ax.plot(
                [right, right + 14.0],
                [middle, middle],
                color=self._colours["quiet"],
                linewidth=1.5 * self._points,
                linestyle=(0, (1.3, 2.0)),
            )
            self._text("quiet", right + 18.0, middle, card.note, SMALL)

    def _key(self, key: Key) -> None:
        if key.position < 0:
            self._text("quiet", key.x, key.y, key.text, SMALL)
            return
        swatch = Box(key.x, key.y - 5.0, 10.0, 10.0)
        self._box(swatch, class_colour(key.position, dark=self._dark), radius=2.0)
        self._text("ink", key.x + 15.0, key.y, key.text, SMALL)

    def _box(
        self,
        box: Box,
        colour: str,
        *,
        radius: float = 0.0,
        frame: bool = False,
        dashed: bool = False,
    ) -> None:
        from matplotlib.patches import FancyBboxPatch

        shape = f"round,pad=0,rounding_size={radius}" if radius else "square,pad=0"
        self._ax.add_patch(
            FancyBboxPatch(
                (box.x, box.y),
                box.width,
                box.height,
                boxstyle=shape,
                facecolor=colour,
                edgecolor=self._colours["line"] if frame else "none",
                linewidth=self._points if frame else 0.0,
                linestyle=(0, (4.0, 3.0)) if dashed else "solid",
                zorder=2.0,
            )
        )

    def _text(
        self,
        role: str,
        x: float,
        middle: float,
        text: str,
        size: float,
        *,
        align: str = "left",
        bold: bool = False,
    ) -> None:
        # Dollar signs in names do not begin formulas.
        self._ax.text(
            x,
            middle,
            text,
            color=self._colours[role],
            fontsize=size * self._points,
            fontweight="bold" if bold else "normal",
            ha=align,
            va="center_baseline",
            parse_math=False,
            zorder=3.0,
        )


def _measure() -> Measure:
    """Width of a text in the font that matplotlib will use."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    fonts = {bold: FontProperties(weight="bold" if bold else "normal") for bold in (False, True)}
    for font in fonts.values():
        font.set_size(FONT)

    def width(text: str, size: float, bold: bool) -> float:
        at_font, _, _ = text_to_path.get_text_width_height_descent(text, fonts[bold], False)
        return 1.03 * float(at_font) * size / FONT  # letters are moved to whole pixels

    return width


def _hex_colour(colour: Any) -> str:
    from matplotlib.colors import to_hex, to_rgba

    return to_hex("white" if to_rgba(colour)[3] < 0.5 else colour)
