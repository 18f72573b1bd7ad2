"""Export of trees of hyperplanes to ONNX: matrix products and sigmoids."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto

from riparian.export.onnx_graph import Graph
from riparian.export.planes import LARGEST, STEEPEST, PlainPlanes

__all__ = ["add_planes"]


def add_planes(graph: Graph, model: PlainPlanes) -> tuple[str, str]:
    """Add the trees to a graph, and return the names of the class index and the probabilities."""
    trees = len(model.weights)
    inputs = _inputs(graph, model)
    # Shares that reach the nodes of a level: (rows, trees * nodes).
    reached = ""
    left = right = ""
    for level in range(model.depth):
        nodes = slice(2**level - 1, 2 ** (level + 1) - 1)
        weights = model.slope * model.weights[:, nodes].reshape(trees * 2**level, -1).T
        biases = model.slope * model.biases[:, nodes].ravel()
        value = graph.add("MatMul", inputs, graph.constant(weights))
        value = graph.add("Add", value, graph.constant(biases))
        steepest = graph.constant(-STEEPEST), graph.constant(STEEPEST)
        value = graph.add("Clip", value, *steepest)
        left = graph.add("Sigmoid", value)
        # A separate sigmoid: 1 - left would lose all digits if left is near 1.
        right = graph.add("Sigmoid", graph.add("Neg", value))
        if reached:
            left, right = graph.add("Mul", reached, left), graph.add("Mul", reached, right)
        last = graph.constant([2], TensorProto.INT64)
        pair = [graph.add("Unsqueeze", side, last) for side in (left, right)]
        flat = graph.constant([0, trees * 2 ** (level + 1)], TensorProto.INT64)
        reached = graph.add("Reshape", graph.add("Concat", *pair, axis=2), flat)
    half = graph.constant([0, trees, 2 ** (model.depth - 1)], TensorProto.INT64)
    axis = graph.constant([2], TensorProto.INT64)

    def added(side: str) -> str:
        return graph.add("ReduceSum", graph.add("Reshape", side, half), axis, keepdims=0)

    if trees == 1:
        shares = graph.add("Concat", added(right), added(left), axis=1)
    else:
        each = added(left)
        one = graph.constant([1], TensorProto.INT64)
        shares = graph.add("Div", each, graph.add("ReduceSum", each, one, keepdims=1))
    if model.costs is None:
        return graph.add("ArgMax", shares, axis=1, keepdims=0), shares
    expected = graph.add("MatMul", shares, graph.constant(model.costs.T))
    return graph.add("ArgMin", expected, axis=1, keepdims=0), shares


def _inputs(graph: Graph, model: PlainPlanes) -> str:
    """Add the input matrix: standardised numbers, then one column per category."""
    parts = []
    if model.numbers:
        places = graph.constant([n.feature for n in model.numbers], TensorProto.INT64)
        found = graph.add("Gather", graph.matrix, places, axis=1)
        value = graph.add("Sub", found, graph.constant([n.centre for n in model.numbers]))
        value = graph.add("Div", value, graph.constant([n.spread for n in model.numbers]))
        value = graph.add("Clip", value, graph.constant(-LARGEST), graph.constant(LARGEST))
        instead = graph.constant([n.missing for n in model.numbers])
        parts.append(graph.add("Where", graph.add("IsNaN", found), instead, value))
    if model.categories:
        places = graph.constant([f for f, _ in model.categories], TensorProto.INT64)
        found = graph.add("Gather", graph.matrix, places, axis=1)
        values = np.array([graph.number_of(f, code) for f, code in model.categories])
        parts.append(
            graph.add("Cast", graph.add("Equal", found, graph.constant(values)), to=graph.kind)
        )
    return parts[0] if len(parts) == 1 else graph.add("Concat", *parts, axis=1)
