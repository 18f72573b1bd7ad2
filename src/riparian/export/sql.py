"""Export of trees and forests to an SQL query."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import numpy as np

from riparian.data.formatting import exact_text, exact_value, label_text, number_text
from riparian.data.free_names import column_names, free_names, ignoring_case
from riparian.export.plain import EVERY_VALUE, LEAF, THRESHOLD, PlainTree, Sum
from riparian.export.values import sound_text

__all__ = ["sql_code"]

#: Nesting depth of CASE expressions. SQLite's parser allows about 15 levels and 1,000 levels of
#: expressions. Deeper subtrees are separate blocks with the conditions that lead to them.
_LEVELS = 8
#: Number of conditions in one pair of parentheses.
_TOGETHER = 50

# The table may have columns in addition to the features. So generated names are not looked up in a
# relation with columns of the table, unless the generated columns come first: if two columns have
# the same name, the first one keeps it and the other is renamed.
_QUERY = """-- A decision tree, exported by riparian, for SQLite and DuckDB.
-- Returns the rows of the table, with the leaf in {leaf_name}, the class in
-- {prediction}{and_more}. NULL is a missing value.
{notes}WITH {predictions} ({columns}) AS (
  VALUES
{values}
)
SELECT {input}.*, {predictions}.*
FROM {table} AS {input} LEFT JOIN {predictions} ON {predictions}.{leaf_name} =
{leaf}
"""


# Without MATERIALIZED, SQLite repeats the expression of a column wherever the column is used.
_FOREST = """-- A decision forest, exported by riparian, for SQLite (3.35 or later) and DuckDB.
-- Returns the leaf of each row in every tree and the sum of the votes for each class, then the
-- columns of the table, then the class in {prediction_name}{and_more}.
-- NULL is a missing value.
{notes}WITH {predictions} ({columns}) AS (
  VALUES
{values}
), {added} AS MATERIALIZED (
  SELECT
{sums},
    {input}.*
  FROM {table} AS {input}
{joins}
){costs}
SELECT {source}.*,
  {prediction}
