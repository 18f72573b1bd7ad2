"""Targets that look like quantities: only classes can be learned."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["SAMPLE_ROWS", "looks_like_quantity", "quantity_text", "warn_of_quantity"]

#: The first rows, which decide what a target is and what kind a column of text is. Their number is
#: fixed: were it the size of a batch, a model would depend on its batches.
SAMPLE_ROWS = 10_000

# A numeric target with more different values than this in the first rows is a quantity.
_MOST_NUMBERS = 100
_MOST_INTEGERS = 1000


def looks_like_quantity(n_distinct: int, *, integers: bool) -> bool:
    """Return whether a numeric target with this many different values is no class."""
    return n_distinct > (_MOST_INTEGERS if integers else _MOST_NUMBERS)


def quantity_text(target: str, n_distinct: int) -> str:
    """Describe a target that looks like a quantity."""
    return (
        f"{target} looks like a quantity: {n_distinct:,} different numbers in the first rows, and "
        f"only classes can be learned"
    )


def warn_of_quantity(
    labels: NDArray[Any], n_seen: int, known: Collection[Hashable], *, stacklevel: int
) -> None:
    """Warn if the first rows of a stream have very many whole numbers as labels.

    The batch with which their number passes the limit warns, so a model warns once.

    Parameters
    ----------
    labels : ndarray
        The labels of a batch.
    n_seen : int
        Number of rows before the batch.
    known : collection
        The labels of these rows.
    stacklevel : int
        Level of the user's call, as for `warnings.warn`.
    """
    first = labels[: max(0, SAMPLE_ROWS - n_seen)]
    if not first.size or labels.dtype.kind != "i" or looks_like_quantity(len(known), integers=True):
        return
    # A short range cannot hold too many whole numbers, and is found much sooner than they are.
    if not looks_like_quantity(len(known) + int(first.max()) - int(first.min()) + 1, integers=True):
        return
    found = np.unique(first)
    n_distinct = len(known) + sum(label not in known for label in found.tolist())
    if looks_like_quantity(n_distinct, integers=True):
        message = quantity_text("y", n_distinct)
        warnings.warn(
            f"{message}; if these are classes, pass them as text or list them in classes=",
            UserWarning,
            stacklevel=stacklevel + 1,
        )
