"""The algebra: summaries of rows are learned, merged, and absorbed by their tree.

A summary has the nodes of its tree and empty leaves, which learn rows and are never checked.
Merging is not associative in the last bits of its sums, so the order of merges is fixed by numbers
of shards (:mod:`riparian.cluster.shards`), never by workers.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from riparian import _core
from riparian.cluster.message import MessageError, pack_arrays, unpack_arrays
from riparian.data.costs import cost_matrix
from riparian.data.joined_names import begins_with, join_names
from riparian.data.schema import Schema
from riparian.data.settling import Settling
from riparian.data.table import with_date_parts
from riparian.errors import ModelFileError
from riparian.models.base import StreamClassifier
from riparian.models.batch import read_given
from riparian.models.learned import State
from riparian.storage.schemas import check_agreement, schema_from_json, schema_to_json

__all__ = ["Summary", "absorb", "check_mergeable"]

Codes = NDArray[np.int32]


def check_mergeable(model: StreamClassifier[Any]) -> None:
    """Raise an error that names the parameter, if several workers cannot learn a model."""
    name = type(model).__name__
    if model._native is not _core.Engine:
        raise ValueError(f"{name} cannot be learned by several workers: it is not one tree")
    axes = model._axes()
    if model._calls_user_functions:
        raise ValueError(
            f"{name} cannot be learned by several workers: a function of yours cannot be sent to "
            "them"
        )
    if why := _core.why_unmergeable(model._settings(axes)):
        raise ValueError(f"{name} cannot be learned by several workers: {why}")


class Summary:
    """What the rows of one or more shards bring to a tree.

    Parameters
    ----------
    model : StreamClassifier
        The tree, which has learned at least one row. It predicts the rows and does not change.
    like : Summary, default=None
        Another summary of the same tree, made in this way. To make a second one then costs much
        less. The same thread must use both.
    """

    def __init__(self, model: StreamClassifier[Any], like: Summary | None = None) -> None:
        self._model = model
        self.schema = model._schema.copy()
        self.schema.ignored = 0
        # Whether a feature is an identifier is decided by rows in one order.
        for place in [p for p, w in self.schema.watches.items() if not w.left_out]:
            self.schema.set_watch(place, None)
        self._core: Any = _core.Summary(model._fitted()) if like is None else like._core.another()
        costs = model._learned_with.get("costs")
        if costs is not None:
            self._core.set_costs(cost_matrix(costs, self.schema.classes))

    @property
    def rows(self) -> int:
        """How many rows were learned."""
        return int(self._core.seen)

    def learn(self, X: Any, y: Any, sample_weight: Any = None) -> tuple[Codes, Codes]:
        """Learn rows after the model has predicted them.

        Parameters
        ----------
        X, y, sample_weight
            As in `partial_fit`.

        Returns
        -------
        true, predicted : ndarray of shape (n_rows,)
            Codes of the classes. A row of weight 0 is left out.
        """
        model, schema = self._model, self.schema
        axes = model._learned_with
        given = read_given(X, y, None, sample_weight, one=False)
        table = with_date_parts(given.table, axes.get("date_parts"))
        given = given._replace(table=table, whole=table).counted(predicted=False)
        if given.table.n_rows == 0:
            empty = np.empty(0, dtype=np.int32)
            return empty, empty
        limits = model._name_limits(axes, adds_features=True)._replace(watches=False)
        state = State(model._fitted(), schema, axes, model._learning)
        batch = model._checked(given, state, limits, in_order=False)
        passed: list[int] = []
        growth = batch.growth(schema, passed, first=False)
        settle = Settling(schema, batch.reading, passed)
        predicted, _ = self._core.learn(batch.reading.batch, batch.codes, batch.weights, *growth)
        settle(batch.reading.n_rows)
        return batch.codes, np.maximum(predicted, 0)

    def merge(self, other: Summary) -> list[int]:
        """Add another summary of the same tree, of later shards.

        Returns
        -------
        classes : list of int
            The codes of its classes here.
        """
        codes, added = join_names(self.schema, other.schema)
        if added:
            self._core.add_features(added)
        self._core.merge(other._core, *codes)
        return codes.classes

    def to_bytes(self) -> bytes:
        """Return the summary as a message."""
        header = {"summary": True, "schema": schema_to_json(self.schema)}
        return pack_arrays(header, self._core.snapshot())

    @classmethod
    def from_bytes(cls, model: StreamClassifier[Any], data: bytes) -> Self:
        """Return the summary of some bytes, which can be merged and absorbed.

        Raises
        ------
        ModelFileError
            If they are damaged, or no rows could have made such a summary of this model.
        """
        try:
            header, arrays = unpack_arrays(data)
        except MessageError as error:
            raise ModelFileError(str(error)) from None
        found = cls.__new__(cls)
        found._model = model
        try:
            if header.get("summary") is not True:
                raise ModelFileError("not a summary")
            found.schema = schema_from_json(header["schema"])
            settings = model._settings(model._learned_with)
            found._core = _core.Summary.restore(settings, arrays)
            check_agreement(found.schema, arrays)
        except ModelFileError:
            raise
        except (KeyError, TypeError, ValueError, OverflowError, RecursionError) as error:
            raise ModelFileError(f"impossible contents: {str(error)[:500]}") from None
        _check_names(model._schema, found.schema)
        return found


def absorb(model: StreamClassifier[Any], summary: Summary) -> None:
    """Add a summary to its tree; then leaves that are due are checked, in the order of nodes."""
    with model._learning:
        before = model._schema
        _check_names(before, summary.schema)
        schema = summary.schema.copy()
        schema.ignored += before.ignored
        for place, watch in before.watches.items():
            schema.set_watch(place, watch)
        # A copy grows, so that an error changes nothing. Its checks count costs, and do not know
        # which features are watched: watches do not go on in rounds.
        twin = _core.Summary.copy(model._fitted())
        costs = model._learned_with.get("costs")
        if costs is not None:
            twin.set_costs(cost_matrix(costs, schema.classes))
        summary._core.grow(twin)
        model._install(model._completed(twin, schema, model._learned_with, model._learning))


def _check_names(of_tree: Schema, of_summary: Schema) -> None:
    if not begins_with(of_summary, of_tree):
        raise ModelFileError("the names of the summary are not those of its tree")
