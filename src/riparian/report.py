"""The report of an evaluation as one HTML file that needs nothing outside itself."""

from __future__ import annotations

import math
import os
from html import escape
from typing import Any

from riparian.chart import curve_svg
from riparian.members import has_members, member_columns, members_and_leader
from riparian.outputs import open_output
from riparian.page import Markup, page_html, table_html
from riparian.policies import shortest
from riparian.results import Result
from riparian.svg import tree_svg
from riparian.tree_model import TreeModel
from riparian.wording import distinct_texts, label_text, number_text, weight_text

__all__ = ["bytes_text", "report_html", "write_report"]

_MOST_CLASSES = 20
_MOST_SPLITS = 20


def write_report(
    path: str | os.PathLike[str], model: Any, result: Result, title: str = "riparian"
) -> None:
    """Write the report of an evaluation, whole or not at all.

    Parameters
    ----------
    path : str or path-like
        The HTML file; one that is there is replaced. A device or a FIFO is written to.
    model : HoeffdingTree
        The model as it is now.
    result : Result
        Its figures.
    title : str
        The page's title, such as the name of the data.
    """
    text = report_html(model, result, title)
    with open_output(path, "w") as file:
        file.write(text)


def report_html(model: Any, result: Result, title: str) -> str:
    """Give the report as HTML.

    Parameters
    ----------
    model, result, title
        As for `write_report`.

    Returns
    -------
    str
        A page; every name and value in it is escaped.
    """
    sections = [_header(model, title), _numbers(model, result)]
    if result.n:
        sections += [_curve(result), _confusion(result)]
    if getattr(model, "_engine", None) is not None:
        sections.append(_picture(model))
        if hasattr(model, "guarantee"):
            sections.append(_splits(model))
        if shortest(model._axes().get("adaptation", "none")) != "none":
            sections.append(_changes(model))
    sections.append(_parameters(model))
    return page_html(title, "\n".join(sections))


def bytes_text(size: float) -> str:
    """Word a number of bytes, as in '1.25 MB'."""
    for unit in ("bytes", "kB", "MB"):
        if size < 1000.0:
            return f"{number_text(size, 3)} {unit}"
        size /= 1000.0
    return f"{number_text(size, 3)} GB"


def _header(model: Any, title: str) -> str:
    return (
        f"<header><p class='quiet'>{escape(type(model).__name__)}, test-then-train</p>"
        f"<h1>{escape(label_text(title))}</h1></header>"
    )


def _numbers(model: Any, result: Result) -> str:
    tiles = [
        (name.replace("_", " "), _figure_text(name, value))
        for name, value in result.figures().items()
        if not math.isnan(value)
    ]
    tiles += [(f"{name} baseline", f"{value:.4f}") for name, value in result.baselines.items()]
    tiles.append(("rows", f"{result.n:,}"))
    if result.skipped:
        tiles.append(("rows skipped", f"{result.skipped:,}"))
    for name, attribute in (("leaves", "n_leaves_"), ("depth", "depth_")):
        if hasattr(model, attribute):
            tiles.append((name, f"{getattr(model, attribute):,}"))
    if getattr(model, "max_bytes", None) is not None and hasattr(model, "n_active_leaves_"):
        tiles.append(("active leaves", f"{model.n_active_leaves_:,}"))
    if hasattr(model, "memory_bytes_"):
        tiles.append(("memory", bytes_text(float(model.memory_bytes_))))
    tiles.append(("rows a second", f"{result.rate:,.0f}"))
    cells = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in tiles
    )
    return f"<section aria-label='Figures'><dl class='tiles'>{cells}</dl></section>"


def _figure_text(name: str, value: float) -> str:
    """Shares have four decimals; costs may be of any size."""
    return f"{value:.6g}" if name == "mean_cost" else f"{value:.4f}"


def _curve(result: Result) -> str:
    curve = result.curve
    rows = zip(curve.rows.tolist(), curve.accuracy.tolist(), curve.leaves.tolist(), strict=True)
    table = table_html(
        "Accuracy and leaves by window",
        ("up to row", "accuracy", "leaves"),
        ((f"{n:,}", f"{value:.4f}", f"{leaves:,}") for n, value, leaves in rows),
    )
    return (
        f"<section><h2>Accuracy over time</h2><p class='quiet'>Each row is predicted before it is "
        f"learned; a point is the accuracy of {result.window:,} rows.</p>"
        f"<div class='scroll'>{curve_svg(result)}</div>"
        f"<details><summary>as a table</summary><div class='scroll tall'>{table}</div></details>"
        f"</section>"
    )


def _confusion(result: Result) -> str:
    confusion = result.confusion
    if confusion is None or len(confusion[0]) > _MOST_CLASSES:
        return _largest_classes(result)
    labels = distinct_texts(confusion[0])
    matrix = confusion[1]
    rows = []
    for name, counts in zip(labels, matrix.tolist(), strict=True):
        total = sum(counts) or 1
        cells = "".join(
            f"<td class='{'right' if labels[j] == name else 'wrong'}' "
            f"style='--share:{count / total:.3f}'>{count:,}</td>"
            for j, count in enumerate(counts)
        )
        here = counts[labels.index(name)]
        rows.append(
            f"<tr><th scope='row'>{escape(name)}</th>{cells}"
            f"<td class='recall'>{here / total:.1%}</td></tr>"
        )
    heads = "".join(f"<th scope='col'>{escape(name)}</th>" for name in labels)
    return (
        "<section><h2>Confusion</h2><div class='scroll'><table class='confusion'>"
        "<caption>Rows of each class (down) by what was predicted (across)</caption>"
        f"<thead><tr><td></td>{heads}<th scope='col' class='recall'>right</th></tr></thead>"
        f"<tbody>{''.join(rows)}</tbody></table></div></section>"
    )


