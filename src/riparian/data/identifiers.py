"""Recognise identifiers: categorical features that are new in almost every row.

A feature is watched from its first value on. While it looks like an identifier, no tree offers a
cut of it. At its 1,000th value it is an identifier if at most 1 in 100 of its values had been seen
before. An identifier is left out: its values are missing from that row on. A verdict depends only
on the values of the feature in their order, never on batches.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["LEAST_CATEGORIES", "Verdict", "Watch", "verdicts_of"]

#: The number of known values after which a feature is an identifier or not.
VALUES = 1000
#: An identifier repeats at most one of this many values.
REPEATS = 100
#: With fewer categories per feature than this, too few values are remembered to notice repeats.
LEAST_CATEGORIES = 100


@dataclass(frozen=True, slots=True)
class Watch:
    """What is known about a feature that may be an identifier.

    Attributes
    ----------
    values : int
        Known values so far.
    repeats : int
        Values among them that had been seen before.
    cut : bool
        Whether trees may cut it. They may from the first sign that it is no identifier.
    left_out : bool
        Whether it is an identifier.
    forgotten : int
        The number of its codes, if its names were freed.
    """

    values: int = 0
    repeats: int = 0
    cut: bool = False
    left_out: bool = False
    forgotten: int = 0

    @property
    def frees(self) -> bool:
        """Whether the names of the values can be freed.

        A feature that trees could cut may have nodes and certificates, which show its categories.
        """
        return self.left_out and not self.cut

    @property
    def reason(self) -> str:
        return f"{self.values - self.repeats:,} of its first {self.values:,} values were new"


class Verdict(NamedTuple):
    """What a row settles about a feature, before the row is learned.

    Attributes
    ----------
    row : int
        The row.
    watch : Watch or None
        What is known from then on; None if the feature is no identifier.
    """

    row: int
    watch: Watch | None


def verdicts_of(
    watch: Watch, codes: NDArray[np.int32], known: int, other: int
) -> tuple[list[Verdict], Watch | None]:
    """Return what the rows of a batch settle about a feature.

    Parameters
    ----------
    watch : Watch
        What is known about it.
    codes : ndarray of shape (n_rows,)
        Its codes; new ones are given in the order of their first appearance.
    known : int
        The number of codes before the batch.
    other : int
        The code of "other", or -1. Such a value counts as new.

    Returns
    -------
    verdicts : list of Verdict
        In the order of their rows; none after a last one.
    after : Watch or None
        What is known after the batch; None if the feature is no identifier.
    """
    rows = np.flatnonzero(codes >= 0)[: VALUES - watch.values]
    found = codes[rows]
    latest = np.maximum.accumulate(np.concatenate([[known - 1], found]))[:-1]
    repeated = (found <= latest) & (found != other)
    repeats = watch.repeats + np.cumsum(repeated)
    values = watch.values + np.arange(1, len(rows) + 1)
    verdicts: list[Verdict] = []
    ended = np.flatnonzero(repeats > VALUES // REPEATS)
    end = int(ended[0]) if len(ended) else None
    if not watch.cut:
        clear = np.flatnonzero(repeats > values // REPEATS)
        if len(clear):
            at = int(clear[0])
            watch = Watch(watch.values, watch.repeats, cut=True)
            verdicts.append(Verdict(int(rows[at]), watch if at != end else None))
    if end is not None:
        if watch.cut and verdicts and verdicts[-1].watch is None:
            return verdicts, None
        return [*verdicts, Verdict(int(rows[end]), None)], None
    if len(rows) and values[-1] == VALUES:
        last = Watch(VALUES, int(repeats[-1]), cut=watch.cut, left_out=True)
        return [*verdicts, Verdict(int(rows[-1]), last)], last
    if not len(rows):
        return verdicts, watch
    return verdicts, Watch(int(values[-1]), int(repeats[-1]), watch.cut)
