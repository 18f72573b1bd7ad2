"""A page for each policy, made from what the core declares and the docstrings of its axis.

A page has the text that the docstring of the axis' module gives the policy, its parameters, what it
can be combined with, and its formula: that of the function that computes it, or, where none does,
the file ``docs/site/formulas/<axis>/<name>.md``.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

from docs.site import references
from docs.site.text import first_sentence, is_documented_function, rst, snake_case, table, toctree
from riparian.policies import AXES, Policy, classes

__all__ = ["functions_on_pages", "link_names", "page_of", "write_pages"]


def page_of(policy: type[Policy]) -> str:
    """The page of a policy, without its ending."""
    return f"policies/{policy.axis}/{policy.name}"


def link_names(text: str) -> str:
    """`text` in which each policy that begins a row below the heading of its axis is a link."""
    parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    for i, part in enumerate(parts):
        axis = re.match(r"## (\w+):", part)
        if axis and axis[1] in AXES:
            names = "|".join(classes(axis[1]))
            link = rf"| [`\1`](/policies/{axis[1]}/\1.md) |"
            parts[i] = re.sub(rf"^\| `({names})` \|", link, part, flags=re.MULTILINE)
    return "".join(parts)


def functions_on_pages(axis: str) -> dict[str, list[str]]:
    """For each policy of an axis, the functions of its module that belong on its page.

    These are the functions of its name, and those that its text, and no other, refers to.
    """
    module = importlib.import_module(AXES[axis])
    functions = [n for n in module.__all__ if is_documented_function(getattr(module, n))]
    texts = _texts(module, axis)
    referred = {name: set(re.findall(r":func:`(\w+)`", text)) for name, text in texts.items()}
    often = Counter(f for found in referred.values() for f in found)
    own = {name: snake_case(name) for name in classes(axis)}
    found: dict[str, list[str]] = {}
    taken: set[str] = set()
    for name, stem in own.items():
        named = [
            f
            for f in functions
            if f == stem or (f.startswith(f"{stem}_") and f not in own.values())
        ]
        found[name] = named
        taken |= set(named)
    for name in own:
        more = [f for f in functions if f in referred.get(name, ()) and f not in taken]
        found[name] += [f for f in more if often[f] == 1]
    return found


def write_pages(docs: Path, target: Path) -> None:
    """Write the pages of all axes and policies, and put them into the menu."""
    menu = []
    for axis in AXES:
        folder = target / "policies" / axis
        folder.mkdir(parents=True)
        for policy in classes(axis).values():
            text = _page(policy, docs / "site" / "formulas" / axis / f"{policy.name}.md")
            (folder / f"{policy.name}.md").write_text(text, "utf-8")
        (folder / "index.md").write_text(_axis_page(axis), "utf-8")
        menu.append(f"policies/{axis}/index")
    overview = target / "policies.md"
    overview.write_text(overview.read_text("utf-8") + "\n" + toctree(menu), "utf-8")


def _axis_page(axis: str) -> str:
    module = importlib.import_module(AXES[axis])
    title = first_sentence(module).rstrip(".")
    rows = [
        (f"``{name}``", f":doc:`{policy.__name__} </{page_of(policy)}>`", policy.about)
        for name, policy in classes(axis).items()
    ]
    listed = rst(table(("name", "class", ""), rows), module.__name__)
    more = f"The functions of this axis and their parameters: {{py:mod}}`{module.__name__}`.\n"
    menu = toctree(policy.name for policy in classes(axis).values())
    return f"# {axis}\n\n{title}.\n\n{listed}\n{more}\n{menu}"


def _page(policy: type[Policy], formula: Path) -> str:
    module = importlib.import_module(AXES[policy.axis])
    short = f"riparian.{module.__name__.rpartition('.')[2]}"
    made = f"rp.{short.rpartition('.')[2]}.{policy.__name__}"
    arguments = [f"{p.name}={p.default!r}" for p in policy.parameters.values()]
    code = f'rp.HoeffdingTree({policy.axis}="{policy.name}")\n'
    if arguments:
        whole = f"rp.HoeffdingTree({policy.axis}={made}({', '.join(arguments)}))\n"
        lines = "".join(f"    {argument},\n" for argument in arguments)
        wrapped = f"rp.HoeffdingTree({policy.axis}={made}(\n{lines}))\n"
        code += whole if len(whole) < 90 else wrapped
    parts = [f"# {policy.__name__}\n"]
    text = _texts(module, policy.axis).get(policy.name)
    if text:
        parts.append(rst(text, short))
    parts.append(f"```python\nimport riparian as rp\n\n{code}```\n")
    parts.append(rst(f".. autoclass:: {short}.{policy.__name__}", short))
    functions = functions_on_pages(policy.axis)[policy.name]
    if formula.exists():
        text = references.link_keys(formula.read_text("utf-8"), "/references.md")
        parts.append(f"## Formula\n\n{text}")
    if functions:
        described = "\n".join(f".. autofunction:: {short}.{name}" for name in functions)
        parts.append("## Functions\n\n" + rst(described, short))
    parts += _combinations(policy.declared)
    return "\n".join(parts)


def _combinations(declared: Mapping[str, Any]) -> list[str]:
    parts = []
    if declared["serves"]:
        listed = ", ".join(
            f":doc:`{name} </{page_of(classes('impurity')[name])}>`" for name in declared["serves"]
        )
        parts.append("## Impurities\n\n" + rst(f"It was derived for {listed}."))
    if declared["promise"]:
        promise = re.sub(r"\{(\w+)\}", r"`\1`", declared["promise"])
        parts.append(f"## Promise\n\n{promise.rstrip('.')}.\n")
    if declared["rules"]:
        rows = [(_when(when), _demand(demand), why) for when, demand, why in declared["rules"]]
        if not any(when for when, _, _ in rows):
            shown = table(("needs", "because"), [row[1:] for row in rows])
        else:
            shown = table(("with", "needs", "because"), rows)
        parts.append("## Combinations\n\n" + rst(shown))
    return parts


def _when(condition: tuple[str, list[str], bool] | None) -> str:
    return _demand(condition) if condition else ""


def _demand(demand: tuple[str, list[str], bool]) -> str:
    name, values, wanted = demand
    listed = " or ".join(f"``{value}``" for value in values)
    return f"``{name}``: {'' if wanted else 'not '}{listed}"


def _texts(module: ModuleType, axis: str) -> dict[str, str]:
    """What the docstring of a module says of each name, in its definition list."""
    found: dict[str, str] = {}
    doc = inspect.cleandoc(module.__doc__ or "")
    for heads, text in re.findall(r'^((?:``"[\w-]+"``(?:, )?)+)\n((?:(?: .*)?\n)+)', doc, re.M):
        names = re.findall(r'"([\w-]+)"', heads)
        for name in names:
            if name in classes(axis):
                found[name] = dedent(text).strip()
    return found
