"""The sink of Spark, where no rows are read and Spark is not needed."""

from types import SimpleNamespace

import pytest

import riparian as rp
from riparian.sources.source import GapError


def test_a_query_whose_checkpoint_is_gone_is_noticed(tmp_path):
    """A Spark query continues after its last batch. A new model would lack all earlier rows."""
    sink = rp.cluster.spark_sink(rp.VFDT(), tmp_path, target="y")
    with pytest.raises(GapError, match="batch 7 is the first one"):
        sink(SimpleNamespace(sparkSession=None), 7)
    assert sink.last_batch == -1
