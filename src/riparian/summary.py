"""What the command line prints about a run or a model: for readers, and as JSON for programs."""

from __future__ import annotations

import csv
import dataclasses
import io
import math
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from riparian.certificates import BY
from riparian.gradient import OADT
from riparian.members import has_members, member_changes, member_columns
from riparian.policies import Policy, shortest
from riparian.report import bytes_text
from riparian.results import Result
from riparian.structure import Structure
from riparian.tree_model import TreeModel
from riparian.wording import distinct_texts, label_text, weight_text

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["console", "model_dict", "print_datasets", "print_model", "print_run", "run_dict"]

# With more classes a confusion matrix is wider than a terminal.
_MOST_CLASSES = 12
_MOST_CATEGORIES = 8


def console() -> Console:
    """Give the standard output; in a file or a pipe no line is broken."""
    from rich.console import Console

    found = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    return (
        found
        if found.is_terminal
        else Console(highlight=False, markup=False, emoji=False, soft_wrap=True, width=100_000)
    )


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
    """Print the report of an evaluation.

    Parameters
    ----------
    out : rich.console.Console
    data : str
        What was read.
    model, result
        The model and its figures.
    n_splits : int
        How many of the last splits are shown.
    interrupted : bool
        Whether the stream was broken off.
    damaged : str, optional
        Where and why the stream could not be read on.
    """
    until = " until it was interrupted" if interrupted else ""
    until = " before the damage" if damaged else until
    baselines = ", ".join(f"{name} {value:.4f}" for name, value in result.baselines.items())
    alone = result.n / result.model_seconds if result.model_seconds else math.nan
    out.print(f"{type(model).__name__} on {label_text(data)}", style="bold")
    _print_pairs(
        out,
        [
            ("rows", f"{result.n:,}{until}"),
            *([("skipped", f"{result.skipped:,}")] if result.skipped else []),
            ("accuracy", f"{result.accuracy:.4f}  ({baselines})"),
            ("kappa", f"{result.kappa:.4f}"),
            *_cost(result),
            *_size(model),
            ("memory", bytes_text(float(model.memory_bytes_))),
            (
                "rate",
                f"{result.rate:,.0f} rows/s in {result.seconds:.1f} s "
                f"(the model alone {alone:,.0f} rows/s)",
            ),
        ],
    )
    _print_confusion(out, result)
    _print_splits(out, model, n_splits)


def _cost(result: Result) -> list[tuple[str, str]]:
    if math.isnan(result.mean_cost):
        return []
    alone = f"always one class {result.cheapest_class_cost:.6g}"
    return [("mean cost", f"{result.mean_cost:.6g}  ({alone})")]


def run_dict(
    data: str,
    model: Any,
    result: Result,
    *,
    n_splits: int,
    interrupted: bool,
    damaged: str | None = None,
) -> dict[str, Any]:
    """Give what `print_run` prints as what JSON can hold."""
    return {
        "data": data,
        **model_dict(model, n_splits=n_splits, schema=False),
        "result": result.to_dict(),
        "interrupted": interrupted,
        "damaged": damaged,
    }


def print_model(
    out: Console,
    path: str,
    model: Any,
    *,
    n_splits: int,
    max_depth: int | None,
    changes: bool = False,
) -> None:
    """Print what a model is, what it knows and how its tree looks.

    Parameters
    ----------
    out : rich.console.Console
    path : str
        Where the model comes from.
    model : HoeffdingTree
    n_splits : int
        How many of the last splits are shown.
    max_depth : int or None
        Deepest level of the tree that is written; None writes all.
    changes : bool
        Whether all changes are shown, and not the last few.
    """
    schema = model._schema
    out.print(f"{type(model).__name__} in {label_text(path)}", style="bold")
    _print_pairs(
        out,
        [
            ("examples", weight_text(float(model.n_seen_))),
            *_size(model),
            *([("predicts", _predictors_text(model))] if isinstance(model, TreeModel) else []),
            ("memory", bytes_text(float(model.memory_bytes_))),
            ("classes", _listed(distinct_texts(model.classes_))),
        ],
    )
    _print_heading(out, "Parameters")
    _print_pairs(out, _parameter_texts(model))
    _print_heading(out, "Features")
    _print_pairs(out, [(label_text(f.label), _feature_text(f)) for f in schema.features])
    if isinstance(model, TreeModel):
        _print_heading(out, "Tree")
        for line in model.export_text(max_depth=max_depth).splitlines():
            out.print(f"  {line}")
    if isinstance(model, OADT):
        _print_heading(out, "Planes")
        for line in model.export_text().splitlines():
            out.print(f"  {line}")
    if has_members(model):
        _print_heading(out, "Members")
        _print_columns(out, member_columns(model))
    if hasattr(model, "guarantee"):
        _print_heading(out, "What the bound promises")
        _print_paragraph(out, model.guarantee())
    _print_splits(out, model, n_splits, ranked=True)
    if shortest(model._axes().get("adaptation", "none")) != "none":
        _print_changes(out, model, None if changes else n_splits)
    elif changes and has_members(model):
        _print_heading(out, "Changes")
        for line in member_changes(model):
            out.print(f"  {line}")
    elif changes:
        out.print()
        out.print("The model keeps what it has grown (adaptation none): it has no changes.")


