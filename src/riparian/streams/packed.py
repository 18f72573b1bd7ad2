"""Compressed text, unpacked while it is read; a broken file is noticed as such."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from typing import TYPE_CHECKING, BinaryIO, cast

from riparian.streams.faults import DamagedFileError

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = ["ENDINGS", "unpacked"]

#: What a compressed file's name ends with.
ENDINGS = (".gz", ".bz2", ".xz")

_GZIP = b"\x1f\x8b"
_BZIP2 = b"BZh"
_XZ = b"\xfd7zXZ\x00"


def unpacked(file: io.BufferedReader) -> BinaryIO:
    """Give the bytes of a file, unpacked if its first bytes say that they are packed."""
    start = file.peek(len(_XZ))
    packed: io.BufferedIOBase
    if start.startswith(_GZIP):
        packed = gzip.GzipFile(fileobj=file, mode="rb")
    elif start.startswith(_BZIP2):
        packed = bz2.BZ2File(file)
    elif start.startswith(_XZ):
        packed = lzma.LZMAFile(file)  # noqa: SIM115
    else:
        return cast(BinaryIO, file)
    return cast(BinaryIO, io.BufferedReader(_Unpacked(packed), 1 << 16))


class _Unpacked(io.RawIOBase):
    """A decompressor whose many ways to fail are one."""

    def __init__(self, inner: io.BufferedIOBase) -> None:
        self._inner = inner

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Buffer) -> int:
        try:
            # What can be unpacked now: readinto would go on to the fault, and lose it.
            return self._inner.readinto1(buffer)
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
