"""The command line: ``riparian run``, ``predict``, ``show``, ``compare`` and the others.

It is thin over the library. Imports wait until a command needs them: ``riparian --help`` must not.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, ParamSpec

import typer

from riparian.commands.compare import compare
from riparian.commands.generate import generate
from riparian.commands.reproduce import reproduce
from riparian.options import RECIPE_NAMES, given_parameters, read_costs, with_options

if TYPE_CHECKING:
    from riparian.evaluate import Result
    from riparian.streams.faults import DamagedFileError

__all__ = ["app", "main"]

P = ParamSpec("P")

_INTERRUPTED = 130
_PIPE_CLOSED = 141
_PREFIXES = ("synth:", "dataset:")
#: What ``riparian export`` writes, and the options of each.
_EXPORTS = {
    "sql": ("leaf", "table", "proba"),
    "python": ("leaf",),
    "c": ("leaf", "name"),
    "onnx": ("leaf", "dtype"),
    "text": ("depth",),
    "dot": ("depth",),
}

app = typer.Typer(
    name="riparian",
    help="Decision trees that learn from data that never stops arriving.",
    epilog="Example: riparian run data.csv --target class --report report.html",
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def main() -> None:
    """Run the command line."""
    app()


def _plainly(command: Callable[P, None]) -> Callable[P, None]:
    """Say what failed in one line, and end with the right status."""

    @functools.wraps(command)
    def told(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
            sys.stdout.flush()
        except KeyboardInterrupt:
            _say("interrupted")
            raise typer.Exit(_INTERRUPTED) from None
        except BrokenPipeError:
            # Nobody reads on, as with ``| head``; nor may Python try to write the rest at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(_PIPE_CLOSED) from None
        except OSError as error:
            what = f"{error.strerror}: {error.filename}" if error.filename else str(error)
            _say(what)
            raise typer.Exit(1) from None
        except (ValueError, TypeError, ImportError, MemoryError) as error:
            _say(str(error) or type(error).__name__)
            raise typer.Exit(1) from None

    return told


def _say(message: str) -> None:
    print(f"riparian: {' '.join(message.split())}", file=sys.stderr)


def _version(wanted: bool) -> None:
    if wanted:
        from riparian import __version__

        print(f"riparian {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Say the version.")
    ] = False,
) -> None:
    """Take the options that stand before a command."""


Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="A CSV, TSV, JSON-lines, ARFF, libsvm (each also .gz, .bz2 or .xz), Parquet or Arrow "
        "file; - for standard input.",
    ),
]
ModelFile = Annotated[
    str, typer.Argument(metavar="MODEL", help="A model file of riparian run --model-out.")
]
Format = Annotated[
    str | None,
    typer.Option(
        help="csv, tsv, jsonl, arff, libsvm, parquet or arrow.  [default: by the file's ending]"
    ),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(metavar="NAMES", help="Columns taken as text, comma-separated."),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="NAMES", help="Columns that are not read, comma-separated."),
]
Uncertain = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAMES",
        help="Features that stand in two columns, comma-separated: x for x.lo and x.hi, or x.mean "
        "and x.sd. Structs in Parquet and Arrow files need no naming.",
    ),
]
Delimiter = Annotated[str | None, typer.Option(help="What separates the columns of a CSV file.")]
Encoding = Annotated[str, typer.Option(help="Encoding of a CSV, TSV or ARFF file.")]
SkipBadRows = Annotated[
    bool,
    typer.Option("--skip-bad-rows", help="Leave out and count rows that cannot be read."),
]
Block = Annotated[int, typer.Option(min=1, help="Rows that are read at once.")]
Json = Annotated[bool, typer.Option("--json", help="Print the report as JSON.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
Splits = Annotated[
    int, typer.Option("--splits", min=0, help="How many of the last splits to tell.")
]


@app.command()
@_plainly
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
            help=f"{', '.join(RECIPE_NAMES[:-1])} or {RECIPE_NAMES[-1]}; the options below are its "
            "parameters, and their defaults are its own. HoeffdingTree takes all but --version and "
            "--test."
        ),
    ] = "StreamTree",
    **given: Any,
) -> None:
    """Learn a stream and report how well it went.

    Each row is predicted before it is learned.
    Ctrl-C ends the stream early: what was learned until then is reported and written.
    """
    from riparian.writing import check_writable

    check_writable("--model-out", model_out)
    check_writable("--report", report)
    as_text = target is not None and target in _names(categorical)
    model = _model(recipe, given_parameters(given, labels_as_text=as_text))
    if prefix := next((p for p in _PREFIXES if data.startswith(p)), None):
        named = {"target": target, "format": format, "categorical": categorical, "drop": drop}
        _refuse_for(prefix, **named, uncertain=uncertain)
        from riparian.named import open_named

        stream: Any = open_named(data, _say)
        if stream.n_rows is None and rows is None:
            _say(f"{data} has no end; Ctrl-C stops it, or --rows")
    else:
        from riparian.streams.readers import LABELLED, file_format, open_stream

        if target is None and file_format(data, format) not in LABELLED:
            raise typer.BadParameter(
                "it is needed for a file: the column of the classes", param_hint="--target"
            )
        stream = open_stream(
            data,
            target=target,
            format=format,
            categorical=_names(categorical),
            drop=_names(drop),
            uncertain=_names(uncertain),
            delimiter=_character(delimiter),
            encoding=encoding,
            skip_bad_rows=skip_bad_rows,
        )

    result, stopped = _learn(model, stream, block=block, rows=rows, quiet=quiet)
    interrupted = isinstance(stopped, KeyboardInterrupt)
    damaged = None if interrupted or stopped is None else str(stopped)
    if stopped is not None and not interrupted and not (skip_bad_rows and result.n):
        raise stopped
    if result.skipped:
        from riparian.predictions import skipped_text

        _say(skipped_text(result.skipped, stream.first_fault))
    if not result.n:
        _say("interrupted before the first row" if interrupted else f"{stream.name} has no rows")
        raise typer.Exit(_INTERRUPTED if interrupted else 1)

    from riparian.summary import console, print_run, run_dict

    _say_unknown_costs(model)
    if interrupted:
        _say(f"interrupted after {result.n:,} rows; this is what was learned until then")
    if model_out is not None:
        model.save(model_out)
        _say(f"wrote the model to {model_out}")
    if report is not None:
        from riparian.report import write_report

        write_report(report, model, result, data)
        _say(f"wrote the report to {report}")
    if json:
        _print_json(
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
    if interrupted:
        raise typer.Exit(_INTERRUPTED)
    if damaged is not None:
        _say(f"{damaged}; all before it was learned")
        raise typer.Exit(1)


@app.command()
@_plainly
def predict(
    model: ModelFile,
    data: Data,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write here.  [default: standard output]")
    ] = None,
    proba: Annotated[bool, typer.Option(help="Add each class's probability.")] = False,
    block: Block = 10_000,
    format: Format = None,
    uncertain: Uncertain = None,
    delimiter: Delimiter = None,
    encoding: Encoding = "utf-8",
    skip_bad_rows: SkipBadRows = False,
) -> None:
    """Predict the class of each row.

    The answers are a CSV with a row for each row of the data, in its order. Columns are found by
    their names; those that the model does not know are left out. A row that is skipped has an
    empty answer.
    """
    import riparian
    from riparian.predictions import predictions, write_predictions
    from riparian.writing import check_writable

    check_writable("--out", out)
    learned = riparian.load(model)
    damage: list[ValueError] = []
    source = predictions(
        learned,
        data,
        proba=proba,
        block=block,
        format=format,
        uncertain=_names(uncertain),
        delimiter=_character(delimiter),
        encoding=encoding,
        skip_bad_rows=skip_bad_rows,
        note=_say,
        damaged=damage.append if skip_bad_rows else None,
    )
    write_predictions(source, out)
    if damage:
        _say(f"{damage[0]}; all before it was predicted")
        raise typer.Exit(1)


@app.command()
@_plainly
def show(
    model: ModelFile,
    splits: Splits = 5,
    depth: Annotated[int, typer.Option(min=0, help="Deepest level of the tree to write.")] = 5,
    changes: Annotated[
        bool, typer.Option("--changes", help="Tell every change that the tree remembers.")
    ] = False,
    json: Json = False,
) -> None:
    """Show a model, its tree, why it split, and what it changed."""
    import riparian
    from riparian.summary import console, model_dict, print_model

    learned = riparian.load(model)
    if json:
        _print_json(model_dict(learned, n_splits=splits, changes=changes))
    else:
        print_model(console(), model, learned, n_splits=splits, max_depth=depth, changes=changes)


@app.command()
@_plainly
def datasets(json: Json = False) -> None:
    """List the real data sets, and where each of them is.

    One is read by riparian run dataset:NAME. What is not here is fetched then, from its public
    home; a folder of data sets is named in the environment variable RIPARIAN_DATA.
    """
    from riparian.datasets import listing
    from riparian.summary import console, print_datasets

    if json:
        _print_json(listing())
    else:
        print_datasets(console(), listing())


@app.command()
@_plainly
def export(
    model: ModelFile,
    to: Annotated[str, typer.Option(help="sql, python, c, onnx, text or dot.")],
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write here.  [default: standard output]")
    ] = None,
    leaf: Annotated[
        str | None,
        typer.Option(
            help="majority: read the leaves of any model so, where only such leaves can be written."
        ),
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="For sql: the table to read.  [default: examples]")
    ] = None,
    proba: Annotated[
        bool | None, typer.Option(help="For sql: whether to give probabilities.")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="For c: what all names begin with.  [default: tree]")
    ] = None,
    dtype: Annotated[
        str | None,
        typer.Option(help="For onnx: float64 or float32, the type of numbers."),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(min=0, help="For text and dot: deepest level to write.")
    ] = None,
) -> None:
    """Write a tree as a program, an ONNX model, text or a drawing.

    Programs and ONNX models answer as the model does, without riparian.
    """
    import riparian
    from riparian.errors import one_of
    from riparian.modelfile import write
    from riparian.writing import check_writable, whole_file

    given = {"leaf": leaf, "table": table, "proba": proba, "name": name, "dtype": dtype}
    options = {key: value for key, value in (given | {"depth": depth}).items() if value is not None}
    try:
        one_of("--to", to, _EXPORTS)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--to") from None
    for option in options:
        if option not in _EXPORTS[to]:
            users = [target for target in _EXPORTS if option in _EXPORTS[target]]
            raise typer.BadParameter(f"is for --to {' or '.join(users)}", param_hint=f"--{option}")
    if to == "onnx" and out is None:
        raise typer.BadParameter("an ONNX model is no text: name a file", param_hint="--out")
    check_writable("--out", out)
    learned = riparian.load(model)
    if to == "onnx":
        assert out is not None
        write(out, learned.to_onnx(**options).SerializeToString())
    else:
        if "depth" in options:
            options["max_depth"] = options.pop("depth")
        if to == "text":
            text = learned.export_text(**options) + "\n"
        elif to == "dot":
            text = learned.export_graphviz(**options) + "\n"
        else:
            text = learned.to_code(to, **options)
        if out is None:
            sys.stdout.write(text)
            return
        with whole_file(out) as file:
            file.write(text)
    _say(f"wrote {out}")


@app.command()
@_plainly
def lab(
    delta: Annotated[float, typer.Option(help="Promised rate of wrong decisions.")] = 0.05,
    repetitions: Annotated[int, typer.Option(help="Leaves that decide, a method.")] = 100_000,
    node: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The leaf's distribution, JSON or CSV; - for standard input.  "
            "[default: the controlled node]",
        ),
    ] = None,
    every: Annotated[
        bool,
        typer.Option("--all", help="Compare all methods; the default if none is named."),
    ] = False,
    impurity: Annotated[
        str | None,
        typer.Option(
            help="entropy, gini, kearns-mansour, misclassification, accuracy, loss or hybrid.",
        ),
    ] = None,
    evaluator: Annotated[
        str | None,
        typer.Option(
            help="Labels of accuracy and loss: resubstitution, prequential, holdout or fixed."
        ),
    ] = None,
    holdout_examples: Annotated[
        int | None, typer.Option(help="Examples that choose the labels of holdout.")
    ] = None,
    costs: Annotated[
        str | None,
        typer.Option(
            help='For loss: a JSON file or JSON itself, {"predicted,true": cost} or a matrix '
            "[predicted][true]."
        ),
    ] = None,
    bound: Annotated[
        str | None,
        typer.Option(
            help="hoeffding, mcdiarmid, confidence, confidence-practical, normal or delta-method."
        ),
    ] = None,
    epsilons: Annotated[
        int | None, typer.Option(help="1 or 2: how many bounds the best must lead by.")
    ] = None,
    spend_delta: Annotated[
        bool | None, typer.Option(help="Whether the j-th check may use delta / (j (j + 1)).")
    ] = None,
    confidence_c: Annotated[
        float | None, typer.Option(help="The constant of confidence-practical.")
    ] = None,
    confidence_form: Annotated[str | None, typer.Option(help="printed or derived.")] = None,
    pairing: Annotated[
        str | None,
        typer.Option(help="Of the delta method: independent, conservative or paired."),
    ] = None,
    grace_period: Annotated[
        int | None, typer.Option(help="Examples between two checks.  [default: 1]")
    ] = None,
    first_check: Annotated[
        int | None, typer.Option(help="Examples before the first check.  [default: 1]")
    ] = None,
    max_examples: Annotated[
        int | None, typer.Option(help="Where an undecided leaf is given up.")
    ] = None,
    null_cut: Annotated[
        bool | None, typer.Option(help='Whether "no split", with gain 0, competes.')
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same figures.")] = 0,
    n_jobs: Annotated[int | None, typer.Option(help="Threads.  [default: one a processor]")] = None,
    plot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Draw the methods: a PNG, SVG or PDF file.")
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Check claims of confidence: how often is a split wrong?

    A leaf with a known distribution, the controlled node of Matuszyk et al. (2013), decides many
    times between two attributes. --node takes another one: a CSV file with the values of the
    attributes, the class, and 'probability' or 'count', a line a combination, or its JSON.
    """
    given: dict[str, Any] = {
        "impurity": impurity,
        "evaluator": evaluator,
        "holdout_examples": holdout_examples,
        "costs": costs,
        "bound": bound,
        "epsilons": epsilons,
        "spend_delta": spend_delta,
        "confidence_c": confidence_c,
        "confidence_form": confidence_form,
        "pairing": pairing,
        "grace_period": grace_period,
        "first_check": first_check,
        "max_examples": max_examples,
        "null_cut": null_cut,
    }
    named = {name: value for name, value in given.items() if value is not None}
    if every and named:
        option = f"--{next(iter(named)).replace('_', '-')}"
        raise typer.BadParameter("names one method; leave out --all", param_hint=option)

    from riparian.writing import check_writable

    check_writable("--plot", plot)
    if plot is not None:
        from riparian.pictures import check_picture

        check_picture("--plot", plot)
    from riparian.lab import METHODS, compare, read_node, s1_node
    from riparian.lab.waiting import Waiting

    leaf = s1_node() if node is None else read_node(node)
    if costs is not None:
        as_text = all(isinstance(name, str) for name in leaf.classes)
        named["costs"] = read_costs(costs, as_text=as_text)
    methods = {"as asked": named} if named else METHODS
    with Waiting(len(methods)) as waiting:
        results = compare(
            methods,
            leaf,
            delta=delta,
            repetitions=repetitions,
            seed=seed,
            n_jobs=n_jobs,
            progress=None if quiet else waiting.update,
        )
    if named:
        results = {result.method: result for result in results.values()}
    if plot is not None:
        from riparian.lab.plot import save_picture

        save_picture(results, plot)
        _say(f"wrote the picture to {plot}")
    if json:
        from riparian.lab.table import results_dict

        _print_json(results_dict(results))
    else:
        from riparian.lab.table import table_lines
        from riparian.summary import console

        out = console()
        for line in table_lines(results):
            out.print(line)


