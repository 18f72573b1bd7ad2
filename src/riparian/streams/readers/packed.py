"""Compressed text, unpacked while it is read; a broken file is noticed as such."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from riparian.streams.readers.faults import DamagedFileError

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["ENDINGS", "unpacked"]

#: What a compressed file's name ends with.
ENDINGS = (".gz", ".bz2", ".xz", ".zst")

_GZIP = b"\x1f\x8b"
_BZIP2 = b"BZh"
_XZ = b"\xfd7zXZ\x00"
_ZSTD = b"\x28\xb5\x2f\xfd"


def unpacked(file: io.BufferedReader) -> BinaryIO:
    """Give the bytes of a file, unpacked if its first bytes show that they are packed."""
    start = file.peek(len(_XZ))
    packed: Any
    if start.startswith(_GZIP):
        packed = gzip.GzipFile(fileobj=file, mode="rb")
    elif start.startswith(_BZIP2):
        packed = bz2.BZ2File(file)
    elif start.startswith(_XZ):
        packed = lzma.LZMAFile(file)  # noqa: SIM115
    elif start.startswith(_ZSTD):
        packed = _Zstandard(file)
    else:
        return cast(BinaryIO, file)
    return cast(BinaryIO, io.BufferedReader(_Unpacked(packed), 1 << 16))


class _Zstandard:
    """zstd, which Python itself cannot unpack before 3.14."""

    def __init__(self, file: io.BufferedReader) -> None:
        import pyarrow

        self._stream = pyarrow.CompressedInputStream(pyarrow.PythonFile(file, mode="r"), "zstd")

    def readinto1(self, buffer: Buffer) -> int:
        with memoryview(buffer) as view:
            read = self._stream.read(len(view))
            view[: len(read)] = read
            return len(read)


class _Unpacked(io.RawIOBase):
    """A decompressor whose many ways to fail are one."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        try:
            # What can be unpacked now: readinto would go on to the fault, and lose it.
            return int(self._inner.readinto1(buffer))
        except (EOFError, zlib.error, lzma.LZMAError) as error:
            raise _damaged(error) from None
        except OSError as error:
            # The modules raise it for wrong data too; only the system gives it a number.
            if error.errno is not None:
                raise
            raise _damaged(error) from None


def _damaged(error: Exception) -> DamagedFileError:
    return DamagedFileError(
        f"the compressed file is damaged or ends too early ({str(error).rstrip('.')})"
    )
