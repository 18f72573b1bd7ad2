"""The data sets of the papers, by name.

A data set is the file ``NAME.csv.gz`` in the folder of the environment variable ``RIPARIAN_DATA``,
or in the user's cache. If it is in neither, it is downloaded once from OpenML, the UCI repository
or LIBSVM Data. The file is a CSV with a header. The class is in the last column, ``target``, and a
missing value is ``?``.

A file is checked when it is read: the number of rows, in total and of each class, must be that of
`info`, and the CSV must have the expected sha256. The sha256 of ``airlines`` is not known. The
sha256 of the original download is known for ``covertype``, ``adult`` and ``iris`` only; for the
others only the converted CSV is checked.
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

from riparian.errors import one_of
from riparian.streams.memory import array_stream, gathered
from riparian.streams.readers.formats import open_stream
from riparian.streams.readers.source import Source
from riparian.streams.stream import Stream
from riparian.streams.wrappers import shuffled
from riparian_experiments.datasets.catalogue import ALIASES, DATASETS, Dataset, find_dataset
from riparian_experiments.datasets.fetching import VARIABLE, fetch, find
from riparian_experiments.datasets.originals import TARGET, check_meaning

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
    """Return the file of a data set on this machine, or None."""
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
    """Load a data set, and download it first if necessary.

    Parameters
    ----------
    name : str
        One of `names`. ``electricity`` is another name of ``elec2``.
    as_ : {'stream', 'arrays', 'frame'}, default='stream'
        The form of the data: a `riparian.streams.Stream` with the names of columns, categories and
        classes; a pair ``(X, y)`` of NumPy arrays, in which categories are codes; or a pandas
        DataFrame with the class in the column ``target``.
    shuffle : int or bool, optional
        Seed of a random order of the rows, see `riparian.streams.shuffled`. By default the rows
        have the order of the file. False does the same and turns the warning off.
    download : bool, default=True
        Whether to download a data set that is not on this machine.
    verify : bool, default=True
        Whether to check the content, see `riparian_experiments.datasets`.
    urls : sequence of str, optional
        Other addresses of the original files, in the same order, such as a mirror.
    progress : bool, optional
        Whether to report the download on standard error. By default only on a terminal.

    Returns
    -------
    data : Stream, (X, y) or pandas.DataFrame

    Raises
    ------
    FileNotFoundError, ConnectionError
        If it is not on this machine and `download` is False or fails. The message names the
        address and the environment variable.
    ValueError
        If there is no such data set, or the content of the file is not the expected one.

    Warns
    -----
    UserWarning
        If the rows are grouped by class and `shuffle` is not given. On such a stream, predicting
        the last class again is almost always right.

    Examples
    --------
    >>> stream = load("electricity")                          # doctest: +SKIP
    >>> X, y = load("iris", as_="arrays", shuffle=1)          # doctest: +SKIP
    """
    one_of("as_", as_, ("stream", "arrays", "frame"))
    dataset = find_dataset(name)
    if dataset.grouped and shuffle is None:
        warnings.warn(
            f"{order_note(dataset)}; use shuffle=1, or shuffle=False to keep the order",
            stacklevel=2,
        )
    path = find(dataset)
    if path is None:
        if not download:
            raise FileNotFoundError(
                f"{dataset.name} is not on this machine: {dataset.file} is neither in the folder "
                f"of {VARIABLE} nor in the cache; it is at {dataset.originals[0].url}"
            )
        path = fetch(dataset, urls=urls, verify=verify, progress=progress)
    stream = _read(dataset, path, verify=verify)
    if shuffle is not None and shuffle is not False:
        stream = shuffled(stream, seed=int(shuffle))
    if as_ == "stream":
        return stream
    return _arrays(stream) if as_ == "arrays" else _frame(stream)


def order_note(dataset: Dataset) -> str:
    """Return a note that the rows of a data set must be shuffled."""
    return f"{dataset.name} is {dataset.order}: shuffle it before streaming"


def from_name(name: str, note: Callable[[str], None] = lambda message: None) -> Stream:
    """Return the data set of a name such as ``dataset:elec2``, as a stream.

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
            raise ValueError(f"{name!r}: shuffle must be a seed, a whole number, got {text!r}")
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
        # Numeric categories are read as numbers, which is much faster, and converted here.
        if name in dataset.nominal and name not in categories:
            categories[name] = _as_categories(X[:, i])
    return array_stream(names, X, y, classes, categories)


def _as_categories(column: NDArray[np.float64]) -> list[str]:
    """Replace the numbers of a column by codes in ascending order, and return their texts."""
    known = ~np.isnan(column)
    values, codes = np.unique(column[known], return_inverse=True)
    column[known] = codes
    return [str(int(value)) if value.is_integer() else str(value) for value in values.tolist()]


def _sha256(path: Path) -> str:
    """Return the digest of a file's uncompressed content."""
    digest = hashlib.sha256()
    source = Source(path)
    try:
        while chunk := source.read(1 << 20):
            digest.update(chunk)
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
    """Return a description of each data set, for tables and JSON."""
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
