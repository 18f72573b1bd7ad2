"""Trees as ONNX models, for runtimes without Python."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from riparian.errors import one_of
from riparian.export.categories import is_text
from riparian.export.plain import (
    LEAF,
    ONE_VALUE,
    THRESHOLD,
    PlainTree,
    plain_tree,
    with_leader,
)
from riparian.wording import label_text

if TYPE_CHECKING:
    from onnx import ModelProto

    from riparian.tree import HoeffdingTree

__all__ = ["to_onnx"]

#: Versions with double thresholds and maps from strings to floats; old, for old runtimes.
_ONNX, _ML, _IR = 17, 3, 8
_ML_DOMAIN = "ai.onnx.ml"
#: A category that the model has not seen; codes begin at 0.
_UNSEEN = -1.0
#: Runtimes treat one and two classes in ways of their own, so there are always more; columns
#: beyond the classes are cut off.
_LEAST_CLASSES = 3


def to_onnx(model: HoeffdingTree, *, leaf: str | None = None, dtype: str = "float64") -> ModelProto:
    """The tree as an ONNX model with a TreeEnsembleClassifier.

    Parameters
    ----------
    model : HoeffdingTree
        A model that has learned.
    leaf : {"majority"} or None, default=None
        "majority" reads the leaves of any model as majority leaves; None refuses a model
        with others.
    dtype : {"float64", "float32"}, default="float64"
        Type of numeric input. With "float32" a threshold is the largest float32 that is not
        above it, so that every float32 value goes the way it goes in the model.

    Returns
    -------
    onnx.ModelProto
        ``model.SerializeToString()`` is the file. Outputs are ``label`` (int64 or string)
        and ``probabilities`` (float32, in the order of ``classes_``).

    Notes
    -----
    If all columns hold numbers there is one input, ``X``, of shape (rows, features);
    categories that are numbers are given as they are. If a feature has categories of text,
    there is one input a column, of shape (rows, 1), under the feature's name; text is
    looked up in the graph. NaN is a missing value, and so is the empty string unless it is
    a category. Needs ``pip install riparian[onnx]``.
    """
    one_of("dtype", dtype, ["float64", "float32"])
    try:
        from onnx import TensorProto, helper
    except ImportError:
        raise ImportError("to_onnx needs onnx: pip install 'riparian[onnx]'") from None

    tree = plain_tree(model, leaf, "to_onnx")
    number = TensorProto.DOUBLE if dtype == "float64" else TensorProto.FLOAT
    texts = [is_text(feature, "ONNX") for feature in tree.features]
    asked = _equalities(tree)
    inputs, nodes, matrix = _inputs(tree, texts, number)
    constants: list[Any] = []
    if asked:
        values = [_value(tree, feature, code, texts[feature], dtype) for feature, code in asked]
        matrix = _add_equalities(nodes, constants, matrix, list(asked), values, number)
    nodes.append(
        helper.make_node(
            "TreeEnsembleClassifier",
            [matrix],
            ["riparian/code", "riparian/scores"],
            domain=_ML_DOMAIN,
            **_ensemble(tree, asked, texts, dtype),
        )
    )
    labels, kind = _labels(tree.classes)
    k = len(tree.classes)
    constants += [
        helper.make_tensor("riparian/labels", kind, [k], labels),
        helper.make_tensor("riparian/columns", TensorProto.INT64, [k], list(range(k))),
    ]
    scores, best = "riparian/scores", "riparian/best"
    nodes += [
        helper.make_node("ArgMax", [scores], [best], axis=1, keepdims=0),
        helper.make_node("Gather", ["riparian/labels", best], ["label"]),
        helper.make_node("Gather", [scores, "riparian/columns"], ["probabilities"], axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "riparian",
        inputs,
        [
            helper.make_tensor_value_info("label", kind, ["rows"]),
            helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["rows", k]),
        ],
        constants,
    )
    return helper.make_model(
        graph,
        producer_name="riparian",
        opset_imports=[helper.make_opsetid("", _ONNX), helper.make_opsetid(_ML_DOMAIN, _ML)],
        ir_version=_IR,
    )


def _inputs(
    tree: PlainTree, texts: Sequence[bool], number: int
) -> tuple[list[Any], list[Any], str]:
    """Inputs, the nodes that make one matrix of them, and its name."""
    from onnx import TensorProto, helper

    if not any(texts):
        width = len(tree.features)
        return [helper.make_tensor_value_info("X", number, ["rows", width])], [], "X"
    inputs, nodes, columns = [], [], []
    for i, (feature, text) in enumerate(zip(tree.features, texts, strict=True)):
        name = feature.label
        kind = TensorProto.STRING if text else number
        inputs.append(helper.make_tensor_value_info(name, kind, ["rows", 1]))
        if not text:
            columns.append(name)
            continue
        codes = {str(c): float(code) for code, c in enumerate(feature.categories)}
        codes.setdefault("", float("nan"))
        # Names of inner values must not meet those of columns.
        own = f"riparian/{i}"
        nodes.append(
            helper.make_node(
                "LabelEncoder",
                [name],
                [f"{own}/code"],
                domain=_ML_DOMAIN,
                keys_strings=list(codes),
                values_floats=list(codes.values()),
                default_float=_UNSEEN,
            )
        )
        nodes.append(helper.make_node("Cast", [f"{own}/code"], [f"{own}/number"], to=number))
        columns.append(f"{own}/number")
    names = [feature.label for feature in tree.features]
    for name in names:
        taken = name in ("", "label", "probabilities") or name.startswith("riparian/")
        if taken or names.count(name) > 1:
            raise ValueError(f"ONNX cannot have an input of the name {label_text(name)!r} here")
    nodes.append(helper.make_node("Concat", columns, ["riparian/matrix"], axis=1))
    return inputs, nodes, "riparian/matrix"


def _labels(classes: Sequence[Hashable]) -> tuple[list[Any], int]:
    """Labels as ONNX has them, and their type."""
    from onnx import TensorProto

    if all(isinstance(c, str) for c in classes):
        return [str(c).encode() for c in classes], TensorProto.STRING
    if all(isinstance(c, int) and -(2**63) <= c < 2**63 for c in classes):
        return [int(c) for c in classes], TensorProto.INT64  # type: ignore[call-overload]
    other = next(c for c in classes if not isinstance(c, str | int) or isinstance(c, str))
    raise ValueError(
        "the labels must be all text or all whole numbers below 2**63 for ONNX, "
        f"got {label_text(other)!r} among them"
    )


def _equalities(tree: PlainTree) -> dict[tuple[int, int], int]:
    """Feature and category of every test of one value, and the column that answers it."""
    nodes = np.flatnonzero(tree.test == ONE_VALUE).tolist()
    pairs = dict.fromkeys((int(tree.feature[n]), int(tree.category[n])) for n in nodes)
    return {pair: len(tree.features) + i for i, pair in enumerate(pairs)}


def _add_equalities(
    nodes: list[Any],
    constants: list[Any],
    matrix: str,
    asked: Sequence[tuple[int, int]],
    values: Sequence[float],
    number: int,
) -> str:
    """A wider matrix: for each test of one value a column with 1, 0, or NaN if it is missing.

    Thresholds on them do what BRANCH_EQ should: onnxruntime joins such nodes, wrongly for
    some values.
    """
    from onnx import TensorProto, helper

    own, n = "riparian/equal", len(asked)
    constants += [
        helper.make_tensor(
            f"{own}/features", TensorProto.INT64, [len(asked)], [f for f, _ in asked]
        ),
        helper.make_tensor(f"{own}/values", number, [n], values),
        helper.make_tensor(f"{own}/zero", number, [], [0.0]),
    ]
    nodes += [
        helper.make_node("Gather", [matrix, f"{own}/features"], [f"{own}/tested"], axis=1),
        helper.make_node("Equal", [f"{own}/tested", f"{own}/values"], [f"{own}/met"]),
        helper.make_node("Cast", [f"{own}/met"], [f"{own}/one"], to=number),
        # Nothing but NaN, and times 0 is 0.
        helper.make_node("Mul", [f"{own}/tested", f"{own}/zero"], [f"{own}/missing"]),
        helper.make_node("Add", [f"{own}/one", f"{own}/missing"], [f"{own}/columns"]),
        helper.make_node("Concat", [matrix, f"{own}/columns"], [f"{own}/matrix"], axis=1),
    ]
    return f"{own}/matrix"


def _ensemble(
    tree: PlainTree, asked: dict[tuple[int, int], int], texts: Sequence[bool], dtype: str
) -> dict[str, Any]:
    """Attributes of the operator, in which every test is one of thresholds."""
    from onnx import TensorProto, helper

    nodes = _Binary()
    place = {0: nodes.add()}  # node of the tree -> node of the operator
    # Parents stand before children, and nothing recurses: trees may be deep.
    for node in range(len(tree)):
        at, test = place[node], int(tree.test[node])
        if test == LEAF:
            nodes.answers.append((at, node))
            continue
        feature, heavy = int(tree.feature[node]), int(tree.heavy[node])
        children = tree.children[node]
        if test == THRESHOLD:
            value = _threshold(float(tree.threshold[node]), dtype)
            true, false = nodes.branch(at, feature, value, heavy == children[0][1])
            place[children[0][1]], place[children[1][1]] = true, false
        elif test == ONE_VALUE:
            column = asked[feature, int(tree.category[node])]
            true, false = nodes.branch(at, column, 0.5, heavy == children[1][1])
            place[children[1][1]], place[children[0][1]] = true, false
        else:
            _add_every_value(nodes, place, tree, node, texts[feature], dtype)

    shares = with_leader(tree.probabilities.astype(np.float32), tree.answer)
    class_nodes, class_ids, weights = [], [], []
    for at, node in nodes.answers:
        for c in np.flatnonzero(shares[node]).tolist():
            class_nodes.append(at)
            class_ids.append(c)
            weights.append(float(shares[node, c]))
    n = len(nodes.modes)
    found: dict[str, Any] = {
        "nodes_treeids": [0] * n,
        "nodes_nodeids": list(range(n)),
        "nodes_featureids": nodes.features,
        "nodes_modes": nodes.modes,
        "nodes_truenodeids": nodes.true,
        "nodes_falsenodeids": nodes.false,
        "nodes_missing_value_tracks_true": nodes.missing,
        "class_treeids": [0] * len(class_ids),
        "class_nodeids": class_nodes,
        "class_ids": class_ids,
        "classlabels_int64s": list(range(max(_LEAST_CLASSES, len(tree.classes)))),
        "post_transform": "NONE",
    }
    if dtype == "float64":
        for name, numbers in (("nodes_values", nodes.values), ("class_weights", weights)):
            tensor = helper.make_tensor(name, TensorProto.DOUBLE, [len(numbers)], numbers)
            found[f"{name}_as_tensor"] = tensor
    else:
        found["nodes_values"], found["class_weights"] = nodes.values, weights
    return found


def _add_every_value(
    nodes: _Binary, place: dict[int, int], tree: PlainTree, node: int, text: bool, dtype: str
) -> None:
    """Looks a value up among the branches of a node, by halves.

    Cells alternate: no branch, the first value, no branch, the second, and so on. Where
    there is no branch the node itself answers.
    """
    feature, heavy = int(tree.feature[node]), int(tree.heavy[node])
    values = sorted(
        (_value(tree, feature, code, text, dtype), child) for code, child in tree.children[node]
    )
    kind = np.float64 if dtype == "float64" else np.float32
    borders: list[float] = []
    cells: list[int] = [node]
    for value, child in values:
        borders += [float(np.nextafter(kind(value), kind(-np.inf))), value]
        cells += [child, node]
    missing = cells.index(heavy)
    waiting = [(place[node], 0, len(cells) - 1)]
    while waiting:
        at, first, last = waiting.pop()
        if first == last:
            if cells[first] == node:
                nodes.answers.append((at, node))
            else:
                place[cells[first]] = at
            continue
        middle = (first + last) // 2
        true, false = nodes.branch(at, feature, borders[middle], missing <= middle)
        waiting += [(true, first, middle), (false, middle + 1, last)]


class _Binary:
    """Nodes of the operator, as columns."""

    def __init__(self) -> None:
        self.features: list[int] = []
        self.modes: list[str] = []
        self.values: list[float] = []
        self.true: list[int] = []
        self.false: list[int] = []
        self.missing: list[int] = []
        self.answers: list[tuple[int, int]] = []  # (node of the operator, of the tree)

    def add(self) -> int:
        self.features.append(0)
        self.modes.append("LEAF")
        self.values.append(0.0)
        self.true.append(0)
        self.false.append(0)
        self.missing.append(0)
        return len(self.modes) - 1

    def branch(self, at: int, feature: int, value: float, missing: bool) -> tuple[int, int]:
        """Make a node the test ``x <= value``; gives its two new children, true and false."""
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


def _value(tree: PlainTree, feature: int, code: int, text: bool, dtype: str) -> float:
    """The number that stands for a category: its code if it is text, else itself."""
    if text:
        return float(code)
    found: Any = tree.features[feature].categories[code]
    kind = np.float64 if dtype == "float64" else np.float32
    with np.errstate(over="ignore"):
        exact = float(kind(found)) == found
    if not exact:
        name = label_text(tree.features[feature].label)
        raise ValueError(f"the category {found!r} of {name!r} is not a {dtype}")
    return float(found)
