"""Output files, which appear whole or not at all; also devices and FIFOs.

A file is written under a temporary name in the same folder and then renamed. The writer holds a
lock on the temporary file until it is renamed; the system drops the lock when the writer dies. So a
later write to the same path knows which temporary files were left behind by killed programs, even
if these ran in another container or had the same process id.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal, TextIO, overload

__all__ = ["check_output", "open_output"]

#: Links that are followed before they count as a circle, as on Linux.
_MOST_LINKS = 40
# 40 characters are at most 160 bytes. With the rest a name has at most 255, which systems allow.
_NAME_CHARACTERS = 40

_REASONS = {
    errno.ELOOP: "its links form a circle",
    errno.ENAMETOOLONG: "the name is too long",
    errno.ENOTDIR: "a part of the path is a file, not a folder",
}


@overload
def open_output(
    path: str | os.PathLike[str], mode: Literal["w"]
) -> AbstractContextManager[TextIO]: ...
@overload
def open_output(
    path: str | os.PathLike[str], mode: Literal["wb", "ab"]
) -> AbstractContextManager[BinaryIO]: ...
@contextmanager
def open_output(path: str | os.PathLike[str], mode: Literal["w", "wb", "ab"]) -> Iterator[Any]:
    """Open a path for writing.

    A file gets its name when all of it is on the disk. If the block fails, an older file stays as
    it was. A file that is replaced keeps its mode bits, and its owner if the system permits. Links
    are followed. Devices and FIFOs are written to directly.

    Parameters
    ----------
    path : str or path-like
        Where to write. A read-only file is refused, also for root.
    mode : {'w', 'wb', 'ab'}
        Text in UTF-8 with line ends as they are written, or bytes. With 'ab' a file is not
        replaced: the bytes are appended.

    Yields
    ------
    file : text or binary file
        The open file.
    """
    target = _target(path, append=mode == "ab")
    if mode == "ab" or not target.is_new:
        opened = _opened(target, mode="ab" if mode == "ab" else "wb")
    else:
        opened = _replacement(target)
    with opened as file:
        if mode == "w":
            text = io.TextIOWrapper(file, encoding="utf-8", newline="")
            yield text
            text.detach()
        else:
            yield file


def check_output(
    parameter: str, path: str | os.PathLike[str] | None, *, append: bool = False
) -> None:
    """Refuse a path that cannot be written, before the work rather than after it.

    Parameters
    ----------
    parameter : str
        The parameter or option that names the path.
    path : str, path-like or None
        Where to write. None is accepted: then nothing will be written.
    append : bool, default=False
        Whether it will be opened with 'ab'.
    """
    if path is None:
        return
    try:
        target = _target(path, append=append)
        if target.is_new:
            file = _temporary_file(target)
            file.close()
            os.unlink(file.name)
    except OSError as error:
        raise ValueError(f"{parameter} {os.fspath(path)!r}: {error.strerror}") from None
    except ValueError as error:
        raise ValueError(f"{parameter} {os.fspath(path)!r}: {error}") from None


@dataclass(frozen=True)
class _Target:
    """A path that can be written."""

    given: str
    #: Where the links lead.
    path: str
    #: The status of what exists there; None if nothing does.
    status: os.stat_result | None
    #: Whether a new file will be made; otherwise what exists there is written to.
    is_new: bool

    @property
    def folder(self) -> str:
        return os.path.dirname(self.path) or os.curdir

    @property
    def temporary_prefix(self) -> str:
        return f".{os.path.basename(self.path)[:_NAME_CHARACTERS]}.riparian-"


def _target(path: str | os.PathLike[str], *, append: bool) -> _Target:
    """Follow the links of a path; an OSError or a ValueError if it cannot be written."""
    given = os.fsdecode(path)
    if not given:
        raise ValueError("the name is empty")
    status = None
    try:
        status = os.stat(given)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise _refusal(error, given) from None
    except ValueError as error:
        # Python raises this for NUL characters and for characters that the system cannot encode.
        raise ValueError(f"the name is impossible: {error}") from None
    followed = _followed(given)
    if status is not None:
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, "it is a folder; name a file in it", given)
        if stat.S_ISSOCK(status.st_mode):
            raise OSError(errno.ENXIO, "it is a socket, which cannot be opened", given)
        # Root may write anything, so the mode bits are checked as well.
        if not status.st_mode & 0o222 or not os.access(given, os.W_OK):
            reason = "it is read-only; make it writable or choose another name"
            raise PermissionError(errno.EACCES, reason, given)
        if append or not stat.S_ISREG(status.st_mode) or followed is None:
            return _Target(given, given, status, is_new=False)
    if followed is None:
        raise FileNotFoundError(errno.ENOENT, "the descriptor is not open", given)
    target = _Target(given, followed, status, is_new=True)
    if os.path.basename(followed) in ("", os.curdir, os.pardir):
        raise IsADirectoryError(errno.EISDIR, "it names a folder; name a file in it", given)
    folder = os.path.abspath(target.folder)
    if not os.path.isdir(target.folder):
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {folder!r}", given)
    if not os.access(target.folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, f"the folder {folder!r} cannot be written", given)
    return target


def _followed(path: str) -> str | None:
    """Return where the links of the last part of a path lead, even if nothing is there.

    None means an open descriptor, such as /dev/stdout. Its file may have lost its name, and the
    holder of the descriptor would not see another file of that name.
    """
    for _ in range(_MOST_LINKS):
        try:
            link = os.readlink(path)
        except OSError:
            return path
        folder = os.path.dirname(path)
        if os.path.realpath(folder).startswith("/proc/"):
            return None
        path = os.path.join(folder, link)
    raise OSError(errno.ELOOP, _REASONS[errno.ELOOP], path)


def _is_at(status: os.stat_result, path: str) -> bool:
    try:
        return os.path.samestat(status, os.stat(path))
    except OSError:
        return False


def _refusal(error: OSError, path: str) -> OSError:
    """Return the same error in plain words, about the path that the user gave."""
    number = error.errno or errno.EIO
    return OSError(number, _REASONS.get(number) or os.strerror(number), path)


@contextmanager
def _opened(target: _Target, mode: Literal["wb", "ab"]) -> Iterator[BinaryIO]:
    """Open what exists there; a device that has disappeared does not become a file."""

    def opener(path: str, flags: int) -> int:
        return os.open(path, flags if target.is_new else flags & ~os.O_CREAT, 0o666)

    with open(target.path, mode, opener=opener) as file:
        yield file


@contextmanager
def _replacement(target: _Target) -> Iterator[BinaryIO]:
    """Open a file that gets the target's name when all of it is on the disk."""
    _remove_leftovers(target)
    file = _temporary_file(target)
    try:
        with file:
            yield file
            file.flush()
            if target.status is not None:
                _keep_owner_and_mode(file.name, target.status)
            os.fsync(file.fileno())
            if sys.platform == "win32":
                file.close()  # an open file cannot be renamed there
            # Elsewhere the lock is held until the file has its name.
            os.replace(file.name, target.path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(file.name)
        raise
    with contextlib.suppress(OSError):  # not every file system can open or sync a folder
        folder = os.open(target.folder, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _temporary_file(target: _Target) -> BinaryIO:
    """Make a locked file in the target's folder; its name has the target's and the process id."""
    mode = 0o666 if target.status is None else stat.S_IMODE(target.status.st_mode) & 0o777

    def opener(path: str, flags: int) -> int:
        return os.open(path, flags, mode)

    while True:
        name = f"{target.temporary_prefix}{os.getpid()}-{secrets.token_hex(8)}.tmp"
        try:
            file = open(os.path.join(target.folder, name), "xb", opener=opener)  # noqa: SIM115
        except OSError as error:
            raise _refusal(error, target.given) from None
        # Another program may have removed it as a leftover before it was locked.
        if _lock(file) and _is_at(os.fstat(file.fileno()), file.name):
            return file
        file.close()
        with contextlib.suppress(FileNotFoundError):
            os.unlink(file.name)


def _remove_leftovers(target: _Target) -> None:
    """Remove the temporary files of this target that no running program holds."""
    pattern = re.compile(re.escape(target.temporary_prefix) + r"\d+-[0-9a-f]{16}\.tmp")
    try:
        entries = list(os.scandir(target.folder))
    except PermissionError:  # a folder may be writable and not readable
        return
    for entry in entries:
        if pattern.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
            with contextlib.suppress(OSError):  # it is held, has gone, or is another user's
                _remove_unlocked(entry.path)


def _keep_owner_and_mode(path: str, old: os.stat_result) -> None:
    if sys.platform != "win32":
        new = os.stat(path)
        if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
            with contextlib.suppress(PermissionError):  # only root may give a file away
                os.chown(path, old.st_uid, old.st_gid)
    os.chmod(path, stat.S_IMODE(old.st_mode))


if sys.platform == "win32":
    # An open file cannot be removed there, which serves as the lock.

    def _lock(file: BinaryIO) -> bool:
        return True

    def _remove_unlocked(path: str) -> None:
        os.unlink(path)

else:
    import fcntl

    def _lock(file: BinaryIO) -> bool:
        """Lock a file until it is closed or the program ends; False if another program has it."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            # A file system without locks: no program can lock it, so none removes it.
            return True
        return True

    def _remove_unlocked(path: str) -> None:
        """Remove a file; an OSError if a program holds it or if that cannot be known."""
        with open(path, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(os.fstat(file.fileno()), path):
                os.unlink(path)
