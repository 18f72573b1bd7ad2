"""Imports in the package point one way: from what is above to what is below."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCE = Path(__file__).parents[1] / "src"
PACKAGE = SOURCE / "riparian"

#: The folders and modules of the package, from the top to the bottom. A module may import from its
#: own line and from the lines below it.
LAYERS = [
    {"__main__", "cli"},
    {"serve", "cluster"},
    {"sources"},
    {"lab"},
    {"show"},
    {"evaluate"},
    {"models"},
    {"export", "storage", "streams"},
    {"evidence"},
    {"adaptation", "bounds", "cuts", "impurities", "leaves", "statistics"},
    {"data", "drift", "policies"},
    {"ctrl_c", "errors", "__init__"},
    {"_core"},
]
DEPTH = {part: depth for depth, parts in enumerate(LAYERS) for part in parts}

#: The other way is allowed inside of functions: a method of a model draws, writes and exports it,
#: and a file that is loaded becomes a model.
LATE = {
    ("__init__", "models"),
    ("models", "show"),
    ("storage", "models"),
    ("evaluate", "show"),
}


class Import(NamedTuple):
    """One import of a module of the package by another one."""

    module: str
    line: int
    imported: str
    is_late: bool  # inside of a function


def part_of(module: str) -> str:
    """The folder or the module right below the package that a module belongs to."""
    part = module.split(".")[1] if "." in module else "__init__"
    return part if part in DEPTH or (PACKAGE / part).exists() else "__init__"


def modules() -> Iterator[tuple[str, str]]:
    """Each module of the package, with its text."""
    for path in sorted(PACKAGE.rglob("*.py")):
        names = path.relative_to(SOURCE).with_suffix("").parts
        yield ".".join(names[:-1] if names[-1] == "__init__" else names), path.read_text("utf-8")


def imports(module: str, text: str) -> Iterator[Import]:
    """What a module imports of the package when it runs; imports for types alone do not count."""

    def visit(node: ast.AST, is_late: bool) -> Iterator[Import]:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            return
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}, line {node.lineno}: a relative import"
            name = node.module or ""
            found = [f"{name}.{a.name}" for a in node.names] if name == "riparian" else [name]
        else:
            late = is_late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            for child in ast.iter_child_nodes(node):
                yield from visit(child, late)
            return
        for name in found:
            if name.split(".")[0] == "riparian":
                yield Import(module, node.lineno, name, is_late)

    yield from visit(ast.parse(text), False)


def wrong_way(found: Import) -> str | None:
    """What is wrong with an import, if anything is."""
    part, below = part_of(found.module), part_of(found.imported)
    if DEPTH[part] <= DEPTH[below] or (found.is_late and (part, below) in LATE):
        return None
    return f"{found.module}, line {found.line}: {part} must not import {below}"


def test_imports_point_one_way() -> None:
    found = [one for module, text in modules() for one in imports(module, text)]
    assert len(found) > 200
    assert [problem for one in found if (problem := wrong_way(one))] == []


def test_every_part_of_the_package_has_a_layer() -> None:
    parts = {part_of(module) for module, _ in modules()}
    assert parts | {"_core"} == set(DEPTH)


def test_what_is_allowed_inside_of_functions_is_used() -> None:
    late = {
        (part_of(one.module), part_of(one.imported))
        for module, text in modules()
        for one in imports(module, text)
        if one.is_late
    }
    assert late >= LATE


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("riparian.policies.policy", "from riparian.models import base"),
        ("riparian.models.base", "import riparian.cli.app"),
        ("riparian.models.base", "from riparian.show import plot"),
        ("riparian.evidence.structure", "def f():\n    from riparian import models"),
        ("riparian.errors", "from riparian import cli"),
        ("riparian.data.schema", "if True:\n    from riparian.streams.stream import Stream"),
    ],
)
def test_the_other_way_is_noticed(module: str, text: str) -> None:
    (found,) = imports(module, text)
    assert wrong_way(found) is not None


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("riparian.models.base", "from riparian.policies import names"),
        ("riparian.models.base", "from riparian import __version__"),
        ("riparian.models.base", "def plot(self):\n    from riparian.show.plot import plot_tree"),
    ],
)
def test_the_right_way_is_allowed(module: str, text: str) -> None:
    (found,) = imports(module, text)
    assert wrong_way(found) is None


def test_imports_for_types_alone_do_not_count() -> None:
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import riparian.cli.app\n"
    assert list(imports("riparian.models.base", text)) == []
