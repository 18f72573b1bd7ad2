"""Learn one model with many workers: threads, processes or a cluster."""

from riparian.cluster.planet import planet
from riparian.cluster.pool import Handle, Pool, WorkerDied
from riparian.cluster.process_pool import processes
from riparian.cluster.scalparc import scalparc
from riparian.cluster.thread_pool import threads

__all__ = ["Handle", "Pool", "WorkerDied", "planet", "processes", "scalparc", "threads"]
