"""``riparian run``: a stream in, test-then-train, a report, a model out."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Annotated, Any

import typer

from riparian.commands.messages import Json, Quiet, Splits, print_json, print_message
from riparian.commands.reading import (
    Block,
    Categorical,
    Delimiter,
    Drop,
    Encoding,
    Format,
    SkipBadRows,
    Uncertain,
    character,
    names,
)
from riparian.commands.stopping import begin_work, finishing, status_of
from riparian.options import MODEL_GROUPS, given_parameters, with_options

if TYPE_CHECKING:
    from riparian.evaluate import Result
    from riparian.streams.faults import DamagedFileError

__all__ = ["run"]

_PREFIXES = ("synth:", "dataset:")


def _listed() -> str:
    """All models, for the help."""
    groups = (f"{what[0].upper()}{what[1:]}: {', '.join(of)}." for what, of in MODEL_GROUPS.items())
    return " ".join(groups)


@with_options
def run(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="A CSV, TSV, JSON-lines, ARFF, libsvm (each also .gz, .bz2 or .xz), Parquet or "
            "Arrow file; - for standard input; synth:NAME, a built-in stream such as "
            "synth:drifting; or dataset:NAME, one that riparian datasets lists.",
        ),
    ],
    target: Annotated[
        str | None,
        typer.Option(help="The column of the classes; needed for a file, save ARFF and libsvm."),
    ] = None,
    model_out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the model to this file.")
    ] = None,
    report: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write a report as one HTML file.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
    splits: Splits = 5,
    rows: Annotated[int | None, typer.Option(min=1, help="Stop after so many rows.")] = None,
    block: Block = 10_000,
    format: Format = None,
    categorical: Categorical = None,
    drop: Drop = None,
    uncertain: Uncertain = None,
    delimiter: Delimiter = None,
    encoding: Encoding = "utf-8",
    skip_bad_rows: SkipBadRows = False,
    recipe: Annotated[
        str,
        typer.Option(
            help=f"A model. {_listed()} The options below are parameters of trees, their "
            "defaults the model's own; HoeffdingTree accepts all of them."
        ),
    ] = "StreamTree",
    assignments: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Any parameter of the model, as riparian models NAME lists them: n_estimators=5, "
            "drift=DDM, 'estimator=HAT(tau=0.1)'. Give it several times.",
        ),
    ] = None,
    **given: Any,
) -> None:
    """Learn a stream and report how well it went.

    Each row is predicted before it is learned.
    Ctrl-C (SIGINT) or SIGTERM ends the stream early: what was learned until then is reported and
    written, and the status is 130 or 143. The third signal ends the command at once.
    """
    from riparian.outputs import check_output

    check_output("--model-out", model_out)
    check_output("--report", report)
    as_text = target is not None and target in names(categorical)
    parameters = given_parameters(given, labels_as_text=as_text)
    model = _model(recipe, parameters, assignments or [], labels_as_text=as_text)
    from riparian.evaluate import Result
    from riparian.streams.faults import DamagedFileError
    from riparian.summary import console, print_run, run_dict

    if prefix := next((p for p in _PREFIXES if data.startswith(p)), None):
        named = {"target": target, "format": format, "categorical": categorical, "drop": drop}
        _refuse_for(prefix, **named, uncertain=uncertain)
        from riparian.named import open_named

        begin_work()
        stream: Any = open_named(data, print_message)
        if stream.n_rows is None and rows is None:
            print_message(f"{data} has no end; Ctrl-C stops it, or --rows")
    else:
        from riparian.streams.readers import LABELLED, file_format, open_stream

        if target is None and file_format(data, format) not in LABELLED:
            raise typer.BadParameter(
                "it is needed for a file: the column of the classes", param_hint="--target"
            )
        begin_work()
        stream = open_stream(
            data,
            target=target,
            format=format,
            categorical=names(categorical),
            drop=names(drop),
            uncertain=names(uncertain),
            delimiter=character(delimiter),
            encoding=encoding,
            skip_bad_rows=skip_bad_rows,
        )

    result = Result()
    with contextlib.ExitStack() as until_written:
        stopped = _learn(model, stream, result, until_written, block=block, rows=rows, quiet=quiet)
        if isinstance(stopped, DamagedFileError) and not (skip_bad_rows and result.n):
            raise stopped
        damaged = str(stopped) if isinstance(stopped, DamagedFileError) else None
        status = status_of(stopped) if isinstance(stopped, KeyboardInterrupt) else None
        interrupted = status is not None
        if result.skipped:
            from riparian.predictions import skipped_text

            print_message(skipped_text(result.skipped, stream.first_fault))
        # An interrupt inside a block leaves it learned in part, and not in the result.
        learned = model.n_seen_ if hasattr(model, "classes_") else 0
        if not result.n and not learned:
            print_message(
                "interrupted before the first row" if interrupted else f"{stream.name} has no rows"
            )
            raise typer.Exit(1 if status is None else status)
        _report_unknown_costs(model)
        if interrupted:
            print_message(
                f"interrupted after {learned:,} rows, which are learned; "
                f"the results are of the first {result.n:,}"
            )
        if model_out is not None:
            model.save(model_out)
            print_message(f"wrote the model to {model_out}")
        if not result.n:
            raise typer.Exit(1 if status is None else status)
        if report is not None:
            from riparian.report import write_report

            write_report(report, model, result, data)
            print_message(f"wrote the report to {report}")
    if json:
        print_json(
            run_dict(
                *(data, model, result),
                n_splits=splits,
                interrupted=interrupted,
                damaged=damaged,
            )
        )
    else:
        print_run(
            *(console(), data, model, result),
            n_splits=splits,
            interrupted=interrupted,
            damaged=damaged,
        )
    if status is not None:
        raise typer.Exit(status)
    if damaged is not None:
        print_message(f"{damaged}; all before it was learned")
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
) -> KeyboardInterrupt | DamagedFileError | None:
    """Go through the stream; what ended it early, if anything did.

    From its end on, signals wait until `until_written` is left: what was learned is written first.
    """
    from riparian.evaluate import steps
    from riparian.progress import Progress
    from riparian.streams.faults import DamagedFileError

    close = stream if hasattr(stream, "close") else contextlib.nullcontext()
    shown = None if quiet else Progress(stream, result, rows=rows)
    try:
        try:
            with close, shown or contextlib.nullcontext():
                for _ in steps(model, stream, result, block=block, rows=rows):
                    if shown is not None:
                        shown.update(model)
        finally:
            until_written.enter_context(finishing())
    except (KeyboardInterrupt, DamagedFileError) as error:
        result.skipped = getattr(stream, "skipped", 0)
        return error
    return None


def _model(
    recipe: str,
    parameters: dict[str, Any],
    assignments: list[str],
    *,
    labels_as_text: bool,
) -> Any:
    """The model of a name, with its options and assignments."""
    from riparian.errors import one_of
    from riparian.models import MODELS
    from riparian.written_models import assigned, with_parameters

    try:
        found = MODELS[one_of("recipe", recipe, MODELS)]
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--recipe") from None
    own = list(found().get_params(deep=False))
    for name in parameters:
        if name not in own:
            raise typer.BadParameter(
                _why_not(recipe, own, name), param_hint=f"--{name.replace('_', '-')}"
            )
    try:
        more = assigned(recipe, own, assignments, labels_as_text=labels_as_text)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--set") from None
    if twice := [name for name in more if name in parameters]:
        option = twice[0].replace("_", "-")
        raise typer.BadParameter(f"--{option} says {twice[0]} too", param_hint="--set")
    try:
        return with_parameters(found, {**parameters, **more})
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--set") from None


def _why_not(recipe: str, own: list[str], name: str) -> str:
    """Why a model does not accept an option, and what does."""
    from riparian.recipes import RECIPES

    if recipe in RECIPES:
        return f"{recipe} fixes it; use --recipe HoeffdingTree to choose it"
    if "estimator" in own:
        return (
            f"{recipe} has no such parameter, but its members have: "
            f"--set 'estimator=HoeffdingTree({name}=...)'"
        )
    return f"{recipe} has no such parameter"


def _report_unknown_costs(model: Any) -> None:
    """Name the labels of costs that no row had: they are likely misspelt."""
    if isinstance(getattr(model, "costs", None), dict):
        known = set(model.classes_.tolist())
        unknown = dict.fromkeys(label for pair in model.costs for label in pair)
        if missing := [repr(label) for label in unknown if label not in known]:
            print_message(f"no row had the class {', '.join(missing)}, which --costs names")


def _refuse_for(prefix: str, **options: Any) -> None:
    for name, value in options.items():
        if value:
            raise typer.BadParameter(f"is for files, not for {prefix}", param_hint=f"--{name}")
