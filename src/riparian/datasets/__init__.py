"""The real data sets of the papers, by name.

A data set is the file ``NAME.csv.gz`` in the folder that the environment variable ``RIPARIAN_DATA``
names, or in the user's cache. What is in neither is fetched from its public home, once: OpenML, the
UCI repository or LIBSVM Data. The layout is a CSV with a header, the class in the last column,
``target``, and ``?`` for a missing value.

That a file is the data set is checked when it is read: its rows and the rows of each class must be
those of `info`, and its CSV must have the sha256 that is known of it. That of ``airlines`` is
not known, and of the files at their public homes only those of ``covertype``, ``adult`` and
``iris`` are: a copy of the others could not be compared with what is there today, so for them the
check is that of the converted content.
"""

from __future__ import annotations

import hashlib
import importlib
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal, overload
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from riparian.datasets.catalogue import ALIASES, DATASETS, Dataset, find_dataset
from riparian.datasets.fetching import VARIABLE, fetch, find
from riparian.datasets.originals import TARGET, check_meaning
from riparian.errors import one_of
from riparian.streams.memory import array_stream, gathered
from riparian.streams.readers import open_stream
from riparian.streams.source import Source
from riparian.streams.stream import Stream
from riparian.streams.wrappers import shuffled

__all__ = ["PREFIX", "Dataset", "from_name", "info", "load", "names", "where"]

PREFIX = "dataset:"


def names() -> list[str]:
    """List the data sets.

    Examples
    --------
    >>> names()[:3]
    ['elec2', 'covertype', 'adult']
    """
    return list(DATASETS)


def info(name: str) -> Dataset:
    """Describe a data set without reading it.

    Parameters
    ----------
    name : str
        One of `names`; ``electricity`` is ``elec2``.

    Examples
    --------
    >>> found = info("electricity")
    >>> found.rows, len(found.features), dict(found.classes), found.order
    (45312, 8, {'DOWN': 26075, 'UP': 19237}, 'chronological')
    """
    return find_dataset(name)


def where(name: str) -> Path | None:
    """Give the file of a data set that is here, in the named folder or the cache; else None."""
    return find(find_dataset(name))


@overload
def load(
    name: str,
    *,
    as_: Literal["stream"] = "stream",
    shuffle: int | bool | None = None,
    download: bool = True,
    verify: bool = True,
    urls: Sequence[str] | None = None,
    progress: bool | None = None,
) -> Stream: ...
@overload
def load(
    name: str,
    *,
    as_: Literal["arrays"],
    shuffle: int | bool | None = None,
    download: bool = True,
    verify: bool = True,
    urls: Sequence[str] | None = None,
    progress: bool | None = None,
) -> tuple[NDArray[np.float64], NDArray[Any]]: ...
@overload
def load(
    name: str,
    *,
    as_: Literal["frame"],
    shuffle: int | bool | None = None,
    download: bool = True,
    verify: bool = True,
    urls: Sequence[str] | None = None,
    progress: bool | None = None,
) -> Any: ...
def load(
    name: str,
    *,
    as_: str = "stream",
    shuffle: int | bool | None = None,
    download: bool = True,
    verify: bool = True,
    urls: Sequence[str] | None = None,
    progress: bool | None = None,
) -> Any:
    """Load a real data set, and fetch it first if it is not here.

    Parameters
    ----------
    name : str
        One of `names`; ``electricity`` is ``elec2``.
    as_ : {'stream', 'arrays', 'frame'}, default='stream'
        What to give: a `riparian.streams.Stream`, with the names of columns, categories and
        classes; a pair ``(X, y)`` of NumPy arrays, in which a category is a number; or a pandas
        frame, with the class in the column ``target``.
    shuffle : int or bool, optional
        A seed: the rows in random order, as `riparian.streams.shuffled` has them. By default, and
        silently with False, in the order of the file.
    download : bool, default=True
        Whether to fetch what is not here.
    verify : bool, default=True
        Whether the content must be that of the data set, see `riparian.datasets`.
    urls : sequence of str, optional
        Other addresses of the original files, in their order, such as a mirror.
    progress : bool, optional
        Whether to report the download on standard error. By default only on a terminal.

    Returns
    -------
    data : Stream, (X, y) or pandas.DataFrame

    Raises
    ------
    FileNotFoundError, ConnectionError
        If it is not here and may not, or cannot, be fetched; the message names its address and the
        environment variable.
    ValueError
        If there is no such data set, or the file is not what it should be.

    Warns
    -----
    UserWarning
        If the rows of a class stand together and `shuffle` is not given: on such a stream a model
        that repeats the last class is almost never wrong.

    Examples
    --------
    >>> stream = load("electricity")                          # doctest: +SKIP
    >>> X, y = load("iris", as_="arrays", shuffle=1)          # doctest: +SKIP
    """
    one_of("as_", as_, ("stream", "arrays", "frame"))
    dataset = find_dataset(name)
    if dataset.grouped and shuffle is None:
        warnings.warn(f"{order_note(dataset)}; shuffle=1 does, shuffle=False says no", stacklevel=2)
    path = find(dataset)
    if path is None:
        if not download:
            raise FileNotFoundError(
                f"{dataset.name} is not here: {dataset.file} is neither in the folder that "
                f"{VARIABLE} names nor in the cache; its home is {dataset.originals[0].url}"
            )
        path = fetch(dataset, urls=urls, verify=verify, progress=progress)
    stream = _read(dataset, path, verify=verify)
    if shuffle is not None and shuffle is not False:
        stream = shuffled(stream, seed=int(shuffle))
    if as_ == "stream":
        return stream
    return _arrays(stream) if as_ == "arrays" else _frame(stream)


