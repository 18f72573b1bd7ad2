"""Tests use public names of the package, and private ones only through tests/inside.py."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "riparian"
FILES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("*.py"))

#: Not ``__init__``, and not ``_repr_html_``: those are names of protocols.
PRIVATE = re.compile(r"_[a-z]\w*(?<!_)$")


def defined(tree: ast.AST) -> Iterator[str]:
    """The names that a module gives to functions, classes, variables and attributes."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name


def private_names() -> set[str]:
    """The private names of the package: of its modules and of all that they define."""
    names = {path.name.partition(".")[0] for path in PACKAGE.iterdir()}
    names.add("_core")  # which is built elsewhere
    for path in PACKAGE.rglob("*.py"):
        names.update(defined(ast.parse(path.read_text())))
    return {name for name in names if PRIVATE.match(name)}


def used(text: str, private: set[str]) -> list[str]:
    """The private names of the package that a test uses, with their lines."""
    found = []
    for node in ast.walk(ast.parse(text)):
        names: list[str] = []
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls")):
                pass  # a class of the test may have private names of its own
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):
                pass
            case ast.Attribute(attr=name):
                names = [name]
            case ast.ImportFrom(module=str(module), names=imported):
                if module.split(".")[0] == "riparian":
                    names = [*module.split("."), *(alias.name for alias in imported)]
            case ast.Import(names=imported):
                for alias in imported:
                    if alias.name.startswith("riparian."):
                        names += alias.name.split(".")
            case ast.Call(
                func=ast.Name(id="setattr" | "getattr" | "hasattr" | "delattr")
                | ast.Attribute(attr="setattr" | "delattr"),
                args=[_, ast.Constant(value=str(name)), *_],
            ):
                names = [name]
        line = getattr(node, "lineno", 0)
        found += [f"line {line}: {name}" for name in names if name in private]
    return found


@pytest.fixture(scope="module")
def private() -> set[str]:
    return private_names()


def test_tests_use_no_private_names_of_the_package(private: set[str]) -> None:
    files = [file for file in FILES if file != "tests/inside.py"]
    found = {file: used((ROOT / file).read_text(), private) for file in files}
    assert {file: names for file, names in found.items() if names} == {}


def test_the_names_that_were_used_most_are_known(private: set[str]) -> None:
    assert {"_core", "_engine", "_schema", "_axes", "_learned_with", "_recipe"} <= private


@pytest.mark.parametrize(
    "text",
    [
        "from riparian import _core",
        "from riparian._core import Engine",
        "import riparian._core",
        "from riparian.models.settings import _declared",
        "model._engine.snapshot()",
        "rp.load(path)._schema",
        "model._engine = None",
        "getattr(model, '_axes')()",
        "monkeypatch.setattr(model, '_restored_engine', None)",
    ],
)
def test_a_use_is_found(text: str, private: set[str]) -> None:
    assert used(text, private) != []


@pytest.mark.parametrize("text", ["self._engine", "os._exit(1)", "model._repr_html_()"])
def test_other_names_are_no_use(text: str, private: set[str]) -> None:
    assert used(text, private) == []
