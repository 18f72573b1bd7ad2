"""The report of an evaluation as one HTML file that needs nothing outside itself."""

from __future__ import annotations

import math
import os
from html import escape
from typing import Any

from riparian.data.formatting import distinct_texts, label_text, plural, weight_text
from riparian.evaluate.results import Result
from riparian.evidence.certificates import Split
from riparian.show.chart import curve_svg
from riparian.show.outline import outline_html
from riparian.show.page import Markup, fold, page_html, table_html
from riparian.show.svg import picture_svg
from riparian.show.view import ModelView
from riparian.storage.outputs import open_output

__all__ = ["report_html", "write_report"]

_MOST_CLASSES = 20
_MOST_SPLITS = 20


def write_report(
    path: str | os.PathLike[str], model: Any, result: Result, title: str = "riparian"
) -> None:
    """Write the report of an evaluation. The file is complete or not written at all.

    An existing file is replaced; a device or a FIFO is written to. The title of the page may be
    the name of the data.
    """
    text = report_html(model, result, title)
    with open_output(path, "w") as file:
        file.write(text)


def report_html(model: Any, result: Result, title: str) -> str:
    """The report as HTML, in which every name and value is escaped."""
    view = ModelView(model)
    sections = [_header(view, title), _figures(view, result)]
    if result.n:
        sections += [_curve(view, result), _confusion(result)]
    if view.parts is not None:
        sections += [_tree(view), _splits(view), _changes(view)]
    sections.append(_parameters(view))
    return page_html(title, "\n".join(filter(None, sections)))


def _header(view: ModelView, title: str) -> str:
    return (
        f"<header><p class='quiet'>{escape(view.name)}, evaluated prequentially</p>"
        f"<h1>{escape(label_text(title))}</h1></header>"
    )


def _figures(view: ModelView, result: Result) -> str:
    tiles = [
        (name.replace("_", " "), _figure_text(name, value))
        for name, value in result.figures().items()
        if not math.isnan(value)
    ]
    tiles += [(f"{name} baseline", f"{value:.4f}") for name, value in result.baselines.items()]
    tiles.append(("rows", f"{result.n:,}"))
    if result.skipped:
        tiles.append(("rows skipped", f"{result.skipped:,}"))
    tiles += view.sizes()
    tiles.append(("rows per second", f"{result.rate:,.0f}"))
    cells = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in tiles
    )
    return f"<section aria-label='Figures'><dl class='tiles'>{cells}</dl></section>"


def _figure_text(name: str, value: float) -> str:
    """Shares have four decimals; costs may have any size."""
    return f"{value:.6g}" if name == "mean_cost" else f"{value:.4f}"


