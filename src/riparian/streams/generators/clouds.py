"""Generators of clusters: rows around centres, with one class per cluster."""

from __future__ import annotations

import numpy as np

from riparian.streams.generators.chunks import (
    between_walls,
    concept_numbers,
    directions,
    numbered_stream,
    row_numbers,
    row_positions,
)
from riparian.streams.generators.parameters import check_count, check_not_negative
from riparian.streams.stream import CHUNK_ROWS, Rows, Stream

__all__ = ["gaussian_clusters", "random_rbf", "wide"]


def random_rbf(
    *,
    n_features: int = 10,
    n_classes: int = 5,
    n_centroids: int = 50,
    speed: float = 0.0,
    seed: int = 0,
    n_rows: int | None = None,
) -> Stream:
    """Generate clusters around random centroids, with one class per centroid.

    A centroid has a position in the unit cube, a class, a weight and a spread. For each row a
    centroid is drawn by weight. The row is in a random direction from it, at a normally
    distributed distance times the spread.

    Parameters
    ----------
    n_features, n_classes, n_centroids : int
        Number of features, classes and centroids. There must be at least one centroid per class.
    speed : float, default=0.0
        Distance that each centroid moves per row. Centroids are reflected at the walls of the
        cube. 0 is no drift.
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


def wide(
    *,
    n_features: int = 200,
    n_classes: int = 10,
    separation: float = 3.0,
    seed: int = 0,
    n_rows: int | None = None,
) -> Stream:
    """Generate rows with many features: one overlapping Gaussian cluster per class.

    Every feature has unit variance within a class. A few features separate the classes well, and
    most hardly do. The shares of the features in the squared distance between classes decrease
    geometrically by a factor of 100 from the most to the least informative feature. Their order is
    random.

    Parameters
    ----------
    n_features, n_classes : int
        Number of features and classes.
    separation : float, default=3.0
        Root mean square distance between the means of two classes, in standard deviations.
    seed : int, default=0
        Random seed.
    n_rows : int, optional
        Number of rows. By default the stream is endless.

    Returns
    -------
    stream : Stream
        The stream.

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
    # The mean squared distance of two independent normal means is 2 s^2.
    scale = separation * np.sqrt(shares / shares.sum() / 2)
    means = rng.standard_normal((n_classes, n_features)) * scale

    def make_chunk(number: int) -> Rows:
        rng = row_numbers(seed, number)
        y = rng.integers(n_classes, size=CHUNK_ROWS)
        X = rng.standard_normal((CHUNK_ROWS, n_features))
        X += means[y]
        return X, y

    return numbered_stream(n_features, n_classes, n_rows, make_chunk)


def gaussian_clusters(
    *,
    n_features: int = 10,
    n_classes: int = 2,
    separation: float = 2.0,
    seed: int = 0,
    n_rows: int | None = None,
) -> Stream:
    """Generate one Gaussian cluster per class, each with its own covariance, around cube corners.

    The construction is that of scikit-learn's `make_classification` with one cluster per class and
    informative features only. The centre of each class is a different corner of a cube of side
    ``2 * separation``. A standard normal row is multiplied by a random matrix of its class, whose
    entries are uniform from -1 to 1. The stream replaces the Gaussian data of the mDT paper [1]_,
    whose parameters are not known.

    Parameters
    ----------
    n_features : int, default=10
        Number of features.
    n_classes : int, default=2
        Number of classes, at most ``2 ** n_features``.
    separation : float, default=2.0
        Half the side of the cube.
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
       Annals of Data Science 8, 2021, table 1.

    Examples
    --------
    >>> X, y = gaussian_clusters(n_features=4, seed=1).take(1000)
    >>> X.shape, sorted(set(y.tolist()))
    ((1000, 4), [0, 1])
    """
    check_count("n_features", n_features)
    check_count("n_classes", n_classes, least=2)
    if n_features < 62 and n_classes > 2**n_features:
        most = 2**n_features
        raise ValueError(f"n_classes must be at most 2 ** n_features = {most}, got {n_classes}")
    check_not_negative("separation", separation)
    rng = concept_numbers(seed)
    corners: list[tuple[int, ...]] = []
    while len(corners) < n_classes:
        corner = tuple(rng.integers(2, size=n_features).tolist())
        if corner not in corners:
            corners.append(corner)
    centres = separation * (2.0 * np.array(corners) - 1.0)
    mixing = rng.uniform(-1, 1, size=(n_classes, n_features, n_features))

    def make_chunk(number: int) -> Rows:
        rng = row_numbers(seed, number)
        y = rng.integers(n_classes, size=CHUNK_ROWS)
        plain = rng.standard_normal((CHUNK_ROWS, n_features))
        X = np.empty_like(plain)
        for k in range(n_classes):
            mine = np.flatnonzero(y == k)
            # Contiguous columns, so that the inner loops over rows are long.
            factors = np.ascontiguousarray(plain[mine].T)
            columns = np.repeat(centres[k, :, None], len(mine), axis=1)
            # Sums instead of a matrix product, whose order of summation depends on the BLAS.
            for j in range(n_features):
                columns += mixing[k, j, :, None] * factors[j]
            X[mine] = columns.T
        return X, y

    return numbered_stream(n_features, n_classes, n_rows, make_chunk)
