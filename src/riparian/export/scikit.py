"""Export of trees to scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier
from sklearn.tree._tree import Tree

from riparian.data.formatting import label_text
from riparian.data.labels import label_array
from riparian.export.allowed import Allowed
from riparian.export.plain import LEAF, THRESHOLD, PlainTree, with_leader

if TYPE_CHECKING:
    from riparian.models.tree_model import TreeModel

__all__ = ["to_sklearn"]


def to_sklearn(
    model: TreeModel[Any], *, leaf: str | None = None, missing: str | None = None
) -> DecisionTreeClassifier:
    """Return the tree as a fitted DecisionTreeClassifier with the same predictions.

    Parameters
    ----------
    model : TreeModel
        A fitted model.
    leaf : {"majority"} or None, default=None
        "majority" exports every leaf as a majority leaf. By default a model with other leaf
        predictors is refused.
    missing : {"fails"} or None, default=None
        As for :func:`riparian.export.to_onnx`.

    Returns
    -------
    tree : DecisionTreeClassifier
        A copy of the current tree. ``predict``, ``predict_proba``, ``apply``, ``decision_path``
        and scikit-learn's ``export_text`` and ``plot_tree`` work. The order of ``classes_`` and the
        node ids are those of the model.

    Raises
    ------
    ValueError
        If scikit-learn cannot express the tree: with costs, or with tests of categories.

    Notes
    -----
    scikit-learn rounds X to float32 before it compares it with a threshold, but the thresholds are
    not rounded. The predictions are the same for all float32 values. A float64 value that is very
    close to a threshold may take the other branch.

    ``weighted_n_node_samples`` of a leaf is the class weight that it predicts with: of the examples
    that it has seen, and of those that the split above estimated. That of an inner node is the sum
    over its children, which SHAP's ``TreeExplainer`` requires. ``n_node_samples`` is the same in
    whole numbers. ``impurity`` is the Gini index of the class weights that the node predicts with.
    """
    tree = model._plain(Allowed(leaf, missing, formulas=False), "to_sklearn")
    if tree.cheapest:
        raise ValueError(
            "to_sklearn cannot express costs, because scikit-learn's trees predict the most likely "
            "class; use to_onnx or to_code"
        )
    _refuse_categories(tree)
    found = DecisionTreeClassifier()
    found.n_features_in_ = len(tree.features)
    found.max_features_ = len(tree.features)
    names = [f.name for f in tree.features]
    if names and all(isinstance(name, str) for name in names):
        found.feature_names_in_ = np.array(names, dtype=object)
    found.n_outputs_ = 1
    found.classes_ = label_array(tree.classes)
    found.n_classes_ = np.intp(len(tree.classes))
    found.tree_ = _inner(tree, tree.weights)
    return found


def _refuse_categories(tree: PlainTree) -> None:
    other = np.flatnonzero((tree.test != LEAF) & (tree.test != THRESHOLD))
    if other.size:
        feature = tree.features[int(tree.feature[other[0]])]
        raise ValueError(
            f"to_sklearn cannot express node {other[0]}, which tests the categories of "
            f"{label_text(feature.label)!r}; scikit-learn's trees test only numbers; use to_onnx "
            "or to_code"
        )


def _node_weights(tree: PlainTree, own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weight of each node. That of a parent is the sum over its children.

    The weight of a leaf is its own. If all leaves below a node are empty, they share its weight.
    """
    weights = np.where(tree.test == LEAF, own, 0.0)
    for node in reversed(range(len(tree))):
        children = [child for _, child in tree.children[node]]
        if children:
            weights[node] = weights[children].sum() or own[node]
    for node in range(len(tree)):
        children = [child for _, child in tree.children[node]]
        if children and not weights[children].any():
            weights[children] = weights[node] / len(children)
    return weights


def _inner(tree: PlainTree, own: NDArray[np.float64]) -> Tree:
    n, k = len(tree), len(tree.classes)
    inner = Tree(len(tree.features), np.array([k], dtype=np.intp), 1)
    nodes = np.zeros(n, dtype=_node_type(inner))
    is_leaf = tree.test == LEAF
    left = np.array([c[0][1] if c else -1 for c in tree.children], dtype=np.intp)
    nodes["left_child"] = left
    nodes["right_child"] = np.where(is_leaf, -1, left + 1)
    nodes["feature"] = np.where(is_leaf, -2, tree.feature)
    nodes["threshold"] = np.where(is_leaf, -2.0, tree.threshold)
    nodes["impurity"] = 1.0 - (tree.probabilities**2).sum(axis=1)
    weights = _node_weights(tree, own)
    nodes["n_node_samples"] = _node_weights(tree, np.rint(weights))
    nodes["weighted_n_node_samples"] = weights
    nodes["missing_go_to_left"] = ~is_leaf & (tree.heavy == left)
    depth = np.zeros(n, dtype=np.intp)
    for node, branches in enumerate(tree.children):
        for _, child in branches:
            depth[child] = depth[node] + 1
    values = with_leader(tree.probabilities, tree.prediction)
    inner.__setstate__(
        {
            "max_depth": int(depth.max()),
            "node_count": n,
            "nodes": nodes,
            "values": np.ascontiguousarray(values.reshape(n, 1, k)),
        }
    )
    return inner


def _node_type(inner: Tree) -> Any:
    """Return the node dtype of the installed scikit-learn."""
    return inner.__getstate__()["nodes"].dtype
