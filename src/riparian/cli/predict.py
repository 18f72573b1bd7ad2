"""``riparian predict``: the predictions of a saved model for the rows of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riparian.cli.as_learned import learned_features, learned_kinds, rename, values_by_text
from riparian.cli.data_options import (
    Block,
    ColumnNames,
    Data,
    Delimiter,
    Encoding,
    Format,
    ModelFile,
    NoHeader,
    SkipBadRows,
    Uncertain,
    parse_delimiter,
    split_names,
)
from riparian.cli.messages import print_message, skipped_text
from riparian.cli.signals import begin_work

if TYPE_CHECKING:
    import os

    from riparian.data.block import Block as Rows
    from riparian.streams.readers.faults import DamagedFileError

__all__ = ["column_types", "predict", "predictions"]


def predict(
    model: ModelFile,
    data: Data,
    out: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Output file.  [default: standard output]"),
    ] = None,
    proba: Annotated[bool, typer.Option(help="Add the probability of each class.")] = False,
    block: Block = 10_000,
    format: Format = None,
    uncertain: Uncertain = None,
    delimiter: Delimiter = None,
    encoding: Encoding = "utf-8",
    columns: ColumnNames = None,
    no_header: NoHeader = False,
    skip_bad_rows: SkipBadRows = False,
) -> None:
    """Predict the class of each row.

    The output has one row per row of the data, in the same order: CSV, or by the ending of --out
    JSON lines, Parquet or Arrow. Columns are matched by name. Columns that the model does not know
    are ignored. A skipped row gets an empty prediction.
    """
    import riparian
    from riparian.storage.outputs import check_output
    from riparian.streams.readers.source import stop_live_sources
    from riparian.streams.write import TableWriter, output_format

    check_output("--out", out)
    output_format(out or "-")
    loaded = riparian.load(model)
    begin_work(stop_live_sources)
    damage: list[ValueError] = []
    blocks = predictions(
        loaded,
        data,
        proba=proba,
        block=block,
        format=format,
        uncertain=split_names(uncertain),
        delimiter=parse_delimiter(delimiter),
        encoding=encoding,
        columns=split_names(columns) or None,
        header=not no_header,
        skip_bad_rows=skip_bad_rows,
        note=print_message,
        damaged=damage.append if skip_bad_rows else None,
    )
    with TableWriter(out or "-", column_types(loaded, proba=proba)) as writer:
        for found in blocks:
            writer.write(found)
    if damage:
        print_message(f"{damage[0]}; all rows before it were predicted")
        raise typer.Exit(1)


def predictions(
    model: Any,
    data: str | os.PathLike[str] | Sequence[str],
    *,
    proba: bool = False,
    block: int = 10_000,
    format: str | None = None,
    uncertain: Sequence[str] = (),
    delimiter: str | None = None,
    encoding: str = "utf-8",
    columns: Sequence[str] | None = None,
    header: bool = True,
    skip_bad_rows: bool = False,
    note: Callable[[str], None] = lambda message: None,
    damaged: Callable[[DamagedFileError], None] | None = None,
) -> Iterator[dict[str, list[Any]]]:
    """Predict the rows of a file, one block at a time.

    Columns are matched by name and read as the kinds that the model has learned. A feature that
    the file does not have is missing in every row. A column that the model does not know is
    ignored.

    Parameters
    ----------
    model : StreamClassifier
        A fitted model.
    data : str, path-like or sequence of str
        The file or files; ``-`` is standard input.
    proba : bool, default=False
        Whether to add the probability of each class.
    block : int, default=10_000
        Number of rows to read at once.
    format, uncertain, delimiter, encoding, columns, header, skip_bad_rows
        As for `riparian.streams.readers.formats.open_stream`. A skipped row gets an empty
        prediction, so that predictions and rows stay aligned.
    note : callable
        Called with messages about missing features and skipped rows.
    damaged : callable, optional
        Called with the error if a compressed file is truncated; the predictions end there. By
        default the error is raised.

    Yields
    ------
    columns : dict of str to list
        The predictions of a block, with the names of `column_types`. None is a skipped row.
    """
    import numpy as np

    from riparian.data.uncertain_pairs import PARTS
    from riparian.streams.readers.formats import open_stream

    features = learned_features(model)
    by_name = all(isinstance(feature.name, str) for feature in features)
    parts = [f"{feature}.{end}" for feature in uncertain for end in PARTS]
    with open_stream(
        data,
        target=False,
        format=format,
        delimiter=delimiter,
        encoding=encoding,
        columns=columns,
        header=header,
        uncertain=uncertain,
        keep=[str(f.name) for f in features] + parts if by_name else None,
        kinds=learned_kinds(model) if by_name else None,
        skip_bad_rows=skip_bad_rows,
    ) as stream:
        if by_name:
            _note_missing(features, [*stream.names, *uncertain], note)
            values = {
                f.label: values_by_text(f.categories) for f in features if f.kind == "categorical"
            }
        types = column_types(model, proba=proba)
        done = 0
        blocks = stream.blocks(block)
        while (X := _next_block(blocks, damaged)) is not None:
            rows = _as_learned(X, features, values) if by_name else _as_array(X, features)
            found = [model.predict(rows).tolist()]
            if proba:
                found += model.predict_proba(rows).T.tolist()
            places = np.asarray(stream.places) - done - 1
            done = int(stream.places[-1])
            yield dict(zip(types, [_placed(column, places) for column in found], strict=True))
        left = stream.row + stream.skipped - done
        if left:
            yield {name: [None] * left for name in types}
        if stream.skipped:
            note(skipped_text(stream.skipped, stream.first_fault))


def column_types(model: Any, *, proba: bool) -> dict[str, type]:
    """Return the columns of the predictions and the type of their values."""
    kinds = set(map(type, model.classes_.tolist()))
    types: dict[str, type] = {"prediction": kinds.pop() if len(kinds) == 1 else str}
    return types | (dict.fromkeys(_probability_names(model), float) if proba else {})


def _placed(values: list[Any], places: Any) -> list[Any]:
    """Put values at their places, and None where a row was skipped."""
    if places[-1] == len(values) - 1:
        return values
    placed = [None] * (int(places[-1]) + 1)
    for place, value in zip(places.tolist(), values, strict=True):
        placed[place] = value
    return placed


def _next_block(
    blocks: Iterator[tuple[Mapping[str, Any], Any]],
    damaged: Callable[[DamagedFileError], None] | None,
) -> Any:
    from riparian.streams.readers.faults import DamagedFileError

    try:
        block = next(blocks, None)
    except DamagedFileError as error:
        if damaged is None:
            raise
        damaged(error)
        return None
    return None if block is None else block[0]


def _note_missing(features: list[Any], names: list[str], note: Callable[[str], None]) -> None:
    missing = [feature.name for feature in features if feature.name not in names]
    if missing:
        shown = ", ".join(repr(name) for name in missing[:10])
        more = f" and {len(missing) - 10} more" if len(missing) > 10 else ""
        note(f"the data lacks {shown}{more}; treated as missing")


def _probability_names(model: Any) -> list[str]:
    from riparian.data.formatting import distinct_texts

    return [f"probability {text}" for text in distinct_texts(model.classes_)]


def _as_learned(
    X: Mapping[str, Any], features: list[Any], values: dict[str, dict[str, Any]]
) -> Rows:
    """Return one column per learned feature, with the values that the model has learned."""
    import numpy as np

    from riparian.data.block import Block, Stored
    from riparian.streams.readers.columns import objects

    stored = X.stored if isinstance(X, Block) else X
    n = len(next(iter(stored.values())))
    learned: dict[str, Stored] = {}
    for feature in features:
        column = stored.get(feature.name)
        if feature.kind == "numeric":
            learned[feature.name] = np.full(n, np.nan) if column is None else column
            continue
        learned[feature.name] = (
            objects([None] * n) if column is None else rename(column, values[feature.label])
        )
    return Block(learned, n)


def _as_array(X: Mapping[str, Any], features: list[Any]) -> Any:
    """Return an array for a model whose features have positions, not names."""
    import numpy as np

    labels = [feature.label for feature in features]
    if all(label in X for label in labels):
        columns = [X[label] for label in labels]
    elif len(X) == len(features):
        columns = list(X.values())
    else:
        raise ValueError(
            f"the model has {len(features)} features without names, but the data has "
            f"{len(X)} columns; remove the other columns, or name the features {labels[0]} to "
            f"{labels[-1]}"
        )
    if all(column.dtype == np.float64 for column in columns):
        return np.column_stack(columns)
    table = np.empty((len(columns[0]), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        table[:, j] = column
    return table
