"""Moments of the values that are not 0, and those of all values, which follow from them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .statistics import moments

__all__ = ["NonZeros", "nonzeros", "with_zeros"]


class NonZeros(NamedTuple):
    """What is known of the rows of one class whose value of one feature is not 0."""

    rows: int
    weight: float
    missing: float
    mean: float
    squares: float
    low: float
    high: float


def nonzeros(x: ArrayLike, w: ArrayLike) -> NonZeros:
    """The values of one feature in the rows of one class; NaN is missing, and no 0."""
    values, weights = np.asarray(x, dtype=float), np.asarray(w, dtype=float)
    known = (values != 0.0) & ~np.isnan(values)
    weight, mean, squares = moments(values[known], weights[known])
    return NonZeros(
        rows=int((values != 0.0).sum()),
        weight=weight,
        missing=float(weights[np.isnan(values)].sum()),
        mean=mean,
        squares=squares,
        low=float(values[known].min(initial=np.inf)),
        high=float(values[known].max(initial=-np.inf)),
    )


def with_zeros(one: NonZeros, rows: int, weight: float) -> tuple[float, float, float, float, float]:
    """Weight, mean, squares, minimum and maximum of all known values of a class.

    `rows` and `weight` are those of the class. The rest of it has the value 0. Two sets of rows are
    combined by the formula of Chan, Golub and LeVeque (1983).
    """
    zeros = weight - one.weight - one.missing if rows > one.rows else 0.0
    known = one.weight + zeros
    if known <= 0.0:
        return 0.0, 0.0, 0.0, np.inf, -np.inf
    mean = one.mean * one.weight / known
    squares = one.squares + one.mean**2 * one.weight * zeros / known
    if rows == one.rows:
        return known, mean, squares, one.low, one.high
    return known, mean, squares, min(one.low, 0.0), max(one.high, 0.0)
