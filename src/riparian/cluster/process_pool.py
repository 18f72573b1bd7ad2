"""Workers that are processes of this machine."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import threading
import weakref
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

from riparian.cluster.lane import Args, LanePool, Remote
from riparian.cluster.pool import Handle, Make, Pool, WorkerDied
from riparian.ctrl_c import ctrl_c_blocked

__all__ = ["processes"]

#: Arguments and answers of as many bytes are not pickled with the rest, which would copy them.
_LARGE = 1 << 14


def processes(workers: int) -> Pool:
    """Return a pool of processes.

    Each process is spawned and imports what it needs. A program that makes such a pool must do so
    below ``if __name__ == "__main__":``, as with `multiprocessing`. The processes end with this
    one, even if it is killed. Ctrl-C reaches this process alone.

    Parameters
    ----------
    workers : int
        Number of processes.

    Returns
    -------
    pool : Pool
        The pool. `start` needs a `make` that can be pickled.
    """
    return _ProcessPool(workers)


class _ProcessPool(LanePool):
    kind = "process"

    def begin(self, make: Make, worker: int) -> Remote:
        return _Process(make, worker)


class _Process:
    """A worker in another process, and the pipe to it."""

    def __init__(self, make: Make, worker: int) -> None:
        self._number = worker
        #: The handles whose bytes the process has, by their key there.
        self._sent: weakref.WeakKeyDictionary[Handle, int] = weakref.WeakKeyDictionary()
        self._there: set[int] = set()
        self._next = 0
        self._ended = threading.Event()
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process: BaseProcess = context.Process(
            target=_serve, args=(other, make, worker), daemon=True, name=f"riparian worker {worker}"
        )
        with ctrl_c_blocked():
            self._process.start()
        other.close()
        self._receive()  # the worker is made, or why not

    def call(self, method: str, args: Args) -> bytes:
        new: dict[int, bytes] = {}
        sent = [self._key(arg, new) if isinstance(arg, Handle) else arg for arg in args]
        large = [arg for arg in sent if isinstance(arg, bytes) and len(arg) >= _LARGE]
        named = [None if isinstance(arg, bytes) and len(arg) >= _LARGE else arg for arg in sent]
        gone = self._there.difference(self._sent.values())
        self._there -= gone
        try:
            self._pipe.send((method, named, new, gone))
            for data in large:
                self._pipe.send_bytes(data)
        except (OSError, EOFError):
            raise self._died() from None
        return self._receive()

    def end(self) -> None:
        self._ended.set()
        self._process.kill()
        self._process.join()

    def _key(self, handle: Handle, new: dict[int, bytes]) -> int:
        if handle not in self._sent:
            self._sent[handle] = self._next
            self._there.add(self._next)
            new[self._next] = handle.data
            self._next += 1
        return self._sent[handle]

    def _receive(self) -> bytes:
        try:
            answer, error = self._pipe.recv()
            result: bytes = self._pipe.recv_bytes() if answer is None else answer
        except (OSError, EOFError):
            raise self._died() from None
        if error is not None:
            raise error
        return result

    def _died(self) -> WorkerDied:
        self._process.join(1.0)
        if self._ended.is_set():
            return WorkerDied(f"worker {self._number} was ended")
        code = self._process.exitcode
        how = f"signal {-code}" if code is not None and code < 0 else f"status {code}"
        return WorkerDied(f"worker {self._number} (process {self._process.pid}) died: {how}")


def _serve(pipe: Connection, make: Make, number: int) -> None:
    """Answer calls until the other end of the pipe is closed: the main function of a process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    kept: dict[int, bytes] = {}
    try:
        worker = make(number)
    except BaseException as error:
        _send(pipe, b"", error)
        return
    _send(pipe, b"", None)
    while True:
        try:
            method, named, new, gone = pipe.recv()
            sent = [pipe.recv_bytes() if arg is None else arg for arg in named]
        except (OSError, EOFError):
            return
        kept.update(new)
        args = [kept[arg] if isinstance(arg, int) else arg for arg in sent]
        for key in gone:
            del kept[key]
        try:
            answer = getattr(worker, method)(*args)
        except BaseException as error:
            alive = _send(pipe, b"", error)
        else:
            alive = _send(pipe, answer, None)
        if not alive:
            return


def _send(pipe: Connection, answer: bytes, error: BaseException | None) -> bool:
    """Send an answer; False if nobody is there to read it."""
    if error is not None:
        error = _as_sendable(error)
    large = len(answer) >= _LARGE
    try:
        pipe.send((None if large else answer, error))
        if large:
            pipe.send_bytes(answer)
    except OSError:
        return False
    return True


def _as_sendable(error: BaseException) -> BaseException:
    """The error itself if it can be pickled and read again, otherwise one with its text."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
