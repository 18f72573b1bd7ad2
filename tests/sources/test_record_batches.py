"""Several record batches of Arrow become one, whatever they hold."""

import numpy as np
import pyarrow as pa
import pytest

from riparian.sources.record_batches import one_batch


def test_batches_become_one():
    batches = [
        pa.record_batch({"a": [1.0, None], "b": ["x", "y"]}),
        pa.record_batch({"a": [3.0], "b": ["z"]}),
    ]
    assert one_batch(batches).to_pydict() == {"a": [1.0, None, 3.0], "b": ["x", "y", "z"]}


@pytest.mark.slow  # needs 2.2 GB
def test_more_text_than_32_bits_address_loses_no_row():
    n = 1_100_000_000
    offsets = pa.py_buffer(np.array([0, n], dtype=np.int32))
    text = pa.StringArray.from_buffers(1, offsets, pa.py_buffer(np.zeros(n, np.uint8)))
    batches = [pa.record_batch({"a": pa.array([i]), "text": text}) for i in range(2)]
    found = one_batch(batches)
    assert found["a"].to_pylist() == [0, 1]
    assert len(found["text"][1].as_buffer()) == n
