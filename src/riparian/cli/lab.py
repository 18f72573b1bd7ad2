"""``riparian lab``: how often a leaf with a known distribution makes a wrong split."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from riparian.cli.messages import Json, Quiet, print_json, print_message
from riparian.cli.model_options import policy_names, read_costs, read_policy
from riparian.cli.signals import begin_work

__all__ = ["lab"]

_BAR_DELAY_SECONDS = 2.0  # a shorter run needs no progress bar


def lab(
    delta: Annotated[
        float, typer.Option(help="Rate of wrong decisions that the bound promises.")
    ] = 0.05,
    repetitions: Annotated[int, typer.Option(help="Number of decisions per method.")] = 100_000,
    node: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Distribution of the leaf, as JSON or CSV; - for standard input.  "
            "[default: the controlled node]",
        ),
    ] = None,
    every: Annotated[
        bool,
        typer.Option("--all", help="Compare all methods. The default if no method is chosen."),
    ] = False,
    impurity: Annotated[
        str | None, typer.Option(help=f"Impurity: {policy_names('impurity')}.")
    ] = None,
    fixed_labels: Annotated[
        bool | None,
        typer.Option(
            help="For accuracy and loss: use the correct label of each branch, which follows from "
            "the distribution."
        ),
    ] = None,
    costs: Annotated[
        str | None,
        typer.Option(
            help='For loss: the cost of each error, as JSON or a JSON file: {"predicted,true": '
            "cost} or a matrix [predicted][true]."
        ),
    ] = None,
    bound: Annotated[str | None, typer.Option(help=f"Bound: {policy_names('bound')}.")] = None,
    epsilons: Annotated[
        int | None,
        typer.Option(help="Split when the gap exceeds this many bounds: 1 or 2."),
    ] = None,
    spend_delta: Annotated[
        bool | None, typer.Option(help="Use delta / (j (j + 1)) at the j-th check.")
    ] = None,
    grace_period: Annotated[
        int | None, typer.Option(help="Examples between two checks.  [default: 1]")
    ] = None,
    first_check: Annotated[
        int | None, typer.Option(help="Examples before the first check.  [default: 1]")
    ] = None,
    max_examples: Annotated[
        int | None, typer.Option(help="Stop a leaf that is undecided after this many examples.")
    ] = None,
    null_cut: Annotated[
        bool | None, typer.Option(help='Let "no split", with gain 0, compete.')
    ] = None,
    tau: Annotated[
        float | None, typer.Option(help="For betting: the tolerance that is certified.")
    ] = None,
    random_checks: Annotated[
        bool | None, typer.Option(help="For betting: check at random rows.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option(help="For betting: workers that share the examples.")
    ] = None,
    seed: Annotated[
        int, typer.Option(help="Random seed. The same seed gives the same results.")
    ] = 0,
    n_jobs: Annotated[
        int | None, typer.Option(help="Number of threads.  [default: one per processor]")
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Plot the methods to a PNG, SVG or PDF file."),
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Measure how often a bound leads to a wrong split.

    A leaf with a known distribution decides many times which of its features is the best. The
    default is the controlled node of Matuszyk et al. (2013), with two features. --node reads
    another distribution: a CSV file with one line per combination of feature values and class,
    and a last column 'probability' or 'count'; or the same as JSON.
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
        "tau": tau,
        "random_checks": random_checks,
        "workers": workers,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    if every and chosen:
        option = f"--{next(iter(chosen)).replace('_', '-')}"
        raise typer.BadParameter(
            "chooses one method and cannot be combined with --all", param_hint=option
        )

    from riparian.storage.outputs import check_output

    check_output("--plot", plot)
    if plot is not None:
        from riparian.show.pictures import check_picture

        check_picture("--plot", plot)
    from riparian.lab import METHODS, compare, read_node, s1_node
    from riparian.show.progress import ProgressBar

    for axis in ("impurity", "bound"):
        if axis in chosen:
            chosen[axis] = read_policy(axis, chosen[axis])
    leaf = s1_node() if node is None else read_node(node)
    if costs is not None:
        as_text = all(isinstance(name, str) for name in leaf.classes)
        chosen["costs"] = read_costs(costs, as_text=as_text)
    methods = {"chosen method": chosen} if chosen else METHODS
    order = list(methods)
    begin_work()
    with ProgressBar(shown=not quiet, delay=_BAR_DELAY_SECONDS) as bar:
        results = compare(
            methods,
            leaf,
            delta=delta,
            repetitions=repetitions,
            seed=seed,
            n_jobs=n_jobs,
            progress=lambda name, done, total: bar.update(
                order.index(name) + done / total, len(order), name
            ),
        )
    if chosen:
        results = {result.method: result for result in results.values()}
    if plot is not None:
        from riparian.lab.plot import save_picture

        save_picture(results, plot)
        print_message(f"wrote the plot to {plot}")
    if json:
        from riparian.lab.table import results_dict

        print_json(results_dict(results))
    else:
        from riparian.lab.table import table_lines
        from riparian.show.summary import console

        out = console()
        for line in table_lines(results):
            out.print(line)
