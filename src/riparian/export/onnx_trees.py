"""Export of trees and forests to ONNX: one TreeEnsembleClassifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto, helper

from riparian.export.onnx_graph import ML, Graph
from riparian.export.plain import LEAF, ONE_VALUE, THRESHOLD, PlainTree, with_leader

__all__ = ["add_leaves", "add_lookups", "add_trees"]

#: Runtimes have special cases for one and two classes, so at least three are declared. Columns
#: beyond the classes are removed.
_LEAST_CLASSES = 3


def add_trees(graph: Graph, tree: PlainTree) -> tuple[str, str]:
    """Add the trees to a graph, and return the names of the class index and the probabilities."""
    matrix, nodes = _add_tests(graph, tree)

    def ensemble(weights: NDArray[Any]) -> tuple[str, str]:
        attributes = _attributes(nodes, weights, len(tree.classes), graph.dtype)
        code, scores = graph.add_all("TreeEnsembleClassifier", 2, matrix, domain=ML, **attributes)
        columns = graph.constant(list(range(len(tree.classes))), TensorProto.INT64)
        return code, graph.add("Gather", scores, columns, axis=1)

    if tree.sum is None and not tree.cheapest:
        single = with_leader(tree.probabilities.astype(np.float32), tree.prediction)
        _, scores = ensemble(single)
        return graph.add("ArgMax", scores, axis=1, keepdims=0), scores
    code, scores = ensemble(tree.probabilities)
    if tree.sum is None:
        # The cheapest class of each leaf is known: a second ensemble that predicts only it.
        chosen = np.eye(len(tree.classes))[tree.prediction]
        return graph.add("ArgMax", ensemble(chosen)[1], axis=1, keepdims=0), scores
    if tree.sum.divisor is None:
        total = graph.add("ReduceSum", scores, graph.constant([1], TensorProto.INT64), keepdims=1)
    else:
        total = graph.constant([tree.sum.divisor], TensorProto.FLOAT)
    shares = graph.add("Div", scores, total)
    if tree.sum.costs is None:
        # The operator's own label: it adds in the type of its input but returns float32 sums.
        return code, shares
    wide = graph.add("Cast", scores, to=TensorProto.DOUBLE)
    costs = graph.constant(tree.sum.costs.T.tolist(), TensorProto.DOUBLE)
    return graph.add("ArgMin", graph.add("MatMul", wide, costs), axis=1, keepdims=0), shares


def add_leaves(graph: Graph, tree: PlainTree, places: Mapping[int, int]) -> str:
    """Add the tests, and return the name of the leaf of each row in each tree: (rows, trees).

    `places` are the numbers of the nodes that predict. The operator returns them as float32.
    """
    if max(places.values()) >= 2**24:
        raise ValueError(
            f"ONNX supports at most {2**24:,} leaves that compute, got {max(places.values()) + 1:,}"
        )
    matrix, nodes = _add_tests(graph, tree)
    values = [(at, nodes.trees[at], float(places[node])) for at, node in nodes.predicting]
    return _add_regressor(graph, matrix, nodes, values, len(tree.trees()))


def _add_tests(graph: Graph, tree: PlainTree) -> tuple[str, _Binary]:
    """Add what the tests read, and return the name of that matrix and the nodes of all trees."""
    equalities = _equalities(tree)
    matrix = _add_equalities(graph, list(equalities)) if equalities else graph.matrix
    nodes = _Binary()
    for number, of_tree in enumerate(tree.trees()):
        nodes.tree = number
        _add_tree(nodes, graph, tree, of_tree, equalities)
    return matrix, nodes


def add_lookups(graph: Graph, lists: Sequence[tuple[int, Sequence[float]]]) -> str:
    """Add binary searches for numbers, and return the name of their places: (rows, lists).

    Each list is a column of the matrix and its known numbers. The place of any other number, and
    of a missing value, is -1.
    """
    kind = np.float64 if graph.dtype == "float64" else np.float32
    nodes = _Binary()
    values: list[tuple[int, int, float]] = []
    for tree, (feature, known) in enumerate(lists):
        nodes.tree = tree
        borders: list[float] = []
        cells = [-1.0]
        for value, place in sorted((value, place) for place, value in enumerate(known)):
            borders += [float(np.nextafter(kind(value), kind(-np.inf))), value]
            cells += [float(place), -1.0]
        waiting = [(nodes.add(), 0, len(cells) - 1)]
        while waiting:
            at, first, last = waiting.pop()
            if first == last:
                values.append((at, tree, cells[first]))
                continue
            middle = (first + last) // 2
            true, false = nodes.branch(at, feature, borders[middle], False)
            waiting += [(true, first, middle), (false, middle + 1, last)]
    return _add_regressor(graph, graph.matrix, nodes, values, len(lists))


def _add_regressor(
    graph: Graph,
    matrix: str,
    nodes: _Binary,
    values: Sequence[tuple[int, int, float]],
    n_targets: int,
) -> str:
    """Add a TreeEnsembleRegressor. The values are: node of the operator, target, number."""
    attributes = _node_attributes(nodes)
    attributes |= {
        "target_treeids": [nodes.trees[at] for at, _, _ in values],
        "target_nodeids": [at for at, _, _ in values],
        "target_ids": [target for _, target, _ in values],
        "n_targets": n_targets,
    }
    numbers = {"nodes_values": nodes.values, "target_weights": [value for _, _, value in values]}
    attributes |= _number_attributes(numbers, graph.dtype)
    return graph.add("TreeEnsembleRegressor", matrix, domain=ML, **attributes)


def _equalities(tree: PlainTree) -> dict[tuple[int, int], int]:
    """Return feature and category of every test of one value, and the column of its result."""
    nodes = np.flatnonzero(tree.test == ONE_VALUE).tolist()
    pairs = dict.fromkeys((int(tree.feature[n]), int(tree.category[n])) for n in nodes)
    return {pair: len(tree.features) + i for i, pair in enumerate(pairs)}


def _add_equalities(graph: Graph, equalities: Sequence[tuple[int, int]]) -> str:
    """Add a column with 1, 0 or NaN (missing) for each test of one value, and return the matrix.

    Thresholds on these columns replace BRANCH_EQ, because onnxruntime merges BRANCH_EQ nodes and
    is wrong for some values.
    """
    features = graph.constant([f for f, _ in equalities], TensorProto.INT64)
    tested = graph.add("Gather", graph.matrix, features, axis=1)
    met = graph.add("Equal", tested, graph.constant([graph.number_of(f, c) for f, c in equalities]))
    one = graph.add("Cast", met, to=graph.kind)
    # Times 0: NaN if the value is missing, otherwise 0.
    missing = graph.add("Mul", tested, graph.constant(0.0))
    return graph.add("Concat", graph.matrix, graph.add("Add", one, missing), axis=1)


def _attributes(nodes: _Binary, shares: NDArray[Any], classes: int, dtype: str) -> dict[str, Any]:
    """Return the attributes of the operator. All tests are thresholds."""
    places, ids, weights = [], [], []
    for at, node in nodes.predicting:
        for c in np.flatnonzero(shares[node]).tolist():
            places.append(at)
            ids.append(c)
            weights.append(float(shares[node, c]))
    found = _node_attributes(nodes)
    found |= {
        "class_treeids": [nodes.trees[at] for at in places],
        "class_nodeids": places,
        "class_ids": ids,
        "classlabels_int64s": list(range(max(_LEAST_CLASSES, classes))),
    }
    return found | _number_attributes(
        {"nodes_values": nodes.values, "class_weights": weights}, dtype
    )


def _node_attributes(nodes: _Binary) -> dict[str, Any]:
    return {
        "nodes_treeids": nodes.trees,
        "nodes_nodeids": list(range(len(nodes.modes))),
        "nodes_featureids": nodes.features,
        "nodes_modes": nodes.modes,
        "nodes_truenodeids": nodes.true,
        "nodes_falsenodeids": nodes.false,
        "nodes_missing_value_tracks_true": nodes.missing,
        "post_transform": "NONE",
    }


def _number_attributes(numbers: Mapping[str, list[float]], dtype: str) -> dict[str, Any]:
    if dtype == "float32":
        return dict(numbers)
    return {
        f"{name}_as_tensor": helper.make_tensor(name, TensorProto.DOUBLE, [len(values)], values)
        for name, values in numbers.items()
    }


def _add_tree(
    nodes: _Binary,
    graph: Graph,
    tree: PlainTree,
    of_tree: range,
    equalities: dict[tuple[int, int], int],
) -> None:
    place = {of_tree[0]: nodes.add()}  # node of the tree -> node of the operator
    # Parents come before children. No recursion, because trees may be deep.
    for node in of_tree:
        at, test = place[node], int(tree.test[node])
        if test == LEAF:
            nodes.predicting.append((at, node))
            continue
        feature, heavy = int(tree.feature[node]), int(tree.heavy[node])
        children = tree.children[node]
        if test == THRESHOLD:
            value = _threshold(float(tree.threshold[node]), graph.dtype)
            true, false = nodes.branch(at, feature, value, heavy == children[0][1])
            place[children[0][1]], place[children[1][1]] = true, false
        elif test == ONE_VALUE:
            column = equalities[feature, int(tree.category[node])]
            true, false = nodes.branch(at, column, 0.5, heavy == children[1][1])
            place[children[1][1]], place[children[0][1]] = true, false
        else:
            _add_every_value(nodes, place, graph, tree, node)


def _add_every_value(
    nodes: _Binary, place: dict[int, int], graph: Graph, tree: PlainTree, node: int
) -> None:
    """Add a binary search over the branches of a node with one branch per category.

    The cells of the search alternate: no branch, the first value, no branch, the second value, and
    so on. If there is no branch, the node itself predicts.
    """
    feature, heavy = int(tree.feature[node]), int(tree.heavy[node])
    kind = np.float64 if graph.dtype == "float64" else np.float32
    at = place[node]
    if any(code < 0 for code, _ in tree.children[node]):
        # No number is below the smallest one, so only missing values go there.
        place[heavy], at = nodes.branch(at, feature, float(np.finfo(kind).min), True)
        heavy = node
    values = sorted(
        (graph.number_of(feature, code), child) for code, child in tree.children[node] if code >= 0
    )
    borders: list[float] = []
    cells: list[int] = [node]
    for value, child in values:
        borders += [float(np.nextafter(kind(value), kind(-np.inf))), value]
        cells += [child, node]
    missing = cells.index(heavy)
    waiting = [(at, 0, len(cells) - 1)]
    while waiting:
        at, first, last = waiting.pop()
        if first == last:
            if cells[first] == node:
                nodes.predicting.append((at, node))
            else:
                place[cells[first]] = at
            continue
        middle = (first + last) // 2
        true, false = nodes.branch(at, feature, borders[middle], missing <= middle)
        waiting += [(true, first, middle), (false, middle + 1, last)]


class _Binary:
    """The nodes of the operator, as columns."""

    def __init__(self) -> None:
        self.tree = 0  # the tree to which nodes are added
        self.trees: list[int] = []
        self.features: list[int] = []
        self.modes: list[str] = []
        self.values: list[float] = []
        self.true: list[int] = []
        self.false: list[int] = []
        self.missing: list[int] = []
        self.predicting: list[tuple[int, int]] = []  # (node of the operator, of the tree)

    def add(self) -> int:
        self.trees.append(self.tree)
        self.features.append(0)
        self.modes.append("LEAF")
        self.values.append(0.0)
        self.true.append(0)
        self.false.append(0)
        self.missing.append(0)
        return len(self.modes) - 1

    def branch(self, at: int, feature: int, value: float, missing: bool) -> tuple[int, int]:
        """Make a node the test ``x <= value``, and return its new children (true, false)."""
        self.features[at], self.modes[at], self.values[at] = feature, "BRANCH_LEQ", value
        self.missing[at] = int(missing)
        self.true[at], self.false[at] = self.add(), self.add()
        return self.true[at], self.false[at]


def _threshold(value: float, dtype: str) -> float:
    if dtype == "float64":
        return value
    with np.errstate(over="ignore"):
        rounded = np.float32(value)
    if float(rounded) > value:
        rounded = np.nextafter(rounded, np.float32(-np.inf))
    return float(rounded)
