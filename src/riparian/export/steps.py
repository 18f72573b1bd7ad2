"""The path of one example through a tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from riparian.data.formatting import MOST_DIGITS, label_text, number_text, share_text, weight_text
from riparian.evidence.structure import THRESHOLD, Node, Structure
from riparian.export.text import predictor_text

__all__ = ["Step", "path_steps"]


@dataclass(frozen=True, slots=True)
class Step:
    """One node on the path of an example, and the branch that it took there.

    Attributes
    ----------
    node : int
        Id of the node.
    test : str
        The condition that the example satisfies; empty at a leaf.
    value : object
        The value of the tested feature; None if it is missing, and at a leaf.
    counts : dict
        Class weights of all examples that have reached the node, by label.
    majority : object
        The most frequent class of ``counts``; at the last node, the class that a majority leaf
        predicts there. None while no class is known.
    predicted_by : str or None
        Name of the leaf predictor that the last node uses now, for example "naive-bayes"; None
        for the nodes before it. Leaf predictors other than "majority" may predict another class
        than ``majority``. Linear units that are all 0 for an example use the majority.
    """

    node: int
    test: str
    value: Any
    counts: dict[Any, float]
    majority: Any
    predicted_by: str | None = None

    def __str__(self) -> str:
        total = sum(self.counts.values())
        share = self.counts.get(self.majority, 0.0) / total if total else 0.0
        label = "no prediction yet" if self.majority is None else label_text(self.majority)
        seen = f"{label}, {share_text(share)} of {weight_text(total)}" if total else label
        return (
            f"node {self.node}: {self.test or 'leaf'} ({seen}){predictor_text(self.predicted_by)}"
        )


def path_steps(
    structure: Structure, node_path: Sequence[int], row: Mapping[int, Any] | Sequence[Any]
) -> list[Step]:
    """Return the steps of an example through a tree, the root first.

    Parameters
    ----------
    structure : Structure
        The tree.
    node_path : sequence of int
        Ids of the nodes on the path, from the root to the node that predicts.
    row : mapping or sequence
        The values of the example, by the position of the feature in the schema.

    Returns
    -------
    steps : list of Step
        One step per node. The last step has no test, unless it is an inner node that predicts
        because it has no branch for the value.
    """
    path = [int(node) for node in node_path]
    steps = []
    for place, identity in enumerate(path):
        node = structure[identity]
        value = None if node.is_leaf else _value(structure, node, row)
        following = structure[path[place + 1]] if place + 1 < len(path) else None
        shown = node.leading if following is not None else node.predicted_class
        majority = structure.labels[shown] if shown >= 0 else None
        counts = dict(zip(structure.labels, node.reached, strict=True))
        test = _test_text(structure, node, following, value)
        by = None if following is not None else node.predicted_by or "majority"
        steps.append(Step(identity, test, value, counts, majority, by))
    return steps


def _value(structure: Structure, node: Node, row: Mapping[int, Any] | Sequence[Any]) -> Any:
    index = structure.feature_index(node.id)
    known = index in row if isinstance(row, Mapping) else index < len(row)
    value = row[index] if known else None
    return None if _is_missing(value) else value


def _is_missing(value: Any) -> bool:
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas.NA cannot be compared
        return True


def _test_text(structure: Structure, node: Node, following: Node | None, value: Any) -> str:
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