def _curve(view: ModelView, result: Result) -> str:
    curve = result.curve
    rows = zip(curve.rows.tolist(), curve.accuracy.tolist(), curve.leaves.tolist(), strict=True)
    table = table_html(
        "Accuracy and leaves by window",
        ("up to row", "accuracy", "leaves"),
        ((f"{n:,}", f"{value:.4f}", f"{leaves:,}") for n, value, leaves in rows),
    )
    marks = view.change_rows(result.n)
    lines = " Vertical lines mark changes of the tree." if marks else ""
    as_table = fold("as a table", f"<div class='scroll tall'>{table}</div>")
    return (
        "<section><h2>Accuracy over time</h2><p class='quiet'>Each row is predicted before it is "
        f"learned. A point is the accuracy of {result.window:,} rows.{lines}</p>"
        f"<div class='scroll'>{curve_svg(result, marks)}</div>"
        f"{as_table}</section>"
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
        "<section><h2>Confusion matrix</h2><div class='scroll'><table class='confusion'>"
        "<caption>True classes down, predicted classes across</caption>"
        f"<thead><tr><td></td>{heads}<th scope='col' class='recall'>recall</th></tr></thead>"
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


def _tree(view: ModelView) -> str:
    """The members of a forest, and the tree or the planes."""
    parts = view.parts
    assert parts is not None
    found = ""
    if parts.members:
        columns = parts.member_columns
        rows = zip(*columns.values(), strict=True)
        table = table_html("At the end of the stream", list(columns), rows)
        found += f"<h2>Members</h2><div class='scroll tall'>{table}</div>"
    if parts.tree is not None:
        picture = picture_svg(parts.tree, max_depth=3)
        found += f"<h2>{escape(parts.tree_title)}</h2><div class='scroll picture'>{picture}</div>"
        if len(parts.tree) > 1:
            found += fold("the whole tree, branch by branch", outline_html(parts.tree))
    if parts.text is not None:
        heading, text = parts.text
        found += f"<h2>{escape(heading)}</h2><pre class='scroll tall'>{escape(text)}</pre>"
    return f"<section>{found}</section>" if found else ""


def _splits(view: ModelView) -> str:
    parts = view.parts
    if parts is None or parts.splits is None:
        return ""
    about = fold("About the bound", f"<p>{escape(parts.guarantee or '')}</p>")
    if not parts.splits:
        waiting = "".join(f"<p>{escape(label_text(str(leaf)))}</p>" for leaf in parts.pending)
        return f"<section><h2>No split yet</h2>{waiting}{about}</section>"
    last = view.last_splits(_MOST_SPLITS)[::-1]
    several = len({split.impurity for split in parts.splits}) > 1
    rows = [
        (
            weight_text(split.seen),
            str(split.depth),
            _ranking(split),
            f"{split.gain:.4f}",
            *_evidence(split),
            weight_text(split.n),
            f"{split.reason}, {split.impurity}" if several else split.reason,
        )
        for split in last
    ]
    heads = ("at row", "depth", "split", "gain", "runner-up", "gap", "ε", "δ", "n", "reason")
    table = table_html("The newest first", heads, rows, text_columns=(2, 4, 9))
    times = "2 ε" if last[0].epsilons == 2 else "ε"
    return (
        f"<section><h2>Last splits and their evidence</h2><p class='quiet'>"
        f"The tree has {plural(len(parts.splits), 'split')}. A leaf splits by the bound when the "
        f"best cut leads the runner-up by more than {times}, and by a tie when ε falls below the "
        f"tie threshold. δ is a parameter of the bound; n is the weight of the examples that the "
        f"leaf saw. Open a split to see the ranking of its cuts.</p>"
        f"<div class='scroll'>{table}</div>{about}</section>"
    )


def _changes(view: ModelView) -> str:
    parts = view.parts
    if parts is None or parts.changes is None:
        return ""
    rows = [
        (
            weight_text(change.seen),
            f"{label_text(change.where)}: {change.kind}",
            f"{label_text(change.before)} ({plural(change.leaves_before, 'leaf', 'leaves')})",
            f"{label_text(change.after)} ({plural(change.leaves_after, 'leaf', 'leaves')})",
            f"{change.measure} {change.value_before:.4g} → {change.value_after:.4g}",
            f"{change.bound:.3g}",
        )
        for change in view.last_changes(_MOST_SPLITS)[::-1]
    ]
    about = f"<section><h2>Changes of the tree</h2><p class='quiet'>{view.change_text()}."
    if not rows:
        return f"{about}</p></section>"
    heads = ("at row", "change", "before", "after", "evidence", "bound")
    table = table_html("The newest first", heads, rows, text_columns=(1, 2, 3))
    return (
        f"{about} The evidence is the error or the gain before and after; the difference had to "
        f"exceed the bound.</p><div class='scroll'>{table}</div>{_former(view)}</section>"
    )


def _former(view: ModelView) -> str:
    """The certificates of splits that the tree no longer has."""
    last = view.last_former_splits(_MOST_SPLITS)[::-1]
    if not last:
        return ""
    rows = [
        (
            weight_text(split.seen),
            weight_text(float(split.replaced_at or 0)),
            str(split.depth),
            label_text(split.cut),
            f"{split.gain:.4f}",
            *_evidence(split),
            weight_text(split.n),
            split.reason,
        )
        for split in last
    ]
    heads = ("at row", "until row", "depth", "split", "gain", "runner-up", "gap", "ε", "δ", "n")
    table = table_html("The newest first", (*heads, "reason"), rows, text_columns=(3, 5, 10))
    return fold("Certificates of splits that were replaced", f"<div class='scroll'>{table}</div>")


def _evidence(split: Split) -> tuple[str, str, str, str]:
    """Runner-up, gap, epsilon and delta, as far as the split has them."""
    if split.reason == "seeded":
        return "none", "none", "none", "none"
    delta = f"{split.delta:.2g}" if split.bound != "confidence-practical" else "none"
    return label_text(str(split.runner_up)), f"{split.gap:.4f}", f"{split.epsilon:.4f}", delta


def _ranking(split: Split) -> Markup:
    """The cut; opened, it shows the gains of all candidates."""
    cuts = "".join(
        f"<li><span>{c.gain:.4f}</span> {escape(label_text(c.cut))}</li>" for c in split.candidates
    )
    cut = escape(label_text(split.cut))
    return Markup(f"<details class='ranking'><summary>{cut}</summary><ol>{cuts}</ol></details>")


def _parameters(view: ModelView) -> str:
    rows = sorted(view.parameter_texts())
    table = table_html("Parameters", ("parameter", "value"), rows, text_columns=(1,))
    return f"<section>{fold('Parameters', table)}</section>"