def _print_changes(out: Console, model: Any, most: int | None) -> None:
    recorded = model.changes()
    last = recorded if most is None else _last(recorded, most)
    _print_heading(out, "Changes")
    counts = model.change_counts()
    _print_pairs(out, [(kind, f"{n:,}") for kind, n in counts.items() if n])
    if not any(counts.values()):
        out.print("  none yet")
    for change in last:
        out.print(f"  {label_text(str(change))}")


def print_datasets(out: Console, listing: Sequence[Mapping[str, Any]]) -> None:
    """Print the list of data sets, and where each one is.

    Parameters
    ----------
    out : rich.console.Console
    listing : sequence of mappings
        Of `riparian.datasets.listing`.
    """
    heads = ("name", "rows", "features", "classes")
    cells = [[*(f"{found[k]:,}" if k != "name" else found[k] for k in heads)] for found in listing]
    widths = [max(len(head), *(len(row[j]) for row in cells)) for j, head in enumerate(heads)]

    def line(texts: Sequence[str]) -> str:
        return "  ".join(
            [f"{texts[0]:<{widths[0]}}"]
            + [f"{text:>{width}}" for text, width in zip(texts[1:], widths[1:], strict=True)]
        )

    out.print(f"{line(heads)}  where", style="bold")
    for found, row in zip(listing, cells, strict=True):
        place = found["file"] or f"not here; from {found['urls'][0]}"
        out.print(f"{line(row)}  {place}")


def model_dict(
    model: Any, *, n_splits: int, schema: bool = True, changes: bool = False
) -> dict[str, Any]:
    """Give a model's description as what JSON can hold."""
    found: dict[str, Any] = {
        "model": type(model).__name__,
        "parameters": _parameters(model),
        "examples": float(model.n_seen_),
        **_size_dict(model),
        "memory_bytes": int(model.memory_bytes_),
        "classes": [_json_value(label) for label in model.classes_],
        **_certified(model, n_splits),
    }
    if shortest(model._axes().get("adaptation", "none")) != "none":
        recorded = model.changes()
        found["change_counts"] = model.change_counts()
        found["changes"] = [
            _record(c) for c in (recorded if changes else _last(recorded, n_splits))
        ]
    if schema:
        found["features"] = [
            {
                "name": feature.label,
                "kind": feature.kind,
                "categories": [_json_value(value) for value in feature.categories],
            }
            for feature in model._schema.features
        ]
    return found


def _size(model: Any) -> list[tuple[str, str]]:
    """How large it is, under the name of what it is."""
    if has_members(model):
        return [("forest", f"{len(model.members()):,} members, {_tree_text(model)}")]
    return [("tree", _tree_text(model))] if hasattr(model, "n_leaves_") else []


def _size_dict(model: Any) -> dict[str, Any]:
    if has_members(model):
        members = [_record(member) for member in model.members()]
        return {
            "leaves": model.n_leaves_,
            "active_leaves": model.n_active_leaves_,
            "nodes": model.n_nodes_,
            "depth": model.depth_,
            "members": members,
        }
    if not isinstance(model, TreeModel):
        return {}
    return {
        "leaves": int(model.n_leaves_),
        "active_leaves": int(getattr(model, "n_active_leaves_", model.n_leaves_)),
        "nodes": int(model.n_nodes_),
        "depth": int(model.depth_),
        "answered_by": Structure.of(model).n_answered_by(),
    }


def _tree_text(model: Any) -> str:
    leaves = "leaf" if model.n_leaves_ == 1 else "leaves"
    inactive = model.n_leaves_ - getattr(model, "n_active_leaves_", model.n_leaves_)
    without = f" ({inactive:,} inactive)" if inactive > 0 else ""
    return f"{model.n_leaves_:,} {leaves}{without}, depth {model.depth_:,}"


def _predictors_text(model: Any) -> str:
    """Which predictors the leaves use now: ``naive-bayes at 8 leaves, majority at 4``."""
    found = Structure.of(model).n_answered_by()
    if len(found) == 1:
        return f"{next(iter(found))} at every leaf"
    (first, n), *others = found.items()
    leaves = "leaf" if n == 1 else "leaves"
    return ", ".join([f"{first} at {n:,} {leaves}", *(f"{by} at {n:,}" for by, n in others)])


