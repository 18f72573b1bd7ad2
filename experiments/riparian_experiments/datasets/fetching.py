"""Find data sets on disk, and download those that are missing.

A download is written to the cache atomically, after it has been checked.
"""

from __future__ import annotations

import gzip
import hashlib
import http.client
import os
import sys
import tempfile
import urllib.error
import urllib.request
import zipfile
import zlib
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from riparian.show.progress import ProgressBar
from riparian.storage.outputs import open_output
from riparian_experiments.datasets.catalogue import Dataset, Original
from riparian_experiments.datasets.originals import convert

__all__ = ["VARIABLE", "cache_folder", "fetch", "find"]

#: The environment variable with a folder of data sets.
VARIABLE = "RIPARIAN_DATA"

# Errors of reading a file with unexpected content.
_UNREADABLE = (
    *(ValueError, KeyError, EOFError),
    *(zlib.error, gzip.BadGzipFile, zipfile.BadZipFile),
)
_TIMEOUT_SECONDS = 30
_CHUNK_BYTES = 1 << 16


def cache_folder() -> Path:
    """Return the folder of downloaded data sets, in the user's cache."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "riparian"


def find(dataset: Dataset) -> Path | None:
    """Return the file of a data set in the folder of ``RIPARIAN_DATA`` or in the cache, or None."""
    named = os.environ.get(VARIABLE)
    for folder in ([Path(named)] if named else []) + [cache_folder()]:
        path = folder / dataset.file
        if path.is_file():
            return path
    return None


def fetch(
    dataset: Dataset,
    *,
    urls: Sequence[str] | None = None,
    verify: bool = True,
    progress: bool | None = None,
) -> Path:
    """Download a data set into the cache.

    Parameters
    ----------
    dataset : Dataset
        The data set.
    urls : sequence of str, optional
        Other addresses of the original files, in the same order.
    verify : bool, default=True
        Whether to check that the content is as the catalogue describes it.
    progress : bool, optional
        Whether to report address, licence and progress on standard error. By default only on a
        terminal.

    Returns
    -------
    path : Path
        The file in the cache, which is written atomically.
    """
    originals = dataset.originals
    if urls is not None:
        if isinstance(urls, str) or len(urls) != len(originals):
            raise ValueError(f"urls must be a list of {len(originals)}, got {urls!r}")
        originals = tuple(
            Original(url, old.sha256, old.member) for url, old in zip(urls, originals, strict=True)
        )
    if progress or (progress is None and sys.stderr.isatty()):
        homes = ", ".join(original.url for original in originals)
        print(
            f"riparian: downloading {dataset.name} from {homes}; licence: {dataset.licence}",
            file=sys.stderr,
        )
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / dataset.file
    with ExitStack() as files:
        # Unnamed files: nothing is left behind if the program is killed.
        parts = [files.enter_context(tempfile.TemporaryFile(dir=folder)) for _ in originals]
        for original, part in zip(originals, parts, strict=True):
            try:
                # A bar on a terminal, and no lines elsewhere.
                with ProgressBar(shown=False if progress is False else None) as bar:
                    _download(original, part, bar, verify=verify)
                part.seek(0)
            except (OSError, http.client.HTTPException) as error:
                if isinstance(error, urllib.error.HTTPError):
                    error.close()
                raise ConnectionError(_absent(dataset, original, error)) from error
        with open_output(path, "wb") as file:
            try:
                convert(dataset, parts, file, verify=verify)
            except _UNREADABLE as error:
                raise ValueError(f"the download from {originals[0].url}: {error}") from None
    return path


def _absent(dataset: Dataset, original: Original, error: Exception) -> str:
    has_status = isinstance(error, urllib.error.HTTPError)
    reason = error if has_status else getattr(error, "reason", None) or error
    return (
        f"{dataset.name} is not on this machine and could not be downloaded from {original.url} "
        f"({reason}); put {dataset.file} into a folder and set {VARIABLE} to that folder, or try "
        "again with a connection"
    )


def _download(original: Original, out: BinaryIO, bar: ProgressBar, *, verify: bool) -> None:
    """Download a file completely, and check its digest."""
    if not original.url.startswith(("https://", "http://")):
        raise ValueError(f"urls must begin with https:// or http://, got {original.url!r}")
    request = urllib.request.Request(original.url, headers={"User-Agent": "riparian"})
    digest = hashlib.sha256()
    name = original.url.rsplit("/", 1)[-1]
    done = 0
    with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as response:
        length = response.headers.get("Content-Length")
        total = int(length) if length is not None and length.isdigit() else None
        while chunk := response.read(_CHUNK_BYTES):
            out.write(chunk)
            digest.update(chunk)
            done += len(chunk)
            bar.update(done, total, f"{name}  {done / 1e6:,.1f} MB")
    if total is not None and done < total:
        raise ConnectionError(f"the transfer ended after {done:,} of {total:,} bytes")
    if verify and original.sha256 is not None and digest.hexdigest() != original.sha256:
        raise ValueError(
            f"{original.url} is not the published file: its sha256 is {digest.hexdigest()}, not "
            f"{original.sha256}; verify=False accepts it"
        )
