"""Generators that label rows with a random decision tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from riparian.streams.generators.chunks import concept_numbers, numbered_stream, row_numbers
from riparian.streams.generators.parameters import check_count, check_fraction
from riparian.streams.stream import CHUNK_ROWS, Rows, Stream

__all__ = ["mdt_tree", "rand_cbt", "random_tree"]


def random_tree(
    *,
    n_features: int = 10,
    n_classes: int = 2,
    max_depth: int = 5,
    first_leaf_depth: int = 3,
    leaf_fraction: float = 0.15,
    noise: float = 0.0,
    seed: int = 0,
    n_rows: int | None = None,
) -> Stream:
    """Generate uniform rows labelled by a random decision tree.

    From `first_leaf_depth` on, each node is a leaf with probability `leaf_fraction`. All nodes at
    `max_depth` are leaves. An inner node has a threshold of a random feature, within the range that
    reaches the node and away from its ends. The classes are assigned to the leaves evenly, in
    random order.

    Parameters
    ----------
    n_features, n_classes : int
        Number of features and classes.
    max_depth : int, default=5
        Depth of the tree, at most 20.
    first_leaf_depth : int, default=3
        Smallest depth of a leaf.
    leaf_fraction : float, default=0.15
        Probability that a node below this depth is a leaf.
    noise : float, default=0.0
        Fraction of rows whose class is drawn at random.
    seed : int, default=0
        Random seed.
    n_rows : int, optional
        Number of rows. By default the stream is endless.

    Returns
    -------
    stream : Stream
        The stream.

    References
    ----------
    .. [1] P. Domingos, G. Hulten. Mining high-speed data streams. KDD 2000, pp. 71-80, section 4.1.

    Examples
    --------
    >>> X, y = random_tree(seed=1).take(1000)
    >>> X.shape, bool(0 <= X.min() and X.max() < 1)
    ((1000, 10), True)
    """
    check_count("n_features", n_features)
    check_count("n_classes", n_classes, least=2)
    check_count("max_depth", max_depth)
    if max_depth > 20:
        raise ValueError(f"max_depth must be at most 20, got {max_depth}")
    check_count("first_leaf_depth", first_leaf_depth)
    check_fraction("leaf_fraction", leaf_fraction)
    check_fraction("noise", noise)
    rng = concept_numbers(seed)

    # Node i has the children 2i + 1 and 2i + 2. A leaf above max_depth passes its class on to all
    # nodes below it, so that every row takes exactly max_depth steps.
    n_inner = 2**max_depth - 1
    features = rng.integers(n_features, size=n_inner)
    shares = rng.uniform(0.2, 0.8, size=n_inner)
    ends = rng.random(n_inner) < leaf_fraction
    thresholds = np.empty(n_inner)
    low = {0: np.zeros(n_features)}
    high = {0: np.ones(n_features)}
    owner = np.arange(2 * n_inner + 1)
    for node in range(n_inner):
        left, right = 2 * node + 1, 2 * node + 2
        low[left], low[right] = low[node], low[node].copy()
        high[right], high[left] = high[node], high[node].copy()
        feature = features[node]
        a, b = low[left][feature], high[right][feature]
        thresholds[node] = a + (b - a) * shares[node]
        high[left][feature] = low[right][feature] = thresholds[node]
        depth = (node + 1).bit_length() - 1
        if owner[node] != node or (depth >= first_leaf_depth and ends[node]):
            owner[left] = owner[right] = owner[node]
    leaves = np.unique(owner[n_inner:])
    label_of = np.empty(2 * n_inner + 1, dtype=np.int64)
    label_of[leaves] = rng.permutation(np.arange(len(leaves)) % n_classes)
    labels = label_of[owner[n_inner:]]

    def make_chunk(number: int) -> Rows:
        rng = row_numbers(seed, number)
        X = rng.random((CHUNK_ROWS, n_features))
        y = labels[_ends(X, features, thresholds, max_depth)]
        wrong = rng.random(CHUNK_ROWS) < noise
        return X, np.where(wrong, rng.integers(n_classes, size=CHUNK_ROWS), y)

    return numbered_stream(n_features, n_classes, n_rows, make_chunk)


def mdt_tree(
    *,
    n_features: int = 10,
    n_classes: int = 2,
    min_height: int = 3,
    max_height: int = 10,
    leaf_fraction: float = 0.15,
    seed: int = 0,
    n_rows: int | None = None,
) -> Stream:
    """Generate uniform rows labelled by the random tree of the mDT paper.

    A node at a depth of at least `min_height` is a leaf with probability `leaf_fraction`, and every
    node at `max_height` is a leaf. Thresholds are uniform from 0 to 1 and do not depend on the
    tests above them, so some leaves are never reached. The class of a leaf is drawn at random.

    Parameters
    ----------
    n_features, n_classes : int
        Number of features and classes.
    min_height : int, default=3
        Smallest depth of a leaf.
    max_height : int, default=10
        Depth of the tree, at most 20.
    leaf_fraction : float, default=0.15
        Probability that a node is a leaf. The paper uses 0.1, 0.15, 0.2 and 0.25.
    seed : int, default=0
        Random seed.
    n_rows : int, optional
        Number of rows. By default the stream is endless.

    Returns
    -------
    stream : Stream
        The stream.

    References
    ----------
    .. [1] M. Mirkhan, M. Amir Haeri, M. R. Meybodi. Analytical split value calculation for
       numerical attributes in Hoeffding trees with misclassification-based impurity.
       Annals of Data Science 8, 2021, table 2; the rules are those of the released generator.

    Examples
    --------
    >>> X, y = mdt_tree(n_features=4, seed=1).take(1000)
    >>> X.shape, sorted(set(y.tolist()))
    ((1000, 4), [0, 1])
    """
    check_count("n_features", n_features)
    check_count("n_classes", n_classes, least=2)
    check_count("min_height", min_height)
    check_count("max_height", max_height, least=min_height)
    if max_height > 20:
        raise ValueError(f"max_height must be at most 20, got {max_height}")
    check_fraction("leaf_fraction", leaf_fraction)
    rng = concept_numbers(seed)
    n_inner = 2**max_height - 1
    features = rng.integers(n_features, size=n_inner)
    thresholds = rng.random(n_inner)
    ends = rng.random(n_inner) < leaf_fraction
    label_of = rng.integers(n_classes, size=2 * n_inner + 1)
    for node in range(n_inner):
        height = (node + 1).bit_length() - 1
        if height >= min_height and ends[node]:
            # Pass the class on: all nodes below a leaf belong to it.
            ends[_children(node, n_inner)] = True
            label_of[2 * node + 1] = label_of[2 * node + 2] = label_of[node]
    labels = label_of[n_inner:]

    def make_chunk(number: int) -> Rows:
        X = row_numbers(seed, number).random((CHUNK_ROWS, n_features))
        return X, labels[_ends(X, features, thresholds, max_height)]

    return numbered_stream(n_features, n_classes, n_rows, make_chunk)


def rand_cbt(
    *,
    n_features: int = 5,
    n_leaves: int = 50,
    leaf_probability: float = 0.7,
    seed: int = 0,
    n_rows: int | None = None,
) -> Stream:
    r"""Generate RandCBT of the C-Tree paper: uniform rows in the leaves of a random tree.

    The leaves of a node are divided at random between its two sides. The cut is uniform within the
    box of the node. Each row is uniform in the box of a leaf, and all leaves are equally likely.
    Its class is 1 with probability `leaf_probability` if the leaf is a left child, and otherwise
    with probability ``1 - leaf_probability``. For probabilities of at least 0.5 this is also the
    best possible accuracy.

    Parameters
    ----------
    n_features : int, default=5
        Number of features.
    n_leaves : int, default=50
        Number of leaves.
    leaf_probability : float, default=0.7
        Probability of class 1 in a left child.
    seed : int, default=0
        Random seed. It also determines the tree.
    n_rows : int, optional
        Number of rows. By default the stream is endless.

    Returns
    -------
    stream : Stream
        The stream.

    Notes
    -----
    *Differs from the paper*: there each leaf has 10,000 rows in an order that is not stated; here
    the rows of all leaves are mixed. The number of leaves of the right side follows algorithm 2,
    because the formula in the text loses a leaf at each cut. The root of a tree with one leaf
    counts as a left child.

    References
    ----------
    .. [1] R. De Rosa, N. Cesa-Bianchi. Splitting with confidence in decision trees with
       application to stream mining. IJCNN 2015, algorithm 2 and figure 2.

    Examples
    --------
    >>> X, y = rand_cbt(seed=1).take(1000)
    >>> X.shape, bool(0 <= X.min() and X.max() < 1)
    ((1000, 5), True)
    """
    check_count("n_features", n_features)
    check_count("n_leaves", n_leaves)
    check_fraction("leaf_probability", leaf_probability)
    rng = concept_numbers(seed)
    low: list[NDArray[np.float64]] = []
    high: list[NDArray[np.float64]] = []
    left_side: list[bool] = []
    todo = [(np.zeros(n_features), np.ones(n_features), n_leaves, True)]
    while todo:
        a, b, leaves, is_left = todo.pop()
        if leaves == 1:
            low.append(a)
            high.append(b)
            left_side.append(is_left)
            continue
        left = max(1, int(leaves * rng.random()))
        feature = rng.integers(n_features)
        cut = rng.uniform(a[feature], b[feature])
        end, start = b.copy(), a.copy()
        end[feature] = start[feature] = cut
        todo.append((start, b, leaves - left, False))
        todo.append((a, end, left, True))
    lows, widths = np.array(low), np.array(high) - np.array(low)
    positive = np.where(left_side, leaf_probability, 1.0 - leaf_probability)

    def make_chunk(number: int) -> Rows:
        rng = row_numbers(seed, number)
        leaf = rng.integers(n_leaves, size=CHUNK_ROWS)
        X = lows[leaf] + widths[leaf] * rng.random((CHUNK_ROWS, n_features))
        return X, (rng.random(CHUNK_ROWS) < positive[leaf]).astype(np.int64)

    return numbered_stream(n_features, 2, n_rows, make_chunk)


def _children(node: int, n_inner: int) -> list[int]:
    return [child for child in (2 * node + 1, 2 * node + 2) if child < n_inner]


def _ends(
    X: NDArray[np.float64],
    features: NDArray[np.int64],
    thresholds: NDArray[np.float64],
    depth: int,
) -> NDArray[np.int64]:
    """Return the index of the lowest node that each row reaches; node i has 2i + 1 and 2i + 2."""
    values = X.ravel()
    first = np.arange(len(X)) * X.shape[1]
    node = np.zeros(len(X), dtype=np.int64)
    for _ in range(depth):
        node = 2 * node + 1 + (values[first + features[node]] > thresholds[node])
    return node - len(features)
