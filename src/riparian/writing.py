"""Text files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

__all__ = ["check_writable", "whole_file"]


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """Open a UTF-8 file for writing that takes its name when all of it is there.

    Parameters
    ----------
    path : str or path-like
        Where the file will be; one that is there is replaced, or left if the writing fails.

    Yields
    ------
    file : text file
    """
    folder = os.path.dirname(os.path.abspath(path))
    handle, temporary = tempfile.mkstemp(dir=folder, prefix=".riparian-", suffix=".tmp")
    try:
        with open(handle, "w", encoding="utf-8", newline="") as file:
            yield file
        # A temporary file is its owner's alone; this one is as others are.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def check_writable(option: str, path: str | None) -> None:
    """Refuse a path that cannot become a file, before the work rather than after it.

    Parameters
    ----------
    option : str
        What asked for the file.
    path : str or None
        The file; None is none.
    """
    if path is None:
        return
    folder = os.path.dirname(os.path.abspath(path))
    if os.path.isdir(path):
        raise ValueError(f"{option} {path!r}: is a folder")
    if not os.path.isdir(folder):
        raise ValueError(f"{option} {path!r}: there is no folder {folder!r}")
    if not os.access(folder, os.W_OK):
        raise ValueError(f"{option} {path!r}: the folder {folder!r} cannot be written")
