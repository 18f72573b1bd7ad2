"""Convert the published files of a data set into the common CSV layout."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import islice
from typing import BinaryIO

from riparian_experiments.datasets.catalogue import Dataset

__all__ = ["TARGET", "check_meaning", "convert"]

#: The column of the class.
TARGET = "target"


def convert(dataset: Dataset, files: Sequence[BinaryIO], out: BinaryIO, *, verify: bool) -> None:
    """Write ``NAME.csv.gz`` from the original files, and check its content.

    Parameters
    ----------
    dataset : Dataset
        The data set.
    files : sequence of binary files
        The originals in order, each at its start. They are closed.
    out : binary file
        The output.
    verify : bool
        Whether to compare the classes and, where it is known, the sha256 of the CSV with the
        catalogue.
    """
    digest = hashlib.sha256()
    classes: Counter[str] = Counter()
    with gzip.GzipFile("", "wb", 9, out, mtime=0) as packed:
        for fields in _table(dataset, files):
            line = io.StringIO()
            csv.writer(line, lineterminator="\n").writerow(fields)
            encoded = line.getvalue().encode()
            digest.update(encoded)
            packed.write(encoded)
            classes[fields[-1]] += 1
    classes[TARGET] -= 1
    if verify:
        check_meaning(dataset, +classes, digest.hexdigest())


def check_meaning(dataset: Dataset, classes: Mapping[str, int], sha256: str | None) -> None:
    """Raise an error if the classes, their rows or the checksum differ from the catalogue."""
    if dict(classes) != dict(dataset.classes):
        raise ValueError(
            f"this is not {dataset.name}: it must have {_counts(dataset.classes)}, "
            f"but has {_counts(classes)}; verify=False accepts it"
        )
    if dataset.sha256 is not None and sha256 is not None and sha256 != dataset.sha256:
        raise ValueError(
            f"this is not the known version of {dataset.name}: rows and classes agree, but the "
            f"sha256 of its content is {sha256}, not {dataset.sha256}; verify=False accepts it"
        )


def _counts(classes: Mapping[str, int]) -> str:
    total = f"{sum(classes.values()):,} rows"
    shown = ", ".join(f"{label}: {n:,}" for label, n in sorted(classes.items())[:10])
    return f"{total} ({shown})"


def _table(dataset: Dataset, files: Sequence[BinaryIO]) -> Iterator[list[str]]:
    """Yield the header and the rows of all originals."""
    header = [*dataset.features, TARGET]
    yield header
    row = 0
    for file, original in zip(files, dataset.originals, strict=True):
        with ExitStack() as opened:
            for fields in _rows(dataset, _lines(file, original.member, opened)):
                row += 1
                if len(fields) != len(header):
                    raise ValueError(
                        f"{original.url}, row {row}: {len(fields)} fields, but {dataset.name} has "
                        f"{len(header)}"
                    )
                yield fields


def _lines(file: BinaryIO, member: str | None, opened: ExitStack) -> Iterator[str]:
    opened.enter_context(file)
    start = file.read(2)
    file.seek(0)
    if start == b"PK":
        archive = opened.enter_context(zipfile.ZipFile(file))
        file = opened.enter_context(archive.open(member or archive.namelist()[0]))  # type: ignore[assignment]
    elif start == b"\x1f\x8b":
        file = opened.enter_context(gzip.GzipFile(fileobj=file))  # type: ignore[assignment]
    return opened.enter_context(io.TextIOWrapper(file, encoding="utf-8-sig"))


def _rows(dataset: Dataset, lines: Iterator[str]) -> Iterator[list[str]]:
    if dataset.layout == "arff":
        for line in lines:
            if line.strip().lower() == "@data":
                break
    for line in islice(lines, dataset.skip_lines, None):
        text = line.strip()
        # Comments of ARFF (%) and of a file of Adult (|).
        if not text or text.startswith(("%", "|")):
            continue
        if dataset.layout == "libsvm":
            yield _dense(text, len(dataset.features))
        elif dataset.layout == "spaces":
            yield text.split()[dataset.skip_columns :]
        else:
            fields = [field.strip().strip("'\"") for field in text.split(",")]
            # The labels of Adult's test file end with a full stop.
            if fields[-1] not in dataset.classes:
                fields[-1] = fields[-1].removesuffix(".")
            yield fields


def _dense(text: str, width: int) -> list[str]:
    label, *pairs = text.split()
    fields = ["0"] * width
    for pair in pairs:
        index, _, value = pair.partition(":")
        if not index.isdigit() or not 1 <= int(index) <= width:
            raise ValueError(f"{pair!r} is not index:value with an index from 1 to {width}")
        fields[int(index) - 1] = value
    return [*fields, label.removeprefix("+")]
