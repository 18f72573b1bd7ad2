"""The hyperplanes of a gradient tree, and their text."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from riparian.data.formatting import exact_value, label_text

__all__ = ["Plane", "SoftNode", "planes_text"]


@dataclass(frozen=True)
class SoftNode:
    """One example at one inner node: it takes both branches, in shares."""

    label: Hashable
    """The class of the tree: left leaves vote for it, right ones against it."""
    node: int
    """The number of the node: the root is 1, the children of i are 2i and 2i + 1."""
    reached: float
    """The share of the example that reaches the node."""
    value: float
    """The distance from the hyperplane: above 0 on the left side."""
    left: float
    """The share of `reached` that takes the left branch."""

    def __str__(self) -> str:
        return (
            f"class {self.label!r}, node {self.node}: reached by {self.reached:.3f}, value "
            f"{self.value:+.3f}, {self.left:.3f} of it to the left"
        )


@dataclass(frozen=True)
class Plane:
    """The hyperplane of one inner node, over the inputs of the tree."""

    label: Hashable
    node: int
    weights: dict[str, float]
    """Weights by input: a numeric feature, or a category (``"job = nurse"``). Their norm is 1."""
    bias: float


def planes_text(planes: Sequence[Plane], depth: int, terms: int, digits: int) -> str:
    """Return the planes of all trees as indented text, with `terms` weights per plane."""
    inner = 2**depth - 1
    lines = []
    for first in range(0, len(planes), inner):
        tree = planes[first : first + inner]
        lines.append(f"for {exact_value(tree[0].label)!r}:")
        waiting = [(1, 1)]
        while waiting:
            node, level = waiting.pop()
            indent = "|   " * (level - 1)
            if node > inner:
                word = "" if node % 2 == 0 else "not "
                lines.append(f"{indent}{word}{exact_value(tree[0].label)!r}")
                continue
            lines.append(indent + _formula(tree[node - 1], terms, digits))
            waiting += [(2 * node + 1, level + 1), (2 * node, level + 1)]
    return "\n".join(lines) + "\n"


def _formula(plane: Plane, n_terms: int, decimals: int) -> str:
    names, weights = list(plane.weights), np.array(list(plane.weights.values()))
    largest = np.sort(np.argsort(-np.abs(weights), kind="stable")[:n_terms])
    terms = [f"{weights[i]:+.{decimals}f} {label_text(names[i])}" for i in largest]
    more = ["..."] if len(names) > n_terms else []
    return " ".join([*terms, *more, f"{plane.bias:+.{decimals}f}"])
