"""Generators of noisy shapes: digits of a display, and waves."""

from __future__ import annotations

import numpy as np

from riparian.streams.generators.chunks import numbered_stream, row_numbers
from riparian.streams.generators.parameters import check_count, check_fraction, check_seed
from riparian.streams.stream import CHUNK_ROWS, Rows, Stream

__all__ = ["led", "waveform"]

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


def led(*, noise: float = 0.1, seed: int = 0, n_rows: int | None = None) -> Stream:
    """Generate digits on a noisy seven-segment display, with 17 irrelevant features.

    Parameters
    ----------
    noise : float, default=0.1
        Probability that a segment is inverted. At 0.1 the best possible accuracy is 0.74.
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


def waveform(*, n_irrelevant: int = 0, seed: int = 0, n_rows: int | None = None) -> Stream:
    r"""Generate three classes of noisy waves, each a random mixture of two of three triangles.

    The triangles are :math:`\max(6 - |t - c|, 0)` at :math:`t = 1 \dots 21`, around 7, 15 and 11;
    every feature has standard normal noise. The best possible accuracy is about 0.86.

    Parameters
    ----------
    n_irrelevant : int, default=0
        Number of additional features of pure noise. The usual larger version has 19.
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
    .. [1] L. Breiman, J. Friedman, R. Olshen, C. Stone. Classification and regression trees.
       Wadsworth 1984, section 2.6.2.

    Examples
    --------
    >>> X, y = waveform(n_irrelevant=19).take(1000)
    >>> X.shape, sorted(set(y.tolist()))
    ((1000, 40), [0, 1, 2])
    """
    check_count("n_irrelevant", n_irrelevant, least=0)
    check_seed(seed)
    t = np.arange(1, 22)
    triangles = np.maximum(6 - np.abs(t - np.array([[7], [15], [11]])), 0).astype(float)
    pairs = np.array([[0, 1], [0, 2], [1, 2]])

    def make_chunk(number: int) -> Rows:
        rng = row_numbers(seed, number)
        y = rng.integers(3, size=CHUNK_ROWS)
        share = rng.random((CHUNK_ROWS, 1))
        X = rng.standard_normal((CHUNK_ROWS, len(t) + n_irrelevant))
        X[:, : len(t)] += share * triangles[pairs[y, 0]] + (1 - share) * triangles[pairs[y, 1]]
        return X, y

    return numbered_stream(len(t) + n_irrelevant, 3, n_rows, make_chunk)
