"""The top of a tree as the page draws it."""

from __future__ import annotations

from typing import Any

from riparian.evidence.structure import Structure

__all__ = ["LEVELS", "tree_nodes"]

#: The levels of a tree that a frame shows.
LEVELS = 4
#: Of a node with many classes or children, the largest are shown.
_MOST_CLASSES, _MOST_NODES = 20, 200


def tree_nodes(
    tree: Structure, certificates: dict[int, str], root: int = 0, levels: int = LEVELS
) -> list[dict[str, Any]]:
    """Return the nodes down to some levels below a root, parents before children.

    Parameters
    ----------
    tree : Structure
        The tree.
    certificates : dict of int to str
        The sentence of each split by its node.
    root : int
        Where to begin.
    levels : int
        How many levels.
    """
    found: list[dict[str, Any]] = []
    waiting = [(root, 1)]
    for number, level in waiting:
        node = tree[number]
        weights = node.shown
        ranked = sorted(range(len(weights)), key=lambda k: -weights[k])[:_MOST_CLASSES]
        room = level < levels and len(waiting) + len(node.children) <= _MOST_NODES
        if room:
            waiting += [(child, level + 1) for child in node.children]
        found.append(
            {
                "id": number,
                "parent": None if number == root else node.parent,
                "branch": "" if node.branch is None else str(node.branch),
                "test": _test(tree, number),
                "weight": float(sum(weights)),
                "class": tree.classes[node.leading] if node.leading >= 0 else None,
                "classes": {tree.classes[k]: float(weights[k]) for k in ranked if weights[k]},
                "rows": float(sum(node.reached)),
                "certificate": certificates.get(number),
                "cut_off": bool(node.children) and not room,
            }
        )
    return found


def _test(tree: Structure, number: int) -> str | None:
    node = tree[number]
    if not node.children:
        return None
    first = tree[node.children[0]].branch
    return node.feature if first is None or len(node.children) != 2 else str(first)
