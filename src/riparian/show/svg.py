"""The picture of a tree as one self-contained SVG text, readable on light and dark pages.

The attributes have the colours of the light scheme. A style sheet changes them where the page or
the notebook is dark. The picture has its own background and refers to nothing outside itself.
"""

from __future__ import annotations

from html import escape
from typing import Any

from riparian.evidence.structure import Structure
from riparian.export.palette import DARK, LIGHT, class_colour
from riparian.show.cards import FONT, SMALL
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

__all__ = ["picture_svg", "tree_svg"]

_FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
_NARROWEST = 720  # pixels: below this a page scrolls instead of shrinking the text
_RAISE = 0.34  # of the font size: from the middle of a line to its baseline


def tree_svg(model: Any, *, max_depth: int | None = 4, max_branches: int = 12) -> str:
    """The tree of a model as SVG, with class shares, counts, cuts and a tooltip for each node.

    It is an ``<svg>`` element, for a file of its own or inside HTML. The options are those of
    :meth:`riparian.HoeffdingTree.plot`.
    """
    structure = Structure.of(model, evidence=True)
    return picture_svg(structure, max_depth=max_depth, max_branches=max_branches)


def picture_svg(structure: Structure, *, max_depth: int | None = 4, max_branches: int = 12) -> str:
    """A tree that was read before as SVG; options as in :func:`tree_svg`."""
    picture = lay_out(structure, max_depth=max_depth, max_branches=max_branches)
    width, height = round(picture.width), round(picture.height)
    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="riparian-tree" role="img" '
        f'aria-label="decision tree with {len(structure)} nodes" width="{width}" '
        f'height="{height}" viewBox="0 0 {width} {height}" font-family="{_FONTS}" '
        f'style="max-width:100%;min-width:{min(width, _NARROWEST)}px;height:auto">',
        f"<style>{_style(picture)}</style>",
        _rect("ground", Box(0.0, 0.0, width, height), LIGHT["ground"], radius=10.0),
        *(_edge(edge) for edge in picture.edges),
        *(_card(card) for card in picture.cards),
        *(_key(key) for key in picture.legend),
        _text("quiet", MARGIN, picture.height - MARGIN, picture.caption, SMALL),
        "</svg>",
    ]
    return "\n".join(pieces)


def _style(picture: Picture) -> str:
    """Rules for dark pages; the theme of a notebook overrides that of the system."""
    classes = {k for card in picture.cards for k, _ in card.segments}
    classes |= {key.position for key in picture.legend if key.position >= 0}
    dark = [(f".{role}", f"fill:{colour}") for role, colour in DARK.items()]
    dark += [(".stream", f"stroke:{DARK['flow']}"), (".frame", f"stroke:{DARK['line']}")]
    dark += [(".rest", f"stroke:{DARK['quiet']}")]
    dark += [(f".c{k}", f"fill:{class_colour(k, dark=True)}") for k in sorted(classes)]

    def rules(scope: str) -> str:
        return "".join(f"{scope} {selector}{{{body}}}" for selector, body in dark)

    not_light = '.riparian-tree:not([data-jp-theme-light="true"] *):not(.vscode-light *)'
    return (
        ".riparian-tree .node:hover .frame{stroke-width:2}"
        f"@media (prefers-color-scheme:dark){{{rules(not_light)}}}"
        + rules('[data-jp-theme-light="false"] .riparian-tree')
        + rules(".vscode-dark .riparian-tree")
    )


def _edge(edge: Edge) -> str:
    bend = (edge.x0 + edge.x1) / 2.0
    box = edge.label_box
    return (
        f'<path class="stream" d="M{edge.x0:.1f} {edge.y0:.1f}C{bend:.1f} {edge.y0:.1f} '
        f"{bend:.1f} {edge.y1:.1f} {edge.x1:.1f} {edge.y1:.1f}"
        f'L{edge.x2:.1f} {edge.y1:.1f}" fill="none" stroke="{LIGHT["flow"]}" '
        f'stroke-width="{edge.thickness:.1f}"/>'
        + _rect("flow", box, LIGHT["flow"], radius=LABEL_HEIGHT / 2.0)
        + _text("ink", box.x + box.width / 2.0, edge.y1, edge.label, SMALL, anchor="middle")
    )


def _card(card: Card) -> str:
    box, line = card.box, card.box.y + 13.5
    ground = "leaf" if card.leading >= 0 else "card"
    dashes = ' stroke-dasharray="4 3"' if card.note else ""
    frame = f' stroke="{LIGHT["line"]}"{dashes}'
    pieces = [
        f'<g class="node"><title>{escape(chr(10).join(card.about))}</title>',
        _rect(f"{ground} frame", box, LIGHT[ground], radius=5.0, more=frame),
    ]
    if card.leading >= 0:
        stripe = Box(box.x, box.y + 5.0, STRIPE, CARD_HEIGHT - 10.0)
        pieces.append(_class_rect(card.leading, stripe))
    right = box.x + box.width
    pieces += [
        _text("ink", box.x + CARD_PADDING, line, card.title, FONT, bold=True),
        _text("quiet", right - CARD_PADDING, line, card.detail, SMALL, anchor="end"),
        *(_class_rect(position, part) for position, part in card.segments if part.width >= 0.3),
    ]
    if card.note:
        middle = box.y + CARD_HEIGHT / 2.0
        pieces += [
            f'<path class="rest" d="M{right:.1f} {middle:.1f}h14" stroke="{LIGHT["quiet"]}" '
            'stroke-width="1.5" stroke-dasharray="2 3"/>',
            _text("quiet", right + 18.0, middle, card.note, SMALL),
        ]
    return "".join([*pieces, "</g>"])


def _key(key: Key) -> str:
    if key.position < 0:
        return _text("quiet", key.x, key.y, key.text, SMALL)
    swatch = Box(key.x, key.y - 5.0, 10.0, 10.0)
    return _class_rect(key.position, swatch, radius=2.0) + _text(
        "ink", key.x + 15.0, key.y, key.text, SMALL
    )


def _class_rect(position: int, box: Box, radius: float = 0.0) -> str:
    return _rect(f"c{position}", box, class_colour(position), radius=radius)


def _rect(role: str, box: Box, fill: str, *, radius: float = 0.0, more: str = "") -> str:
    corners = f' rx="{radius:g}"' if radius else ""
    return (
        f'<rect class="{role}" x="{box.x:.1f}" y="{box.y:.1f}" width="{box.width:.1f}" '
        f'height="{box.height:.1f}"{corners} fill="{fill}"{more}/>'
    )


def _text(
    role: str,
    x: float,
    middle: float,
    text: str,
    size: float,
    *,
    anchor: str = "start",
    bold: bool = False,
) -> str:
    weight = ' font-weight="600"' if bold else ""
    return (
        f'<text class="{role}" x="{x:.1f}" y="{middle + _RAISE * size:.1f}" font-size="{size:g}" '
        f'fill="{LIGHT[role]}" text-anchor="{anchor}"{weight}>{escape(text)}</text>'
    )
