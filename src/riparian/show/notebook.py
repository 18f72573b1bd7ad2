"""What a notebook shows of a model and of an evaluation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import escape
from typing import Any

from riparian.evaluate.results import Result
from riparian.show import chart
from riparian.show.page import colours, fold, table_html
from riparian.show.svg import picture_svg
from riparian.show.view import ModelView, Rows

__all__ = ["repr_html", "result_html"]

_LONGEST = 120  # characters of a parameter's value
_MOST_MEMBERS = 30


def repr_html(model: Any) -> str:
    """HTML view of a model: one ``<div>`` with its own style, in which all texts are escaped."""
    view = ModelView(model)
    head = f"<p><strong>{escape(view.name)}</strong> {_parameters(view)}</p>"
    return _framed([head, *_learned(view)])


def result_html(result: Result) -> str:
    """HTML view of an evaluation for notebooks: its figures, and the accuracy over time."""
    figures = [("rows", f"{result.n:,}"), ("accuracy", f"{result.accuracy:.4f}")]
    figures += [("kappa", f"{result.kappa:.4f}")]
    figures += [(name, f"{value:.4f}") for name, value in result.baselines.items()]
    figures += [("rows per second", f"{result.rate:,.0f}")]
    curve = f'<div class="picture">{chart.curve_svg(result)}</div>' if result.n else ""
    return _framed([_tiles(figures), curve])


def _framed(pieces: list[str]) -> str:
    return "\n".join(
        ['<div class="riparian-model">', f"<style>{_style()}</style>", *pieces, "</div>"]
    )


def _learned(view: ModelView) -> list[str]:
    parts = view.parts
    if parts is None:
        return ["<p class='quiet'>has not learned yet</p>"]
    found = [_tiles(view.totals())]
    if parts.members:
        found.append(f'<div class="members">{_members(parts.member_columns)}</div>')
    if parts.tree is not None:
        depth = 4 if parts.members is None else 3
        picture = f'<div class="picture">{picture_svg(parts.tree, max_depth=depth)}</div>'
        alone = parts.members is None
        found.append(picture if alone else fold(parts.tree_title, picture, "wide"))
    if parts.text is not None:
        heading, text = parts.text
        found.append(fold(heading, f"<pre>{escape(text)}</pre>"))
    if parts.guarantee is not None:
        found.append(fold("About the bound", escape(parts.guarantee)))
    return found


def _members(columns: Mapping[str, list[str]]) -> str:
    """The table of the members; of many, the first ones."""
    rows = list(zip(*columns.values(), strict=True))
    more = len(rows) - _MOST_MEMBERS
    left_out = f"<p class='quiet'>and {more:,} more</p>" if more > 0 else ""
    return table_html("", list(columns), rows[:_MOST_MEMBERS]) + left_out


def _parameters(view: ModelView) -> str:
    """The parameters that are not at their defaults."""
    changed = [
        f"<code>{escape(name)}={escape(_short(text))}</code>"
        for name, text in view.parameter_texts(changed=True)
    ]
    return ", ".join(changed) if changed else '<span class="quiet">all defaults</span>'


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _tiles(rows: Rows) -> str:
    cells = "".join(f"<div><b>{escape(v)}</b><span>{escape(k)}</span></div>" for k, v in rows)
    return f'<div class="numbers">{cells}</div>'


def _style() -> str:
    """The rules of a view; the theme of the notebook overrides that of the system."""
    scope = ".riparian-model"
    not_light = f'{scope}:not([data-jp-theme-light="true"] *):not(.vscode-light *)'
    schemes = (
        colours(scope, dark=False)
        + f"@media (prefers-color-scheme:dark){{{colours(not_light, dark=True)}}}"
        + colours(f'[data-jp-theme-light="false"] {scope}', dark=True)
        + colours(f".vscode-dark {scope}", dark=True)
    )
    return schemes + "".join(
        f"{','.join(f'{scope} {part}'.rstrip() for part in selectors.strip().split(','))}{body}"
        for selectors, body in re.findall(r"([^{}]*)(\{[^}]*\})", chart.RULES + _RULES)
    )


# Each selector is inside the view; the first one is the view itself.
_RULES = """
{font:13px/1.5 system-ui,sans-serif;background:var(--ground);color:var(--ink);
border:1px solid var(--line);border-radius:10px;padding:10px 14px;max-width:100%;
box-sizing:border-box}
p{margin:0 0 6px}
.quiet,.numbers span,summary,thead th{color:var(--quiet)}
code{padding:1px 5px;border-radius:4px;background:var(--card);color:var(--ink)}
.numbers{display:flex;flex-wrap:wrap;gap:4px 28px;margin:6px 0}
.numbers b{display:block;font-size:17px;font-variant-numeric:tabular-nums}
.picture{overflow-x:auto}
.chart{max-width:760px}
.members{max-height:300px;overflow:auto;width:max-content;max-width:100%}
table{border-collapse:collapse;margin:4px 0;font:inherit;background:none;color:inherit;
font-variant-numeric:tabular-nums}
th,td{padding:2px 14px 2px 0;text-align:right;font-weight:400;border:0;background:none;
color:inherit}
th[scope=row],th:first-child{text-align:left}
details:not(.wide){max-width:76ch}
summary{cursor:pointer}
"""