FROM {source}
"""
_COSTS = """, {cheapest} AS MATERIALIZED (
  SELECT
{costs},
    {added}.*
  FROM {added}
)"""
#: SQLite joins at most 64 tables, and its expressions have at most 1,000 levels.
_MOST_TREES, _MOST_CLASSES = 60, 500


class _Names:
    """The quoted names in a query: those of the features, and generated names that avoid them."""

    def __init__(self, tree: PlainTree, table: str) -> None:
        self._features = column_names(tree.features, ignoring_case)
        self._taken = [*self._features, *table.split(".")]
        self.table = ".".join(map(_identifier, table.split(".")))
        (self.input,) = self.generated("riparian_input")
        times = Counter(map(ignoring_case, self._features))
        for place in sorted({int(f) for f in tree.feature[tree.test != LEAF]}):
            name = self._features[place]
            if times[ignoring_case(name)] > 1:
                raise ValueError(
                    f"SQL ignores case: the column {label_text(name)!r} cannot be distinguished "
                    "from another feature of that name; rename one of them before learning"
                )

    def generated(self, *wanted: str) -> list[str]:
        """Return generated names that are not names of features or of the table."""
        return list(map(_identifier, free_names(wanted, self._taken, ignoring_case)))

    def column(self, tree: PlainTree, node: int) -> str:
        """Return the column that a node tests."""
        return f"{self.input}.{_identifier(self._features[int(tree.feature[node])])}"

    def notes(self, tree: PlainTree) -> str:
        """Return comments on positions whose column does not have the usual name."""
        places = [exact_value(feature.name) for feature in tree.features]
        lines = [
            f"-- The feature at position {place} is the column {_identifier(name)}.\n"
            for place, name in zip(places, self._features, strict=True)
            if not isinstance(place, str) and name != f"x{place:d}"
        ]
        return "".join(lines)


def sql_code(tree: PlainTree, *, table: str = "examples", proba: bool = True) -> str:
    """Return the SQL query of a tree or forest.

    Parameters
    ----------
    tree : PlainTree
        The tree or forest.
    table : str, default="examples"
        The table. Its columns have the names of the features. A dot separates schema and table.
    proba : bool, default=True
        Whether to add the columns ``probability_0`` and so on, in the order of ``classes_``.

    Notes
    -----
    If a feature has the name of a generated column, such as ``prediction``, the generated column
    gets a suffix, ``prediction_2``. The comment at the top of the query has the names.
    """
    if not isinstance(table, str):
        raise TypeError(f"table must be a string, got {type(table).__name__}")
    names = _Names(tree, exact_text(table))
    if tree.sum is not None:
        return _forest_code(tree, tree.sum, names, proba)
    predictions, leaf, prediction = (
        names.generated(name)[0] for name in ("riparian_predictions", "riparian_leaf", "prediction")
    )
    probabilities = names.generated(*(f"probability_{k}" for k in range(len(tree.classes))))
    values = []
    for node in np.flatnonzero(tree.predicts).tolist():
        row = [str(node), _literal(tree.classes[tree.prediction[node]])]
        if proba:
            row += [_number(p) for p in tree.probabilities[node].tolist()]
        values.append(f"    ({', '.join(row)})")
    return _QUERY.format(
        leaf_name=leaf,
        prediction=prediction,
        and_more=_and_more(probabilities) if proba else "",
        notes=names.notes(tree),
        predictions=predictions,
        columns=", ".join([leaf, prediction, *(probabilities if proba else [])]),
        values=",\n".join(values),
        input=names.input,
        table=names.table,
        leaf=_leaf(tree, tree.trees()[0], names),
    )


def _and_more(probabilities: Sequence[str]) -> str:
    """Return the part of the comment that names the columns of probabilities."""
    last = f" to {probabilities[-1]}" if len(probabilities) > 1 else ""
    return f"\n-- and the probabilities in {probabilities[0]}{last}"


def _forest_code(tree: PlainTree, together: Sum, names: _Names, proba: bool) -> str:
    trees, k = tree.trees(), len(tree.classes)
    for what, found, most in (("trees", len(trees), _MOST_TREES), ("classes", k, _MOST_CLASSES)):
        if found > most:
            raise ValueError(
                f"SQL supports forests of at most {most} {what}, got {found}; to_code('python'), "
                "to_code('c') and to_onnx support any number"
            )
    predictions, added, cheapest, prediction_name = (
        names.generated(name)[0]
        for name in ("riparian_predictions", "riparian_sums", "riparian_costs", "prediction")
    )
    leaves = names.generated(*(f"riparian_leaf_{t}" for t in range(len(trees))))
    members = names.generated(*(f"riparian_member_{t}" for t in range(len(trees))))
    sums = names.generated(*(f"riparian_sum_{i}" for i in range(k)))
    own_costs = names.generated(*(f"riparian_cost_{i}" for i in range(k)))
    shares = names.generated(*(f"probability_{i}" for i in range(k)))
    over = "" if together.divisor is None else f" / {_number(together.divisor)}"
    terms = [" + ".join(f'{s}."part_{i}"' for s in members) for i in range(k)]
    parts = [f"({term}){over}" for term in terms]
    costs, source, relation = "", added, ">="
    if together.costs is not None:
        expected = [
            " + ".join(f"{added}.{s} * {_number(c)}" for s, c in zip(sums, row, strict=True))
            for row in together.costs.tolist()
        ]
        costs = _COSTS.format(cheapest=cheapest, costs=_named(expected, own_costs), added=added)
        source, relation = cheapest, "<="
    scores = [f"{source}.{s}" for s in (sums if together.costs is None else own_costs)]
    prediction = _first_best(scores, relation, [_literal(label) for label in tree.classes])
    of_classes = [f"{source}.{s}" for s in sums]
    total = "" if together.divisor is not None else f" / ({' + '.join(of_classes)})"
    probabilities = [f"{s}{total} AS {p}" for s, p in zip(of_classes, shares, strict=True)]
    return _FOREST.format(
        prediction_name=prediction_name,
        and_more=_and_more(shares) if proba else "",
        notes=names.notes(tree),
        predictions=predictions,
        columns=", ".join(['"leaf"', *(f'"part_{i}"' for i in range(k))]),
        values=",\n".join(
            f"    ({', '.join([str(node), *map(_number, tree.probabilities[node].tolist())])})"
            for node in np.flatnonzero(tree.predicts).tolist()
        ),
        added=added,
        sums=_named([*(f'{s}."leaf"' for s in members), *parts], [*leaves, *sums]),
        input=names.input,
        table=names.table,
        joins="\n".join(
            f'  LEFT JOIN {predictions} AS {s} ON {s}."leaf" =\n{_leaf(tree, nodes, names)}'
            for s, nodes in zip(members, trees, strict=True)
        ),
        costs=costs,
        source=source,
        prediction=",\n  ".join(
            [f"{prediction} AS {prediction_name}", *probabilities[: k * proba]]
        ),
    )


def _named(expressions: Sequence[str], names: Sequence[str]) -> str:
    """Return the columns of a SELECT."""
    pairs = zip(expressions, names, strict=True)
    return ",\n".join(f"    {expression} AS {name}" for expression, name in pairs)


def _first_best(scores: Sequence[str], relation: str, labels: Sequence[str]) -> str:
    """Return an expression for the label of the first best score."""
    if len(labels) == 1:
        return labels[0]
    whens = [
        f"    WHEN {_all_of([f'{score} {relation} {other}' for other in scores[i + 1 :]])} "
        f"THEN {labels[i]}"
        for i, score in enumerate(scores[:-1])
    ]
    return "CASE\n" + "\n".join(whens) + f"\n    ELSE {labels[-1]}\n  END"


def _leaf(tree: PlainTree, nodes: range, names: _Names) -> str:
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


def _case(tree: PlainTree, node: int, text: Mapping[int, str], indent: str, names: _Names) -> str:
    test = int(tree.test[node])
    if test == LEAF:
        return str(node)
    column = names.column(tree, node)
    children = tree.children[node]
    heavy = int(tree.heavy[node])
    inner = indent + "  "
    if test == EVERY_VALUE:
        categories = tree.categories[int(tree.feature[node])]
        # A missing value shares the branch of a category, which is written once.
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
    # Comparisons with NULL are not true, so a missing value takes the branch after ELSE.
    if test == THRESHOLD:
        value = _number(float(tree.threshold[node]))
        relation = ">" if heavy == first else "<="
    else:
        value = _literal(tree.categories[int(tree.feature[node])][int(tree.category[node])])
        relation = "<>" if heavy == first else "="
    then, other = (second, first) if heavy == first else (first, second)
    return (
        f"CASE WHEN {column} {relation} {value}\n{inner}THEN {text[then]}\n"
        f"{inner}ELSE {text[other]}\n{indent}END"
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


def _path(tree: PlainTree, parent: Any, node: int, names: _Names) -> str:
    """Return the conditions under which a row reaches a node."""
    ranges: dict[str, _Range] = {}
    while parent[node] >= 0:
        child, node = node, int(parent[node])
        met = ranges.setdefault(names.column(tree, node), _Range())
        met.missing &= int(tree.heavy[node]) == child
        branch = next(code for code, c in tree.children[node] if c == child)
        categories = tree.categories[int(tree.feature[node])]
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


def _identifier(name: str) -> str:
    if not name:
        raise ValueError("SQL does not allow an empty name; rename the column before learning")
    return '"' + sound_text(name, "SQL").replace('"', '""') + '"'


def _literal(value: Hashable) -> str:
    """Return the literal of a label or category."""
    value = exact_value(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise ValueError(
                f"SQL supports whole numbers of 64 bits, got {label_text(value)}; "
                "to_code('python') supports any"
            )
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"SQL does not support the number {value}; to_code('python') does")
        return _number(value)
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    return "'" + sound_text(exact_text(value), "SQL").replace("'", "''") + "'"


def _number(value: float) -> str:
    """Return an exact literal of a number.

    It is a decimal if that is exact and short. SQLite may round a longer decimal to a neighbour, so
    other numbers are written as a whole number times a power of two, with a comment.
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