def _largest_classes(result: Result) -> str:
    found = sorted(result.by_class, key=lambda entry: -entry[1])
    table = table_html(
        f"The {min(len(found), _MOST_CLASSES)} most frequent of {len(found):,} classes",
        ("class", "rows", "predicted"),
        (
            (label_text(label), f"{true:,}", f"{predicted:,}")
            for label, true, predicted in found[:_MOST_CLASSES]
        ),
    )
    return f"<section><h2>Classes</h2><div class='scroll'>{table}</div></section>"


def _picture(model: Any) -> str:
    """The tree; of a forest the members, and the tree of the one that counts most."""
    if has_members(model):
        members, first, leader = members_and_leader(model)
        if leader is None:
            return ""
        columns = member_columns(model, members)
        rows = zip(*columns.values(), strict=True)
        table = table_html("As they are at the end", list(columns), rows)
        what, names = next(iter(columns.items()))
        tree = tree_svg(leader, max_depth=3)
        return (
            f"<section><h2>The members</h2><div class='scroll tall'>{table}</div>"
            f"<h2>{what.capitalize()} {escape(names[first])}</h2>"
            f"<div class='scroll picture'>{tree}</div></section>"
        )
    if not isinstance(model, TreeModel):
        return ""
    return (
        "<section><h2>The tree</h2>"
        f"<div class='scroll picture'>{tree_svg(model, max_depth=3)}</div></section>"
    )


def _splits(model: Any) -> str:
    splits = list(model.splits())
    promise = f"<p><b>What the bound promises.</b> {escape(model.guarantee())}</p>"
    if not splits:
        waiting = "".join(f"<p>{escape(label_text(str(leaf)))}</p>" for leaf in model.pending())
        return f"<section><h2>No split yet</h2>{waiting}{promise}</section>"
    hybrid = len({split.impurity for split in splits}) > 1
    rows = [
        (
            weight_text(split.seen),
            str(split.depth),
            _ranking(split),
            f"{split.gain:.4f}",
            *_evidence(split),
            weight_text(split.n),
            f"{split.reason}, {split.impurity}" if hybrid else str(split.reason),
        )
        for split in splits[: -_MOST_SPLITS - 1 : -1]
    ]
    heads = ("at row", "depth", "split", "gain", "runner-up", "gap", "ε", "δ", "n")
    table = table_html("The newest first", (*heads, "by"), rows, text_columns=(2, 4, 9))
    times = "2 ε" if splits[0].epsilons == 2 else "ε"
    return (
        f"<section><h2>Last splits and their evidence</h2><p class='quiet'>"
        f"{len(splits):,} {'split' if len(splits) == 1 else 'splits'} in all. A leaf splits by the "
        f"bound when the best cut leads the runner-up by more than {times}, and by a tie when ε "
        f"itself has become small; δ is the accepted probability of error at that check, n the "
        f"weight of the examples that the leaf saw. A split opens the ranking of its cuts.</p>"
        f"{promise}<div class='scroll'>{table}</div></section>"
    )


def _changes(model: Any) -> str:
    counts = model.change_counts()
    told = ", ".join(f"{n:,} {kind}" for kind, n in counts.items() if n) or "none yet"
    rows = [
        (
            weight_text(change.seen),
            label_text(change.where),
            change.kind,
            f"{label_text(change.before)}, {change.leaves_before:,}",
            f"{label_text(change.after)}, {change.leaves_after:,}",
            change.measure,
            f"{change.value_before:.4g}",
            f"{change.value_after:.4g}",
            f"{change.bound:.3g}",
        )
        for change in model.changes()[: -_MOST_SPLITS - 1 : -1]
    ]
    heads = ("at row", "where", "what", "before, leaves", "after, leaves", "by", "before", "after")
    table = table_html("The newest first", (*heads, "bound"), rows, text_columns=(1, 2, 3, 4, 5))
    shown = f"<div class='scroll'>{table}</div>" if rows else ""
    return (
        f"<section><h2>What the tree changed</h2><p class='quiet'>{told}. Errors and gains are "
        f"those of what went and of what came.</p>{shown}</section>"
    )


def _evidence(split: Any) -> tuple[str, str, str, str]:
    """Runner-up, gap, epsilon and delta, where there were any."""
    if split.reason == "seeded":
        return "none", "none", "none", "none"
    delta = f"{split.delta:.2g}" if split.bound != "confidence-practical" else "none"
    return label_text(str(split.runner_up)), f"{split.gap:.4f}", f"{split.epsilon:.4f}", delta


def _ranking(split: Any) -> Markup:
    """A cut that opens the gains of all that competed."""
    cuts = "".join(
        f"<li><span>{c.gain:.4f}</span> {escape(label_text(c.cut))}</li>" for c in split.candidates
    )
    cut = escape(label_text(split.cut))
    return Markup(f"<details class='ranking'><summary>{cut}</summary><ol>{cuts}</ol></details>")


def _parameters(model: Any) -> str:
    found = model.get_params(deep=False) if hasattr(model, "get_params") else {}
    rows = ((label_text(name), label_text(repr(value))) for name, value in sorted(found.items()))
    table = table_html("Parameters", ("parameter", "value"), rows, text_columns=(1,))
    return f"<section><details><summary>Parameters</summary>{table}</details></section>"
