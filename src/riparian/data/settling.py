"""What a batch settles in the schema: which features are identifiers, and ignored values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from riparian.data.identifiers import verdicts_of

if TYPE_CHECKING:
    from riparian.data.reading import Reading
    from riparian.data.schema import Schema

__all__ = ["Settling"]


class Settling:
    """Tells a schema what the learned rows of a batch have settled.

    It can be called twice, and the second call gives the same as the first. So an error in the
    middle is followed by another call: the engine has learned the rows, and the schema must agree.

    Parameters
    ----------
    schema : Schema
        The schema before the batch.
    reading : Reading
        The batch.
    passed : sequence of int
        The verdicts that the engine knows. It grows while the engine learns.
    """

    __slots__ = ("_ignored", "_passed", "_reading", "_schema", "_sizes")

    def __init__(self, schema: Schema, reading: Reading, passed: Sequence[int]) -> None:
        self._schema = schema
        self._reading = reading
        self._passed = passed
        self._ignored = schema.ignored
        self._sizes: dict[int, int] | None = None

    def __call__(self, rows: int) -> list[int]:
        """Settle what the first rows of the batch settle.

        Parameters
        ----------
        rows : int
            The number of rows that were learned.

        Returns
        -------
        left_out : list of int
            Positions of features that are left out from now on.
        """
        if self._sizes is None:
            self._sizes = self._numbers_of_categories()
        self._settle_watched(rows)
        left_out = self._settle_verdicts(self._sizes)
        ignored = self._reading.ignored
        if ignored is not None:
            self._schema.ignored = self._ignored + int(ignored[:rows].sum())
        return left_out

    def _numbers_of_categories(self) -> dict[int, int]:
        features = self._schema.features
        return {p: len(features[p].codes) for p in self._reading.watched if p < len(features)}

    def _settle_watched(self, rows: int) -> None:
        schema, reading = self._schema, self._reading
        for place, column in reading.watched.items():
            watch = column.watch
            if rows < reading.n_rows and watch is not None and place < len(schema.features):
                other = column.other_code
                watch = verdicts_of(watch, column.codes[:rows], column.known, other)[1]
            else:
                watch = column.after
            schema.set_watch(place, watch)

    def _settle_verdicts(self, sizes: dict[int, int]) -> list[int]:
        schema, left_out = self._schema, []
        for place, verdict in (self._reading.verdicts[i] for i in self._passed):
            watch = verdict.watch
            if watch is None:
                schema.set_watch(place, None)
            elif watch.left_out:
                left_out.append(place)
                if watch.frees:
                    watch = replace(watch, forgotten=sizes[place])
                    schema.features[place].codes.clear()
                schema.set_watch(place, watch)
                schema.codes[place] = False
            elif place in schema.watches and not schema.watches[place].left_out:
                schema.set_watch(place, replace(schema.watches[place], cut=True))
        return left_out
