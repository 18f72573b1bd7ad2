"""The source that a path, a pattern, a folder, ``-`` or ``synth:NAME`` stands for."""

from __future__ import annotations

import errno
import glob
import os
from collections.abc import Mapping

from riparian.errors import one_of
from riparian.sources.source import Source
from riparian.streams.readers.formats import file_format

__all__ = ["generated_source", "path_source"]

#: The options of files: their format, whether text has a header ("yes" or "no"; CSV and TSV have
#: one), seconds after which an unfinished line is a message, and the journal of standard input.
_OPTIONS = ("format", "header", "idle-line", "journal")


def path_source(address: str, options: Mapping[str, str], follow: bool | None) -> Source:
    """Return the source of files; see `riparian.sources.open`."""
    path = address.removeprefix("file://").removeprefix("file:")
    for name in options:
        one_of("an option of a file", name, _OPTIONS)
    # A file that is followed may come later.
    if path != "-" and not (follow or glob.has_magic(path) or os.path.exists(path)):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    form = options.get("format") or (_format(path) if path != "-" else "jsonl")
    tabular = form in ("csv", "tsv")
    header = one_of("header", options.get("header", "yes"), ("yes", "no")) == "yes" and tabular
    idle = float(options.get("idle-line", 0.0))
    if path == "-":
        from riparian.sources.standard_input import InputSource

        return InputSource(options.get("journal"), header=header)
    if "journal" in options:
        raise ValueError("a journal is for standard input; files can be read again")
    if form in ("parquet", "arrow"):
        from riparian.sources.tables import TableSource

        if follow:
            raise ValueError(f"{path}: a {form} file is written as a whole and cannot be followed")
        return TableSource(path, form)
    one_of("the format of a file", form, ("jsonl", "csv", "tsv"))
    if os.path.isdir(path) or glob.has_magic(path):
        from riparian.sources.folders import FolderSource

        return FolderSource(path, follow=bool(follow), header=header)
    from riparian.sources.files import FileSource

    return FileSource(path, follow=bool(follow), header=header, idle_line=idle)


def generated_source(address: str, options: Mapping[str, str], follow: bool | None) -> Source:
    """Return the source of a generated stream."""
    from riparian.sources.tables import GeneratedSource

    if options or follow:
        raise ValueError(f"{address}: a generated stream has no options and cannot be followed")
    return GeneratedSource(address)


def _format(path: str) -> str:
    """Return the format of a file, or of the first file of a folder or a pattern."""
    if os.path.isdir(path):
        names = sorted(name for name in os.listdir(path) if not name.startswith("."))
        if not names:
            raise ValueError(f"{path} is empty; name the format of its files (--format)")
        return _format(names[0])
    return file_format(path)
