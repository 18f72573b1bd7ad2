"""A stream in place of the data of the physiological data contest of 2004, which are not available.

Users take part in sessions, one after the other. There are eleven correlated numeric features: two
are constant for a user; nine vary around means of the user and the session, with noise that lasts
for some rows. Two contexts are present in 2 % of the rows each, in runs of 6 to 177 rows, and shift
the nine features.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

__all__ = ["Contest", "contest", "runs_of"]

_USERS, _SENSORS = 24, 9
# How much of the noise of a row is that of the row before.
_LASTING = 0.9


@dataclass(frozen=True)
class Contest:
    """The features, the session of each row and the three targets."""

    X: NDArray[np.float64]
    session: NDArray[np.int64]
    gender: NDArray[Any]
    contexts: list[NDArray[Any]]


def contest(rows: int, seed: int) -> Contest:
    """Return the rows of a contest.

    Parameters
    ----------
    rows : int
        Number of rows.
    seed : int
        Random seed.

    Examples
    --------
    >>> data = contest(2000, seed=1)
    >>> data.X.shape, sorted(set(data.gender.tolist()))
    ((2000, 11), ['f', 'm'])
    """
    rng = np.random.default_rng(seed)
    lengths: list[int] = []
    while sum(lengths) < rows:
        lengths.append(int(rng.integers(300, 900)))
    user_of = rng.integers(0, _USERS, size=len(lengths))
    session = np.repeat(np.arange(len(lengths)), lengths)[:rows]
    user = user_of[session]
    gender = np.arange(_USERS) % 2

    characteristics = rng.normal(size=(_USERS, 2)) + 0.5 * gender[:, None] * [1.0, 0.0]
    of_gender = 0.4 * gender[:, None]
    means = 0.8 * rng.normal(size=(_USERS, _SENSORS)) + of_gender * rng.normal(size=_SENSORS)
    moods = 0.3 * rng.normal(size=(len(lengths), _SENSORS))
    mixing = rng.normal(size=(_SENSORS, _SENSORS)) / np.sqrt(_SENSORS) + 0.5 * np.eye(_SENSORS)
    fresh = rng.normal(size=(rows, _SENSORS))
    noise = lfilter([np.sqrt(1 - _LASTING**2)], [1.0, -_LASTING], fresh, 0)
    sensors = means[user] + moods[session] + noise @ mixing
    contexts = []
    for strength in (1.0, 1.6):
        present = _runs(rng, rows)
        sensors[present] += strength * rng.normal(size=_SENSORS)
        contexts.append(np.where(present, "yes", "no"))
    X = np.hstack([characteristics[user], sensors])
    return Contest(X, session, np.where(gender[user] == 1, "f", "m"), contexts)


def _runs(rng: np.random.Generator, rows: int, share: float = 0.02) -> NDArray[np.bool_]:
    """Return where a context is present: runs of 6 to 177 rows, 57 on average as published."""
    present = np.zeros(rows, dtype=bool)
    at = 0
    while True:
        at += int(rng.exponential(57.0 * (1 - share) / share))
        length = 178
        while length > 177:
            length = 6 + int(rng.exponential(54.0))
        if at >= rows:
            return present
        present[at : at + length] = True
        at += length


def runs_of(positive: NDArray[np.bool_], least: int = 1) -> NDArray[np.int64]:
    """Return the lengths of the runs of positives that have at least `least` rows.

    Examples
    --------
    >>> runs_of(np.array([1, 1, 0, 1, 1, 1, 0, 1], dtype=bool), least=2).tolist()
    [2, 3]
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[0], positive.astype(np.int8), [0]])))
    lengths = edges[1::2] - edges[::2]
    return lengths[lengths >= least]
