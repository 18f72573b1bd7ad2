"""Export of trees to indented text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from riparian.data.formatting import plural, share_text, weight_text
from riparian.evidence.structure import Node, Structure
from riparian.policies.parameter import whole

__all__ = [
    "check_depth",
    "class_weights_text",
    "export_text",
    "forest_text",
    "predictor_text",
    "tree_of",
    "tree_text",
]

_GUIDES_SHOWN = 40  # levels of indentation; deeper lines show their depth instead


def export_text(model: Any, *, max_depth: int | None = None, digits: int = 6) -> str:
    """Return the tree as indented text, one line per branch.

    A leaf shows its majority class, the share of that class in the class weights that it predicts
    with, and the class weights of the examples that it has seen (``n``). A leaf predictor other
    than the majority is named.

    Parameters
    ----------
    model : HoeffdingTree
        A fitted model.
    max_depth : int or None, default=None
        Depth down to which nodes are printed. The other nodes are counted. None prints the whole
        tree.
    digits : int, default=6
        Significant digits of thresholds. More are used if two would look the same.

    Returns
    -------
    text : str
        The lines, without a newline at the end.
    """
    return tree_text(Structure.of(model, digits=digits), max_depth)


def tree_text(structure: Structure, max_depth: int | None) -> str:
    """The lines of :func:`export_text` for a tree that was read before."""
    check_depth(max_depth)
    if not len(structure):
        return "an empty tree: nothing learned yet"
    root = structure[0]
    lines = [
        f"{_examples(sum(root.reached))}, {plural(len(structure), 'node')}, "
        f"{plural(structure.n_leaves, 'leaf', 'leaves')}, depth {structure.depth}"
    ]
    left_out = 0
    # A stack instead of recursion: node, indentation, and whether it is the last sibling.
    waiting: list[tuple[int, str, bool]] = [(0, "", True)]
    while waiting:
        identity, guides, last = waiting.pop()
        node = structure[identity]
        cut = max_depth is not None and node.depth >= max_depth and not node.is_leaf
        if node.branch is None:
            lead, inner = "", ""
        else:
            lead = f"{_shortened(guides, node.depth)}{'└─ ' if last else '├─ '}{node.branch}"
            inner = (guides + ("   " if last else "│  "))[-3 * _GUIDES_SHOWN :]
        if node.is_leaf or cut:
            text = _leaf_text(structure, node)
            if cut:
                text += f" … +{plural(node.below, 'node')}"
                left_out += node.below
            lines.append(f"{lead}: {text}" if lead else text)
            continue
        if lead:
            lines.append(lead)
        for child in reversed(node.children):
            waiting.append((child, inner, child == node.children[-1]))
    if left_out:
        verb = "is" if left_out == 1 else "are"
        lines.append(f"{plural(left_out, 'node')} below depth {max_depth} {verb} not shown")
    return "\n".join(lines)


def forest_text(
    model: Any, *, member: int | None = None, max_depth: int | None = None, digits: int = 6
) -> str:
    """Return the trees of a forest as indented text, one after the other.

    Parameters
    ----------
    model : Ensemble or UFFT
        A fitted model.
    member : int or None, default=None
        Index of a member. None prints all members.
    max_depth, digits
        As for :func:`export_text`.

    Returns
    -------
    text : str
        The lines, without a newline at the end.
    """
    if member is not None:
        return export_text(tree_of(model, member), max_depth=max_depth, digits=digits)
    copies = model._copies()
    members = model._members([standing for standing, _ in copies])
    texts = (export_text(tree, max_depth=max_depth, digits=digits) for _, tree in copies)
    return "\n\n".join(f"{head}\n{text}" for head, text in zip(members, texts, strict=True))


def tree_of(model: Any, member: int) -> Any:
    """Return the tree of a member of a forest as a model."""
    n = model._fitted().n_members
    if n == 0:
        raise ValueError(f"member={member!r}: this {type(model).__name__} has no members yet")
    return model._estimator(whole("member", member, 0, n - 1))


def class_weights_text(structure: Structure, weights: Sequence[float], most: int = 4) -> str:
    """Format the total and the largest class weights, as in ``1,204: no 855, yes 349``."""
    total = sum(weights)
    if not total:
        return "0"
    largest = sorted(range(len(weights)), key=lambda k: -weights[k])
    present = [k for k in largest if weights[k] > 0.0]
    parts = [f"{structure.classes[k]} {weight_text(weights[k])}" for k in present[:most]]
    if len(present) > most:
        parts.append(f"{plural(len(present) - most, 'more class', 'more classes')}")
    return f"{weight_text(total)}: {', '.join(parts)}"


def _leaf_text(structure: Structure, node: Node) -> str:
    if node.leading < 0:
        return "no prediction yet"
    share = node.shown[node.leading] / sum(node.shown)
    counts = class_weights_text(structure, node.reached)
    text = f"{structure.classes[node.leading]} ({share_text(share)}, n={counts})"
    return text + predictor_text(node.predicted_by)


def predictor_text(predicted_by: str | None) -> str:
    """Who predicts, unless it is the majority, whose class is shown: ``, by naive-bayes``."""
    return f", by {predicted_by}" if predicted_by not in (None, "majority") else ""


def _shortened(guides: str, depth: int) -> str:
    """Return the indentation, shortened for deep nodes so that lines stay short."""
    return guides if depth <= _GUIDES_SHOWN + 1 else f"[{depth}] ⋯ {guides}"


def _examples(weight: float) -> str:
    return f"{weight_text(weight)} example{'' if weight == 1.0 else 's'}"


def check_depth(max_depth: int | None) -> None:
    if max_depth is not None and max_depth < 0:
        raise ValueError(f"max_depth must be None or at least 0, got {max_depth}")
