"""Export of trees whose leaves compute to ONNX: the leaf of each row, its numbers, and sums.

All computation is in double precision, also for float32 input. Arrays have the axes row, tree,
class and feature, in this order. Each leaf that computes is a row in the tables of its kind; row 0
is empty, for all other leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto

from riparian.export.formulas import LARGEST, LARGEST_INPUT, Formula, Lines, Squares
from riparian.export.onnx_graph import Graph
from riparian.export.onnx_trees import add_leaves, add_lookups
from riparian.export.plain import PlainTree

__all__ = ["add_formulas"]

_INT, _DOUBLE = TensorProto.INT64, TensorProto.DOUBLE


def add_formulas(graph: Graph, tree: PlainTree) -> tuple[str, str]:
    """Add the trees to a graph, and return the names of the class index and the probabilities."""
    assert tree.sum is not None
    places = {node: i for i, node in enumerate(np.flatnonzero(tree.predicts).tolist())}
    leaf = graph.add("Cast", add_leaves(graph, tree, places), to=_INT)
    votes = graph.add("Gather", graph.constant(tree.probabilities[list(places)], _DOUBLE), leaf)
    values = _Values(graph, tree)
    for kind in sorted({formula.kind for formula in tree.formulas.values()}):
        leaves = {n: f for n, f in tree.formulas.items() if f.kind == kind}
        row = np.zeros(len(places), dtype=np.int64)
        row[[places[node] for node in leaves]] = np.arange(1, len(leaves) + 1)
        at = graph.add("Gather", graph.constant(row, _INT), leaf)
        formulas = list(leaves.values())
        scores = _scores(graph, formulas, at, values)
        link = _softmax if kind[1] == "softmax" else _clipped
        shares, found = link(graph, scores)
        weights = np.array([0.0, *(formula.weight for formula in formulas)])
        weight = graph.add("Gather", graph.constant(weights[:, None], _DOUBLE), at)
        own = graph.add("Mul", weight, shares)
        here = graph.add("Unsqueeze", graph.add("Greater", at, _ints(graph, 0)), _ints(graph, [2]))
        votes = graph.add("Where", graph.add("And", here, found), own, votes)
    return _together(graph, tree, votes)


def _together(graph: Graph, tree: PlainTree, votes: str) -> tuple[str, str]:
    """Add the votes of the trees, and return the class index and the probabilities."""
    assert tree.sum is not None
    total = graph.add("ReduceSum", votes, _ints(graph, [1]), keepdims=0)
    if tree.sum.divisor is None:
        divisor = graph.add("ReduceSum", total, _ints(graph, [1]), keepdims=1)
    else:
        divisor = graph.constant([tree.sum.divisor], _DOUBLE)
    shares = graph.add("Div", total, divisor)
    # With a constant divisor the model compares the quotients, otherwise the sums.
    compared = total if tree.sum.divisor is None else shares
    if tree.sum.costs is None:
        return graph.add("ArgMax", compared, axis=1, keepdims=0), shares
    costs = graph.constant(tree.sum.costs.T, _DOUBLE)
    return graph.add("ArgMin", graph.add("MatMul", compared, costs), axis=1, keepdims=0), shares


class _Values:
    """The values of rows: numbers, and codes of categories; NaN is missing."""

    def __init__(self, graph: Graph, tree: PlainTree) -> None:
        numbers = graph.add("Cast", graph.matrix, to=_DOUBLE)
        limits = graph.constant(-LARGEST, _DOUBLE), graph.constant(LARGEST, _DOUBLE)
        self.numbers = graph.add("Clip", numbers, *limits)
        self.codes = numbers
        used = sorted({f for formula in tree.formulas.values() for f in formula.categorical})
        searched = [f for f in used if not graph.texts[f]]
        if searched:
            known = [
                (f, [graph.number_of(f, code) for code in range(len(tree.categories[f]))])
                for f in searched
            ]
            found = graph.add("Cast", add_lookups(graph, known), to=_DOUBLE)
            # Times 0: NaN if the value is missing, otherwise 0.
            values = graph.add("Gather", numbers, _ints(graph, searched), axis=1)
            missing = graph.add("Mul", values, graph.constant(0.0, _DOUBLE))
            every = graph.add("Concat", numbers, graph.add("Add", found, missing), axis=1)
            order = np.arange(len(tree.features))
            order[searched] = len(tree.features) + np.arange(len(searched))
            self.codes = graph.add("Gather", every, _ints(graph, order), axis=1)


def _scores(graph: Graph, formulas: Sequence[Formula], at: str, values: _Values) -> str:
    """Add the scores of the leaves of one kind: (rows, trees, classes)."""
    score = graph.add("Gather", _table(graph, [f.constant for f in formulas], 0.0), at)
    if any(formula.numeric for formula in formulas):
        add_terms = _squares if isinstance(formulas[0].terms, Squares) else _lines
        score = graph.add("Add", score, add_terms(graph, formulas, at, values.numbers))
    if any(formula.categorical for formula in formulas):
        score = graph.add("Add", score, _categories(graph, formulas, at, values.codes))
    return score


def _squares(graph: Graph, formulas: Sequence[Formula], at: str, numbers: str) -> str:
    x = _selected(graph, [f.numeric for f in formulas], at, numbers)
    x = graph.add("Unsqueeze", x, _ints(graph, [2]))
    parts: dict[str, str] = {}
    for name in ("centre", "precision", "offset"):
        rows = [getattr(f.terms, name) for f in formulas]
        parts[name] = graph.add("Gather", _table(graph, rows, 0.0), at)
    apart = graph.add("Sub", x, parts["centre"])
    square = graph.add("Mul", graph.add("Mul", apart, apart), parts["precision"])
    term = graph.add("Sub", parts["offset"], square)
    return _sum_of_known(graph, x, term)


def _lines(graph: Graph, formulas: Sequence[Formula], at: str, numbers: str) -> str:
    x = _selected(graph, [f.numeric for f in formulas], at, numbers)
    terms = [f.terms for f in formulas if isinstance(f.terms, Lines)]
    centre = graph.add("Gather", _table(graph, [t.centre for t in terms], 0.0), at)
    spread = graph.add("Gather", _table(graph, [t.spread for t in terms], 1.0), at)
    z = graph.add("Div", graph.add("Sub", x, centre), spread)
    most = graph.constant(-LARGEST_INPUT, _DOUBLE), graph.constant(LARGEST_INPUT, _DOUBLE)
    z = graph.add("Unsqueeze", graph.add("Clip", z, *most), _ints(graph, [2]))
    weight = graph.add("Gather", _table(graph, [t.weight for t in terms], 0.0), at)
    x = graph.add("Unsqueeze", x, _ints(graph, [2]))
    return _sum_of_known(graph, x, graph.add("Mul", weight, z))


def _categories(graph: Graph, formulas: Sequence[Formula], at: str, codes: str) -> str:
    """Add the terms of categories. All are rows of one table, whose first row is 0."""
    rows = [np.zeros((1, len(formulas[0].constant)))]
    features: list[list[int]] = []
    starts: list[NDArray[Any]] = []
    sizes: list[NDArray[Any]] = []
    end = 1
    for formula in formulas:
        features.append(list(formula.categorical))
        own = list(formula.categorical.values())
        begin = end + np.cumsum([0, *map(len, own)])
        starts.append(begin[:-1].astype(float))
        sizes.append(np.array([len(terms) - 1.0 for terms in own]))
        end = int(begin[-1])
        rows += own
    code = _selected(graph, features, at, codes)
    size = graph.add("Gather", _table(graph, sizes, 0.0), at)
    start = graph.add("Gather", _table(graph, starts, 0.0), at)
    known = graph.add(
        "And",
        graph.add("GreaterOrEqual", code, graph.constant(0.0, _DOUBLE)),
        graph.add("Less", code, size),
    )
    place = graph.add("Add", start, graph.add("Where", known, code, size))
    nothing = graph.constant(0.0, _DOUBLE)
    place = graph.add("Where", graph.add("IsNaN", code), nothing, place)
    terms = graph.constant(np.concatenate(rows), _DOUBLE)
    found = graph.add("Gather", terms, graph.add("Cast", place, to=_INT))
    return graph.add("ReduceSum", found, _ints(graph, [2]), keepdims=0)


def _selected(graph: Graph, features: Sequence[Sequence[int]], at: str, matrix: str) -> str:
    """Add the values of the features of each leaf: (rows, trees, features)."""
    places = _padded([np.array(f, dtype=np.int64) for f in features], 0)
    of_leaf = graph.add("Gather", graph.constant(places, _INT), at)
    shape = graph.add("Shape", of_leaf)
    flat = graph.add("Reshape", of_leaf, _ints(graph, [0, -1]))
    return graph.add("Reshape", graph.add("GatherElements", matrix, flat, axis=1), shape)


def _sum_of_known(graph: Graph, x: str, term: str) -> str:
    known = graph.add("Where", graph.add("IsNaN", x), graph.constant(0.0, _DOUBLE), term)
    return graph.add("ReduceSum", known, _ints(graph, [3]), keepdims=0)


def _softmax(graph: Graph, scores: str) -> tuple[str, str]:
    """Add the probabilities, and whether there are any."""
    least = graph.constant(-np.finfo(np.float64).max, _DOUBLE)
    top = graph.add("Max", graph.add("ReduceMax", scores, axes=[2], keepdims=1), least)
    found = graph.add("Greater", top, least)
    return _shares(graph, graph.add("Exp", graph.add("Sub", scores, top))), found


def _clipped(graph: Graph, scores: str) -> tuple[str, str]:
    """Add the probabilities, and whether there are any."""
    limits = graph.constant(0.0, _DOUBLE), graph.constant(1.0, _DOUBLE)
    parts = graph.add("Clip", scores, *limits)
    top = graph.add("ReduceMax", parts, axes=[2], keepdims=1)
    return _shares(graph, parts), graph.add("Greater", top, limits[0])


def _shares(graph: Graph, parts: str) -> str:
    return graph.add("Div", parts, graph.add("ReduceSum", parts, _ints(graph, [2]), keepdims=1))


def _table(graph: Graph, rows: Sequence[NDArray[Any]], other: float) -> str:
    """Add the numbers of all leaves, after an empty row, as one constant."""
    return graph.constant(_padded(rows, other), _DOUBLE)


def _padded(rows: Sequence[NDArray[Any]], other: float) -> NDArray[Any]:
    """Return arrays of different lengths as one array, after an empty row."""
    width = max(row.shape[-1] for row in rows)
    out = np.full((len(rows) + 1, *rows[0].shape[:-1], width), other, dtype=rows[0].dtype)
    for i, row in enumerate(rows):
        out[i + 1, ..., : row.shape[-1]] = row
    return out


def _ints(graph: Graph, values: Any) -> str:
    return graph.constant(values, _INT)
