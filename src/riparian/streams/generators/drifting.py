"""A generator with an abrupt and a gradual drift: the gauge of a river."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from riparian.streams.generators.chunks import row_numbers, row_positions
from riparian.streams.generators.parameters import check_count, check_fraction, check_seed
from riparian.streams.stream import CHUNK_ROWS, Rows, Stream

__all__ = ["drifting"]

NAMES = (
    "rain_mm",
    "upstream_level_m",
    "soil_moisture",
    "snow_melt_mm",
    "gate_opening",
    "air_temperature_c",
    "wind_speed_ms",
    "hour",
)
CLASSES = ("calm", "watch", "flood")

# The weight of each feature and the thresholds of watch and flood, one row per concept. All
# concepts have about the same class shares, so that a drift changes the meaning of the classes and
# not their frequency.
WEIGHTS = np.array(
    [
        [0.10, 1.0, 0.0, 0.00, 0.0],  # the natural river: rain and the level upstream
        [0.10, 0.3, 0.0, 0.00, 3.0],  # a dam: its gate counts more than the level upstream
        [0.03, 0.3, 2.5, 0.25, 0.8],  # warmer winters: wet soil and melting snow
    ]
)
LEVELS = np.array([[3.91, 5.25], [3.31, 4.42], [3.43, 4.63]])


def drifting(
    *,
    abrupt_at: float = 0.35,
    gradual_from: float = 0.6,
    gradual_to: float = 0.8,
    noise: float = 0.05,
    seed: int = 0,
    n_rows: int = 1_000_000,
) -> Stream:
    """Generate gauge readings of an imaginary river and its state: calm, watch or flood.

    The state depends on a weighted sum of the readings, as in SEA [1]_, with two thresholds. At
    `abrupt_at` a dam is built and the weights change from one row to the next. Between
    `gradual_from` and `gradual_to` the weights change again, because of snow and soil: a row uses
    the new weights with a probability that rises from 0 to 1. Three of the eight features are
    irrelevant.

    Parameters
    ----------
    abrupt_at, gradual_from, gradual_to : float
        Positions of the changes as fractions of `n_rows`, in ascending order.
    noise : float, default=0.05
        Fraction of rows whose state is drawn at random.
    seed : int, default=0
        Random seed.
    n_rows : int, default=1_000_000
        Number of rows.

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
    >>> stream = drifting()
    >>> stream
    Stream(1,000,000 rows, 8 features, 3 classes)
    >>> X, y = stream.take(3)
    >>> stream.names[:2], stream.classes
    (['rain_mm', 'upstream_level_m'], ['calm', 'watch', 'flood'])
    """
    check_count("n_rows", n_rows)
    check_seed(seed)
    check_fraction("noise", noise)
    check_fraction("abrupt_at", abrupt_at)
    check_fraction("gradual_from", gradual_from)
    check_fraction("gradual_to", gradual_to)
    if not abrupt_at <= gradual_from <= gradual_to:
        raise ValueError(
            "abrupt_at, gradual_from and gradual_to must be in ascending order, "
            f"got {abrupt_at}, {gradual_from} and {gradual_to}"
        )

    def make_chunk(number: int) -> Rows:
        rng = row_numbers(seed, number)
        X = _readings(rng)
        position = row_positions(number) / n_rows
        # A gradual change of width 0 is a step; avoid the division by 0.
        width = max(gradual_to - gradual_from, np.finfo(float).tiny)
        newest = (position - gradual_from) / width > rng.random(CHUNK_ROWS)
        concept = np.where(newest, 2, np.where(position >= abrupt_at, 1, 0))
        level = (X[:, : WEIGHTS.shape[1]] * WEIGHTS[concept]).sum(axis=1)
        y = (level[:, None] > LEVELS[concept]).sum(axis=1)
        wrong = rng.random(CHUNK_ROWS) < noise
        return X, np.where(wrong, rng.integers(len(CLASSES), size=CHUNK_ROWS), y)

    return Stream(NAMES, CLASSES, n_rows, make_chunk)


def _readings(rng: np.random.Generator) -> NDArray[np.float64]:
    X = np.empty((CHUNK_ROWS, len(NAMES)))
    X[:, 0] = 8 * rng.standard_exponential(CHUNK_ROWS)
    X[:, 1] = 3 + 1.2 * rng.standard_normal(CHUNK_ROWS)
    X[:, 2] = rng.random(CHUNK_ROWS)
    X[:, 3] = np.maximum(0, 6 * rng.standard_normal(CHUNK_ROWS))
    X[:, 4] = rng.random(CHUNK_ROWS)
    X[:, 5] = 11 + 7 * rng.standard_normal(CHUNK_ROWS)
    X[:, 6] = 4 * rng.standard_exponential(CHUNK_ROWS)
    X[:, 7] = rng.integers(24, size=CHUNK_ROWS)
    return X
