"""Trees and paths as text: indented lines, Graphviz's DOT, and the way of one example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from riparian.palette import class_colour, ink_on, mix
from riparian.structure import THRESHOLD, Node, Structure
from riparian.wording import (
    MOST_DIGITS,
    label_text,
    number_text,
    share_text,
    weight_text,
)

__all__ = ["Step", "class_weights_text", "export_graphviz", "export_text", "path_steps"]

_GUIDES_SHOWN = 40  # levels of indentation; deeper lines name their depth instead


def export_text(model: Any, *, max_depth: int | None = None, digits: int = 6) -> str:
    """The tree as indented text, one line a branch.

    A leaf shows the class that a majority leaf answers, the share of that class among the class
    weights it answers with, and the weights of the examples that it saw (``n``).

    Parameters
    ----------
    model : HoeffdingTree
        A model that has learned.
    max_depth : int or None, default=None
        Deepest level to write; the nodes left out are counted. None writes the whole tree.
    digits : int, default=6
        Significant digits of thresholds; more are used where two would look alike.

    Returns
    -------
    str
        The lines, without a newline at the end.
    """
    structure = Structure.of(model, digits=digits)
    _check_depth(max_depth)
    if not len(structure):
        return "an empty tree: nothing learned yet"
    root = structure[0]
    lines = [
        f"{_examples(sum(root.reached))}, {_plural(len(structure), 'node')}, "
        f"{_plural(structure.n_leaves, 'leaf', 'leaves')}, depth {structure.depth}"
    ]
    left_out = 0
    # A stack, for trees of any depth: node, guides of the levels above, last of its siblings?
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
                text += f" … +{_plural(node.below, 'node')}"
                left_out += node.below
            lines.append(f"{lead}: {text}" if lead else text)
            continue
        if lead:
            lines.append(lead)
        for child in reversed(node.children):
            waiting.append((child, inner, child == node.children[-1]))
    if left_out:
        verb = "is" if left_out == 1 else "are"
        lines.append(f"{_plural(left_out, 'node')} below depth {max_depth} {verb} not shown")
    return "\n".join(lines)


def export_graphviz(
    model: Any, *, max_depth: int | None = None, digits: int = 6, horizontal: bool = False
) -> str:
    """The tree in Graphviz's DOT language; a node has the colour of its commonest class.

    In SVG an inner node tells, as a tooltip, why it was split.

    Parameters
    ----------
    model : HoeffdingTree
        A model that has learned.
    max_depth : int or None, default=None
        Deepest level to write; nodes with something left out are dashed. None writes everything.
    digits : int, default=6
        Significant digits of thresholds; more are used where two would look alike.
    horizontal : bool, default=False
        Grow from left to right instead of from top to bottom.

    Returns
    -------
    str
        The text, to be given to ``dot -Tsvg`` or to ``graphviz.Source``.
    """
    structure = Structure.of(model, digits=digits, evidence=True)
    _check_depth(max_depth)
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
        answer = structure.classes[node.leading] if node.leading >= 0 else "no answer yet"
        title = node.feature if node.feature is not None else answer
        rows = [title, f"n={class_weights_text(structure, node.reached)}"]
        if cut:
            rows.append(f"+{_plural(node.below, 'node')}")
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
            lines.append(f'  {node.parent} -> {node.id} [label="{_lines([cut_text])}"];')
        if not cut:
            waiting.extend(reversed(node.children))
    return "\n".join([*lines, "}"])


@dataclass(frozen=True, slots=True)
class Step:
    """One node on the way of an example, and what was decided there.

    Attributes
    ----------
    node : int
        Id of the node.
    test : str
        The condition that the example met; empty at the leaf.
    value : object
        The example's value of the tested feature; None if it is missing, and at the leaf.
    counts : dict
        Class weights of all examples that have reached the node, by label.
    answer : object
        At the end of the way the class that a majority leaf answers, before that the commonest
        class of ``counts``; None while no class is known.
    """

    node: int
    test: str
    value: Any
    counts: dict[Any, float]
    answer: Any

    def __str__(self) -> str:
        total = sum(self.counts.values())
        share = self.counts.get(self.answer, 0.0) / total if total else 0.0
        answer = "no answer yet" if self.answer is None else label_text(self.answer)
        seen = f"{answer}, {share_text(share)} of {weight_text(total)}" if total else answer
        return f"node {self.node}: {self.test or 'leaf'} ({seen})"


def path_steps(
    structure: Structure, node_path: Sequence[int], row: Mapping[int, Any] | Sequence[Any]
) -> list[Step]:
    """What an example met at each node on its way, the root first.

    Parameters
    ----------
    structure : Structure
        The tree.
    node_path : sequence of int
        Ids of the nodes that the example passed, from the root to the node that answers.
    row : mapping or sequence
        The example: its values in the order of the schema, or by the features' places in it.

    Returns
    -------
    list of Step
        One for each node of the path. The last has no test, unless it is an inner node that
        answers because it has no branch for the example's value.
    """
    path = [int(node) for node in node_path]
    steps = []
    for place, identity in enumerate(path):
        node = structure[identity]
        value = None if node.is_leaf else _value(structure, node, row)
        following = structure[path[place + 1]] if place + 1 < len(path) else None
        speaker = node.leading if following is not None else node.answer_class
        answer = structure.labels[speaker] if speaker >= 0 else None
        counts = dict(zip(structure.labels, node.reached, strict=True))
        test = _taken(structure, node, following, value)
        steps.append(Step(node=identity, test=test, value=value, counts=counts, answer=answer))
    return steps


def class_weights_text(structure: Structure, weights: Sequence[float], most: int = 4) -> str:
    """Total and largest class weights, for example ``1,204: no 855, yes 349``."""
    total = sum(weights)
    if not total:
        return "0"
    largest = sorted(range(len(weights)), key=lambda k: -weights[k])
    present = [k for k in largest if weights[k] > 0.0]
    parts = [f"{structure.classes[k]} {weight_text(weights[k])}" for k in present[:most]]
    if len(present) > most:
        parts.append(f"{_plural(len(present) - most, 'more class', 'more classes')}")
    return f"{weight_text(total)}: {', '.join(parts)}"


def _leaf_text(structure: Structure, node: Node) -> str:
    if node.leading < 0:
        return "no answer yet"
    share = node.shown[node.leading] / sum(node.shown)
    counts = class_weights_text(structure, node.reached)
    return f"{structure.classes[node.leading]} ({share_text(share)}, n={counts})"


def _shortened(guides: str, depth: int) -> str:
    """Guides of the levels above; past a depth only the nearest ones, so that lines stay short."""
    return guides if depth <= _GUIDES_SHOWN + 1 else f"[{depth}] ⋯ {guides}"


def _fill(node: Node) -> str:
    if node.leading < 0:
        return "#ffffff"
    share = node.shown[node.leading] / sum(node.shown)
    return mix("#ffffff", class_colour(node.leading), 0.15 + 0.6 * share)


def _lines(rows: Sequence[str]) -> str:
    """The inside of a DOT string, in which quotes and backslashes of names mean themselves."""
    return "\\n".join(row.replace("\\", "\\\\").replace('"', '\\"') for row in rows)


def _value(structure: Structure, node: Node, row: Mapping[int, Any] | Sequence[Any]) -> Any:
    index = structure.feature_index(node.id)
    known = index in row if isinstance(row, Mapping) else index < len(row)
    value = row[index] if known else None
    return None if _is_missing(value) else value


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA compares to nothing, not even itself
        return True


def _taken(structure: Structure, node: Node, following: Node | None, value: Any) -> str:
    if node.is_leaf:
        return ""
    if following is None or following.branch is None:
        unknown = "missing" if value is None else label_text(value)
        return f"{node.feature} = {unknown}, which has no branch"
    branch = following.branch
    if value is None:
        return f"{branch} (missing)"
    if node.test == THRESHOLD:
        threshold = structure.threshold(node.id)
        text = branch.value
        for digits in range(structure.digits, MOST_DIGITS + 1):
            if (float(value) <= float(text)) == (float(value) <= threshold):
                break
            text = number_text(threshold, digits)
        return f"{branch.feature} {branch.relation} {text}"
    return str(branch)


def _plural(n: int, one: str, many: str | None = None) -> str:
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def _examples(weight: float) -> str:
    return f"{weight_text(weight)} example{'' if weight == 1.0 else 's'}"


def _check_depth(max_depth: int | None) -> None:
    if max_depth is not None and max_depth < 0:
        raise ValueError(f"max_depth must be None or at least 0, got {max_depth}")
