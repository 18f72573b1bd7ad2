"""The command line: ``riparian run``, ``predict``, ``show``, ``compare`` and the others.

It is thin over the library. Imports wait until a command needs them: ``riparian --help`` must not.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from riparian.commands.compare import compare
from riparian.commands.export import export
from riparian.commands.generate import generate
from riparian.commands.messages import Json, Quiet, Splits, plainly, print_json, print_message
from riparian.commands.models import models
from riparian.commands.reading import (
    Block,
    Data,
    Delimiter,
    Encoding,
    Format,
    ModelFile,
    SkipBadRows,
    Uncertain,
    character,
    names,
)
from riparian.commands.reproduce import reproduce
from riparian.commands.run import run
from riparian.commands.stopping import begin_work
from riparian.options import read_costs, read_policy

__all__ = ["app"]

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


app.command()(plainly(run))


@app.command()
@plainly
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

    The predictions are a CSV with a row for each row of the data, in its order. Columns are found
    by their names; those that the model does not know are left out. A row that is skipped has an
    empty prediction.
    """
    import riparian
    from riparian.outputs import check_output
    from riparian.predictions import predictions, write_predictions

    check_output("--out", out)
    learned = riparian.load(model)
    begin_work()
    damage: list[ValueError] = []
    source = predictions(
        learned,
        data,
        proba=proba,
        block=block,
        format=format,
        uncertain=names(uncertain),
        delimiter=character(delimiter),
        encoding=encoding,
        skip_bad_rows=skip_bad_rows,
        note=print_message,
        damaged=damage.append if skip_bad_rows else None,
    )
    write_predictions(source, out)
    if damage:
        print_message(f"{damage[0]}; all before it was predicted")
        raise typer.Exit(1)


@app.command()
@plainly
def show(
    model: ModelFile,
    splits: Splits = 5,
    depth: Annotated[int, typer.Option(min=0, help="Deepest level of the tree to write.")] = 5,
    changes: Annotated[
        bool, typer.Option("--changes", help="Print every change that the model remembers.")
    ] = False,
    json: Json = False,
) -> None:
    """Show a model, its tree, why it split, and what it changed."""
    import riparian
    from riparian.summary import console, model_dict, print_model

    learned = riparian.load(model)
    if json:
        print_json(model_dict(learned, n_splits=splits, changes=changes))
    else:
        print_model(console(), model, learned, n_splits=splits, max_depth=depth, changes=changes)


@app.command()
@plainly
def datasets(json: Json = False) -> None:
    """List the real data sets, and where each of them is.

    One is read by riparian run dataset:NAME. What is not here is fetched then, from its public
    home; a folder of data sets is named in the environment variable RIPARIAN_DATA.
    """
    from riparian.datasets import listing
    from riparian.summary import console, print_datasets

    if json:
        print_json(listing())
    else:
        print_datasets(console(), listing())


app.command()(plainly(export))


@app.command()
@plainly
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
            help="entropy, gini, kearns-mansour, misclassification, accuracy, loss or hybrid, with "
            "parameters such as accuracy(evaluator=prequential).",
        ),
    ] = None,
    fixed_labels: Annotated[
        bool | None,
        typer.Option(help="Judge accuracy and loss with the labels that are right."),
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
            help="hoeffding, mcdiarmid, confidence, confidence-practical(c=1), normal or "
            "delta-method(pairing=independent)."
        ),
    ] = None,
    epsilons: Annotated[
        int | None, typer.Option(help="1 or 2: how many bounds the best must lead by.")
    ] = None,
    spend_delta: Annotated[
        bool | None, typer.Option(help="Whether the j-th check may use delta / (j (j + 1)).")
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
    times between two attributes. --node reads another one: a CSV file with the values of the
    attributes, the class, and 'probability' or 'count', a line a combination, or its JSON.
    """
    given: dict[str, Any] = {
        "impurity": impurity,
        "fixed_labels": fixed_labels,
        "costs": costs,
        "bound": bound,
        "epsilons": epsilons,
        "spend_delta": spend_delta,
        "grace_period": grace_period,
        "first_check": first_check,
        "max_examples": max_examples,
        "null_cut": null_cut,
    }
    named = {name: value for name, value in given.items() if value is not None}
    if every and named:
        option = f"--{next(iter(named)).replace('_', '-')}"
        raise typer.BadParameter("names one method; leave out --all", param_hint=option)

    from riparian.outputs import check_output

    check_output("--plot", plot)
    if plot is not None:
        from riparian.pictures import check_picture

        check_picture("--plot", plot)
    from riparian.lab import METHODS, compare, read_node, s1_node
    from riparian.lab.waiting import Waiting

    for axis in ("impurity", "bound"):
        if axis in named:
            named[axis] = read_policy(axis, named[axis])
    leaf = s1_node() if node is None else read_node(node)
    if costs is not None:
        as_text = all(isinstance(name, str) for name in leaf.classes)
        named["costs"] = read_costs(costs, as_text=as_text)
    methods = {"as asked": named} if named else METHODS
    begin_work()
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
        print_message(f"wrote the picture to {plot}")
    if json:
        from riparian.lab.table import results_dict

        print_json(results_dict(results))
    else:
        from riparian.lab.table import table_lines
        from riparian.summary import console

        out = console()
        for line in table_lines(results):
            out.print(line)


app.command()(plainly(models))
app.command()(plainly(compare))
app.command()(plainly(generate))
app.command()(plainly(reproduce))
