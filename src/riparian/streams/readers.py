"""Files as streams: which reader a file needs, and `open_stream`, which gives it."""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import Literal

from riparian.errors import one_of
from riparian.streams.arff import ArffStream
from riparian.streams.arrow import ArrowStream, ParquetStream
from riparian.streams.blocks import FileStream
from riparian.streams.columns import Selection
from riparian.streams.delimited import DelimitedStream
from riparian.streams.faults import Faults
from riparian.streams.jsonlines import JsonLinesStream
from riparian.streams.libsvm import LibsvmStream
from riparian.streams.packed import ENDINGS
from riparian.streams.source import Source
from riparian.uncertain_pairs import PARTS

__all__ = ["FORMATS", "LABELLED", "FileStream", "file_format", "open_stream"]

#: The formats, each with the endings of its files; text may also be packed, with ``.gz``, ``.bz2``
#: or ``.xz`` after it.
FORMATS = {
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "jsonl": (".jsonl", ".ndjson"),
    "arff": (".arff",),
    "libsvm": (".libsvm", ".svmlight", ".svm"),
    "parquet": (".parquet", ".pq"),
    "arrow": (".arrow", ".arrows", ".ipc", ".feather"),
}

#: The formats that define the labels themselves.
LABELLED = ("arff", "libsvm")


def open_stream(
    path: str | os.PathLike[str],
    *,
    target: str | Literal[False] | None = None,
    format: str | None = None,
    categorical: Collection[str] = (),
    numeric: Collection[str] = (),
    drop: Collection[str] = (),
    keep: Collection[str] | None = None,
    uncertain: Collection[str] = (),
    delimiter: str | None = None,
    encoding: str = "utf-8",
    skip_bad_rows: bool = False,
) -> FileStream:
    """Open a file as a stream of labelled rows, which is read in blocks and never whole.

    A column of a text file is numeric if all known values of its first 10,000 rows are numbers,
    else categorical. An empty field, ``?``, ``NA``, ``NaN``, ``nan`` and ``null`` are missing.

    Parameters
    ----------
    path : str or path-like
        The file; ``-`` is standard input. gzip, bzip2 and xz are noticed by themselves.
    target : str or False, optional
        The column of the labels. Without it the rows have none, except for formats that define it
        themselves: in ARFF it is the attribute named ``class``, else the last one, in libsvm the
        first field, named ``label``. With False no labels are read from these either.
    format : {'csv', 'tsv', 'jsonl', 'arff', 'libsvm', 'parquet', 'arrow'}, optional
        By default known from the file's ending; standard input is then CSV.
    categorical, numeric : collection of str
        Columns read as text or as numbers, whatever they look like. A categorical target is text.
    drop : collection of str
        Columns that are not read.
    keep : collection of str, optional
        If given, all other columns are left out.
    uncertain : collection of str
        Features that stand in two columns, or four: ``x.lo`` and ``x.hi`` become intervals ``x``,
        ``x.mean`` and ``x.sd`` normal distributions, all four truncated ones. Columns of structs
        in Parquet and Arrow files are recognised by themselves (docs/uncertain.md).
    delimiter : str, optional
        What separates the columns of a CSV file, by default a comma.
    encoding : str, default='utf-8'
        Of a CSV, TSV or ARFF file.
    skip_bad_rows : bool, default=False
        Whether a row that cannot be read (ragged, in another encoding, without a label, with a text
        among numbers or an infinite value) is left out and counted in ``stream.skipped``, rather
        than an error that names it.

    Returns
    -------
    stream : FileStream
        Close it, or use it in a ``with`` statement.

    Raises
    ------
    ValueError
        If the file, or a row of it, cannot be read; the message names column and row. A
        `riparian.streams.DamagedFileError` comes where a compressed file breaks off, after all rows
        before that place, with or without `skip_bad_rows`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "jobs.csv")
    >>> _ = path.write_text("age,job,happy\\n31,nurse,yes\\n?,smith,no\\n")
    >>> with open_stream(path, target="happy") as stream:
    ...     X, y = next(stream.blocks())
    >>> X["age"], X["job"], y
    (array([31., nan]), array(['nurse', 'smith'], dtype=object), array(['yes', 'no'], dtype=object))
    """
    if any(isinstance(names, str) for names in (categorical, numeric, drop, uncertain)):
        raise TypeError("categorical, numeric, drop and uncertain must be lists of names")
    numeric = [*numeric, *(f"{feature}.{end}" for feature in uncertain for end in PARTS)]
    selection = Selection(
        target or None,
        frozenset(categorical),
        frozenset(numeric),
        frozenset(drop),
        None if keep is None else frozenset(keep),
        unlabelled=target is False,
        uncertain=tuple(uncertain),
    )
    form = file_format(os.fspath(path), format)
    faults = Faults(skip_bad_rows)
    source = Source(path)
    try:
        if form == "jsonl":
            return JsonLinesStream(source, selection, faults)
        if form == "arff":
            return ArffStream(source, selection, faults, encoding=encoding)
        if form == "libsvm":
            return LibsvmStream(source, selection, faults)
        if form == "parquet":
            return ParquetStream(source, selection, faults)
        if form == "arrow":
            return ArrowStream(source, selection, faults)
        separator = delimiter or ("\t" if form == "tsv" else ",")
        return DelimitedStream(source, selection, faults, delimiter=separator, encoding=encoding)
    except BaseException:
        source.close()
        raise


def file_format(path: str, asked: str | None = None) -> str:
    """Give the format of a file: the one that was named, or that of its ending."""
    if asked is not None:
        return one_of("format", asked, FORMATS)
    if path == "-":
        return "csv"
    name = path.lower()
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    for form, endings in FORMATS.items():
        if name.endswith(endings):
            return form
    raise ValueError(
        f"the ending of {path!r} does not show its format; name it (--format {'|'.join(FORMATS)})"
    )
