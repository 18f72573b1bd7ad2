"""The layout of a run and of a model on a terminal."""

from __future__ import annotations

import math
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from riparian.data.formatting import bytes_text, distinct_texts, label_text, plural
from riparian.evaluate.results import Result
from riparian.evidence.certificates import BY
from riparian.export.text import tree_text
from riparian.show.view import ModelView, Rows

if TYPE_CHECKING:
    from rich.console import Console

    from riparian.models.parts import Parts

__all__ = ["console", "print_model", "print_run"]

# With more classes a confusion matrix is wider than a terminal.
_MOST_CLASSES = 12
_MOST_CATEGORIES = 8


def console() -> Console:
    """The standard output; in a file or a pipe no line is broken."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else 100_000
    return Console(highlight=False, markup=False, emoji=False, soft_wrap=True, width=width)


def print_run(
    out: Console,
    data: str,
    model: Any,
    result: Result,
    *,
    n_splits: int,
    interrupted: bool,
    damaged: str | None = None,
) -> None:
    """Print the report of an evaluation, with the last `n_splits` splits.

    `damaged` is where and why the rest of the stream could not be read.
    """
    view = ModelView(model)
    assert view.parts is not None, "the model has learned"
    until = " until it was interrupted" if interrupted else ""
    until = " before the damage" if damaged else until
    baselines = ", ".join(f"{name} {value:.4f}" for name, value in result.baselines.items())
    alone = result.n / result.model_seconds if result.model_seconds else math.nan
    _print_title(out, f"{view.name} on {label_text(data)}")
    _print_pairs(
        out,
        [
            ("rows", f"{result.n:,}{until}"),
            *([("skipped", f"{result.skipped:,}")] if result.skipped else []),
            ("accuracy", f"{result.accuracy:.4f}  ({baselines})"),
            ("kappa", f"{result.kappa:.4f}"),
            *_cost(result),
            *_size(view),
            ("memory", bytes_text(float(view.parts.memory_bytes))),
            (
                "rate",
                f"{result.rate:,.0f} rows/s in {result.seconds:.1f} s "
                f"(the model alone {alone:,.0f} rows/s)",
            ),
        ],
    )
    _print_confusion(out, result)
    _print_splits(out, view, n_splits)


def print_model(
    out: Console,
    path: str,
    model: Any,
    *,
    n_splits: int,
    max_depth: int | None,
    changes: bool = False,
) -> None:
    """Print a model: its sizes, parameters, features, tree, members, splits and changes.

    The tree is printed to `max_depth`; of the splits and changes, the last `n_splits`. `changes`
    prints every change that the model remembers.
    """
    view = ModelView(model)
    parts = view.parts
    assert parts is not None, "the model has learned"
    _print_title(out, f"{view.name} in {label_text(path)}")
    _print_pairs(
        out,
        [
            ("examples", view.examples),
            *_size(view),
            *_predictors(view),
            ("memory", bytes_text(float(parts.memory_bytes))),
            ("classes", _listed(distinct_texts(parts.classes))),
        ],
    )
    _print_heading(out, "Parameters")
    _print_pairs(out, view.parameter_texts())
    _print_heading(out, "Features")
    _print_pairs(
        out, [(label_text(f.label), _feature_text(f, parts.left_out)) for f in parts.features]
    )
    if parts.members is not None:
        _print_heading(out, "Members")
        _print_columns(out, parts.member_columns)
    elif parts.tree is not None:
        _print_lines(out, "Tree", tree_text(parts.tree, max_depth).splitlines())
    if parts.text is not None:
        heading, text = parts.text
        _print_lines(out, heading, text.splitlines())
    _print_splits(out, view, n_splits, ranked=True)
    if parts.guarantee is not None:
        _print_heading(out, "About the bound")
        _print_paragraph(out, parts.guarantee)
    _print_changes(out, view, parts, n_splits, every=changes)


def _size(view: ModelView) -> Rows:
    text = view.size_text()
    kind = "tree" if view.member_count is None else "forest"
    return [(kind, text)] if text else []


def _predictors(view: ModelView) -> Rows:
    """The leaf predictors in use: ``naive-bayes at 8 leaves, majority at 4``."""
    found = view.predictors()
    if not found:
        return []
    (first, n), *others = found.items()
    at_first = f"{first} at {plural(n, 'leaf', 'leaves') if others else 'every leaf'}"
    return [("predicts", ", ".join([at_first, *(f"{by} at {n:,}" for by, n in others)]))]


def _cost(result: Result) -> Rows:
    if math.isnan(result.mean_cost):
        return []
    alone = f"always one class {result.cheapest_class_cost:.6g}"
    return [("mean cost", f"{result.mean_cost:.6g}  ({alone})")]


def _feature_text(feature: Any, left_out: Mapping[str, str]) -> str:
    if feature.kind == "numeric":
        return "numeric"
    if feature.label in left_out:
        return f"an identifier, left out: {left_out[feature.label]}"
    return f"categorical: {_listed(distinct_texts(feature.categories))}"


def _listed(texts: Sequence[str]) -> str:
    shown = ", ".join(texts[:_MOST_CATEGORIES])
    more = len(texts) - _MOST_CATEGORIES
    return f"{shown} and {more:,} more" if more > 0 else shown


def _print_splits(out: Console, view: ModelView, n_splits: int, *, ranked: bool = False) -> None:
    splits = view.parts.splits if view.parts else None
    if splits is None or n_splits == 0:
        return
    if not splits:
        _print_heading(out, "No split yet")
        for leaf in view.parts.pending if view.parts else ():  # the root
            _print_paragraph(out, label_text(str(leaf)), inner="    ")
        return
    last = view.last_splits(n_splits)
    _print_heading(
        out, f"Last {len(last)} of {plural(len(splits), 'split')}, the newest at the end"
    )
    for split in last:
        spent = f"; delta spent {split.delta_spent:.3g}" if split.delta_spent else ""
        text = f"row {split.seen:,}, by {BY[split.reason]}: {label_text(str(split))}{spent}"
        _print_paragraph(out, text, inner="    ")
        if ranked:
            cuts = (f"{label_text(c.cut)} ({c.gain:.4g})" for c in split.candidates)
            _print_paragraph(out, f"ranked: {', '.join(cuts)}", "    ", "      ")


def _print_changes(
    out: Console, view: ModelView, parts: Parts, n_splits: int, *, every: bool
) -> None:
    if parts.changes is not None:
        counts = [(kind, f"{n:,}") for kind, n in parts.change_counts.items() if n]
        _print_heading(out, "Changes")
        _print_pairs(out, counts or [("none yet", "")])
        for change in view.last_changes(None if every else n_splits):
            out.print(f"  {label_text(str(change))}")
        if every and (former := view.last_former_splits(None)):
            _print_heading(out, "Splits that were replaced")
            for split in former:
                _print_paragraph(out, f"row {split.seen:,}: {label_text(str(split))}", inner="    ")
    elif every and parts.member_changes is not None:
        _print_lines(out, "Changes", parts.member_changes)
    elif every:
        out.print()
        out.print("This model records no changes.")


def _print_confusion(out: Console, result: Result) -> None:
    confusion = result.confusion
    if confusion is None or not 1 < len(confusion[0]) <= _MOST_CLASSES:
        return
    labels = distinct_texts(confusion[0])
    columns = {"": list(labels)} | {
        name: [f"{count:,}" for count in counts]
        for name, counts in zip(labels, confusion[1].T.tolist(), strict=True)
    }
    _print_heading(out, "Confusion: true classes down, predicted classes across")
    _print_columns(out, columns)


def _print_title(out: Console, text: str) -> None:
    out.print(text, style="bold")


def _print_heading(out: Console, text: str) -> None:
    out.print()
    _print_title(out, text)


def _print_lines(out: Console, heading: str, lines: Iterable[str]) -> None:
    _print_heading(out, heading)
    for line in lines:
        out.print(f"  {line}")


def _print_pairs(out: Console, pairs: Rows) -> None:
    width = max((len(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        out.print(f"  {name:<{width}}  {value}".rstrip())


def _print_columns(out: Console, columns: Mapping[str, Sequence[str]]) -> None:
    """Print a table whose first column names the row."""
    widths = [max(map(len, (head, *texts))) for head, texts in columns.items()]
    for row in [list(columns), *zip(*columns.values(), strict=True)]:
        others = (f"{text:>{width}}" for text, width in zip(row[1:], widths[1:], strict=True))
        out.print("  ".join(["", f"{row[0]:<{widths[0]}}", *others]))


def _print_paragraph(out: Console, text: str, lead: str = "  ", inner: str = "  ") -> None:
    """Print a text broken at words; a file or a pipe gets it as one line."""
    lines = textwrap.wrap(
        text,
        width=max(out.width, 40),
        initial_indent=lead,
        subsequent_indent=inner,
        break_long_words=False,
        break_on_hyphens=False,
    )
    for line in lines:
        out.print(line)
