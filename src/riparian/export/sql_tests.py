"""The tests of a tree in SQL: an expression for the node that predicts a row."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from riparian.data.values import OTHER
from riparian.export.plain import EVERY_VALUE, LEAF, THRESHOLD, PlainTree
from riparian.export.sql_literals import Names, literal, number

__all__ = ["all_of", "leaf_expression"]

#: Nesting depth of CASE expressions. SQLite's parser allows about 15 levels and 1,000 levels of
#: expressions. Deeper subtrees are separate blocks with the conditions that lead to them.
_LEVELS = 8
#: Number of conditions in one pair of parentheses.
_TOGETHER = 50


def leaf_expression(tree: PlainTree, nodes: range, names: Names) -> str:
    """Return an expression for the id of the node that predicts in a tree."""
    root = nodes[0]
    depth = np.zeros(len(tree), dtype=np.intp)
    parent = np.full(len(tree), -1, dtype=np.intp)
    for node in nodes:
        for _, child in tree.children[node]:
            parent[child], depth[child] = node, depth[node] + 1
    blocks: dict[int, str] = {}
    text = dict.fromkeys(nodes, "")
    # In reverse order, so that children are written before their parents.
    for node in reversed(nodes):
        indent = "    " + "  " * int(depth[node] % _LEVELS)
        text[node] = _case(tree, node, text, indent, names)
        for _, child in tree.children[node]:
            text[child] = ""
        if node > root and depth[node] % _LEVELS == 0 and tree.test[node] != LEAF:
            blocks[node] = text[node]
            text[node] = "NULL"
    if not blocks:
        return f"    {text[root]}"
    # The deepest blocks first: a row in a deeper block also meets the conditions of its ancestors.
    whens = [
        f"    WHEN {_path(tree, parent, node, names)} THEN\n    {blocks[node]}"
        for node in sorted(blocks, key=lambda node: -depth[node])
    ]
    return "    COALESCE(\n    " + text[root] + ",\n    CASE\n" + "\n".join(whens) + "\n    END)"


def _case(tree: PlainTree, node: int, text: Mapping[int, str], indent: str, names: Names) -> str:
    test = int(tree.test[node])
    if test == LEAF:
        return str(node)
    column = names.column(int(tree.feature[node]))
    children = tree.children[node]
    heavy = int(tree.heavy[node])
    inner = indent + "  "
    if test == EVERY_VALUE:
        categories = tree.categories[int(tree.feature[node])]
        # A missing value shares the branch of a category, which is written once.
        whens = [
            f"{inner}WHEN {_is(column, categories, code)}"
            f"{f' OR {column} IS NULL' if child == heavy else ''} THEN {text[child]}"
            for code, child in children
            if code >= 0
        ]
        if any(code < 0 for code, _ in children):
            whens.append(f"{inner}WHEN {column} IS NULL THEN {text[heavy]}")
        return "CASE\n" + "\n".join(whens) + f"\n{inner}ELSE {node}\n{indent}END"
    first, second = children[0][1], children[1][1]
    # Comparisons with NULL are not true, so a missing value takes the branch after ELSE.
    if test == THRESHOLD:
        value = number(float(tree.threshold[node]))
        condition = f"{column} {'>' if heavy == first else '<='} {value}"
    else:
        categories = tree.categories[int(tree.feature[node])]
        condition = _is(column, categories, int(tree.category[node]), differs=heavy == first)
    then, other = (second, first) if heavy == first else (first, second)
    return (
        f"CASE WHEN {condition}\n{inner}THEN {text[then]}\n{inner}ELSE {text[other]}\n{indent}END"
    )


@dataclass
class _Range:
    """The values of one feature that pass all tests on a path."""

    above: float = -math.inf
    up_to: float = math.inf
    same: Hashable | None = None
    others: list[Hashable] = field(default_factory=list)
    missing: bool = True
    known: bool = True
    known_categories: list[Hashable] = field(default_factory=list)

    def condition(self, column: str) -> str:
        if not self.known:
            return f"{column} IS NULL"
        parts = []
        if self.above > -math.inf:
            parts.append(f"{column} > {number(self.above)}")
        if self.up_to < math.inf:
            parts.append(f"{column} <= {number(self.up_to)}")
        if self.same is OTHER:
            parts.append(f"{column} NOT IN ({_listed(self.known_categories)})")
        elif self.same is not None:
            parts.append(f"{column} = {literal(self.same)}")
        elif self.others:
            if OTHER in self.others:
                parts.append(f"{column} IN ({_listed(self.known_categories)})")
            named = [value for value in self.others if value is not OTHER]
            if named:
                parts.append(f"{column} NOT IN ({_listed(named)})")
        known = " AND ".join(parts)
        return f"({column} IS NULL OR {known})" if self.missing else known


def _path(tree: PlainTree, parent: Any, node: int, names: Names) -> str:
    """Return the conditions under which a row reaches a node."""
    ranges: dict[str, _Range] = {}
    while parent[node] >= 0:
        child, node = node, int(parent[node])
        met = ranges.setdefault(names.column(int(tree.feature[node])), _Range())
        met.missing &= int(tree.heavy[node]) == child
        branch = next(code for code, c in tree.children[node] if c == child)
        categories = tree.categories[int(tree.feature[node])]
        met.known_categories = _known_names(categories)
        if tree.test[node] == THRESHOLD:
            threshold = float(tree.threshold[node])
            if branch == 0:
                met.up_to = min(met.up_to, threshold)
            else:
                met.above = max(met.above, threshold)
        elif tree.test[node] == EVERY_VALUE:
            met.known = branch >= 0
            met.same = categories[branch] if met.known else None
        elif branch == 0:
            met.same = categories[int(tree.category[node])]
        else:
            met.others.append(categories[int(tree.category[node])])
    return all_of([found.condition(column) for column, found in ranges.items()])


def _is(column: str, categories: Sequence[Hashable], code: int, *, differs: bool = False) -> str:
    """Return the condition that a value has a category, or that it has another one."""
    if categories[code] is OTHER:
        return f"{column} {'IN' if differs else 'NOT IN'} ({_listed(_known_names(categories))})"
    return f"{column} {'<>' if differs else '='} {literal(categories[code])}"


def _known_names(categories: Sequence[Hashable]) -> list[Hashable]:
    return [category for category in categories if category is not OTHER]


def _listed(categories: Sequence[Hashable]) -> str:
    return ", ".join(map(literal, categories))


def all_of(parts: list[str]) -> str:
    while len(parts) > _TOGETHER:
        groups = [parts[i : i + _TOGETHER] for i in range(0, len(parts), _TOGETHER)]
        parts = [f"({' AND '.join(group)})" for group in groups]
    return " AND ".join(parts)
