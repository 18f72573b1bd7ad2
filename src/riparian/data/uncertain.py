"""Uncertain values: intervals, normal distributions, weighted values and categories.

An :class:`Uncertain` can be used instead of a value: in the dicts of ``learn_one`` and
``predict_one``, and in object columns of arrays, frames and mappings.
:func:`riparian.uncertain_columns` creates them from columns of bounds, or of means and standard
deviations.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.data.values import built_in

__all__ = ["Cells", "Uncertain", "set_cells"]

#: Smallest probability of a truncated normal between its bounds; less could not be cut further.
LEAST_MASS = 1e-9

_TYPES = {"interval": 0, "normal": 1, "values": 2, "categories": 3}


@dataclass(frozen=True, slots=True)
class Uncertain:
    """An uncertain value: a distribution instead of a single value.

    Use :meth:`interval`, :meth:`normal`, :meth:`values` or :meth:`categories` to create one. An
    example with an uncertain value follows every possible branch of a test, with the probability
    of that branch. Leaves learn it with the corresponding fraction of its weight. A prediction is
    the mean of the predictions of all leaves that the example reaches, weighted by these fractions
    (UCVFDT [1]_). A distribution with a single value is treated as that value.

    References
    ----------
    .. [1] C. Liang, Y. Zhang, Q. Song. Decision tree for dynamic and uncertain data streams.
       ACML 2010, JMLR W&CP 13, pp. 209-224.

    Examples
    --------
    >>> from riparian import Uncertain
    >>> Uncertain.interval(2.0, 3.5)
    Uncertain.interval(2.0, 3.5)
    >>> Uncertain.categories({"rain": 0.7, "snow": 0.3})
    Uncertain.categories({'rain': 0.7, 'snow': 0.3})
    """

    kind: Literal["interval", "normal", "values", "categories"]
    #: Bounds of an interval or normal distribution; mean and standard deviation of the latter.
    bounds: tuple[float, float] = (-math.inf, math.inf)
    moments: tuple[float, float] = (0.0, 1.0)
    #: Values or categories, and their probabilities.
    points: tuple[Any, ...] = ()
    weights: tuple[float, ...] = ()

    @classmethod
    def interval(cls, lo: float, hi: float) -> Self:
        """Create a uniform distribution from `lo` to `hi`.

        Parameters
        ----------
        lo, hi : float
            The bounds, both finite.
        """
        low, high = _finite("lo", lo), _finite("hi", hi)
        if low > high:
            raise ValueError(f"lo must not be above hi, got {lo!r} and {hi!r}")
        return cls("interval", (low, high))

    @classmethod
    def normal(cls, mean: float, sd: float, *, lo: float = -math.inf, hi: float = math.inf) -> Self:
        """Create a normal distribution, truncated to `lo` and `hi`.

        Parameters
        ----------
        mean, sd : float
            Mean and standard deviation.
        lo, hi : float, default=-inf, inf
            The bounds. They must contain at least 1e-9 of the distribution.
        """
        centre, spread = _finite("mean", mean), _finite("sd", sd)
        low, high = _number("lo", lo), _number("hi", hi)
        if spread < 0.0:
            raise ValueError(f"sd must be at least 0, got {sd!r}")
        if low > high:
            raise ValueError(f"lo must not be above hi, got {lo!r} and {hi!r}")
        if spread == 0.0 and not low <= centre <= high:
            raise ValueError(f"mean must be between lo and hi if sd is 0, got {mean!r}")
        if spread > 0.0 and low < high and _mass(centre, spread, low, high) < LEAST_MASS:
            raise ValueError(
                f"lo and hi must contain at least {LEAST_MASS:g} of the normal distribution, got "
                f"{lo!r} and {hi!r}; use Uncertain.interval"
            )
        if low == high and math.isinf(low):
            raise ValueError(f"lo and hi must not be the same infinity, got {lo!r}")
        return cls("normal", (low, high), (centre, spread))

    @classmethod
    def values(cls, values: Iterable[float], weights: Iterable[float] | None = None) -> Self:
        """Create a distribution over numbers.

        Parameters
        ----------
        values : iterable of float
            The possible numbers.
        weights : iterable of float, optional
            Weights proportional to the probabilities. By default all are equal.
        """
        listed = [_finite("values", v) for v in values]
        if not listed:
            raise ValueError("values must have at least one number")
        given = [1.0] * len(listed) if weights is None else list(weights)
        if len(given) != len(listed):
            raise ValueError(
                f"weights must have one number per value, got {len(given)} weights "
                f"for {len(listed)} values"
            )
        summed: dict[float, float] = {}
        for value, weight in zip(listed, given, strict=True):
            summed[value] = summed.get(value, 0.0) + _positive("weights", weight)
        points = tuple(sorted(summed))
        return cls("values", points=points, weights=_shares([summed[v] for v in points]))

    @classmethod
    def categories(cls, probabilities: Mapping[str, float]) -> Self:
        """Create a distribution over categories.

        Parameters
        ----------
        probabilities : mapping of str to float
            The probability of each possible category. The sum must be 1.
        """
        if not isinstance(probabilities, Mapping) or not probabilities:
            raise ValueError(
                f"probabilities must be a dict with at least one category, got {probabilities!r}"
            )
        categories = tuple(map(built_in, probabilities))
        for category, given in zip(categories, probabilities, strict=True):
            if not isinstance(category, str):
                raise TypeError(f"categories must be strings, got {given!r}")
        if len(set(categories)) < len(categories):
            raise ValueError(f"categories must be distinct, got {list(categories)!r}")
        weights = [_positive("probabilities", p) for p in probabilities.values()]
        if abs(math.fsum(weights) - 1.0) > 1e-6:
            raise ValueError(f"probabilities must sum to 1, got {math.fsum(weights)!r}")
        return cls("categories", points=categories, weights=_shares(weights))

    @property
    def certain(self) -> float | str | None:
        """The only possible value, or None if there are several."""
        if self.kind == "normal" and self.moments[1] == 0.0:
            return self.moments[0]
        if self.kind in ("interval", "normal"):
            return self.bounds[0] if self.bounds[0] == self.bounds[1] else None
        return self.points[0] if len(self.points) == 1 else None

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers."""
        return self.kind != "categories"

    def __repr__(self) -> str:
        if self.kind == "interval":
            inside = f"{self.bounds[0]!r}, {self.bounds[1]!r}"
        elif self.kind == "normal":
            inside = f"{self.moments[0]!r}, {self.moments[1]!r}"
            if self.bounds != (-math.inf, math.inf):
                inside += f", lo={self.bounds[0]!r}, hi={self.bounds[1]!r}"
        elif self.kind == "values":
            inside = f"{list(self.points)!r}, weights={list(self.weights)!r}"
        else:
            inside = repr(dict(zip(self.points, self.weights, strict=True)))
        return f"Uncertain.{self.kind}({inside})"


