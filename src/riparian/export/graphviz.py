"""Export of trees to Graphviz."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from riparian.data.formatting import plural
from riparian.evidence.structure import Node, Structure
from riparian.export.palette import class_colour, ink_on, mix
from riparian.export.text import check_depth, class_weights_text

__all__ = ["export_graphviz"]

#: Graphviz interprets HTML entities in labels.
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "&": "&amp;"})


def export_graphviz(
    model: Any, *, max_depth: int | None = None, digits: int = 6, horizontal: bool = False
) -> str:
    """Return the tree in the DOT language of Graphviz.

    A node has the colour of its most frequent class. In SVG the tooltip of an inner node shows the
    evidence of its split.

    Parameters
    ----------
    model : HoeffdingTree
        A fitted model.
    max_depth : int or None, default=None
        Depth down to which nodes are drawn. Nodes with hidden children are dashed. None draws the
        whole tree.
    digits : int, default=6
        Significant digits of thresholds. More are used if two would look the same.
    horizontal : bool, default=False
        Draw from left to right instead of from top to bottom.

    Returns
    -------
    dot : str
        The graph, for ``dot -Tsvg`` or ``graphviz.Source``.
    """
    structure = Structure.of(model, digits=digits, evidence=True)
    check_depth(max_depth)
    lines = [
        "digraph riparian {",
        f"  rankdir={'LR' if horizontal else 'TB'};",
        '  node [shape=box, style="filled,rounded", fontname="Helvetica", fontsize=11, '
        'color="#9aa5b1"];',
        '  edge [fontname="Helvetica", fontsize=10, color="#9aa5b1"];',
    ]
    if not len(structure):
        lines.append('  0 [label="nothing learned yet", fillcolor="#ffffff"];')
    waiting = [0] if len(structure) else []
    while waiting:
        node = structure[waiting.pop()]
        cut = max_depth is not None and node.depth >= max_depth and not node.is_leaf
        label = structure.classes[node.leading] if node.leading >= 0 else "no prediction yet"
        title = node.feature if node.feature is not None else label
        rows = [title, f"n={class_weights_text(structure, node.reached)}"]
        if cut:
            rows.append(f"+{plural(node.below, 'node')}")
        fill = _fill(node)
        style = ', style="filled,rounded,dashed"' if cut else ""
        if node.id in structure.evidence:
            style += f', tooltip="{_lines([structure.evidence[node.id]])}"'
        lines.append(
            f'  {node.id} [label="{_lines(rows)}", fillcolor="{fill}", '
            f'fontcolor="{ink_on(fill)}"{style}];'
        )
        if node.branch is not None:
            cut_text = f"{node.branch.relation} {node.branch.value}"
            if node.branch.is_option:
                cut_text = node.branch.feature
            lines.append(f'  {node.parent} -> {node.id} [label="{_lines([cut_text])}"];')
        if not cut:
            waiting.extend(reversed(node.children))
    return "\n".join([*lines, "}"])


def _fill(node: Node) -> str:
    if node.leading < 0:
        return "#ffffff"
    share = node.shown[node.leading] / sum(node.shown)
    return mix("#ffffff", class_colour(node.leading), 0.15 + 0.6 * share)


def _lines(rows: Sequence[str]) -> str:
    """Return the content of a DOT string, with quotes, backslashes and entities escaped."""
    return "\\n".join(row.translate(_ESCAPES) for row in rows)