def _feature_text(feature: Any) -> str:
    if feature.kind == "numeric":
        return "numeric"
    return f"categorical: {_listed(distinct_texts(feature.categories))}"


def _listed(texts: Sequence[str]) -> str:
    shown = ", ".join(texts[:_MOST_CATEGORIES])
    more = len(texts) - _MOST_CATEGORIES
    return f"{shown} and {more:,} more" if more > 0 else shown


def _print_heading(out: Console, text: str) -> None:
    out.print()
    out.print(text, style="bold")


def _print_pairs(out: Console, pairs: Sequence[tuple[str, str]]) -> None:
    width = max((len(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        out.print(f"  {name:<{width}}  {value}")


def _print_columns(out: Console, columns: Mapping[str, Sequence[str]]) -> None:
    """Print a table whose first column names the row."""
    widths = [max(map(len, (head, *texts))) for head, texts in columns.items()]
    for row in [list(columns), *zip(*columns.values(), strict=True)]:
        others = (f"{text:>{width}}" for text, width in zip(row[1:], widths[1:], strict=True))
        out.print("  ".join(["", f"{row[0]:<{widths[0]}}", *others]))


def _print_confusion(out: Console, result: Result) -> None:
    confusion = result.confusion
    if confusion is None or not 1 < len(confusion[0]) <= _MOST_CLASSES:
        return
    labels = distinct_texts(confusion[0])
    cells = [[f"{count:,}" for count in row] for row in confusion[1].tolist()]
    first = max(map(len, labels))
    widths = [max(len(name), *(len(row[j]) for row in cells)) for j, name in enumerate(labels)]

    def line(head: str, texts: Iterable[str]) -> str:
        columns = (f"{text:>{width}}" for text, width in zip(texts, widths, strict=True))
        return f"  {head:<{first}}  {'  '.join(columns)}"

    _print_heading(out, "Confusion: true classes down, predicted ones across")
    out.print(line("", labels))
    for name, row in zip(labels, cells, strict=True):
        out.print(line(name, row))


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


def _print_splits(out: Console, model: Any, n_splits: int, *, ranked: bool = False) -> None:
    if not hasattr(model, "guarantee"):
        return
    splits = list(model.splits())
    if n_splits == 0:
        return
    if not splits:
        _print_heading(out, "No split yet")
        for leaf in model.pending():  # the root
            _print_paragraph(out, label_text(str(leaf)), inner="    ")
        return
    last = _last(splits, n_splits)
    _print_heading(out, f"Last {len(last)} of {len(splits):,} splits, the newest at the end")
    for split in last:
        spent = f"; delta spent {split.delta_spent:.3g}" if split.delta_spent else ""
        _print_paragraph(
            out,
            f"row {split.seen:,}, by {BY[split.reason]}: {label_text(str(split))}{spent}",
            inner="    ",
        )
        if ranked:
            cuts = (f"{label_text(c.cut)} ({c.gain:.4g})" for c in split.candidates)
            _print_paragraph(out, f"ranked: {', '.join(cuts)}", "    ", "      ")


def _last(splits: Sequence[Any], n: int) -> list[Any]:
    return list(splits)[-n:] if n else []


def _parameters(model: Any) -> dict[str, Any]:
    return {name: _json_value(value) for name, value in model.get_params(deep=False).items()}


def _parameter_texts(model: Any) -> list[tuple[str, str]]:
    """The parameters as a reader wants them: policies as they are written."""
    found = model.get_params(deep=False)
    return [
        (name, label_text(value if _has_policy(value) else _json_value(value)))
        for name, value in found.items()
    ]


def _has_policy(value: Any) -> bool:
    every = value if isinstance(value, tuple) else (value,)
    return any(isinstance(one, Policy) for one in every)


def _certified(model: Any, n_splits: int) -> dict[str, Any]:
    """What the bound promises and the last splits; nothing of a model without a bound."""
    if not hasattr(model, "guarantee"):
        return {}
    splits = [_record(split) for split in _last(model.splits(), n_splits)]
    return {"guarantee": model.guarantee(), "splits": splits}


def _record(found: Any) -> dict[str, Any]:
    """Give a certificate, or a part of one, field by field."""
    fields = dataclasses.fields(found)
    return {field.name: _json_value(getattr(found, field.name)) for field in fields}


def _pair_text(pair: tuple[Any, Any]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(pair)
    return text.getvalue()


def _json_value(value: Any) -> Any:
    """Give a value as JSON has it; what JSON has not, as text."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_json_value(part) for part in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _record(value)
    if isinstance(value, Policy):
        values = {name: _json_value(v) for name, v in value.get_params().items()}
        return {"policy": value.name, "parameters": values}
    if isinstance(value, Mapping):  # costs, as --costs reads them
        return {_pair_text(pair): _json_value(cost) for pair, cost in value.items()}
    return getattr(value, "__name__", None) or str(value)
