"""Learn one model with many workers: threads, processes or a cluster."""

from riparian.cluster.pool import Handle, Pool, WorkerDied
from riparian.cluster.process_pool import processes
from riparian.cluster.thread_pool import threads

__all__ = ["Handle", "Pool", "WorkerDied", "processes", "threads"]
