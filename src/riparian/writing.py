"""Text files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

__all__ = ["whole_file"]


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
