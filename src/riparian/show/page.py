"""HTML pages that need nothing outside themselves: frame, style, tables and folds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from riparian import __version__
from riparian.export.palette import DARK, DARK_ACCENTS, LIGHT, LIGHT_ACCENTS
from riparian.show import chart

__all__ = ["Markup", "colours", "fold", "page_html", "table_html"]


class Markup(str):
    """HTML that is already escaped."""


def page_html(title: str, body: str) -> str:
    """A whole page from a title in plain text and a body in HTML."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)} · riparian</title>\n<style>{_style()}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n{_footer()}\n</body>\n</html>\n"
    )


def table_html(
    caption: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    text_columns: Sequence[int] = (),
) -> str:
    """A table whose first column names the row; `text_columns` are aligned to the left.

    Texts are escaped unless they are Markup. An empty caption is left out.
    """

    def cell(j: int, text: str) -> str:
        inner = text if isinstance(text, Markup) else escape(text)
        return f"<td{to_left(j)}>{inner}</td>" if j else f"<th scope='row'>{inner}</th>"

    def to_left(j: int) -> str:
        return " class='text'" if j == 0 or j in text_columns else ""

    head = "".join(
        f"<th scope='col'{to_left(j)}>{escape(text)}</th>" for j, text in enumerate(heads)
    )
    body = "".join(f"<tr>{''.join(cell(j, t) for j, t in enumerate(row))}</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def fold(summary: str, inner: str, role: str = "") -> str:
    """HTML that is hidden until the reader opens it."""
    kind = f" class='{role}'" if role else ""
    return f"<details{kind}><summary>{escape(summary)}</summary>{inner}</details>"


def _footer() -> str:
    return f"<footer class='quiet'>riparian {__version__}</footer>"


def colours(selector: str, *, dark: bool) -> str:
    """A rule that declares the colours of one scheme as variables."""
    scheme = DARK | DARK_ACCENTS if dark else LIGHT | LIGHT_ACCENTS
    declared = "".join(f"--{role}:{colour};" for role, colour in scheme.items())
    return f"{selector}{{{declared}color-scheme:{'dark' if dark else 'light'}}}"


def _style() -> str:
    dark = f"@media (prefers-color-scheme:dark){{{colours(':root', dark=True)}}}"
    return colours(":root", dark=False) + dark + _RULES + chart.RULES


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
td.text:not(:last-child){min-width:25ch}
td.text:last-child{overflow-wrap:normal}
details{margin:8px 0}
.ranking{margin:0}
.ranking summary{color:inherit;width:auto;display:flex;gap:6px}
.ranking summary::before{content:"▸";color:var(--quiet)}
.ranking[open] summary::before{content:"▾"}
.ranking ol{margin:4px 0 6px;padding:0;list-style:none;color:var(--quiet)}
.ranking li{padding-left:52px;text-indent:-52px}
.ranking span{display:inline-block;width:48px;text-indent:0}
summary{cursor:pointer;width:max-content;max-width:100%}
.outline{font-size:14px;font-variant-numeric:tabular-nums;margin:6px 0}
.outline details,.outline div{margin:2px 0 2px 18px;overflow-wrap:anywhere}
.outline summary{color:inherit;margin-left:-16px}
.confusion td,.confusion th{padding:6px 12px;border:0}
.confusion td{min-width:64px}
.confusion .right{background:color-mix(in srgb,var(--accent) calc(var(--share)*55%),var(--ground))}
.confusion .wrong{background:color-mix(in srgb,var(--second) calc(var(--share)*55%),var(--ground))}
.confusion .recall{color:var(--quiet)}
@media print{section>details,.ranking ol{display:none}}
"""
