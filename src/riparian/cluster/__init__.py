"""Learn one model with many workers: threads, processes or a cluster."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from riparian.cluster.pool import Handle, Pool, WorkerDied
from riparian.cluster.process_pool import processes
from riparian.cluster.ray_pool import ray
from riparian.cluster.thread_pool import threads

if TYPE_CHECKING:
    from riparian.cluster.batch_planet import planet
    from riparian.cluster.batch_scalparc import scalparc
    from riparian.cluster.learning import learn
    from riparian.cluster.spark_batches import spark_sink
    from riparian.cluster.spark_prediction import spark_predict

__all__ = [
    "Handle",
    "Pool",
    "WorkerDied",
    "learn",
    "planet",
    "processes",
    "ray",
    "scalparc",
    "spark_predict",
    "spark_sink",
    "threads",
]


#: A worker process imports this package, and need not import what only a coordinator needs. No
#: module has the name of its function: Python would put the module in the place of the function.
_MODULES = {
    "learn": "learning",
    "planet": "batch_planet",
    "scalparc": "batch_scalparc",
    "spark_predict": "spark_prediction",
    "spark_sink": "spark_batches",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(f"riparian.cluster.{_MODULES[name]}"), name)
    raise AttributeError(f"module 'riparian.cluster' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
