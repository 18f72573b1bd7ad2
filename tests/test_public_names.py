"""The public names are those of the list, in the package, in its stub and in the documentation."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys

import pytest

import riparian as rp
from tests import public_names, stub


def test_the_public_names_are_those_of_the_list() -> None:
    found, listed = set(public_names.found()), set(public_names.listed())
    assert found - listed == set(), "new: python -m tests.public_names writes them to the list"
    assert listed - found == set(), "gone: users may have used them; CHANGELOG.md must say so"


def test_the_stub_has_the_public_names() -> None:
    found = stub.PATH.read_text("utf-8")
    same = ast.dump(ast.parse(found)) == ast.dump(ast.parse(stub.text()))
    assert same, "python -m tests.stub writes it"


@pytest.mark.parametrize("name", public_names.modules())
def test_a_public_module_has_the_names_that_it_lists(name: str) -> None:
    module = public_names.modules()[name]
    assert len(set(module.__all__)) == len(module.__all__)
    missing = [own for own in module.__all__ if not hasattr(module, own)]
    assert missing == []
    assert set(module.__all__) <= set(dir(module))


@pytest.mark.parametrize("name", public_names.modules())
def test_a_public_class_or_function_says_what_it_is(name: str) -> None:
    module = public_names.modules()[name]
    silent = [
        own
        for own in module.__all__
        if (inspect.isclass(value := getattr(module, own)) or inspect.isfunction(value))
        and not inspect.getdoc(value)
    ]
    assert silent == []


def test_every_name_can_be_imported_from_a_new_interpreter() -> None:
    names = ", ".join(name for name in rp.__all__ if name != "__version__")
    subprocess.run([sys.executable, "-c", f"from riparian import {names}"], check=True)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'StreamTre'"):
        _ = rp.StreamTre  # type: ignore[attr-defined]
