"""What a notebook shows of a model: its parameters, its key numbers and its tree."""

from __future__ import annotations

import inspect
from html import escape
from typing import Any

from riparian.gradient import OADT
from riparian.members import has_members, member_columns, members_and_leader
from riparian.palette import DARK, LIGHT
from riparian.structure import Structure
from riparian.svg import tree_svg
from riparian.wording import label_text, number_text, weight_text

__all__ = ["repr_html"]

_LONGEST = 120  # characters of a parameter's value
_MOST_MEMBERS = 30


def repr_html(model: Any) -> str:
    """HTML view of a model for notebooks.

    Parameters
    ----------
    model : StreamClassifier
        A model; one that has not learned yet shows its parameters only.

    Returns
    -------
    str
        One ``<div>`` with its own style; all names and values in it are escaped.
    """
    parts = [
        '<div class="riparian-model">',
        f"<style>{_style()}</style>",
        f"<p><strong>{escape(type(model).__name__)}</strong> {_parameters(model)}</p>",
    ]
    if getattr(model, "_engine", None) is None:
        parts.append("<p class='quiet'>has not learned yet</p>")
    else:
        if has_members(model):
            parts += _forest(model)
        else:
            parts += [_numbers(model), _looks(model)]
        if hasattr(model, "guarantee"):
            promise = escape(model.guarantee())
            parts.append(f"<details><summary>What the bound promises</summary>{promise}</details>")
    return "\n".join([*parts, "</div>"])


def _looks(model: Any) -> str:
    """The tree, or the planes of OADT."""
    if isinstance(model, OADT):
        planes = escape(model.export_text())
        return f"<details><summary>The planes</summary><pre>{planes}</pre></details>"
    return f'<div class="picture">{tree_svg(model)}</div>'


def _forest(model: Any) -> list[str]:
    """The members of a forest at one moment: in numbers, as a table, and the one that leads."""
    members, first, leader = members_and_leader(model)
    numbers = _tiles(
        model,
        len(members),
        sum(m.leaves for m in members),
        max((m.depth for m in members), default=0),
    )
    if leader is None:
        return [numbers]  # no pair of classes yet
    columns = member_columns(model, members)
    name = next(iter(columns.values()))[first]
    tree = tree_svg(leader, max_depth=3)
    return [
        numbers,
        f'<div class="members">{_members(columns)}</div>',
        f"<details class='wide'><summary>The tree of {next(iter(columns))} {escape(name)}</summary>"
        f'<div class="picture">{tree}</div></details>',
    ]


def _members(columns: dict[str, list[str]]) -> str:
    """A table of members, the first ones if there are many."""
    rows = list(zip(*columns.values(), strict=True))
    heads = "".join(f"<th scope='col'>{escape(head)}</th>" for head in columns)
    body = "".join(
        f"<tr><th scope='row'>{escape(first)}</th>"
        + "".join(f"<td>{escape(text)}</td>" for text in others)
        + "</tr>"
        for first, *others in rows[:_MOST_MEMBERS]
    )
    more = len(rows) - _MOST_MEMBERS
    left_out = f"<p class='quiet'>and {more:,} more</p>" if more > 0 else ""
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{left_out}"


def _parameters(model: Any) -> str:
    """The parameters that are not at their defaults."""
    defaults = {
        name: parameter.default
        for name, parameter in inspect.signature(type(model).__init__).parameters.items()
    }
    changed = [
        f"<code>{escape(label_text(name))}={escape(_short(value))}</code>"
        for name, value in model.get_params(deep=False).items()
        if not _same(value, defaults.get(name, inspect.Parameter.empty))
    ]
    return ", ".join(changed) if changed else '<span class="quiet">all defaults</span>'


def _same(value: Any, default: Any) -> bool:
    if value is default:
        return True
    try:
        return type(value) is type(default) and bool(value == default)
    except (TypeError, ValueError):  # arrays have no one truth
        return False


def _short(value: Any) -> str:
    text = label_text(repr(value))
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _numbers(model: Any) -> str:
    if isinstance(model, OADT):
        return _tiles(model, model.n_trees_, model.n_leaves_, model.depth_)
    structure = Structure.of(model)
    seen = sum(structure[0].reached) if len(structure) else 0.0
    rows = [
        ("examples", weight_text(float(getattr(model, "n_seen_", seen)))),
        ("classes", f"{len(structure.classes):,}"),
        ("leaves", f"{structure.n_leaves:,}"),
        ("depth", f"{structure.depth:,}"),
    ]
    return _cells(model, rows)


def _tiles(model: Any, trees: int, leaves: int, depth: int) -> str:
    rows = [
        ("examples", weight_text(float(model.n_seen_))),
        ("classes", f"{len(model.classes_):,}"),
        ("trees", f"{trees:,}"),
        ("leaves", f"{leaves:,}"),
        ("depth", f"{depth:,}"),
    ]
    return _cells(model, rows)


def _cells(model: Any, rows: list[tuple[str, str]]) -> str:
    memory = getattr(model, "memory_bytes_", None)
    if memory is not None:
        rows.append(("memory", _bytes_text(float(memory))))
    cells = "".join(f"<div><b>{escape(v)}</b><span>{k}</span></div>" for k, v in rows)
    return f'<div class="numbers">{cells}</div>'


def _bytes_text(size: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if size < 1000.0:
            return f"{number_text(size, 3)} {unit}"
        size /= 1000.0
    return f"{number_text(size, 3)} GB"


def _style() -> str:
    scope = ".riparian-model"

    def scheme(colours: dict[str, str], selector: str) -> str:
        return (
            f"{selector}{{background:{colours['ground']};color:{colours['ink']};"
            f"border-color:{colours['line']};"
            f"color-scheme:{'dark' if colours is DARK else 'light'}}}"
            f"{selector} .quiet,{selector} .numbers span,{selector} summary,{selector} thead th"
            f"{{color:{colours['quiet']}}}"
            f"{selector} code{{background:{colours['card']};color:{colours['ink']}}}"
        )

    not_light = f'{scope}:not([data-jp-theme-light="true"] *):not(.vscode-light *)'
    return (
        f"{scope}{{font:13px/1.5 system-ui,sans-serif;border:1px solid;border-radius:10px;"
        "padding:10px 14px;max-width:100%;box-sizing:border-box}"
        f"{scope} p{{margin:0 0 6px}}"
        f"{scope} code{{padding:1px 5px;border-radius:4px}}"
        f"{scope} .numbers{{display:flex;flex-wrap:wrap;gap:4px 28px;margin:6px 0}}"
        f"{scope} .numbers b{{display:block;font-size:17px;font-variant-numeric:tabular-nums}}"
        f"{scope} .picture{{overflow-x:auto}}"
        f"{scope} .members{{max-height:300px;overflow:auto;width:max-content;max-width:100%}}"
        f"{scope} table{{border-collapse:collapse;margin:4px 0;font:inherit;background:none;"
        "font-variant-numeric:tabular-nums;color:inherit}"
        f"{scope} th,{scope} td{{padding:2px 14px 2px 0;text-align:right;font-weight:400;"
        "border:0;background:none;color:inherit}"
        f"{scope} th[scope=row],{scope} th:first-child{{text-align:left}}"
        f"{scope} details:not(.wide){{max-width:76ch}}{scope} summary{{cursor:pointer}}"
        + scheme(LIGHT, scope)
        + f"@media (prefers-color-scheme:dark){{{scheme(DARK, not_light)}}}"
        + scheme(DARK, f'[data-jp-theme-light="false"] {scope}')
        + scheme(DARK, f".vscode-dark {scope}")
    )
