"""Generators with rules over categorical features: STAGGER, Agrawal, a known distribution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from riparian.streams.generators.chunks import row_numbers
from riparian.streams.generators.parameters import check_concept, check_fraction, check_seed
from riparian.streams.stream import CHUNK_ROWS, Rows, Stream

__all__ = ["agrawal", "corrected_node", "stagger"]

STAGGER_CATEGORIES = {
    "size": ["small", "medium", "large"],
    "color": ["red", "green", "blue"],
    "shape": ["square", "circular", "triangular"],
}

AGRAWAL_NAMES = (
    "salary",
    "commission",
    "age",
    "elevel",
    "car",
    "zipcode",
    "hvalue",
    "hyears",
    "loan",
)
AGRAWAL_CATEGORIES = {
    "elevel": [str(i) for i in range(5)],
    "car": [str(i) for i in range(1, 21)],
    "zipcode": [str(i) for i in range(9)],
}

# The joint distribution of the correctedVFDT paper's table 1: [A1][A2][class].
NODE_SHARES = np.array(
    [
        [[0.0675, 0.1575], [0.0675, 0.1575]],
        [[0.1350, 0.0900], [0.1575, 0.0675]],
        [[0.0450, 0.0050], [0.0450, 0.0050]],
    ]
)


def stagger(
    *, concept: int = 1, noise: float = 0.0, seed: int = 0, n_rows: int | None = None
) -> Stream:
    """Generate STAGGER: three categorical features and a rule over them.

    Class 1 is "small and red" in concept 1, "green or circular" in concept 2, and "medium or
    large" in concept 3.

    Parameters
    ----------
    concept : {1, 2, 3}, default=1
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
    .. [1] J. C. Schlimmer, R. H. Granger. Incremental learning from noisy data. Machine Learning
       1(3), 1986, pp. 317-354.

    Examples
    --------
    >>> stream = stagger(concept=3)
    >>> stream.categories["size"]
    ['small', 'medium', 'large']
    """
    check_concept(concept, 3)
    check_fraction("noise", noise)
    check_seed(seed)

    def make_chunk(number: int) -> Rows:
        rng = row_numbers(seed, number)
        codes = rng.integers(3, size=(CHUNK_ROWS, 3))
        size, color, shape = codes.T
        if concept == 1:
            y = (size == 0) & (color == 0)
        elif concept == 2:
            y = (color == 1) | (shape == 1)
        else:
            y = size > 0
        return codes.astype(float), (y ^ (rng.random(CHUNK_ROWS) < noise)).astype(np.int64)

    names = list(STAGGER_CATEGORIES)
    return Stream(names, [0, 1], n_rows, make_chunk, categories=STAGGER_CATEGORIES)


def agrawal(
    *,
    concept: int = 1,
    perturbation: float = 0.05,
    noise: float = 0.0,
    seed: int = 0,
    n_rows: int | None = None,
) -> Stream:
    """Generate loan applications, which are granted (class 1) by one of ten rules.

    Parameters
    ----------
    concept : int from 1 to 10, default=1
        The rule, in the order of the paper's functions.
    perturbation : float, default=0.05
        After the class is set, each numeric value is changed by up to this fraction of its range.
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
    .. [1] R. Agrawal, T. Imielinski, A. Swami. Database mining: a performance perspective. IEEE
       TKDE 5(6), 1993, pp. 914-925, table 1 and appendix.

    Examples
    --------
    >>> stream = agrawal(concept=3, perturbation=0)
    >>> stream.names[3], stream.categories["elevel"]
    ('elevel', ['0', '1', '2', '3', '4'])
    """
    check_concept(concept, 10)
    check_fraction("perturbation", perturbation)
    check_fraction("noise", noise)
    check_seed(seed)

    def make_chunk(number: int) -> Rows:
        rng = row_numbers(seed, number)
        X = _applicants(rng)
        y = _granted(X, concept) ^ (rng.random(CHUNK_ROWS) < noise)
        moves = rng.uniform(-perturbation, perturbation, size=(CHUNK_ROWS, 5))
        salary, commission, age, zipcode = X[:, 0], X[:, 1], X[:, 2], X[:, 5]
        dearest = 1e5 * (9 - zipcode)
        earns = commission > 0
        X[:, 0] = np.clip(salary + moves[:, 0] * 130_000, 20_000, 150_000)
        X[:, 1] = np.where(earns, np.clip(commission + moves[:, 1] * 65_000, 10_000, 75_000), 0)
        X[:, 2] = np.clip(np.rint(age + moves[:, 2] * 60), 20, 80)
        X[:, 6] = np.clip(X[:, 6] + moves[:, 3] * dearest, 0.5 * dearest, 1.5 * dearest)
        X[:, 8] = np.clip(X[:, 8] + moves[:, 4] * 500_000, 0, 500_000)
        return X, y.astype(np.int64)

    return Stream(AGRAWAL_NAMES, [0, 1], n_rows, make_chunk, categories=AGRAWAL_CATEGORIES)


def _applicants(rng: np.random.Generator) -> NDArray[np.float64]:
    X = np.empty((CHUNK_ROWS, len(AGRAWAL_NAMES)))
    X[:, 0] = rng.uniform(20_000, 150_000, CHUNK_ROWS)
    X[:, 1] = np.where(X[:, 0] >= 75_000, 0, rng.uniform(10_000, 75_000, CHUNK_ROWS))
    X[:, 2] = rng.integers(20, 81, size=CHUNK_ROWS)
    X[:, 3] = rng.integers(5, size=CHUNK_ROWS)
    X[:, 4] = rng.integers(20, size=CHUNK_ROWS)
    X[:, 5] = rng.integers(9, size=CHUNK_ROWS)
    X[:, 6] = rng.uniform(0.5, 1.5, CHUNK_ROWS) * 1e5 * (9 - X[:, 5])
    X[:, 7] = rng.integers(1, 31, size=CHUNK_ROWS)
    X[:, 8] = rng.uniform(0, 500_000, CHUNK_ROWS)
    return X


def _granted(X: NDArray[np.float64], concept: int) -> NDArray[np.bool_]:
    salary, commission, age, elevel, _, _, hvalue, hyears, loan = X.T
    total = salary + commission
    # 0, 1, 2: below 40, below 60, older.
    stage = (age >= 40).astype(np.intp) + (age >= 60)

    def within(value: NDArray[np.float64], *thousands: tuple[int, int]) -> NDArray[np.bool_]:
        """Return whether a value is in the interval of its age group."""
        low, high = 1000.0 * np.array(thousands)[stage].T
        inside: NDArray[np.bool_] = (value >= low) & (value <= high)
        return inside

    usual = within(salary, (50, 100), (75, 125), (25, 75))
    lowest, highest = np.array([(0, 1), (1, 3), (2, 4)])[stage].T
    schooled = (elevel >= lowest) & (elevel <= highest)
    left = 2 * total / 3
    equity = np.where(hyears < 20, 0, hvalue * (hyears - 20) / 10)
    granted: NDArray[np.bool_]
    match concept:
        case 1:
            granted = stage != 1
        case 2:
            granted = usual
        case 3:
            granted = schooled
        case 4:
            other = within(salary, (25, 75), (50, 100), (50, 100))
            granted = np.where(schooled, other, usual)
        case 5:
            large = within(loan, (100, 300), (200, 400), (300, 500))
            other = within(loan, (200, 400), (300, 500), (100, 300))
            granted = np.where(usual, large, other)
        case 6:
            granted = within(total, (50, 100), (75, 125), (25, 75))
        case 7:
            granted = left - loan / 5 - 20_000 > 0
        case 8:
            granted = left - 5_000 * elevel - 20_000 > 0
        case 9:
            granted = left - 5_000 * elevel - loan / 5 - 10_000 > 0
        case _:
            granted = left - 5_000 * elevel + equity / 5 - 10_000 > 0
    return granted


def corrected_node(*, seed: int = 0, n_rows: int | None = None) -> Stream:
    """Generate two categorical features with the distribution of correctedVFDT's table 1.

    Parameters
    ----------
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
    .. [1] P. Matuszyk, G. Krempl, M. Spiliopoulou. Correcting the usage of the Hoeffding
       inequality in stream mining. IDA 2013, table 1.

    Examples
    --------
    >>> stream = corrected_node()
    >>> stream.categories, stream.classes
    ({'A1': ['A', 'B', 'C'], 'A2': ['D', 'E']}, ['c1', 'c2'])
    """
    check_seed(seed)
    edges = np.cumsum(NODE_SHARES.ravel())[:-1]

    def make_chunk(number: int) -> Rows:
        cell = np.searchsorted(edges, row_numbers(seed, number).random(CHUNK_ROWS), side="right")
        A1, A2, y = np.unravel_index(cell, NODE_SHARES.shape)
        return np.column_stack([A1, A2]).astype(float), y.astype(np.int64)

    categories = {"A1": ["A", "B", "C"], "A2": ["D", "E"]}
    return Stream(list(categories), ["c1", "c2"], n_rows, make_chunk, categories=categories)
