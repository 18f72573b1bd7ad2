"""A tree as nested folds: a reader opens it branch by branch, to any depth."""

from __future__ import annotations

from html import escape

from riparian.data.formatting import plural, share_text, weight_text
from riparian.evidence.structure import Node, Structure
from riparian.export.text import predictor_text

__all__ = ["outline_html"]

_OPEN_LEVELS = 2
_MOST_NODES = 2000  # a page of about half a megabyte
_DEEPEST = 200  # browsers stop nesting elements at about 500


def outline_html(structure: Structure) -> str:
    """The tree as nested ``<details>`` elements in one ``<div>``.

    Large trees end at the level at which 2,000 nodes are reached; the nodes left out are counted.
    """
    shown = _shown_nodes(structure)
    pieces = ["<div class='outline'>"]
    # A stack, for trees of any depth: a node, or the end of one.
    waiting: list[int | None] = [0]
    while waiting:
        place = waiting.pop()
        if place is None:
            pieces.append("</details>")
            continue
        node = structure[place]
        where = escape(str(node.branch)) if node.branch is not None else "all examples"
        missing = " or missing" if node.takes_missing else ""
        line = f"{where}{missing} <span class='quiet'>{escape(_about(structure, node))}</span>"
        if node.is_leaf or not shown.issuperset(node.children):
            left_out = f" <span class='quiet'>+{plural(node.below, 'node')}</span>"
            pieces.append(f"<div>{line}{left_out if node.below else ''}</div>")
            continue
        opened = " open" if node.depth < _OPEN_LEVELS else ""
        pieces.append(f"<details{opened}><summary>{line}</summary>")
        waiting.append(None)
        waiting.extend(reversed(node.children))
    return "".join([*pieces, "</div>"])


def _shown_nodes(structure: Structure) -> set[int]:
    """The nodes of the upper levels."""
    by_level = sorted(range(len(structure)), key=structure.depth_of)
    return {node for node in by_level[:_MOST_NODES] if structure.depth_of(node) <= _DEEPEST}


def _about(structure: Structure, node: Node) -> str:
    """What a leaf predicts, or the feature that an inner node tests, and the examples."""
    n = f"n {weight_text(sum(node.reached))}"
    if node.feature is not None:
        return f"tests {node.feature}, {n}"
    if node.leading < 0:
        return "no prediction yet"
    share = share_text(node.shown[node.leading] / sum(node.shown))
    label = structure.classes[node.leading]
    return f"predicts {label} ({share}){predictor_text(node.predicted_by)}, {n}"
