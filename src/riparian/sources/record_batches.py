"""Record batches of Arrow as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["one_batch"]


def one_batch(batches: Sequence[Any]) -> Any:
    """Return the rows of some record batches with the same columns as one record batch.

    Parameters
    ----------
    batches : sequence of RecordBatch
        At least one row.
    """
    import pyarrow as pa

    table = pa.Table.from_batches(batches).combine_chunks()
    found = table.to_batches()
    if len(found) > 1:
        # 32 bits cannot address all text of a column, so that it stayed in several chunks.
        large = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}
        fields = [field.with_type(large.get(field.type, field.type)) for field in table.schema]
        found = table.cast(pa.schema(fields)).combine_chunks().to_batches()
    if len(found) != 1:
        raise ValueError("a chunk of rows has too many values for one record batch of Arrow")
    return found[0]
