"""The lock of a checkpoint folder: one process writes to it, on a disk of this machine."""

from __future__ import annotations

import errno
import fcntl
import os
import socket
from pathlib import Path

__all__ = ["FencedError", "FolderLock", "check_disk", "sync_folder"]

#: File systems on which neither locks nor SQLite's shared memory can be trusted.
_NETWORK = frozenset(
    {"afs", "cifs", "fuse.glusterfs", "fuse.sshfs", "ncpfs", "nfs", "nfs4", "smb3", "smbfs"}
)


class FencedError(Exception):
    """Another process writes to the checkpoint folder; this one must not."""


class FolderLock:
    """An exclusive lock on a folder, which the system drops when the process dies.

    Parameters
    ----------
    folder : path
        The folder. Its file ``lock`` names the process that holds the lock.

    Raises
    ------
    FencedError
        If another process has the lock.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "lock"
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.pread(self._file, 200, 0).decode(errors="replace").strip()
            os.close(self._file)
            if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
                raise
            raise FencedError(
                f"{folder} is in use by another learner ({holder or 'which just started'})"
            ) from None

    def sign(self, epoch: int, address: str | None = None) -> None:
        """Write who holds the lock, and where its server is."""
        text = f"pid {os.getpid()}, host {socket.gethostname()}, epoch {epoch}"
        text += "\n" if address is None else f", {address}\n"
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, text.encode(), 0)

    def release(self) -> None:
        """Drop the lock."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def check_disk(folder: Path) -> None:
    """Refuse a folder on a disk where locks do not hold.

    Raises
    ------
    OSError
        If it is on a network disk, or a lock does not exclude a second one.
    """
    kind = file_system(folder)
    if kind in _NETWORK:
        raise OSError(
            f"{folder} is on a network disk ({kind}), where locks and SQLite are not safe; "
            "use a disk of this machine"
        )
    probe = folder / ".probe"
    probe.touch()
    with open(probe, "rb") as first, open(probe, "rb") as second:
        try:
            fcntl.flock(first, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            probe.unlink(missing_ok=True)
            return
        except OSError as error:
            probe.unlink(missing_ok=True)
            raise OSError(error.errno, f"{folder}: the disk has no locks", str(folder)) from None
    probe.unlink(missing_ok=True)
    raise OSError(f"{folder}: locks on this disk exclude nobody; use a disk of this machine")


def file_system(folder: Path) -> str | None:
    """Return the kind of file system that a folder is on; None if the system does not say."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text(errors="replace").splitlines()
    except OSError:
        return None
    place = os.path.realpath(folder)
    best, kind = "", None
    for line in mounts:
        before, _, after = line.partition(" - ")
        mount = before.split(" ")[4].encode().decode("unicode_escape")
        inside = mount == "/" or place == mount or place.startswith(mount + "/")
        if inside and len(mount) >= len(best):
            best, kind = mount, after.split(" ")[0]
    return kind


def sync_folder(folder: Path) -> None:
    """Make the names of the files in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
