"""The SQL query of trees whose leaves compute their prediction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from riparian.export.categories import known_categories
from riparian.export.formulas import LARGEST, LARGEST_INPUT, Formula, Lines, Squares
from riparian.export.plain import PlainTree, Sum
from riparian.export.sql_columns import comment_on, first_best, named
from riparian.export.sql_literals import Names, exact_double, literal, near_double, number
from riparian.export.sql_tests import leaf_expression

__all__ = ["formulas_code"]

# Each step adds columns before those of the step before. Without MATERIALIZED, SQLite repeats the
# expression of a column wherever it is used.
_QUERY = """-- A decision {what}, exported by riparian, for SQLite (3.35 or later, with the
-- function exp) and DuckDB.
-- Returns the steps of the computation (sums of the votes, scores, leaves and values), then the
-- columns of the table, then the class in {prediction_name}{and_more}.
-- NULL is a missing value.
{notes}WITH {tables}, {steps}
SELECT {source}.*,
  {prediction}
FROM {source}
"""
#: SQLite allows 2,000 columns.
_MOST_COLUMNS = 1990
#: Characters of a number in the text that holds the terms of the categories of a feature.
_WIDTH = 24
#: The score of a class that a leaf cannot predict. Scores of other classes are above the second.
_LEAST, _LOW = "-1.7e308", "-1.6e308"


@dataclass(frozen=True)
class _Kind:
    """Leaves that are computed in the same way: one table with a row per leaf.

    Attributes
    ----------
    name : str
        Name of the kind, a part of generated names.
    squares : bool
        Whether the terms of numbers are squares.
    softmax : bool
        Whether the scores go through a softmax.
    leaves : dict of int to Formula
        The leaves.
    numeric, categorical : list of int
        The features that any of them uses.
    """

    name: str
    squares: bool
    softmax: bool
    leaves: dict[int, Formula]
    numeric: list[int]
    categorical: list[int]

    def is_in(self, nodes: range) -> bool:
        """Return whether some of these nodes are leaves of this kind."""
        return any(node in nodes for node in self.leaves)

    def columns(self, k: int) -> list[str]:
        """Return the columns of the table, for k classes."""
        found = ["leaf", *(f"c{i}" for i in range(k))]
        for f in self.numeric:
            if self.squares:
                found += [f"{part}{i}_{f}" for i in range(k) for part in "mpo"]
            else:
                found += [f"m_{f}", f"s_{f}", *(f"w{i}_{f}" for i in range(k))]
        for f in self.categorical:
            found += [f"n_{f}", *(f"t{i}_{f}" for i in range(k))]
        return found

    def row(self, node: int, k: int) -> list[str]:
        """Return the row of a leaf."""
        formula = self.leaves[node]
        found = [str(node)]
        found += [near_double(c) if np.isfinite(c) else _LEAST for c in formula.constant.tolist()]
        places = {f: i for i, f in enumerate(formula.numeric)}
        width = 3 * k if self.squares else 2 + k
        for f in self.numeric:
            found += _terms(formula, places[f]) if f in places else ["NULL"] * width
        for f in self.categorical:
            rows = formula.categorical.get(f)
            found += ["NULL"] * (1 + k) if rows is None else [str(len(rows) - 1), *_texts(rows)]
        return found

    def score(self, i: int, leaf: str, values: dict[int, str]) -> str:
        """Return an expression for the score of class i. `leaf` is the row of the table."""
        parts = [f'{leaf}."c{i}"']
        for f in self.numeric:
            apart = f'({values[f]} - {leaf}."m{i if self.squares else ""}_{f}")'
            if self.squares:
                term = f'{leaf}."o{i}_{f}" - {apart} * {apart} * {leaf}."p{i}_{f}"'
            else:
                most = near_double(LARGEST_INPUT)
                term = (
                    f'CASE WHEN {apart} > {most} * {leaf}."s_{f}" THEN {most} '
                    f'WHEN {apart} < -{most} * {leaf}."s_{f}" THEN -{most} '
                    f'ELSE {apart} / {leaf}."s_{f}" END * {leaf}."w{i}_{f}"'
                )
            parts.append(f"COALESCE({term}, 0e0)")
        for f in self.categorical:
            code, n = values[f], f'{leaf}."n_{f}"'
            place = f"CASE WHEN {code} >= 0 AND {code} < {n} THEN {code} ELSE {n} END"
            text = f'substr({leaf}."t{i}_{f}", 1 + {_WIDTH} * ({place}), {_WIDTH})'
            term = f"CASE WHEN {code} IS NOT NULL THEN CAST({text} AS DOUBLE PRECISION) END"
            parts.append(f"COALESCE({term}, 0e0)")
        return "\n      + ".join(parts)

    def vote(self, i: int, scores: Sequence[str], weight: float, instead: str) -> str:
        """Return what a tree adds to the sum of class i. `instead` is that of a majority leaf."""
        if self.softmax:
            others = [s for j, s in enumerate(scores) if j != i]
            total = " + ".join(["1e0", *(f"exp({s} - {scores[i]})" for s in others)])
            any_other = " OR ".join(f"{s} > {_LOW}" for s in others)
            zero = f" WHEN {any_other} THEN 0e0" if others else ""
            return (
                f"CASE WHEN {scores[i]} > {_LOW} THEN {number(weight)} / ({total})"
                f"{zero} ELSE {instead} END"
            )
        clipped = [f"CASE WHEN {s} < 0 THEN 0e0 WHEN {s} > 1 THEN 1e0 ELSE {s} END" for s in scores]
        some = " OR ".join(f"{s} > 0" for s in scores)
        share = f"({clipped[i]}) / ({' + '.join(clipped)})"
        return f"CASE WHEN {some} THEN {number(weight)} * ({share}) ELSE {instead} END"


def formulas_code(tree: PlainTree, together: Sum, names: Names, proba: bool) -> str:
    """Return the query of a tree or forest with formulas."""
    k = len(tree.classes)
    kinds = _kinds(tree)
    (predictions,) = names.generated("riparian_predictions")
    (prediction_name,) = names.generated("prediction")
    shares = names.generated(*(f"probability_{i}" for i in range(k)))
    tables = [
        _table(
            predictions,
            ["leaf", *(f"part_{i}" for i in range(k))],
            [
                [str(node), *map(exact_double, tree.probabilities[node].tolist())]
                for node in np.flatnonzero(tree.predicts).tolist()
            ],
        )
    ]
    chain = _Chain(tree, names)
    for kind in kinds:
        (table,) = names.generated(f"riparian_{kind.name}")
        tables.append(_table(table, kind.columns(k), [kind.row(n, k) for n in kind.leaves]))
        chain.add_scores(kind, table)
    chain.add_sums(kinds, predictions, together)
    scores, relation = chain.sums, ">="
    if together.costs is not None:
        scores, relation = chain.add_costs(together.costs), "<="
    at = [f"{chain.source}.{s}" for s in scores]
    sums = [f"{chain.source}.{s}" for s in chain.sums]
    total = "" if together.divisor is not None else f" / ({' + '.join(sums)})"
    chosen = first_best(at, relation, [literal(label) for label in tree.classes])
    results = [f"{chosen} AS {prediction_name}"]
    if proba:
        results += [f"{s}{total} AS {p}" for s, p in zip(sums, shares, strict=True)]
    return _QUERY.format(
        what=tree.what,
        prediction_name=prediction_name,
        and_more=comment_on(shares) if proba else "",
        notes=names.notes(tree),
        tables=", ".join(tables),
        steps=", ".join(chain.steps),
        prediction=",\n  ".join(results),
        source=chain.source,
    )


class _Chain:
    """The steps of the query: leaves and values, scores, sums, costs."""

    def __init__(self, tree: PlainTree, names: Names) -> None:
        self.steps: list[str] = []
        self.source = ""
        self.sums: list[str] = []
        self._tree, self._names = tree, names
        self._k, trees = len(tree.classes), tree.trees()
        self._leaves = names.generated(*(f"riparian_leaf_{t}" for t in range(len(trees))))
        self._members = names.generated(*(f"riparian_member_{t}" for t in range(len(trees))))
        self._scores: dict[tuple[str, int], list[str]] = {}
        self._n_columns = len(tree.features)
        formulas = tree.formulas.values()
        numeric = sorted({f for formula in formulas for f in formula.numeric})
        categorical = sorted({f for formula in formulas for f in formula.categorical})
        used = [*numeric, *categorical]
        columns = names.generated(*(f"riparian_value_{f}" for f in used))
        self._values = dict(zip(used, columns, strict=True))
        expressions = [leaf_expression(tree, nodes, names).strip() for nodes in trees]
        expressions += [_clipped(names.column(f)) for f in numeric]
        expressions += [_code(tree, f, names.column(f)) for f in categorical]
        columns = [*self._leaves, *columns]
        source = f"{names.table} AS {names.input}"
        self._add("riparian_leaves", expressions, columns, f"{names.input}.*", source)

    def add_scores(self, kind: _Kind, table: str) -> None:
        """Add a step with the scores of the trees that have leaves of one kind."""
        columns: list[str] = []
        expressions: list[str] = []
        values = {f: f"{self.source}.{column}" for f, column in self._values.items()}
        trees = [t for t, nodes in enumerate(self._tree.trees()) if kind.is_in(nodes)]
        for t in trees:
            wanted = [f"riparian_{kind.name}_{t}_{i}" for i in range(self._k)]
            self._scores[kind.name, t] = self._names.generated(*wanted)
            columns += self._scores[kind.name, t]
            expressions += [kind.score(i, self._members[t], values) for i in range(self._k)]
        source = f"{self.source}\n{self._joins(table, trees)}"
        self._add(f"riparian_{kind.name}_scores", expressions, columns, f"{self.source}.*", source)

    def add_sums(self, kinds: Sequence[_Kind], predictions: str, together: Sum) -> None:
        """Add a step with the sums of the votes."""
        over = "" if together.divisor is None else f" / {number(together.divisor)}"
        sums = []
        for i in range(self._k):
            votes = []
            for t, nodes in enumerate(self._tree.trees()):
                instead = f'{self._members[t]}."part_{i}"'
                whens = []
                for kind in kinds:
                    if not kind.is_in(nodes):
                        continue
                    scores = [f"{self.source}.{s}" for s in self._scores[kind.name, t]]
                    weight = next(f.weight for n, f in kind.leaves.items() if n in nodes)
                    vote = kind.vote(i, scores, weight, instead)
                    whens.append(f"WHEN {scores[0]} IS NOT NULL THEN {vote}")
                votes.append(f"CASE {' '.join(whens)} ELSE {instead} END" if whens else instead)
            sums.append("(" + "\n      + ".join(votes) + f"){over}")
        self.sums = self._names.generated(*(f"riparian_sum_{i}" for i in range(self._k)))
        source = f"{self.source}\n{self._joins(predictions, range(len(self._members)))}"
        self._add("riparian_sums", sums, self.sums, f"{self.source}.*", source)

    def add_costs(self, costs: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[str]:
        """Add a step with the expected cost of each prediction, and return its columns."""
        columns = self._names.generated(*(f"riparian_cost_{i}" for i in range(self._k)))
        expected = [
            " + ".join(
                f"{self.source}.{s} * {number(c)}" for s, c in zip(self.sums, row, strict=True)
            )
            for row in costs.tolist()
        ]
        self._add("riparian_costs", expected, columns, f"{self.source}.*", self.source)
        return columns

    def _joins(self, table: str, trees: Iterable[int]) -> str:
        return "\n".join(
            f"  LEFT JOIN {table} AS {self._members[t]} "
            f'ON {self._members[t]}."leaf" = {self.source}.{self._leaves[t]}'
            for t in trees
        )

    def _add(
        self, name: str, expressions: Sequence[str], columns: Sequence[str], rest: str, source: str
    ) -> None:
        """Add a step that selects expressions, and all columns of its source after them."""
        self._n_columns += len(columns)
        _refuse_wide(self._n_columns)
        (self.source,) = self._names.generated(name)
        self.steps.append(
            f"{self.source} AS MATERIALIZED (\n  SELECT\n{named(expressions, columns)},\n"
            f"    {rest}\n  FROM {source}\n)"
        )


def _kinds(tree: PlainTree) -> list[_Kind]:
    """Return the kinds of formulas of a tree or forest."""
    names = {
        (True, "softmax"): "bayes",
        (False, "clipped"): "linear",
        (False, "softmax"): "logistic",
    }
    found = []
    for (squares, link), name in names.items():
        leaves = {n: f for n, f in tree.formulas.items() if f.kind == (squares, link)}
        if leaves:
            numeric = sorted({f for formula in leaves.values() for f in formula.numeric})
            categorical = sorted({f for formula in leaves.values() for f in formula.categorical})
            found.append(_Kind(name, squares, link == "softmax", leaves, numeric, categorical))
    return found


def _table(name: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    _refuse_wide(len(columns))
    values = ",\n".join(f"    ({', '.join(row)})" for row in rows)
    heads = ", ".join(f'"{column}"' for column in columns)
    return f"{name} ({heads}) AS (\n  VALUES\n{values}\n)"


def _refuse_wide(columns: int) -> None:
    if columns > _MOST_COLUMNS:
        raise ValueError(
            f"SQL supports {_MOST_COLUMNS} columns, and this model needs {columns}: it has too "
            "many features, classes or trees; to_code('python'), to_code('c') and to_onnx() "
            "support any number"
        )


def _terms(formula: Formula, i: int) -> Iterator[str]:
    """Return the columns of a numeric feature. Centres are exact, because values are near them."""
    terms = formula.terms
    if isinstance(terms, Squares):
        columns = (terms.centre[:, i], terms.precision[:, i], terms.offset[:, i])
        for centre, precision, offset in zip(*(c.tolist() for c in columns), strict=True):
            yield from (exact_double(centre), near_double(precision), near_double(offset))
        return
    assert isinstance(terms, Lines)
    yield exact_double(float(terms.centre[i]))
    yield near_double(float(terms.spread[i]))
    yield from map(near_double, terms.weight[:, i].tolist())


def _texts(rows: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Iterator[str]:
    """Return for each class a text with the terms of all categories, in columns of equal width."""
    for terms in rows.T.tolist():
        yield "'" + "".join(f"{term:.16e}".ljust(_WIDTH) for term in terms) + "'"


def _clipped(column: str) -> str:
    most = near_double(LARGEST)
    limits = f"WHEN {column} > {most} THEN {most} WHEN {column} < -{most} THEN -{most}"
    return f"CASE {limits} ELSE {column} END"


def _code(tree: PlainTree, feature: int, column: str) -> str:
    """Return an expression for the code of a category: -1 if it is unknown, NULL if missing."""
    known = known_categories(tree.features[feature])
    if not known:
        return f"CASE WHEN {column} IS NOT NULL THEN -1 END"
    whens = " ".join(f"WHEN {literal(c)} THEN {code}" for code, c in enumerate(known))
    return f"CASE WHEN {column} IS NOT NULL THEN CASE {column} {whens} ELSE -1 END END"
