"""Streaming trees that begin as a batch tree of scikit-learn."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.data.columns import Numbers
from riparian.data.costs import cost_matrix
from riparian.data.labels import read_labels
from riparian.data.schema import Feature, Schema
from riparian.data.table import read_table, refuse_uncertain
from riparian.data.values import Name
from riparian.impurities import gain
from riparian.models.settings import check_settings
from riparian.policies import Policy
from riparian.policies.callables import check_impurity
from riparian.policies.parameter import whole

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

__all__ = [
    "Batch",
    "Start",
    "fit_pruned",
    "read_batch",
    "seeded_engine",
    "start_from",
    "threshold_of_doubles",
]

Doubles = NDArray[np.float64]

#: The largest threshold that a model may hold. scikit-learn writes infinity where only missing
#: values take the other branch.
_LARGEST = 2.0**450
#: Most alphas that are tried for pruning.
_MOST_ALPHAS = 20


@dataclass(frozen=True)
class Batch:
    """Rows of numbers, the names of their columns if they have some, and their labels."""

    matrix: Doubles
    names: list[Name] | None
    labels: NDArray[Any]

    def before(self, row: int) -> Batch:
        """Return the rows before `row`."""
        return Batch(self.matrix[:row], self.names, self.labels[:row])

    def after(self, row: int) -> tuple[Any, NDArray[Any]]:
        """Return X and y from `row` on, as a model learns them."""
        matrix = self.matrix[row:]
        if self.names is None:
            return matrix, self.labels[row:]
        columns = {name: matrix[:, i] for i, name in enumerate(self.names)}
        return columns, self.labels[row:]


@dataclass(frozen=True)
class Start:
    """What a streaming tree begins with."""

    engine: _core.Engine
    schema: Schema
    #: X and y of the rows that are learned next, or None.
    rest: tuple[Any, NDArray[Any]] | None


def start_from(
    tree: Any, X: Any, y: Any, seed_size: int | None, axes: Mapping[str, Any], owner: str
) -> Start:
    """Return the start of a tree; see :meth:`riparian.HoeffdingTree.from_sklearn`."""
    if (X is None) != (y is None):
        raise ValueError("X and y belong together: give both or neither")
    batch = None if X is None else read_batch(X, y)
    rest = None
    if tree is None:
        if batch is None:
            raise ValueError("tree=None needs X and y, to which a tree is fitted")
        if seed_size is not None:
            batch, rest = _divided(batch, seed_size)
        tree = fit_pruned(batch, axes["impurity"])
    elif seed_size is not None:
        raise ValueError("seed_size needs tree=None; this tree is already fitted")
    return Start(*seeded_engine(tree, batch, axes, owner), rest)


def _divided(batch: Batch, seed_size: int) -> tuple[Batch, tuple[Any, NDArray[Any]] | None]:
    """Return the first rows of a batch, and the others if there are any."""
    rows = len(batch.labels)
    size = whole("seed_size", seed_size, 1, rows)
    return batch.before(size), batch.after(size) if size < rows else None


def read_batch(X: Any, y: Any) -> Batch:
    """Read rows for a batch tree, which accepts only numbers."""
    table = read_table(X)
    refuse_uncertain(table, "a batch tree")
    if table.n_rows == 0 or not table.columns:
        raise ValueError(
            f"a batch tree needs rows and features, got {table.n_rows} and {len(table.columns)}"
        )
    names: list[Name] = list(range(len(table.columns))) if table.names is None else table.names
    values = []
    for name, column in zip(names, table.columns, strict=True):
        label = name if isinstance(name, str) else f"x{name}"
        if not isinstance(column, Numbers):
            raise ValueError(
                f"column {label!r} holds categories, but a batch tree of scikit-learn tests only "
                "numbers; encode the column, or learn it as a stream from the first row"
            )
        values.append(np.asarray(column.values, dtype=np.float64))
        with np.errstate(over="ignore"):
            infinite = np.isinf(values[-1].astype(np.float32))
        if infinite.any():
            row = int(np.argmax(infinite))
            raise ValueError(
                f"column {label!r}, row {row}: {values[-1][row]:g} is too large for scikit-learn, "
                "which works in float32"
            )
    matrix = np.ascontiguousarray(np.stack(values, axis=1))
    return Batch(matrix, table.names, read_labels(y, table.n_rows))


def fit_pruned(batch: Batch, impurity: Any) -> DecisionTreeClassifier:
    """Fit a batch tree and prune it hard.

    Every third row is held out. Of the trees on the path of cost-complexity pruning the smallest is
    chosen whose error on these rows is within two standard errors of the least; a tree with the
    same alpha is then fitted to all rows. CART uses one standard error [breiman1984, sec. 3.4.3].
    Two are used here because a wrong split of the seed is never revised, while a missing one is
    found by the stream.
    """
    # Not above: the registry imports every module, and this takes a sixth of all imports.
    from sklearn.tree import DecisionTreeClassifier

    name = impurity.name if isinstance(impurity, Policy) else ""
    criterion = name if name in ("entropy", "gini") else "gini"
    X, y = batch.matrix, batch.labels
    held = np.arange(len(y)) % 3 == 2
    alpha = 0.0
    if held.any():
        grown = DecisionTreeClassifier(criterion=criterion, random_state=0)
        alphas = np.unique(
            np.maximum(grown.cost_complexity_pruning_path(X[~held], y[~held])["ccp_alphas"], 0.0)
        )
        chosen = np.linspace(0, len(alphas) - 1, min(len(alphas), _MOST_ALPHAS)).round()
        alphas = alphas[chosen.astype(int)]
        errors = []
        for a in alphas:
            tree = DecisionTreeClassifier(criterion=criterion, random_state=0, ccp_alpha=a)
            tree.fit(X[~held], y[~held])
            errors.append(float(np.mean(tree.predict(X[held]) != y[held])))
        least = min(errors)
        within = least + 2.0 * np.sqrt(least * (1.0 - least) / held.sum())
        alpha = float(max(a for a, e in zip(alphas, errors, strict=True) if e <= within))
    tree = DecisionTreeClassifier(criterion=criterion, random_state=0, ccp_alpha=alpha)
    return tree.fit(X, y)


def seeded_engine(
    tree: Any, batch: Batch | None, axes: Mapping[str, Any], owner: str
) -> tuple[_core.Engine, Schema]:
    """Make an engine and a schema that begin as `tree`.

    Parameters
    ----------
    tree : DecisionTreeClassifier
        Fitted, with one output.
    batch : Batch or None
        Rows whose class counts become the priors; None uses those that the tree was fitted with.
    axes : mapping
        All parameters of the streaming tree.
    owner : str
        The name of the model in errors of the schema.
    """
    _check_tree(tree)
    settings = check_settings(axes)
    schema = Schema(owner)
    for name in _names(tree, batch):
        schema.add_feature(Feature(name, "numeric"))
    _refuse_categorical(axes["categorical_features"], schema)
    schema.add_classes(_labels(np.asarray(tree.classes_)))
    counts = _own_counts(tree)
    if batch is not None:
        counts = _counts_of(tree, batch, schema, counts)
    inner = tree.tree_
    depth, leaves = int(inner.max_depth), int(inner.n_leaves)
    for limit, found in (("max_depth", depth), ("max_leaves", leaves)):
        if settings[limit] is not None and found > settings[limit]:
            raise ValueError(f"{limit} is {settings[limit]}, but the batch tree has {found}")
    engine = _core.Engine(settings)
    engine.add_features([False] * len(schema.features))
    engine.declare_classes(len(schema.classes))
    costs = None
    if axes["costs"] is not None:
        costs = cost_matrix(axes["costs"], schema.classes)
        engine.set_costs(costs)
    engine.seed(
        left=inner.children_left.astype(np.int32),
        right=inner.children_right.astype(np.int32),
        feature=inner.feature.astype(np.int32),
        threshold=threshold_of_doubles(inner.threshold),
        category=np.full(len(inner.feature), -1, dtype=np.int32),
        missing_left=inner.missing_go_to_left.astype(np.uint8),
        weight=_weights(tree),
        gain=_gains(tree, counts, axes["impurity"], costs),
        counts=np.ascontiguousarray(counts).ravel(),
        categories=np.zeros(len(schema.features), dtype=np.int32),
    )
    return engine, schema


def threshold_of_doubles(threshold: Doubles) -> Doubles:
    """Return thresholds for float64 values that send them where scikit-learn sends them.

    scikit-learn rounds a value to float32 and compares that with its threshold. Rounding keeps the
    order, so the values that it sends to the left are all values up to some float64: the middle
    between two float32 numbers, or the number before it if the middle rounds upwards.

    Examples
    --------
    >>> import numpy as np
    >>> t = np.array([0.1])
    >>> found = threshold_of_doubles(t)
    >>> x = np.concatenate([found, np.nextafter(found, 1.0)])
    >>> (x <= found).tolist(), (x.astype(np.float32) <= t).tolist()
    ([True, False], [True, False])
    """
    up, down = np.float32(np.inf), np.float32(-np.inf)
    with np.errstate(over="ignore"):
        below = np.asarray(threshold, dtype=np.float64).astype(np.float32)
        below = np.where(below > threshold, np.nextafter(below, down), below)
        middle = 0.5 * (below.astype(np.float64) + np.nextafter(below, up).astype(np.float64))
    even = below.view(np.uint32) % 2 == 0
    found = np.where(even, middle, np.nextafter(middle, -np.inf))
    return np.clip(found, -_LARGEST, _LARGEST)


def _check_tree(tree: Any) -> None:
    from sklearn.tree import DecisionTreeClassifier
    from sklearn.utils.validation import check_is_fitted

    if not isinstance(tree, DecisionTreeClassifier):
        raise TypeError(
            f"tree must be a DecisionTreeClassifier of scikit-learn, got {type(tree).__name__}"
        )
    check_is_fitted(tree)
    if tree.n_outputs_ != 1:
        raise ValueError(f"tree must have one output, got {tree.n_outputs_}")


def _names(tree: Any, batch: Batch | None) -> list[Name]:
    own = getattr(tree, "feature_names_in_", None)
    n = int(tree.n_features_in_)
    if own is not None:
        return [str(name) for name in own]
    return list(range(n)) if batch is None or batch.names is None else batch.names


def _labels(classes: NDArray[Any]) -> list[Hashable]:
    return read_labels(classes, len(classes)).tolist()  # type: ignore[no-any-return]


def _refuse_categorical(categorical: Any, schema: Schema) -> None:
    if categorical is None or (isinstance(categorical, str) and categorical == "from_dtype"):
        return
    entries = [e.item() if isinstance(e, np.generic) else e for e in categorical]
    mask = bool(entries) and all(isinstance(e, bool) for e in entries)
    if any(entries) if mask else any(e in schema.index or isinstance(e, int) for e in entries):
        raise ValueError(
            "categorical_features must not name a feature of the batch tree, which tests numbers, "
            f"got {categorical!r}"
        )


def _weights(tree: Any) -> Doubles:
    """Return the weights of the nodes; 1 for a node without examples, such as a new leaf."""
    weights = tree.tree_.weighted_n_node_samples
    return np.where(weights > 0.0, weights, 1.0)


def _own_counts(tree: Any) -> Doubles:
    """Return the class weights of the nodes; the tree itself holds shares."""
    counts: Doubles = tree.tree_.value[:, 0, :] * _weights(tree)[:, None]
    rounded = np.rint(counts)
    exact = np.abs(counts - rounded) <= 1e-9 * np.maximum(rounded, 1.0)
    return np.where(exact, rounded, counts)


def _counts_of(tree: Any, batch: Batch, schema: Schema, own: Doubles) -> Doubles:
    """Return the class counts of the rows at each node; those of the tree where no row came."""
    n = int(tree.n_features_in_)
    matrix = batch.matrix
    fitted = getattr(tree, "feature_names_in_", None)
    if fitted is not None and batch.names is not None:
        places = {name: place for place, name in enumerate(batch.names)}
        absent = [name for name in fitted if name not in places]
        if absent:
            raise ValueError(f"X lacks the column {absent[0]!r}, which the tree was fitted with")
        matrix = matrix[:, [places[name] for name in fitted]]
    elif matrix.shape[1] != n:
        raise ValueError(f"X has {matrix.shape[1]} features, but the tree was fitted with {n}")
    labels = _labels(batch.labels)
    schema.add_classes(dict.fromkeys(labels))
    codes = np.array([schema.class_codes[label] for label in labels], dtype=np.intp)
    inner = tree.tree_
    wide = np.zeros((inner.node_count, len(schema.classes)))
    wide[:, : own.shape[1]] = own
    counts = np.zeros_like(wide)
    np.add.at(counts, (inner.apply(matrix.astype(np.float32)), codes), 1.0)
    left, right = inner.children_left, inner.children_right
    order = [0]
    for node in order:
        if left[node] >= 0:
            order += [int(left[node]), int(right[node])]
    for node in reversed(order):
        if left[node] >= 0:
            counts[node] = counts[left[node]] + counts[right[node]]
    return np.where(counts.sum(axis=1, keepdims=True) > 0.0, counts, wide)


def _gains(tree: Any, counts: Doubles, impurity: Any, costs: Doubles | None) -> Doubles:
    """Return the gains of the splits by the impurity of the streaming tree; 0 at leaves."""
    left, right = tree.tree_.children_left, tree.tree_.children_right
    inner = left >= 0
    gains = np.zeros(len(left))
    if not inner.any():
        return gains
    table = np.stack([counts[left[inner]], counts[right[inner]]], axis=1)
    if callable(impurity):
        ask = check_impurity(impurity)
        before = table.sum(axis=1, keepdims=True)
        shares = table.sum(axis=2) / np.maximum(before.sum(axis=2), 1e-300)
        gains[inner] = ask(before)[:, 0] - (shares * ask(table)).sum(axis=1)
    else:
        name = "misclassification" if impurity.name == "hybrid" else impurity.name
        gains[inner] = gain(table, name, costs)
    return gains
