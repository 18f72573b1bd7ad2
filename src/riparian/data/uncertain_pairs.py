"""Uncertain values from pairs of columns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from riparian.data.columns import Column, Numbers
from riparian.data.table import Table, read_table
from riparian.data.uncertain import Uncertain

__all__ = ["PARTS", "join_pairs", "pair_ends", "uncertain_columns"]

_PAIRS = (("lo", "hi"), ("mean", "sd"))

#: The endings, after a dot, of the column names of an uncertain feature.
PARTS = tuple(end for pair in _PAIRS for end in pair)


def uncertain_columns(X: Any, features: Iterable[str] | None = None) -> Table:
    """Join columns of bounds, or of means and standard deviations, to uncertain features.

    ``x.lo`` and ``x.hi`` become a feature ``x`` of intervals. ``x.mean`` and ``x.sd`` become
    normal distributions, and all four columns normal distributions truncated to the bounds. If all
    columns of a feature are missing in a row, its value is missing.

    Parameters
    ----------
    X : frame or mapping of columns
        A table with named columns. Columns that are not part of a pair are unchanged.
    features : iterable of str, optional
        The features to join. By default all features with both columns of a pair.

    Returns
    -------
    table : Table
        A table that every method of a model accepts as `X`.

    Examples
    --------
    >>> from riparian import VFDT, uncertain_columns
    >>> X = {"level.lo": [0.0, 2.0], "level.hi": [1.0, 3.5], "rain": [0.1, 0.7]}
    >>> model = VFDT().partial_fit(uncertain_columns(X), ["calm", "flood"])
    >>> model.feature_names_in_.tolist()
    ['level', 'rain']
    """
    table = read_table(X)
    if table.names is None:
        raise ValueError("X must have named columns, such as 'x.lo' and 'x.hi'")
    columns = dict(zip(table.names, table.columns, strict=True))
    joined = _found(columns) if features is None else list(dict.fromkeys(features))
    result: dict[Any, Column] = {}
    parts: set[Any] = set()
    for feature in joined:
        parts |= {f"{feature}.{end}" for end in pair_ends(feature, columns, "features")}
    for name, column in columns.items():
        feature = str(name).rpartition(".")[0]
        if name not in parts:
            result[name] = column
        elif feature not in result:
            result[feature] = _joined(feature, columns, parts)
    return Table(table.n_rows, list(result.values()), list(result), example=table.example)


def pair_ends(feature: str, names: Collection[Any], asked_by: str) -> list[str]:
    """Return the endings of the columns of a feature, or raise a ValueError if there is no pair."""
    ends = [e for pair in _PAIRS if all(f"{feature}.{e}" in names for e in pair) for e in pair]
    if not ends:
        raise ValueError(
            f"{asked_by} names {feature!r}, but the data has neither {feature + '.lo'!r} and "
            f"{feature + '.hi'!r} nor {feature + '.mean'!r} and {feature + '.sd'!r}"
        )
    if feature in names:
        raise ValueError(
            f"the data has both a column {feature!r} and a column {f'{feature}.{ends[0]}'!r}"
        )
    return ends


def join_pairs(
    ends: Sequence[str], columns: Sequence[NDArray[Any]], wrong: Callable[[int, str], None]
) -> NDArray[np.object_]:
    """Return the distributions of each row, from columns with these endings.

    `wrong` is called with the row and a message if the numbers make no distribution.
    """
    known = np.array(columns)
    make = Uncertain.normal if "mean" in ends else Uncertain.interval
    values = np.full(known.shape[1], None, dtype=object)
    for row, missing in enumerate(np.isnan(known).all(axis=0).tolist()):
        if missing:
            continue
        try:
            values[row] = make(**dict(zip(ends, known[:, row].tolist(), strict=True)))
        except ValueError as error:
            wrong(row, str(error))
    return values


def _found(columns: dict[Any, Column]) -> list[str]:
    found: dict[str, None] = {}
    for name in columns:
        feature, _, end = str(name).rpartition(".")
        for pair in _PAIRS:
            if feature and end in pair and all(f"{feature}.{e}" in columns for e in pair):
                found[feature] = None
    return list(found)


def _joined(feature: str, columns: dict[Any, Column], parts: set[Any]) -> Column:
    ends = [end for end in PARTS if f"{feature}.{end}" in parts]

    def wrong(row: int, message: str) -> None:
        raise ValueError(f"column {feature!r}, row {row}: {message}")

    values = join_pairs(ends, [_numbers(f"{feature}.{end}", columns) for end in ends], wrong)
    return read_table({feature: values}).columns[0]


def _numbers(name: str, columns: dict[Any, Column]) -> NDArray[Any]:
    column = columns[name]
    if not isinstance(column, Numbers) or column.uncertain:
        raise ValueError(f"column {name!r} must be numeric")
    return column.values
