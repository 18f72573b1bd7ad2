"""Trees and forests as one SQL query."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np

from riparian.export.plain import EVERY_VALUE, LEAF, THRESHOLD, PlainTree, Sum
from riparian.wording import number_text

__all__ = ["sql_code"]

#: Levels of CASE in CASE. SQLite's parser knows about 15 of them, its expressions 1,000; what is
#: deeper stands beside, under the conditions that lead to it.
_LEVELS = 8
#: Conditions that are joined in one pair of parentheses.
_TOGETHER = 50
_INPUT = '"riparian_input"'

_QUERY = """-- A decision tree, written by riparian, for SQLite and DuckDB.
-- Gives the rows of the table with the leaf that each reaches, its class{and_more}.
-- NULL is a missing value.
WITH "riparian_leaves" AS (
  SELECT {input}.*,
{leaf} AS "riparian_leaf"
  FROM {table} AS {input}
), "riparian_answers" ({columns}) AS (
  VALUES
{answers}
)
SELECT * FROM "riparian_leaves" JOIN "riparian_answers" USING ("riparian_leaf")
"""


# Without MATERIALIZED SQLite writes out what a column is computed from wherever it is used.
_FOREST = """-- A decision forest, written by riparian, for SQLite (3.35 or later) and DuckDB.
-- Gives the rows of the table with the leaf that each reaches in every tree, the sum of what
-- they say of each class, and the class{and_more}. NULL is a missing value.
WITH "riparian_leaves" AS MATERIALIZED (
  SELECT {input}.*,
{leaves}
  FROM {table} AS {input}
), "riparian_answers" ({columns}) AS (
  VALUES
{answers}
), "riparian_sums" AS MATERIALIZED (
  SELECT "riparian_leaves".*,
{sums}
  FROM "riparian_leaves"
{joins}
){costs}
SELECT *,
  {prediction}
