"""The way of one example through a tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from riparian.export.text import predictor_text
from riparian.structure import THRESHOLD, Node, Structure
from riparian.wording import MOST_DIGITS, label_text, number_text, share_text, weight_text

__all__ = ["Step", "path_steps"]


@dataclass(frozen=True, slots=True)
class Step:
    """One node on the way of an example, and what was decided there.

    Attributes
    ----------
    node : int
        Id of the node.
    test : str
        The condition that the example satisfied; empty at the leaf.
    value : object
        The example's value of the tested feature; None if it is missing, and at the leaf.
    counts : dict
        Class weights of all examples that have reached the node, by label.
    answer : object
        At the end of the way the class that a majority leaf predicts, before that the commonest
        class of ``counts``; None while no class is known.
    answered_by : str or None
        At the end of the way the name of the predictor that predicts there now, for example
        "naive-bayes"; before that None. Predictors other than "majority" may predict another
        class than ``answer``. Linear units that are all at 0 for an example leave it to the
        majority.
    """

    node: int
    test: str
    value: Any
    counts: dict[Any, float]
    answer: Any
    answered_by: str | None = None

    def __str__(self) -> str:
        total = sum(self.counts.values())
        share = self.counts.get(self.answer, 0.0) / total if total else 0.0
        answer = "no prediction yet" if self.answer is None else label_text(self.answer)
        seen = f"{answer}, {share_text(share)} of {weight_text(total)}" if total else answer
        return f"node {self.node}: {self.test or 'leaf'} ({seen}){predictor_text(self.answered_by)}"


def path_steps(
    structure: Structure, node_path: Sequence[int], row: Mapping[int, Any] | Sequence[Any]
) -> list[Step]:
    """What an example passed at each node on its way, the root first.

    Parameters
    ----------
    structure : Structure
        The tree.
    node_path : sequence of int
        Ids of the nodes that the example passed, from the root to the node that predicts.
    row : mapping or sequence
        The example: its values in the order of the schema, or by the features' places in it.

    Returns
    -------
    list of Step
        One for each node of the path. The last has no test, unless it is an inner node that
        predicts because it has no branch for the example's value.
    """
    path = [int(node) for node in node_path]
    steps = []
    for place, identity in enumerate(path):
        node = structure[identity]
        value = None if node.is_leaf else _value(structure, node, row)
        following = structure[path[place + 1]] if place + 1 < len(path) else None
        shown = node.leading if following is not None else node.answer_class
        answer = structure.labels[shown] if shown >= 0 else None
        counts = dict(zip(structure.labels, node.reached, strict=True))
        test = _taken(structure, node, following, value)
        by = None if following is not None else node.answered_by or "majority"
        steps.append(Step(identity, test, value, counts, answer, by))
    return steps


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
