"""Where data sets lie, and how one comes from its public home: whole and checked, or not at all."""

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
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO, TypeAlias

from riparian.datasets.catalogue import Dataset, Original
from riparian.datasets.originals import convert
from riparian.outputs import open_output

__all__ = ["VARIABLE", "cache_folder", "fetch", "find"]

#: The environment variable that names a folder of data sets.
VARIABLE = "RIPARIAN_DATA"

# What reading a file raises that is not what it should be.
_UNREADABLE = (
    *(ValueError, KeyError, EOFError),
    *(zlib.error, gzip.BadGzipFile, zipfile.BadZipFile),
)
_TIMEOUT_SECONDS = 30
_PIECE = 1 << 16


#: Called with the number of bytes that have come, and of all bytes.
Shown: TypeAlias = Callable[[int, int | None], None]


def cache_folder() -> Path:
    """Give the folder in which fetched data sets are kept, as the system has it."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "riparian"


def find(dataset: Dataset) -> Path | None:
    """Give the file of a data set, from the folder that is named or else from the cache."""
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
    """Fetch a data set from its public home into the cache.

    Parameters
    ----------
    dataset : Dataset
    urls : sequence of str, optional
        Other addresses of the original files, in their order.
    verify : bool, default=True
        Whether it must be the data set that the catalogue describes.
    progress : bool, optional
        Whether to report on standard error what is fetched, and under which licence. By default
        only on a terminal.

    Returns
    -------
    path : Path
        The file in the cache. It is there whole, or not at all.
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
            f"riparian: fetching {dataset.name} from {homes}; licence: {dataset.licence}",
            file=sys.stderr,
        )
    folder = cache_folder()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / dataset.file
    with ExitStack() as files:
        # They have no name, so a killed program leaves none of them.
        parts = [files.enter_context(tempfile.TemporaryFile(dir=folder)) for _ in originals]
        for original, part in zip(originals, parts, strict=True):
            try:
                with _bar(original.url, progress) as shown:
                    _download(original, part, shown, verify=verify)
                part.seek(0)
            except (OSError, http.client.HTTPException) as error:
                if isinstance(error, urllib.error.HTTPError):
                    error.close()
                raise ConnectionError(_absent(dataset, original, error)) from error
        with open_output(path, "wb") as file:
            try:
                convert(dataset, parts, file, verify=verify)
            except _UNREADABLE as error:
                raise ValueError(f"what came from {originals[0].url}: {error}") from None
    return path


def _absent(dataset: Dataset, original: Original, error: Exception) -> str:
    answered = isinstance(error, urllib.error.HTTPError)
    reason = error if answered else getattr(error, "reason", None) or error
    return (
        f"{dataset.name} is not here and could not be fetched from {original.url} ({reason}); "
        f"put {dataset.file} into a folder and name that in {VARIABLE}, or fetch it when there is "
        f"a connection"
    )


def _download(original: Original, out: BinaryIO, shown: Shown, *, verify: bool) -> None:
    """Write what an address gives into a file; all of it, or an error."""
    if not original.url.startswith(("https://", "http://")):
        raise ValueError(f"urls must begin with https:// or http://, got {original.url!r}")
    request = urllib.request.Request(original.url, headers={"User-Agent": "riparian"})
    digest = hashlib.sha256()
    done = 0
    with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as answer:
        length = answer.headers.get("Content-Length")
        total = int(length) if length is not None and length.isdigit() else None
        while piece := answer.read(_PIECE):
            out.write(piece)
            digest.update(piece)
            done += len(piece)
            shown(done, total)
    if total is not None and done < total:
        raise ConnectionError(f"the transfer ended after {done:,} of {total:,} bytes")
    if verify and original.sha256 is not None and digest.hexdigest() != original.sha256:
        raise ValueError(
            f"{original.url} is not the file that was published: its sha256 is "
            f"{digest.hexdigest()} and not {original.sha256}; verify=False uses it all the same"
        )


@contextmanager
def _bar(url: str, progress: bool | None) -> Iterator[Shown]:
    """Show how far a transfer has come, on a terminal."""
    if progress is False or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=20),
        DownloadColumn(),
        TimeRemainingColumn(compact=True),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task(url.rsplit("/", 1)[-1], total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
