"""The report of an evaluation as one HTML file that needs nothing outside itself."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

from riparian import __version__
from riparian.chart import curve_svg
from riparian.palette import DARK, LIGHT
from riparian.results import Result
from riparian.svg import tree_svg
from riparian.wording import distinct_texts, label_text, number_text, weight_text
from riparian.writing import whole_file

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
        The HTML file; one that is there is replaced.
    model : HoeffdingTree
        The model as it is now.
    result : Result
        Its figures.
    title : str
        The page's title, such as the name of the data.
    """
    text = report_html(model, result, title)
    with whole_file(path) as file:
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
        sections.append(_tree(model))
        sections.append(_splits(model))
    sections.append(_parameters(model))
    body = "\n".join(sections)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)} · riparian</title>\n<style>{_style()}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n{_footer()}\n</body>\n</html>\n"
    )


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
    tiles = [("accuracy", f"{result.accuracy:.4f}"), ("kappa", f"{result.kappa:.4f}")]
    tiles += [(f"{name} baseline", f"{value:.4f}") for name, value in result.baselines.items()]
    tiles.append(("rows", f"{result.n:,}"))
    if result.skipped:
        tiles.append(("rows skipped", f"{result.skipped:,}"))
    for name, attribute in (("leaves", "n_leaves_"), ("depth", "depth_")):
        if hasattr(model, attribute):
            tiles.append((name, f"{getattr(model, attribute):,}"))
    if hasattr(model, "memory_bytes_"):
        tiles.append(("memory", bytes_text(float(model.memory_bytes_))))
    tiles.append(("rows a second", f"{result.rate:,.0f}"))
    cells = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in tiles
    )
    return f"<section aria-label='Figures'><dl class='tiles'>{cells}</dl></section>"


def _curve(result: Result) -> str:
    curve = result.curve
    rows = zip(curve.rows.tolist(), curve.accuracy.tolist(), curve.leaves.tolist(), strict=True)
    table = _table(
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
    table = _table(
        f"The {min(len(found), _MOST_CLASSES)} most frequent of {len(found):,} classes",
        ("class", "rows", "predicted"),
        (
            (label_text(label), f"{true:,}", f"{said:,}")
            for label, true, said in found[:_MOST_CLASSES]
        ),
    )
    return f"<section><h2>Classes</h2><div class='scroll'>{table}</div></section>"


def _tree(model: Any) -> str:
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
            str(split.runner_up),
            f"{split.gap:.4f}",
            f"{split.epsilon:.4f}",
            f"{split.delta:.2g}" if split.bound != "confidence-practical" else "none",
            weight_text(split.n),
            f"{split.reason}, {split.impurity}" if hybrid else str(split.reason),
        )
        for split in splits[: -_MOST_SPLITS - 1 : -1]
    ]
    heads = ("at row", "depth", "split", "gain", "runner-up", "gap", "ε", "δ", "n")
    table = _table("The newest first", (*heads, "by"), rows, text_columns=(2, 4, 9))
    times = "2 ε" if splits[0].epsilons == 2 else "ε"
    return (
        f"<section><h2>Last splits and their evidence</h2><p class='quiet'>"
        f"{len(splits):,} {'split' if len(splits) == 1 else 'splits'} in all. A leaf splits by the "
        f"bound when the best cut leads the runner-up by more than {times}, and by a tie when ε "
        f"itself has become small; δ is the accepted probability of error at that check, n the "
        f"weight of the examples that the leaf saw. A split opens the ranking of its cuts.</p>"
        f"{promise}<div class='scroll'>{table}</div></section>"
    )


def _ranking(split: Any) -> _Markup:
    """A cut that opens the gains of all that competed."""
    cuts = "".join(
        f"<li><span>{c.gain:.4f}</span> {escape(label_text(c.cut))}</li>" for c in split.candidates
    )
    cut = escape(label_text(split.cut))
    return _Markup(f"<details class='ranking'><summary>{cut}</summary><ol>{cuts}</ol></details>")


class _Markup(str):
    """HTML that is escaped already."""


def _parameters(model: Any) -> str:
    found = model.get_params(deep=False) if hasattr(model, "get_params") else {}
    rows = ((label_text(name), label_text(repr(value))) for name, value in sorted(found.items()))
    table = _table("Parameters", ("parameter", "value"), rows, text_columns=(1,))
    return f"<section><details><summary>Parameters</summary>{table}</details></section>"


