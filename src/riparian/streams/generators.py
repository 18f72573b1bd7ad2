"""The synthetic streams of the literature, vectorised and the same for every block size.

Each function gives a `Stream`. Two streams with the same parameters are equal row by row; another
seed is another concept and other rows. The rows are our own: they share the generators'
definitions with other libraries, not their random numbers.
"""

from __future__ import annotations

import numpy as np

from riparian.streams._chunks import (
    between_walls,
    concept_numbers,
    directions,
    numbered_stream,
    row_numbers,
    row_positions,
)
from riparian.streams._parameters import (
    check_count,
    check_fraction,
    check_not_negative,
    check_seed,
)
from riparian.streams.stream import CHUNK_ROWS, Rows, Stream

__all__ = ["hyperplane", "led", "random_rbf", "random_tree", "sea", "wide"]

# Street and Kim (2001): a row is of the first class if x0 + x1 <= theta, block by block.
SEA_THETA = (8.0, 9.0, 7.0, 9.5)

# The segments of each digit: top, upper left, upper right, middle, lower left, lower right, bottom.
LED_SEGMENTS = np.array(
    [
        [1, 1, 1, 0, 1, 1, 1],
        [0, 0, 1, 0, 0, 1, 0],
        [1, 0, 1, 1, 1, 0, 1],
        [1, 0, 1, 1, 0, 1, 1],
        [0, 1, 1, 1, 0, 1, 0],
        [1, 1, 0, 1, 0, 1, 1],
        [1, 1, 0, 1, 1, 1, 1],
        [1, 0, 1, 0, 0, 1, 0],
        [1, 1, 1, 1, 1, 1, 1],
        [1, 1, 1, 1, 0, 1, 1],
    ],
    dtype=np.uint8,
)
LED_IRRELEVANT = 17


