"""The fixed binary tree over numbers of shards, along which summaries are merged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

__all__ = ["MOST_SHARDS", "check_shards", "dealt", "groups", "merged", "slices"]

T = TypeVar("T")

MOST_SHARDS = 1024
#: A shard has as many rows, if it can: a summary of fewer costs more than its rows.
LEAST_ROWS = 1000


def check_shards(shards: int) -> int:
    """Return a number of shards; a ValueError unless it is a power of two up to 1,024."""
    whole = isinstance(shards, int) and not isinstance(shards, bool)
    if not whole or not 1 <= shards <= MOST_SHARDS or shards & (shards - 1):
        raise ValueError(f"shards must be a power of two up to {MOST_SHARDS:,}, got {shards!r}")
    return shards


def groups(shards: int, workers: int) -> list[tuple[int, int]]:
    """Return ranges of shards, each a subtree, at least one for each worker if that can be.

    Examples
    --------
    >>> groups(8, 3)
    [(0, 2), (2, 4), (4, 6), (6, 8)]
    """
    n = 1
    while n < workers and n < shards:
        n *= 2
    size = shards // n
    return [(first, first + size) for first in range(0, shards, size)]


def slices(n: int, shards: int) -> list[tuple[int, int]]:
    """Return which of n rows belong to each shard: parts that differ by at most one row."""
    return [(n * s // shards, n * (s + 1) // shards) for s in range(shards)]


def dealt(n: int, shards: int) -> list[tuple[int, int]]:
    """Return which of n rows belong to each shard, with at least 1,000 rows for each that has any.

    A summary of fewer rows costs more than to learn them. Of few rows every second shard gets none,
    or more of them, so that the workers still share them.

    Examples
    --------
    >>> dealt(40_000, 4)
    [(0, 10000), (10000, 20000), (20000, 30000), (30000, 40000)]
    >>> dealt(2500, 4)
    [(0, 1250), (1250, 1250), (1250, 2500), (2500, 2500)]
    """
    used = shards
    while used > 1 and n < used * LEAST_ROWS:
        used //= 2
    found = []
    for start, stop in slices(n, used):
        found += [(start, stop), *[(stop, stop)] * (shards // used - 1)]
    return found


def merged(parts: Mapping[int, T], first: int, end: int, merge: Callable[[T, T], T]) -> T | None:
    """Merge the parts of the shards from `first` up to `end` along the tree; absent ones are empty.

    Parameters
    ----------
    parts : mapping of int to T
        By the first shard of each part. A part may be that of a whole subtree.
    first, end : int
        A subtree.
    merge : callable
        Merges the parts of two subtrees, that of the lower shards first.
    """
    if end - first == 1 or not any(first < s < end for s in parts):
        return parts.get(first)
    middle = (first + end) // 2
    low, high = merged(parts, first, middle, merge), merged(parts, middle, end, merge)
    if low is None or high is None:
        return high if low is None else low
    return merge(low, high)