#: The uncertain values of a column by row.
Cells = dict[int, Uncertain]


def set_cells(
    batch: _core.Batch, columns: Mapping[int, Cells], codes: Mapping[int, Sequence[int]]
) -> int:
    """Add the uncertain values to a batch.

    Parameters
    ----------
    batch : Batch
        The batch.
    columns : mapping of int to Cells
        The uncertain values by feature.
    codes : mapping of int to sequence of int
        The codes of their categories by feature.

    Returns
    -------
    numbers : int
        Largest number of numbers that a row of them needs in a window.
    """
    left = {place: iter(of_feature) for place, of_feature in codes.items()}
    rows, features, kinds = [], [], []
    numbers: list[float] = []
    points: list[float] = []
    weights: list[float] = []
    starts = [0]
    taken: dict[int, int] = {}
    for row, place in sorted((row, place) for place, cells in columns.items() for row in cells):
        cell = columns[place][row]
        rows.append(row)
        features.append(place)
        kinds.append(_TYPES[cell.kind])
        numbers += (*cell.bounds, *cell.moments)
        points += cell.points if cell.numeric else [next(left[place]) for _ in cell.points]
        weights += cell.weights
        starts.append(len(points))
        taken[row] = taken.get(row, 1) + max(6, 3 + 2 * len(cell.points))
    batch.set_uncertain(
        np.array(rows, dtype=np.int64),
        np.array(features, dtype=np.int32),
        np.array(kinds, dtype=np.uint8),
        _doubles(numbers),
        np.array(starts, dtype=np.int64),
        _doubles(points),
        _doubles(weights),
    )
    return max(taken.values())


def _doubles(values: list[float]) -> NDArray[np.float64]:
    return np.array(values, dtype=np.float64)


def _number(name: str, value: Any) -> float:
    if not isinstance(value, Real) or isinstance(value, bool | np.timedelta64):
        raise TypeError(f"{name} must be a number, got {value!r}")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"{name} is too large for a float") from None
    if number != number:
        raise ValueError(f"{name} must be a number, got {value!r}")
    return number


def _finite(name: str, value: Any) -> float:
    number = _number(name, value)
    if math.isinf(number):
        raise ValueError(f"{name} must be finite, got {value!r}")
    return number


def _positive(name: str, value: Any) -> float:
    number = _finite(name, value)
    if number <= 0.0:
        raise ValueError(f"{name} must be above 0, got {value!r}; omit impossible values")
    return number


def _shares(weights: list[float]) -> tuple[float, ...]:
    total = math.fsum(weights)
    return tuple(w / total for w in weights)


def _mass(mean: float, sd: float, low: float, high: float) -> float:
    """Return the probability of `low` to `high`, computed in the lower tail for precision."""
    a, b = (low - mean) / sd, (high - mean) / sd
    if a > 0.0:
        a, b = -b, -a
    return 0.5 * (math.erfc(-b / math.sqrt(2.0)) - math.erfc(-a / math.sqrt(2.0)))