def random_rbf(
    *,
    n_features: int = 10,
    n_classes: int = 5,
    n_centroids: int = 50,
    speed: float = 0.0,
    seed: int = 0,
    n_rows: int | None = None,
) -> Stream:
    """Clouds around random centroids, each of one class.

    A centroid has a place in the unit cube, a class, a weight and a spread. A row picks a
    centroid by weight and lies in a random direction from it, at a normal distance times the
    spread.

    Parameters
    ----------
    n_features, n_classes, n_centroids : int
        At least one centroid a class is needed; classes are dealt out in turn.
    speed : float, default=0.0
        How far each centroid goes in one row; it turns back at the walls of the cube.
        0 is a stream without drift.
    seed : int, default=0
    n_rows : int, optional
        None is endless.

    References
    ----------
    .. [1] A. Bifet, G. Holmes, B. Pfahringer, R. Kirkby, R. Gavalda. New ensemble methods for
       evolving data streams. KDD 2009, pp. 139-148, section 4.

    Examples
    --------
    >>> X, y = random_rbf(seed=1).take(1000)
    >>> X.shape, sorted(set(y.tolist()))
    ((1000, 10), [0, 1, 2, 3, 4])
    """
    check_count("n_features", n_features)
    check_count("n_classes", n_classes, least=2)
    check_count("n_centroids", n_centroids, least=n_classes)
    check_not_negative("speed", speed)
    rng = concept_numbers(seed)
    centres = rng.random((n_centroids, n_features))
    spreads = rng.random(n_centroids)
    cumulated = np.cumsum(rng.random(n_centroids))
    headings = directions(rng, n_centroids, n_features)
    labels = np.arange(n_centroids) % n_classes

    def make_chunk(number: int) -> Rows:
        rng = row_numbers(seed, number)
        which = np.searchsorted(cumulated, rng.random(CHUNK_ROWS) * cumulated[-1], side="right")
        X = directions(rng, CHUNK_ROWS, n_features)
        X *= (rng.standard_normal(CHUNK_ROWS) * spreads[which])[:, None]
        if speed:
            travelled = speed * row_positions(number)
            X += between_walls(centres[which] + headings[which] * travelled[:, None])
        else:
            X += centres[which]
        return X, labels[which]

    return numbered_stream(n_features, n_classes, n_rows, make_chunk)


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
    """Uniform rows that a random decision tree labels.

    From `first_leaf_depth` on, each node is a leaf with probability `leaf_fraction`; all are at
    `max_depth`. An inner node cuts a random feature within the part of its range that reaches the
    node, away from the ends. Leaves get the classes in turn, in random order.

    Parameters
    ----------
    n_features, n_classes : int
    max_depth : int, default=5
        At most 20.
    first_leaf_depth : int, default=3
    leaf_fraction : float, default=0.15
    noise : float, default=0.0
        Fraction of the rows whose class is drawn at random.
    seed : int, default=0
    n_rows : int, optional
        None is endless.

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

    # Node i has the children 2i + 1 and 2i + 2; a leaf above max_depth passes its class on to all
    # nodes below it, so that every row takes max_depth steps and no step asks whether to stop.
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
        values = X.ravel()
        first = np.arange(CHUNK_ROWS) * n_features
        node = np.zeros(CHUNK_ROWS, dtype=np.int64)
        for _ in range(max_depth):
            node = 2 * node + 1 + (values[first + features[node]] > thresholds[node])
        y = labels[node - n_inner]
        wrong = rng.random(CHUNK_ROWS) < noise
        return X, np.where(wrong, rng.integers(n_classes, size=CHUNK_ROWS), y)

    return numbered_stream(n_features, n_classes, n_rows, make_chunk)


def sea(
    *, concept: int = 1, noise: float = 0.1, seed: int = 0, n_rows: int | None = None
) -> Stream:
    r"""Three uniform features of which two count: class 0 if :math:`x_0 + x_1 \le \theta`.

    Parameters
    ----------
    concept : {1, 2, 3, 4}, default=1
        :math:`\theta` is 8, 9, 7 or 9.5.
    noise : float, default=0.1
        Fraction of the rows whose class is turned round.
    seed : int, default=0
    n_rows : int, optional
        None is endless.

    References
    ----------
    .. [1] W. N. Street, Y. Kim. A streaming ensemble algorithm (SEA) for large-scale
       classification. KDD 2001, pp. 377-382, section 4.

    Examples
    --------
    >>> X, y = sea(concept=2, noise=0).take(1000)
    >>> bool(((X[:, 0] + X[:, 1] > 9) == y).all())
    True
    """
    if concept not in range(1, len(SEA_THETA) + 1):
        raise ValueError(f"concept must be 1, 2, 3 or 4, got {concept!r}")
    check_fraction("noise", noise)
    check_seed(seed)
    theta = SEA_THETA[concept - 1]

    def make_chunk(number: int) -> Rows:
        rng = row_numbers(seed, number)
        X = rng.random((CHUNK_ROWS, 3)) * 10
        above = X[:, 0] + X[:, 1] > theta
        return X, (above ^ (rng.random(CHUNK_ROWS) < noise)).astype(np.int64)

    return numbered_stream(3, 2, n_rows, make_chunk)


def led(*, noise: float = 0.1, seed: int = 0, n_rows: int | None = None) -> Stream:
    """Digits on a seven-segment display, some segments wrong, and 17 irrelevant lamps.

    Parameters
    ----------
    noise : float, default=0.1
        Probability that a segment is inverted. At 0.1 the best possible accuracy is 0.74.
    seed : int, default=0
    n_rows : int, optional
        None is endless.

    References
    ----------
    .. [1] L. Breiman, J. Friedman, R. Olshen, C. Stone. Classification and regression trees.
       Wadsworth 1984, section 2.6.1.

    Examples
    --------
    >>> X, y = led(noise=0).take(1000)
    >>> bool((X[y == 8][:, :7] == 1).all())
    True
    """
    check_fraction("noise", noise)
    check_seed(seed)
    n_segments = LED_SEGMENTS.shape[1]

    def make_chunk(number: int) -> Rows:
        rng = row_numbers(seed, number)
        y = rng.integers(len(LED_SEGMENTS), size=CHUNK_ROWS)
        X = np.empty((CHUNK_ROWS, n_segments + LED_IRRELEVANT))
        X[:, :n_segments] = LED_SEGMENTS[y] ^ (rng.random((CHUNK_ROWS, n_segments)) < noise)
        X[:, n_segments:] = rng.integers(2, size=(CHUNK_ROWS, LED_IRRELEVANT), dtype=np.uint8)
        return X, y

    return numbered_stream(n_segments + LED_IRRELEVANT, len(LED_SEGMENTS), n_rows, make_chunk)


def wide(
    *,
    n_features: int = 200,
    n_classes: int = 10,
    separation: float = 3.0,
    seed: int = 0,
    n_rows: int | None = None,
) -> Stream:
    """Many features, one overlapping Gaussian cloud a class.

    Every feature has unit variance within a class. A few features tell the classes apart well, most
    hardly: the features' shares of the squared distance fall geometrically, by a hundred times from
    the most to the least telling one, in random order.

    Parameters
    ----------
    n_features, n_classes : int
    separation : float, default=3.0
        Root mean square distance between two classes' means, in standard deviations.
    seed : int, default=0
    n_rows : int, optional
        None is endless.

    Examples
    --------
    >>> X, y = wide(seed=1).take(100)
    >>> X.shape
    (100, 200)
    """
    check_count("n_features", n_features)
    check_count("n_classes", n_classes, least=2)
    check_not_negative("separation", separation)
    rng = concept_numbers(seed)
    shares = rng.permutation(0.01 ** (np.arange(n_features) / n_features))
    # Two independent normal means are 2 s^2 apart in the mean of squares.
    scale = separation * np.sqrt(shares / shares.sum() / 2)
    means = rng.standard_normal((n_classes, n_features)) * scale

    def make_chunk(number: int) -> Rows:
        rng = row_numbers(seed, number)
        y = rng.integers(n_classes, size=CHUNK_ROWS)
        X = rng.standard_normal((CHUNK_ROWS, n_features))
        X += means[y]
        return X, y

    return numbered_stream(n_features, n_classes, n_rows, make_chunk)


def hyperplane(
    *,
    n_features: int = 10,
    n_drifting: int = 2,
    speed: float = 1e-5,
    noise: float = 0.05,
    seed: int = 0,
    n_rows: int | None = None,
) -> Stream:
    r"""Uniform rows on two sides of a hyperplane that slowly turns.

    Class 1 is :math:`\sum_i w_i x_i \ge \frac12 \sum_i w_i`, which half of the rows meet. The
    weights of the first `n_drifting` features go up and down between 0 and 1.

    Parameters
    ----------
    n_features : int, default=10
    n_drifting : int, default=2
        At most `n_features`; 0 is a stream without drift.
    speed : float, default=1e-5
        How much a weight changes in one row.
    noise : float, default=0.05
        Fraction of the rows whose class is turned round.
    seed : int, default=0
    n_rows : int, optional
        None is endless.

    References
    ----------
    .. [1] G. Hulten, L. Spencer, P. Domingos. Mining time-changing data streams. KDD 2001,
       pp. 97-106, section 4.1.

    Examples
    --------
    >>> X, y = hyperplane(n_drifting=0, noise=0, seed=1).take(1000)
    >>> X.shape, sorted(set(y.tolist()))
    ((1000, 10), [0, 1])
    """
    check_count("n_features", n_features)
    check_count("n_drifting", n_drifting, least=0)
    if n_drifting > n_features:
        raise ValueError(f"n_drifting must be at most n_features = {n_features}, got {n_drifting}")
    check_not_negative("speed", speed)
    check_fraction("noise", noise)
    rng = concept_numbers(seed)
    start = rng.random(n_features)
    signs = np.where(rng.random(n_drifting) < 0.5, -1.0, 1.0)

    def make_chunk(number: int) -> Rows:
        rng = row_numbers(seed, number)
        X = rng.random((CHUNK_ROWS, n_features))
        turned = speed * row_positions(number)[:, None] * signs
        drifting = between_walls(start[:n_drifting] + turned)
        # A sum over each row by itself: a matrix product's order depends on the linear algebra.
        side = ((X[:, :n_drifting] - 0.5) * drifting).sum(axis=1)
        side += ((X[:, n_drifting:] - 0.5) * start[n_drifting:]).sum(axis=1)
        return X, ((side >= 0) ^ (rng.random(CHUNK_ROWS) < noise)).astype(np.int64)

    return numbered_stream(n_features, 2, n_rows, make_chunk)