app.command()(_plainly(compare))
app.command()(_plainly(generate))
app.command()(_plainly(reproduce))


def _learn(
    model: Any, stream: Any, *, block: int, rows: int | None, quiet: bool
) -> tuple[Result, KeyboardInterrupt | DamagedFileError | None]:
    """Go through the stream; say also what broke it off, if anything did."""
    import contextlib

    from riparian.evaluate import Result, steps
    from riparian.progress import Progress
    from riparian.streams.faults import DamagedFileError

    result = Result()
    close = stream if hasattr(stream, "close") else contextlib.nullcontext()
    shown = None if quiet else Progress(stream, result, rows=rows)
    try:
        with close, shown or contextlib.nullcontext():
            for _ in steps(model, stream, result, block=block, rows=rows):
                if shown is not None:
                    shown.update(model)
    except (KeyboardInterrupt, DamagedFileError) as error:
        result.skipped = getattr(stream, "skipped", 0)
        return result, error
    return result, None


def _model(recipe: str, parameters: dict[str, Any]) -> Any:
    from riparian.errors import one_of
    from riparian.models import MODELS
    from riparian.recipes import RECIPES

    try:
        found = MODELS[one_of("recipe", recipe, MODELS)]
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--recipe") from None
    own = found().get_params(deep=False)
    free = RECIPES["HoeffdingTree"]().get_params(deep=False)
    for name in parameters:
        if name not in own:
            whose = [other for other in RECIPES if name in RECIPES[other]().get_params(deep=False)]
            raise typer.BadParameter(
                f"{recipe} fixes it; take --recipe HoeffdingTree to choose it"
                if name in free and recipe in RECIPES
                else f"{recipe} has no such parameter"
                if name in free
                else f"is for --recipe {' or '.join(whose)}",
                param_hint=f"--{name.replace('_', '-')}",
            )
    return found(**parameters)


def _say_unknown_costs(model: Any) -> None:
    """Name the labels of costs that no row had: they are likely misspelt."""
    if isinstance(getattr(model, "costs", None), dict):
        known = set(model.classes_.tolist())
        unknown = dict.fromkeys(label for pair in model.costs for label in pair)
        if missing := [repr(label) for label in unknown if label not in known]:
            _say(f"no row had the class {', '.join(missing)}, which --costs names")


def _refuse_for(prefix: str, **options: Any) -> None:
    for name, value in options.items():
        if value:
            raise typer.BadParameter(f"is for files, not for {prefix}", param_hint=f"--{name}")


def _names(texts: list[str] | None) -> list[str]:
    """Take apart comma-separated names, given once or several times."""
    return [name.strip() for text in texts or () for name in text.split(",") if name.strip()]


def _character(text: str | None) -> str | None:
    r"""Take ``\t`` for a tab, which is hard to type in a shell."""
    return "\t" if text in ("\\t", "tab") else text


def _print_json(value: Any) -> None:
    import json

    print(json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2))


if __name__ == "__main__":
    main()
