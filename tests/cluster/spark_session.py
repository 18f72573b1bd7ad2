"""A session of Spark on this machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


def session(folder: Path, master: str = "local[2]", **settings: str) -> Any:
    """Start a session with a small JVM that listens on this machine only."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    found: Any = (
        SparkSession.builder.master(master)
        .appName("riparian")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.memory", "768m")
        .config("spark.executor.memory", "512m")
        .config("spark.local.dir", str(folder / "local"))
        .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
        .config("spark.sql.shuffle.partitions", "4")
        # Each small file is a partition.
        .config("spark.sql.files.maxPartitionBytes", "1m")
        .config("spark.sql.files.openCostInBytes", "1m")
        .config("spark.executorEnv.PYTHONPATH", str(ROOT))
    )
    for name, value in settings.items():
        found = found.config(name, value)
    started = found.getOrCreate()
    started.sparkContext.setLogLevel("OFF")
    return started
