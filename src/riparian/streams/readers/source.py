"""Where the bytes of a stream come from: a file or standard input, compressed or not."""

from __future__ import annotations

import codecs
import io
import os
import queue
import select
import stat
import sys
import threading
import time
from typing import Any, BinaryIO, cast

from riparian.streams.readers.faults import DamagedFileError, place
from riparian.streams.readers.packed import unpacked

__all__ = ["Source", "not_text", "stop_live_sources"]

#: Seconds after which rows that have arrived are handed on, although more would fit in a block.
PATIENCE = 1.0

# The most bytes that are read from a pipe at once, and how often that is read ahead.
_PIECE = 1 << 16
_PIECES = 64

# How often a thread that waits for a pipe looks whether it is to stop, in seconds.
_GLANCE = 0.05

# The live sources that are open.
_live: list[Source] = []


class Source:
    """The bytes of a file, or of standard input for ``-``, and how many have been read.

    Parameters
    ----------
    path : str or path-like
        The file; ``-`` is standard input.

    Attributes
    ----------
    name : str
        What messages call it.
    n_bytes : int or None
        Size of the file on the disk; None if that is not known.
    live : bool
        Whether reading may have to wait for a writer, as with a pipe.
    interrupt : KeyboardInterrupt or None
        The interrupt that ended a live source. What arrived before it is still read.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self.is_input = self.path == "-"
        self.name = "standard input" if self.is_input else self.path
        self._file: Any
        if "://" in self.path:
            self._file, self.n_bytes = _remote(self.path)
            self.live = False
        else:
            self._file = _standard_input() if self.is_input else open(self.path, "rb")  # noqa: SIM115
            found = os.fstat(self._file.fileno()) if not self.is_input else None
            self.live = found is None or not stat.S_ISREG(found.st_mode)
            self.n_bytes = None if self.live or found is None else found.st_size or None
        self.interrupt: KeyboardInterrupt | None = None
        # Python's own standard input stays open.
        self._owned = self._file is not getattr(sys.stdin, "buffer", None)
        self._text: Any = None
        self._native: Any = None
        self._damage: DamagedFileError | None = None
        self._arrivals: _Arrivals | None = None
        if self.live:
            _live.append(self)

    @property
    def stoppable(self) -> bool:
        """Whether `stop` ends it: it is live, and a thread waits for its bytes."""
        return self._arrivals is not None

    @property
    def bytes_read(self) -> int:
        """How many bytes of the file have been read, before they are decompressed."""
        return 0 if self.live or self._file.closed else self._file.raw.tell()

    def plain(self) -> BinaryIO:
        """Give the bytes as they are."""
        return cast(BinaryIO, self._file)

    def native(self) -> Any:
        """Give a file in which pyarrow can read anywhere, without calls of Python where it can be.

        Reads from it do not count as `bytes_read`.
        """
        import pyarrow

        if self._native is None:
            if "://" in self.path:
                self._native = self._file.raw
            else:
                self._native = self._file if self.live else pyarrow.OSFile(self.path)
        return self._native

    def read(self, n: int, until: float | None = None) -> bytes | None:
        """Read decompressed bytes, about `n`; none is the end.

        Parameters
        ----------
        n : int
            How many.
        until : float, optional
            The time, as of `time.monotonic`, after which a live source gives None.

        Raises
        ------
        DamagedFileError
            Where a compressed file breaks off.
        """
        if not self.live:
            return self._read_file(n)
        try:
            if self._arrivals is None:
                # Known before its thread begins, so that an interrupt in between finds it: a file
                # must not be closed while a thread waits inside it.
                self._arrivals = _Arrivals(self._file, close=self._owned)
                self._arrivals.start()
            return self._arrivals.get(until)
        except KeyboardInterrupt as error:
            self.stop(error)
            return b""

    def _read_file(self, n: int) -> bytes:
        if self._text is None:
            self._text = unpacked(self._file)
        if self._text is self._file:
            plain: bytes = self._file.read(n)
            return plain
        pieces: list[bytes] = []
        try:
            while n > 0 and self._damage is None and (piece := self._text.read1(n)):
                pieces.append(piece)
                n -= len(piece)
        except DamagedFileError as error:
            # What was unpacked before it is given first.
            self._damage = error
        if self._damage is not None and not pieces:
            raise self._damage
        return b"".join(pieces)

    def stop(self, interrupt: KeyboardInterrupt) -> None:
        """End the source here; what has arrived is still given. A signal handler may call it."""
        self.interrupt = interrupt
        if self._arrivals is not None:
            self._arrivals.stop()

    def starts_with(self, magic: bytes) -> bool:
        """Look at the first bytes without reading them."""
        return bool(self._file.peek(len(magic))[: len(magic)] == magic)

    def close(self) -> None:
        if self in _live:
            _live.remove(self)
        if self._arrivals is not None:
            self._arrivals.close()
        elif self._owned:
            if self._native is not None:
                self._native.close()
            self._file.close()


def stop_live_sources(interrupt: KeyboardInterrupt) -> bool:
    """End the live sources that are open, so that nothing that has arrived is lost.

    A signal handler may call it.

    Parameters
    ----------
    interrupt : KeyboardInterrupt
        Raised at the ends of their streams.

    Returns
    -------
    found : bool
        Whether there was one.
    """
    found = [source for source in _live if source.stoppable]
    for source in found:
        source.stop(interrupt)
    return bool(found)


class _Arrivals:
    """The bytes of a live source, which a thread of its own waits for."""

    def __init__(self, file: io.BufferedReader, *, close: bool) -> None:
        self._closes = close
        self._queue: queue.Queue[bytes | Exception] = queue.Queue(_PIECES)
        self._ended = False
        # Plain flags: a signal handler may set them, and must not wait for a lock. No more is read;
        # nobody wants what was read.
        self._stopped = False
        self._closed = False
        # Whether the thread ends soon after it is stopped, instead of waiting for more bytes.
        self._glances = _can_be_waited_for(file)
        self._thread = threading.Thread(target=self._read, args=(file,), daemon=True)

    def start(self) -> None:
        self._thread.start()

    def _read(self, file: io.BufferedReader) -> None:
        try:
            waits = self._wait(file)
            text: Any = unpacked(file) if waits else file
            # What a decompressor holds back cannot be asked for.
            self._glances = self._glances and text is file
            # The first bytes have been looked at, and need not be waited for.
            while waits and (piece := text.read1(_PIECE)):
                if not self._put(piece):
                    return
                waits = self._wait(file)
            self._put(b"")
        except Exception as error:
            self._put(error)
        finally:
            # Not by another thread: this one may be waiting inside it.
            if self._closes:
                file.close()

    def _wait(self, file: io.BufferedReader) -> bool:
        """Wait until there is something to read; False where the source is stopped."""
        if not self._glances:
            return not self._stopped
        while not self._stopped:
            if select.select([file], [], [], _GLANCE)[0]:
                return True
        return False

    def _put(self, item: bytes | Exception) -> bool:
        while not self._closed:
            try:
                self._queue.put(item, timeout=0.1)
                return True
            except queue.Full:
                pass
        return False

    def get(self, until: float | None) -> bytes | None:
        while not self._ended:
            # Asked before the queue: what the thread has put is there when it has ended.
            alive = self._thread.is_alive()
            left = _GLANCE if until is None else min(_GLANCE, until - time.monotonic())
            try:
                item = self._queue.get(timeout=max(0.0, left))
            except queue.Empty:
                if self._stopped:
                    self._ended = not (alive and self._glances)
                elif until is not None and time.monotonic() >= until:
                    return None
                continue
            if isinstance(item, Exception):
                self._ended = True
                raise item
            self._ended = not item
            return item
        return b""

    def stop(self) -> None:
        self._stopped = True

    def close(self) -> None:
        self._stopped = self._closed = True


def _can_be_waited_for(file: io.BufferedReader) -> bool:
    try:
        return os.name == "posix" and file.fileno() < 1024  # more is too many for select
    except OSError:
        return False


def _standard_input() -> io.BufferedReader:
    """Open standard input again: a thread that waits for it must not hold the lock of Python's."""
    try:
        return io.BufferedReader(io.FileIO(os.dup(sys.stdin.fileno()), closefd=True))
    except (OSError, io.UnsupportedOperation):
        buffer = sys.stdin.buffer
        if hasattr(buffer, "peek"):
            return cast(io.BufferedReader, buffer)
        return io.BufferedReader(cast(io.RawIOBase, buffer))


def _remote(address: str) -> tuple[io.BufferedReader, int | None]:
    """Open a file of an object store, with its size."""
    import pyarrow
    import pyarrow.fs

    if address.startswith(("http://", "https://")):
        raise ValueError(
            f"{address}: web addresses are not read; pipe the file in, as in "
            f"curl -s {address} | riparian run -"
        )
    try:
        store, path = pyarrow.fs.FileSystem.from_uri(address)
        size = store.get_file_info(path).size
        return io.BufferedReader(store.open_input_file(path), 1 << 20), size
    except pyarrow.ArrowException as error:
        raise ValueError(f"{address}: {str(error).splitlines()[0]}") from None


def not_text(row: int, error: UnicodeDecodeError) -> str:
    """Report where a file is not in the encoding that was expected."""
    if row == 0 and error.object.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return (
            f"{place(row)}: the file seems to be UTF-16 text; convert it first, as in "
            f"iconv -f utf-16 -t utf-8 FILE | riparian run -"
        )
    return (
        f"{place(row)}: the byte 0x{error.object[error.start]:02x} is not {error.encoding} text; "
        f"name the file's encoding (--encoding latin-1, for one)"
    )
