"""What a model predicts for the rows of a file, as CSV."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from itertools import repeat
from typing import Any

import numpy as np

from riparian.outputs import open_output
from riparian.streams.columns import Columns, objects
from riparian.streams.faults import DamagedFileError
from riparian.streams.readers import open_stream
from riparian.uncertain_pairs import PARTS
from riparian.wording import distinct_texts

__all__ = ["predictions", "skipped_text", "write_predictions"]


def predictions(
    model: Any,
    data: str | os.PathLike[str],
    *,
    proba: bool = False,
    block: int = 10_000,
    format: str | None = None,
    uncertain: Sequence[str] = (),
    delimiter: str | None = None,
    encoding: str = "utf-8",
    skip_bad_rows: bool = False,
    note: Callable[[str], None] = lambda message: None,
    damaged: Callable[[DamagedFileError], None] | None = None,
) -> Iterator[Sequence[Any]]:
    """Go through a file and give the model's prediction for each row.

    Columns are found by their names and read as the kinds that the model has learned. A feature
    that the file lacks is missing in all rows; a column that the model does not know is left out.

    Parameters
    ----------
    model : HoeffdingTree
        A model that has learned.
    data : str or path-like
        The file; ``-`` is standard input.
    proba : bool, default=False
        Whether to add the probability of each class.
    block : int, default=10_000
        Rows that are read at once.
    format, uncertain, delimiter, encoding, skip_bad_rows
        As for `riparian.streams.readers.open_stream`. A row that is skipped has an empty
        prediction, so that predictions and rows stay aligned.
    note : callable
        Called with a message about what was left out or is missing.
    damaged : callable, optional
        Called with a message where a compressed file breaks off; the predictions then end there.
        Without it that is an error.

    Yields
    ------
    row : sequence
        The header first, then the predictions.
    """
    features = list(model._schema.features)
    by_name = all(isinstance(feature.name, str) for feature in features)
    parts = [f"{feature}.{end}" for feature in uncertain for end in PARTS]
    with open_stream(
        data,
        target=False,
        format=format,
        delimiter=delimiter,
        encoding=encoding,
        uncertain=uncertain,
        keep=[f.name for f in features] + parts if by_name else None,
        categorical=[f.name for f in features if by_name and f.kind == "categorical"],
        numeric=[f.name for f in features if by_name and f.kind == "numeric"],
        skip_bad_rows=skip_bad_rows,
    ) as stream:
        if by_name:
            _note_missing(features, [*stream.names, *uncertain], note)
            values = {f.label: _values(f) for f in features if f.kind == "categorical"}
        head = ["prediction", *(_heads(model) if proba else [])]
        yield head
        done = 0
        blocks = stream.blocks(block)
        while (X := _next_block(blocks, damaged)) is not None:
            rows = _as_learned(X, features, values) if by_name else _as_array(X, features)
            answers = [[answer] for answer in model.predict(rows).tolist()]
            if proba:
                for answer, shares in zip(answers, model.predict_proba(rows).tolist(), strict=True):
                    answer += shares
            for place, answer in zip(stream.places, answers, strict=True):
                yield from repeat([""] * len(head), place - done - 1)
                yield answer
                done = place
        yield from repeat([""] * len(head), stream.row + stream.skipped - done)
        if stream.skipped:
            note(skipped_text(stream.skipped, stream.first_fault))


def skipped_text(n: int, first: str | None) -> str:
    """Say how many rows were left out, and why the first of them."""
    return f"skipped {n:,} {'row' if n == 1 else 'rows'} that cannot be read; the first: {first}"


def _next_block(
    blocks: Iterator[tuple[Columns, Any]], damaged: Callable[[DamagedFileError], None] | None
) -> Columns | None:
    try:
        block = next(blocks, None)
    except DamagedFileError as error:
        if damaged is None:
            raise
        damaged(error)
        return None
    return None if block is None else block[0]


def write_predictions(rows: Iterator[Sequence[Any]], out: str | None) -> None:
    """Write rows as CSV, to a file or to standard output.

    Parameters
    ----------
    rows : iterator of sequences
    out : str or None
        The file, which appears when it is whole; None is standard output.
    """
    with nullcontext(sys.stdout) if out is None else open_output(out, "w") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def _note_missing(features: list[Any], names: list[str], note: Callable[[str], None]) -> None:
    missing = [feature.name for feature in features if feature.name not in names]
    if missing:
        shown = ", ".join(repr(name) for name in missing[:10])
        more = f" and {len(missing) - 10} more" if len(missing) > 10 else ""
        note(f"the data lacks {shown}{more}; treated as missing")


def _heads(model: Any) -> list[str]:
    return [f"probability {text}" for text in distinct_texts(model.classes_)]


def _values(feature: Any) -> dict[str, Any]:
    """The categories by the text that stands for them in a file."""
    found: dict[str, Any] = {}
    for value in feature.categories:
        text = str(value).lower() if isinstance(value, bool) else str(value)
        # A text that was learned as such goes before a number that is spelled like it.
        if isinstance(value, str) or text not in found:
            found[text] = value
    return found


def _as_learned(X: Columns, features: list[Any], values: dict[str, dict[str, Any]]) -> Columns:
    n = len(next(iter(X.values())))
    learned: Columns = {}
    for feature in features:
        column = X.get(feature.name)
        if feature.kind == "numeric":
            learned[feature.name] = np.full(n, np.nan) if column is None else column
        elif column is None:
            learned[feature.name] = objects([None] * n)
        else:
            known = values[feature.label]
            learned[feature.name] = objects([known.get(text, text) for text in column.tolist()])
    return learned


def _as_array(X: Columns, features: list[Any]) -> Any:
    """Columns for a model that has learned features by their place, not by name."""
    labels = [feature.label for feature in features]
    if all(label in X for label in labels):
        columns = [X[label] for label in labels]
    elif len(X) == len(features):
        columns = list(X.values())
    else:
        raise ValueError(
            f"the model has {len(features)} features without names, but the data has "
            f"{len(X)} columns; give it these alone, or name them {labels[0]} to {labels[-1]}"
        )
    if all(column.dtype == np.float64 for column in columns):
        return np.column_stack(columns)
    table = np.empty((len(columns[0]), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        table[:, j] = column
    return table
