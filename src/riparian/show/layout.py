"""The positions of everything in the picture of a tree, in units of one CSS pixel.

The tree grows from left to right: a column for each level, a row for each leaf, and branches as
wide as their share of the examples. Names and categories are horizontal texts of any length, so
rows and columns keep them apart better than a tree that grows downwards. ``plot`` and ``svg``
draw the pieces.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from riparian.evidence.structure import Structure
from riparian.show.cards import FONT, SMALL, Item, Measure, about, estimated_width, fitted, items_of

__all__ = ["Box", "Card", "Edge", "Key", "Picture", "lay_out"]

CARD_HEIGHT = 40.0
CARD_PADDING = 11.0
BAR_HEIGHT = 7.0
LABEL_HEIGHT = 18.0
STRIPE = 4.0  # in the class's colour, on the left of a leaf
MARGIN = 16.0
_CURVE = 36.0  # where branches bend
_ROW_GAP = 8.0  # between children of one node
_GROUP_GAP = 16.0  # between leaves of different nodes
_CARD_MIN = 96.0
_TITLE_GAP = 10.0
_LEGEND_MOST = 16
_NARROWEST = 460.0  # room for the caption
_FLOW_MIN, _FLOW_RANGE = 1.5, 10.0


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle; ``x`` and ``y`` are its upper left corner."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Card:
    """A node, or several branches folded into one.

    Attributes
    ----------
    node : int
        Id of the node; -1 for folded branches.
    box : Box
        Its rectangle.
    title, detail : str
        Texts on the left and on the right above the bar.
    segments : tuple of (int, Box)
        The bar: each class and its part, from left to right.
    leading : int
        The class that a leaf predicts; -1 for others.
    note : str
        What is left out; it is written to the right of the card.
    about : tuple of str
        Lines of the tooltip.
    """

    node: int
    box: Box
    title: str
    detail: str
    segments: tuple[tuple[int, Box], ...]
    leading: int
    note: str
    about: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """A branch: a curve from ``(x0, y0)`` to ``(x1, y1)``, then straight to ``x2``."""

    x0: float
    y0: float
    x1: float
    y1: float
    x2: float
    thickness: float
    label: str
    label_box: Box


@dataclass(frozen=True, slots=True)
class Key:
    """A class in the legend with the left end and the middle height of its line.

    The position is -1 for the text about classes that are left out.
    """

    x: float
    y: float
    position: int
    text: str


@dataclass(frozen=True, slots=True)
class Picture:
    """All pieces of a picture; the origin is the upper left corner."""

    width: float
    height: float
    cards: tuple[Card, ...]
    edges: tuple[Edge, ...]
    legend: tuple[Key, ...]
    caption: str


def lay_out(
    structure: Structure,
    *,
    max_depth: int | None = 4,
    max_branches: int = 12,
    measure: Measure | None = None,
) -> Picture:
    """Place the nodes of a tree.

    Parameters
    ----------
    structure : Structure
        The tree.
    max_depth : int or None, default=4
        Deepest level to draw; None draws all.
    max_branches : int, default=12
        Most branches of one node. Of a node with more, the lightest are folded into one card.
    measure : callable, optional
        Width of a text, given its font size and whether it is bold. The default is an estimate
        that is wide enough for the common sans-serif fonts.

    Returns
    -------
    Picture
        The pieces. No two cards or texts overlap.
    """
    if max_depth is not None and max_depth < 0:
        raise ValueError(f"max_depth must be None or at least 0, got {max_depth}")
    if max_branches < 2:
        raise ValueError(f"max_branches must be at least 2, got {max_branches}")
    if not len(structure):
        return Picture(_NARROWEST, 3 * MARGIN, (), (), (), "nothing learned yet")

    width_of = measure or estimated_width
    items = items_of(structure, max_depth, max_branches, width_of)
    lefts, widths, right = _columns(items, width_of)
    width = max(right + MARGIN, _NARROWEST)
    legend, top = _legend(structure, width, width_of)
    tops, bottom = _rows(items, top)

    cards, edges = [], []
    whole = sum(structure[0].reached) or 1.0
    for item, y in zip(items, tops, strict=True):
        box = Box(lefts[item.depth], y, widths[item.depth], CARD_HEIGHT)
        cards.append(_card(item, box, structure))
        flows = [_FLOW_MIN + _FLOW_RANGE * sum(items[c].reached) / whole for c in item.children]
        # Branches leave the card side by side.
        start = y + CARD_HEIGHT / 2.0 - sum(flows) / 2.0
        for child, flow in zip(item.children, flows, strict=True):
            x0, y0 = box.x + box.width, start + flow / 2.0
            x2, y1 = lefts[item.depth + 1], tops[child] + CARD_HEIGHT / 2.0
            edges.append(_edge(items[child].label, x0, y0, x2, y1, flow, width_of))
            start += flow
    since = "that reached the node" if structure.adds_up else "since the parent's split"
    caption = f"n: examples {since}; a branch is as wide as its share of all"
    height = bottom + 2.4 * MARGIN
    return Picture(width, height, tuple(cards), tuple(edges), legend, caption)


def _columns(items: list[Item], measure: Measure) -> tuple[list[float], list[float], float]:
    """Left ends and widths of the columns, and the right end of the last text."""
    n_columns = 1 + max(item.depth for item in items)
    widths, labels = [_CARD_MIN] * n_columns, [0.0] * n_columns
    for item in items:
        texts = measure(item.title, FONT, True) + _TITLE_GAP + measure(item.detail, SMALL, False)
        widths[item.depth] = max(widths[item.depth], texts + 2 * CARD_PADDING)
        labels[item.depth] = max(labels[item.depth], _label_width(item.label, measure))
    lefts = [MARGIN]
    for column in range(1, n_columns):
        lefts.append(lefts[-1] + widths[column - 1] + _CURVE + labels[column] + 14.0)
    right = 0.0
    for item in items:
        note = 22.0 + measure(item.note, SMALL, False) if item.note else 0.0
        right = max(right, lefts[item.depth] + widths[item.depth] + note)
    return lefts, widths, right


def _rows(items: list[Item], top: float) -> tuple[list[float], float]:
    """Tops of the cards: one leaf under the other, each inner node halfway between its children."""
    tops = [0.0] * len(items)
    y, parent = top, -1
    for place, item in enumerate(items):
        if not item.children:
            if y > top:
                y += _ROW_GAP if item.parent == parent else _GROUP_GAP
            tops[place], parent = y, item.parent
            y += CARD_HEIGHT
    for place in reversed(range(len(items))):
        children = items[place].children
        if children:
            tops[place] = (tops[children[0]] + tops[children[-1]]) / 2.0
    return tops, y


def _card(item: Item, box: Box, structure: Structure) -> Card:
    total = sum(item.shown)
    x, y = box.x + CARD_PADDING, box.y + CARD_HEIGHT - BAR_HEIGHT - 8.0
    segments = []
    for position, weight in enumerate(item.shown):
        if weight > 0.0:
            width = weight / total * (box.width - 2 * CARD_PADDING)
            # A thin gap between neighbours, for readers to whom the colours look alike.
            gap = 1.0 if width > 3.0 and weight < total else 0.0
            segments.append((position, Box(x, y, width - gap, BAR_HEIGHT)))
            x += width
    return Card(
        node=-1 if item.folded else item.nodes[0].id,
        box=box,
        title=item.title,
        detail=item.detail,
        segments=tuple(segments),
        leading=item.leading,
        note=item.note,
        about=about(item, structure),
    )


def _edge(
    label: str, x0: float, y0: float, x2: float, y1: float, flow: float, measure: Measure
) -> Edge:
    width = _label_width(label, measure)
    x1 = x0 + _CURVE
    left = x1 + (x2 - x1 - width) / 2.0
    box = Box(left, y1 - LABEL_HEIGHT / 2.0, width, LABEL_HEIGHT)
    return Edge(x0=x0, y0=y0, x1=x1, y1=y1, x2=x2, thickness=flow, label=label, label_box=box)


def _label_width(label: str, measure: Measure) -> float:
    return measure(label, SMALL, False) + 14.0 if label else 0.0


def _legend(structure: Structure, width: float, measure: Measure) -> tuple[tuple[Key, ...], float]:
    """The classes in rows (of many, the most frequent), and the height at which the tree begins."""
    weights: Sequence[float] = structure[0].reached
    chosen = list(range(len(weights)))
    if len(chosen) > _LEGEND_MOST:
        chosen = sorted(sorted(chosen, key=lambda k: -weights[k])[: _LEGEND_MOST - 1])
    texts = [(k, fitted(structure.classes[k], 160.0, SMALL, False, measure)) for k in chosen]
    if len(chosen) < len(weights):
        texts.append((-1, f"and {len(weights) - len(chosen)} more classes"))
    keys: list[Key] = []
    x, y = MARGIN, MARGIN
    for position, text in texts:
        needed = 15.0 + measure(text, SMALL, False)
        if x > MARGIN and x + needed > width - MARGIN:
            x, y = MARGIN, y + 18.0
        keys.append(Key(x, y, position, text))
        x += needed + 16.0
    return tuple(keys), y + 26.0 if keys else MARGIN
