"""Generators of uniform rows on two sides of a line, hyperplane or curve."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from riparian.streams.generators.chunks import (
    between_walls,
    concept_numbers,
    numbered_stream,
    row_numbers,
    row_positions,
)
from riparian.streams.generators.parameters import (
    check_concept,
    check_count,
    check_fraction,
    check_not_negative,
    check_seed,
)
from riparian.streams.stream import CHUNK_ROWS, Rows, Stream

__all__ = ["hyperplane", "mixed", "sea", "sine"]

# Street and Kim (2001): theta of each concept; a row has class 0 if x0 + x1 <= theta.
SEA_THETA = (8.0, 9.0, 7.0, 9.5)


def sea(
    *, concept: int = 1, noise: float = 0.1, seed: int = 0, n_rows: int | None = None
) -> Stream:
    r"""Generate SEA: three uniform features, with class 0 if :math:`x_0 + x_1 \le \theta`.

    Parameters
    ----------
    concept : {1, 2, 3, 4}, default=1
        :math:`\theta` is 8, 9, 7 or 9.5.
    noise : float, default=0.1
        Fraction of rows whose class is flipped.
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
    .. [1] W. N. Street, Y. Kim. A streaming ensemble algorithm (SEA) for large-scale
       classification. KDD 2001, pp. 377-382, section 4.

    Examples
    --------
    >>> X, y = sea(concept=2, noise=0).take(1000)
    >>> bool(((X[:, 0] + X[:, 1] > 9) == y).all())
    True
    """
    check_concept(concept, len(SEA_THETA))
    check_fraction("noise", noise)
    check_seed(seed)
    theta = SEA_THETA[concept - 1]

    def make_chunk(number: int) -> Rows:
        rng = row_numbers(seed, number)
        X = rng.random((CHUNK_ROWS, 3)) * 10
        above = X[:, 0] + X[:, 1] > theta
        return X, (above ^ (rng.random(CHUNK_ROWS) < noise)).astype(np.int64)

    return numbered_stream(3, 2, n_rows, make_chunk)


def hyperplane(
    *,
    n_features: int = 10,
    n_drifting: int = 2,
    speed: float = 1e-5,
    noise: float = 0.05,
    seed: int = 0,
    n_rows: int | None = None,
) -> Stream:
    r"""Generate uniform rows on two sides of a slowly rotating hyperplane.

    A row has class 1 if :math:`\sum_i w_i x_i \ge \frac12 \sum_i w_i`, which is true for half of
    the rows. The weights of the first `n_drifting` features move up and down between 0 and 1.

    Parameters
    ----------
    n_features : int, default=10
        Number of features.
    n_drifting : int, default=2
        Number of features whose weight changes, at most `n_features`. 0 is no drift.
    speed : float, default=1e-5
        Change of a weight per row.
    noise : float, default=0.05
        Fraction of rows whose class is flipped.
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
        # Sums instead of a matrix product, whose order of summation depends on the BLAS library.
        side = ((X[:, :n_drifting] - 0.5) * drifting).sum(axis=1)
        side += ((X[:, n_drifting:] - 0.5) * start[n_drifting:]).sum(axis=1)
        return X, ((side >= 0) ^ (rng.random(CHUNK_ROWS) < noise)).astype(np.int64)

    return numbered_stream(n_features, 2, n_rows, make_chunk)


def sine(
    *,
    concept: int = 1,
    n_irrelevant: int = 0,
    noise: float = 0.0,
    seed: int = 0,
    n_rows: int | None = None,
) -> Stream:
    r"""Generate points of the unit square above or below a sine curve.

    A row has class 1 if :math:`x_1 < \sin x_0` in concept 1 and
    :math:`x_1 < 0.5 + 0.3 \sin 3\pi x_0` in concept 3. Concepts 2 and 4 have the classes of 1 and
    3 swapped.

    Parameters
    ----------
    concept : {1, 2, 3, 4}, default=1
        The rule.
    n_irrelevant : int, default=0
        Number of additional irrelevant features.
    noise : float, default=0.0
        Fraction of rows whose class is flipped.
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
    .. [1] J. Gama, P. Medas, G. Castillo, P. Rodrigues. Learning with drift detection. SBIA 2004,
       LNCS 3171, pp. 286-295, section 4.

    Examples
    --------
    >>> X, y = sine(concept=1).take(1000)
    >>> bool(((X[:, 1] < np.sin(X[:, 0])) == y).all())
    True
    """
    check_concept(concept, 4)
    check_count("n_irrelevant", n_irrelevant, least=0)
    check_fraction("noise", noise)
    check_seed(seed)

    def make_chunk(number: int) -> Rows:
        rng = row_numbers(seed, number)
        X = rng.random((CHUNK_ROWS, 2 + n_irrelevant))
        curve = np.sin(X[:, 0]) if concept <= 2 else _wave(X[:, 0])
        below = (X[:, 1] < curve) ^ (concept % 2 == 0)
        return X, (below ^ (rng.random(CHUNK_ROWS) < noise)).astype(np.int64)

    return numbered_stream(2 + n_irrelevant, 2, n_rows, make_chunk)


def mixed(
    *, concept: int = 1, noise: float = 0.0, seed: int = 0, n_rows: int | None = None
) -> Stream:
    r"""Generate rows with two yes-or-no features and two numbers.

    A row has class 1 if at least two of three conditions are true: `v`, `w`, and
    :math:`y < 0.5 + 0.3 \sin 3\pi x`. Concept 2 has the classes swapped.

    Parameters
    ----------
    concept : {1, 2}, default=1
        The rule.
    noise : float, default=0.0
        Fraction of rows whose class is flipped.
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
    .. [1] J. Gama, P. Medas, G. Castillo, P. Rodrigues. Learning with drift detection. SBIA 2004,
       LNCS 3171, pp. 286-295, section 4.

    Examples
    --------
    >>> stream = mixed()
    >>> stream.names, stream.categories["v"]
    (['v', 'w', 'x', 'y'], ['no', 'yes'])
    """
    check_concept(concept, 2)
    check_fraction("noise", noise)
    check_seed(seed)
    words = ["no", "yes"]

    def make_chunk(number: int) -> Rows:
        rng = row_numbers(seed, number)
        X = np.empty((CHUNK_ROWS, 4))
        X[:, :2] = rng.integers(2, size=(CHUNK_ROWS, 2))
        X[:, 2:] = rng.random((CHUNK_ROWS, 2))
        met = X[:, 0] + X[:, 1] + (X[:, 3] < _wave(X[:, 2]))
        positive = (met >= 2) ^ (concept == 2)
        return X, (positive ^ (rng.random(CHUNK_ROWS) < noise)).astype(np.int64)

    return Stream("vwxy", [0, 1], n_rows, make_chunk, categories={"v": words, "w": words})


def _wave(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return 0.5 + 0.3 * np.sin(3 * np.pi * x)
