"""Random numbers of the generators, one chunk at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from riparian.streams.generators.parameters import check_seed
from riparian.streams.stream import CHUNK_ROWS, Rows, Stream

__all__ = [
    "between_walls",
    "concept_numbers",
    "directions",
    "numbered_stream",
    "row_numbers",
    "row_positions",
    "wrapper_numbers",
]


def concept_numbers(seed: int) -> np.random.Generator:
    """Return the random numbers of the concept, which is the same for the whole stream."""
    check_seed(seed)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(0,))))


def row_numbers(seed: int, chunk: int) -> np.random.Generator:
    """Return the random numbers of one chunk, independent of all other chunks."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(1, chunk))))


# What the streams of streams/wrappers.py and drifts.py draw. A new purpose goes to the end.
_PURPOSES = ("drift", "label noise", "missing", "imbalance", "shuffle")


def wrapper_numbers(purpose: str, seed: int, chunk: int) -> np.random.Generator:
    """Return the random numbers of a chunk, independent of those of the wrapped stream."""
    check_seed(seed)
    key = (2, _PURPOSES.index(purpose), chunk)
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


def row_positions(chunk: int) -> NDArray[np.float64]:
    """Return the position in the stream of each row of a chunk, from 0."""
    return np.arange(chunk * CHUNK_ROWS, (chunk + 1) * CHUNK_ROWS, dtype=np.float64)


def directions(rng: np.random.Generator, n: int, n_features: int) -> NDArray[np.float64]:
    """Draw `n` unit vectors with uniformly distributed directions."""
    X = rng.standard_normal((n, n_features))
    X /= np.sqrt((X * X).sum(axis=1))[:, None]
    return X


def between_walls(position: NDArray[np.float64]) -> NDArray[np.float64]:
    """Reflect positions at the ends of the interval from 0 to 1."""
    folded = np.mod(position, 2.0)
    return np.minimum(folded, 2.0 - folded)


def numbered_stream(
    n_features: int, n_classes: int, n_rows: int | None, make_chunk: Callable[[int], Rows]
) -> Stream:
    """Return a stream with features x0, x1, ... and classes 0, 1, ..."""
    names = [f"x{i}" for i in range(n_features)]
    return Stream(names, list(range(n_classes)), n_rows, make_chunk)
