"""Read a sparse matrix as the features of a schema, without changing the schema."""

from __future__ import annotations

import warnings
from collections.abc import Collection

from riparian.data.schema import Schema
from riparian.data.sparse import SparseMatrix
from riparian.data.values import Name

__all__ = ["sparse_in_order"]


def sparse_in_order(
    schema: Schema, matrix: SparseMatrix, declared: Collection[Name]
) -> SparseMatrix:
    """Return a sparse matrix with its columns in the order of the features.

    Parameters
    ----------
    schema : Schema
        The features so far. The columns of a sparse matrix have positions and are numeric.
    matrix : SparseMatrix
        The rows.
    declared : collection
        The names that `categorical_features` declares.
    """
    width = matrix.shape[1]
    if not schema.features:
        for name in sorted(declared, key=str):
            raise ValueError(
                f"column 'x{name}': a sparse X has numbers only, but categorical_features "
                "lists it; pass X.toarray()"
            )
        return matrix
    if schema.has_plain_positions(width):
        return matrix
    if schema.codes.count(None) < width:
        feature = next(f for f in schema.features if f.kind == "categorical")
        raise ValueError(
            f"column {feature.label!r}: a sparse X has numbers only, but the feature is "
            "categorical; pass X.toarray()"
        )
    if schema.named:
        warnings.warn(
            "X does not have feature names, but the model learned with feature names",
            UserWarning,
            stacklevel=6,
        )
        return matrix
    # Single examples may have brought the positions in another order.
    places = [schema.index.get(name, -1) for name in range(width)]
    return matrix.ordered(places) if min(places) >= 0 else matrix
