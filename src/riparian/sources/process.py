"""Settings of a process that does nothing but learn, for months."""

from __future__ import annotations

import ctypes
import gc
import sys
from typing import Any

import pyarrow as pa

__all__ = ["prepare_process", "release_memory"]

# From <malloc.h> of glibc.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8

#: Larger blocks get pages of their own, which go back to the system when they are freed.
_LARGE = 1 << 18
#: So much free memory at the end of a heap goes back to the system.
_FREE = 1 << 22


#: Seconds after which a thread hands the interpreter over; Python's default is 0.005. A checkpoint
#: needs it three or four times while other threads poll and write, and a request even more often.
_SWITCH, _SWITCH_OF_SERVER = 0.0005, 0.00005
#: New objects after which Python looks for garbage; its default is 700. A request with thousands of
#: rows makes as many objects, and looking through them took longer than all else.
_GARBAGE = 100_000


def prepare_process(*, learns: bool = True, serves: bool = False) -> None:
    """Keep the memory of this process flat and the pauses of its threads short.

    Parameters
    ----------
    learns, serves : bool
        Whether it learns, and whether it answers requests. A server that does not learn stays
        with Python's interval: a shorter one costs each request about 5 % more CPU time.
    """
    if learns:
        sys.setswitchinterval(_SWITCH_OF_SERVER if serves else _SWITCH)
    # What was imported is never garbage, so it is not searched for any.
    gc.freeze()
    gc.set_threshold(_GARBAGE, *gc.get_threshold()[1:])
    # Arrow's own allocator keeps what a thread has freed until that thread asks for it again.
    pa.set_memory_pool(pa.system_memory_pool())
    _limit_fragmentation()


def _limit_fragmentation() -> None:
    """Let freed memory go back to the system.

    A learner has some twenty threads, most of them of a broker's client. glibc gives them heaps of
    their own, and keeps blocks as large as a model in these heaps once one of that size was freed.
    Copies of the model for checkpoints then leave holes, and the resident memory grows for hours.
    Other C libraries have no such settings.
    """
    mallopt = _of_glibc("mallopt")
    if mallopt is not None:
        mallopt(_M_ARENA_MAX, 2)
        mallopt(_M_MMAP_THRESHOLD, _LARGE)
        mallopt(_M_TRIM_THRESHOLD, _FREE)


def release_memory() -> None:
    """Give memory that was freed back to the system.

    When a broker comes back after an outage, its client holds thousands of messages for a moment.
    Small blocks of them leave free pages between those in use, which only this gives back.
    """
    pa.default_memory_pool().release_unused()
    trim = _of_glibc("malloc_trim")
    if trim is not None:
        trim(0)


def _of_glibc(name: str) -> Any:
    """Return a function of glibc; None if this is another C library."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform.startswith("linux") else None
