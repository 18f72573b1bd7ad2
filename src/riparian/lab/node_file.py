"""Read a node from a JSON or CSV file."""

from __future__ import annotations

import csv
import json
import math
import os
import sys
from typing import Any

import numpy as np

from riparian.errors import one_of
from riparian.lab.node import Node

__all__ = ["read_node"]

_TABLES = ("probabilities", "counts")
_KEYS = ("features", "classes", *_TABLES)
_AMOUNTS = ("probability", "count")
_MOST_CELLS = 2**22
_MOST_FEATURES = 30


def read_node(path: str | os.PathLike[str]) -> Node:
    """Read the distribution of a leaf from a file.

    A JSON file is an object with the parameters of `Node`. It may have `counts` instead of
    `probabilities`::

        {"features": ["coin", "noise"], "classes": ["no", "yes"],
         "counts": [[[20, 5], [20, 5]], [[5, 20], [5, 20]]]}

    A CSV file has one line per combination: the values of the features, the class, and its
    ``probability`` or ``count``. Missing combinations have probability 0::

        coin,noise,class,count
        head,left,no,20
        head,right,no,20
        tail,left,yes,40

    Parameters
    ----------
    path : str or path-like
        The file, in UTF-8. Text that starts with a brace or bracket is JSON, any other text is
        CSV. ``"-"`` is standard input.

    Returns
    -------
    node : Node
        The distribution. Values and classes of a CSV file are in order of appearance.

    Raises
    ------
    ValueError
        If the file is not as described here. The message names the line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "node.csv")
    >>> _ = file.write_text("rain,class,count\\nyes,flood,3\\nno,calm,1\\nno,flood,1\\n")
    >>> node = read_node(file)
    >>> node.features, node.classes
    (('rain',), ('flood', 'calm'))
    >>> node.table(0)
    array([[0.6, 0. ],
           [0.2, 0.2]])
    """
    name = "standard input" if path == "-" else os.fspath(path)
    try:
        if path == "-":
            text = sys.stdin.read().removeprefix("\ufeff")
        else:
            with open(path, encoding="utf-8-sig", newline="") as file:
                text = file.read()
    except UnicodeDecodeError:
        raise ValueError(f"{name}: must be text in UTF-8") from None
    try:
        return _parse_json(text) if text.lstrip()[:1] in ("{", "[") else _parse_csv(text)
    except (ValueError, csv.Error) as error:
        raise ValueError(f"{name}: {error}") from None


def _parse_json(text: str) -> Node:
    try:
        given = json.loads(text)
    except RecursionError:
        raise ValueError("the lists are nested too deeply") from None
    if not isinstance(given, dict):
        raise ValueError("must be an object with the keys " + ", ".join(map(repr, _KEYS)))
    for key in given:
        one_of("a key", key, _KEYS)
    tables = [key for key in _TABLES if key in given]
    if len(tables) != 1:
        raise ValueError("must have either 'probabilities' or 'counts'")
    key = tables[0]
    try:
        table = np.array(given[key], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(
            f"{key} must be nested lists of numbers of equal length, one level per feature and "
            "one for the class"
        ) from None
    _check_size(table.shape)
    return Node(
        _shares(table) if key == "counts" else table,
        features=_json_names(given, "features", str),
        classes=_json_names(given, "classes", str | int),
    )


def _json_names(given: dict[str, Any], key: str, kind: Any) -> list[Any]:
    names = given.get(key, [])
    if not isinstance(names, list) or not all(
        isinstance(name, kind) and not isinstance(name, bool) for name in names
    ):
        what = "texts" if kind is str else "texts or whole numbers"
        raise ValueError(f"{key} must be a list of {what}, got {names!r}")
    return names


def _parse_csv(text: str) -> Node:
    lines = csv.reader(text.splitlines(), strict=True)
    heads = [head.strip() for head in next(lines, [])]
    if len(heads) < 3 or heads[-1] not in _AMOUNTS:
        raise ValueError(
            "the first line must name the features, the class and 'probability' or 'count', "
            f"got {','.join(heads)!r}"
        )
    codes: list[dict[str, int]] = [{} for _ in heads[:-1]]
    cells: dict[tuple[int, ...], float] = {}
    for fields in lines:
        if not fields:
            continue
        line = f"line {lines.line_num}"
        if len(fields) != len(heads):
            raise ValueError(f"{line}: must have {len(heads)} fields, got {len(fields)}")
        *values, amount = (field.strip() for field in fields)
        if "" in values:
            raise ValueError(f"{line}, column {heads[values.index('')]!r}: must not be empty")
        cell = tuple(
            known.setdefault(v, len(known)) for known, v in zip(codes, values, strict=True)
        )
        if cell in cells:
            raise ValueError(f"{line}: the combination {','.join(values)!r} is repeated")
        cells[cell] = _amount(amount, f"{line}, column {heads[-1]!r}")
    if not cells:
        raise ValueError("must have one line per combination, got none")
    shape = tuple(len(known) for known in codes)
    _check_size(shape)
    table = np.zeros(shape)
    for cell, amount_there in cells.items():
        table[cell] = amount_there
    return Node(
        _shares(table) if heads[-1] == "count" else table,
        features=heads[:-2],
        classes=list(codes[-1]),
    )


def _amount(text: str, where: str) -> float:
    try:
        amount = float(text)
    except ValueError:
        amount = math.nan
    if not 0.0 <= amount < math.inf:
        raise ValueError(f"{where}: must be a number of at least 0, got {text!r}")
    return amount


def _check_size(shape: tuple[int, ...]) -> None:
    if math.prod(shape) > _MOST_CELLS or len(shape) > _MOST_FEATURES + 1:
        raise ValueError(
            f"at most {_MOST_CELLS:,} combinations of up to {_MOST_FEATURES} features are "
            f"supported, got the shape {shape}"
        )


def _shares(counts: np.ndarray[Any, np.dtype[np.float64]]) -> Any:
    if not np.isfinite(counts).all() or (counts < 0.0).any() or not counts.any():
        raise ValueError("counts must be finite, not negative and not all 0")
    largest = counts.max()  # scaled, so that the sum does not overflow
    return counts / largest / (counts / largest).sum()
