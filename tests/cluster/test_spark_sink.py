"""The sink of Spark, where no rows are read and Spark is not needed."""

from types import SimpleNamespace

import pytest

import riparian as rp
from riparian.sources.source import GapError


def test_a_query_whose_checkpoint_is_gone_is_noticed(tmp_path):
    """Spark goes on where it was, and a model that began anew would lack all rows before."""
    sink = rp.cluster.spark_sink(rp.VFDT(), tmp_path, target="y")
    with pytest.raises(GapError, match="batch 7 is the first one"):
        sink(SimpleNamespace(sparkSession=None), 7)
    assert sink.last_batch == -1