FROM {source}
"""
_COSTS = """, "riparian_costs" AS MATERIALIZED (
  SELECT *,
{costs}
  FROM "riparian_sums"
)"""
#: SQLite joins 64 tables, and its expressions have 1,000 levels.
_MOST_TREES, _MOST_CLASSES = 60, 500


def sql_code(tree: PlainTree, *, table: str = "examples", proba: bool = True) -> str:
    """The query.

    Parameters
    ----------
    tree : PlainTree
        The tree.
    table : str, default="examples"
        The table to read; its columns have the names of the features. A dot separates a
        schema from a table.
    proba : bool, default=True
        Whether to give ``probability_0`` and so on, in the order of ``classes_``.
    """
    if tree.sum is not None:
        return _forest_code(tree, tree.sum, table, proba)
    names = ["riparian_leaf", "prediction"]
    if proba:
        names += [f"probability_{k}" for k in range(len(tree.classes))]
    answers = []
    for node in np.flatnonzero(tree.speaks).tolist():
        values = [str(node), _literal(tree.classes[tree.answer[node]])]
        if proba:
            values += [_number(p) for p in tree.probabilities[node].tolist()]
        answers.append(f"    ({', '.join(values)})")
    return _QUERY.format(
        and_more=" and its\n-- probabilities" if proba else "",
        input=_INPUT,
        leaf=_leaf(tree, tree.trees()[0]),
        table=_table(table),
        columns=", ".join(_identifier(name) for name in names),
        answers=",\n".join(answers),
    )


def _forest_code(tree: PlainTree, together: Sum, table: str, proba: bool) -> str:
    trees, k = tree.trees(), len(tree.classes)
    for what, found, most in (("trees", len(trees), _MOST_TREES), ("classes", k, _MOST_CLASSES)):
        if found > most:
            raise ValueError(
                f"SQL takes at most {most} {what} of a forest, and this one has {found}; "
                "to_code('python'), to_code('c') and to_onnx take any number"
            )
    leaves = [f'"riparian_leaf_{t}"' for t in range(len(trees))]
    said = [f'"said_{t}"' for t in range(len(trees))]
    sums = [f'"riparian_sum_{i}"' for i in range(k)]
    over = "" if together.divisor is None else f" / {_number(together.divisor)}"
    total = "" if together.divisor is not None else f" / ({' + '.join(sums)})"
    parts = [[f'{s}."part_{i}"' for s in said] for i in range(k)]
    added = [f"({' + '.join(terms)}){over}" for terms in parts]
    probabilities = [f'{part}{total} AS "probability_{i}"' for i, part in enumerate(sums)]
    costs, source, scores, relation = "", '"riparian_sums"', sums, ">="
    if together.costs is not None:
        scores, relation = [f'"riparian_cost_{i}"' for i in range(k)], "<="
        expected = [
            " + ".join(f"{s} * {_number(c)}" for s, c in zip(sums, row, strict=True))
            for row in together.costs.tolist()
        ]
        costs, source = _COSTS.format(costs=_named(expected, scores)), '"riparian_costs"'
    prediction = _first_best(scores, relation, [_literal(label) for label in tree.classes])
    return _FOREST.format(
        and_more=" and its probabilities" if proba else "",
        input=_INPUT,
        leaves=_named([_leaf(tree, nodes).strip() for nodes in trees], leaves),
        table=_table(table),
        columns=", ".join(['"leaf"', *(f'"part_{i}"' for i in range(k))]),
        answers=",\n".join(
            f"    ({', '.join([str(node), *map(_number, tree.probabilities[node].tolist())])})"
            for node in np.flatnonzero(tree.speaks).tolist()
        ),
        sums=_named(added, sums),
        joins="\n".join(
            f'  JOIN "riparian_answers" AS {s} ON {s}."leaf" = "riparian_leaves".{leaf}'
            for s, leaf in zip(said, leaves, strict=True)
        ),
        costs=costs,
        prediction=",\n  ".join([f'{prediction} AS "prediction"', *probabilities[: k * proba]]),
        source=source,
    )


def _named(expressions: Sequence[str], names: Sequence[str]) -> str:
    """Columns of a SELECT."""
    pairs = zip(expressions, names, strict=True)
    return ",\n".join(f"    {expression} AS {name}" for expression, name in pairs)


def _first_best(scores: Sequence[str], relation: str, labels: Sequence[str]) -> str:
    """The label of the first score that none after it beats: none before it did either."""
    if len(labels) == 1:
        return labels[0]
    whens = [
        f"    WHEN {_all_of([f'{score} {relation} {other}' for other in scores[i + 1 :]])} "
        f"THEN {labels[i]}"
        for i, score in enumerate(scores[:-1])
    ]
    return "CASE\n" + "\n".join(whens) + f"\n    ELSE {labels[-1]}\n  END"


def _table(name: str) -> str:
    return ".".join(_identifier(part) for part in name.split("."))


def _leaf(tree: PlainTree, nodes: range) -> str:
    """An expression for the id of the node that answers in a tree."""
    root = nodes[0]
    depth = np.zeros(len(tree), dtype=np.intp)
    parent = np.full(len(tree), -1, dtype=np.intp)
    for node in nodes:
        for _, child in tree.children[node]:
            parent[child], depth[child] = node, depth[node] + 1
    blocks: dict[int, str] = {}
    text = dict.fromkeys(nodes, "")
    # Children stand after their parents, so that they are written before them.
    for node in reversed(nodes):
        indent = "    " + "  " * int(depth[node] % _LEVELS)
        text[node] = _case(tree, node, text, indent)
        for _, child in tree.children[node]:
            text[child] = ""
        if node > root and depth[node] % _LEVELS == 0 and tree.test[node] != LEAF:
            blocks[node] = text[node]
            text[node] = "NULL"
    if not blocks:
        return f"    {text[root]}"
    # The deepest first: a row that passes one block on to another meets that one before.
    whens = [
        f"    WHEN {_path(tree, parent, node)} THEN\n    {blocks[node]}"
        for node in sorted(blocks, key=lambda node: -depth[node])
    ]
    return "    COALESCE(\n    " + text[root] + ",\n    CASE\n" + "\n".join(whens) + "\n    END)"


def _case(tree: PlainTree, node: int, text: Mapping[int, str], indent: str) -> str:
    test = int(tree.test[node])
    if test == LEAF:
        return str(node)
    column = _column(tree, node)
    children = tree.children[node]
    heavy = int(tree.heavy[node])
    inner = indent + "  "
    if test == EVERY_VALUE:
        categories = tree.features[int(tree.feature[node])].categories
        # A missing value goes where its branch goes, which is written once.
        whens = [
            f"{inner}WHEN {column} = {_literal(categories[code])}"
            f"{f' OR {column} IS NULL' if child == heavy else ''} THEN {text[child]}"
            for code, child in children
            if code >= 0
        ]
        if any(code < 0 for code, _ in children):
            whens.append(f"{inner}WHEN {column} IS NULL THEN {text[heavy]}")
        return "CASE\n" + "\n".join(whens) + f"\n{inner}ELSE {node}\n{indent}END"
    first, second = children[0][1], children[1][1]
    # NULL is neither smaller nor larger: it takes the branch after ELSE.
    if test == THRESHOLD:
        value = _number(float(tree.threshold[node]))
        relation = ">" if heavy == first else "<="
    else:
        value = _literal(
            tree.features[int(tree.feature[node])].categories[int(tree.category[node])]
        )
        relation = "<>" if heavy == first else "="
    then, other = (second, first) if heavy == first else (first, second)
    return (
        f"CASE WHEN {column} {relation} {value}\n{inner}THEN {text[then]}\n"
        f"{inner}ELSE {text[other]}\n{indent}END"
    )


@dataclass
class _Range:
    """What the tests on a path leave of one feature."""

    above: float = -math.inf
    up_to: float = math.inf
    same: Hashable | None = None
    others: list[Hashable] = field(default_factory=list)
    missing: bool = True
    known: bool = True

    def condition(self, column: str) -> str:
        if not self.known:
            return f"{column} IS NULL"
        parts = []
        if self.above > -math.inf:
            parts.append(f"{column} > {_number(self.above)}")
        if self.up_to < math.inf:
            parts.append(f"{column} <= {_number(self.up_to)}")
        if self.same is not None:
            parts.append(f"{column} = {_literal(self.same)}")
        elif self.others:
            listed = ", ".join(_literal(value) for value in self.others)
            parts.append(f"{column} NOT IN ({listed})")
        known = " AND ".join(parts)
        return f"({column} IS NULL OR {known})" if self.missing else known


def _path(tree: PlainTree, parent: Any, node: int) -> str:
    """The conditions under which a row reaches a node."""
    ranges: dict[str, _Range] = {}
    while parent[node] >= 0:
        child, node = node, int(parent[node])
        met = ranges.setdefault(_column(tree, node), _Range())
        met.missing &= int(tree.heavy[node]) == child
        branch = next(code for code, c in tree.children[node] if c == child)
        categories = tree.features[int(tree.feature[node])].categories
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
    return _all_of([found.condition(column) for column, found in ranges.items()])


def _all_of(parts: list[str]) -> str:
    while len(parts) > _TOGETHER:
        groups = [parts[i : i + _TOGETHER] for i in range(0, len(parts), _TOGETHER)]
        parts = [f"({' AND '.join(group)})" for group in groups]
    return " AND ".join(parts)


def _column(tree: PlainTree, node: int) -> str:
    return f"{_INPUT}.{_identifier(tree.features[int(tree.feature[node])].label)}"


def _identifier(name: str) -> str:
    if not name or "\0" in name:
        raise ValueError(f"SQL cannot have the name {name!r}")
    return '"' + name.replace('"', '""') + '"'


def _literal(value: Hashable) -> str:
    """A label or category."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    text = str(value)
    if "\0" in text:
        raise ValueError(f"{text!r} holds a NUL character, which SQL cannot have")
    return "'" + text.replace("'", "''") + "'"


def _number(value: float) -> str:
    """All bits of a number.

    A decimal where it is exact. SQLite may read a longer one as its neighbour, so that others
    are a whole number by a power of two, which no reader can get wrong; a comment tells them.
    """
    exact = Decimal(value)
    if len(exact.as_tuple().digits) <= 15 and -6 <= exact.adjusted() < 15:
        return f"{exact:f}" if "." in f"{exact:f}" else f"{exact:f}.0"
    mantissa, exponent = math.frexp(value)
    whole, exponent = int(math.ldexp(mantissa, 53)), exponent - 53
    text = f"CAST({whole} AS DOUBLE PRECISION)"
    sign = "*" if exponent > 0 else "/"
    left = abs(exponent)
    while left:
        power = min(left, 52)
        text += f" {sign} {2**power}"
        left -= power
    return f"({text} /* {number_text(value)} */)"
