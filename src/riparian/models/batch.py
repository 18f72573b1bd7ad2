"""A batch on its way into a model: read, then checked, then learned."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from riparian.data.labels import declared_labels, encode_labels, read_labels, read_weights
from riparian.data.reading import Reading, read
from riparian.data.schema import Schema
from riparian.data.table import Table, read_example, read_table
from riparian.models.engine import Codes, Engine, Numbers

__all__ = [
    "Checked",
    "Given",
    "class_codes",
    "names_fit",
    "read_given",
    "read_rows",
    "refuse_infinite",
]


class Given(NamedTuple):
    """What the user gave: read, and not yet compared with a model.

    Attributes
    ----------
    table : Table
        The rows that are learned.
    whole : Table
        The same rows and those of weight 0.
    labels, weights : ndarray
        One per row: of `whole` if its rows are predicted, otherwise of `table`.
    declared : list
        The classes that may come, if the user gave them.
    """

    table: Table
    whole: Table
    labels: NDArray[Any]
    weights: Numbers | None
    declared: list[Hashable]

    def counted(self, *, predicted: bool) -> Given:
        """Remove the rows of weight 0, which are ignored and add no category.

        Their labels and weights stay if they are `predicted`.
        """
        if self.weights is None or self.weights.all():
            return self
        counted = self.weights > 0.0
        table = self.whole.only(counted)
        if predicted:
            return self._replace(table=table)
        return self._replace(
            table=table, labels=self.labels[counted], weights=self.weights[counted]
        )


class Checked(NamedTuple):
    """A batch that a model can learn.

    Attributes
    ----------
    reading : Reading
        The rows in the codes of the schema, with the names that are new.
    codes, weights : ndarray
        Codes of the classes, -1 for a row of weight 0; weights of the rows.
    declared, added : list
        Classes that the user declared, and new classes among the labels.
    known : list
        All classes after the batch.
    costs : ndarray or None
        The costs of these classes.
    read_again : Table or None
        All rows, if some of them have weight 0 and are predicted. The schema must have grown
        before they are read.
    """

    reading: Reading
    codes: Codes
    weights: Numbers | None
    declared: list[Hashable]
    added: list[Hashable]
    known: list[Hashable]
    costs: Numbers | None
    read_again: Table | None

    def growth(
        self, schema: Schema, passed: list[int], *, first: bool
    ) -> tuple[()] | tuple[tuple[Any, ...], Callable[[], tuple[Any, ...]]]:
        """Return what the engine calls to add new names of the batch; empty if there are none.

        The engine adds to `passed` the numbers of the verdicts that it has passed.
        """
        reading = self.reading
        declares = self.declared and not schema.classes
        brings = reading.new_features or reading.new_categories or declares or self.added
        if not (first or brings or reading.verdicts or self.read_again is not None):
            return ()

        def grow() -> tuple[Any, ...]:
            growth = schema.grow(reading, self.declared, self.added, first=first)
            if self.read_again is None:
                return (*growth, None, passed)
            # The verdicts are about rows that are learned, among all rows that are predicted.
            rows = np.flatnonzero(self.codes >= 0).tolist()
            verdicts = [(rows[row], *rest) for row, *rest in growth[-1]]
            gone = {place: rows[row] for place, row in reading.left_out.items()}
            batch = read(schema, self.read_again, grow=False, missing_from=gone).batch
            return (*growth[:-1], verdicts, batch, passed)

        return schema.lists, grow


def read_given(X: Any, y: Any, classes: Any, sample_weight: Any, *, one: bool) -> Given:
    """Read the rows, labels, weights and classes of a user; an error if they make no batch."""
    table = read_example(X) if one else read_table(X, sparse=True)
    if table.n_rows == 0 or not (table.n_columns or table.example):
        raise ValueError(
            f"Found array with {table.n_rows} sample(s) and {table.n_columns} "
            f"feature(s) (shape=({table.n_rows}, {table.n_columns})) "
            "while a minimum of 1 is required."
        )
    labels = read_labels(y, table.n_rows)
    weights = read_weights(sample_weight, table.n_rows)
    declared = [] if classes is None else declared_labels(classes)
    return Given(table, table, labels, weights, declared)


def read_rows(X: Any) -> Table:
    """Read the rows of a batch that is predicted."""
    table = read_table(X, sparse=True)
    if table.n_rows == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape=(0, {table.n_columns})) "
            "while a minimum of 1 is required."
        )
    return table


def refuse_infinite(reading: Reading, schema: Schema) -> None:
    """Raise an error that names the first infinite value of a batch."""
    place = reading.batch.find_infinite()
    if place is None:
        return
    row, column = place
    known = len(schema.features)
    label = schema.label(column) if column < known else reading.new_features[column - known].label
    raise ValueError(
        f"column {label!r}, row {row}: inf cannot be learned; use NaN for a missing value"
    )


def names_fit(engine: Engine, reading: Reading, added: list[Hashable]) -> bool:
    """Whether all new names of a batch surely fit below `max_bytes`."""
    if engine.max_bytes is None:
        return True
    if added or reading.new_features:
        return False
    values = [value for found in reading.new_categories.values() for value in found]
    # An upper limit of the bytes of a value, its code and the growth of its table.
    names = sum(sys.getsizeof(v) + 256 for v in values)
    return not (names or reading.uncertain) or engine.surely_fits(names, reading.uncertain)


def class_codes(
    labels: NDArray[Any],
    weights: Numbers | None,
    schema: Schema,
    declared: list[Hashable],
    max_classes: int,
) -> tuple[Codes, list[Hashable]]:
    """Return the class codes and the new classes; -1 for rows of weight 0."""
    staged = schema
    if declared and not schema.classes:
        staged = Schema(schema.owner)
        staged.add_classes(declared)
    elif declared:
        unknown = [label for label in declared if label not in schema.class_codes]
        if unknown:
            raise ValueError(
                f"`classes={declared}` is not the same as on last call to partial_fit, "
                f"was: {schema.classes}"
            )
    if weights is None or weights.all():
        return encode_labels(labels, staged, grow=True, max_classes=max_classes)
    learned = weights > 0.0
    codes = np.full(labels.shape[0], -1, dtype=np.int32)
    codes[learned], added = encode_labels(
        labels[learned], staged, grow=True, max_classes=max_classes
    )
    return codes, added
