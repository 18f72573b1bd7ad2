"""``riparian.cluster.spark_predict``: predict the rows of a Spark DataFrame on the executors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from riparian.models.base import StreamClassifier
from riparian.storage.modelfile import from_bytes, to_bytes

__all__ = ["spark_predict"]

#: The types of Spark and of Arrow for classes, by the kind of NumPy's type.
_TYPES = {
    "b": ("boolean", pa.bool_()),
    "i": ("bigint", pa.int64()),
    "u": ("bigint", pa.int64()),
    "f": ("double", pa.float64()),
}


def spark_predict(
    model: StreamClassifier[Any],
    frame: Any,
    *,
    column: str = "prediction",
    probabilities: str | None = None,
) -> Any:
    """Add predictions to a Spark DataFrame, which may be a stream.

    Parameters
    ----------
    model : StreamClassifier
        A model that has learned. It travels to the executors with the query.
    frame : DataFrame
        The rows. Columns that the model does not know stay as they are.
    column : str, default='prediction'
        The name of the new column, which has classes.
    probabilities : str, default=None
        The name of a further new column with an array: the probabilities of the classes in the
        order of ``model.classes_``. None is no such column.

    Returns
    -------
    DataFrame
        The same rows in the same partitions, with the new columns last.
    """
    new = [column] if probabilities is None else [column, probabilities]
    for name in new:
        if name in frame.columns:
            raise ValueError(f"the rows have a column {name!r} already; name another one")
    features = [name for name in map(str, model.feature_names_in_) if name in frame.columns]
    if not features:
        raise ValueError("the rows have none of the columns that the model knows")
    data = to_bytes(model)
    kind, arrow = _TYPES.get(np.asarray(model.classes_).dtype.kind, ("string", pa.string()))

    def predict(batches: Iterable[Any]) -> Iterator[Any]:
        own = from_bytes(data)
        for batch in batches:
            rows = batch.select(features)
            found = [*batch.columns, pa.array(own.predict(rows).tolist(), arrow)]
            if probabilities is not None:
                found.append(pa.array(own.predict_proba(rows).tolist(), pa.list_(pa.float64())))
            yield pa.RecordBatch.from_arrays(found, names=[*batch.schema.names, *new])

    from pyspark.sql.types import ArrayType, DoubleType, StructType

    # `add` changes a schema in place, and that of the rows must stay.
    schema = StructType(list(frame.schema.fields)).add(column, kind)
    if probabilities is not None:
        schema = schema.add(probabilities, ArrayType(DoubleType()))
    return frame.mapInArrow(predict, schema)
