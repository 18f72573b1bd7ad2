"""Export of trees and forests to an SQL query."""

from __future__ import annotations

import numpy as np

from riparian.data.formatting import exact_text
from riparian.export.plain import PlainTree, Sum
from riparian.export.sql_columns import comment_on, first_best, named
from riparian.export.sql_formulas import formulas_code
from riparian.export.sql_literals import Names, literal, number
from riparian.export.sql_tests import leaf_expression

__all__ = ["sql_code"]

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
    names = Names(tree, exact_text(table))
    if tree.sum is not None:
        _refuse_large(tree)
        write = formulas_code if tree.formulas else _forest_code
        return write(tree, tree.sum, names, proba)
    predictions, leaf, prediction = (
        names.generated(name)[0] for name in ("riparian_predictions", "riparian_leaf", "prediction")
    )
    probabilities = names.generated(*(f"probability_{k}" for k in range(len(tree.classes))))
    values = []
    for node in np.flatnonzero(tree.predicts).tolist():
        row = [str(node), literal(tree.classes[tree.prediction[node]])]
        if proba:
            row += [number(p) for p in tree.probabilities[node].tolist()]
        values.append(f"    ({', '.join(row)})")
    return _QUERY.format(
        leaf_name=leaf,
        prediction=prediction,
        and_more=comment_on(probabilities) if proba else "",
        notes=names.notes(tree),
        predictions=predictions,
        columns=", ".join([leaf, prediction, *(probabilities if proba else [])]),
        values=",\n".join(values),
        input=names.input,
        table=names.table,
        leaf=leaf_expression(tree, tree.trees()[0], names),
    )


def _refuse_large(tree: PlainTree) -> None:
    limits = (
        ("trees", len(tree.trees()), _MOST_TREES),
        ("classes", len(tree.classes), _MOST_CLASSES),
    )
    for what, found, most in limits:
        if found > most:
            raise ValueError(
                f"SQL supports forests of at most {most} {what}, got {found}; to_code('python'), "
                "to_code('c') and to_onnx() support any number"
            )


def _forest_code(tree: PlainTree, together: Sum, names: Names, proba: bool) -> str:
    trees, k = tree.trees(), len(tree.classes)
    predictions, added, cheapest, prediction_name = (
        names.generated(name)[0]
        for name in ("riparian_predictions", "riparian_sums", "riparian_costs", "prediction")
    )
    leaves = names.generated(*(f"riparian_leaf_{t}" for t in range(len(trees))))
    members = names.generated(*(f"riparian_member_{t}" for t in range(len(trees))))
    sums = names.generated(*(f"riparian_sum_{i}" for i in range(k)))
    own_costs = names.generated(*(f"riparian_cost_{i}" for i in range(k)))
    shares = names.generated(*(f"probability_{i}" for i in range(k)))
    over = "" if together.divisor is None else f" / {number(together.divisor)}"
    terms = [" + ".join(f'{s}."part_{i}"' for s in members) for i in range(k)]
    parts = [f"({term}){over}" for term in terms]
    found = [leaf_expression(tree, nodes, names) for nodes in trees]
    costs, source, relation = "", added, ">="
    if together.costs is not None:
        expected = [
            " + ".join(f"{added}.{s} * {number(c)}" for s, c in zip(sums, row, strict=True))
            for row in together.costs.tolist()
        ]
        costs = _COSTS.format(cheapest=cheapest, costs=named(expected, own_costs), added=added)
        source, relation = cheapest, "<="
    scores = [f"{source}.{s}" for s in (sums if together.costs is None else own_costs)]
    prediction = first_best(scores, relation, [literal(label) for label in tree.classes])
    of_classes = [f"{source}.{s}" for s in sums]
    total = "" if together.divisor is not None else f" / ({' + '.join(of_classes)})"
    probabilities = [f"{s}{total} AS {p}" for s, p in zip(of_classes, shares, strict=True)]
    return _FOREST.format(
        prediction_name=prediction_name,
        and_more=comment_on(shares) if proba else "",
        notes=names.notes(tree),
        predictions=predictions,
        columns=", ".join(['"leaf"', *(f'"part_{i}"' for i in range(k))]),
        values=",\n".join(
            f"    ({', '.join([str(node), *map(number, tree.probabilities[node].tolist())])})"
            for node in np.flatnonzero(tree.predicts).tolist()
        ),
        added=added,
        sums=named([*(f'{s}."leaf"' for s in members), *parts], [*leaves, *sums]),
        input=names.input,
        table=names.table,
        joins="\n".join(
            f'  LEFT JOIN {predictions} AS {s} ON {s}."leaf" =\n{leaf}'
            for s, leaf in zip(members, found, strict=True)
        ),
        costs=costs,
        source=source,
        prediction=",\n  ".join(
            [f"{prediction} AS {prediction_name}", *probabilities[: k * proba]]
        ),
    )