def _table(
    caption: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    text_columns: Sequence[int] = (),
) -> str:
    """A table whose first column names the row; columns of text stand to the left."""

    def cell(j: int, text: str) -> str:
        if j == 0:
            return f"<th scope='row'>{escape(text)}</th>"
        inner = text if isinstance(text, _Markup) else escape(text)
        return f"<td{to_left(j)}>{inner}</td>"

    def to_left(j: int) -> str:
        return " class='text'" if j == 0 or j in text_columns else ""

    head = "".join(
        f"<th scope='col'{to_left(j)}>{escape(text)}</th>" for j, text in enumerate(heads)
    )
    body = "".join(f"<tr>{''.join(cell(j, t) for j, t in enumerate(row))}</tr>" for row in rows)
    return (
        f"<table><caption>{escape(caption)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _footer() -> str:
    return f"<footer class='quiet'>riparian {__version__}</footer>"


def _style() -> str:
    def colours(scheme: dict[str, str], accent: str, second: str) -> str:
        roles = "".join(f"--{role}:{colour};" for role, colour in scheme.items())
        return f":root{{{roles}--accent:{accent};--second:{second}}}"

    return (
        colours(LIGHT, "#0072b2", "#9a6700")
        + f"@media (prefers-color-scheme:dark){{{colours(DARK, '#56b4e9', '#e69f00')}}}"
        + _RULES
    )


_RULES = """
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:15px/1.55 system-ui,-apple-system,
"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
main{max-width:1040px;margin:0 auto;padding:32px 20px 8px}
footer{max-width:1040px;margin:0 auto;padding:8px 20px 40px}
h1{font-size:26px;line-height:1.25;margin:0 0 20px;overflow-wrap:anywhere}
h2{font-size:18px;margin:40px 0 4px}
p{margin:0 0 10px;max-width:76ch}
.quiet,caption,dt,summary{color:var(--quiet)}
header .quiet{margin:0}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(170px,1fr));gap:10px;margin:0}
.tiles div{background:var(--card);border-radius:8px;padding:10px 14px}
dt{font-size:13px}
dd{margin:0;font-size:21px;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto}
.tall{max-height:380px;overflow-y:auto}
.picture{border:1px solid var(--line);border-radius:10px;margin-top:10px}
.picture svg{display:block;margin:0 auto}
table{border-collapse:collapse;font-size:14px;font-variant-numeric:tabular-nums;margin:6px 0}
caption{text-align:left;padding:2px 0 6px;white-space:nowrap}
th,td{padding:4px 12px 4px 0;text-align:right;vertical-align:top;font-weight:400;
white-space:nowrap}
thead th{color:var(--quiet);border-bottom:1px solid var(--line)}
tbody tr+tr>*{border-top:1px solid var(--card)}
th[scope=row],.text{text-align:left}
td.text{white-space:normal;max-width:44ch;overflow-wrap:anywhere}
td.text:not(:last-child){min-width:29ch}
td.text:last-child{overflow-wrap:normal}
details{margin:8px 0}
.ranking{margin:0}
.ranking summary{color:inherit;width:auto}
.ranking ol{margin:4px 0 6px;padding:0;list-style:none;color:var(--quiet)}
.ranking li{padding-left:52px;text-indent:-52px}
.ranking span{display:inline-block;width:48px;text-indent:0}
summary{cursor:pointer;width:max-content}
.confusion td,.confusion th{padding:6px 12px;border:0}
.confusion td{min-width:64px}
.confusion .right{background:color-mix(in srgb,var(--accent) calc(var(--share)*55%),var(--ground))}
.confusion .wrong{background:color-mix(in srgb,var(--second) calc(var(--share)*55%),var(--ground))}
.confusion .recall{color:var(--quiet)}
.chart{display:block;width:100%;min-width:640px;height:auto}
.chart text{font-size:13px;fill:var(--quiet)}
.chart .tick{font-size:12px;font-variant-numeric:tabular-nums}
.chart .grid{stroke:var(--line);stroke-width:1;opacity:.6}
.chart path{fill:none}
.chart .baseline{stroke:var(--quiet);stroke-width:1.2;stroke-dasharray:5 4}
.chart .accuracy{stroke:var(--accent);stroke-width:2;stroke-linejoin:round}
.chart .accuracy-name{fill:var(--accent);font-weight:600}
.chart .leaves{stroke:var(--second);stroke-width:1.6}
.chart .leaves-area{fill:var(--second);opacity:.14}
.chart .leaves-name{fill:var(--second);font-weight:600}
.chart .tip{fill:var(--ink);opacity:0}
.chart .tip:hover{opacity:.07}
@media print{section>details,.ranking ol{display:none}}
"""
