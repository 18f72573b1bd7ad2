"""The nodes that the picture of a tree shows, and the texts on each of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from riparian.data.formatting import compact_text, share_text
from riparian.evidence.structure import EVERY_VALUE, Node, Structure
from riparian.export import class_weights_text

__all__ = ["FONT", "SMALL", "Item", "Measure", "estimated_width", "fitted", "items_of"]

Measure = Callable[[str, float, bool], float]  # text, font size, bold -> width

FONT = 12.0
SMALL = 10.5
_TITLE_MAX = 190.0
_LABEL_MAX = 150.0
_SIGNS = {"<=": "≤", ">": ">", "=": "=", "!=": "≠"}


@dataclass(slots=True)
class Item:
    """A node to be drawn, or several branches of one node folded into one.

    ``parent`` and ``children`` are positions among the items. ``cut`` is true if the item has
    descendants that are not drawn.
    """

    nodes: tuple[Node, ...]
    parent: int
    depth: int
    folded: bool = False
    cut: bool = False
    label: str = ""  # on the branch that leads here
    title: str = ""
    detail: str = ""  # next to the title
    note: str = ""  # "+12 nodes" where something is left out
    children: tuple[int, ...] = ()

    @property
    def reached(self) -> tuple[float, ...]:
        """Class weights of all examples that reached the item."""
        return tuple(sum(column) for column in zip(*(n.reached for n in self.nodes), strict=True))

    @property
    def shown(self) -> tuple[float, ...]:
        """Class weights to draw."""
        return self.reached if self.folded else self.nodes[0].shown

    @property
    def leading(self) -> int:
        """Position of the class that a leaf predicts; -1 for others."""
        leaf = self.nodes[0].is_leaf and not self.folded
        return self.nodes[0].leading if leaf else -1


def items_of(
    structure: Structure, max_depth: int | None, max_branches: int, measure: Measure
) -> list[Item]:
    """The items to draw, with their texts. Each parent comes before its children."""
    items: list[Item] = []
    waiting = [Item((structure[0],), parent=-1, depth=0)]
    while waiting:
        item = waiting.pop()
        node, place = item.nodes[0], len(items)
        item.cut = not node.is_leaf and max_depth is not None and item.depth >= max_depth
        if item.parent >= 0:
            items[item.parent].children += (place,)
        _write(item, structure, measure)
        items.append(item)
        if item.folded or item.cut or node.is_leaf:
            continue
        kept, others = _heaviest([structure[child] for child in node.children], max_branches)
        # A stack: what is pushed last is read next.
        if others:
            waiting.append(Item(tuple(others), place, item.depth + 1, folded=True))
        waiting.extend(Item((child,), place, item.depth + 1) for child in reversed(kept))
    return items


def about(item: Item, structure: Structure) -> tuple[str, ...]:
    """Lines of the tooltip: the condition, the split or the prediction, and the counts."""
    node = item.nodes[0]
    counts = f"n {class_weights_text(structure, item.reached, most=12)}"
    if item.folded and node.branch is not None:
        values = [n.branch.value for n in item.nodes[:20] if n.branch is not None]
        more = ", …" if len(item.nodes) > 20 else ""
        return f"{node.branch.feature}: {', '.join(values)}{more}", counts
    lines = [f"{'leaf' if node.is_leaf else 'node'} {node.id}"]
    if node.branch is not None:
        lines[0] += f": {node.branch}{' or missing' if node.takes_missing else ''}"
    if node.feature is not None:
        lines.append(f"tests {node.feature}")
        if node.id in structure.evidence:
            lines.append(structure.evidence[node.id])
    elif node.leading >= 0:
        share = share_text(node.shown[node.leading] / sum(node.shown))
        lines.append(f"predicts {structure.classes[node.leading]} ({share})")
    return (*lines, counts)


def estimated_width(text: str, size: float, bold: bool = False) -> float:
    """Estimated width of a text in an unknown sans-serif font; rather too large than too small."""
    units = 0.0
    for character in text:
        if character in "fijlrtI.,:;'!|()[]{}/\\ -":
            units += 0.40
        elif character in "mwMW@%≤≥≠<>" or unicodedata.east_asian_width(character) in "WF":
            units += 1.0
        elif character.isupper():
            units += 0.74
        else:
            units += 0.64
    return units * size * (1.08 if bold else 1.0)


def fitted(text: str, width: float, size: float, bold: bool, measure: Measure) -> str:
    """The text, or its beginning and end with an ellipsis between them, so that it fits a width.

    Long names often differ at the end only.
    """
    if len(text) < 1000 and measure(text, size, bold) <= width:
        return text
    low, high = 0, min(len(text), 1000) - 1
    while low < high:
        middle = (low + high + 1) // 2
        if measure(_shortened(text, middle), size, bold) <= width:
            low = middle
        else:
            high = middle - 1
    return _shortened(text, low)


def _shortened(text: str, n: int) -> str:
    """At most `n` characters of a text, two thirds of them from its beginning."""
    end = n // 3
    return f"{text[: n - end].rstrip()}…{text[len(text) - end :].lstrip()}"


def _heaviest(children: list[Node], most: int) -> tuple[list[Node], list[Node]]:
    if len(children) <= most:
        return children, []
    by_weight = sorted(children, key=lambda child: -sum(child.reached))
    kept = {child.id for child in by_weight[: most - 1]}
    return [c for c in children if c.id in kept], [c for c in children if c.id not in kept]


def _write(item: Item, structure: Structure, measure: Measure) -> None:
    node = item.nodes[0]
    item.detail = f"n {compact_text(sum(item.reached))}"
    label, left_out = "", node.below if item.cut else 0
    if item.folded:
        item.title, label = f"{len(item.nodes)} branches", "other values"
        left_out = sum(n.below + 1 for n in item.nodes)
    elif node.feature is not None:
        item.title = fitted(node.feature, _TITLE_MAX, FONT, True, measure)
    elif node.leading < 0:
        item.title = "no prediction yet"
    else:
        item.title = fitted(structure.classes[node.leading], _TITLE_MAX, FONT, True, measure)
        item.detail = f"{share_text(node.shown[node.leading] / sum(node.shown))} · {item.detail}"
    if node.branch is not None and not item.folded:
        label = node.branch.value
        if node.branch.is_option:
            label = node.branch.feature
        elif structure[node.parent].test != EVERY_VALUE:
            label = f"{_SIGNS[node.branch.relation]} {label}"
    item.label = fitted(label, _LABEL_MAX, SMALL, False, measure)
    if left_out:
        item.note = f"+{left_out:,} node{'s' if left_out > 1 else ''}"