def order_note(dataset: Dataset) -> str:
    """Say that a data set must be shuffled to be a stream."""
    return f"{dataset.name} is {dataset.order}: shuffle it before you stream it"


def from_name(name: str, note: Callable[[str], None] = lambda message: None) -> Stream:
    """Give the data set that a name describes, as the command line writes it.

    Parameters
    ----------
    name : str
        ``dataset:`` and a data set's name; ``?shuffle=SEED`` after it shuffles the rows.
    note : callable
        Called with a message if the data set should be shuffled.

    Examples
    --------
    >>> from_name("dataset:iris?shufle=1")
    Traceback (most recent call last):
    ...
    ValueError: an option of 'dataset:iris?shufle=1' must be 'shuffle', got 'shufle'; did you mean
    'shuffle'?
    """
    if not name.startswith(PREFIX):
        raise ValueError(f"a data set's name must begin with {PREFIX!r}, got {name!r}")
    wanted, _, query = name.removeprefix(PREFIX).partition("?")
    dataset = find_dataset(wanted)
    seed: int | Literal[False] = False
    if query:
        option, _, text = query.partition("=")
        one_of(f"an option of {name!r}", unquote(option), ("shuffle",))
        if not (text.isascii() and text.isdigit()):
            raise ValueError(f"{name!r}: shuffle must be a whole number, the seed, got {text!r}")
        seed = int(text)
    elif dataset.grouped:
        note(f"{order_note(dataset)} ({PREFIX}{dataset.name}?shuffle=1)")
    return load(dataset.name, shuffle=seed, progress=True)


def _read(dataset: Dataset, path: Path, *, verify: bool) -> Stream:
    try:
        with open_stream(path, target=TARGET) as file:
            file.n_rows = dataset.rows
            names = list(file.names)
            if verify and names != list(dataset.features):
                raise ValueError(f"the columns must be {', '.join(dataset.features)}")
            X, y, classes, categories = gathered(file)
        if verify:
            counts = dict(zip(map(str, classes), np.bincount(y).tolist(), strict=True))
            check_meaning(dataset, counts, _sha256(path))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    for i, name in enumerate(names):
        # Numbers are read much faster than texts; those that are categories are made such here.
        if name in dataset.nominal and name not in categories:
            categories[name] = _as_categories(X[:, i])
    return array_stream(names, X, y, classes, categories)


def _as_categories(column: NDArray[np.float64]) -> list[str]:
    """Put codes in the place of numbers, in their order, and give their texts."""
    known = ~np.isnan(column)
    values, codes = np.unique(column[known], return_inverse=True)
    column[known] = codes
    return [str(int(value)) if value.is_integer() else str(value) for value in values.tolist()]


def _sha256(path: Path) -> str:
    """The digest of a file's content, unpacked."""
    digest = hashlib.sha256()
    source = Source(path)
    try:
        content = source.decompressed()
        while piece := content.read(1 << 20):
            digest.update(piece)
    finally:
        source.close()
    return digest.hexdigest()


def _arrays(stream: Stream) -> tuple[NDArray[np.float64], NDArray[Any]]:
    assert stream.n_rows is not None
    X, y = stream.take(stream.n_rows)
    return X, np.array(stream.classes)[y]


def _frame(stream: Stream) -> Any:
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        raise ImportError("as_='frame' needs pandas: pip install pandas") from None
    X, y = _arrays(stream)
    frame = pandas.DataFrame(X, columns=stream.names)
    for name, words in stream.categories.items():
        codes = frame[name].fillna(-1).astype(int)
        frame[name] = pandas.Categorical.from_codes(codes, categories=words)
    frame[TARGET] = y
    return frame


def listing() -> list[dict[str, Any]]:
    """Describe each data set in a line of a list."""
    found = []
    for dataset in DATASETS.values():
        path = find(dataset)
        found.append(
            {
                "name": dataset.name,
                "aliases": [alias for alias, name in ALIASES.items() if name == dataset.name],
                "rows": dataset.rows,
                "features": len(dataset.features),
                "nominal": len(dataset.nominal),
                "classes": len(dataset.classes),
                "order": dataset.order,
                "source": dataset.source,
                "licence": dataset.licence,
                "urls": [original.url for original in dataset.originals],
                "file": None if path is None else str(path),
            }
        )
    return found
