"""Files as streams: which reader a file needs, and `open_stream`, which gives it."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from typing import Literal, get_args

from riparian.data.uncertain_pairs import PARTS
from riparian.errors import one_of
from riparian.streams.readers.columns import Kind, Selection
from riparian.streams.readers.faults import Faults
from riparian.streams.readers.files import FileStream
from riparian.streams.readers.many import ManyFiles, listed
from riparian.streams.readers.packed import ENDINGS
from riparian.streams.readers.source import Source

__all__ = ["FORMATS", "LABELLED", "FileStream", "file_format", "is_data", "open_stream"]

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
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    target: str | Literal[False] | None = None,
    format: str | None = None,
    categorical: Collection[str] = (),
    numeric: Collection[str] = (),
    kinds: Mapping[str, Kind] | None = None,
    drop: Collection[str] = (),
    keep: Collection[str] | None = None,
    uncertain: Collection[str] = (),
    delimiter: str | None = None,
    encoding: str = "utf-8",
    columns: Sequence[str] | None = None,
    header: bool = True,
    skip_bad_rows: bool = False,
) -> FileStream | ManyFiles:
    """Open a file as a stream of labelled rows, which is read in blocks and never whole.

    A column of a text file is numeric if all known values of its first 10,000 rows are numbers. It
    holds dates, or times of day, if all of them are written as in ISO 8601; these become seconds.
    Otherwise it is categorical. An empty field, ``?``, ``NA``, ``NaN``, ``nan`` and ``null`` are
    missing.

    Parameters
    ----------
    path : str, path-like or sequence of them
        The file; ``-`` is standard input. gzip, bzip2, xz and zstd are noticed by themselves. A
        pattern such as ``logs/*.csv`` and a folder stand for several files, which are read in the
        order of their names as one stream. The first file decides the kinds of the columns.
    target : str or False, optional
        The column of the labels. Without it the rows have none, except for formats that define it
        themselves: in ARFF it is the attribute named ``class``, else the last one, in libsvm the
        first field, named ``label``. With False no labels are read from these either.
    format : {'csv', 'tsv', 'jsonl', 'arff', 'libsvm', 'parquet', 'arrow'}, optional
        By default known from the file's ending; standard input is then CSV.
    categorical, numeric : collection of str
        Columns read as text or as numbers, whatever they look like. A categorical target is text.
    kinds : mapping of str to {'numeric', 'categorical', 'date', 'time'}, optional
        What is known about columns, such as those of a model that was learned before; ``'time'``
        is a time of day. These columns may be absent.
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
    columns : sequence of str, optional
        Names for the columns of a CSV or TSV file, in place of those in its header.
    header : bool, default=True
        Whether the first line of a CSV or TSV file names the columns. Without it they are named by
        `columns`, or ``column 1``, ``column 2`` and so on.
    skip_bad_rows : bool, default=False
        Whether a row that cannot be read (ragged, in another encoding, without a label, with a text
        among numbers or an infinite value) is left out and counted in ``stream.skipped``, rather
        than an error that names it.

    Returns
    -------
    stream : BlockStream
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
    for name, kind in (kinds or {}).items():
        one_of(f"kinds[{name!r}]", kind, get_args(Kind))
    numeric = [*numeric, *(f"{feature}.{end}" for feature in uncertain for end in PARTS)]
    selection = Selection(
        target or None,
        frozenset(categorical),
        frozenset(numeric),
        drop=frozenset(drop),
        keep=None if keep is None else frozenset(keep),
        unlabelled=target is False,
        uncertain=tuple(uncertain),
        learned=frozenset(kinds or {}),
    ).with_kinds(kinds or {})
    given = [path] if isinstance(path, str | os.PathLike) else list(path)
    paths = [file for one in given for file in listed(one, is_data)]
    if not paths:
        raise ValueError("name at least one file")

    def open_one(file: str, chosen: Selection, faults: Faults) -> FileStream:
        form = file_format(file, format)
        if form not in ("csv", "tsv") and (columns is not None or not header):
            raise ValueError(f"columns and header are for CSV and TSV files, got {form}")
        source = Source(file)
        try:
            return _stream(form, source, chosen, faults, delimiter, encoding, columns, header)
        except BaseException:
            source.close()
            if source.interrupt is not None:
                raise source.interrupt from None
            raise

    if len(paths) == 1:
        return open_one(paths[0], selection, Faults(skip_bad_rows))
    return ManyFiles(paths, selection, Faults(skip_bad_rows), open_one)


def is_data(path: str) -> bool:
    """Return whether a file's ending shows that it can be read, and it is not hidden."""
    try:
        file_format(path)
    except ValueError:
        return False
    return not os.path.basename(path).startswith(".")


def _stream(
    form: str,
    source: Source,
    selection: Selection,
    faults: Faults,
    delimiter: str | None,
    encoding: str,
    columns: Sequence[str] | None,
    header: bool,
) -> FileStream:
    # pyarrow is imported with the first file, and not with the package.
    if form == "jsonl":
        from riparian.streams.readers.jsonlines import JsonLinesStream

        return JsonLinesStream(source, selection, faults)
    if form == "arff":
        from riparian.streams.readers.arff import ArffStream

        return ArffStream(source, selection, faults, encoding=encoding)
    if form == "libsvm":
        from riparian.streams.readers.libsvm import LibsvmStream

        return LibsvmStream(source, selection, faults)
    if form in ("parquet", "arrow"):
        from riparian.streams.readers.arrow import ArrowStream, ParquetStream

        return (ParquetStream if form == "parquet" else ArrowStream)(source, selection, faults)
    from riparian.streams.readers.delimited import DelimitedStream

    return DelimitedStream(
        source,
        selection,
        faults,
        delimiter=delimiter or ("\t" if form == "tsv" else ","),
        encoding=encoding,
        columns=columns,
        header=header,
    )


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
