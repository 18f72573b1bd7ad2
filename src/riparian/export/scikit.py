"""Trees as a DecisionTreeClassifier of scikit-learn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.tree import DecisionTreeClassifier
from sklearn.tree._tree import Tree

from riparian.export.plain import LEAF, THRESHOLD, Allowed, PlainTree, with_leader
from riparian.labels import label_array
from riparian.structure import Structure
from riparian.wording import label_text

if TYPE_CHECKING:
    from riparian.tree_model import TreeModel

__all__ = ["to_sklearn"]


def to_sklearn(
    model: TreeModel[Any], *, leaf: str | None = None, missing: str | None = None
) -> DecisionTreeClassifier:
    """The tree as a fitted DecisionTreeClassifier with the same predictions.

    Parameters
    ----------
    model : TreeModel
        A model that has learned.
    leaf : {"majority"} or None, default=None
        "majority" reads the leaves of any model as majority leaves; None refuses a model
        with others.
    missing : {"fails"} or None, default=None
        As in :func:`riparian.export.to_onnx`.

    Returns
    -------
    DecisionTreeClassifier
        A copy of the tree as it is now. ``predict``, ``predict_proba``, ``apply``,
        ``decision_path`` and scikit-learn's ``export_text`` and ``plot_tree`` work. Its
        ``classes_`` are in the order of the model's, and its node ids are the model's.

    Notes
    -----
    scikit-learn rounds X to float32 before it compares it with a threshold. Thresholds are
    taken over unchanged, so the predictions are the same for every row that float32 can hold;
    a float64 value may fall on the other side of a threshold within its rounding.
    ``n_node_samples`` counts the examples that reached a node; its ``impurity`` is the Gini
    index of what the node predicts with.
    """
    tree = model._plain(Allowed(leaf, missing), "to_sklearn")
    if tree.cheapest:
        raise ValueError(
            "to_sklearn cannot express costs: scikit-learn's trees predict the most likely class; "
            "to_onnx and to_code can"
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
    found.tree_ = _inner(tree, _reached(model, len(tree)))
    return found


def _refuse_categories(tree: PlainTree) -> None:
    other = np.flatnonzero((tree.test != LEAF) & (tree.test != THRESHOLD))
    if other.size:
        feature = tree.features[int(tree.feature[other[0]])]
        raise ValueError(
            f"node {other[0]} tests the categories of {label_text(feature.label)!r}, and "
            "scikit-learn's trees test numbers only; to_onnx and to_code accept categories"
        )


def _reached(model: TreeModel[Any], n: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Weights of the nodes; of a tree that was seeded and has learned nothing, the seed's."""
    structure = Structure.of(model)
    learned = sum(structure[0].reached) > 0.0
    return np.array([sum(s.reached if learned else s.answer) for s in structure][:n])


def _inner(tree: PlainTree, reached: Any) -> Tree:
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
    nodes["n_node_samples"] = np.rint(reached)
    nodes["weighted_n_node_samples"] = reached
    nodes["missing_go_to_left"] = ~is_leaf & (tree.heavy == left)
    depth = np.zeros(n, dtype=np.intp)
    for node, branches in enumerate(tree.children):
        for _, child in branches:
            depth[child] = depth[node] + 1
    values = with_leader(tree.probabilities, tree.answer)
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
    """The type of a node in the scikit-learn that is installed."""
    return inner.__getstate__()["nodes"].dtype
