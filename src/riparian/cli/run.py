"""``riparian run``: evaluate a model on a stream, print a report and save the model."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riparian.cli.as_learned import AsLearned, learned_kinds
from riparian.cli.chosen_model import given_model
from riparian.cli.data_options import (
    Block,
    Categorical,
    ColumnNames,
    Delimiter,
    Drop,
    Encoding,
    Format,
    NoHeader,
    SkipBadRows,
    Uncertain,
    parse_delimiter,
    split_names,
)
from riparian.cli.messages import Json, Quiet, Splits, print_json, print_message, skipped_text
from riparian.cli.model_options import parse_parameters, with_options
from riparian.cli.signals import begin_work, finishing, status_of

if TYPE_CHECKING:
    from riparian.evaluate import Result
    from riparian.streams.readers.faults import DamagedFileError

__all__ = ["run"]

_PREFIXES = ("synth:", "dataset:")


@with_options
def run(
    data: Annotated[
        list[str],
        typer.Argument(
            metavar="DATA...",
            help="CSV, TSV, JSON-lines, ARFF or libsvm files (also compressed: .gz, .bz2, .xz, "
            ".zst), Parquet or Arrow files, patterns or folders, read in this order as one "
            "stream; s3:// and gs:// addresses; - for standard input; synth:NAME for a built-in "
            "generator such as synth:drifting; dataset:NAME for a data set (see riparian "
            "datasets).",
        ),
    ],
    target: Annotated[
        str | None,
        typer.Option(help="Column of the class. Required for all files except ARFF and libsvm."),
    ] = None,
    model_in: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Continue with the model in this file."),
    ] = None,
    model_out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Save the model to this file.")
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write an HTML report to this file.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
    splits: Splits = 5,
    every: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="ROWS",
            help="With --json: print a line of figures each time this many rows were learned.",
        ),
    ] = None,
    rows: Annotated[int | None, typer.Option(min=1, help="Stop after this many rows.")] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Learn with this many threads: one tree in rounds, or a forest. The model does "
            "not depend on their number. docs/cluster.md says when this pays.",
        ),
    ] = None,
    block: Block = 10_000,
    format: Format = None,
    categorical: Categorical = None,
    drop: Drop = None,
    uncertain: Uncertain = None,
    delimiter: Delimiter = None,
    encoding: Encoding = "utf-8",
    columns: ColumnNames = None,
    no_header: NoHeader = False,
    skip_bad_rows: SkipBadRows = False,
    recipe: Annotated[
        str | None,
        typer.Option(
            help="Name of the model; 'riparian models' lists them. The options below are "
            "parameters of the model and have its own defaults. HoeffdingTree accepts all of "
            "them.  [default: StreamTree]"
        ),
    ] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Set any parameter of the model: n_estimators=5, drift=DDM, "
            "'estimator=HAT(tau=0.1)'. 'riparian models NAME' lists them. Can be repeated.",
        ),
    ] = None,
    **given: Any,
) -> None:
    """Learn a stream, evaluate the model on it, and print a report.

    Each row is predicted before it is learned. Ctrl-C (SIGINT) and SIGTERM end the stream early:
    the report covers the rows up to there, the model is saved, and the exit status is 130 or 143.
    A third signal ends the command at once.
    """
    from riparian.storage.outputs import check_output

    check_output("--model-out", model_out)
    check_output("--report", report)
    as_text = target is not None and target in split_names(categorical)
    parameters = parse_parameters(given, labels_as_text=as_text)
    model = given_model(model_in, recipe, parameters, assignments, labels_as_text=as_text)
    if every is not None and not json:
        raise typer.BadParameter("is for --json", param_hint="--every")
    before = model.n_seen_ if hasattr(model, "classes_") else 0
    from riparian.evaluate import Result
    from riparian.show.as_json import run_dict
    from riparian.show.summary import console, print_run
    from riparian.streams.readers.faults import DamagedFileError

    title = data[0] if len(data) == 1 else f"{data[0]} and {len(data) - 1} more"
    if prefix := next((p for p in _PREFIXES if data[0].startswith(p)), None):
        named = {"target": target, "format": format, "categorical": categorical, "drop": drop}
        _refuse_for(prefix, **named, uncertain=uncertain, columns=columns, no_header=no_header)
        if len(data) > 1:
            raise typer.BadParameter(f"{title}: name one stream", param_hint="DATA")
        from riparian.streams.names import open_named

        begin_work()
        stream: Any = open_named(data[0], print_message)
        if stream.n_rows is None and rows is None:
            print_message(f"{title} is endless; stop it with Ctrl-C, or use --rows")
    else:
        from riparian.streams.readers.formats import LABELLED, open_stream
        from riparian.streams.readers.source import stop_live_sources

        if target is None and _first_format(data, format) not in LABELLED:
            raise typer.BadParameter(
                "is required for a file: the column of the class", param_hint="--target"
            )
        begin_work(stop_live_sources)
        known = _known_kinds(model, target) if before else {}
        stream = open_stream(
            data,
            target=target,
            kinds=known,
            format=format,
            categorical=split_names(categorical),
            drop=split_names(drop),
            uncertain=split_names(uncertain),
            delimiter=parse_delimiter(delimiter),
            encoding=encoding,
            columns=split_names(columns) or None,
            header=not no_header,
            skip_bad_rows=skip_bad_rows,
        )
        if before:
            stream = AsLearned(stream, model)

    result = Result()
    with contextlib.ExitStack() as until_written:
        stopped = _learn(
            *(model, stream, result, until_written),
            block=block,
            rows=rows,
            quiet=quiet,
            every=every,
            workers=workers,
        )
        if isinstance(stopped, DamagedFileError) and not (skip_bad_rows and result.n):
            raise stopped
        damaged = str(stopped) if isinstance(stopped, DamagedFileError) else None
        status = status_of(stopped) if isinstance(stopped, KeyboardInterrupt) else None
        interrupted = status is not None
        if result.skipped:
            print_message(skipped_text(result.skipped, stream.first_fault))
        # A block that was interrupted is partly learned, but not part of the result.
        learned = model.n_seen_ - before if hasattr(model, "classes_") else 0
        if not result.n and not learned:
            print_message(
                "interrupted before the first row" if interrupted else f"{stream.name} has no rows"
            )
            raise typer.Exit(1 if status is None else status)
        _report_unknown_costs(model)
        if interrupted:
            print_message(
                f"interrupted after {learned:,} rows were learned; "
                f"the report covers the first {result.n:,}"
            )
        if model_out is not None:
            model.save(model_out)
            print_message(f"wrote the model to {model_out}")
        if not result.n:
            raise typer.Exit(1 if status is None else status)
        if report is not None:
            from riparian.show.report import write_report

            write_report(report, model, result, title)
            print_message(f"wrote the report to {report}")
    if json:
        found = run_dict(
            *(title, model, result), n_splits=splits, interrupted=interrupted, damaged=damaged
        )
        if every is None:
            print_json(found)
        else:
            _print_line(found)
    else:
        print_run(
            *(console(), title, model, result),
            n_splits=splits,
            interrupted=interrupted,
            damaged=damaged,
        )
    if status is not None:
        raise typer.Exit(status)
    if damaged is not None:
        print_message(f"{damaged}; all rows before it were learned")
        raise typer.Exit(1)


def _learn(
    model: Any,
    stream: Any,
    result: Result,
    until_written: contextlib.ExitStack,
    *,
    block: int,
    rows: int | None,
    quiet: bool,
    every: int | None,
    workers: int | None,
) -> KeyboardInterrupt | DamagedFileError | None:
    """Evaluate the model on the stream, and return what ended the stream early, if anything.

    After the stream, signals are deferred until `until_written` is closed, so that the model and
    the report are written first.
    """
    from riparian.show.progress import Progress
    from riparian.streams.readers.faults import DamagedFileError

    close = stream if hasattr(stream, "close") else contextlib.nullcontext()
    shown = None if quiet else Progress(stream, result, rows=rows)
    try:
        try:
            with close, shown or contextlib.nullcontext():
                due = every
                for _ in _steps(model, stream, result, block, rows, workers):
                    if shown is not None:
                        shown.update(model)
                    if every is not None and due is not None and result.n >= due:
                        _print_line(_figures(model, stream, result))
                        due = (result.n // every + 1) * every
        finally:
            until_written.enter_context(finishing())
    except (KeyboardInterrupt, DamagedFileError) as error:
        result.skipped = getattr(stream, "skipped", 0)
        return error
    return None


def _steps(
    model: Any, stream: Any, result: Result, block: int, rows: int | None, workers: int | None
) -> Iterator[None]:
    """Learn the stream, in this thread or with workers."""
    from riparian.models.forests.ensemble import Ensemble

    if isinstance(model, Ensemble) and workers is not None:
        model.n_jobs, workers = workers, None  # members learn on threads, with the same result
    if workers is None:
        from riparian.evaluate import steps

        yield from steps(model, stream, result, block=block, rows=rows)
        return
    from riparian.cluster.evaluation import steps as rounds
    from riparian.cluster.team import ALONE, SHARDS
    from riparian.cluster.thread_pool import threads

    with threads(workers) as pool:
        dealt = {"shards": SHARDS, "alone": ALONE}
        yield from rounds(model, stream, result, pool, **dealt, block=block, rows=rows)


def _figures(model: Any, stream: Any, result: Result) -> dict[str, Any]:
    """Return what --every prints."""
    figures = {
        "rows": result.n,
        "accuracy": result.accuracy,
        "recent": result.recent,
        "skipped": getattr(stream, "skipped", 0),
        "seconds": round(result.seconds, 3),
    }
    leaves = getattr(model, "n_leaves_", None)
    return figures if leaves is None else {**figures, "leaves": int(leaves)}


def _print_line(value: dict[str, Any]) -> None:
    """Print an object as one line, at once."""
    import json

    print(json.dumps(value, ensure_ascii=False, allow_nan=False), flush=True)


def _known_kinds(model: Any, target: str | None) -> dict[str, Any]:
    """Return how a continued model has learned the columns of a file."""
    kinds: dict[str, Any] = learned_kinds(model)
    if target is not None and all(isinstance(label, str) for label in model._schema.classes):
        kinds[target] = "categorical"
    return kinds


def _first_format(data: list[str], asked: str | None) -> str:
    """Return the format of the first file."""
    from riparian.streams.readers.formats import file_format, is_data
    from riparian.streams.readers.many import listed

    return asked or file_format(listed(data[0], is_data)[0])


def _report_unknown_costs(model: Any) -> None:
    """Report labels of the costs that no row had: they are probably misspelt."""
    if isinstance(getattr(model, "costs", None), dict):
        known = set(model.classes_.tolist())
        unknown = dict.fromkeys(label for pair in model.costs for label in pair)
        if missing := [repr(label) for label in unknown if label not in known]:
            print_message(f"--costs names the class {', '.join(missing)}, which no row had")


def _refuse_for(prefix: str, **options: Any) -> None:
    for name, value in options.items():
        if value:
            raise typer.BadParameter(f"is only for files, not for {prefix}", param_hint=f"--{name}")
